/* Black boxes that add n terms, behind one small interface: batches of sparse probes, and for
 * those with many results at once (GEMV, GEMM, sums along an axis) grids. */
#ifndef ACCORD_TARGET_H
#define ACCORD_TARGET_H

#include <accord/format.h>
#include <accord/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A batch of independent probes. A probe gives a value to every term; the target answers with
 * its sum. Sparse form (dense == NULL): all n terms start as `fill`; then, probe by probe, first
 * the writes that stay for the rest of the batch are made, then the writes of this probe alone,
 * then the sum is asked for, then the latter writes are undone. Within one probe later writes
 * win. The writes of probe p: those that stay are entries start[2p] … start[2p+1]-1 of
 * index/value, its own are start[2p+1] … start[2p+2]-1.
 * Dense form: `dense` holds probes x n values, row by row, float if target->storage_f32 else
 * double. All values must be ones that target->format holds (the target may trust that).
 * Where terms are products (target->term) the above are their first factors; the second are all
 * `second` (0 stands for 1), or row by row like `dense` in dense_second (with the dense form
 * only). Elsewhere second is 0 or 1 and dense_second NULL, or it is ACCORD_ARG. The second factor
 * of a start value (target->has_start) is always target->beta. */
typedef struct accord_batch {
    size_t probes;
    double fill;
    const uint32_t *start; /* 2*probes+1 entries */
    const uint32_t *index; /* each < n */
    const double *value;
    const void *dense;
    double second;
    const void *dense_second;
} accord_batch;

/* Everything at once, where a target has rows x columns results: result (r, c) is the sum over k
 * of a[r][k] * b[c][k], each with an order of its own. Values as in a dense batch. */
typedef struct accord_grid {
    const void *a; /* rows x inner, inner = n less one where has_start */
    const void *b; /* columns x inner; NULL: all 1 (and where terms are no products) */
    const void *c; /* rows x columns start values where has_start; NULL: all 0 */
} accord_grid;

typedef struct accord_target accord_target;
struct accordi_beside;

/* What a kind of target provides. One row in the table of src/targets/kinds.c each. */
typedef struct accord_target_kind {
    const char *name;     /* the word before the colon: "blas" */
    const char *notation; /* "blas:ROUTINE[@LIBRARY]" */
    const char *about;    /* one line */
    /* Answers a batch: result[p] for each probe. Never called with 0 probes. */
    enum accord_status (*run)(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error);
    /* Answers a grid: result[r * columns + c]. NULL where there is but one result. */
    enum accord_status (*run_grid)(accord_target *target, const accord_grid *grid, double *result,
                                   accord_error *error);
    /* Fills the question part of the record (what the struct below does not hold). May be NULL. */
    enum accord_status (*describe)(accord_target *target, accord_record *record,
                                   accord_error *error);
    /* Memory for `bytes` of dense rows that run then takes without a copy; NULL if there is none
     * (the pointer stays valid until the next call of arena or the close). May be NULL. */
    void *(*arena)(accord_target *target, size_t bytes);
    void (*close)(accord_target *target);
    /* Internal: looks for reads and writes outside the operands. May be NULL. */
    enum accord_status (*examine)(accord_target *target, struct accordi_beside *out,
                                  accord_error *error);
} accord_target_kind;

struct accord_target {
    const accord_target_kind *kind;
    void *state;               /* the kind's own */
    char *notation;            /* as opened, owned */
    size_t n;                  /* terms, >= 1 */
    enum accord_format format; /* of the terms */
    bool storage_f32;          /* dense rows are float, else double */
    /* As long as `second` is 0, terms may be products of two numbers of `format` and are split by
     * the target itself: the range of exponents of a term is twice as wide. */
    bool wide_terms;
    enum accord_format output; /* of the result */
    enum accord_term term;     /* what a term is, as the interface has it; products take `second` */
    size_t at_once;            /* probes that one call of the black box answers; 0 stands for 1 */
    size_t rows, columns;      /* results at once, 1 x 1 unless there is run_grid; which of them a
                                  batch asks for is the target's own */
    /* Of GEMV and GEMM, read at each run; else 1 and 0. May be changed between runs, but beta not
     * from or to 0. */
    double alpha, beta;
    bool has_start; /* beta != 0: the last of the n terms is the start value, times beta */
    uint64_t calls; /* sums asked for so far */
    double seconds; /* spent inside the black box so far, as near as can be told */
};

