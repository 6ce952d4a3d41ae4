/* Models in one line.
 *
 * Reading: what stands before the first comma is an order with words for labels; the settings
 * behind say what nodes without a label do, and everything else. Writing: of the operations that
 * occur, the one that fits most nodes becomes the settings. The others become labels. An operation
 * fits a node where it computes the same there: what is done with products does not matter at a
 * node of two sums. A node whose operation is not that of the settings takes the label of the sum
 * below it, if this fits, or else the first label that does, so that the nodes of one step have one
 * label. */
#include "model/line/line.h"
#include "model/operation.h"
#include "model/words.h"
#include <accord/notation.h>

/* ---- reading ---- */

/* *at becomes the place of a setting that is wrong. */
static enum accord_status read_settings(char *text, accordi_settings *out, size_t *at,
                                        accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    for (char *word = text, *next; word && !status; word = next) {
        if ((next = strchr(word, ',')))
            *next++ = '\0';
        char *equals = strchr(word, '=');
        if (equals)
            *equals++ = '\0';
        bool known = false;
        *at = (size_t)(word - text);
        status = accordi_setting_read(accordi_setting_rows, accordi_setting_count, out, word,
                                      equals, "", &known, error);
        if (!status && !known)
            status = accordi_fail(error, ACCORD_ARG,
                                  "cannot read the setting '%.60s%s%.60s'; the settings of a model "
                                  "are listed in doc/notation.md",
                                  word, equals ? "=" : "", equals ? equals : "");
    }
    return status;
}

/* `text` is what stands behind the first comma; NULL: there is none. It is cut. */
static enum accord_status read_model(char *text, const accordi_settings *settings,
                                     accordi_order_line *line, accord_arithmetic **how,
                                     accord_error *error)
{
    if (!text && line->kinds == 1)
        return ACCORD_OK;
    enum accord_status status = accordi_line_arithmetic(settings, line, how, error);
    return status ? status : accord_model_check(&(accord_model){line->tree, *how}, error);
}

/* `copy` is cut. Whatever is wrong with the settings, or with all together, is an error of the
 * text.
 */
static enum accord_status parse_copy(char *copy, accordi_order_line *line, accord_arithmetic **how,
                                     size_t *place, accord_error *error)
{
    accordi_settings settings = {0};
    accord_error why = {0};
    char *comma = strchr(copy, ',');
    size_t start = comma ? (size_t)(comma + 1 - copy) : strlen(copy), at = 0;
    if (comma)
        *comma++ = '\0';
    enum accord_status status = comma ? read_settings(comma, &settings, &at, &why) : ACCORD_OK;
    accordi_line_kind base = accordi_settings_kind(&settings);
    if (!status && (status = accordi_order_line_read(copy, &base, line, place, error)))
        return status;
    at = status ? start + at : start;
    if (!status)
        status = read_model(comma, &settings, line, how, &why);
    if (status == ACCORD_ARG) {
        *place = at;
        return accordi_fail(error, ACCORD_PARSE, "the line is wrong at character %zu: %s", at + 1,
                            why.text);
    }
    if (status && error)
        *error = why;
    return status;
}

enum accord_status accord_model_line_parse(const char *text, accord_tree **tree,
                                           accord_arithmetic **arithmetic, size_t *place,
                                           accord_error *error)
{
    accordi_order_line line = {0};
    accord_arithmetic *how = NULL;
    size_t at = 0;
    char *copy = accordi_strdup(text);
    enum accord_status status =
        copy ? parse_copy(copy, &line, &how, &at, error) : accordi_nomem(error);
    if (place && status == ACCORD_PARSE)
        *place = at;
    if (!status) {
        *tree = line.tree;
        *arithmetic = how;
        line.tree = NULL;
        how = NULL;
    }
    accord_arithmetic_free(how);
    accordi_order_line_clear(&line);
    free(copy);
    return status;
}

/* ---- writing ---- */

enum { MOST_KINDS = 6 * 256 }; /* each of 255 operations with each way of fusing, and apart */

/* Large trees have no memory to spare, and most have one kind: what takes some for every node is
 * there once it is needed. */
typedef struct chooser {
    const accord_model *model;
    uint32_t *label;  /* of the leaves and then of the inner nodes; NULL: all 0 */
    uint32_t *parent; /* of all nodes, likewise */
    bool nomem;
    accordi_line_kind *kind;
    uint32_t kinds;
    bool apart; /* sums of sums have labels of their own, not those of sums below */
} chooser;

