/* Marks in pictures, in few letters, the additions that differ from the commonest arithmetic.
 *
 * Kinds are distinguished by their labels. */
#include "record/pictures/marks.h"
#include "model/words.h"

/* What becomes of the terms that a node adds. */
enum terms { NO_TERMS, FUSED, ROUNDED, TERMS };

typedef struct usual {
    uint32_t format[ACCORD_FORMAT_COUNT], rounding[ACCORD_ROUNDING_COUNT],
        product[TERMS][ACCORD_FORMAT_COUNT];
    uint32_t steps, sums;
    enum accord_format main, main_product;
    enum accord_rounding direction;
    enum terms terms;
} usual;

static enum terms terms_of(const accord_model *model, uint32_t k, const accord_operation *op)
{
    const accord_tree *tree = model->tree;
    bool leaf = false;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1] && !leaf; c++)
        leaf = tree->child[c] < tree->leaves;
    bool binary = tree->first[k + 1] - tree->first[k] == 2;
    return !leaf || !binary ? NO_TERMS : op->fused >= 0 ? FUSED : ROUNDED;
}

static void count(const accord_model *model, usual *u)
{
    for (uint32_t k = 0; k < model->tree->inner; k++) {
        accord_operation op = accordi_effective(model, k);
        enum terms terms = terms_of(model, k, &op);
        u->steps += op.fused == ACCORD_STEP;
        u->sums += op.fused != ACCORD_STEP;
        if (op.fused == ACCORD_STEP)
            continue;
        u->format[op.format]++;
        u->rounding[op.rounding]++;
        u->product[terms][terms == ROUNDED ? op.product : op.format]++;
    }
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++)
        if (u->format[f] > u->format[u->main])
            u->main = (enum accord_format)f;
    for (int r = 0; r < ACCORD_ROUNDING_COUNT; r++)
        if (u->rounding[r] > u->rounding[u->direction])
            u->direction = (enum accord_rounding)r;
    u->terms = FUSED;
    for (int t = FUSED; t < TERMS; t++)
        for (int f = 0; f < ACCORD_FORMAT_COUNT; f++)
            if (u->product[t][f] > u->product[u->terms][u->main_product]) {
                u->terms = (enum terms)t;
                u->main_product = (enum accord_format)f;
            }
}

static void add_word(char label[ACCORDI_MARK_SIZE], const char *word)
{
    size_t used = strlen(label);
    snprintf(label + used, ACCORDI_MARK_SIZE - used, "%s%s", used ? " " : "", word);
}

/* "" for a node like most. */
static void label_of(const accord_model *model, const usual *u, uint32_t k,
                     char label[ACCORDI_MARK_SIZE])
{
    accord_operation op = accordi_effective(model, k);
    enum terms terms = terms_of(model, k, &op);
    bool mostly_steps = u->steps > u->sums, step = op.fused == ACCORD_STEP;
    label[0] = '\0';
    if (step) {
        add_word(label, mostly_steps ? "" : "step");
        return;
    }
    if (op.format != u->main || mostly_steps)
        add_word(label, accord_format_get(op.format)->name);
    if (op.rounding != u->direction)
        add_word(label, accordi_rounding_words((int)op.rounding));
    if (label[0]) /* enough to tell it by */
        return;
    if (terms == FUSED && u->terms != FUSED)
        add_word(label, "fma");
    if (terms == ROUNDED && u->terms == FUSED)
        add_word(label, "unfused");
    if (terms == ROUNDED && op.product != (u->terms == ROUNDED ? u->main_product : u->main)) {
        add_word(label, "of");
        add_word(label, accord_format_get(op.product)->name);
    }
}

static uint8_t mark_of_label(accordi_marks *marks, const char *label)
{
    size_t i = 0;
    while (i < marks->kinds && strcmp(marks->label[i], label) != 0)
        i++;
    if (i == marks->kinds && i < ACCORDI_MARKS)
        snprintf(marks->label[marks->kinds++], ACCORDI_MARK_SIZE, "%s", label);
    i = i < ACCORDI_MARKS ? i : ACCORDI_MARKS - 1;
    marks->count[i]++;
    return (uint8_t)(i + 1);
}

enum accord_status accordi_marks_make(const accord_record *record, accordi_marks *marks,
                                      accord_error *error)
{
    *marks = (accordi_marks){0};
    if (!record->tree || !record->arithmetic || record->tree->inner == 0)
        return ACCORD_OK;
    const accord_model model = {record->tree, record->arithmetic};
    marks->of_node = accordi_calloc(record->tree->inner, 1);
    if (!marks->of_node)
        return accordi_nomem(error);
    usual u = {0};
    count(&model, &u);
    for (uint32_t k = 0; k < record->tree->inner; k++) {
        char label[ACCORDI_MARK_SIZE];
        label_of(&model, &u, k, label);
        marks->of_node[k] = label[0] ? mark_of_label(marks, label) : 0;
    }
    return ACCORD_OK;
}

void accordi_marks_clear(accordi_marks *marks)
{
    free(marks->of_node);
    *marks = (accordi_marks){0};
}

const char *accordi_mark_of(const accordi_marks *marks, uint32_t k)
{
    return marks->of_node && marks->of_node[k] ? marks->label[marks->of_node[k] - 1] : NULL;
}
