/* Whether two records describe the same sums.
 *
 * A model is a claim about all inputs; answers are facts about some inputs. Unequal answers refute
 * equal models; without models only the answers decide. If there is no evidence either way, the
 * records are neither the same nor different. */
#include "survey/survey.h"

static enum accord_sameness conclude_comparison(accord_comparison *out,
                                                enum accord_sameness sameness,
                                                enum accord_ground ground, const char *format, ...)
    ACCORDI_PRINTF(4, 5);

static enum accord_sameness conclude_comparison(accord_comparison *out,
                                                enum accord_sameness sameness,
                                                enum accord_ground ground, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->text, sizeof out->text, format, args);
    va_end(args);
    out->ground = ground;
    return out->sameness = sameness;
}

/* ---- answers ---- */

/* What the questions differ in; NULL if nothing. Alignments that are not known count as 0. */
static const char *other_question(const accord_record *a, const accord_record *b, unsigned flags)
{
    bool surroundings = !(flags & ACCORD_COMPARE_TERMS);
    const struct {
        bool same, surroundings;
        const char *what;
    } rows[] = {
        {a->n == b->n, false, "the number of terms"},
        {accordi_same_text(a->format, b->format), false, "the format of the terms"},
        {accordi_same_text(a->term, b->term), false, "what a term is"},
        {accordi_same_text(a->output, b->output), false, "the format of the result"},
        {a->alpha == b->alpha, false, "alpha"},
        {a->beta == b->beta, false, "beta"},
        {accordi_same_text(a->shape, b->shape), true, "the shape"},
        {accordi_same_text(a->element, b->element), true, "the element"},
        {accordi_same_text(a->transpose, b->transpose), true, "the transposes"},
        {accordi_same_text(a->strides, b->strides), true, "the strides"},
        {accordi_same_text(a->signature, b->signature), true, "the signature"},
        {(a->alignment > 0 ? a->alignment : 0) == (b->alignment > 0 ? b->alignment : 0), true,
         "the alignment"},
        {a->answers.generator == b->answers.generator, false, "the version of the inputs"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].same && (surroundings || !rows[i].surroundings))
            return rows[i].what;
    return NULL;
}

static bool has_answers(const accord_record *record)
{
    return record->answers.generator > 0 && record->answers.inputs > 0 && record->answers.digest;
}

/* Do the answers depend on more than the terms? NULL if not. */
static const char *what_moves(const accord_record *record)
{
    if (record->answers.varied > 0 || accordi_has_reason(record, ACCORD_REASON_NONDETERMINISTIC))
        return "vary from run to run";
    if (accordi_has_reason(record, ACCORD_REASON_READS_OTHERS))
        return "depend on operands of other elements";
    if (accordi_has_reason(record, ACCORD_REASON_POSITION))
        return "depend on the place of a sum among those that are asked for together";
    if (accordi_has_reason(record, ACCORD_REASON_COPIES))
        return "are not the same on all ranks";
    if (accordi_has_reason(record, ACCORD_REASON_READS_OUTSIDE))
        return "depend on memory outside the operands";
    return NULL;
}

static enum accord_sameness tell_variation(const accord_record *a, const accord_record *b,
                                           accord_comparison *out)
{
    const accord_record *one = out->varies_a ? a : b;
    const char *name = out->varies_a && out->varies_b ? "A and B" : out->varies_a ? "A" : "B";
    char how_many[100] = "";
    if (one->answers.varied > 0)
        snprintf(how_many, sizeof how_many, " (%lld of %lld inputs gave other bits when repeated)",
                 (long long)one->answers.varied, (long long)one->answers.inputs);
    return conclude_comparison(out, ACCORD_CANNOT_TELL, ACCORD_GROUND_VARIES,
                               "the answers of %s %s%s", name, what_moves(one), how_many);
}

