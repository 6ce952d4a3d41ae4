/* Words for nodes that compute otherwise than the others. */
#include "reveal/prove/odd_nodes.h"

void accordi_name_flushes(const accord_tree *tree, const accordi_flushes *f,
                          accordi_certificate *out)
{
    static const char *const names[] = {"operands", "second factors", "products", "sums"};
    for (unsigned i = 0; i < sizeof names / sizeof *names && !*out->odd_node; i++) {
        size_t asked = 0, gone = 0;
        for (uint32_t k = 0; k < tree->inner; k++) {
            asked += (f->asked[k] | f->kept[k]) >> i & 1;
            gone += f->node[k] >> i & 1;
        }
        if (gone > 0 && gone < asked)
            snprintf(out->odd_node, sizeof out->odd_node,
                     "subnormal %s count as zero in %zu of %zu additions but not in the others",
                     names[i], gone, asked);
    }
}

static bool rounds_alike(const accord_operation *a, const accord_operation *b)
{
    return a->format == b->format && a->rounding == b->rounding && a->stored == b->stored;
}

enum { WORDS = 80 };

static const char *rounding_in_words(const accord_operation *op, char words[WORDS])
{
    static const char *const roundings[] = {"to nearest", "toward zero", "down", "up",
                                            "to nearest, ties away from zero"};
    bool stored = op->stored != ACCORD_F64;
    snprintf(words, WORDS, "%s%s%s, %s", accord_format_get(op->format)->name,
             stored ? " and then to " : "", stored ? accord_format_get(op->stored)->name : "",
             roundings[op->rounding]);
    return words;
}

/* Of an order that nothing explains: sums of more bits than models have, or as rounded as in no
 * format; of such nodes it is not known how they round. */
static void name_unknown_nodes(accordi_certificate *out)
{
    enum { MOST = 64 };
    if (*out->odd_node || !(out->findings.odd || out->findings.twice))
        return;
    if (out->findings.twice)
        snprintf(
            out->odd_node, sizeof out->odd_node,
            "%u of %u inner nodes round%s to 64 bits first, as x87 does where it stores each sum",
            out->findings.twice, out->findings.probed, out->findings.twice == 1 ? "s" : "");
    else if (out->accumulator_bits > MOST)
        snprintf(out->odd_node, sizeof out->odd_node,
                 "sums keep %d bits, which are more than the sums of any model have",
                 out->accumulator_bits);
    else
        snprintf(out->odd_node, sizeof out->odd_node,
                 "%u of %u inner nodes round%s as no format of models does", out->findings.odd,
                 out->findings.probed, out->findings.odd == 1 ? "s" : "");
}

void accordi_name_odd_node(const accord_tree *tree, const accord_arithmetic *found,
                           accordi_certificate *out)
{
    char odd[WORDS], most_do[WORDS];
    const accord_operation *usual = NULL;
    size_t most = 0;
    name_unknown_nodes(out);
    for (size_t i = 0; found && found->of_node && i < found->operations; i++) {
        const accord_operation *op = &found->operation[i];
        size_t same = 0;
        for (uint32_t k = 0; k < tree->inner; k++)
            same += rounds_alike(op, &found->operation[found->of_node[k]]);
        usual = same > most ? op : usual;
        most = same > most ? same : most;
    }
    bool agree = out->replays_agreed == out->replays; /* then something else is amiss */
    if (!usual || *out->odd_node || 2 * most <= tree->inner || agree)
        return;
    for (uint32_t k = 0; k < tree->inner && !*out->odd_node; k++) {
        const accord_operation *op = &found->operation[found->of_node[k]];
        if (!rounds_alike(op, usual))
            snprintf(out->odd_node, sizeof out->odd_node,
                     "inner node %u rounds differently from most nodes: to %s, whereas %zu of %u "
                     "nodes round to %s",
                     tree->leaves + k, rounding_in_words(op, odd), most, tree->inner,
                     rounding_in_words(usual, most_do));
    }
}