typedef struct accord_target_options {
    size_t n;        /* terms; required */
    bool has_format; /* else the target's natural one */
    enum accord_format format;
    uint64_t seed;         /* for synthetic orders drawn at random */
    double alpha, beta;    /* of GEMV and GEMM; _init sets 1 and 0 */
    bool has_alpha;        /* alpha is meant as it stands; _init sets this. Without it an alpha of
                              0 counts as 1, so that a zeroed struct holds the defaults. */
    double timeout;        /* seconds without a single answer that count as hung; 0: 30 */
    bool no_fork;          /* run foreign code in this process (for debuggers) */
    const char *signature; /* so: "sum" (default), "dot", "rows" or "columns"; with ":encoded" after
                              it terms of f16, bf16, e4m3 and e5m2 are passed as integers, else as
                              floats of such values */
    bool has_result;       /* so: the format of the result is not that of the terms but this one */
    enum accord_format result;
    const char *python;    /* python: the interpreter; NULL: $ACCORD_PYTHON, else python3 */
    const char *shape;     /* "MxNxK" or "MxK"; NULL: derived from n */
    const char *element;   /* "i,j" or "i"; NULL: 0,0 */
    const char *transpose; /* "NN" …; NULL: none */
    int64_t incx, incy;    /* strides in elements, 0: 1 */
    int64_t lda, ldb, ldc; /* 0: least possible */
    int64_t alignment;     /* of x or A, which hold the terms: bytes past a 64-byte boundary */
} accord_target_options;
ACCORD_API void accord_target_options_init(accord_target_options *options);

/* Opens a target by notation, e.g. "synthetic:pairwise", "so:./sum.so:my_sum",
 * "blas:sdot@libopenblas.so.0", "command:python3 sum.py". ACCORD_ARG for a malformed notation or
 * option, ACCORD_TARGET when the thing named is missing or will not start. */
ACCORD_API enum accord_status accord_target_open(const char *notation,
                                                 const accord_target_options *options,
                                                 accord_target **out, accord_error *error);

/* A callback as a target, in process: returns the sum of x[0..n-1]; x is float or double as
 * `is_f32` says and must not be kept. */
typedef double accord_sum_callback(void *context, const void *x, size_t n);
ACCORD_API enum accord_status accord_target_from_callback(accord_sum_callback *sum, void *context,
                                                          size_t n, bool is_f32,
                                                          accord_target **out, accord_error *error);

/* A callback with many results as a target, in process: writes results[r * columns + c] for the
 * operands of accord_grid (b is never NULL where term is ACCORD_TERM_PRODUCT; all are float or
 * double as is_f32 says and must not be kept). Batches ask for element (row, column). */
typedef struct accord_grid_callback {
    void (*call)(void *context, const accord_grid *grid, double *results);
    void *context;
    size_t rows, columns, n; /* n: terms of each result */
    enum accord_term term;
    bool is_f32;
    size_t row, column;
} accord_grid_callback;
ACCORD_API enum accord_status accord_target_from_grid(const accord_grid_callback *callback,
                                                      accord_target **out, accord_error *error);

/* NULL is fine. */
ACCORD_API void accord_target_close(accord_target *target);

/* Asks a batch and counts it. A target is used by one thread at a time.
 * ACCORD_TARGET when the black box crashed (with the signal), hung, exited or spoke garbage. */
ACCORD_API enum accord_status accord_target_run(accord_target *target, const accord_batch *batch,
                                                double *result, accord_error *error);

/* Asks for all results at once and counts one call. ACCORD_UNSUPPORTED where the target has but
 * one. For grids in the memory of arena nothing is copied. */
ACCORD_API enum accord_status accord_target_run_grid(accord_target *target, const accord_grid *grid,
                                                     double *result, accord_error *error);

/* Fills the question part of a record (initialised by the caller). */
ACCORD_API enum accord_status accord_target_describe(accord_target *target, accord_record *record,
                                                     accord_error *error);

/* The i-th kind, NULL past the end. */
ACCORD_API const accord_target_kind *accord_target_kind_at(size_t i);

/* The i-th synthetic order ("sequential", …), NULL past the end; *plain (may be NULL) tells
 * whether it is a fixed tree of additions, *about (may be NULL) gets one line. */
ACCORD_API const char *accord_synthetic_at(size_t i, bool *plain, const char **about);

/* The true tree of a synthetic target, for tests; ACCORD_UNSUPPORTED where there is none. */
ACCORD_API enum accord_status accord_synthetic_tree(accord_target *target, accord_tree **out,
                                                    accord_error *error);

/* The true arithmetic at the nodes of that tree; accord_arithmetic_free. ACCORD_UNSUPPORTED where
 * there is no tree, or what its fused nodes do has no machine in the sense of accord_fused. */
ACCORD_API enum accord_status
accord_synthetic_arithmetic(accord_target *target, accord_arithmetic **out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
