/* Black boxes that add n terms, behind one small interface: batches of sparse probes and, for
 * targets with many results at once (GEMV, GEMM, sums along an axis), grids. */
#ifndef ACCORD_TARGET_H
#define ACCORD_TARGET_H

#include <accord/format.h>
#include <accord/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A batch of independent probes. A probe gives a value to every term; the target answers with
 * its sum. Sparse form (dense == NULL): all n terms start as `fill`; then each probe in turn makes
 * its lasting writes, which stay for the rest of the batch, and its own writes, which are undone
 * after the sum has been asked for. Within one probe a later write to a term replaces an earlier
 * one. The lasting writes of probe p are the entries start[2p] … start[2p+1]-1 of index and value;
 * its own writes are the entries start[2p+1] … start[2p+2]-1. Dense form: `dense` holds probes x n
 * values, row by row, float if target->storage_f32 else double. All values must be exact in
 * target->format (the target may rely on that). Where terms are products (target->term), these
 * values are the first factors. The second factors are all equal to `second`, or to 1 if `second`
 * is 0 (so that a zeroed struct holds the default); in the dense form dense_second may give them
 * row by row instead. For other terms `second` must be 0 or 1 and dense_second NULL (ACCORD_ARG
 * otherwise). The second factor of a start value (target->has_start) is always target->beta. Where
 * target->scale_block is not 0, a dense batch may give scales; all are 1 otherwise. */
typedef struct accord_batch {
    size_t size; /* see accord/base.h */
    size_t probes;
    double fill;
    const uint32_t *start; /* 2*probes+1 entries */
    const uint32_t *index; /* each < n */
    const double *value;
    const void *dense;
    double second;
    const void *dense_second;
    /* Of the first and of the second factors, row by row: one scale for each target->scale_block
     * terms, the last of which may be fewer; NULL: all are 1. ACCORD_ARG where the target has no
     * scales, and in the sparse form. */
    const double *scale_first, *scale_second;
} accord_batch;

/* One question for all results of a target that has rows x columns of them: result (r, c) is the
 * sum of a[r][k] * b[c][k] over k. Each result may have its own order. Values are given
 * as in a dense batch.
 */
typedef struct accord_grid {
    size_t size;   /* see accord/base.h */
    const void *a; /* rows x inner; inner is n, or n - 1 with has_start */
    const void *b; /* columns x inner; NULL: all 1, also where terms are not products */
    const void *c; /* with has_start: rows x columns start values; NULL: all 0 */
} accord_grid;

typedef struct accord_target accord_target;

/* Memory around the operands of a target: before the first number of an operand, between its
 * numbers (where a stride or a leading dimension leaves gaps), and after its last number. */
enum accord_zone { ACCORD_ZONE_BEFORE, ACCORD_ZONE_BETWEEN, ACCORD_ZONE_AFTER, ACCORD_ZONE_COUNT };

/* What a target does with memory around its operands. A set of zones has the bit 1 << zone for each
 * of its zones; it does not say to which operand they belong. The library makes this struct and
 * sets it to 0. */
typedef struct accord_outside_access {
    unsigned reads;    /* zones whose contents affect the result */
    unsigned writes;   /* zones that a call changes */
    unsigned beyond;   /* zones that are read although their contents do not affect the result */
    bool writes_input; /* a call changed an operand that it should only read */
    uint32_t calls;    /* how many calls the examination took */
} accord_outside_access;

/* What a kind of target provides. The library's own kinds are the rows of src/targets/kinds.c;
 * accord_target_new serves others. */
typedef struct accord_target_kind {
    size_t size;          /* see accord/base.h */
    const char *name;     /* the word before the colon: "blas" */
    const char *notation; /* "blas:ROUTINE[@LIBRARY]" */
    const char *about;    /* one line */
    /* Answers a batch: result[p] for each probe. Never called with 0 probes. */
    enum accord_status (*run)(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error);
    /* Answers a grid: result[r * columns + c]. NULL if the target has only one result. */
    enum accord_status (*run_grid)(accord_target *target, const accord_grid *grid, double *result,
                                   accord_error *error);
    /* Fills in those members of the record's question that the struct below does not hold. May be
     * NULL. */
    enum accord_status (*describe)(accord_target *target, accord_record *record,
                                   accord_error *error);
    /* Returns memory for `bytes` of dense rows, which `run` then uses without a copy; NULL if there
     * is none. It stays valid until the next call of `arena` or `close`. With 0 bytes, what the
     * memory holds is no longer needed, and it may be given back. May be NULL. */
    void *(*arena)(accord_target *target, size_t bytes);
    /* Frees the state. May be NULL. */
    void (*close)(accord_target *target);
    /* Looks for reads and writes outside the operands, before anything else is asked. A target with
     * such accesses is refused; those in out->beyond are only listed in the record, as warnings.
     * May be NULL. */
    enum accord_status (*examine)(accord_target *target, accord_outside_access *out,
                                  accord_error *error);
    bool takes_result; /* the format of the result can be chosen: has_result of the options */
    bool takes_scales; /* terms may be of formats whose elements need scales, such as e2m1 */
} accord_target_kind;