static enum accord_sameness compare_bits(const accord_record *a, const accord_record *b,
                                         accord_comparison *out)
{
    int64_t inputs = a->answers.inputs < b->answers.inputs ? a->answers.inputs : b->answers.inputs;
    bool as_many = a->answers.inputs == b->answers.inputs;
    inputs = as_many || inputs < ACCORD_ANSWERS_KEPT ? inputs : ACCORD_ANSWERS_KEPT;
    for (int64_t i = 0; i < inputs && i < ACCORD_ANSWERS_KEPT; i++)
        if (a->answers.bits[i] != b->answers.bits[i]) {
            out->input = i;
            out->bits_a = a->answers.bits[i];
            out->bits_b = b->answers.bits[i];
            return conclude_comparison(out, ACCORD_DIFFERS, ACCORD_GROUND_ANSWERS,
                                       "the answers differ, first for input %lld of %lld",
                                       (long long)i, (long long)inputs);
        }
    if (as_many && strcmp(a->answers.digest, b->answers.digest) != 0)
        return conclude_comparison(out, ACCORD_DIFFERS, ACCORD_GROUND_ANSWERS,
                                   "the answers differ for an input after the first %d of %lld",
                                   ACCORD_ANSWERS_KEPT, (long long)inputs);
    out->inputs = inputs;
    return conclude_comparison(out, ACCORD_SAME_ON_INPUTS, ACCORD_GROUND_ANSWERS,
                               "the answers are the same on %lld inputs", (long long)inputs);
}

static enum accord_sameness compare_answers(const accord_record *a, const accord_record *b,
                                            unsigned flags, accord_comparison *out)
{
    *out = (accord_comparison){.input = -1, .varies_a = what_moves(a), .varies_b = what_moves(b)};
    if (!has_answers(a) || !has_answers(b))
        return conclude_comparison(out, ACCORD_CANNOT_TELL, ACCORD_GROUND_NOT_RECORDED,
                                   "%s no answers; record %s again",
                                   has_answers(a)   ? "B has"
                                   : has_answers(b) ? "A has"
                                                    : "A and B have",
                                   has_answers(a) || has_answers(b) ? "it" : "them");
    const char *what = other_question(a, b, flags);
    if (what)
        return conclude_comparison(
            out, ACCORD_CANNOT_TELL, ACCORD_GROUND_QUESTION,
            "the answers of A and B belong to different questions (%s differs)", what);
    return out->varies_a || out->varies_b ? tell_variation(a, b, out) : compare_bits(a, b, out);
}

/* ---- models ---- */

/* Files of brackets tell the order alone: nobody looked for the arithmetic. */
static bool examined(const accord_record *record)
{
    return record->arithmetic || record->accumulator || (record->accord && record->replays > 0);
}

static bool explained(const accord_record *record)
{
    return record->tree && (record->arithmetic || record->accumulator);
}

/* Does the record say that this is the order, whatever the arithmetic? */
static bool claims_order(const accord_record *record)
{
    return record->tree && (explained(record) || record->proven || !examined(record));
}

/* Is the arithmetic of one among those that the other leaves open? Then no input is known on which
 * the two give different bits, and which of them was told is chance. */
static bool left_open(const accord_record *one, const accord_record *other)
{
    const accord_model told = {other->tree, other->arithmetic};
    char words[ACCORD_DESCRIPTION_SIZE];
    for (size_t i = 0; i < accord_record_alternatives(one); i++) {
        const accord_model open = {one->tree, one->alternatives[i].arithmetic};
        if (!accord_model_differ(&open, &told, words, sizeof words))
            return true;
    }
    return false;
}

/* Only their answers can be compared. */
static void judge_open(accord_comparison *out)
{
    if (out->sameness == ACCORD_SAME_ON_INPUTS)
        conclude_comparison(out, ACCORD_SAME_ON_INPUTS, ACCORD_GROUND_ANSWERS,
                            "the arithmetic of A and that of B differ, but no input was found that "
                            "distinguishes them, and the answers are the same on %lld inputs",
                            (long long)out->inputs);
}

