/* Foreign functions and BLAS routines, loaded and called in this process or in a worker process.
 * Internal. A question and batches of probes come in, results go out. Read families.c first, which
 * says what is computed and how operands lie, then foreign.c. What travels between the processes
 * is plain memory (channel.h). */
#ifndef ACCORDI_FOREIGN_H
#define ACCORDI_FOREIGN_H

#include "targets/target.h"

enum accordi_family {
    ACCORDI_SUM,      /* R f(const T *x, size_t n) */
    ACCORDI_PRODUCTS, /* R f(size_t n, const T *x, const T *y) */
    ACCORDI_ROWS,     /* void f(size_t m, size_t n, const T *x, R *result) */
    ACCORDI_COLUMNS,  /* void f(size_t n, size_t m, const T *x, R *result) */
    /* R f(size_t n, const T *x, const S *scale_x, const T *y, const S *scale_y) */
    ACCORDI_SCALED,
    ACCORDI_DOT,
    ACCORDI_ASUM,
    ACCORDI_NORM,
    ACCORDI_GEMV,
    ACCORDI_GBMV,
    ACCORDI_GEMM
};

/* How an operand lies in memory. Matrices are stored in lines, the rows or the columns of the
 * matrix of m x k terms, n x k second factors (op(B) transposed) or m x n results. */
enum accordi_lie {
    ACCORDI_ABSENT,
    ACCORDI_VECTOR, /* elements a stride apart, from the far end where that is negative */
    ACCORDI_BY_ROWS,
    ACCORDI_BY_COLUMNS,
    ACCORDI_LETTER_A, /* as the first letter of the transposition says */
    ACCORDI_BAND_A,   /* the same, as a band with every diagonal; its corners count as elements */
    ACCORDI_LETTER_B  /* as the second one says */
};

typedef struct accordi_operand {
    enum accordi_lie lie;
    size_t step; /* offset in a question of the stride or leading dimension; 0: elements adjoin */
} accordi_operand;

/* A row of the table of families: families.c. */
typedef struct accordi_family_row {
    const char *signature[2]; /* of numbers and of encodings; NULL: a BLAS routine */
    enum accord_term term;
    bool positive;              /* it has no negative strides */
    accordi_operand operand[3]; /* a: terms; b: second factors; c: results, if they are a grid */
} accordi_family_row;
extern const accordi_family_row accordi_families[];
extern const size_t accordi_family_count;

bool accordi_family_is_blas(enum accordi_family family);
/* Whether there are many results; a BLAS routine then has alpha and beta. */
bool accordi_family_is_grid(enum accordi_family family);
/* Whether these are a matrix. */
bool accordi_family_has_columns(enum accordi_family family);
/* The number of letters of the transposition. */
size_t accordi_family_letters(enum accordi_family family);

/* A row of the table of BLAS routines. */
typedef struct accordi_routine {
    const char *name;
    enum accordi_family family;
    enum accordi_storage storage, output; /* of its operands and results */
    bool complex, conjugate;
} accordi_routine;
extern const accordi_routine accordi_routines[];
extern const size_t accordi_routine_count;
/* NULL, with ACCORD_ARG and what would be right, when there is none of that name. */
const accordi_routine *accordi_routine_find(const char *name, accord_error *error);
/* The routine that a misspelled name stands for, or NULL. */
const char *accordi_routine_nearest(const char *word);

/* What is asked. Terms are x[0..k-1] or op(A)[row,0..k-1], their second factors y, or x of a GEMV,
 * or op(B)[0..k-1,column]; of complex elements, the real numbers that they multiply. Whatever else
 * is in the operands is 1. */
typedef struct accordi_question {
    enum accordi_family family;
    enum accordi_storage storage, output; /* of operands and result */
    enum accord_format format, result;    /* their values, of functions in shared objects */
    bool complex, conjugate;
    bool imaginary;     /* that part of a complex result */
    bool has_start;     /* the last term is the start value */
    char library[4096]; /* path, soname or shorthand */
    char symbol[256];   /* of the function, or the name of the routine */
    int64_t terms;      /* all of them */
    int64_t m, n, k;    /* op(A) is m x k, op(B) k x n; else m = n = 1 */
    int64_t row, column;
    char transpose[3];                 /* "NT", "N", "" */
    int64_t incx, incy, lda, ldb, ldc; /* row-major; as used, none 0 where it counts */
    int64_t alignment;
    int64_t scale_block; /* products that share a pair of scales; 0: there are none */
    enum accord_format scale;
    enum accordi_storage scale_storage;
    double alpha, beta; /* of this run */
    int64_t heap;       /* bytes allocated before the library is loaded, in a process of its own */
} accordi_question;

