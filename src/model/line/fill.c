/* From settings and labels to an arithmetic. */
#include "model/line/line.h"
#include "model/words.h"

enum { MOST_OPERATIONS = 255 };

/* Words for several things that are flushed, as processors and options name them. */
static const struct {
    const char *word;
    unsigned flush;
} flushes[] = {
    {"both", ACCORD_FLUSH_ALL},
    {"input", ACCORD_FLUSH_X | ACCORD_FLUSH_Y},
    {"output", ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT},
    {"daz", ACCORD_FLUSH_ALL & ~(unsigned)ACCORD_FLUSH_RESULT},
};
enum { FLUSHES = sizeof flushes / sizeof *flushes };

static unsigned flush_bit(const char *word)
{
    for (size_t i = 0; i < FLUSHES; i++)
        if (strcmp(flushes[i].word, word) == 0)
            return flushes[i].flush;
    int bit = accordi_by_name(accordi_flush_name, word);
    return bit < 0 ? 0 : 1u << bit;
}

static const char *listed_flush(const void *list, size_t i)
{
    (void)list;
    return i < FLUSHES ? flushes[i].word : accordi_flush_name((int)(i - FLUSHES));
}

/* "products+sums": 0 for what cannot be read. */
static unsigned flush_of(const char *words)
{
    unsigned flush = 0;
    while (*words) {
        char word[16] = "";
        size_t length = strcspn(words, "+");
        if (length < sizeof word)
            memcpy(word, words, length);
        unsigned bit = flush_bit(word);
        if (!bit)
            return 0;
        flush |= bit;
        words += length + (words[length] == '+');
    }
    return flush;
}

static bool labels_terms(const accordi_order_line *line)
{
    for (uint32_t i = 0; line->label && i < line->tree->leaves; i++)
        if (line->label[i])
            return true;
    return false;
}

static enum accord_status check_settings(const accordi_settings *s, const accordi_order_line *line,
                                         accord_error *error)
{
    const accord_fused *machine = s->machine ? accord_fused_by_name(s->machine) : NULL;
    if (s->machine && !machine)
        return accordi_fail(error, ACCORD_ARG,
                            "there is no machine '%.40s'; `accord targets` lists them", s->machine);
    const char *near = s->flush ? accordi_nearest(s->flush, listed_flush, NULL) : NULL;
    if (s->flush && !flush_of(s->flush))
        return accordi_fail(error, ACCORD_ARG,
                            "the setting flush= cannot be '%.40s'; %s%s%schoose both, input, "
                            "output or daz, or some of x, y, products, sums, result, tiny-after "
                            "and tiny-before with plus signs between them",
                            s->flush, near ? "did you mean " : "", near ? near : "",
                            near ? "? " : "");
    if (s->values + s->products + s->absolute + s->squares > 1)
        return accordi_fail(error, ACCORD_ARG,
                            "terms are values, products, absolute values or squares: choose one "
                            "setting");
    return labels_terms(line) ? accordi_fail(error, ACCORD_ARG,
                                             "the labels of terms say nothing; give labels to the "
                                             "steps that add")
                              : ACCORD_OK;
}

/* Where nothing else is said, what enters a sum unrounded is a product. */
static enum accord_term term_of(const accordi_settings *s, const accordi_order_line *line)
{
    if (s->values)
        return ACCORD_TERM_VALUE;
    if (s->absolute)
        return ACCORD_TERM_ABSOLUTE;
    if (s->squares)
        return ACCORD_TERM_SQUARE;
    bool products = s->products || s->machine;
    for (size_t i = 0; i < line->kinds; i++)
        products = products || line->kind[i].fusing != ACCORDI_FUSING_NONE;
    return products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE;
}

static enum accord_status make_plain(const accordi_settings *s, const accordi_order_line *line,
                                     accord_arithmetic **out, accord_error *error)
{
    const accordi_line_kind *base = &line->kind[0];
    accord_arithmetic *plain = NULL;
    const accord_fused *machine = s->machine ? accord_fused_by_name(s->machine) : NULL;
    enum accord_format terms = s->has_terms ? s->terms : machine ? machine->input : ACCORD_F32;
    enum accord_format output = s->has_output ? s->output : base->operation.format;
    enum accord_status status = accord_arithmetic_plain(
        term_of(s, line), terms, base->operation.format, output, &plain, error);
    if (status == ACCORD_OK)
        status = accord_arithmetic_copy(plain, line->tree->inner, out, error);
    accord_arithmetic_free(plain);
    return status;
}

