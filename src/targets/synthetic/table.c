/* The table of synthetic orders, whose answers are known: a row adds one. */
#include "targets/synthetic/synthetic.h"

/* A tree that `make_` makes; the same with a number in the notation, at least this and usually
 * that. */
#define ORDER(name_, about_, make_)                                                                \
    {                                                                                              \
        .name = name_, .about = about_, .plain = true, .make = accordi_order_##make_               \
    }
#define ORDER_OF(name_, about_, make_, least_, usual_)                                             \
    {                                                                                              \
        .name = name_, .about = about_, .plain = true, .make = accordi_order_##make_,              \
        .kind = ACCORDI_ARGUMENT_NUMBER, .least = least_, .usual = usual_                          \
    }
/* A function that is no fixed tree; the same with a term in the notation. */
#define SUM(name_, about_, sum_)                                                                   \
    {                                                                                              \
        .name = name_, .about = about_, .sum = accordi_sum_##sum_                                  \
    }
#define SUM_OF_TERM(name_, about_, sum_)                                                           \
    {                                                                                              \
        .name = name_, .about = about_, .sum = accordi_sum_##sum_, .kind = ACCORDI_ARGUMENT_TERM   \
    }
static const accordi_synthetic_row rows[] = {
    ORDER("sequential", "one after the other", sequential),
    ORDER("reverse", "one after the other, from the last to the first", reverse),
    ORDER("pairwise", "the sum of two halves, the first of floor(n/2) terms", pairwise),
    ORDER("adjacent", "neighbors, then neighboring sums; an odd one waits for the next round",
          adjacent),
    ORDER_OF("lanes", "W strided lanes, which are then folded (,fold=halves|pairwise|sequential)",
             lanes, 1, 8),
    ORDER_OF("blocks", "blocks summed one after the other, then their sums", blocks, 1, 128),
    ORDER("numpy", "NumPy's pairwise sum: halves down to 128, eight lanes below", numpy),
    ORDER("caterpillar", "one after the other in a random order (seeded)", caterpillar),
    ORDER("yule", "a random tree: a random order cut at random places (seeded)", yule),
    ORDER("uniform", "a random tree, drawn from all trees with equal probability (seeded)",
          uniform),
    ORDER_OF("multiway", "a random tree of fused sums of 2 … W children (seeded)", multiway, 2, 8),
    ORDER_OF("fused", "a chain of fused sums: W terms and the sum so far", fused, 1, 16),
    ORDER("star", "one fused sum of all terms", star),
    ORDER("recursive-doubling", "MPI: ranks at distance 1, then 2, 4, …; Rabenseifner's too",
          recursive_doubling),
    ORDER("recursive-halving", "MPI: ranks at half the distance first", recursive_halving),
    ORDER_OF("ring", "around the ranks upward, from rank W on", ring, 0, 0),
    ORDER_OF("ring-down", "around the ranks downward, from rank W on", ring_down, 0, 0),
    ORDER_OF("chain", "MPI: rank 0 adds the sums of W chains of ranks", chain, 1, 4),
    ORDER("binary", "MPI: a binary tree of ranks, children in order", binary),
    ORDER("in-order-binary", "MPI: a binary tree that keeps the ranks in order", in_order_binary),
    ORDER("binomial", "MPI: a binomial tree", binomial),
    ORDER_OF("k-nomial", "MPI: a binomial tree with W parts in place of two", k_nomial, 2, 4),
    ORDER_OF("k-ary", "MPI: each rank adds the sums of W others", k_ary, 1, 4),
    ORDER_OF("hierarchical", "recursive doubling in nodes of W ranks, then over them", hierarchical,
             1, 8),
    ORDER_OF("hierarchical-cyclic", "the same with ranks dealt out to W nodes in turn",
             hierarchical_cyclic, 1, 2),
    ORDER("nccl-tree", "NCCL's tree over nodes of one rank", nccl_tree),
    ORDER("nccl-second-tree", "the other tree of NCCL's pair", nccl_second_tree),
    {.name = "wide",
     .about = "one after the other in a wider accumulator, then rounded",
     .plain = true,
     .make = accordi_order_sequential,
     .wider = true},
    {.name = "mean",
     .about = "one after the other, then divided by n",
     .plain = true,
     .make = accordi_order_sequential,
     .mean = true},
    SUM("kahan", "compensated (Kahan)", kahan),
    SUM("neumaier", "compensated (Neumaier)", neumaier),
    SUM("exact", "the exact sum, rounded once", exact),
    SUM("sorted", "ascending by value", sorted),
    SUM("sorted-magnitude", "ascending by magnitude", sorted_magnitude),
    SUM("shuffled", "a new random order at each call", shuffled),
    SUM_OF_TERM("lost", "one after the other, but term K is lost", lost),
    SUM_OF_TERM("twice", "one after the other, but term K counts twice", twice),
    SUM("nan", "always NaN", nan),
};
enum { ROWS = sizeof rows / sizeof *rows };

const accordi_synthetic_row *accordi_synthetic_by_name(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

const char *accord_synthetic_at(size_t i, bool *plain, const char **about)
{
    const accord_fused *machine = i < ROWS ? NULL : accord_fused_at(i - ROWS);
    if (i >= ROWS && !machine)
        return NULL;
    if (plain)
        *plain = machine ? true : rows[i].plain;
    if (about)
        *about = machine ? "dot products computed by the model of this machine" : rows[i].about;
    return machine ? machine->name : rows[i].name;
}

static const char *name_at(const void *list, size_t i)
{
    (void)list;
    return accord_synthetic_at(i, NULL, NULL);
}

const char *accordi_synthetic_nearest(const char *word)
{
    return accordi_nearest(word, name_at, NULL);
}
