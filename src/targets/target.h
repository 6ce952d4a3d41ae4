/* Shared by all kinds of targets: questions, terms in memory, checks. Internal. (Synthetic targets:
 * synthetic/synthetic.h; foreign functions: foreign/foreign.h; programs: program/command.h.) */
#ifndef ACCORDI_TARGET_H
#define ACCORDI_TARGET_H

#include "base/base.h"
#include <accord/target.h>

/* ---- notation: kinds.c, notation.c ---- */

/* "KIND:HEAD" or "KIND:HEAD<separator>TAIL", taken apart; clear frees it. */
typedef struct accordi_notation {
    const struct accordi_kind_row *row;
    char *head;
    char *tail; /* NULL when there is none */
} accordi_notation;

/* Circumstances under which a sum might be added in another order. */
typedef struct accordi_circumstance {
    const char *when; /* "in the first calls of a new run" */
    size_t sums;      /* only the first so many are asked under it; 0: all */
    /* Where results differ, there is no order, for this reason: "the result depends on when the
     * terms arrive". NULL: that is a warning. */
    const char *depends;
    bool expected; /* that it holds there goes without saying */
    /* What opens the sum under it: */
    accordi_buffer notation;
    accord_target_options options;
    char element[48]; /* what options.element points to */
    size_t heap;      /* or the function of the kind; the heap begins so many bytes further on */
    accord_target *target;
} accordi_circumstance;

typedef struct accordi_kind_row {
    const accord_target_kind *kind;
    char separator;  /* 0: all of the rest is head */
    bool from_right; /* the last separator counts, not the first */
    bool tail_required;
    const char *example; /* for error texts */
    /* `target` comes zeroed but for n and notation; kind, state, format, storage_f32, wide_terms
     * and output are to be filled. On failure nothing is left behind. */
    enum accord_status (*open)(accord_target *target, const accordi_notation *notation,
                               const accord_target_options *options, accord_error *error);
    /* The same for a target that is open, which goes on with another number of terms; n is the new
     * one already. NULL: it has to be opened anew. */
    enum accord_status (*resize)(accord_target *target, const accordi_notation *notation,
                                 const accord_target_options *options, accord_error *error);
    /* Says how to open the same sum under the i-th of the circumstances in which it might be added
     * in another order; false past the last. May be NULL. */
    bool (*elsewhere)(const accord_target *target, const accordi_notation *notation, size_t i,
                      accordi_circumstance *out);
    /* Opens it. `out` comes zeroed but for n and notation, as for `open`. NULL: it is opened by
     * what `how` says. */
    enum accord_status (*open_elsewhere)(const accord_target *target,
                                         const accordi_circumstance *how, accord_target *out,
                                         accord_error *error);
} accordi_kind_row;

/* Opens the target under the i-th circumstance; ACCORD_OK with out->target NULL past the last.
 * ACCORDI_CONTROL + i, where it is known: the same but for what the i-th circumstance depends on.
 * If results differ there, too, the reason is another one, which that circumstance names.
 * ACCORDI_IN_TURN, where terms arrive at different times: they come one after the other, in another
 * order at each of so many calls, and then in these orders again; + 1: with more time between. */
enum { ACCORDI_CONTROL = 1 << 10, ACCORDI_IN_TURN = 1 << 11, ACCORDI_TURNS = 4 };
enum accord_status accordi_target_elsewhere(const accord_target *target, size_t i,
                                            accordi_circumstance *out, accord_error *error);
bool accordi_target_has_elsewhere(const accord_target *target);

extern const accordi_kind_row accordi_kind_rows[];
extern const size_t accordi_kind_count;

/* Takes a notation apart without opening, loading or running anything. ACCORD_ARG, with what
 * would have been right. */
enum accord_status accordi_notation_parse(const char *text, accordi_notation *out,
                                          accord_error *error);
void accordi_notation_clear(accordi_notation *notation);

/* ---- terms in memory: foreign/sparse_probes.c ---- */

