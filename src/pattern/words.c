/* Orders in words: the command, the library and the Python package call an order by one name.
 *
 * A name stands for a maker of orders. The parameter that the maker would need (how many lanes, how
 * large a block) is read off the tree; then the maker makes its order, and only if both trees are
 * equal has the tree that name. So a name is never wrong, and what reads a parameter may be as
 * simple as it likes. Only trees of few shapes are compared, which regular orders are. */
#include "pattern/orders.h"
#include "pattern/pattern.h"

enum { MOST_SHAPES = 1000 };

/* What the maker would need to make this tree, where a glance does not exclude that it can; 0 if
 * it cannot; 1 if it needs nothing. The tree has two nodes at least. */
typedef size_t parameter_of(const accord_tree *tree);

static bool is_binary_tree(const accord_tree *tree)
{
    return tree->inner + 1 == tree->leaves;
}

/* The leaves under the first operand of the root of a binary tree: its nodes are the first ones. */
static size_t first_part(const accord_tree *tree)
{
    uint32_t node = tree->child[tree->first[tree->inner - 1]];
    return node < tree->leaves ? 1 : (size_t)node - tree->leaves + 2;
}

static size_t splits_at(const accord_tree *tree, size_t first)
{
    return is_binary_tree(tree) && first_part(tree) == first;
}

static size_t from_first(const accord_tree *tree)
{
    return splits_at(tree, (size_t)tree->leaves - 1);
}

static size_t from_last(const accord_tree *tree)
{
    return splits_at(tree, 1);
}

static size_t halves(const accord_tree *tree)
{
    return splits_at(tree, tree->leaves / 2);
}

static size_t halves_up(const accord_tree *tree)
{
    return splits_at(tree, tree->leaves - tree->leaves / 2);
}

static size_t neighbors(const accord_tree *tree)
{
    size_t power = 1;
    while (2 * power < tree->leaves)
        power *= 2;
    return splits_at(tree, power);
}

static size_t halves_of_eights(const accord_tree *tree)
{
    uint32_t half = tree->leaves / 2;
    return tree->leaves <= 128 ? is_binary_tree(tree) : splits_at(tree, half - half % 8);
}

/* Leaf 0 is added to the next leaf of its lane first, and goes on to the last one. */
static size_t lanes_of(const accord_tree *tree)
{
    uint32_t n = tree->leaves, lanes = tree->child[1], k = 1;
    if (!is_binary_tree(tree) || tree->child[0] != 0 || lanes < 2 || lanes >= n)
        return 0;
    while (k < tree->inner && tree->child[2 * k] == n + k - 1 &&
           tree->child[2 * k + 1] == (k + 1) * (uint64_t)lanes)
        k++;
    return k == (n - 1) / lanes ? lanes : 0;
}

static size_t lanes_one_by_one(const accord_tree *tree)
{
    size_t lanes = lanes_of(tree);
    return lanes && first_part(tree) == tree->leaves - tree->leaves / lanes ? lanes : 0;
}

/* The first node that continues no chain begins the second block. */
static size_t block_of(const accord_tree *tree)
{
    uint32_t k = 1;
    while (k < tree->inner && tree->child[tree->first[k]] >= tree->leaves)
        k++;
    size_t block = k < tree->inner ? tree->child[tree->first[k]] : 0;
    return block && splits_at(tree, (tree->leaves - 1) / block * block) ? block : 0;
}

/* The first sum has terms alone. */
static size_t terms_of_step(const accord_tree *tree)
{
    return is_binary_tree(tree) ? 0 : tree->first[1];
}

static const struct name {
    accordi_order_maker *make;
    const char *fold;
    parameter_of *parameter;
    const char *words; /* %zu: the parameter */
} names[] = {
    {accordi_order_sequential, NULL, from_first, "sequential"},
    {accordi_order_reverse, NULL, from_last, "sequential from the last term"},
    {accordi_order_pairwise, NULL, halves, "pairwise by halves"},
    {accordi_order_pairwise_up, NULL, halves_up, "pairwise by halves, the larger half first"},
    {accordi_order_adjacent, NULL, neighbors, "pairwise by neighbors"},
    {accordi_order_lanes, "halves", lanes_of, "%zu lanes, folded by halves"},
    {accordi_order_lanes, "pairwise", lanes_of, "%zu lanes, folded by neighbors"},
    {accordi_order_lanes, "sequential", lanes_one_by_one, "%zu lanes, folded one by one"},
    {accordi_order_numpy, NULL, halves_of_eights, "as NumPy's pairwise sum"},
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
    if (accord_pattern_of(tree, NULL, &pattern, NULL) != ACCORD_OK)
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

/* "1 addition", "2 additions"; nothing where there are none. */
static void put_number(char text[32], uint32_t count, const char *thing)
{
    char number[ACCORDI_GROUPED];
    accordi_put_count(number, count); /* 32 bits: at most 13 characters */
    text[0] = '\0';
    if (count)
        snprintf(text, 32, "%.13s %s%s", number, thing, count > 1 ? "s" : "");
}

void accordi_put_measures(char text[ACCORD_ORDER_WORDS_SIZE], const accord_order_measures *m)
{
    char additions[32], fused[32], operands[32], depth[ACCORDI_GROUPED];
    put_number(additions, m->additions, "addition");
    put_number(fused, m->fused, "fused sum");
    put_number(operands, m->fused ? m->widest : 0, "operand");
    accordi_put_count(depth, m->depth);
    snprintf(text, ACCORD_ORDER_WORDS_SIZE, "%s%s%s%s%s%s%s", additions,
             m->additions && m->fused ? " and " : "", fused, m->fused ? " with up to " : "",
             operands, m->depth > 1 ? ", depth " : "", m->depth > 1 ? depth : "");
}

static void write_measures(const accord_tree *tree, char *text)
{
    accord_order_measures m;
    if (accord_order_measure(tree, &m, NULL) == ACCORD_OK)
        accordi_put_measures(text, &m);
    else
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "%u sums", tree->inner);
}

bool accord_order_words(const accord_tree *tree, char text[ACCORD_ORDER_WORDS_SIZE])
{
    if (tree->inner == 0)
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "one term");
    else if (tree->inner == 1)
        snprintf(text, ACCORD_ORDER_WORDS_SIZE, "one %s",
                 is_binary_tree(tree) ? "addition" : "fused sum");
    else if (!write_name(tree, text)) {
        write_measures(tree, text);
        return false;
    }
    return true;
}
