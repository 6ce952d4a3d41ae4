/* Foreign functions and BLAS routines: loaded and called, here or in a worker process. What
 * travels between the processes is plain memory. Internal. */
#ifndef ACCORDI_FOREIGN_H
#define ACCORDI_FOREIGN_H

#include "target/target.h"

enum accordi_family {
    ACCORDI_SUM,      /* T f(const T *x, size_t n) */
    ACCORDI_PRODUCTS, /* T f(size_t n, const T *x, const T *y) */
    ACCORDI_DOT,
    ACCORDI_GEMV,
    ACCORDI_GEMM
};

/* A row of the table of BLAS routines. */
typedef struct accordi_routine {
    const char *name;
    enum accordi_family family;
    bool f32;
} accordi_routine;
extern const accordi_routine accordi_routines[];
extern const size_t accordi_routine_count;

/* What is asked. The terms are x[0..k-1], or op(A)[row,0..k-1]; all other operands hold 1. */
typedef struct accordi_question {
    enum accordi_family family;
    bool f32;
    char library[4096]; /* path, soname or shorthand */
    char symbol[256];   /* of the function, or the name of the routine */
    int64_t m, n, k;    /* op(A) is m x k, op(B) k x n; else m = n = 1 */
    int64_t row, column;
    char transpose[3];                 /* "NT", "N", "" */
    int64_t incx, incy, lda, ldb, ldc; /* row-major; as used, none 0 where it counts */
    int64_t alignment;
} accordi_question;

/* What is found out at loading. */
typedef struct accordi_facts {
    char library[4096];
    char version[256];
    char build[512];
    int64_t threads;
} accordi_facts;

/* Checks the options of a BLAS routine and fills the question: pure. ACCORD_ARG,
 * ACCORD_UNSUPPORTED. library may be NULL. */
enum accord_status accordi_blas_question(const char *routine, const char *library,
                                         const accord_target_options *options,
                                         accordi_question *out, accord_error *error);

typedef struct accordi_foreign {
    accordi_question question;
    accordi_cells cells;
    accordi_call *call;
    void *handle;           /* of dlopen */
    void (*function)(void); /* cast where it is called */
    void *a, *b, *c;        /* operands as the routine takes them */
    void *blocks[3];        /* what they live in */
    size_t answer;          /* where in c the result appears */
} accordi_foreign;

/* Loads the library, finds the function, lays out the operands. ACCORD_TARGET with the loader's
 * words. `foreign` is all that is touched, `facts` on success. */
enum accord_status accordi_foreign_open(accordi_foreign *foreign, const accordi_question *question,
                                        accordi_facts *facts, accord_error *error);
enum accord_status accordi_foreign_run(accordi_foreign *foreign, const accord_batch *batch,
                                       double *result, _Atomic uint32_t *done, double *seconds,
                                       accord_error *error);
void accordi_foreign_close(accordi_foreign *foreign);

/* ---- between the files ---- */

/* dlopen of a path, soname or shorthand ("openblas", "gsl", …). */
void *accordi_library_open(const char *name, bool keep, accord_error *error);
/* Chooses entry and call of a BLAS routine; *entry gets the symbol's name (size 64). */
enum accord_status accordi_blas_bind(accordi_foreign *foreign, char *entry, accord_error *error);
/* Version, build, threads and true path of the library that holds `address`. */
void accordi_library_facts(void *handle, const void *address, const char *entry,
                           accordi_facts *facts);

/* ---- the worker process: remote.c ---- */

typedef struct accordi_remote accordi_remote;
enum accord_status accordi_remote_open(const accordi_question *question, double timeout,
                                       accordi_remote **out, accordi_facts *facts,
                                       accord_error *error);
enum accord_status accordi_remote_run(accordi_remote *remote, const accord_batch *batch,
                                      double *result, double *seconds, accord_error *error);
void *accordi_remote_arena(accordi_remote *remote, size_t bytes);
void accordi_remote_close(accordi_remote *remote);

/* ---- the kinds "so" and "blas": loaded.c ---- */

extern const accord_target_kind accordi_so_kind, accordi_blas_kind;
enum accord_status accordi_so_open(accord_target *target, const accordi_notation *notation,
                                   const accord_target_options *options, accord_error *error);
enum accord_status accordi_blas_open(accord_target *target, const accordi_notation *notation,
                                     const accord_target_options *options, accord_error *error);

#endif