/* What is found out at loading. */
typedef struct accordi_facts {
    char library[4096];
    char version[256];
    char build[512];
    int64_t threads;
} accordi_facts;

/* Products of complex numbers are complex; their absolute values and squares are not. */
bool accordi_has_complex_result(const accordi_question *question);

/* Where the elements of an operand lie: in lines, of which each starts `apart` numbers after the
 * one before and holds `width` elements. Element (r, k) is number first + r * down + k * along. */
typedef struct accordi_extent {
    int64_t count; /* of numbers, with the gaps; 0: there is no such operand */
    int64_t apart, width, first, down, along;
} accordi_extent;
/* Of operand 0, 1 or 2. The width does not depend on strides and leading dimensions. */
accordi_extent accordi_operand_extent(const accordi_question *question, size_t i);

/* Shape, element and transposition of a family with many results: blas_shape.c. */
enum accord_status accordi_read_shape(accordi_question *question, const char *shape,
                                      accord_error *error);
enum accord_status accordi_read_element(accordi_question *question, const char *element,
                                        accord_error *error);
enum accord_status accordi_read_transpose(accordi_question *question, const char *transpose,
                                          accord_error *error);

/* Checks the options of a BLAS routine and fills the question: pure. ACCORD_ARG,
 * ACCORD_UNSUPPORTED. library may be NULL. */
enum accord_status accordi_blas_question(const char *routine, const char *library,
                                         const accord_target_options *options,
                                         accordi_question *out, accord_error *error);

/* The same for a function in a shared object. */
enum accord_status accordi_so_question(const accordi_notation *notation,
                                       const accord_target_options *options, accordi_question *out,
                                       accord_error *error);
/* "sum", "dot:encoded", …; "" for a BLAS routine, which has its own. */
const char *accordi_signature(const accordi_question *question);

typedef struct accordi_foreign accordi_foreign;
typedef void accordi_product(accordi_foreign *foreign);

struct accordi_foreign {
    accordi_question question;
    accordi_cells cells, second;
    accordi_call *call;       /* one result; what a probe calls */
    accordi_product *product; /* of those with many results: computes c */
    void *handle;             /* of dlopen */
    void (*function)(void);   /* cast where it is called */
    void *a, *b, *c;          /* operands as the routine takes them */
    accordi_extent extent[3]; /* of the numbers in them */
    void *blocks[3];          /* what they live in */
    void *scale[2];           /* of the blocks of a and of b */
    void *scale_memory[2];    /* what these live in */
    size_t answer;            /* where in c the result appears */
    bool disturbed;           /* by a grid: the operands no longer hold 1 */
};

/* Foreign code may set another floating-point environment: a library that was linked with
 * -ffast-math flushes subnormal numbers from when it is loaded on. It finds in each call what it
 * left, and accord's own arithmetic keeps its environment. So wherever foreign code runs, these are
 * called before and after it, or `abandon` if it crashed. */
void accordi_foreign_enter(void);
void accordi_foreign_leave(void);
void accordi_foreign_abandon(void);
/* Computes c. */
void accordi_foreign_product(accordi_foreign *foreign);
/* Loads the library, finds the function, lays out the operands. ACCORD_TARGET with the loader's
 * words. `foreign` is all that is touched, `facts` on success. */
enum accord_status accordi_foreign_open(accordi_foreign *foreign, const accordi_question *question,
                                        accordi_facts *facts, accord_error *error);
enum accord_status accordi_foreign_run(accordi_foreign *foreign, const accord_batch *batch,
                                       double *result, _Atomic uint32_t *done, double *seconds,
                                       accord_error *error);
/* All results at once; *seconds is the call alone. */
enum accord_status accordi_foreign_grid(accordi_foreign *foreign, const accord_grid *grid,
                                        double *result, _Atomic uint32_t *done, double *seconds,
                                        accord_error *error);