static void fill_rest(const accordi_settings *s, const accordi_line_kind *base, uint32_t leaves,
                      accord_arithmetic *how)
{
    how->output_rounding = base->operation.rounding;
    how->negative_zero = !s->start || strcmp(s->start, "first") == 0;
    how->zero_last = s->zero_last;
    how->flush = s->flush ? flush_of(s->flush) : 0;
    how->skips_zero = s->skips != NULL;
    how->skips = s->skips ? (enum accord_skips)accordi_by_name(accordi_skips_name, s->skips)
                          : ACCORD_SKIPS_EITHER;
    if (s->machine) {
        how->has_machine = true;
        how->machine = *accord_fused_by_name(s->machine);
    }
    if (s->mean) {
        how->finish = ACCORD_FINISH_OVER;
        how->factor = leaves;
    }
}

bool accordi_set_operation(accord_arithmetic *how, uint32_t k, const accord_operation *op)
{
    size_t i = 0;
    while (i < how->operations && !accordi_same_operation(&how->operation[i], op))
        i++;
    if (i == MOST_OPERATIONS)
        return false;
    if (i == how->operations)
        how->operation[how->operations++] = *op;
    how->of_node[k] = (uint8_t)i;
    return true;
}

/* All operations are made anew from the kinds. */
static bool fill_operations(const accordi_order_line *line, accord_arithmetic *how)
{
    const accord_tree *tree = line->tree;
    how->operations = tree->inner ? 0 : 1;
    if (!tree->inner) {
        how->operation[0] = line->kind[0].operation;
        how->operation[0].fused = line->kind[0].fusing == ACCORDI_FUSING_STEP ? ACCORD_STEP : -1;
    }
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t label = line->label ? line->label[tree->leaves + k] : 0;
        accord_operation op = accordi_line_kind_at(&line->kind[label], tree, k);
        if (!accordi_set_operation(how, k, &op))
            return false;
    }
    return true;
}

enum accord_status accordi_line_arithmetic(const accordi_settings *s,
                                           const accordi_order_line *line, accord_arithmetic **out,
                                           accord_error *error)
{
    const accordi_line_kind *base = &line->kind[0];
    accord_arithmetic *how = NULL;
    enum accord_status status = check_settings(s, line, error);
    if (!status)
        status = make_plain(s, line, &how, error);
    if (status)
        return status;
    accord_operation *room = realloc(how->operation, MOST_OPERATIONS * sizeof *room);
    how->operation = room ? room : how->operation;
    fill_rest(s, base, line->tree->leaves, how);
    if (!room)
        status = accordi_nomem(error);
    else if (!fill_operations(line, how))
        status = accordi_fail(error, ACCORD_ARG, "a model has at most %d different operations",
                              MOST_OPERATIONS);
    if (status)
        accord_arithmetic_free(how);
    else
        *out = how;
    return status;
}

/* ---- and back ---- */

static const char *machine_name(const accord_fused *machine)
{
    const accord_fused *row;
    for (size_t i = 0; (row = accord_fused_at(i)); i++) {
        int p = 0;
        while (p < ACCORDI_PARAMETERS && accordi_parameter_get(machine, &accordi_parameters[p]) ==
                                             accordi_parameter_get(row, &accordi_parameters[p]))
            p++;
        if (p == ACCORDI_PARAMETERS)
            return row->name;
    }
    return NULL;
}

static void put_flush(accordi_buffer *out, unsigned flush)
{
    const char *between = ",flush=";
    for (size_t i = 0; i < FLUSHES; i++)
        if (flushes[i].flush == flush) {
            accordi_buffer_printf(out, "%s%s", between, flushes[i].word);
            return;
        }
    for (int i = 0; accordi_flush_name(i); i++)
        if (flush >> i & 1) {
            accordi_buffer_printf(out, "%s%s", between, accordi_flush_name(i));
            between = "+";
        }
}

