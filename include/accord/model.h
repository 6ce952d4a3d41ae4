/* A tree with the arithmetic at its nodes, and its replay on given inputs. */
#ifndef ACCORD_MODEL_H
#define ACCORD_MODEL_H

#include <accord/format.h>
#include <accord/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Plain arithmetic: every binary node adds its two children, in the order of the canonical tree,
 * rounded into `accumulator`; a node of k > 2 children is the exact sum of its children, rounded
 * once (a fused sum without truncation; machines with their parameters come with room fused).
 * Terms that the accumulator does not hold are rounded into it first. */
typedef struct accord_model {
    const accord_tree *tree; /* borrowed */
    enum accord_format accumulator;
    enum accord_rounding rounding;
    enum accord_format output; /* the root is rounded once more into this format */
} accord_model;

/* result[r] = the replayed sum of row r.
 *   x: rows x n values, row by row, C order, of type float (is_f32) or double; borrowed.
 *   result: rows values.
 * Many rows are replayed side by side (SIMD over rows), so ask for many at once. Thread-safe.
 * ACCORD_NOMEM. Time O(rows * n). */
ACCORD_API enum accord_status accord_model_replay(const accord_model *model, size_t rows,
                                                  const void *x, bool is_f32, double *result,
                                                  accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
