/* Describes an arithmetic in one line, for people: the commonest kind of addition first, then the
 * exceptions, then what happens at both ends. (In this room a model, a tree with the arithmetic of
 * its nodes, comes in; words, fingerprints (canonical.c) and differences (differ.c) go out.) */
#include "model/operation.h"
#include "model/scaling.h"
#include "model/words.h"

/* How many additions are of each kind. */
typedef struct tally {
    uint32_t format[ACCORD_FORMAT_COUNT], rounding[ACCORD_ROUNDING_COUNT],
        product[ACCORD_FORMAT_COUNT];
    uint32_t sums, steps;                 /* all but steps; steps of the machine */
    uint32_t wide, most;                  /* of more than two terms, and of how many */
    uint32_t with_terms, fused;           /* binary sums with a leaf, and those that fuse one */
    uint32_t stored[ACCORD_FORMAT_COUNT]; /* sums stored in a narrower format */
    uint32_t zero[ACCORD_ZERO_ADDED + 1]; /* sums with each kind of zero */
    enum accord_format main;              /* the commonest */
    enum accord_rounding usual;
    enum accord_format rounded; /* the commonest format of products that are rounded */
} tally;

static uint32_t greatest(const uint32_t *count, uint32_t size)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < size; i++)
        best = count[i] > count[best] ? i : best;
    return best;
}

static void count_node(tally *t, const accord_model *model, uint32_t k)
{
    const accord_tree *tree = model->tree;
    const accord_arithmetic *a = model->arithmetic;
    const uint32_t *child = tree->child + tree->first[k];
    uint32_t children = tree->first[k + 1] - tree->first[k];
    accord_operation op = accordi_effective(model, k);
    if (op.fused == ACCORD_STEP) {
        t->steps++;
        return;
    }
    t->sums++;
    t->format[op.format]++;
    t->rounding[op.rounding]++;
    t->stored[op.stored]++;
    t->zero[op.zero]++;
    if (children > 2) {
        t->wide++;
        t->most = children > t->most ? children : t->most;
    } else if (child[0] < tree->leaves || child[1] < tree->leaves) {
        t->with_terms++;
        t->fused += op.fused >= 0;
        t->product[accordi_operation_of(a, k)->product]++;
    }
}

static tally count_nodes(const accord_model *model)
{
    tally t = {.main = model->arithmetic->output};
    for (uint32_t k = 0; k < model->tree->inner; k++)
        count_node(&t, model, k);
    if (t.sums) {
        t.main = (enum accord_format)greatest(t.format, ACCORD_FORMAT_COUNT);
        t.usual = (enum accord_rounding)greatest(t.rounding, ACCORD_ROUNDING_COUNT);
        t.rounded = (enum accord_format)greatest(t.product, ACCORD_FORMAT_COUNT);
    } else if (t.steps) {
        t.main = model->arithmetic->machine.output;
    } else if (model->arithmetic->operations) {
        t.main = model->arithmetic->operation[0].format;
        t.usual = model->arithmetic->operation[0].rounding;
    }
    return t;
}

static void describe_machine(accordi_buffer *out, const accord_model *model, const tally *t)
{
    const accord_fused *row = accordi_known_machine(&model->arithmetic->machine);
    const accord_fused *m = &model->arithmetic->machine;
    if (t->steps == 0)
        return;
    accordi_buffer_puts(out, out->length ? "; " : "");
    if (t->sums)
        accordi_buffer_printf(out, "%u of %u additions ", t->steps, t->steps + t->sums);
    if (row)
        accordi_buffer_printf(out, "fused as on %s", row->name);
    else
        accordi_buffer_printf(out, "fused sums of up to %d %s and the sum so far, in %s", m->terms,
                              model->arithmetic->term == ACCORD_TERM_PRODUCT ? "products" : "terms",
                              accordi_format_name(m->output));
}

static void put_products(accordi_buffer *out, const accord_model *model, const tally *t)
{
    const accord_arithmetic *a = model->arithmetic;
    bool products = a->term == ACCORD_TERM_PRODUCT || a->term == ACCORD_TERM_SQUARE;
    const char *what = a->term == ACCORD_TERM_SQUARE ? "squares" : "products";
    if (!products) {
        accordi_buffer_puts(out, a->term == ACCORD_TERM_ABSOLUTE ? ", absolute values" : "");
        return;
    }
    if (t->with_terms == 0)
        return;
    if (t->fused == t->with_terms)
        accordi_buffer_printf(out, ", %s fused into the sum", what);
    else if (t->fused)
        accordi_buffer_printf(out, ", %s fused into %u of %u sums", what, t->fused, t->with_terms);
    else if (accordi_holds_terms(a, t->rounded))
        accordi_buffer_printf(out, ", %s exact", what);
    else if (t->rounded != t->main)
        accordi_buffer_printf(out, ", %s rounded to %s", what, accordi_format_name(t->rounded));
    else
        accordi_buffer_printf(out, ", %s rounded first", what);
}