/* How a number is kept where a black box finds it. */
enum accordi_storage {
    ACCORDI_F64,
    ACCORDI_F32,
    ACCORDI_BF16, /* from here on encodings: integers of 16 or 8 bits */
    ACCORDI_F16,
    ACCORDI_E4M3,
    ACCORDI_E5M2,
    ACCORDI_E3M2,
    ACCORDI_E2M3,
    ACCORDI_E2M1,
    ACCORDI_E8M0, /* of scales */
    ACCORDI_UE4M3
};
static inline bool accordi_is_encoding(enum accordi_storage storage)
{
    return storage >= ACCORDI_BF16;
}
/* The number at place `at` of an array of encodings. */
double accordi_encoded_get(enum accordi_storage storage, const void *base, ptrdiff_t at);
void accordi_encoded_put(enum accordi_storage storage, void *base, ptrdiff_t at, double value);
size_t accordi_storage_size(enum accordi_storage storage);
void accordi_operands_fill(void *operand, int64_t count, enum accordi_storage storage,
                           double value);

/* Where the n terms of a sum live: term k at base + k * stride elements. With `pair` 1 the terms
 * 2t and 2t + 1 are the parts of element t: at base + t * stride, one after the other. */
typedef struct accordi_cells {
    void *base;
    size_t n;
    ptrdiff_t stride; /* in numbers of `storage`, may be negative, not 0 */
    enum accordi_storage storage;
    unsigned pair;   /* 1: as said above, and then also: */
    unsigned swap;   /* 1: the parts change places */
    unsigned negate; /* 1: odd terms are kept with the other sign */
    bool has_tail;   /* there is a term n, kept in `tail` (rows are then n + 1 long) */
    double tail;
    bool clean; /* all terms hold `fill` */
    double fill;
    double *saved; /* what writes of the present probe have covered */
    size_t saved_capacity;
} accordi_cells;

typedef double accordi_call(void *context);

/* Answers a batch: brings the terms into place, calls once per probe, undoes. `second` is where
 * the second factors live, NULL where there are none. After each probe *done (may be NULL) is set
 * to the number of answers. ACCORD_NOMEM before anything is called. */
enum accord_status accordi_cells_run(accordi_cells *cells, accordi_cells *second,
                                     const accord_batch *batch, accordi_call *call, void *context,
                                     double *result, _Atomic uint32_t *done, accord_error *error);
void accordi_cells_clear(accordi_cells *cells); /* not the base, which is the caller's */

/* Zeroed memory whose start lies `past` bytes (0 … 63) past a 64-byte boundary, with a margin on
 * either side; *block is what to free. NULL when there is none. */
enum { ACCORDI_MARGIN = 256 };
void *accordi_aligned(size_t bytes, size_t past, void **block);

/* ---- memory beside the operands: outside_access.c ---- */

enum { ACCORDI_AREAS = 5 };

/* What a target reads and writes outside its operands, at the cost of a few calls; nothing where
 * that cannot be told (kinds without `examine`). */
enum accord_status accordi_target_examine(accord_target *target, accord_outside_access *out,
                                          accord_error *error);

/* ---- checks that several kinds share: check.c ---- */

/* The writes lie within n and start never falls. */
enum accord_status accordi_batch_check(const accord_target *target, const accord_batch *batch,
                                       accord_error *error);
size_t accordi_batch_writes(const accord_batch *batch);

/* ACCORD_ARG for a number of terms that no sum here can have: 0, or more leaves than a tree holds.
 */
enum accord_status accordi_check_count(size_t n, accord_error *error);

/* options->alignment for elements of `size` bytes, checked. */
enum accord_status accordi_read_alignment(const accord_target_options *options, int64_t size,
                                          int64_t *out, accord_error *error);
/* ACCORD_ARG when options are set that only BLAS routines know; `what` is the subject. */
enum accord_status accordi_refuse_blas_options(const accord_target_options *options,
                                               const char *what, accord_error *error);

/* The factor of the products that is asked for. */
double accordi_asked_alpha(const accord_target_options *options);

/* ACCORD_UNABLE where alpha = 0, so that no term reaches the result. */
/* ACCORD_UNSUPPORTED: the caller's thread rounds otherwise than to nearest, or flushes subnormal
 * numbers; then accord's own arithmetic would do so, too. */
enum accord_status accordi_check_environment(accord_error *error);
enum accord_status accordi_check_alpha(double alpha, bool has_start, accord_error *error);

/* ACCORD_ARG when alpha or beta are set, which only GEMV and GEMM have. */
enum accord_status accordi_refuse_scale(const accord_target_options *options, const char *what,
                                        accord_error *error);

/* The variables of the environment that matter to numerical libraries: "NAME=VALUE\n…" of what is
 * set. */
void accordi_variables(accordi_buffer *out);

#endif