static bool fits(const chooser *c, const accordi_line_kind *kind, uint32_t k)
{
    accord_operation own = accordi_effective(c->model, k);
    accord_operation op = accordi_line_kind_at(kind, c->model->tree, k);
    op = accordi_effective_as(c->model, k, op);
    return accordi_same_operation(&op, &own);
}

/* An array of all nodes, of zeros. */
static uint32_t *zeros(chooser *c)
{
    uint32_t *all =
        accordi_calloc((size_t)c->model->tree->leaves + c->model->tree->inner, sizeof *all);
    c->nomem = c->nomem || !all;
    return all;
}

/* The inner node above inner node k; UINT32_MAX: there is none. */
static uint32_t node_above(chooser *c, uint32_t k)
{
    const accord_tree *tree = c->model->tree;
    if (k + 1 == tree->inner)
        return UINT32_MAX;
    if (!c->parent && (c->parent = zeros(c)))
        accord_tree_parents(tree, c->parent);
    return c->parent ? c->parent[tree->leaves + k] - tree->leaves : UINT32_MAX;
}

/* The way of fusing that a node shows by itself. Of two leaves that are both rounded it may be that
 * only a leaf beside a sum enters unrounded: then the node that takes this sum says. */
static enum accordi_fusing shown_fusing(chooser *c, uint32_t k)
{
    const accord_tree *tree = c->model->tree;
    const uint32_t *child = tree->child + tree->first[k];
    bool leaves = child[0] < tree->leaves && child[1] < tree->leaves;
    int fused = accordi_effective(c->model, k).fused;
    if (fused == ACCORD_STEP)
        return ACCORDI_FUSING_STEP;
    if (fused >= 0)
        return leaves && fused == 0 ? ACCORDI_FUSING_FIRST : ACCORDI_FUSING_LAST;
    uint32_t above = leaves ? node_above(c, k) : UINT32_MAX;
    bool inner = above < tree->inner && accordi_effective(c->model, above).fused >= 0;
    return inner ? ACCORDI_FUSING_INNER : ACCORDI_FUSING_NONE;
}

/* Candidates for what nodes without a label do: each operation that occurs, with each way of
 * fusing.
 */
static uint32_t list_candidates(const chooser *c, accordi_line_kind *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->model->tree->inner; k++) {
        accord_operation op = accordi_effective(c->model, k);
        bool step = op.fused == ACCORD_STEP;
        op.fused = -1;
        op.stored = ACCORD_F64;
        op.keeps = 0;
        op.zero = ACCORD_ZERO_NONE;
        uint32_t i = 0;
        while (i < count && !(accordi_same_operation(&out[i].operation, &op) &&
                              step == (out[i].fusing == ACCORDI_FUSING_STEP)))
            i++;
        if (i < count || count + ACCORDI_FUSING_STEP > MOST_KINDS)
            continue;
        if (step)
            out[count++] = (accordi_line_kind){ACCORDI_FUSING_STEP, op};
        for (int f = 0; !step && f < ACCORDI_FUSING_STEP; f++)
            out[count++] = (accordi_line_kind){(enum accordi_fusing)f, op};
    }
    return count;
}

/* Of equally many nodes, the candidate that comes first. */
static void choose_base(chooser *c, accordi_line_kind *candidate)
{
    uint32_t count = list_candidates(c, candidate), most = 0;
    if (count)
        c->kind[0] = candidate[0];
    for (uint32_t i = 0; i < count && most < c->model->tree->inner; i++) {
        uint32_t good = 0;
        for (uint32_t k = 0; k < c->model->tree->inner; k++)
            good += fits(c, &candidate[i], k);
        if (good > most)
            c->kind[0] = candidate[i];
        most = good > most ? good : most;
    }
}

/* What a model of one leaf does. */
static accordi_line_kind lone_kind(const accord_model *model)
{
    const accord_arithmetic *a = model->arithmetic;
    accordi_line_kind kind = {ACCORDI_FUSING_NONE,
                              {.format = a->output, .product = a->output, .stored = ACCORD_F64}};
    if (a->operations)
        kind.operation = a->operation[0];
    kind.fusing = kind.operation.fused == ACCORD_STEP ? ACCORDI_FUSING_STEP : ACCORDI_FUSING_NONE;
    kind.operation.fused = -1;
    return kind;
}

static bool adds_terms(const accord_tree *tree, uint32_t k)
{
    bool some = false;
    for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++)
        some = some || tree->child[i] < tree->leaves;
    return some;
}

