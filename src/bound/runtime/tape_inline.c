/* Operations on marks, which record nodes on the tape. Compiled to bitcode; the instrumenter adds
 * them only if a tape is wanted. x and y are the operands, r is the result. */
#include "bound/runtime/inline.h"
#include "bound/runtime/tape.h"

/* Products enter sums unrounded; also through variables and calls. */
static inline ACCORDI_INLINE bool may_fuse(void)
{
    return fuses() || accordi_model & ACCORD_BOUND_FAST;
}
static inline ACCORDI_INLINE bool anywhere(void)
{
    return through() || accordi_model & ACCORD_BOUND_FAST;
}

/* ---- nodes ---- */

static inline ACCORDI_INLINE uint32_t operand_of(const accordi_mark *a)
{
    uint64_t node = a->node, before = accordi_tape.before;
    if (likely(node > before))
        return (uint32_t)(node - before);
    return node == 0 ? 0 : accordi_tape_old(node);
}

static inline ACCORDI_INLINE uint32_t upper_half(double x)
{
    return (uint32_t)(((union {
                          double x;
                          uint64_t bits;
                      }){x})
                          .bits >>
                      32);
}

static const accordi_mark none = {0, 0};

/* Nodes are only made of what can move. */
static inline ACCORDI_INLINE void record(accordi_mark *out, const accordi_mark *a,
                                         const accordi_mark *b, const accordi_mark *c,
                                         double partial_a, double partial_b, double partial_c,
                                         double spread, uint32_t site)
{
    if ((a->node | b->node | c->node) == 0 && spread == 0) {
        *out = none;
        return;
    }
    if (__builtin_expect(accordi_tape.next >= accordi_tape.end, 0))
        accordi_tape_full();
    uint32_t i = operand_of(a), j = operand_of(b), k = operand_of(c);
    accordi_tape_node *n = accordi_tape.next++;
    n->partial[0] = partial_a;
    n->partial[1] = partial_b;
    n->operand[0] = i;
    n->operand[1] = j;
    n->operand[2] = k;
    n->third = (float)partial_c;
    n->spread = upper_half(spread);
    n->site = site;
    out->node = accordi_tape.before + (uint64_t)(n - accordi_tape.node);
    out->rest = 0;
}

static inline ACCORDI_INLINE void record_two(accordi_mark *out, const accordi_mark *a,
                                             const accordi_mark *b, double partial_a,
                                             double partial_b, double spread, uint32_t site)
{
    record(out, a, b, &none, partial_a, partial_b, 0, spread, site);
}

static inline ACCORDI_INLINE void record_one(accordi_mark *out, const accordi_mark *a,
                                             double partial, double spread, uint32_t site)
{
    record(out, a, &none, &none, partial, 0, 0, spread, site);
}

static inline ACCORDI_INLINE double looser(double spread, double r, double x, double y, bool narrow)
{
    const unsigned exact =
        ACCORD_BOUND_WRITTEN | ACCORD_BOUND_CONTRACT | ACCORD_BOUND_CONTRACT_EXPR;
    return accordi_model & ~exact ? accordi_tape_looser(spread, r, x, y, narrow) : spread;
}

/* ---- arithmetic ---- */

/* The sum x + y, rounded to r, with a rest that one of them left out. */
static inline ACCORDI_INLINE double with_rest(double x, double y, double r, double rest,
                                              bool narrow)
{
    if (narrow)
        return (double)(float)(x + y + rest);
    double part = r - x, left = (x - (r - part)) + (y - part);
    return r + (left + rest);
}

static inline ACCORDI_INLINE double farther(double spread, double x, double y, double r,
                                            double rest, bool narrow)
{
    double distance = __builtin_fabs(with_rest(x, y, r, rest, narrow) - r);
    return distance <= spread ? spread : distance;
}

static inline ACCORDI_INLINE void sum(accordi_mark *out, const accordi_mark *a,
                                      const accordi_mark *b, double x, double y, double r,
                                      double sign, uint32_t site, bool narrow)
{
    double spread = 0;
    if (a->rest != 0)
        spread = farther(spread, x, sign * y, r, a->rest, narrow);
    if (b->rest != 0)
        spread = farther(spread, x, sign * y, r, sign * b->rest, narrow);
    record_two(out, a, b, 1, sign, looser(spread, r, x, y, narrow), site);
}