static void put_sums(accordi_buffer *out, const accord_model *model, const tally *t)
{
    uint32_t all = t->sums + t->steps;
    const accord_arithmetic *a = model->arithmetic;
    if (a->operand != ACCORD_F64)
        accordi_buffer_printf(out, "operands rounded to %s %s", accordi_format_name(a->operand),
                              accordi_rounding_words((int)a->operand_rounding));
    if (t->steps && !t->sums)
        return;
    accordi_buffer_puts(out, a->operand != ACCORD_F64 ? ", then " : "");
    if (a->operand == ACCORD_F64 && (a->input != t->main || a->extended))
        accordi_buffer_printf(out, "%s terms in ", accordi_format_name(a->input));
    accordi_buffer_printf(out, "%s %s",
                          a->extended ? "x87 (64 bits)" : accordi_format_name(t->main),
                          accordi_rounding_words((int)t->usual));
    put_products(out, model, t);
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++)
        if (t->format[f] && f != (int)t->main)
            accordi_buffer_printf(out, "; %u of %u additions in %s", t->format[f], all,
                                  accordi_format_name((enum accord_format)f));
    for (int r = 0; r < ACCORD_ROUNDING_COUNT; r++)
        if (t->rounding[r] && r != (int)t->usual)
            accordi_buffer_printf(out, "; %u of %u rounded %s", t->rounding[r], all,
                                  accordi_rounding_words(r));
    for (int f = ACCORD_F64 + 1; f < ACCORD_FORMAT_COUNT; f++)
        if (t->stored[f])
            accordi_buffer_printf(out, "; %u of %u sums stored in %s", t->stored[f], all,
                                  accordi_format_name((enum accord_format)f));
    if (t->zero[ACCORD_ZERO_FUSED])
        accordi_buffer_printf(out, "; in %u of %u additions rounded products are fused with +0",
                              t->zero[ACCORD_ZERO_FUSED], all);
    if (t->zero[ACCORD_ZERO_ROUNDED])
        accordi_buffer_printf(out, "; in %u of %u additions rounded products are added to +0 first",
                              t->zero[ACCORD_ZERO_ROUNDED], all);
    if (t->zero[ACCORD_ZERO_ADDED])
        accordi_buffer_printf(out, "; %u of %u sums added to +0", t->zero[ACCORD_ZERO_ADDED], all);
    if (t->wide)
        accordi_buffer_printf(out, "; %u of %u additions take up to %u terms and round once",
                              t->wide, all, t->most);
}

static void put_result(accordi_buffer *out, const accord_model *model, const tally *t)
{
    const accord_arithmetic *a = model->arithmetic;
    uint32_t inner = model->tree->inner;
    accord_operation root = {.format = t->main, .rounding = t->usual, .stored = ACCORD_F64};
    if (inner)
        root = accordi_effective(model, inner - 1);
    bool over = accordi_divides(a->finish), scaled = over || accordi_multiplies(a->finish);
    if (scaled) {
        accordi_buffer_puts(out, over ? "; divided by " : "; times ");
        accordi_put_real(out, a->factor);
    }
    bool root_taken = accordi_takes_root(a->finish), rounds = a->radicand != ACCORD_F64;
    if (root_taken && rounds)
        accordi_buffer_printf(out, "%s rounded to %s, then", scaled ? "," : ";",
                              accordi_format_name(a->radicand));
    if (root_taken)
        accordi_buffer_puts(out, rounds   ? " the square root"
                                 : scaled ? ", then the square root"
                                          : "; square root");
    if (a->finish != ACCORD_FINISH_NONE)
        accordi_buffer_puts(out, " at the end");
    if (root.format != a->output || a->extended)
        accordi_buffer_printf(out, "; result rounded to %s", accordi_format_name(a->output));
    if (root.format != a->output && a->output_rounding != ACCORD_NEAREST_EVEN)
        accordi_buffer_printf(out, " %s", accordi_rounding_words((int)a->output_rounding));
}

