/* Zeros, subnormal numbers, infinities and NaN. Each question has two terms that meet in the same
 * node, zeros elsewhere, so that what comes out is what that node, or its terms, do. What a target
 * cannot show, because its result is no multiple of one exact sum or is narrower than its operands,
 * is reported as not observable. */
#include "reveal/arithmetic/special_values.h"
#include "reveal/arithmetic/flushing.h"
#include "reveal/probes/dense_rows.h"
#include <math.h>

static const struct {
    const char *name, *about;
} specials[ACCORDI_SPECIALS] = {
    {"negative_zero", "a sum of -0 alone is -0"},
    {"flush_x", "subnormal operands count as zero"},
    {"flush_y", "subnormal second factors count as zero"},
    {"flush_products", "subnormal products become zero"},
    {"flush_sums", "subnormal sums become zero before the next addition"},
    {"flush_result", "a subnormal result becomes zero"},
    {"skips_zero_x", "a product with a zero as its first factor is left out"},
    {"skips_zero_y", "a product with a zero as its second factor is left out"},
    {"infinity", "an infinite term makes the sum infinite"},
    {"nan", "a term that is NaN makes the sum NaN"},
    {"infinities_clash", "infinity and -infinity give NaN"},
    {"overflow", "a sum that overflows on the way stays infinite"},
};

const char *accordi_special_name(enum accordi_special special, const char **about)
{
    *about = specials[special].about;
    return specials[special].name;
}

const char *accordi_seen_words(enum accordi_seen seen)
{
    static const char *const words[ACCORDI_SEEN] = {"not observable", "no", "yes", "at some nodes"};
    return words[seen];
}

/* Terms x[i] * y[i] at two places, at a third one, and everywhere else. */
typedef struct question {
    double x[3], y[3], rest;
} question;

typedef struct teller {
    accordi_asker *asker;
    uint32_t leaf[3];
    size_t leaves; /* of those three that exist */
    bool products;
    accordi_dense row;
    size_t probes;
} teller;

static double ask_row(teller *t, const question *q)
{
    accordi_dense_fill(&t->row, 0, q->rest);
    for (size_t i = 0; i < t->leaves; i++)
        accordi_dense_put(&t->row, 0, t->leaf[i], q->x[i], q->y[i]);
    t->probes++;
    return accordi_dense_ask(&t->row) ? NAN : t->row.seen[0];
}

/* Two terms, 0 elsewhere. */
static double ask_pair(teller *t, double a, double b)
{
    return ask_row(t, &(question){{a, b, 0}, {1, 1, 1}, 0});
}

static double ask_product(teller *t, double x, double y)
{
    return ask_row(t, &(question){{x, 0, 0}, {y, 1, 1}, 0});
}

static enum accordi_seen yes_or_no(bool yes)
{
    return yes ? ACCORDI_YES : ACCORDI_NO;
}

/* The leaves of the first node: in every order its children are leaves. */
static void choose_leaves(teller *t, const accord_tree *tree)
{
    t->leaves = tree->leaves < 3 ? tree->leaves : 3;
    if (tree->inner == 0)
        return;
    t->leaf[0] = tree->child[0];
    t->leaf[1] = tree->child[1];
    while (t->leaf[2] == t->leaf[0] || t->leaf[2] == t->leaf[1])
        t->leaf[2]++;
}

/* The first step of a machine and what follows it: what becomes of it in the end. */
static void ask_machine_subnormal(teller *t, accordi_specials_report *r)
{
    const accord_format_info *row = accord_format_get(t->asker->target->format);
    double least = ldexp(1, row->min_exponent);
    if (t->leaves < 2 || ask_pair(t, least, least / 2) == 0 || ask_pair(t, least, 0) != least)
        return;
    double both = ask_pair(t, least, least / 2), rest = ask_pair(t, 1.5 * least, -least);
    if (t->products) {
        r->seen[ACCORDI_SPECIAL_FLUSH_X] = yes_or_no(ask_product(t, least / 2, 1024) == 0);
        r->seen[ACCORDI_SPECIAL_FLUSH_Y] = yes_or_no(ask_product(t, 1024, least / 2) == 0);
        double small = ask_product(t, ldexp(1, row->min_exponent / 2),
                                   ldexp(1, -2 + row->min_exponent - row->min_exponent / 2));
        if (small == 0 || small == least / 4)
            r->seen[ACCORDI_SPECIAL_FLUSH_PRODUCTS] = yes_or_no(small == 0);
    } else if (both == 1.5 * least || both == least) {
        r->seen[ACCORDI_SPECIAL_FLUSH_X] = yes_or_no(both == least);
    }
    if (rest == 0 || rest == least / 2)
        r->seen[ACCORDI_SPECIAL_FLUSH_RESULT] = yes_or_no(rest == 0);
}

