/* The table of synthetic orders, whose answers are known: a row adds one. */
#include "targets/synthetic/synthetic.h"

static const accordi_synthetic_row rows[] = {
    {.name = "sequential",
     .about = "one after the other",
     .plain = true,
     .make = accordi_order_sequential},
    {.name = "reverse",
     .about = "one after the other, from the last to the first",
     .plain = true,
     .make = accordi_order_reverse},
    {.name = "pairwise",
     .about = "the sum of two halves, the first of floor(n/2) terms",
     .plain = true,
     .make = accordi_order_pairwise},
    {.name = "adjacent",
     .about = "neighbors, then neighboring sums; an odd one is left for the next round",
     .plain = true,
     .make = accordi_order_adjacent},
    {.name = "lanes",
     .about = "strided lanes, folded (,fold=halves|pairwise|sequential)",
     .plain = true,
     .make = accordi_order_lanes,
     .kind = ACCORDI_ARGUMENT_NUMBER,
     .least = 1,
     .usual = 8},
    {.name = "blocks",
     .about = "blocks summed one after the other, then their sums",
     .plain = true,
     .make = accordi_order_blocks,
     .kind = ACCORDI_ARGUMENT_NUMBER,
     .least = 1,
     .usual = 128},
    {.name = "numpy",
     .about = "NumPy's pairwise sum: halves down to 128, eight lanes below",
     .plain = true,
     .make = accordi_order_numpy},
    {.name = "caterpillar",
     .about = "one after the other in a random order (seeded)",
     .plain = true,
     .make = accordi_order_caterpillar},
    {.name = "yule",
     .about = "a random tree: a random order cut at random places (seeded)",
     .plain = true,
     .make = accordi_order_yule},
    {.name = "uniform",
     .about = "a random tree, each equally likely (seeded)",
     .plain = true,
     .make = accordi_order_uniform},
    {.name = "multiway",
     .about = "a random tree of fused sums of 2 … W children (seeded)",
     .plain = true,
     .make = accordi_order_multiway,
     .kind = ACCORDI_ARGUMENT_NUMBER,
     .least = 2,
     .usual = 8},
    {.name = "fused",
     .about = "a chain of fused sums: W terms and the sum so far",
     .plain = true,
     .make = accordi_order_fused,
     .kind = ACCORDI_ARGUMENT_NUMBER,
     .least = 1,
     .usual = 16},
    {.name = "star",
     .about = "one fused sum of all terms",
     .plain = true,
     .make = accordi_order_star},
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
    {.name = "kahan", .about = "compensated (Kahan)", .sum = accordi_sum_kahan},
    {.name = "neumaier", .about = "compensated (Neumaier)", .sum = accordi_sum_neumaier},
    {.name = "exact", .about = "the exact sum, rounded once", .sum = accordi_sum_exact},
    {.name = "sorted", .about = "ascending by value", .sum = accordi_sum_sorted},
    {.name = "sorted-magnitude",
     .about = "ascending by magnitude",
     .sum = accordi_sum_sorted_magnitude},
    {.name = "shuffled", .about = "a new random order at each call", .sum = accordi_sum_shuffled},
    {.name = "lost",
     .about = "one after the other, but term K is lost",
     .sum = accordi_sum_lost,
     .kind = ACCORDI_ARGUMENT_TERM},
    {.name = "twice",
     .about = "one after the other, but term K counts twice",
     .sum = accordi_sum_twice,
     .kind = ACCORDI_ARGUMENT_TERM},
    {.name = "nan", .about = "always NaN", .sum = accordi_sum_nan},
};
enum { ROWS = sizeof rows / sizeof *rows };

const accordi_synthetic_row *accordi_synthetic_by_name(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* The i-th machine that is a target. */
static const accord_fused *machine_at(size_t i)
{
    const accord_fused *machine;
    for (size_t k = 0; (machine = accord_fused_at(k)); k++)
        if (!machine->scale_block && i-- == 0)
            return machine;
    return NULL;
}

const char *accord_synthetic_at(size_t i, bool *plain, const char **about)
{
    const accord_fused *machine = i < ROWS ? NULL : machine_at(i - ROWS);
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
