/* Orders in words: the command, the library and the Python package call an order by one name.
 *
 * A name stands for a maker of orders. The parameter that the maker would need (how many lanes, how
 * large a block) is read off the tree; then the maker makes its order, and only if both trees are
 * equal has the tree that name. So a name is never wrong, and what reads a parameter may be as
 * simple as it likes. Only trees of few shapes are compared, which regular orders are. */
#include "pattern/orders.h"
#include "pattern/pattern.h"

enum { MOST_SHAPES = 1000 };

/* What the maker would need to make this tree; 0 if it cannot. */
typedef size_t parameter_of(const accord_tree *tree);

static size_t no_parameter(const accord_tree *tree)
{
    (void)tree;
    return 1;
}

/* Leaf 0 is added to the next leaf of its lane first. */
static size_t lanes_of(const accord_tree *tree)
{
    uint32_t lanes = tree->child[1];
    return tree->child[0] == 0 && lanes > 1 && lanes < tree->leaves ? lanes : 0;
}

/* The first node that continues no chain begins the second block. */
static size_t block_of(const accord_tree *tree)
{
    for (uint32_t k = 1; k < tree->inner; k++) {
        uint32_t first = tree->child[tree->first[k]];
        if (first < tree->leaves)
            return first;
    }
    return 0;
}

/* The first sum has terms alone. */
static size_t terms_of_step(const accord_tree *tree)
{
    bool binary = tree->inner + 1 == tree->leaves;
    return binary ? 0 : tree->first[1];
}

static const struct name {
    accordi_order_maker *make;
    const char *fold;
    parameter_of *parameter;
    const char *words; /* %zu: the parameter */
} names[] = {
    {accordi_order_sequential, NULL, no_parameter, "sequential"},
    {accordi_order_reverse, NULL, no_parameter, "sequential from the last term"},
    {accordi_order_pairwise, NULL, no_parameter, "pairwise by halves"},
    {accordi_order_pairwise_up, NULL, no_parameter, "pairwise by halves, the larger half first"},
    {accordi_order_adjacent, NULL, no_parameter, "pairwise by neighbours"},
    {accordi_order_lanes, "halves", lanes_of, "%zu lanes, folded by halves"},
    {accordi_order_lanes, "pairwise", lanes_of, "%zu lanes, folded by neighbours"},
    {accordi_order_lanes, "sequential", lanes_of, "%zu lanes, folded one by one"},
    {accordi_order_numpy, NULL, no_parameter, "as NumPy's pairwise sum"},
    {accordi_order_blocks, NULL, block_of, "blocks of %zu terms, one after the other"},
    {accordi_order_fused, NULL, terms_of_step, "fused sums of %zu terms, one after the other"},
};

static bool has_name(const struct name *name, const accord_tree *tree, size_t parameter)
{
    accord_tree *other = NULL;
    bool same = accordi_order_make(name->make, tree->leaves, parameter, name->fold, NULL, &other,
                                   NULL) == ACCORD_OK &&
                accord_tree_equal(tree, other);
    accord_tree_free(other);
    return same;
}

static void write_words(const struct name *name, size_t parameter, char *text)
{
    const char *number = strstr(name->words, "%zu");
    if (parameter == 2 && name->parameter == lanes_of) /* which fold in one way */
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "2 lanes");
    else if (number)
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "%.*s%zu%s", (int)(number - name->words),
                 name->words, parameter, number + 3);
    else
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "%s", name->words);
}

static bool write_name(const accord_tree *tree, char *text)
{
    accord_pattern *pattern = NULL;
    bool found = false;
    if (accord_pattern_of(tree, &pattern, NULL) != ACCORD_OK)
        return false;
    bool regular = accord_pattern_nodes(pattern) < MOST_SHAPES;
    for (size_t i = 0; regular && !found && i < sizeof names / sizeof *names; i++) {
        size_t parameter = names[i].parameter(tree);
        found = parameter > 0 && has_name(&names[i], tree, parameter);
        if (found)
            write_words(&names[i], parameter, text);
    }
    accord_pattern_free(pattern);
    return found;
}

static void write_measures(const accord_tree *tree, char *text)
{
    bool binary = tree->inner + 1 == tree->leaves;
    const char *sums = binary ? "additions" : "sums, some fused";
    accord_order_measures m;
    if (accord_order_measure(tree, &m, NULL) == ACCORD_OK)
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "%u %s, %u deep", tree->inner, sums, m.depth);
    else
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "%u %s", tree->inner, sums);
}

void accord_order_words(const accord_tree *tree, char text[ACCORD_ORDER_WORDS_SIZE])
{
    if (tree->inner == 0)
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "one term");
    else if (tree->inner == 1)
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "one %s",
                 tree->leaves == 2 ? "addition" : "fused sum");
    else if (!write_name(tree, text))
        write_measures(tree, text);
}
