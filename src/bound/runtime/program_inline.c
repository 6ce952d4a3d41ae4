/* Shadows on their way through a program: memory, calls, and decisions. Compiled to bitcode. */
#include "bound/runtime/groups.h"
#include "bound/runtime/inline.h"
#include "bound/runtime/tape.h"

/* Declared for the instrumenter. */
void *const accordi_declared[] = {
    accordi_lose,           accordi_lose_unset,      accordi_escape,
    accordi_foreign_writes, accordi_foreign_copy,    accordi_integer_of,
    accordi_move,           accordi_clear,           accordi_compare_bytes,
    accordi_integer_load,   accordi_print,           accordi_write,
    accordi_read,           accordi_start_list,      accordi_print_list,
    accordi_regroup_sum,    accordi_regroup_product, accordi_libm,
    accordi_complex,        accordi_point_long,      accordi_load_long,
    accordi_store_long,     accordi_to_long,         accordi_from_long,
    accordi_operate_long,   accordi_read_long,       accordi_margin,
    accordi_scanned,        accordi_tape_complex,    accordi_move_floats};

/* ---- points ---- */

ACCORDI_INLINE void accordi_point(accordi_shadow *out, double x)
{
    set_point(out, x);
}

ACCORDI_INLINE void accordi_copy(accordi_shadow *out, const accordi_shadow *a)
{
    *out = *a;
}

/* A variable without a value. */
ACCORDI_INLINE void accordi_undefined(accordi_shadow *out, uint32_t site)
{
    double nan = __builtin_nan("");
    *out = (accordi_shadow){{nan, nan},
                            {infinite, infinite},
                            {ACCORDI_MAY_BE_NAN | ACCORDI_IS_LOST, site},
                            ACCORDI_SPECIAL};
}

/* A number whose operation is pinned enters sums rounded. */
ACCORDI_INLINE void accordi_pin(accordi_shadow *out, const accordi_shadow *a)
{
    uint64_t kind = a->kind;
    *out = *a;
    out->kind = kind == ACCORDI_SPECIAL ? kind : (uint64_t)ACCORDI_PLAIN;
}

/* An assignment ends an expression. */
ACCORDI_INLINE void accordi_assign(accordi_shadow *out, const accordi_shadow *a)
{
    uint64_t kind = a->kind;
    *out = *a;
    out->kind = kind == ACCORDI_SPECIAL || through() ? kind : (uint64_t)ACCORDI_PLAIN;
}

ACCORDI_INLINE void accordi_choose(accordi_shadow *out, bool first, const accordi_shadow *a,
                                   const accordi_shadow *b)
{
    if (first)
        *out = *a;
    else
        *out = *b;
}

/* ---- memory ---- */

static inline ACCORDI_INLINE uint64_t bits64(double x)
{
    return ((union {
               double x;
               uint64_t bits;
           }){x})
        .bits;
}
static inline ACCORDI_INLINE uint32_t bits32(float x)
{
    return ((union {
               float x;
               uint32_t bits;
           }){x})
        .bits;
}

/* Bits and kind of a slot at once. */
typedef uint64_t both __attribute__((may_alias));

static inline ACCORDI_INLINE uint64_t bits_and_kind(float x, uint64_t kind)
{
    return (bits32(x) ^ ACCORDI_MARK32) | kind << 32;
}

static inline ACCORDI_INLINE void load_factors(accordi_shadow *out, char *chunk, const void *p)
{
    if (__builtin_expect(out->kind > ACCORDI_PLAIN, 0)) {
        const accordi_factors_slot *f = accordi_factors(chunk, p);
        out->x = f->x;
        out->y = f->y;
    }
}

static inline ACCORDI_INLINE void load_slowly(accordi_shadow *out, const void *p, uint64_t bits,
                                              bool narrow, uint32_t site)
{
    accordi_shadow r;
    accordi_load_unknown(&r, p, bits, narrow, site);
    set_slow(out, &r, narrow);
}

ACCORDI_INLINE void accordi_load_f64(accordi_shadow *out, const void *p, double x, uint32_t site)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    const accordi_slot64 *s = accordi_slot(chunk, p);
    if (!likely(chunk && s->bits == (bits64(x) ^ ACCORDI_MARK64))) {
        load_slowly(out, p, bits64(x), false, site);
        return;
    }
    out->end = s->end;
    out->kind = s->kind;
    load_factors(out, chunk, p);
}

ACCORDI_INLINE void accordi_load_f32(accordi_shadow *out, const void *p, float x, uint32_t site)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    const accordi_slot32 *s = accordi_slot(chunk, p);
    if (!through() && likely(chunk && *(const both *)s == bits_and_kind(x, ACCORDI_PLAIN))) {
        out->end = widen((accordi_floats){s->end[0], s->end[1]});
        out->kind = ACCORDI_PLAIN;
        return;
    }
    if (!likely(chunk && s->bits == (bits32(x) ^ ACCORDI_MARK32))) {
        load_slowly(out, p, bits32(x), true, site);
        return;
    }
    out->end = widen((accordi_floats){s->end[0], s->end[1]});
    out->kind = s->kind;
    load_factors(out, chunk, p);
}

