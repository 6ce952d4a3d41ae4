/* The textbook names of an order: all algorithms of collective operations that add in it.
 *
 * With few ranks, several algorithms have the same order. With four ranks, recursive doubling, a
 * binomial tree and a sum in nodes of two do. So each algorithm is run with each parameter that is
 * usual, and its tree is compared; a name that stands alone is the only one in this list that
 * fits. */
#include "pattern/orders.h"
#include <accord/pattern.h>

enum { MOST_RANKS = 4096, FEW_RANKS = 1024, MOST_COUNT = 64, EVERY_UP_TO = 16 };

/* Whether an algorithm is run with this parameter. */
typedef bool is_usual(const accord_tree *tree, size_t parameter);

/* All of a few; of many the small ones and powers of two. */
static bool usual_count(const accord_tree *tree, size_t count)
{
    return count <= EVERY_UP_TO || tree->leaves <= FEW_RANKS || (count & (count - 1)) == 0;
}

/* More than one rank in a node, and more than one node. */
static bool usual_node(const accord_tree *tree, size_t ranks)
{
    return ranks < tree->leaves && usual_count(tree, ranks);
}

/* A ring begins at one of the two ranks that are added first, which are those of its first node. */
static bool usual_start(const accord_tree *tree, size_t rank)
{
    return rank < tree->leaves && (tree->child[0] == rank || tree->child[1] == rank);
}

static const struct {
    const char *name; /* with the parameter in %zu */
    accordi_order_maker *make;
    size_t least;
    is_usual *usual; /* NULL: there is no parameter */
} textbook[] = {
    {"linear", accordi_order_sequential, 0, NULL},
    {"linear from the last rank", accordi_order_reverse, 0, NULL},
    {"recursive doubling or Rabenseifner", accordi_order_recursive_doubling, 0, NULL},
    {"recursive halving", accordi_order_recursive_halving, 0, NULL},
    {"ring upward from rank %zu", accordi_order_ring, 0, usual_start},
    {"ring downward from rank %zu", accordi_order_ring_down, 0, usual_start},
    {"%zu chains of ranks", accordi_order_chain, 2, usual_count},
    {"binary tree", accordi_order_binary, 0, NULL},
    {"in-order binary tree", accordi_order_in_order_binary, 0, NULL},
    {"binomial tree", accordi_order_binomial, 0, NULL},
    {"%zu-nomial tree", accordi_order_k_nomial, 3, usual_count},
    {"tree of %zu children a rank", accordi_order_k_ary, 2, usual_count},
    {"recursive doubling in nodes of %zu ranks, then over them", accordi_order_hierarchical, 2,
     usual_node},
    {"recursive doubling in %zu nodes that take ranks in turn, then over them",
     accordi_order_hierarchical_cyclic, 2, usual_node},
    {"NCCL's tree", accordi_order_nccl_tree, 0, NULL},
    {"NCCL's second tree", accordi_order_nccl_second_tree, 0, NULL},
};
enum { NAMES = sizeof textbook / sizeof *textbook };

static enum accord_status try_name(const accord_tree *tree, size_t i, size_t parameter,
                                   accordi_buffer *out, accord_error *error)
{
    accord_tree *made = NULL;
    enum accord_status status =
        accordi_order_make(textbook[i].make, tree->leaves, parameter, NULL, NULL, &made, error);
    if (!status && accord_tree_equal(made, tree)) {
        accordi_buffer_puts(out, out->length ? "\n" : "");
        accordi_buffer_printf(out, textbook[i].name, parameter);
    }
    accord_tree_free(made);
    return status;
}

/* With each parameter. */
static enum accord_status try_names(const accord_tree *tree, size_t i, accordi_buffer *out,
                                    accord_error *error)
{
    is_usual *usual = textbook[i].usual;
    enum accord_status status = ACCORD_OK;
    if (!usual)
        return try_name(tree, i, 0, out, error);
    size_t most =
        usual == usual_start || tree->leaves <= MOST_COUNT ? tree->leaves - 1 : MOST_COUNT;
    for (size_t p = textbook[i].least; p <= most && !status; p++)
        if (usual(tree, p))
            status = try_name(tree, i, p, out, error);
    return status;
}

enum accord_status accord_order_names(const accord_tree *tree, char **text, accord_error *error)
{
    accordi_buffer out = {0};
    enum accord_status status = ACCORD_OK;
    bool suits = tree->leaves > 2 && tree->leaves <= MOST_RANKS && tree->inner + 1 == tree->leaves;
    accordi_buffer_append(&out, "", 0);
    for (size_t i = 0; i < NAMES && suits && !status; i++)
        status = try_names(tree, i, &out, error);
    if (!status && out.failed)
        status = accordi_nomem(error);
    if (status)
        accordi_buffer_clear(&out);
    else
        *text = out.data;
    return status;
}
