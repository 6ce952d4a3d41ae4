/* Shadows: what the runtime keeps beside the numbers of a program, in values, memory and calls.
 *
 * A shadow bounds what a number could be under the model. Both ends are one vector, {-low, high}:
 * rounding to nearest is symmetric, so a sum is one addition of vectors, and a negation swaps the
 * lanes. Three parties share these layouts: the operations that are inlined into the program
 * (inline.h), the functions behind them (slow.c, memory.c, records.c), and the instrumenter, which
 * only passes addresses. */
#ifndef ACCORDI_SHADOW_H
#define ACCORDI_SHADOW_H

#include <accord/bound.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef double accordi_ends __attribute__((vector_size(16)));

enum accordi_shadow_kind {
    ACCORDI_NOTHING, /* of a slot: never written */
    ACCORDI_PLAIN,   /* a number in [low, high]; the ends may be infinite */
    ACCORDI_PRODUCT, /* also a product that may enter a sum unrounded: x * y are {-least, greatest}
                      */
    ACCORDI_SCALED,  /* the same, and floats do not hold its factors */
    ACCORDI_SPECIAL, /* end is NaN, x is the {-low, high}, y is {flags, site} */
    /* The rest is in the accordi_more of a wide shadow: */
    ACCORDI_WITH_MASS,       /* FAST: x is the real value, y is {mass, k} */
    ACCORDI_WITH_MASS_APART, /* the same, of a product that may become two terms */
    ACCORDI_WITH_SUM /* LOOP: x is the exact sum, y are the sizes of its {negative, positive}
                        terms */
};
enum { ACCORDI_MAY_BE_NAN = 1, ACCORDI_IS_LOST = 2 };

typedef struct accordi_shadow {
    accordi_ends end, x, y;
    uint64_t kind;
} accordi_shadow;

/* The shadow of a number under FAST (fast_inline.c) and LOOP (loop_inline.c). */
typedef union accordi_more {
    struct {
        double terms, factors, length, D, G, S;
    } mass;
    struct {
        accordi_ends rest; /* x + rest is the sum */
        double terms, largest, grid;
    } sum;
} accordi_more;
typedef struct accordi_wide_shadow {
    accordi_shadow base;
    accordi_more more;
} accordi_wide_shadow;
/* What the tape (tape.h) keeps of a number: the node that gave it, 0 if there is none, and of
 * a product that may enter a sum unrounded what its rounding left out. */
typedef struct accordi_mark {
    uint64_t node;
    double rest;
} accordi_mark;

/* ---- memory ---- */

/* Memory is divided into chunks. Each has a slot of 16 bytes for every 4 bytes, two of them for a
 * double, and 32 bytes more for the factors of products; with a tape, 16 more for a mark. A slot
 * counts only if it holds the bits that the memory holds: what other code writes is seen by that.
 */
enum { ACCORDI_CHUNK_BITS = 22, ACCORDI_ADDRESS_BITS = 47 };
#define ACCORDI_CHUNK ((uintptr_t)1 << ACCORDI_CHUNK_BITS)

typedef struct accordi_slot64 {
    uint64_t bits, kind; /* bits ^ ACCORDI_MARK64 */
    accordi_ends end;
} accordi_slot64;
typedef struct accordi_slot32 {
    uint32_t bits, kind; /* bits ^ ACCORDI_MARK32 */
    float end[2];
} accordi_slot32;
/* Of a number of 80 bits, which takes two slots as a double does. */
typedef struct accordi_slot80 {
    uint64_t bits; /* of the significand, ^ ACCORDI_MARK80 */
    uint32_t exponent, kind;
    accordi_ends end;
} accordi_slot80;
/* Of 4 bytes that were not set since the program got them. It counts while those of them that are
 * in `bytes` (bit i: the byte i) hold what they held then. */
typedef struct accordi_slot_unset {
    uint32_t bits, mark, bytes, zero; /* bits ^ ACCORDI_MARK_UNSET, ACCORDI_UNSET */
} accordi_slot_unset;
typedef struct accordi_factors_slot {
    accordi_ends x, y;
} accordi_factors_slot;
/* So a slot that was never written does not look like that of 0, but like that of a signaling NaN;
 * and the slot of a float never looks like half of a double's. */
