/* The functions behind the inlined operations. Internal. */
#ifndef ACCORDI_SLOW_H
#define ACCORDI_SLOW_H

#include "bound/runtime/shadow.h"

/* ---- arithmetic on any shadow: slow.c ---- */

enum accordi_slow_operation {
    ACCORDI_DO_ADD,
    ACCORDI_DO_MULTIPLY,
    ACCORDI_DO_SQUARE,
    ACCORDI_DO_DIVIDE,
    ACCORDI_DO_FMA,
    ACCORDI_DO_SQRT,
    ACCORDI_DO_ABS,
    ACCORDI_DO_MINIMUM,
    ACCORDI_DO_MAXIMUM,
    ACCORDI_DO_NARROW,
    ACCORDI_DO_FUNCTION /* plus an accord_bound_operation */
};
/* A shadow as it is passed to a function: in registers, so that it needs no place in memory. */
#define ACCORDI_PARTS(a)                                                                           \
    accordi_ends a##_end, accordi_ends a##_x, accordi_ends a##_y, uint64_t a##_kind
#define ACCORDI_GIVE(a) (a)->end, (a)->x, (a)->y, (a)->kind

/* Operands are floats if `narrow`. */
void accordi_slow(accordi_shadow *out, ACCORDI_PARTS(a), ACCORDI_PARTS(b), uint32_t operation,
                  uint32_t site, bool narrow);
void accordi_slow_fma(accordi_shadow *out, ACCORDI_PARTS(a), ACCORDI_PARTS(b),
                      const accordi_shadow *c, uint32_t site, bool narrow);
/* `scale_a` and `scale_b` are not 0 where the operand is a power of two that is written in the
 * source. */
void accordi_slow_scale(accordi_shadow *out, ACCORDI_PARTS(a), ACCORDI_PARTS(b), double scale_a,
                        double scale_b, bool divide, uint32_t site, bool narrow);

/* ---- decisions ---- */

enum accordi_relation {
    ACCORDI_LESS,
    ACCORDI_LESS_EQUAL,
    ACCORDI_GREATER,
    ACCORDI_GREATER_EQUAL,
    ACCORDI_EQUAL,
    ACCORDI_UNORDERED
};
void accordi_decide(ACCORDI_PARTS(a), ACCORDI_PARTS(b), uint32_t relation, uint32_t site);
/* Notes how near to a tie a comparison comes. */
void accordi_margin(const accordi_shadow *a, const accordi_shadow *b, uint32_t site);
void accordi_put_margins(void);
void accordi_decide_integer(ACCORDI_PARTS(a), uint32_t site);
/* What this number decides is not seen: it may be anything. */
void accordi_decide_unseen(ACCORDI_PARTS(a), uint32_t site, const char *what);
/* memcmp of n bytes, which numbers may stand in. */
void accordi_compare_bytes(const void *a, const void *b, size_t n, uint32_t site);
void accordi_decide_sign(ACCORDI_PARTS(a), uint32_t site);

/* A function whose result is an integer. */
enum accordi_integer_function {
    ACCORDI_TO_EVEN,
    ACCORDI_TO_AWAY,
    ACCORDI_EXPONENT,
    ACCORDI_IS_NAN,
    ACCORDI_IS_INFINITE,
    ACCORDI_KIND
};
void accordi_integer_of(const accordi_shadow *a, unsigned which, uint32_t site);
/* A decision that the intervals leave open. */
void accordi_unstable(uint32_t site, const char *what, double low, double high);
/* paths.c: is there one that could go another way? Its result, which is another one in another
 * process. */
extern uint32_t accordi_is_open;
int64_t accordi_take_turn(int64_t result);

/* ---- long double on x86: longer.c ---- */

void accordi_point_long(accordi_shadow *out, long double x);
void accordi_load_long(accordi_shadow *out, const void *p, long double x, uint32_t site);
/* The number itself is in memory already. */
void accordi_store_long(const void *p, const accordi_shadow *a);
/* Has one ever been stored? */
extern bool accordi_any_long;
/* Does a shadow of the number at p count? */
bool accordi_counts_long(const void *p);
/* From a float if `narrow`, else from a double; and to one. */
void accordi_to_long(accordi_shadow *out, const accordi_shadow *a, bool narrow);
void accordi_from_long(accordi_shadow *out, const accordi_shadow *a, uint32_t site, bool narrow);
/* An accordi_slow_operation; those of fewer operands get any for the others. */
void accordi_operate_long(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                          const accordi_shadow *c, uint32_t operation, uint32_t site);
void accordi_read_long(accordi_shadow *out, long double x, uint32_t site);