static enum accord_status ask_subnormal(teller *t, const accord_tree *tree,
                                        accordi_specials_report *r)
{
    static const unsigned what[] = {ACCORD_FLUSH_X, ACCORD_FLUSH_Y, ACCORD_FLUSH_PRODUCTS,
                                    ACCORD_FLUSH_SUMS, ACCORD_FLUSH_RESULT};
    accordi_flushes flushes;
    accordi_asker *asker = t->asker;
    uint64_t calls = asker->target->calls;
    if (tree->inner + 1 != tree->leaves) {
        ask_machine_subnormal(t, r);
        return asker->status;
    }
    double one = ask_pair(t, 1, 0) * asker->result_factor;
    asker->scale = isfinite(one) && one != 0 ? one : 1;
    accordi_flushes_find(asker, tree, NULL, &flushes);
    for (size_t i = 0; i < sizeof what / sizeof *what && !asker->status; i++) {
        size_t asked = 0, gone = 0;
        for (uint32_t k = 0; k < (tree->inner ? tree->inner : 1); k++) {
            asked += (flushes.asked[k] & what[i]) != 0;
            gone += (flushes.node[k] & what[i]) != 0;
        }
        r->seen[ACCORDI_SPECIAL_FLUSH_X + i] = asked == 0      ? ACCORDI_UNSEEN
                                               : gone == 0     ? ACCORDI_NO
                                               : gone == asked ? ACCORDI_YES
                                                               : ACCORDI_SOME;
    }
    t->probes += (size_t)(asker->target->calls - calls);
    accordi_flushes_clear(&flushes);
    return asker->status;
}

static void ask_infinite(teller *t, accordi_specials_report *r)
{
    const accord_format_info *row = accord_format_get(t->asker->target->format);
    double most = row->greatest;
    if (row->has_nan)
        r->seen[ACCORDI_SPECIAL_NAN] = yes_or_no(isnan(ask_pair(t, NAN, 1)));
    if (row->has_infinity) {
        r->seen[ACCORDI_SPECIAL_INFINITY] = yes_or_no(ask_pair(t, INFINITY, 1) == INFINITY);
        if (t->leaves > 1)
            r->seen[ACCORDI_SPECIAL_INFINITIES_CLASH] =
                yes_or_no(isnan(ask_pair(t, INFINITY, -INFINITY)));
    }
    if (row->has_infinity && t->products) {
        r->seen[ACCORDI_SPECIAL_SKIPS_ZERO_X] = yes_or_no(!isnan(ask_product(t, 0, INFINITY)));
        r->seen[ACCORDI_SPECIAL_SKIPS_ZERO_Y] = yes_or_no(!isnan(ask_product(t, INFINITY, 0)));
    }
    const accord_format_info *out = accord_format_get(t->asker->target->output);
    bool past = 2 * most > out->greatest; /* else nothing overflows, however it is added */
    if (t->leaves == 3 && past)
        r->seen[ACCORDI_SPECIAL_OVERFLOW] =
            yes_or_no(!isfinite(ask_row(t, &(question){{most, most, -most}, {1, 1, 1}, 0})));
}

enum accord_status accordi_specials_find(accordi_asker *asker, const accord_tree *tree,
                                         accordi_specials_report *report)
{
    enum accord_term term = asker->target->term;
    teller t = {.asker = asker, .products = term == ACCORD_TERM_PRODUCT};
    accordi_specials_report found = {0};
    bool ready = !accordi_dense_init(&t.row, asker, 1, t.products);
    t.row.rows = 1;
    if (ready && (term == ACCORD_TERM_VALUE || t.products)) {
        choose_leaves(&t, tree);
        question zeros = {{-0.0, -0.0, -0.0}, {1, 1, 1}, -0.0};
        found.seen[ACCORDI_SPECIAL_NEGATIVE_ZERO] = yes_or_no(signbit(ask_row(&t, &zeros)) != 0);
        ask_subnormal(&t, tree, &found);
        ask_infinite(&t, &found);
    }
    accordi_dense_clear(&t.row);
    found.probes = t.probes;
    if (!asker->status)
        *report = found;
    return asker->status;
}
