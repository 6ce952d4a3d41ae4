/* An order without regularity: a table of additions and a stack.
 *
 * Each step takes two terms, or sums from the top of the stack, and leaves its sum there. The
 * greater subtree of a node is summed first (Sethi and Ullman, The generation of optimal code for
 * arithmetic expressions, 1970), so that the stack is no deeper than log2 n + 1. */
#include "model/emit/emit.h"

enum { MOST_CASES = 250 };

/* A kind of step: what the two operands are and how they are added, as labels say it. */
typedef struct step_kind {
    uint32_t sum, operand[2];
    bool second_first; /* the sum of child 1 lies deeper in the stack */
} step_kind;

typedef struct table {
    const accord_tree *tree;
    uint32_t *order; /* inner nodes, children first */
    uint8_t *kind;   /* of each step */
    bool *turned;    /* per inner node: child 1 first */
    step_kind kinds[MOST_CASES];
    size_t count;
    uint32_t depth;
} table;

static bool is_leaf(const table *t, uint32_t node)
{
    return node < t->tree->leaves;
}

/* How deep a stack each node needs, and which child comes first. */
static void find_needs(table *t, uint32_t *need)
{
    for (uint32_t k = 0; k < t->tree->inner; k++) {
        const uint32_t *c = t->tree->child + t->tree->first[k];
        uint32_t a = is_leaf(t, c[0]) ? 0 : need[c[0] - t->tree->leaves];
        uint32_t b = is_leaf(t, c[1]) ? 0 : need[c[1] - t->tree->leaves];
        t->turned[k] = b > a;
        need[k] = a == b ? a + 1 : a > b ? a : b;
        t->depth = need[k] > t->depth ? need[k] : t->depth;
    }
}

/* From the root down, the child that comes first visited last; then turned around. */
static void find_order(table *t, uint32_t *stack)
{
    uint32_t depth = 0, at = t->tree->inner;
    stack[depth++] = t->tree->inner - 1;
    while (depth > 0) {
        uint32_t k = stack[--depth];
        const uint32_t *c = t->tree->child + t->tree->first[k];
        t->order[--at] = k;
        for (int i = 0; i < 2; i++) {
            uint32_t node = c[t->turned[k] ? 1 - i : i];
            if (!is_leaf(t, node))
                stack[depth++] = node - t->tree->leaves;
        }
    }
}

/* Of an operand that is a sum only the format counts. */
static bool is_alike(uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    accordi_shape p = accordi_shape_labeled(a), q = accordi_shape_labeled(b);
    return p.kind == ACCORDI_NODE && q.kind == ACCORDI_NODE && p.format == q.format;
}

static bool is_same(const step_kind *a, const step_kind *b)
{
    return a->sum == b->sum && a->second_first == b->second_first &&
           is_alike(a->operand[0], b->operand[0]) && is_alike(a->operand[1], b->operand[1]);
}

static bool find_kind(const accordi_writer *w, table *t, uint32_t step)
{
    uint32_t k = t->order[step];
    const uint32_t *c = t->tree->child + t->tree->first[k];
    const uint32_t *label = w->shapes->label;
    step_kind now = {.sum = label[t->tree->leaves + k], .operand = {label[c[0]], label[c[1]]}};
    now.second_first = !is_leaf(t, c[0]) && !is_leaf(t, c[1]) && t->turned[k];
    size_t i = 0;
    while (i < t->count && !is_same(&t->kinds[i], &now))
        i++;
    if (i == MOST_CASES)
        return false;
    if (i == t->count)
        t->kinds[t->count++] = now;
    t->kind[step] = (uint8_t)i;
    return true;
}

static void put_steps(accordi_writer *w, const table *t)
{
    accordi_buffer row = {0};
    accordi_line(w, "/* term, term (-1: a sum from the stack), kind of addition */");
    accordi_line(w, "static const struct {");
    w->indent++;
    accordi_line(w, "int a, b;");
    accordi_line(w, "unsigned char kind;");
    w->indent--;
    accordi_line(w, "} step[%u] = {", t->tree->inner);
    w->indent++;
    for (uint32_t i = 0; i < t->tree->inner; i++) {
        const uint32_t *c = t->tree->child + t->tree->first[t->order[i]];
        accordi_buffer_printf(&row, "%s{%lld, %lld, %u},", row.length ? " " : "",
                              is_leaf(t, c[0]) ? (long long)c[0] : -1,
                              is_leaf(t, c[1]) ? (long long)c[1] : -1, t->kind[i]);
        if (row.length > 76 || i + 1 == t->tree->inner) {
            accordi_line(w, "%s", row.data ? row.data : "");
            w->out->failed |= row.failed;
            row.length = 0;
        }
    }
    accordi_buffer_clear(&row);
    w->indent--;
    accordi_line(w, "};");
}

