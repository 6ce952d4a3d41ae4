/* A target that adds like a tree, and has been asked what its masks swallow. Needs cmocka. */
#ifndef TREE_BENCH_H
#define TREE_BENCH_H

#include "reveal/probes/ask.h"
#include "targets/synthetic/synthetic.h"

typedef struct tree_bench {
    accord_target *target;
    accordi_asker asker;
    accord_error error;
} tree_bench;

static inline void tree_bench_init(tree_bench *b, const accord_tree *tree,
                                   enum accord_format format, uint64_t seed)
{
    *b = (tree_bench){.error = {.status = ACCORD_OK}};
    assert_int_equal(accordi_synthetic_from_tree(tree, format, format, &b->target, NULL),
                     ACCORD_OK);
    accordi_ask_init(&b->asker, b->target, seed, &b->error);
    assert_int_equal(accordi_calibrate(&b->asker), ACCORD_OK);
}

static inline void tree_bench_clear(tree_bench *b)
{
    accordi_ask_clear(&b->asker);
    accord_target_close(b->target);
}

#endif
