/* Describes the first difference between two arithmetics on one tree. */
#include "model/operation.h"
#include "model/scaling.h"
#include "model/words.h"

static const char *flush_words(const accord_model *model, char *words, size_t size)
{
    unsigned flush = accordi_flush_bits(model);
    size_t length = 0;
    snprintf(words, size, "%s", flush == ACCORD_FLUSH_ALL ? "all subnormals" : "nothing");
    for (int i = 0; flush && flush != ACCORD_FLUSH_ALL && accordi_flush_name(i); i++)
        if (flush >> i & 1 && length < size)
            length += (size_t)snprintf(words + length, size - length, "%s%s",
                                       length ? ", " : "subnormal ", accordi_flush_name(i));
    return words;
}

/* A difference in words: "label: in A this; in B that", where `first` and `second` stand before the
 * words for the one model and for the other. */
typedef struct contrast {
    accordi_buffer text;
    const char *first, *second;
} contrast;

static void describe_operation(accordi_buffer *out, const accord_operation *op)
{
    if (op->fused == ACCORD_STEP) {
        accordi_buffer_printf(out, "a step of the machine%s", op->keeps ? ", subnormals kept" : "");
        return;
    }
    accordi_buffer_printf(out, "%s %s", accordi_format_name(op->format),
                          accordi_rounding_words((int)op->rounding));
    if (op->product != op->format)
        accordi_buffer_printf(out, ", products rounded to %s", accordi_format_name(op->product));
    if (op->fused >= 0)
        accordi_buffer_printf(out, ", the product of child %d fused", op->fused);
    if (op->stored != ACCORD_F64)
        accordi_buffer_printf(out, ", stored in %s", accordi_format_name(op->stored));
    accordi_buffer_puts(out, op->keeps ? ", subnormals kept" : "");
    static const char *const zeros[] = {"", ", products fused with +0", ", products added to +0",
                                        ", the sum added to +0"};
    accordi_buffer_puts(out, zeros[op->zero]);
}

/* Says so when the two words are not the same. */
static bool differ_words(contrast *out, const char *label, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return false;
    accordi_buffer_printf(&out->text, "%s: %s%s%s%s", label, out->first, a, out->second, b);
    return true;
}

static bool differ_reals(contrast *out, const char *label, double a, double b)
{
    if (a == b)
        return false;
    accordi_buffer_printf(&out->text, "%s: %s", label, out->first);
    accordi_put_real(&out->text, a);
    accordi_buffer_puts(&out->text, out->second);
    accordi_put_real(&out->text, b);
    return true;
}

/* Is the same operation the same at every node? */
static bool take_alike(const accord_arithmetic *a, const accord_arithmetic *b)
{
    return a->term == b->term && a->input == b->input && a->operand == b->operand &&
           a->alpha_at == b->alpha_at && a->flush == b->flush && !a->has_machine && !b->has_machine;
}

static bool differ_nodes(const accord_model *a, const accord_model *b, contrast *out)
{
    uint32_t first = UINT32_MAX, count = 0, inner = a->tree->inner;
    bool alike = take_alike(a->arithmetic, b->arithmetic);
    for (uint32_t k = 0; k < inner; k++) {
        if (alike && accordi_same_operation(accordi_operation_of(a->arithmetic, k),
                                            accordi_operation_of(b->arithmetic, k)))
            continue;
        accord_operation p = accordi_effective(a, k), q = accordi_effective(b, k);
        if (accordi_same_operation(&p, &q))
            continue;
        first = count++ ? first : k;
    }
    if (count == 0)
        return false;
    accord_operation p = accordi_effective(a, first), q = accordi_effective(b, first);
    accordi_buffer_printf(&out->text, "addition %u of %u (node %u): %s", first + 1, inner,
                          a->tree->leaves + first, out->first);
    describe_operation(&out->text, &p);
    accordi_buffer_puts(&out->text, out->second);
    describe_operation(&out->text, &q);
    if (count > 1)
        accordi_buffer_printf(&out->text, "; %u additions differ", count);
    return true;
}

static bool has_steps(const accord_model *model)
{
    bool some = false;
    for (uint32_t k = 0; k < model->tree->inner && !some; k++)
        some = accordi_is_step(model, k);
    return some;
}

static bool differ_machines(const accord_model *a, const accord_model *b, contrast *out)
{
    const accord_fused *p = &a->arithmetic->machine, *q = &b->arithmetic->machine;
    if (!a->arithmetic->has_machine || !b->arithmetic->has_machine || !has_steps(a))
        return false;
    for (int i = 0; i < ACCORDI_PARAMETERS; i++) {
        char label[64];
        const accordi_parameter *at = &accordi_parameters[i];
        int x = accordi_parameter_get(p, at), y = accordi_parameter_get(q, at);
        if (x == y)
            continue;
        snprintf(label, sizeof label, "the machine's %s", at->name);
        if (at->kind == ACCORDI_ROUNDING_OF)
            return differ_words(out, label, accordi_rounding_words(x), accordi_rounding_words(y));
        if (accordi_parameter_word(at, x))
            return differ_words(out, label, accordi_parameter_word(at, x),
                                accordi_parameter_word(at, y));
        return differ_reals(out, label, x, y);
    }
    return false;
}