static inline ACCORDI_INLINE void product(accordi_mark *out, const accordi_mark *a,
                                          const accordi_mark *b, double x, double y, double r,
                                          uint32_t site, bool narrow)
{
    double rest = 0;
    if (may_fuse())
        rest = narrow ? x * y - r : __builtin_fma(x, y, -r);
    record_two(out, a, b, y, x, looser(0, r, r, r, narrow), site);
    out->rest = rest;
}

static inline ACCORDI_INLINE void quotient(accordi_mark *out, const accordi_mark *a,
                                           const accordi_mark *b, double x, double y, double r,
                                           uint32_t site, bool narrow)
{
    (void)x;
    record_two(out, a, b, 1 / y, -r / y, looser(0, r, r, r, narrow), site);
}

#define BINARY(name, call)                                                                         \
    ACCORDI_INLINE void accordi_tape_##name##_f64(accordi_mark *out, const accordi_mark *a,        \
                                                  const accordi_mark *b, double x, double y,       \
                                                  double r, uint32_t site)                         \
    {                                                                                              \
        const bool narrow = false;                                                                 \
        call;                                                                                      \
    }                                                                                              \
    ACCORDI_INLINE void accordi_tape_##name##_f32(accordi_mark *out, const accordi_mark *a,        \
                                                  const accordi_mark *b, double x, double y,       \
                                                  double r, uint32_t site)                         \
    {                                                                                              \
        const bool narrow = true;                                                                  \
        call;                                                                                      \
    }
BINARY(add, sum(out, a, b, x, y, r, 1, site, narrow))
BINARY(subtract, sum(out, a, b, x, y, r, -1, site, narrow))
BINARY(multiply, product(out, a, b, x, y, r, site, narrow))
BINARY(divide, quotient(out, a, b, x, y, r, site, narrow))

/* r = sign * q + sign_z * z, where both signs are 1 or -1, and q, the product of x and y, is
 * used nowhere else: one node for both operations. */
static inline ACCORDI_INLINE void product_in_sum(accordi_mark *out, const accordi_mark *a,
                                                 const accordi_mark *b, const accordi_mark *c,
                                                 double x, double y, double q, double z, double r,
                                                 double sign, double sign_z, uint32_t site,
                                                 bool narrow)
{
    double spread = 0, rest = 0;
    if (may_fuse())
        rest = narrow ? x * y - q : __builtin_fma(x, y, -q);
    if (rest != 0)
        spread = farther(spread, sign * q, sign_z * z, r, sign * rest, narrow);
    if (c->rest != 0)
        spread = farther(spread, sign * q, sign_z * z, r, sign_z * c->rest, narrow);
    record(out, a, b, c, sign * y, sign * x, sign_z, spread, site);
}

#define PRODUCT_IN_SUM(suffix, narrow)                                                             \
    ACCORDI_INLINE void accordi_tape_product_in_sum_##suffix(                                      \
        accordi_mark *out, const accordi_mark *a, const accordi_mark *b, const accordi_mark *c,    \
        double x, double y, double q, double z, double r, double sign, double sign_z,              \
        uint32_t site)                                                                             \
    {                                                                                              \
        product_in_sum(out, a, b, c, x, y, q, z, r, sign, sign_z, site, narrow);                   \
    }
PRODUCT_IN_SUM(f64, false)
PRODUCT_IN_SUM(f32, true)

/* Times a power of two that is written in the source: products stay products. */
ACCORDI_INLINE void accordi_tape_scale(accordi_mark *out, const accordi_mark *a, double factor,
                                       uint32_t site)
{
    double rest = anywhere() ? a->rest * factor : 0;
    record_one(out, a, factor, 0, site);
    out->rest = rest;
}

ACCORDI_INLINE void accordi_tape_negate(accordi_mark *out, const accordi_mark *a, uint32_t site)
{
    double rest = -a->rest;
    record_one(out, a, -1, 0, site);
    out->rest = rest;
}