static bool is_sum(const step_kind *kind, int side)
{
    return accordi_shape_labeled(kind->operand[side]).kind == ACCORDI_NODE;
}

/* An operand of a step; sums lie at stack[top - 1] and, below it, stack[top - 2]. */
static accordi_value step_operand(accordi_writer *w, const step_kind *kind, int side, bool wide)
{
    accordi_shape own = accordi_shape_labeled(kind->operand[side]);
    if (own.kind != ACCORDI_NODE) {
        accordi_emit_place place = {0};
        accordi_place_add(&place, side ? "b" : "a", 1);
        return accordi_leaf(w, &own, &place);
    }
    bool deeper = is_sum(kind, !side) && (side == 1) == kind->second_first;
    bool cast = wide && own.format == ACCORD_F32;
    return accordi_named(own.format, "%sstack[top - %d]", cast ? "(float)" : "", deeper ? 2 : 1);
}

static void put_case(accordi_writer *w, const table *t, size_t i, bool wide)
{
    const step_kind *kind = &t->kinds[i];
    int sums = is_sum(kind, 0) + is_sum(kind, 1);
    accordi_shape how = accordi_shape_labeled(kind->sum);
    accordi_line(w, t->count > 1 ? "case %zu:" : "{", i);
    w->indent++;
    accordi_value item[2] = {step_operand(w, kind, 0, wide), step_operand(w, kind, 1, wide)};
    accordi_value sum = accordi_node_sum(w, &how, item);
    accordi_line(w, "stack[top%s] = %s;",
                 sums == 0   ? ""
                 : sums == 1 ? " - 1"
                             : " - 2",
                 accordi_text(w, &sum));
    if (sums != 1)
        accordi_line(w, "top%s;", sums == 0 ? "++" : "--");
    if (t->count > 1)
        accordi_line(w, "break;");
    w->indent--;
    if (t->count == 1)
        accordi_line(w, "}");
    accordi_value_clear(&sum);
}

static accordi_value put_steps_and_loop(accordi_writer *w, const table *t)
{
    bool wide = false;
    for (size_t i = 0; i < t->count; i++)
        wide = wide || accordi_shape_labeled(t->kinds[i].sum).format == ACCORD_F64;
    put_steps(w, t);
    accordi_line(w, "%s stack[%u] = {0};", wide ? "double" : "float", t->depth);
    accordi_line(w, "int top = 0;");
    accordi_line(w, "for (int k = 0; k < %u; k++) {", t->tree->inner);
    w->indent++;
    accordi_line(w, "int a = step[k].a, b = step[k].b;");
    accordi_line(w, "(void)a, (void)b;");
    if (t->count > 1)
        accordi_line(w, "switch (step[k].kind) {");
    for (size_t i = 0; i < t->count; i++)
        put_case(w, t, i, wide);
    if (t->count > 1)
        accordi_line(w, "}");
    w->indent--;
    accordi_line(w, "}");
    uint8_t format = w->shapes->shape[w->shapes->root].format;
    return accordi_named(format, "%sstack[0]", wide && format == ACCORD_F32 ? "(float)" : "");
}

enum accord_status accordi_put_table(accordi_writer *w, accordi_value *out, accord_error *error)
{
    const accord_tree *tree = w->model->tree;
    table t = {.tree = tree};
    uint32_t *scratch = accordi_alloc((size_t)tree->inner + 1, sizeof *scratch);
    t.order = accordi_alloc(tree->inner, sizeof *t.order);
    t.kind = accordi_alloc(tree->inner, 1);
    t.turned = accordi_alloc(tree->inner, sizeof *t.turned);
    enum accord_status status = ACCORD_OK;
    if (!scratch || !t.order || !t.kind || !t.turned) {
        status = accordi_nomem(error);
    } else {
        find_needs(&t, scratch);
        find_order(&t, scratch);
        for (uint32_t i = 0; status == ACCORD_OK && i < tree->inner; i++)
            if (!find_kind(w, &t, i))
                status = accordi_fail(error, ACCORD_UNSUPPORTED,
                                      "accord cannot write C for an irregular order whose nodes "
                                      "compute in more than %d ways; use accord replay instead",
                                      MOST_CASES);
        if (status == ACCORD_OK)
            *out = put_steps_and_loop(w, &t);
    }
    free(scratch);
    free(t.order);
    free(t.kind);
    free(t.turned);
    return status;
}
