/* Mends a conjectured order that is wrong about few terms.
 *
 * In: a binary tree that some of the target's answers contradict. Out: a tree that they do not, if
 * a few clades of the first one stand elsewhere in the target's order: single terms that were
 * displaced or exchanged, or whole blocks.
 *
 * Idea: terms that are 0 leave the order of the others as it is, so the order of any terms can be
 * asked about alone. A sum that is not what the tree gives (mend_rounds.c) is cut down to a handful
 * of terms (mend_ties.c), whose order is found by splitting and compared with the tree, which has
 * three of them in another order. One of any such three must be moved, whichever way the tree is
 * mended. So all three are taken out, each with as much around it as is a clade in both orders,
 * until what is left is the target's. Then each clade is put back where the target has it
 * (mend_places.c). Other terms may be wrong inside of what was taken out, so all begins again until
 * nothing is found.
 *
 * Bound: log2 n calls for each term of the handful, which are three to ten, and for each clade that
 * is put back, and what it takes to meet a sum that is wrong. A tree that needs more than
 * MOST_CALLS is given up. */
#include "reveal/discover/mend.h"
#include "reveal/discover/split.h"
#include "tree/tree.h"

enum { LEAST_TERMS = 24, FIRST_ROWS = 400, ROWS = 24, BASE_CALLS = 400, TERMS_A_CALL = 4 };
enum { MOST_CALLS = 6000, MOST_MOVED = 48 };

/* Which of three terms is added last: 0, 1 or 2. */
static int last_of(const uint32_t *parent, const uint32_t three[3])
{
    uint32_t above[3];
    for (int i = 0; i < 3; i++)
        above[i] = accordi_tree_common(parent, three[(i + 1) % 3], three[(i + 2) % 3]);
    return above[0] < above[1] ? 0 : above[1] < above[2] ? 1 : 2;
}

/* The order of a few of the target's terms; NULL unless it is one of additions. */
static accord_tree *find_order(accordi_asker *asker, const uint32_t *term, uint32_t count)
{
    accord_tree *tree = NULL;
    accordi_ask_only(asker, term, count);
    accordi_split(asker, &tree);
    accordi_ask_only(asker, NULL, 0);
    asker->stage = "mending";
    if (tree && tree->inner + 1 == tree->leaves)
        return tree;
    accord_tree_free(tree);
    return NULL;
}

static bool is_left(const accordi_forest *f, uint32_t term)
{
    uint32_t v = term;
    while (f->parent[v] != ACCORD_TREE_NO_NODE)
        v = f->parent[v];
    return v == f->root;
}

/* Takes out any three of some terms that the tree has in another order than the target; `parent`
 * are those of the two orders. Of a clade that is elsewhere there may be more of these terms than
 * one, but not among three. Returns how many it took out. */
static uint32_t take_out_threes(accordi_mending *m, const uint32_t *term, uint32_t count,
                                uint32_t parent[2][2 * ACCORDI_SUSPECTS])
{
    uint32_t three[3], found = 0;
    bool left[ACCORDI_SUSPECTS];
    for (uint32_t i = 0; i < count; i++)
        left[i] = true;
    for (three[0] = 0; three[0] < count; three[0]++)
        for (three[1] = three[0] + 1; three[1] < count; three[1]++)
            for (three[2] = three[1] + 1; three[2] < count; three[2]++) {
                const uint32_t named[3] = {term[three[0]], term[three[1]], term[three[2]]};
                if (!left[three[0]] || !left[three[1]] || !left[three[2]] ||
                    last_of(parent[0], three) == last_of(parent[1], three))
                    continue;
                if (accordi_mend_take_out(m, named, 3))
                    return 0;
                for (uint32_t i = 0; i < count; i++)
                    left[i] = is_left(&m->forest, term[i]);
                found++;
            }
    return found;
}