/* Of two explained records on equal trees. True, and *out, where the arithmetic differs, if only
 * in words. */
static bool other_arithmetic(const accord_record *a, const accord_record *b, accord_comparison *out)
{
    const accord_model one = {a->tree, a->arithmetic}, two = {b->tree, b->arithmetic};
    bool differ = false;
    if (a->arithmetic && b->arithmetic) {
        char words[sizeof out->text];
        differ = accord_model_differ(&one, &two, words, sizeof words);
        if (differ && (left_open(a, b) || left_open(b, a)))
            judge_open(out);
        else if (differ)
            conclude_comparison(out, ACCORD_DIFFERS, ACCORD_GROUND_ARITHMETIC, "%s", words);
    } else if (!a->arithmetic && !b->arithmetic) {
        differ = strcmp(a->accumulator, b->accumulator) != 0;
        if (differ)
            conclude_comparison(out, ACCORD_DIFFERS, ACCORD_GROUND_ARITHMETIC,
                                "the arithmetic is %s in A, but %s in B", a->accumulator,
                                b->accumulator);
    }
    return differ;
}

/* Neither's order or arithmetic is in question: only answers could contradict. */
static enum accord_sameness same_model(const accord_record *a, const accord_record *b,
                                       accord_comparison *out)
{
    enum accord_sameness answers = out->sameness;
    const char *untold = !examined(a) ? "A" : "B";
    if (answers == ACCORD_DIFFERS)
        return answers;
    if (!examined(a) || !examined(b))
        return conclude_comparison(
            out, ACCORD_SAME, ACCORD_GROUND_MODEL,
            "the order is the same; the arithmetic was not compared, because %s does not record it",
            untold);
    if (answers == ACCORD_SAME_ON_INPUTS)
        return conclude_comparison(
            out, ACCORD_SAME, ACCORD_GROUND_MODEL,
            "the order and the arithmetic are the same, and so are the answers on %lld "
            "inputs",
            (long long)out->inputs);
    return conclude_comparison(out, ACCORD_SAME, ACCORD_GROUND_MODEL,
                               "the order and the arithmetic are the same");
}

static enum accord_sameness differ_in_order(accord_comparison *out, const char *words)
{
    return conclude_comparison(out, ACCORD_DIFFERS, ACCORD_GROUND_ORDER, "%s", words);
}

/* What varies is held to nothing; but what did not vary then and varies now is refuted. */
static enum accord_sameness judge_variation(const accord_record *a, const accord_record *b,
                                            accord_comparison *out)
{
    bool fixed = !out->varies_a && (claims_order(a) || has_answers(a));
    tell_variation(a, b, out);
    if (fixed)
        out->sameness = ACCORD_DIFFERS;
    return out->sameness;
}

/* An order that is not explained, or no order at all, on at least one side. Where a model explains
 * one side alone, something contradicts it on the other side, though no answer does: it may have
 * done so then, too, and not have been met. */
static enum accord_sameness judge_by_answers(const accord_record *a, const accord_record *b,
                                             accord_comparison *out)
{
    bool of_a = explained(a), of_b = explained(b);
    const accord_record *open = of_a ? b : a;
    if (out->sameness == ACCORD_SAME_ON_INPUTS && of_a != of_b)
        return conclude_comparison(
            out, ACCORD_CANNOT_TELL, ACCORD_GROUND_ARITHMETIC,
            "a model explains %s, but none explains %s; the answers are the same on %lld inputs",
            of_a ? "A" : "B", of_a ? "B" : "A", (long long)out->inputs);
    if (out->sameness == ACCORD_SAME_ON_INPUTS)
        return conclude_comparison(
            out, ACCORD_SAME_ON_INPUTS, ACCORD_GROUND_ANSWERS,
            "no model explains either, but the answers are the same on %lld inputs",
            (long long)out->inputs);
    bool known = out->ground == ACCORD_GROUND_QUESTION || has_answers(open);
    if (out->sameness == ACCORD_CANNOT_TELL && of_a != of_b && known)
        return conclude_comparison(out, ACCORD_DIFFERS, ACCORD_GROUND_ARITHMETIC,
                                   "the arithmetic of %s is not explained, but that of %s is",
                                   of_a ? "B" : "A", of_a ? "A" : "B");
    return out->sameness;
}