static bool differ_alpha(const accord_arithmetic *a, const accord_arithmetic *b, contrast *out)
{
    if (differ_words(out, "alpha enters at", accordi_alpha_name((int)a->alpha_at),
                     accordi_alpha_name((int)b->alpha_at)) ||
        differ_reals(out, "alpha", a->alpha, b->alpha) ||
        differ_reals(out, "beta", a->beta, b->beta))
        return true;
    for (size_t i = 0; a->alpha_at == ACCORD_ALPHA_NODES && i < a->alpha_nodes; i++) {
        char label[48];
        snprintf(label, sizeof label, "node %zu times alpha", i);
        if (differ_words(out, label, accordi_scaling_name(a->alpha_of[i]),
                         accordi_scaling_name(b->alpha_of[i])))
            return true;
    }
    if (a->alpha_at != ACCORD_ALPHA_SUM)
        return false;
    return differ_reals(out, "alpha multiplies node", a->alpha_node, b->alpha_node) ||
           differ_words(out, "products with alpha", a->alpha_fused ? "fused" : "rounded",
                        b->alpha_fused ? "fused" : "rounded");
}

static const char *radicand_name(const accord_arithmetic *a)
{
    return a->radicand == ACCORD_F64 ? "as it is" : accordi_format_name(a->radicand);
}

static const char *skip_words(const accord_arithmetic *a)
{
    static const char *const words[] = {"left out", "left out where x is zero",
                                        "left out where y is zero"};
    return a->skips_zero ? words[a->skips] : "added";
}

static bool differ_ends(const accord_model *one, const accord_model *two, contrast *out)
{
    const accord_arithmetic *a = one->arithmetic, *b = two->arithmetic;
    char words[2][80];
    bool skips = a->term == ACCORD_TERM_PRODUCT;
    return differ_words(out, "sums are in", a->extended ? "x87's format" : "formats of IEEE 754",
                        b->extended ? "x87's format" : "formats of IEEE 754") ||
           differ_words(out, "output", accordi_format_name(a->output),
                        accordi_format_name(b->output)) ||
           differ_words(out, "the output is rounded",
                        accordi_rounding_words((int)a->output_rounding),
                        accordi_rounding_words((int)b->output_rounding)) ||
           differ_alpha(a, b, out) ||
           differ_words(out, "at the end", accordi_finish_title((int)a->finish),
                        accordi_finish_title((int)b->finish)) ||
           (a->finish != ACCORD_FINISH_NONE && a->finish != ACCORD_FINISH_ROOT &&
            differ_reals(out, "the factor at the end", a->factor, b->factor)) ||
           (accordi_takes_root(a->finish) &&
            differ_words(out, "what the root is taken of", radicand_name(a), radicand_name(b))) ||
           differ_words(out, "flushed to zero", flush_words(one, words[0], sizeof words[0]),
                        flush_words(two, words[1], sizeof words[1])) ||
           (skips && differ_words(out, "terms with a zero factor", skip_words(a), skip_words(b))) ||
           differ_words(out, "a sum of -0 alone", a->negative_zero && !a->zero_last ? "-0" : "+0",
                        b->negative_zero && !b->zero_last ? "-0" : "+0") ||
           differ_words(out, "+0", a->zero_last ? "added last" : "not added last",
                        b->zero_last ? "added last" : "not added last") ||
           differ_words(out, "+0", accordi_twice_zero(a) ? "added first too" : "added last alone",
                        accordi_twice_zero(b) ? "added first too" : "added last alone");
}

static bool differ_rounded(const accord_arithmetic *a, const accord_arithmetic *b, contrast *out)
{
    bool a_rounds = a->operand != ACCORD_F64, b_rounds = b->operand != ACCORD_F64;
    return differ_words(out, "operands are rounded to",
                        a_rounds ? accordi_format_name(a->operand) : "none",
                        b_rounds ? accordi_format_name(b->operand) : "none") ||
           (a_rounds && differ_words(out, "operands are rounded",
                                     accordi_rounding_words((int)a->operand_rounding),
                                     accordi_rounding_words((int)b->operand_rounding)));
}

bool accordi_model_differ(const accord_model *a, const accord_model *b, const char *first,
                          const char *second, char *text, size_t size)
{
    accord_arithmetic how[2];
    const accord_arithmetic *p = &how[0], *q = &how[1];
    const accord_model one = {a->tree, p}, other = {b->tree, q};
    contrast line = {{0}, first, second};
    accordi_scaling_simplest(a, &how[0], NULL); /* without memory: as it is said */
    accordi_scaling_simplest(b, &how[1], NULL);
    bool differ = differ_words(&line, "terms", accordi_term_name((int)p->term),
                               accordi_term_name((int)q->term)) ||
                  differ_words(&line, "operands", accordi_format_name(p->input),
                               accordi_format_name(q->input)) ||
                  differ_rounded(p, q, &line) || differ_nodes(&one, &other, &line) ||
                  differ_machines(&one, &other, &line) || differ_ends(&one, &other, &line);
    if (differ && size > 0)
        snprintf(text, size, "%s",
                 line.text.failed || !line.text.data ? "out of memory" : line.text.data);
    accordi_buffer_clear(&line.text);
    return differ;
}

bool accord_model_differ(const accord_model *a, const accord_model *b, char *text, size_t size)
{
    return accordi_model_differ(a, b, "in A ", "; in B ", text, size);
}
