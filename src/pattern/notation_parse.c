/* From a notation to its tree: the steps are done, and each join makes a node. */
#include "pattern/notation.h"

/* The tree under construction. */
typedef struct maker {
    accordi_builder tree;
    uint32_t *label; /* of the nodes as they are made */
} maker;

static uint32_t make_node(accordi_run *run, const uint32_t *item, size_t count, uint32_t label)
{
    maker *m = run->context;
    uint32_t node = accordi_builder_join_all(&m->tree, item, count);
    m->label[node] = label;
    return node;
}

static bool mark_term(accordi_run *run, uint32_t item, uint32_t label)
{
    maker *m = run->context;
    if (item < m->tree.leaves) {
        m->label[item] = label;
        return true;
    }
    run->why = "it gives labels to sums; terms comes before they are added";
    return false;
}

static enum accord_status explain_failure(const accordi_run *run, const char *text, size_t *place,
                                          accord_error *error)
{
    size_t at = run->failed ? run->failed->place : strlen(text);
    if (run->failed && run->token)
        at = accordi_token_place(text, run->failed, run->token - 1);
    if (run->nomem)
        return accordi_nomem(error);
    if (place)
        *place = at;
    return accordi_fail(error, ACCORD_PARSE, "the notation is wrong at character %zu: %s", at + 1,
                        run->why);
}

static enum accord_status finish(maker *m, accord_tree **tree, uint32_t **label,
                                 accord_error *error)
{
    accord_tree *made = NULL;
    uint32_t inner = m->tree.nodes - m->tree.leaves, *ordered = NULL;
    enum accord_status status =
        accord_tree_from_parents(m->tree.leaves, inner, m->tree.parent, &made, error);
    if (!status && label && !(ordered = accordi_labels_in(made, m->tree.parent, m->label)))
        status = accordi_nomem(error);
    if (status) {
        accord_tree_free(made);
        return status;
    }
    *tree = made;
    if (label)
        *label = ordered;
    return ACCORD_OK;
}

static enum accord_status make(const accordi_step *steps, maker *m, uint32_t *item,
                               const char *text, size_t *place, accord_error *error)
{
    size_t count = m->tree.leaves;
    accordi_run run = {.join = make_node, .mark = mark_term, .context = m};
    bool good = accordi_steps_run(&run, steps, item, &count);
    if (good && count == 1)
        return ACCORD_OK;
    if (good)
        run.why = "the steps leave more than one partial sum; end them with a fold, such as chain";
    return explain_failure(&run, text, place, error);
}

enum accord_status accord_notation_parse(const char *text, accord_tree **tree, uint32_t **label,
                                         size_t *place, accord_error *error)
{
    uint32_t leaves = 0;
    accordi_step *steps = NULL;
    enum accord_status status = accordi_steps_parse(text, &leaves, &steps, place, error);
    if (status)
        return status;
    maker m = {0};
    uint32_t *item = NULL;
    status = accordi_memory_check(leaves * 40.0, "the tree of the notation", error);
    if (!status)
        status = accordi_builder_init(&m.tree, leaves, error);
    if (!status) {
        item = accordi_alloc(leaves, sizeof *item);
        m.label = accordi_calloc(2 * (size_t)leaves, sizeof *m.label);
        if (!item || !m.label)
            status = accordi_nomem(error);
    }
    for (uint32_t i = 0; !status && i < leaves; i++)
        item[i] = i;
    if (!status)
        status = make(steps, &m, item, text, place, error);
    if (!status)
        status = finish(&m, tree, label, error);
    free(m.tree.parent);
    free(m.label);
    free(item);
    accordi_steps_free(steps);
    return status;
}

void accord_notation_free(void *memory)
{
    free(memory);
}