/* ---- what a budget cut short ---- */

/* Was something of the proof left out? (An order that was asked for without a certificate by a
 * version that did not say so tells by having no replays.) */
static bool cut_short(const accord_record *record)
{
    return record->left_out || (record->accord && record->tree && !examined(record));
}

static bool nodes_confirmed(const accord_record *record)
{
    return record->tree && record->nodes > 0 && record->nodes_confirmed == record->nodes;
}

/* Answers are facts, and so are orders of which every node was confirmed if they differ; all else
 * would rest on what was left out. */
static enum accord_sameness judge_cut_short(const accord_record *a, const accord_record *b,
                                            accord_comparison *out)
{
    bool both = a->tree && b->tree, equal = both && accord_tree_equal(a->tree, b->tree);
    if (out->sameness == ACCORD_DIFFERS)
        return ACCORD_DIFFERS;
    if (both && !equal && nodes_confirmed(a) && nodes_confirmed(b))
        return differ_in_order(out, "the orders differ");
    const char *of = cut_short(a) ? cut_short(b) ? "A and B" : "A" : "B";
    if (equal && out->sameness == ACCORD_SAME_ON_INPUTS)
        return conclude_comparison(
            out, ACCORD_SAME_ON_INPUTS, ACCORD_GROUND_ANSWERS,
            "the order of %s is not proven, but the answers are the same on %lld inputs", of,
            (long long)out->inputs);
    return conclude_comparison(
        out, ACCORD_CANNOT_TELL, out->ground,
        "the order of %s is not proven: a part of the proof was left out; record it "
        "again without that limit",
        of);
}

enum accord_sameness accord_answers_compare(const accord_record *a, const accord_record *b,
                                            unsigned flags, accord_comparison *out)
{
    accord_comparison own;
    return compare_answers(a, b, flags, out ? out : &own);
}

enum accord_sameness accord_record_compare(const accord_record *a, const accord_record *b,
                                           unsigned flags, accord_comparison *out)
{
    accord_comparison own;
    bool order_a = claims_order(a), order_b = claims_order(b);
    out = out ? out : &own;
    compare_answers(a, b, flags, out);
    if (a->n != b->n && a->n > 0 && b->n > 0)
        return conclude_comparison(out, ACCORD_DIFFERS, ACCORD_GROUND_COUNT,
                                   "A adds %lld terms, but B adds %lld", (long long)a->n,
                                   (long long)b->n);
    if (out->varies_a || out->varies_b)
        return judge_variation(a, b, out);
    if (cut_short(a) || cut_short(b))
        return judge_cut_short(a, b, out);
    if (order_a != order_b && (!a->tree || !b->tree) && has_answers(order_a ? b : a))
        return differ_in_order(out, order_a ? "B has no fixed order" : "A has no fixed order");
    if (order_a && order_b && !accord_tree_equal(a->tree, b->tree))
        return differ_in_order(out, "the orders differ");
    if (order_a && order_b && explained(a) && explained(b) && other_arithmetic(a, b, out))
        return out->sameness;
    if (order_a && order_b && ((explained(a) && explained(b)) || !examined(a) || !examined(b)))
        return same_model(a, b, out);
    return judge_by_answers(a, b, out);
}

const char *accord_sameness_name(enum accord_sameness sameness)
{
    static const char *const names[] = {"same", "same-on-inputs", "differs", "cannot-tell"};
    return (unsigned)sameness < sizeof names / sizeof names[0] ? names[sameness] : "cannot-tell";
}
