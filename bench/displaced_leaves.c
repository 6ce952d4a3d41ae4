/* accord-displaced-leaves N SEED [COUNT]: moves random leaves, one at a time, out of their place in
 * regular orders of N terms, COUNT of them in all (1002 unless given), and reveals each order that
 * comes out. Prints a row of a table for each order: how many there were, how many were found right
 * and proven, and the calls of discovery (median and most). */
#include "base/base.h"
#include "targets/synthetic/synthetic.h"
#include <accord/accord.h>
#include <stdio.h>
#include <stdlib.h>

#include "moved_leaves.h"

static const char *const orders[] = {
    "%zu: chain",
    "%zu: lanes 8; chain",
    "%zu: lanes 32; halves",
    "%zu: pairs",
    "%zu: chain in 64s; chain",
    "%zu: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)",
};
enum { ORDERS = sizeof orders / sizeof *orders, COUNT = 1002 };

typedef struct tally {
    size_t moved, right;
    double *calls; /* of those that were right */
} tally;

static accord_tree *order_of(const char *notation, size_t n)
{
    char text[128];
    accord_tree *tree = NULL;
    accord_error error = {.text = ""};
    snprintf(text, sizeof text, notation, n);
    if (accord_notation_parse(text, &tree, NULL, NULL, &error)) {
        fprintf(stderr, "%s: %s\n", text, error.text);
        exit(1);
    }
    return tree;
}

static void reveal(const accord_tree *tree, uint64_t seed, tally *t)
{
    accord_reveal_options how;
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_error error = {.text = ""};
    accord_reveal_options_init(&how);
    how.seed = seed;
    how.replays = 1;
    bool found = record &&
                 !accordi_synthetic_from_tree(tree, ACCORD_F32, ACCORD_F32, &target, &error) &&
                 !accord_reveal(target, &how, record, &error) && record->tree;
    bool right = found && accord_tree_equal(record->tree, tree) &&
                 record->nodes_confirmed == record->nodes && record->nodes == tree->inner;
    t->moved++;
    if (right)
        t->calls[t->right++] = (double)record->discovery_calls;
    else
        fprintf(stderr, "seed %llu: %s %s\n", (unsigned long long)seed,
                found ? "another order, or not proven" : "no order:", error.text);
    accord_target_close(target);
    accord_record_free(record);
}

static void show(const char *notation, size_t n, const tally *t)
{
    printf("| ");
    printf(notation, n);
    qsort(t->calls, t->right, sizeof *t->calls, accordi_by_value);
    printf(" | %zu | %zu |", t->moved, t->right);
    if (t->right)
        printf(" %.0f | %.0f |\n", t->calls[t->right / 2], t->calls[t->right - 1]);
    else
        puts(" | |");
    fflush(stdout);
}

int main(int count, char **argument)
{
    size_t n = count > 2 ? strtoull(argument[1], NULL, 10) : 0;
    size_t all = count > 3 ? strtoull(argument[3], NULL, 10) : COUNT, right = 0, moved = 0;
    accordi_rng rng;
    if (n < 3 || n > UINT32_MAX / 2)
        return 2;
    accordi_rng_init(&rng, strtoull(argument[2], NULL, 10));
    for (size_t k = 0; k < ORDERS; k++) {
        accord_tree *tree = order_of(orders[k], n);
        size_t each = (all + ORDERS - 1) / ORDERS;
        tally t = {.calls = accordi_alloc(each, sizeof(double))};
        for (size_t i = 0; i < each && t.calls; i++) {
            uint32_t leaf = (uint32_t)accordi_rng_below(&rng, n);
            uint32_t beside = (leaf + 1 + (uint32_t)accordi_rng_below(&rng, n - 1)) % (uint32_t)n;
            accord_tree *other = leaf_moved(tree, leaf, beside);
            if (!accord_tree_equal(other, tree)) /* they may be siblings */
                reveal(other, accordi_rng_next(&rng), &t);
            accord_tree_free(other);
        }
        show(orders[k], n, &t);
        right += t.right;
        moved += t.moved;
        free(t.calls);
        accord_tree_free(tree);
    }
    printf("| all | %zu | %zu | | |\n", moved, right);
    return right < moved;
}