/* The library makes it; programs read its members. Whoever makes a target with accord_target_new
 * may set those from `format` on, except for `calls`, before the first question. */
struct accord_target {
    const accord_target_kind *kind;
    void *state;               /* the kind's own */
    char *notation;            /* as opened, owned */
    size_t n;                  /* terms, >= 1 */
    enum accord_format format; /* of the terms */
    bool storage_f32;          /* dense rows are float, else double */
    /* While `second` of a batch is 0, a term may be any product of two numbers of `format`; the
     * target splits it itself. So the exponents of terms have twice the range. */
    bool wide_terms;
    enum accord_format output; /* of the result */
    enum accord_term term;     /* what a term is at the interface; products use `second` */
    size_t at_once;            /* probes that one call of the black box answers; 0 means 1 */
    size_t rows, columns; /* results of one call; 1 x 1 without run_grid. A batch asks for one of
                             them, which is chosen when the target is opened. */
    /* The factors of GEMV and GEMM; 1 and 0 for other targets. They are read at each run and may be
     * changed between runs, except that beta must not change from or to 0. */
    double alpha, beta;
    bool has_start; /* beta != 0: the last of the n terms is the start value, which beta multiplies
                     */
    uint64_t calls; /* sums asked for so far */
    double seconds; /* approximate time spent inside the black box so far */
    /* The black box gets several sums of a batch at once. Whether it adds each in the same order,
     * wherever it stands among them, is tested. */
    bool together;
    /* The columns of the grid are copies of one result, such as those that the ranks of a
     * collective operation hold. Whether they are the same is tested. */
    bool copies;
    /* Block-scaled terms: so many products, one after the other, share a scale of their first
     * factors and one of their second factors, numbers of the format `scale`. 0: there are none. */
    size_t scale_block;
    enum accord_format scale;
    size_t row, column; /* of the grid's results, the one that a batch asks for; else 0 */
};

typedef struct accord_target_options {
    size_t size;     /* see accord/base.h */
    size_t n;        /* terms; required */
    bool has_format; /* whether `format` is given; otherwise the target chooses */
    enum accord_format format;
    uint64_t seed;      /* for synthetic orders drawn at random */
    double alpha, beta; /* of GEMV and GEMM; _init sets 1 and 0 */
    /* Whether an alpha of 0 means 0; _init sets this. Without it an alpha of 0 counts as 1, so that
     * a zeroed struct holds the defaults. */
    bool has_alpha;
    double timeout; /* a target that gives no answer for this many seconds counts as hung; 0: 30 */
    bool no_fork;   /* run foreign code in this process (for debuggers) */
    /* For `so` targets: "sum" (default), "dot", "rows", "columns" or "scaled-dot", whose products
     * share scales. With ":encoded" appended, terms of f16, bf16 and narrower formats, and scales,
     * are passed as integers (their bit patterns, one in each uint16_t or uint8_t), otherwise as
     * floats of the same values. */
    const char *signature;
    /* For `so`, `command` and `python` targets: the result has the format `result`, not that of the
     * terms. */
    bool has_result;
    enum accord_format result;
    /* For `python` targets: the interpreter; NULL: $ACCORD_PYTHON if that is set, else python3. */
    const char *python;
    const char *shape;     /* "MxNxK" or "MxK"; NULL: derived from n */
    const char *element;   /* "i,j" or "i"; NULL: 0,0 */
    const char *transpose; /* "NN" …; NULL: none */
    int64_t incx, incy;    /* strides in elements, 0: 1 */
    int64_t lda, ldb, ldc; /* leading dimensions; 0: the least possible */
    int64_t alignment;     /* address of x or A, which hold the terms, modulo 64 bytes */
    /* For `so` targets of the signature "scaled-dot": how many products share a pair of scales, and
     * the format of these, ACCORD_E8M0 or ACCORD_UE4M3. */
    size_t scale_block;
    enum accord_format scale;
} accord_target_options;
static inline void accord_target_options_init(accord_target_options *options)
{
    ACCORD_INIT(options);
    options->alpha = 1;
    options->has_alpha = true;
}