/* ---- functions of libm: libm.c ---- */

enum accordi_libm_function {
    ACCORDI_FMOD,
    ACCORDI_REMAINDER,
    ACCORDI_COPY_SIGN,
    ACCORDI_POSITIVE_DIFFERENCE,
    ACCORDI_LDEXP,
    ACCORDI_FREXP,
    ACCORDI_MODF
};
/* `b` is `a` for functions of one number; n: the integer that ldexp gets. */
void accordi_libm(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b, int64_t n,
                  uint32_t what, uint32_t site, bool narrow);
/* ---- functions of complex numbers: complex.c ---- */

enum accordi_complex_function {
    ACCORDI_COMPLEX_MULTIPLY,
    ACCORDI_COMPLEX_DIVIDE,
    ACCORDI_COMPLEX_PROJECTION,
    ACCORDI_COMPLEX_ARGUMENT, /* re alone */
    ACCORDI_COMPLEX_EXP,
    ACCORDI_COMPLEX_LOG,
    ACCORDI_COMPLEX_SQRT,
    ACCORDI_COMPLEX_POW,
    ACCORDI_COMPLEX_SIN,
    ACCORDI_COMPLEX_COS,
    ACCORDI_COMPLEX_SINH,
    ACCORDI_COMPLEX_COSH
};
enum accordi_width { ACCORDI_FLOAT, ACCORDI_DOUBLE, ACCORDI_LONG };
/* Of a + b i and, where it takes two numbers, c + d i. */
void accordi_complex(accordi_shadow *re, accordi_shadow *im, const accordi_shadow *a,
                     const accordi_shadow *b, const accordi_shadow *c, const accordi_shadow *d,
                     uint32_t what, uint32_t site, uint32_t width);

/* ---- shadows that are lost ---- */

/* The shadow of a number of which nothing is known, lost here. */
void accordi_lose(accordi_shadow *out, uint32_t site, const char *what);
/* The same of x, a variable that is used before it is set, unless that is to be taken as it is. */
void accordi_lose_unset(accordi_shadow *out, double x, uint32_t site, const char *what);
/* The bits of a number became an integer, or foreign code saw it: from now on memory without a
 * shadow may depend on it. */
void accordi_escape(uint32_t site, const char *what);
extern uint32_t accordi_escaped; /* the site + 1 */
/* Foreign code had an address, and may have written anywhere: memory loses its shadows. */
void accordi_foreign_writes(uint32_t site, const char *what);
/* Foreign code got a copy of these bytes. */
void accordi_foreign_copy(const void *p, size_t bytes, uint32_t site, const char *what);

/* ---- memory: memory.c ---- */

void accordi_load_unknown(accordi_shadow *out, const void *p, uint64_t bits, bool narrow,
                          uint32_t site);
char *accordi_map_chunk(const void *p);

/* ---- memory that is not set: unset.c ---- */

/* These bytes are set, but have no shadows for that. */
void accordi_set(const void *p, size_t bytes);
/* scanf got this address as number i, and assigned to the first `assigned` of them. */
void accordi_scanned(const void *p, size_t bytes, uint32_t i, int32_t assigned);

/* ---- what the instrumenter calls for functions of libc: memory.c, outputs.c, lists.c ---- */

/* Shadows follow bytes that were copied, or are forgotten: called before that, or after it. */
void accordi_move(const void *to, const void *from, size_t bytes);
void accordi_move_floats(const void *to, const void *from, size_t bytes); /* all are floats */
void accordi_clear(const void *to, size_t bytes);
/* parts.c: these bytes are about to be overwritten, or just were: what they leave of numbers that
 * are no points becomes unknown. */
void accordi_overwrite(const void *p, size_t bytes);
void accordi_integer_load(const void *p, size_t bytes, uint32_t site);
void accordi_print(uint32_t site, double x, const accordi_shadow *a, bool narrow, bool text);
void accordi_write(uint32_t site, const void *from, size_t size, size_t count);
void accordi_read(accordi_shadow *out, double x, uint32_t site);
void accordi_start_list(void *list, const accordi_list *sent);
void accordi_print_list(uint32_t site, const char *format, void *list);

#endif
