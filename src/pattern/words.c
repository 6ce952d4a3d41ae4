/* Orders in words: the command, the library and the Python package call an order by one name.
 *
 * A name stands for a notation. The parameter in it (how many lanes, how large a block) is read off
 * the tree; then the tree of the notation is made, and only if both trees are equal has the tree
 * that name. So a name is never wrong, and the function that reads a parameter may be simple. Only
 * trees of few shapes are compared, which regular orders are. An order without a name, of few
 * shapes or not too many terms, is described step by step (sentence.c), if its notation has no
 * brackets for the whole list and the words are not too many. */
#include "pattern/notation.h"
#include "pattern/pattern.h"

enum { MOST_SHAPES = 1000, MOST_TERMS = 1 << 16 };

/* The parameter of the notation, where a glance does not exclude that it is one of this tree; 0 if
 * it is not; 1 if it has no parameter. The tree has two nodes at least. */
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
    parameter_of *parameter;
    const char *words;    /* %zu: the parameter */
    const char *notation; /* of the order, after the number of terms; likewise */
} names[] = {
    {from_first, "sequential", "chain"},
    {from_last, "sequential from the last term", "chain back"},
    {halves, "pairwise by halves", "split"},
    {halves_up, "pairwise by halves, the larger half first", "split up"},
    {neighbors, "pairwise by neighbors", "pairs"},
    {lanes_of, "%zu lanes, folded by halves", "lanes %zu; halves"},
    {lanes_of, "%zu lanes, folded by neighbors", "lanes %zu; pairs"},
    {lanes_one_by_one, "%zu lanes, folded one by one", "lanes %zu; chain"},
    {halves_of_eights, "as NumPy's pairwise sum",
     "split to 128 by 8 ((lanes 8; pairs) of 8s; chain)"},
    {block_of, "blocks of %zu terms, one after the other", "chain in %zus; chain"},
    {terms_of_step, "fused sums of %zu terms, one after the other", "fuse %zu"},
};

/* Puts the parameter where the text has %zu. */
static void put_parameter(accordi_buffer *out, const char *text, size_t parameter)
{
    const char *number = strstr(text, "%zu");
    if (number)
        accordi_buffer_printf(out, "%.*s%zu%s", (int)(number - text), text, parameter, number + 3);
    else
        accordi_buffer_puts(out, text);
}

static bool has_name(const struct name *name, const accord_tree *tree, size_t parameter)
{
    accord_tree *other = NULL;
    accordi_buffer text = {0};
    accordi_buffer_printf(&text, "%u: ", tree->leaves);
    put_parameter(&text, name->notation, parameter);
    bool same = !text.failed &&
                accord_notation_parse(text.data, &other, NULL, NULL, NULL) == ACCORD_OK &&
                accord_tree_equal(tree, other);
    accord_tree_free(other);
    accordi_buffer_clear(&text);
    return same;
}

static void write_words(const struct name *name, size_t parameter, char *text)
{
    accordi_buffer words = {0};
    if (parameter == 2 && name->parameter == lanes_of) /* which fold in one way */
        accordi_buffer_puts(&words, "2 lanes");
    else
        put_parameter(&words, name->words, parameter);
    snprintf(text, ACCORD_ORDER_WORDS_SIZE, "%s", words.failed ? "" : words.data);
    accordi_buffer_clear(&words);
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
    return found || ((regular || tree->leaves <= MOST_TERMS) && accordi_write_sentence(tree, text));
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