/* The label of a sum of sums that says nothing of terms. */
static uint32_t label_apart(chooser *c, uint32_t k)
{
    accordi_line_kind kind = {c->kind[0].fusing, accordi_effective(c->model, k)};
    kind.operation.fused = -1;
    for (uint32_t i = 1; i < c->kinds; i++)
        if (c->kind[i].fusing == kind.fusing &&
            accordi_same_operation(&c->kind[i].operation, &kind.operation))
            return i;
    c->kind[c->kinds] = kind;
    return c->kinds++;
}

static uint32_t label_for(chooser *c, uint32_t k)
{
    const accord_tree *tree = c->model->tree;
    if (fits(c, &c->kind[0], k))
        return 0;
    const accord_operation own = accordi_effective(c->model, k);
    if (c->apart && own.fused != ACCORD_STEP && !adds_terms(tree, k))
        return label_apart(c, k);
    for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++) {
        bool sum = c->label && tree->child[i] >= tree->leaves;
        uint32_t below = sum ? c->label[tree->child[i]] : 0;
        if (below && fits(c, &c->kind[below], k))
            return below;
    }
    for (uint32_t i = 1; i < c->kinds; i++)
        if (fits(c, &c->kind[i], k))
            return i;
    accordi_line_kind *made = &c->kind[c->kinds];
    *made = (accordi_line_kind){shown_fusing(c, k), own};
    made->operation.fused = -1;
    /* a product that alone enters unrounded counts as fused only where its format, which does not
     * matter otherwise, could not hold it */
    if (!fits(c, made, k))
        made->operation.product = accordi_operation_of(c->model->arithmetic, k)->product;
    return c->kinds++;
}

static void choose_labels(chooser *c)
{
    const accord_tree *tree = c->model->tree;
    c->kinds = 1;
    for (uint32_t k = 0; k < tree->inner && !c->nomem; k++) {
        uint32_t label = label_for(c, k);
        if (!c->label && label)
            c->label = zeros(c);
        if (c->label)
            c->label[tree->leaves + k] = label;
    }
}

/* Words in place of the numbers of labels. */
static void put_words(accordi_buffer *out, const char *text, const chooser *c)
{
    for (const char *at = text; *at;) {
        size_t plain = strcspn(at, "{");
        accordi_buffer_append(out, at, plain);
        at += plain;
        if (!*at)
            return;
        char *end = NULL;
        unsigned long number = strtoul(at + 1, &end, 10);
        accordi_buffer_puts(out, out->length && out->data[out->length - 1] == ' ' ? "{" : " {");
        accordi_label_write(out, &c->kind[number], &c->kind[0]);
        accordi_buffer_puts(out, "}");
        at = end + 1;
    }
}

static enum accord_status write_chosen(const chooser *c, char **text, bool *regular,
                                       accord_error *error)
{
    if (c->nomem)
        return accordi_nomem(error);
    char *order = NULL;
    accordi_buffer out = {0};
    enum accord_status status =
        accord_notation_write(c->model->tree, c->label, &order, regular, error);
    if (!status) {
        put_words(&out, order, c);
        status = accordi_settings_write(&out, c->model, c->kind, c->kinds, error);
    }
    accord_notation_free(order);
    if (!status && out.failed)
        status = accordi_nomem(error);
    if (status)
        accordi_buffer_clear(&out);
    else
        *text = out.data;
    return status;
}

/* Of the two ways to label sums of sums, that of the shorter line. */
static enum accord_status write_shorter(chooser *c, char **text, bool *regular, accord_error *error)
{
    char *other = NULL;
    bool other_regular = false;
    choose_labels(c);
    enum accord_status status = write_chosen(c, text, regular, error);
    if (status || c->kinds == 1)
        return status;
    c->apart = true;
    choose_labels(c);
    status = write_chosen(c, &other, &other_regular, error);
    bool better = !status && strlen(other) < strlen(*text);
    if (better) {
        char *longer = *text;
        *text = other;
        other = longer;
    }
    if (better && regular)
        *regular = other_regular;
    free(other);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}

enum accord_status accord_model_line_write(const accord_model *model, char **text, bool *regular,
                                           accord_error *error)
{
    chooser c = {.model = model, .kinds = 1};
    c.kind = accordi_alloc(MOST_KINDS, sizeof *c.kind);
    accordi_line_kind *candidate = accordi_alloc(MOST_KINDS, sizeof *candidate);
    enum accord_status status = c.kind && candidate ? ACCORD_OK : accordi_nomem(error);
    if (!status) {
        c.kind[0] = lone_kind(model);
        choose_base(&c, candidate);
        status = write_shorter(&c, text, regular, error);
    }
    free(c.label);
    free(c.parent);
    free(c.kind);
    free(candidate);
    return status;
}