/* What it reads and writes beside its operands, which hold no probe afterwards: operand_gaps.c. */
void accordi_foreign_examine(accordi_foreign *foreign, _Atomic uint32_t *done,
                             accord_outside_access *out);
void accordi_foreign_close(accordi_foreign *foreign);

/* ---- operands: operands.c ---- */

/* How many scales an operand has: one for each block of products. */
static inline size_t accordi_scale_count(const accordi_question *q)
{
    return q->scale_block ? (size_t)((q->k + q->scale_block - 1) / q->scale_block) : 0;
}

/* All operands hold 1 and lie as the question says. */
enum accord_status accordi_operands_open(accordi_foreign *foreign, accord_error *error);

/* ---- between the files ---- */

/* dlopen of a path, soname or shorthand ("openblas", "gsl", …). */
void *accordi_library_open(const char *name, bool keep, accord_error *error);
/* Chooses entry and call of a BLAS routine; *entry gets the symbol's name (size 64). */
enum accord_status accordi_blas_bind(accordi_foreign *foreign, char *entry, accord_error *error);
/* How a BLAS routine is called, a row for a family and its types: by its Fortran entry and by its
 * CBLAS entry; for one result (call), or many (product). */
typedef struct accordi_blas_row {
    enum accordi_family family;
    enum accordi_storage storage, output;
    bool complex;
    accordi_call *call[2];
    accordi_product *product[2];
} accordi_blas_row;
extern const accordi_blas_row accordi_blas_products[], accordi_blas_vectors[];
extern const size_t accordi_blas_product_count, accordi_blas_vector_count;
/* The call of a Fortran entry with a complex result; tries which of two ways it returns it. */
accordi_call *accordi_fortran_pair(const accordi_foreign *foreign);
/* Version, build, threads and true path of the library that holds `address`. */
void accordi_library_facts(void *handle, const void *address, const char *entry,
                           accordi_facts *facts);

/* ---- the worker process: remote.c ---- */

typedef struct accordi_remote accordi_remote;
/* In the environment that the process `like` was started with; NULL: in ours. */
enum accord_status accordi_remote_open(const accordi_question *question, double timeout,
                                       const accordi_remote *like, accordi_remote **out,
                                       accordi_facts *facts, accord_error *error);
/* Another question to the worker process that runs. */
enum accord_status accordi_remote_reopen(accordi_remote *remote, const accordi_question *question,
                                         accordi_facts *facts, accord_error *error);
enum accord_status accordi_remote_run(accordi_remote *remote, const accord_batch *batch,
                                      double *result, double *seconds, accord_error *error);
enum accord_status accordi_remote_grid(accordi_remote *remote, const accord_grid *grid,
                                       double *result, double *seconds, accord_error *error);
enum accord_status accordi_remote_examine(accordi_remote *remote, accord_outside_access *out,
                                          accord_error *error);
/* Of the runs to come. */
void accordi_remote_scale(accordi_remote *remote, double alpha, double beta);
void *accordi_remote_arena(accordi_remote *remote, size_t bytes);
void accordi_remote_close(accordi_remote *remote);

/* ---- the kinds "so" and "blas": foreign_kind.c ---- */

extern const accord_target_kind accordi_so_kind, accordi_blas_kind;
enum accord_status accordi_so_open(accord_target *target, const accordi_notation *notation,
                                   const accord_target_options *options, accord_error *error);
enum accord_status accordi_so_resize(accord_target *target, const accordi_notation *notation,
                                     const accord_target_options *options, accord_error *error);
enum accord_status accordi_blas_open(accord_target *target, const accordi_notation *notation,
                                     const accord_target_options *options, accord_error *error);
enum accord_status accordi_blas_resize(accord_target *target, const accordi_notation *notation,
                                       const accord_target_options *options, accord_error *error);
/* In new worker processes, with other addresses of what is allocated. */
bool accordi_foreign_elsewhere(const accord_target *target, const accordi_notation *notation,
                               size_t i, accordi_circumstance *out);
enum accord_status accordi_foreign_open_elsewhere(const accord_target *target,
                                                  const accordi_circumstance *how,
                                                  accord_target *out, accord_error *error);

#endif
