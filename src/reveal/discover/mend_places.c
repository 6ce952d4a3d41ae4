/* Takes clades out of a tree, and finds where the target has them.
 *
 * With masks at two terms and units at all others, the units that remain count what is outside of
 * the least clade with both. So one count says whether a clade of the tree is one of the target's,
 * if nothing else in it is elsewhere. For a clade that was taken out, the count for one of its
 * terms and another term says at which of the nodes above the latter it joins: it is added onto
 * that node, or onto something under the child that does not have that term. The other term is
 * found by going into the larger child at each node, so that each count leaves at most half of the
 * terms. */
#include "reveal/discover/mend.h"

/* Makes all terms of a clade that is out of the forest 0. Returns how many it has; *masks becomes
 * greater by how many of a and b. */
static uint32_t silence(accordi_mending *m, uint32_t node, uint32_t a, uint32_t b, uint32_t *masks)
{
    const accordi_forest *f = &m->forest;
    uint32_t *stack = m->room + f->leaves, held = 1;
    stack[0] = node;
    while (held > 0) {
        uint32_t v = stack[--held];
        if (v < f->leaves) {
            accordi_ask_stay(m->asker, v, 0);
            *masks += v == a || v == b;
            continue;
        }
        stack[held++] = f->child[v - f->leaves][0];
        stack[held++] = f->child[v - f->leaves][1];
    }
    return accordi_forest_size(f, node);
}

/* The weight of the least clade with both terms, of which the second may be out of the forest. */
static uint32_t count_clade(accordi_mending *m, uint32_t a, uint32_t b)
{
    accordi_asker *asker = m->asker;
    uint32_t all = m->forest.leaves, extra = 0;
    uint64_t units = 0;
    accordi_ask_begin(asker, asker->unit);
    for (size_t i = 0; i < m->moves; i++)
        all -= silence(m, m->moved[i].node, a, b, &extra);
    accordi_ask_masks(asker, a, b);
    if (!accordi_ask_run(asker))
        accordi_ask_decode(asker, asker->result[0], &units);
    return units > all ? 0 : (uint32_t)(all - units) + extra;
}

static uint32_t any_leaf(const accordi_forest *f, uint32_t node)
{
    while (node >= f->leaves) {
        const uint32_t *child = f->child[node - f->leaves];
        node = child[accordi_forest_size(f, child[1]) > accordi_forest_size(f, child[0])];
    }
    return node;
}

enum accord_status accordi_mend_take_stock(accordi_mending *m)
{
    accord_tree_free(m->rest);
    m->rest = NULL;
    return accordi_forest_tree(m->asker, &m->forest, m->terms, &m->rest);
}

/* ---- out ---- */

static bool is_clade(accordi_mending *m, const uint32_t *path, uint32_t k, uint32_t leaf)
{
    const accordi_forest *f = &m->forest;
    uint32_t other = any_leaf(f, accordi_forest_sibling(f, path[k - 1]));
    return count_clade(m, leaf, other) == accordi_forest_size(f, path[k]);
}

/* The greatest clade with a leaf that is one of the target's, too, of those on the way up to `top`:
 * the uppermost, or one that halving finds. */
static uint32_t greatest_clade(accordi_mending *m, uint32_t leaf, uint32_t top)
{
    uint32_t *path = m->room, count = 0, low = 0;
    for (uint32_t v = leaf; v != top; v = m->forest.parent[v])
        path[count++] = v;
    path[count++] = top;
    uint32_t high = count;
    for (uint32_t k = count - 1; low + 1 < high && !m->asker->status; k = low + (high - low) / 2)
        *(k == 0 || is_clade(m, path, k, leaf) ? &low : &high) = k;
    return path[low];
}

/* The uppermost node above each term that is above none of the others. */
static enum accord_status find_tops(accordi_mending *m, const uint32_t *term, uint32_t count,
                                    uint32_t *top)
{
    const accordi_forest *f = &m->forest;
    uint8_t *above = accordi_ask_calloc(m->asker, 2 * (size_t)f->leaves - 1, 1);
    for (uint32_t i = 0; i < count && above; i++)
        for (uint32_t v = term[i]; v != ACCORD_TREE_NO_NODE; v = f->parent[v])
            above[v]++;
    for (uint32_t i = 0; i < count && above; i++) {
        top[i] = term[i];
        while (above[f->parent[top[i]]] == 1)
            top[i] = f->parent[top[i]];
    }
    free(above);
    return m->asker->status;
}

enum accord_status accordi_mend_take_out(accordi_mending *m, const uint32_t *term, uint32_t count)
{
    accordi_asker *asker = m->asker;
    uint32_t node[ACCORDI_SUSPECTS];
    if (!accordi_ask_grow(asker, (void **)&m->moved, &m->move_room, m->moves + count,
                          sizeof *m->moved) ||
        find_tops(m, term, count, node))
        return asker->status;
    for (uint32_t i = 0; i < count; i++)
        node[i] = greatest_clade(m, term[i], node[i]);
    for (uint32_t i = 0; i < count && !asker->status && node[i] != m->forest.root; i++)
        m->moved[m->moves++] =
            (accordi_moved){node[i], accordi_forest_prune(&m->forest, node[i]), term[i]};
    return asker->status;
}

/* ---- back ---- */

/* The node onto which a clade is added; NO_NODE: the answers fit none. Unless this is to be
 * `exact`, the next greater one is taken then. */
static uint32_t find_place(accordi_mending *m, uint32_t leaf, bool exact)
{
    const accordi_forest *f = &m->forest;
    uint32_t below = f->root, above = ACCORD_TREE_NO_NODE;
    while (!m->asker->status) {
        uint32_t node = any_leaf(f, below), size = count_clade(m, node, leaf) - 1, last = node;
        while (node != above && node != f->root && accordi_forest_size(f, node) < size) {
            last = node;
            node = f->parent[node];
        }
        if (exact && accordi_forest_size(f, node) != size)
            return ACCORD_TREE_NO_NODE;
        if (node == above || node == last)
            return node;
        below = accordi_forest_sibling(f, last);
        above = node;
    }
    return ACCORD_TREE_NO_NODE;
}

/* Those with a place are put back first: others may be added onto them. If there is none for any,
 * something else is wrong, too, and one goes near to where it should. */
enum accord_status accordi_mend_put_back(accordi_mending *m)
{
    for (size_t i = 0, failed = 0; m->moves && !m->asker->status;) {
        accordi_moved *moved = &m->moved[i];
        uint32_t at = find_place(m, moved->leaf, failed < m->moves);
        if (at == ACCORD_TREE_NO_NODE) {
            failed++;
            i = (i + 1) % m->moves;
            continue;
        }
        accordi_forest_graft(&m->forest, moved->node, moved->spare, at);
        *moved = m->moved[--m->moves];
        failed = 0;
        i = i < m->moves ? i : 0;
    }
    return m->asker->status ? m->asker->status : accordi_mend_take_stock(m);
}