static inline ACCORDI_INLINE char *writable(const void *p)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    return likely(chunk) ? chunk : accordi_map_chunk(p);
}

static inline ACCORDI_INLINE void store_factors(const accordi_shadow *a, char *chunk, const void *p)
{
    if (a->kind > ACCORDI_PLAIN) {
        accordi_factors_slot *f = accordi_factors(chunk, p);
        f->x = a->x;
        f->y = a->y;
    }
}

ACCORDI_INLINE void accordi_store_f64(const void *p, double x, const accordi_shadow *a)
{
    char *chunk = writable(p);
    accordi_slot64 *s = accordi_slot(chunk, p);
    s->bits = bits64(x) ^ ACCORDI_MARK64;
    s->kind = a->kind;
    s->end = a->end;
    store_factors(a, chunk, p);
}

ACCORDI_INLINE void accordi_store_f32(const void *p, float x, const accordi_shadow *a)
{
    char *chunk = writable(p);
    accordi_slot32 *s = accordi_slot(chunk, p);
    *(both *)s = bits_and_kind(x, a->kind);
    s->end[0] = (float)a->end[0];
    s->end[1] = (float)a->end[1];
    store_factors(a, chunk, p);
}

/* May the slot at p, or the one before it, be the first one of a double? */
static inline ACCORDI_INLINE bool may_be_double(const accordi_slot64 *s)
{
    return s->kind - 1 < ACCORDI_WITH_SUM;
}

/* Before a float gets its slot, where doubles are stored too. */
ACCORDI_INLINE void accordi_store_part(const void *p)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    const accordi_slot64 *s = accordi_slot(chunk, p);
    if (!chunk || may_be_double(s) || accordi_granule(p) == 0 ||
        may_be_double((const accordi_slot64 *)((const char *)s - sizeof(accordi_slot32))))
        accordi_overwrite(p, sizeof(float));
}

/* Integers and addresses are written, where they may stand in the place of numbers. */
ACCORDI_INLINE void accordi_integer_store(const void *p, size_t bytes)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    if (!chunk)
        return;
    const accordi_slot_unset *s = accordi_slot(chunk, p);
    if (__builtin_expect(s->mark == ACCORDI_UNSET, 0) ||
        (bytes > 4 && s[1].mark == ACCORDI_UNSET) || bytes > 8)
        accordi_set(p, bytes);
}

/* ---- calls ---- */

static inline ACCORDI_INLINE void pass(accordi_shadow *to, const accordi_shadow *a)
{
    to->end = a->end;
    to->kind = through() || a->kind == ACCORDI_SPECIAL ? a->kind : (uint64_t)ACCORDI_PLAIN;
    if (to->kind > ACCORDI_PLAIN) {
        to->x = a->x;
        to->y = a->y;
    }
}

static inline ACCORDI_INLINE void fetch(accordi_shadow *out, const accordi_shadow *from)
{
    out->end = from->end;
    out->kind = from->kind;
    if (out->kind > ACCORDI_PLAIN) {
        out->x = from->x;
        out->y = from->y;
    }
}

ACCORDI_INLINE void accordi_call(const void *callee)
{
    accordi_calls.callee = callee;
    accordi_calls.returned = 0;
}
ACCORDI_INLINE void accordi_send(uint32_t i, const accordi_shadow *a)
{
    pass(&accordi_calls.value[i], a);
}
ACCORDI_INLINE void accordi_send_copied(uint32_t i, const void *p)
{
    accordi_calls.copied[i] = p;
}
ACCORDI_INLINE void accordi_send_list(const char *classes)
{
    accordi_calls.list = classes;
}
/* At the start of a function: were the arguments sent to it? */
ACCORDI_INLINE bool accordi_enter(const void *self)
{
    bool known = accordi_calls.callee == self;
    accordi_calls.callee = 0;
    return known;
}
ACCORDI_INLINE void accordi_receive(accordi_shadow *out, bool known, uint32_t i, uint32_t site)
{
    if (likely(known)) {
        fetch(out, &accordi_calls.value[i]);
    } else {
        accordi_shadow r;
        accordi_lose(&r, site, "called by code that is not instrumented");
        *out = r;
    }
}
ACCORDI_INLINE void accordi_give(uint32_t i, const accordi_shadow *a)
{
    pass(&accordi_calls.result[i], a);
}
ACCORDI_INLINE void accordi_leave(const void *self)
{
    accordi_calls.returned = self;
}
ACCORDI_INLINE void accordi_take(accordi_shadow *out, const void *callee, uint32_t i, uint32_t site)
{
    if (likely(accordi_calls.returned == callee)) {
        fetch(out, &accordi_calls.result[i]);
    } else {
        accordi_shadow r;
        accordi_lose(&r, site, "a function that is not instrumented, called by address");
        *out = r;
    }
}