/* "; alpha multiplies x of 3 terms, 2 values", … */
static void describe_scalings(accordi_buffer *out, const accord_arithmetic *a)
{
    static const struct {
        const char *before, *what, *after;
    } words[] = {{NULL, NULL, NULL},
                 {"x of ", "term", ""},
                 {"y of ", "term", ""},
                 {"", "value", ""},
                 {"", "value", ", fused"},
                 {"", "sum", " stored along the way and later multiplied by 1 / alpha"}};
    size_t count[sizeof words / sizeof *words] = {0};
    const char *before = "; alpha multiplies ";
    for (size_t i = 0; i < a->alpha_nodes; i++)
        count[a->alpha_of[i]]++;
    for (size_t i = 1; i < sizeof words / sizeof *words; i++) {
        if (count[i] == 0)
            continue;
        accordi_buffer_printf(out, "%s%s%zu %s%s%s", before, words[i].before, count[i],
                              words[i].what, count[i] == 1 ? "" : "s", words[i].after);
        before = ", ";
    }
}

/* "; subnormal operands, products and sums count as zero, except in 3 of 7 additions" */
static void describe_flushes(accordi_buffer *out, const accord_model *model)
{
    static const struct {
        unsigned bits;
        const char *words;
    } words[] = {{ACCORD_FLUSH_X | ACCORD_FLUSH_Y, "operands"},
                 {ACCORD_FLUSH_X, "first factors"},
                 {ACCORD_FLUSH_Y, "second factors"},
                 {ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT, "results"},
                 {ACCORD_FLUSH_PRODUCTS, "products"},
                 {ACCORD_FLUSH_SUMS, "intermediate sums"},
                 {ACCORD_FLUSH_RESULT, "final sums"}};
    unsigned given = accordi_flush_bits(model), flush = given & ACCORD_FLUSH_ALL;
    bool products = model->arithmetic->term == ACCORD_TERM_PRODUCT ||
                    model->arithmetic->term == ACCORD_TERM_SQUARE;
    const char *before = flush == ACCORD_FLUSH_ALL ? "; subnormals" : "; subnormal ";
    uint32_t keep = 0, inner = model->tree->inner;
    if (flush == 0)
        return;
    if (flush == ACCORD_FLUSH_ALL)
        accordi_buffer_puts(out, before);
    for (size_t i = 0; flush != ACCORD_FLUSH_ALL && i < sizeof words / sizeof *words; i++) {
        if ((flush & words[i].bits) != words[i].bits)
            continue;
        flush &= ~words[i].bits;
        if (words[i].bits == ACCORD_FLUSH_PRODUCTS && !products)
            continue;
        accordi_buffer_printf(out, "%s%s", before, words[i].words);
        before = ", ";
    }
    accordi_buffer_puts(out, " count as zero");
    if (given & ~(unsigned)ACCORD_FLUSH_ALL)
        accordi_buffer_printf(out, " (tininess detected %s rounding)",
                              given & ACCORD_FLUSH_TINY_BEFORE ? "before" : "after");
    for (uint32_t k = 0; k < inner; k++)
        keep += accordi_effective(model, k).keeps != 0;
    if (2 * (uint64_t)keep > inner)
        accordi_buffer_printf(out, " in %u of %u additions", inner - keep, inner);
    else if (keep)
        accordi_buffer_printf(out, ", except in %u of %u additions", keep, inner);
}

static void describe_range_ends(accordi_buffer *out, const accord_model *model)
{
    static const char *const alphas[] = {"", "; x is first multiplied by alpha",
                                         "; y is first multiplied by alpha",
                                         "; alpha multiplies partial sums", ""};
    const accord_arithmetic *a = model->arithmetic;
    describe_flushes(out, model);
    static const char *const skips[] = {"; products with a zero factor are left out",
                                        "; products whose first factor is zero are left out",
                                        "; products whose second factor is zero are left out"};
    accordi_buffer_puts(out, a->skips_zero ? skips[a->skips] : "");
    accordi_buffer_puts(out, alphas[a->alpha_at]);
    if (a->alpha_at == ACCORD_ALPHA_SUM && a->alpha_fused)
        accordi_buffer_puts(out, ", fused");
    if (a->alpha_at == ACCORD_ALPHA_NODES)
        describe_scalings(out, a);
    bool whole = accordi_scaling_root(model) >= ACCORD_SCALED_ROUNDED;
    if (a->beta != 0)
        accordi_buffer_puts(out, whole && a->alpha != 1
                                     ? "; beta / alpha times the start value is the last term"
                                     : "; beta times the start value is the last term");
}

void accord_model_describe(const accord_model *model, char *text, size_t size)
{
    accordi_buffer line = {0};
    tally t = count_nodes(model);
    put_sums(&line, model, &t);
    describe_machine(&line, model, &t);
    put_result(&line, model, &t);
    describe_range_ends(&line, model);
    if (size > 0)
        snprintf(text, size, "%s", line.failed || !line.data ? "" : line.data);
    accordi_buffer_clear(&line);
}