ACCORDI_INLINE void accordi_tape_fma(accordi_mark *out, const accordi_mark *a,
                                     const accordi_mark *b, const accordi_mark *c, double x,
                                     double y, double r, uint32_t site)
{
    record(out, a, b, c, y, x, 1, looser(0, r, r, r, false), site);
}

/* ---- numbers that are passed on ---- */

ACCORDI_INLINE void accordi_tape_copy(accordi_mark *out, const accordi_mark *a)
{
    *out = *a;
}

/* The same number, and no product. */
ACCORDI_INLINE void accordi_tape_plain(accordi_mark *out, const accordi_mark *a)
{
    out->node = a->node;
    out->rest = 0;
}

/* Assignments, and conversions to a wider format. */
ACCORDI_INLINE void accordi_tape_assign(accordi_mark *out, const accordi_mark *a)
{
    double rest = anywhere() ? a->rest : 0;
    out->node = a->node;
    out->rest = rest;
}

ACCORDI_INLINE void accordi_tape_choose(accordi_mark *out, bool first, const accordi_mark *a,
                                        const accordi_mark *b)
{
    if (first)
        *out = *a;
    else
        *out = *b;
}

ACCORDI_INLINE void accordi_tape_absolute(accordi_mark *out, const accordi_mark *a, double x,
                                          uint32_t site)
{
    if (x < 0)
        record_one(out, a, -1, 0, site);
    else
        accordi_tape_plain(out, a);
}

/* fmin or fmax gave r. */
ACCORDI_INLINE void accordi_tape_extreme(accordi_mark *out, const accordi_mark *a,
                                         const accordi_mark *b, double x, double r)
{
    accordi_tape_plain(out, x == r ? a : b);
}

/* ---- functions ---- */

static inline ACCORDI_INLINE void function(accordi_mark *out, const accordi_mark *a,
                                           const accordi_mark *b, double x, double y, double r,
                                           uint32_t which, uint32_t site, bool narrow)
{
    double spread = accordi_tape_function_spread(which, r, narrow), partial[2] = {0, 0};
    if ((a->node | b->node) != 0)
        accordi_tape_partials(which, x, y, r, partial);
    record_two(out, a, b, partial[0], partial[1], spread, site);
    if (which == ACCORD_BOUND_POW && y == 2 && may_fuse())
        out->rest = narrow ? x * x - r : __builtin_fma(x, x, -r);
}

ACCORDI_INLINE void accordi_tape_function_f64(accordi_mark *out, const accordi_mark *a,
                                              const accordi_mark *b, double x, double y, double r,
                                              uint32_t which, uint32_t site)
{
    function(out, a, b, x, y, r, which, site, false);
}
ACCORDI_INLINE void accordi_tape_function_f32(accordi_mark *out, const accordi_mark *a,
                                              const accordi_mark *b, double x, double y, double r,
                                              uint32_t which, uint32_t site)
{
    function(out, a, b, x, y, r, which, site, true);
}

ACCORDI_INLINE void accordi_tape_sqrt(accordi_mark *out, const accordi_mark *a, double r,
                                      uint32_t site)
{
    record_one(out, a, 0.5 / r, looser(0, r, r, 0, false), site);
}

ACCORDI_INLINE void accordi_tape_libm(accordi_mark *out, const accordi_mark *a,
                                      const accordi_mark *b, double x, double y, double r,
                                      uint32_t what, uint32_t site)
{
    double partial[2] = {0, 0};
    if ((a->node | b->node) != 0)
        accordi_tape_libm_partials(what, x, y, r, partial);
    record_two(out, a, b, partial[0], partial[1], 0, site);
}

/* Of long double. Nothing is fused there; libraries err by units of 80 bits. */
ACCORDI_INLINE void accordi_tape_operate_long(accordi_mark *out, const accordi_mark *a,
                                              const accordi_mark *b, double x, double y, double r,
                                              uint32_t operation, uint32_t site)
{
    if (operation == ACCORDI_DO_ADD)
        record_two(out, a, b, 1, x, 0, site); /* x: the sign */
    else if (operation == ACCORDI_DO_DIVIDE)
        record_two(out, a, b, 1 / y, -r / y, 0, site);
    else
        record_two(out, a, b, y, x, 0, site);
}