#define ACCORDI_MARK32 UINT32_C(0x7fa1e995)
#define ACCORDI_MARK64 UINT64_C(0x7ff45bd100000000)
#define ACCORDI_MARK80 UINT64_C(0x7ff6a24c7fa2b36d)
#define ACCORDI_MARK_UNSET UINT32_C(0x3b91c6d5)
#define ACCORDI_UNSET UINT32_C(0xa5c3917e)

extern char *accordi_chunks[(size_t)1 << (ACCORDI_ADDRESS_BITS - ACCORDI_CHUNK_BITS)];

static inline uintptr_t accordi_chunk_number(const void *p)
{
    return (uintptr_t)p >> ACCORDI_CHUNK_BITS & (((uintptr_t)1 << 25) - 1);
}
static inline size_t accordi_granule(const void *p)
{
    return ((uintptr_t)p & (ACCORDI_CHUNK - 1)) >> 2;
}
static inline void *accordi_slot(char *chunk, const void *p)
{
    return chunk + 16 * accordi_granule(p);
}
static inline accordi_factors_slot *accordi_factors(char *chunk, const void *p)
{
    return (accordi_factors_slot *)(chunk + 4 * ACCORDI_CHUNK + 64) + accordi_granule(p);
}

/* What makes shadows wide follows. */
static inline accordi_more *accordi_more_slot(char *chunk, const void *p)
{
    return (accordi_more *)(chunk + 12 * ACCORDI_CHUNK + 128) + accordi_granule(p);
}

/* ---- calls ---- */

/* Shadows of arguments and results travel here. `callee` and `returned` say for whom and from whom
 * they are: where they do not match, the other side is not instrumented. */
enum { ACCORDI_ARGUMENTS = 64, ACCORDI_RESULTS = 8, ACCORDI_POINTERS = 16 };
typedef struct accordi_frame {
    const void *callee, *returned;
    const char *list; /* of a variadic call, the classes of the arguments (calls.c of instrument) */
    const void *copied[ACCORDI_POINTERS]; /* structs passed by value: where they were */
    accordi_shadow value[ACCORDI_ARGUMENTS], result[ACCORDI_RESULTS];
    accordi_mark mark[ACCORDI_ARGUMENTS], result_mark[ACCORDI_RESULTS];
} accordi_frame;
extern accordi_frame accordi_calls;
typedef struct accordi_more_frame {
    accordi_more value[ACCORDI_ARGUMENTS], result[ACCORDI_RESULTS];
} accordi_more_frame;
extern accordi_more_frame accordi_more_calls;

/* What a variadic function keeps until va_start. */
enum { ACCORDI_LIST = 48 };
typedef struct accordi_list {
    const char *classes;
    accordi_shadow value[ACCORDI_LIST];
    accordi_mark mark[ACCORDI_LIST];
} accordi_list;

/* ---- sites, which the instrumenter writes into the program ---- */

typedef struct accordi_site {
    const char *kind, *file;
    uint32_t line, column;
} accordi_site;
typedef struct accordi_site_state {
    double fusion, order, function; /* widths that were added here */
    double low, high;               /* the first unstable decision */
    uint64_t decisions, losses;
    uint64_t kept;               /* how often memory that was not set was taken as it was */
    const char *lost, *decision; /* what */
    uint32_t
        infinite; /* 1: the first site where an interval became infinite, 2: the next; 0: none */
    uint32_t named;
} accordi_site_state;

/* Models whose shadows are wide. */
enum { ACCORDI_WIDE = ACCORD_BOUND_FAST | ACCORD_BOUND_LOOP };
extern const uint32_t accordi_model, accordi_site_count, accordi_taped; /* is there a tape? */
extern const uint32_t accordi_both; /* are other paths followed? */
extern const accordi_site accordi_sites[];
extern accordi_site_state accordi_states[];
extern uint32_t accordi_infinite_sites; /* how many there are until now */

/* An interval became infinite here. */
static inline void accordi_becomes_infinite(uint32_t site)
{
    if (!accordi_states[site].infinite)
        accordi_states[site].infinite = ++accordi_infinite_sites;
}

#endif