/* ---- decisions ---- */

static inline ACCORDI_INLINE void decide_slowly(const accordi_shadow *a, const accordi_shadow *b,
                                                uint32_t relation, uint32_t site)
{
    accordi_decide(ACCORDI_GIVE(a), ACCORDI_GIVE(b), relation, site);
}

ACCORDI_INLINE void accordi_less(const accordi_shadow *a, const accordi_shadow *b, bool truth,
                                 uint32_t site)
{
    if (!likely(truth ? a->end[1] < -b->end[0] : -a->end[0] >= b->end[1]))
        decide_slowly(a, b, ACCORDI_LESS, site);
}

ACCORDI_INLINE void accordi_less_equal(const accordi_shadow *a, const accordi_shadow *b, bool truth,
                                       uint32_t site)
{
    if (!likely(truth ? a->end[1] <= -b->end[0] : -a->end[0] > b->end[1]))
        decide_slowly(a, b, ACCORDI_LESS_EQUAL, site);
}

ACCORDI_INLINE void accordi_greater(const accordi_shadow *a, const accordi_shadow *b, bool truth,
                                    uint32_t site)
{
    if (!likely(truth ? -a->end[0] > b->end[1] : a->end[1] <= -b->end[0]))
        decide_slowly(a, b, ACCORDI_GREATER, site);
}

ACCORDI_INLINE void accordi_greater_equal(const accordi_shadow *a, const accordi_shadow *b,
                                          bool truth, uint32_t site)
{
    if (!likely(truth ? -a->end[0] >= b->end[1] : a->end[1] < -b->end[0]))
        decide_slowly(a, b, ACCORDI_GREATER_EQUAL, site);
}

ACCORDI_INLINE void accordi_equal(const accordi_shadow *a, const accordi_shadow *b, bool truth,
                                  uint32_t site)
{
    bool apart = a->end[1] < -b->end[0] || b->end[1] < -a->end[0];
    bool points = a->end[1] == -a->end[0] && b->end[1] == -b->end[0];
    if (!likely(truth ? points : apart))
        decide_slowly(a, b, ACCORDI_EQUAL, site);
}

ACCORDI_INLINE void accordi_unordered(const accordi_shadow *a, const accordi_shadow *b,
                                      uint32_t site)
{
    if (!likely(a->end[1] == a->end[1] && b->end[1] == b->end[1]))
        decide_slowly(a, b, ACCORDI_UNORDERED, site);
}

ACCORDI_INLINE void accordi_integer(const accordi_shadow *a, uint32_t site)
{
    if (!likely(a->end[1] == -a->end[0]))
        accordi_decide_integer(ACCORDI_GIVE(a), site);
}

/* The result of a decision: where other paths are followed, another process gets another one. */
ACCORDI_INLINE int64_t accordi_turn(int64_t result)
{
    return likely(!accordi_is_open) ? result : accordi_take_turn(result);
}

ACCORDI_INLINE void accordi_sign(const accordi_shadow *a, uint32_t site)
{
    if (!likely(a->end[1] < 0 || a->end[0] < 0))
        accordi_decide_sign(ACCORDI_GIVE(a), site);
}

/* What is decided with it is not seen. */
ACCORDI_INLINE void accordi_unseen(const accordi_shadow *a, uint32_t site, const char *what)
{
    if (!likely(a->end[1] == -a->end[0]))
        accordi_decide_unseen(ACCORDI_GIVE(a), site, what);
}

/* The bits leave as an integer. */
ACCORDI_INLINE void accordi_to_bits(const accordi_shadow *a, uint32_t site)
{
    if (a->end[1] != -a->end[0])
        accordi_escape(site, "bits used as an integer");
}

ACCORDI_INLINE void accordi_from_bits(accordi_shadow *out, double x, uint32_t site)
{
    set_point(out, x);
    if (accordi_escaped) {
        accordi_shadow r;
        accordi_lose(&r, site, "bits changed by integer code");
        *out = r;
    }
}

ACCORDI_INLINE void accordi_foreign(const accordi_shadow *a, uint32_t site, const char *what)
{
    if (a->end[1] != -a->end[0])
        accordi_escape(site, what);
}

/* ---- structs passed by value, lists of arguments ---- */

ACCORDI_INLINE void accordi_receive_copied(const void *to, bool known, uint32_t i, size_t bytes)
{
    if (known)
        accordi_move(to, accordi_calls.copied[i], bytes);
    else
        accordi_clear(to, bytes);
}

/* `first`: how many of the numbers are parameters with a name. */
ACCORDI_INLINE void accordi_receive_list(accordi_list *list, bool known, uint32_t first)
{
    list->classes = known ? accordi_calls.list : 0;
    for (uint32_t i = 0; list->classes && first + i < ACCORDI_LIST; i++)
        list->value[first + i] = accordi_calls.value[first + i];
}
