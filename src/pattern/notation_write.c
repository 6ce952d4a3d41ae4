/* From a tree to its notation in text: labels of terms, and the steps that find.c finds. */
#include "pattern/find.h"
#include <accord/pattern.h>

static bool open_finder(accordi_finder *f)
{
    size_t nodes = (size_t)f->tree->leaves + f->tree->inner;
    f->parent = accordi_alloc(nodes, sizeof *f->parent);
    f->low = accordi_alloc(nodes, sizeof *f->low);
    f->high = accordi_alloc(nodes, sizeof *f->high);
    f->held = accordi_alloc(nodes, sizeof *f->held);
    f->seen = accordi_calloc(nodes, sizeof *f->seen);
    bool good = f->parent && f->low && f->high && f->held && f->seen;
    if (good)
        accord_tree_parents(f->tree, f->parent);
    return good;
}

static void close_finder(accordi_finder *f)
{
    free(f->parent);
    free(f->low);
    free(f->high);
    free(f->held);
    free(f->seen);
}

/* A step for each run of terms whose label is the same and not 0. */
static accordi_step *find_term_labels(accordi_finder *f)
{
    accordi_step *steps = NULL, **end = &steps;
    uint32_t n = f->tree->leaves;
    for (uint32_t i = 0, next = 0; f->label && !f->nomem && i < n; i = next) {
        for (next = i + 1; next < n && f->label[next] == f->label[i];)
            next++;
        if (f->label[i] == 0)
            continue;
        *end = accordi_step_new(ACCORDI_STEP_TERMS);
        f->nomem = f->nomem || !*end;
        if (f->nomem)
            break;
        (*end)->label = f->label[i];
        (*end)->to = next - i < n ? ACCORDI_REACH_AT : ACCORDI_REACH_ALL;
        (*end)->reach = next - i;
        (*end)->at = i;
        end = &(*end)->next;
    }
    return steps;
}

/* Whether the tree has so many shapes that looking for steps would only take time. */
static bool is_irregular(accordi_finder *f)
{
    accord_pattern *pattern = NULL;
    f->nomem = f->nomem || accord_pattern_of(f->tree, f->label, &pattern, NULL) != ACCORD_OK;
    bool irregular = pattern && accord_pattern_nodes(pattern) > 1000 + f->tree->leaves / 16;
    accord_pattern_free(pattern);
    return irregular;
}

static accordi_step *find_in_list(accordi_finder *f, const accordi_list *list)
{
    if (!is_irregular(f))
        return f->nomem ? NULL : accordi_find_shortest(f, list);
    accordi_step *steps = accordi_find_fold(f, list); /* some of them have many shapes */
    accordi_find_scan(f, list);
    if (!steps && !f->nomem)
        steps = accordi_find_moved(f, list);
    if (!steps && !f->nomem) {
        accordi_find_scan(f, list);
        f->choices = ACCORDI_CHOOSE_KERNELS;
        steps = accordi_find_kernel(f, list);
    }
    return steps || f->nomem ? steps : accordi_find_tree(f, list);
}

static accordi_step *find_terms(accordi_finder *f)
{
    uint32_t n = f->tree->leaves, *item = accordi_alloc(n, sizeof *item);
    f->nomem = f->nomem || !item;
    for (uint32_t i = 0; item && i < n; i++)
        item[i] = i;
    accordi_list list = {item, n, n + f->tree->inner - 1};
    accordi_step *found = f->nomem ? NULL : find_in_list(f, &list);
    free(item);
    return found;
}

/* The tree with its terms in reverse order, and its labels. */
static bool mirror(const accordi_finder *f, accord_tree **tree, uint32_t **label)
{
    uint32_t n = f->tree->leaves, nodes = n + f->tree->inner;
    uint32_t *parent = accordi_alloc(2 * (size_t)nodes, sizeof *parent), *old = parent + nodes;
    if (!parent)
        return false;
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t from = v < n ? n - 1 - v : v;
        parent[v] = f->parent[from];
        old[v] = accordi_label(f, from);
    }
    bool good = accord_tree_from_parents(n, f->tree->inner, parent, tree, NULL) == ACCORD_OK;
    *label = good ? accordi_labels_in(*tree, parent, old) : NULL;
    free(parent);
    return *label;
}