/* Of the suspects those go that the tree has wrong. Returns how many times three did. */
static uint32_t take_out_wrong(accordi_mending *m, const uint32_t *suspect, uint32_t count)
{
    uint32_t term[ACCORDI_SUSPECTS], parent[2][2 * ACCORDI_SUSPECTS], found = 0;
    accord_tree *by_tree = NULL, *by_target = NULL;
    for (uint32_t i = 0; i < count; i++)
        term[i] = m->terms[suspect[i]];
    if (count >= 3 && (by_target = find_order(m->asker, term, count)) != NULL)
        m->asker->status = accord_tree_restrict(m->rest, count, suspect, &by_tree, m->asker->error);
    if (by_tree) {
        accord_tree_parents(by_tree, parent[0]);
        accord_tree_parents(by_target, parent[1]);
        found = take_out_threes(m, term, count, parent);
    }
    accord_tree_free(by_tree);
    accord_tree_free(by_target);
    return found;
}

/* What is wrong is taken out until no sum of the rest is; then it is put back. False if that
 * cannot be done. */
static bool mend_once(accordi_mending *m, uint64_t most_calls)
{
    for (bool wrong = true; wrong;) {
        uint32_t suspect[ACCORDI_SUSPECTS], count;
        if (m->asker->target->calls > most_calls || m->moves > MOST_MOVED ||
            !(count = accordi_mend_shrink(m, suspect)) || !take_out_wrong(m, suspect, count) ||
            accordi_mend_take_stock(m) || accordi_mend_test(m, ROWS, &wrong))
            return false;
    }
    return !accordi_mend_put_back(m);
}

static bool init_mending(accordi_mending *m, const accord_tree *tree)
{
    accordi_asker *asker = m->asker;
    size_t n = tree->leaves;
    if (accordi_forest_init(asker, tree, &m->forest))
        return false;
    m->terms = accordi_ask_alloc(asker, n, sizeof *m->terms);
    m->room = accordi_ask_alloc(asker, 2 * n, sizeof *m->room);
    m->term = accordi_ask_alloc(asker, n, sizeof *m->term);
    return !asker->status && !accordi_forest_tree(asker, &m->forest, m->terms, &m->rest);
}

static void clear_mending(accordi_mending *m)
{
    accordi_forest_clear(&m->forest);
    accord_tree_free(m->rest);
    free(m->terms);
    free(m->room);
    free(m->term);
    free(m->sum.clade);
    free(m->begun.clade);
    free(m->moved);
}

/* True once no sum is wrong any more, but some was. */
static bool mend_all(accordi_mending *m)
{
    uint32_t n = m->forest.leaves, spare = BASE_CALLS + n / TERMS_A_CALL;
    uint64_t most = m->asker->target->calls + (spare < MOST_CALLS ? spare : MOST_CALLS);
    bool wrong = false, mended = false;
    while (!accordi_mend_test(m, mended ? ROWS : FIRST_ROWS, &wrong) && wrong) {
        if (!mend_once(m, most))
            return false;
        mended = true;
    }
    return mended && !m->asker->status;
}

enum accord_status accordi_mend(accordi_asker *asker, const accord_tree *tree, accord_tree **out)
{
    accordi_mending m = {.asker = asker};
    accord_error *error = asker->error, contradiction = {.status = ACCORD_OK};
    *out = NULL;
    if (tree->leaves < LEAST_TERMS || tree->inner + 1 != tree->leaves ||
        asker->n - 2 > accordi_ask_capacity(asker) || !accordi_mend_suits(&m))
        return asker->status;
    asker->stage = "mending";
    asker->error = &contradiction;
    if (init_mending(&m, tree) && mend_all(&m)) {
        *out = m.rest;
        m.rest = NULL;
    }
    clear_mending(&m);
    asker->error = error;
    if (asker->status == ACCORD_UNABLE)
        asker->status = ACCORD_OK;
    else if (asker->status)
        *error = contradiction;
    return asker->status;
}
