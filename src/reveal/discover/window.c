/* Windows: terms that are 0 leave the order of the others as it is, so that a few neighboring terms
 * can be asked about alone.
 *
 * A window that begins before a border of the order and ends behind it says what changes there. In
 * the order of all terms before the border, every node has its share of the window; a node of the
 * window's tree that holds old terms stands for the nodes with that share, of which the uppermost
 * is taken: what comes later is added to what was summed before. This is a conjecture, and to be
 * verified. */
#include "reveal/discover/window.h"
#include "reveal/discover/split.h"

enum accord_status accordi_window_split(accordi_asker *asker, uint32_t from, uint32_t count,
                                        accord_tree **out)
{
    const char *stage = asker->stage;
    uint32_t *terms = accordi_ask_alloc(asker, count, sizeof *terms);
    *out = NULL;
    for (uint32_t i = 0; terms && i < count; i++)
        terms[i] = from + i;
    if (terms) {
        accordi_ask_only(asker, terms, count);
        if (accordi_split(asker, out) == ACCORD_UNABLE)
            asker->status = ACCORD_OK;
        accordi_ask_only(asker, NULL, 0);
    }
    asker->stage = stage;
    free(terms);
    return asker->status;
}

typedef struct joining {
    accordi_builder b;
    uint32_t *share; /* by node of the builder: its terms in the window, 0 for new nodes */
    uint32_t *image; /* by node of the window: the node that stands for it */
} joining;

/* The uppermost node with this one's share of the window. */
static uint32_t climb(const joining *j, uint32_t node)
{
    const uint32_t *parent = j->b.parent;
    while (parent[node] != ACCORD_TREE_NO_NODE && j->share[parent[node]] == j->share[node])
        node = parent[node];
    return node;
}

/* The node above both of two sums of old terms, or a new one over at least one sum of new terms. */
static uint32_t join_two(joining *j, uint32_t x, uint32_t y)
{
    bool old_x = j->share[x] > 0, old_y = j->share[y] > 0;
    x = old_x ? climb(j, x) : x;
    y = old_y ? climb(j, y) : y;
    if (old_x && old_y)
        return j->b.parent[x] == j->b.parent[y] ? j->b.parent[x] : ACCORD_TREE_NO_NODE;
    uint32_t below = old_x ? x : y;
    uint32_t node = accordi_builder_join(&j->b, below, old_x ? y : x);
    if (node != ACCORD_TREE_NO_NODE)
        j->share[node] = j->share[below];
    return node;
}

static bool join_window(joining *j, const accord_tree *window, uint32_t from)
{
    for (uint32_t i = 0; i < window->leaves; i++)
        j->image[i] = from + i;
    for (uint32_t k = 0; k < window->inner; k++) {
        const uint32_t *child = window->child + window->first[k];
        if (window->first[k + 1] - window->first[k] != 2)
            return false;
        uint32_t node = join_two(j, j->image[child[0]], j->image[child[1]]);
        if (node == ACCORD_TREE_NO_NODE)
            return false;
        j->image[window->leaves + k] = node;
    }
    return true;
}

enum accord_status accordi_window_join(accordi_asker *asker, const accord_tree *first,
                                       const accord_tree *window, uint32_t from, accord_tree **out)
{
    uint32_t n = from + window->leaves, m = first->leaves;
    joining j = {.share = accordi_ask_calloc(asker, 2 * (size_t)n, sizeof *j.share),
                 .image = accordi_ask_alloc(asker, 2 * (size_t)window->leaves, sizeof *j.image)};
    *out = NULL;
    if (!asker->status)
        asker->status = accordi_builder_init(&j.b, n, asker->error);
    if (!asker->status) {
        accordi_builder_copy(&j.b, first, 0);
        for (uint32_t i = from; i < m; i++)
            for (uint32_t v = i; v != ACCORD_TREE_NO_NODE; v = j.b.parent[v])
                j.share[v]++;
        if (join_window(&j, window, from) &&
            accordi_builder_finish(&j.b, out, asker->error) == ACCORD_NOMEM)
            asker->status = ACCORD_NOMEM;
    }
    free(j.b.parent);
    free(j.share);
    free(j.image);
    return asker->status;
}