/* Opens a target by notation, e.g. "synthetic:pairwise", "so:./sum.so:my_sum",
 * "blas:sdot@libopenblas.so.0", "command:python3 sum.py". ACCORD_ARG: the notation or an option is
 * malformed. ACCORD_TARGET: what the notation names is missing or does not start. */
ACCORD_API enum accord_status accord_target_open(const char *notation,
                                                 const accord_target_options *options,
                                                 accord_target **out, accord_error *error);

/* Goes on with another number of terms, in the process that runs already, which saves the time of
 * loading. The options are those that the target was opened with, except for n, and for what
 * follows from it. ACCORD_UNSUPPORTED: this kind of target cannot do that; open it anew. After any
 * other failure, which has the statuses of accord_target_open, the target can only be closed. */
ACCORD_API enum accord_status accord_target_resize(accord_target *target,
                                                   const accord_target_options *options,
                                                   accord_error *error);

/* Makes a target of a callback, which runs in this process. The callback returns the sum of
 * x[0..n-1]. x is float if is_f32 is set, else double, and must not be used after the return. */
typedef double accord_sum_callback(void *context, const void *x, size_t n);
ACCORD_API enum accord_status accord_target_from_callback(accord_sum_callback *sum, void *context,
                                                          size_t n, bool is_f32,
                                                          accord_target **out, accord_error *error);

/* Makes a target of a callback with many results, which runs in this process. The callback writes
 * results[r * columns + c] for the operands of the grid. They are float if is_f32 is set, else
 * double; they must not be used after the return; b is not NULL where term is ACCORD_TERM_PRODUCT.
 * Batches ask for element (row, column). */
typedef struct accord_grid_callback {
    size_t size; /* see accord/base.h */
    void (*call)(void *context, const accord_grid *grid, double *results);
    void *context;
    size_t rows, columns, n; /* n: terms of each result */
    enum accord_term term;
    bool is_f32;
    size_t row, column;
} accord_grid_callback;
ACCORD_API enum accord_status accord_target_from_grid(const accord_grid_callback *callback,
                                                      accord_target **out, accord_error *error);

/* Makes a target of a kind that the library does not have: sums of n values of `format`, with one
 * result; elements (accord_format_multiplies) need scale_block. The caller may then change the
 * members from `format` on. *kind is copied, but not the text in it. ACCORD_ARG: the kind has no
 * function `run`, there is no such format, or n is greater than the number of leaves that a tree
 * may have. ACCORD_NOMEM. The state stays the caller's on failure. */
ACCORD_API enum accord_status accord_target_new(const accord_target_kind *kind, void *state,
                                                const char *notation, size_t n,
                                                enum accord_format format, accord_target **out,
                                                accord_error *error);

/* NULL is fine. */
ACCORD_API void accord_target_close(accord_target *target);

/* Asks the target for the sums of a batch and counts them. One thread at a time may use a target.
 * ACCORD_TARGET: the black box crashed (the error names the signal), hung, exited, or gave an
 * answer that is not understood. */
ACCORD_API enum accord_status accord_target_run(accord_target *target, const accord_batch *batch,
                                                double *result, accord_error *error);

/* Asks for all results at once and counts one call. ACCORD_UNSUPPORTED: the target has only one
 * result. A grid that lies in memory from `arena` is not copied. */
ACCORD_API enum accord_status accord_target_run_grid(accord_target *target, const accord_grid *grid,
                                                     double *result, accord_error *error);

/* Fills in what a record, which the caller has initialized, says about the question. */
ACCORD_API enum accord_status accord_target_describe(accord_target *target, accord_record *record,
                                                     accord_error *error);

/* The i-th kind, NULL past the end. */
ACCORD_API const accord_target_kind *accord_target_kind_at(size_t i);

/* The i-th folder of libraries in which shorthands such as "openblas" are looked for, as a pattern
 * of glob(3); NULL past the end. */
ACCORD_API const char *accord_library_folder_at(size_t i);

/* The i-th synthetic order ("sequential", …), NULL past the end; *plain (may be NULL) is set
 * to whether it is a fixed tree of additions, *about (may be NULL) to a description in one line. */
ACCORD_API const char *accord_synthetic_at(size_t i, bool *plain, const char **about);

/* The true tree of a synthetic target, for tests; ACCORD_UNSUPPORTED where there is none. */
ACCORD_API enum accord_status accord_synthetic_tree(accord_target *target, accord_tree **out,
                                                    accord_error *error);

/* The true arithmetic at the nodes of that tree, to be freed with accord_arithmetic_free.
 * ACCORD_UNSUPPORTED: there is no tree, or no accord_fused describes what its fused nodes do. */
ACCORD_API enum accord_status
accord_synthetic_arithmetic(accord_target *target, accord_arithmetic **out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