/* The steps behind a step that reverses all terms. */
static accordi_step *find_reversed(accordi_finder *f)
{
    accord_tree *tree = NULL;
    uint32_t *label = NULL;
    accordi_step *steps = accordi_step_new(ACCORDI_STEP_REVERSE);
    bool good = steps && mirror(f, &tree, &label);
    accordi_finder g = {.tree = tree, .label = label, .steps = f->steps};
    good = good && open_finder(&g);
    if (good)
        steps->next = find_terms(&g);
    f->nomem = f->nomem || !good || g.nomem;
    close_finder(&g);
    accord_tree_free(tree);
    free(label);
    return steps;
}

/* The steps, or those behind `reverse` if they are shorter, where the steps are not short. */
static accordi_step *find_either(accordi_finder *f)
{
    enum { LONG = 100 };
    accordi_step *steps = find_terms(f);
    size_t length = f->nomem ? 0 : accordi_steps_length(f, steps);
    if (length == 0 || (length <= LONG && accordi_steps_regular(steps)))
        return steps;
    accordi_step *reversed = find_reversed(f);
    bool better = !f->nomem && accordi_steps_length(f, reversed) < length;
    accordi_steps_free(better ? steps : reversed);
    return better ? reversed : steps;
}

static accordi_step *find_all(accordi_finder *f)
{
    accordi_step *steps = find_term_labels(f), *found = f->nomem ? NULL : find_either(f);
    if (!steps)
        return found;
    accordi_steps_last(steps)->next = found;
    return steps;
}

static enum accord_status write_found(const accord_tree *tree, const uint32_t *label, char **text,
                                      bool *regular, accord_error *error)
{
    accordi_finder f = {.tree = tree, .label = label, .steps = accordi_find_steps};
    accordi_buffer out = {0};
    accordi_step *steps = NULL;
    enum accord_status status =
        accordi_memory_check(tree->leaves * 60.0, "the notation of the tree", error);
    if (!status) {
        f.nomem = !open_finder(&f);
        steps = f.nomem ? NULL : find_all(&f);
        accordi_buffer_printf(&out, steps ? "%u: " : "%u", tree->leaves);
        accordi_steps_write(&out, steps);
        if (f.nomem || out.failed)
            status = accordi_nomem(error);
    }
    if (!status) {
        *regular = accordi_steps_regular(steps);
        *text = out.data;
    } else {
        accordi_buffer_clear(&out);
    }
    accordi_steps_free(steps);
    close_finder(&f);
    return status;
}

/* ---- held ---- */

static _Thread_local struct {
    const accord_tree *tree;
    char *text; /* NULL until it is asked for */
    bool regular;
} held;

bool accordi_notation_hold(const accord_tree *tree)
{
    if (!tree || held.tree)
        return false;
    held.tree = tree;
    return true;
}

void accordi_notation_let_go(void)
{
    free(held.text);
    held.text = NULL;
    held.tree = NULL;
}

static bool is_plain(const accord_tree *tree, const uint32_t *label)
{
    uint32_t nodes = label ? tree->leaves + tree->inner : 0, v = 0;
    while (v < nodes && label[v] == 0)
        v++;
    return v == nodes;
}

enum accord_status accord_notation_write(const accord_tree *tree, const uint32_t *label,
                                         char **text, bool *regular, accord_error *error)
{
    bool steps = false, holds = tree == held.tree && is_plain(tree, label);
    enum accord_status status = ACCORD_OK;
    if (!holds) {
        status = write_found(tree, label, text, &steps, error);
    } else {
        if (!held.text)
            status = write_found(tree, NULL, &held.text, &held.regular, error);
        steps = held.regular;
        if (!status && !(*text = accordi_strdup(held.text)))
            status = accordi_nomem(error);
    }
    if (!status && regular)
        *regular = steps;
    return status;
}