/* What no setting says. */
static const char *unsaid(const accord_model *model, const accordi_line_kind *base, bool steps)
{
    const accord_arithmetic *a = model->arithmetic;
    bool mean = a->finish == ACCORD_FINISH_OVER && a->factor == model->tree->leaves;
    if (a->operand != ACCORD_F64)
        return "operands that are rounded first";
    if (a->alpha_at != ACCORD_ALPHA_ONE || a->beta != 0)
        return "alpha or beta";
    if (a->finish != ACCORD_FINISH_NONE && !mean)
        return "a division, a multiplication or a root at the end";
    if (a->extended)
        return "the arithmetic of x87";
    if (a->output_rounding != base->operation.rounding)
        return "a rounding of the result that is not that of the sums";
    const accord_operation *lone = a->operations && !model->tree->inner ? a->operation : NULL;
    if (lone && (lone->stored != ACCORD_F64 || lone->keeps || lone->zero != ACCORD_ZERO_NONE))
        return "what is done with a single term";
    if (!steps && !accord_format_adds(a->input))
        return "terms of a machine's elements that are not added in its steps";
    if (steps && !machine_name(&a->machine))
        return "the steps of a machine that is not in the table";
    return NULL;
}

static bool has_steps(const accord_model *model)
{
    for (uint32_t k = 0; k < model->tree->inner; k++)
        if (accordi_is_step(model, k))
            return true;
    const accord_arithmetic *a = model->arithmetic;
    return !model->tree->inner && a->has_machine && a->operations &&
           a->operation[0].fused == ACCORD_STEP;
}

/* `fuses`: nodes with labels do. */
static void put_term(accordi_buffer *out, enum accord_term term, bool said, bool fuses)
{
    static const char *const words[] = {",values", ",products", ",absolute", ",squares"};
    bool usual = term == ACCORD_TERM_PRODUCT ? said : term == ACCORD_TERM_VALUE && !said && !fuses;
    accordi_buffer_puts(out, usual ? "" : words[term]);
}

static void put_operation(accordi_buffer *out, const accord_arithmetic *a,
                          const accordi_line_kind *base, const char *machine, bool fuses)
{
    static const char *const words[] = {",fma=none", ",fma", ",fma=first", ",fma=inner", ""};
    accordi_settings asked = {.has_terms = true, .terms = a->input, .machine = machine};
    accordi_line_kind usual = accordi_settings_kind(&asked);
    const accord_operation *op = &base->operation;
    accordi_buffer_printf(out, ",terms=%s", accordi_format_name(a->input));
    if (machine)
        accordi_buffer_printf(out, ",machine=%s", machine);
    put_term(out, a->term, machine || base->fusing != ACCORDI_FUSING_NONE, fuses);
    if (op->format != usual.operation.format)
        accordi_buffer_printf(out, ",acc=%s", accordi_format_name(op->format));
    if (op->product != op->format)
        accordi_buffer_printf(out, ",product=%s", accordi_format_name(op->product));
    if (base->fusing != usual.fusing)
        accordi_buffer_puts(out, words[base->fusing]);
    if (op->rounding != usual.operation.rounding)
        accordi_buffer_printf(out, ",rounding=%s", accordi_rounding_name((int)op->rounding));
    if (a->output != op->format)
        accordi_buffer_printf(out, ",out=%s", accordi_format_name(a->output));
}

enum accord_status accordi_settings_write(accordi_buffer *out, const accord_model *model,
                                          const accordi_line_kind *kind, size_t kinds,
                                          accord_error *error)
{
    const accord_arithmetic *a = model->arithmetic;
    const accordi_line_kind *base = &kind[0];
    bool fuses = false;
    for (size_t i = 1; i < kinds; i++)
        fuses = fuses || kind[i].fusing != ACCORDI_FUSING_NONE;
    bool steps = has_steps(model);
    const char *cannot = unsaid(model, base, steps);
    if (cannot)
        return accordi_fail(error, ACCORD_UNSUPPORTED, "a line cannot say %s", cannot);
    put_operation(out, a, base, steps ? machine_name(&a->machine) : NULL, fuses);
    accordi_buffer_puts(out, a->negative_zero ? "" : ",start=zero");
    accordi_buffer_puts(out, a->zero_last ? ",zero-last" : "");
    if (accordi_flush_bits(model))
        put_flush(out, accordi_flush_bits(model));
    if (a->skips_zero && a->term == ACCORD_TERM_PRODUCT)
        accordi_buffer_printf(out, ",skips-zero%s%s", a->skips == ACCORD_SKIPS_EITHER ? "" : "=",
                              a->skips == ACCORD_SKIPS_EITHER ? ""
                                                              : accordi_skips_name((int)a->skips));
    accordi_buffer_puts(out, a->finish == ACCORD_FINISH_OVER ? ",mean" : "");
    return ACCORD_OK;
}