ACCORDI_INLINE void accordi_tape_function_long(accordi_mark *out, const accordi_mark *a,
                                               const accordi_mark *b, double x, double y, double r,
                                               uint32_t which, uint32_t site)
{
    double partial[2] = {0, 0};
    if ((a->node | b->node) != 0)
        accordi_tape_partials(which, x, y, r, partial);
    record_two(out, a, b, partial[0], partial[1],
               accordi_tape_function_spread(which, r, false) * 0x1p-11, site);
}

/* A function without a table of its derivatives. */
ACCORDI_INLINE void accordi_tape_unknown(accordi_mark *out, uint32_t site)
{
    record_one(out, &none, 0, __builtin_nan(""), site);
}

/* ---- memory ---- */

/* Memory holds what has no shadow: an input. */
static inline ACCORDI_INLINE void forget(accordi_mark *out, char *chunk, const void *p)
{
    *out = none;
    if (chunk)
        *accordi_mark_at(chunk, p) = none;
}

/* A number from an earlier segment is looked up once. */
static inline ACCORDI_INLINE void load(accordi_mark *out, char *chunk, const void *p)
{
    accordi_mark *m = accordi_mark_at(chunk, p);
    *out = *m;
    if (__builtin_expect(m->node - 1 < accordi_tape.before, 0)) {
        if (accordi_tape.next >= accordi_tape.end)
            accordi_tape_full();
        out->node = m->node = accordi_tape.before + accordi_tape_old(m->node);
    }
}

ACCORDI_INLINE void accordi_tape_load_f64(accordi_mark *out, const void *p, double x)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    const accordi_slot64 *s = accordi_slot(chunk, p);
    union {
        double x;
        uint64_t bits;
    } u = {x};
    if (likely(chunk && s->bits == (u.bits ^ ACCORDI_MARK64)))
        load(out, chunk, p);
    else
        forget(out, chunk, p);
}

ACCORDI_INLINE void accordi_tape_load_f32(accordi_mark *out, const void *p, float x)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    const accordi_slot32 *s = accordi_slot(chunk, p);
    union {
        float x;
        uint32_t bits;
    } u = {x};
    if (likely(chunk && s->bits == (u.bits ^ ACCORDI_MARK32)))
        load(out, chunk, p);
    else
        forget(out, chunk, p);
}

ACCORDI_INLINE void accordi_tape_load_long(accordi_mark *out, const void *p)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    if (accordi_counts_long(p))
        load(out, chunk, p);
    else
        forget(out, chunk, p);
}

ACCORDI_INLINE void accordi_tape_store(const void *p, const accordi_mark *a)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    if (!likely(chunk))
        chunk = accordi_map_chunk(p);
    *accordi_mark_at(chunk, p) = *a;
}

/* ---- calls ---- */

static inline ACCORDI_INLINE void pass(accordi_mark *to, const accordi_mark *a)
{
    to->node = a->node;
    to->rest = anywhere() ? a->rest : 0;
}

ACCORDI_INLINE void accordi_tape_send(uint32_t i, const accordi_mark *a)
{
    pass(&accordi_calls.mark[i], a);
}
ACCORDI_INLINE void accordi_tape_receive(accordi_mark *out, bool known, uint32_t i)
{
    *out = known ? accordi_calls.mark[i] : none;
}
ACCORDI_INLINE void accordi_tape_give(uint32_t i, const accordi_mark *a)
{
    pass(&accordi_calls.result_mark[i], a);
}
ACCORDI_INLINE void accordi_tape_take(accordi_mark *out, const void *callee, uint32_t i)
{
    *out = accordi_calls.returned == callee ? accordi_calls.result_mark[i] : none;
}
ACCORDI_INLINE void accordi_tape_receive_list(accordi_list *list, bool known, uint32_t first)
{
    for (uint32_t i = 0; known && first + i < ACCORDI_LIST; i++)
        list->mark[first + i] = accordi_calls.mark[first + i];
}

/* A number is about to leave. */
ACCORDI_INLINE void accordi_tape_leave(const accordi_mark *a)
{
    accordi_tape.leaving = a->node;
}
