/* Numbers the kinds of arithmetic at the nodes of an order, and says each of them in words. */
#include "record/pictures/kinds.h"
#include "model/scaling.h"
#include "model/words.h"

static bool has_terms(const accord_tree *tree, uint32_t k)
{
    bool leaf = false;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1] && !leaf; c++)
        leaf = tree->child[c] < tree->leaves;
    return leaf;
}

static void put_products(const accord_arithmetic *a, const accord_operation *op,
                         accordi_buffer *out)
{
    bool square = a->term == ACCORD_TERM_SQUARE;
    if (!square && a->term != ACCORD_TERM_PRODUCT)
        return;
    if (op->fused >= 0)
        accordi_buffer_printf(out, ", the %s fused into the sum", square ? "square" : "product");
    else
        accordi_buffer_printf(out, ", %s rounded to %s first", square ? "squares" : "products",
                              accordi_format_name(op->product));
}

/* What alpha does to a node; the first three are of terms. */
static const char *const scalings[] = {"",
                                       "x times alpha, rounded first",
                                       "y times alpha, rounded first",
                                       "times alpha, rounded",
                                       "times alpha, unrounded",
                                       "stored and taken back, times 1 / alpha"};

static void describe(const accord_model *model, uint32_t k, const accord_operation *op,
                     unsigned scaling, accordi_buffer *out)
{
    const accord_tree *tree = model->tree;
    bool wide = tree->first[k + 1] - tree->first[k] > 2;
    if (op->fused == ACCORD_STEP) {
        accordi_buffer_puts(out, "a step of the machine");
        accordi_buffer_printf(out, "%s%s", scaling ? "; " : "", scalings[scaling]);
        return;
    }
    accordi_buffer_printf(out, "%s %s", accordi_format_name(op->format),
                          accordi_rounding_words((int)op->rounding));
    if (wide)
        accordi_buffer_puts(out, ", rounded once");
    else if (has_terms(tree, k))
        put_products(model->arithmetic, op, out);
    if (op->stored != ACCORD_F64)
        accordi_buffer_printf(out, ", stored in %s", accordi_format_name(op->stored));
    if (op->zero == ACCORD_ZERO_ADDED)
        accordi_buffer_puts(out, ", then added to +0");
    else if (op->zero != ACCORD_ZERO_NONE)
        accordi_buffer_printf(out, ", products %s with +0",
                              op->zero == ACCORD_ZERO_FUSED ? "fused" : "added");
    if (op->keeps)
        accordi_buffer_puts(out, ", subnormals kept");
    accordi_buffer_printf(out, "%s%s", scaling ? "; " : "", scalings[scaling]);
}

/* The kind with these words and this mark; the last one stands for all that find no room. */
static uint32_t kind_of(accordi_kinds *kinds, const char *words, const char *mark)
{
    uint32_t i = 0;
    while (i < kinds->count &&
           (kinds->kind[i].mark != mark || strcmp(kinds->kind[i].words, words) != 0))
        i++;
    if (i == ACCORDI_KINDS)
        return ACCORDI_KINDS - 1;
    if (i == kinds->count) {
        accordi_kind *kind = &kinds->kind[kinds->count++];
        bool last = kinds->count == ACCORDI_KINDS;
        snprintf(kind->words, sizeof kind->words, "%s", last ? "another arithmetic" : words);
        kind->mark = mark;
    }
    return i;
}

/* What the last node was like, of those with and without terms, and with more operands than two. */
typedef struct previous {
    accord_operation op;
    unsigned scaling;
    const char *mark;
    uint32_t kind;
    bool seen;
} previous;

/* Nodes mostly are like the one before, and words are only made where that changes. */
static enum accord_status number_nodes(const accord_model *model, const uint8_t *scaling,
                                       accordi_kinds *kinds, accord_error *error)
{
    const accord_tree *tree = model->tree;
    previous before[4] = {{.seen = false}};
    for (uint32_t k = 0; k < tree->inner; k++) {
        accord_operation op = accordi_effective(model, k);
        op.fused = op.fused > 0 ? 0 : op.fused; /* which operand is the product, the order says */
        bool wide = tree->first[k + 1] - tree->first[k] > 2;
        previous *p = &before[2 * wide + has_terms(tree, k)];
        const char *mark = accordi_mark_of(&kinds->marks, k);
        unsigned scaled = scaling ? scaling[tree->leaves + k] : 0;
        if (!p->seen || mark != p->mark || scaled != p->scaling ||
            !accordi_same_operation(&op, &p->op)) {
            accordi_buffer words = {0};
            describe(model, k, &op, scaled, &words);
            if (words.failed)
                return accordi_nomem(error);
            *p = (previous){op, scaled, mark, kind_of(kinds, words.data, mark), true};
            accordi_buffer_clear(&words);
        }
        kinds->kind[p->kind].count++;
        kinds->label[tree->leaves + k] = p->kind + 1;
    }
    return ACCORD_OK;
}

/* Terms that alpha multiplies by themselves are unlike the others. */
static void number_terms(const accord_tree *tree, const uint8_t *scaling, accordi_kinds *kinds)
{
    for (uint32_t leaf = 0; leaf < tree->leaves; leaf++) {
        if (scaling[leaf] == ACCORD_SCALED_NOT)
            continue;
        uint32_t kind = kind_of(kinds, scalings[scaling[leaf]], NULL);
        kinds->kind[kind].terms = true;
        kinds->kind[kind].count++;
        kinds->label[leaf] = kind + 1;
    }
}

/* Where alpha multiplies every term, or the result, nodes do not differ in that. */
static enum accord_status number_all(const accord_model *model, accordi_kinds *kinds,
                                     accord_error *error)
{
    enum accord_alpha at = model->arithmetic->alpha_at;
    uint8_t *scaling = NULL;
    enum accord_status status = ACCORD_OK;
    if (at == ACCORD_ALPHA_SUM || at == ACCORD_ALPHA_NODES)
        status = accordi_scaling(model, &scaling, error);
    if (!status && scaling)
        number_terms(model->tree, scaling, kinds);
    if (!status)
        status = number_nodes(model, scaling, kinds, error);
    free(scaling);
    return status;
}

enum accord_status accordi_kinds_make(const accord_record *record, accordi_kinds *kinds,
                                      accord_error *error)
{
    const accord_tree *tree = record->tree;
    *kinds = (accordi_kinds){.label = NULL};
    enum accord_status status = accordi_marks_make(record, &kinds->marks, error);
    if (status || !record->arithmetic || tree->inner == 0)
        return status;
    const accord_model model = {tree, record->arithmetic};
    kinds->label = accordi_calloc((size_t)tree->leaves + tree->inner, sizeof *kinds->label);
    status = kinds->label ? number_all(&model, kinds, error) : accordi_nomem(error);
    if (status)
        accordi_kinds_clear(kinds);
    return status;
}

void accordi_kinds_clear(accordi_kinds *kinds)
{
    accordi_marks_clear(&kinds->marks);
    free(kinds->label);
    *kinds = (accordi_kinds){.label = NULL};
}
