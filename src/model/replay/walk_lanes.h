/* Template: a model's tree for LANES rows side by side. Before including it define NAME, TYPE,
 * LANES, TARGET (an attribute), IS_FLOAT (1 for lanes of float), FUSE_F32 and FUSE_F64 (fma of
 * many). No include guard. Internal.
 *
 * As in lanes.h the inner children of the next node are the top of a stack. A node is a step of
 * the plan: one of few vector operations, or accordi_node lane by lane. */

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define EACH for (size_t l = 0; l < LANES; l++)

/* Lanes in parts of 32 bytes, on boundaries of 64: gcc does not make vectors of loops over lanes
 * here (walk.c says why), and it moves vectors wider than a register through memory. NARROWED and
 * WIDENED are conversions to float and back, of a part of lanes of double. */
#if LANES == 1
#define PARTS 1
#define PART(p, i) ((p)[i])
#define FLOATS(p, i) ((p)[i])
#define NARROWED(v) ((float)(v))
#define WIDENED(v) ((TYPE)(v))
#else
#define PARTS (LANES * sizeof(TYPE) / 32)
typedef TYPE PASTE(NAME, _part) __attribute__((vector_size(32), may_alias));
typedef float PASTE(NAME, _floats)
    __attribute__((vector_size(32 / sizeof(TYPE) * sizeof(float)), may_alias));
#define PART(p, i) (((PASTE(NAME, _part) *)(p))[i])
#define FLOATS(p, i) (((PASTE(NAME, _floats) *)(p))[i])
#define NARROWED(v) __builtin_convertvector(v, PASTE(NAME, _floats))
#define WIDENED(v) __builtin_convertvector(v, PASTE(NAME, _part))
#endif
#define EVERY for (size_t i = 0; i < PARTS; i++)

/* Lanes of double rounded to float; the decision is taken once for all lanes, outside the loop,
 * which gcc 12 gets wrong when it stands inside. */
TARGET static inline void PASTE(NAME, _narrow)(bool narrow, TYPE *v)
{
#if IS_FLOAT
    (void)narrow, (void)v;
#else
    if (narrow)
        EVERY PART(v, i) = WIDENED(NARROWED(PART(v, i)));
#endif
}

/* out = a * b + c, rounded once; out may be c. */
TARGET static inline void PASTE(NAME, _fuse)(const accordi_step *step, const TYPE *a, const TYPE *b,
                                             const TYPE *c, TYPE *out)
{
#if IS_FLOAT
    (void)step;
    FUSE_F32(a, b, c, out, LANES);
#else
    if (step->kind == ACCORDI_FMA32) {
        float p[4][LANES] __attribute__((aligned(64)));
        EVERY FLOATS(p[0], i) = NARROWED(PART(a, i));
        EVERY FLOATS(p[1], i) = NARROWED(PART(b, i));
        EVERY FLOATS(p[2], i) = NARROWED(PART(c, i));
        FUSE_F32(p[0], p[1], p[2], p[3], LANES);
        EVERY PART(out, i) = WIDENED(FLOATS(p[3], i));
    } else {
        FUSE_F64(a, b, c, out, LANES);
    }
#endif
}

/* out = a * b + 0, rounded into the format of products: that of two floats is exact in double. */
TARGET static inline void PASTE(NAME, _fuse_zero)(const accordi_step *step, const TYPE *a,
                                                  const TYPE *b, TYPE *out)
{
    static const TYPE zeros[LANES] __attribute__((aligned(64))) = {0};
#if IS_FLOAT
    (void)step;
    FUSE_F32(a, b, zeros, out, LANES);
#else
    FUSE_F64(a, b, zeros, out, LANES);
    PASTE(NAME, _narrow)(step->product32, out);
#endif
}

/* The term of a leaf, rounded, with the zero that its node adds to it. */
TARGET static inline const TYPE *PASTE(NAME, _term)(const accordi_step *step, const TYPE *x,
                                                    const TYPE *y, uint32_t leaf, TYPE *room)
{
    const TYPE *a = x + (size_t)leaf * LANES, *b = y ? y + (size_t)leaf * LANES : NULL;
    if (!y && !step->terms_zero)
        return a;
    if (!y) {
        EVERY PART(room, i) = PART(a, i) + (TYPE)0;
    } else if (step->zero == ACCORD_ZERO_FUSED) {
        PASTE(NAME, _fuse_zero)(step, a, b, room);
    } else {
        EVERY PART(room, i) = PART(a, i) * PART(b, i);
        PASTE(NAME, _narrow)(step->product32, room);
        if (step->terms_zero)
            EVERY PART(room, i) += (TYPE)0;
    }
    return room;
}

/* The first term of a sum that goes on with a fused one. */
TARGET static inline const TYPE *PASTE(NAME, _first)(const accordi_step *step, const TYPE *x,
                                                     const TYPE *y, uint32_t leaf, TYPE zero,
                                                     TYPE *room)
{
    TYPE zeros[LANES] __attribute__((aligned(64)));
    EACH zeros[l] = step->zero == ACCORD_ZERO_FUSED ? 0 : zero;
    if (step->starts_fused) {
        size_t at = (size_t)leaf * LANES;
        PASTE(NAME, _fuse)(step, x + at, y + at, zeros, room);
        if (step->zero == ACCORD_ZERO_ROUNDED)
            EVERY PART(room, i) += (TYPE)0;
    } else {
        PASTE(NAME, _term)(step, x, y, leaf, room);
        EVERY PART(room, i) += zero;
    }
    return room;
}

/* Any other node; returns the depth of the stack below it. */
static size_t PASTE(NAME, _any)(const accordi_plan *plan, uint32_t k, const TYPE *x, const TYPE *y,
                                TYPE *stack, size_t depth, double *scratch)
{
    const accord_tree *tree = plan->tree;
    uint32_t count = tree->first[k + 1] - tree->first[k];
    double *a = scratch, *b = scratch + (size_t)count * LANES;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t child = tree->child[tree->first[k] + i];
        bool leaf = child < tree->leaves;
        size_t at = leaf ? child : --depth;
        const TYPE *from = (leaf ? x : stack) + at * LANES;
        EACH a[l * count + i] = (double)from[l];
        EACH b[l * count + i] = leaf && y ? (double)y[at * LANES + l] : 1;
    }
    EACH stack[depth * LANES + l] = (TYPE)accordi_node(plan, k, a + l * count, b + l * count);
    return depth;
}

#if LANES == 1
#define CHAIN _add
#define NEXT(acc, leaf) ((acc) + x[leaf])
#include "model/replay/walk_chain.h"
#define CHAIN _times
#define NEXT(acc, leaf) ((acc) + x[leaf] * y[leaf])
#include "model/replay/walk_chain.h"
#define CHAIN _fuse
#if IS_FLOAT
#define NEXT(acc, leaf) fmaf(x[leaf], y[leaf], acc)
#include "model/replay/walk_chain.h"
#define CHAINS_OF(c)                                                                               \
    {                                                                                              \
        PASTE(NAME, c##_add), PASTE(NAME, c##_times), PASTE(NAME, c##_fuse)                        \
    }
#else
#define NEXT(acc, leaf) fma(x[leaf], y[leaf], acc)
#include "model/replay/walk_chain.h"
/* Sums rounded to float, … */
#define CHAIN _add_stored
#define NEXT(acc, leaf) ((double)(float)((acc) + x[leaf]))
#include "model/replay/walk_chain.h"
#define CHAIN _times_stored
#define NEXT(acc, leaf) ((double)(float)((acc) + x[leaf] * y[leaf]))
#include "model/replay/walk_chain.h"
#define CHAIN _fuse_stored
#define NEXT(acc, leaf) ((double)(float)fma(x[leaf], y[leaf], acc))
#include "model/replay/walk_chain.h"
/* … products, … */
#define CHAIN _times32
#define NEXT(acc, leaf) ((acc) + (double)(float)(x[leaf] * y[leaf]))
#include "model/replay/walk_chain.h"
/* … and both. */
#define CHAIN _times32_stored
#define NEXT(acc, leaf) ((double)(float)((acc) + (double)(float)(x[leaf] * y[leaf])))
#include "model/replay/walk_chain.h"
#define CHAIN _fuse32
#define NEXT(acc, leaf) ((double)fmaf((float)x[leaf], (float)y[leaf], (float)(acc)))
#include "model/replay/walk_chain.h"
#define CHAINS_OF(c)                                                                               \
    {                                                                                              \
        PASTE(NAME, c##_add), PASTE(NAME, c##_times), PASTE(NAME, c##_fuse),                       \
            PASTE(NAME, c##_add_stored), PASTE(NAME, c##_times_stored),                            \
            PASTE(NAME, c##_fuse_stored), PASTE(NAME, c##_times32),                                \
            PASTE(NAME, c##_times32_stored), PASTE(NAME, c##_fuse32)                               \
    }
#endif

typedef uint32_t PASTE(NAME, _chain)(const accord_tree *tree, const uint8_t *code, uint32_t k,
                                     const TYPE *x, const TYPE *y, TYPE *sum);
typedef uint32_t PASTE(NAME, _chains)(const accord_tree *tree, const uint8_t *code,
                                      const uint32_t *start, uint32_t count, uint32_t length,
                                      const TYPE *x, const TYPE *y, TYPE *sum);

/* Chains that were summed before their turn came. */
typedef struct PASTE(NAME, _ahead) {
    uint32_t start[ACCORDI_MOST_CHAINS], length, count, next;
    TYPE sum[ACCORDI_MOST_CHAINS];
} PASTE(NAME, _ahead);

/* How nodes of this kind go on, an index of CHAINS_OF; or -1 for those that go one by one. */
static int PASTE(NAME, _way)(const accordi_step *step, const TYPE *y)
{
    enum { ADD, TIMES, FUSE, STORED, TIMES32 = 6, TIMES32_STORED, FUSE32 };
    bool fused = step->kind >= ACCORDI_FMA32;
    if (step->zero != ACCORD_ZERO_NONE || step->kind == ACCORDI_SCALAR ||
        (fused && (step->fused != 1 || !y)))
        return -1;
    if (IS_FLOAT)
        return fused ? FUSE : y ? TIMES : ADD;
    if (step->kind == ACCORDI_FMA32)
        return FUSE32;
    bool stored = step->stored32 || step->kind == ACCORDI_ADD32;
    if (y && !fused && step->product32)
        return stored ? TIMES32_STORED : TIMES32;
    return (stored ? STORED : 0) + (fused ? FUSE : y ? TIMES : ADD);
}

/* Whether node k adds a leaf to the node before it. */
static inline bool PASTE(NAME, _goes_on)(const accord_tree *tree, uint32_t k)
{
    const uint32_t *child = tree->child + 2 * (size_t)k;
    return k < tree->inner && child[0] == tree->leaves + k - 1 && child[1] < tree->leaves;
}

/* The chain that begins with node k and those of its length behind it; false if there are none. The
 * longest may have a term more than others: a node less of each is enough. */
static bool PASTE(NAME, _find)(const accord_tree *tree, uint32_t k, PASTE(NAME, _ahead) * ahead)
{
    const uint32_t n = tree->leaves;
    uint32_t length = 1, count = 1;
    while (PASTE(NAME, _goes_on)(tree, k + length))
        length++;
    ahead->start[0] = k;
    ahead->length = length - 1;
    for (; length > 4 && count < ACCORDI_MOST_CHAINS; count++) {
        uint32_t at = ahead->start[count - 1] + length - 1, end = at + 12;
        const uint32_t *child = tree->child;
        while (at < end && at < tree->inner &&
               (child[2 * (size_t)at] >= n || child[2 * (size_t)at + 1] >= n))
            at++;
        if (at == end || at + length > tree->inner)
            break;
        ahead->start[count] = at;
    }
    ahead->count = count > 1 ? count : 0;
    ahead->next = 0;
    for (uint32_t w = count; w < ACCORDI_MOST_CHAINS; w++) { /* computed for nothing */
        ahead->start[w] = k;
        ahead->sum[w] = 0;
    }
    return count > 1;
}

/* The value of a node of two leaves. */
TARGET static TYPE PASTE(NAME, _pair)(const accordi_step *step, const uint32_t *pair, const TYPE *x,
                                      const TYPE *y, TYPE zero)
{
    TYPE room[2] = {0}, sum = 0;
    if (step->kind >= ACCORDI_FMA32) {
        PASTE(NAME, _first)(step, x, y, pair[0], zero, room);
        PASTE(NAME, _fuse)(step, x + pair[1], y + pair[1], room, &sum);
    } else {
        const TYPE *b = PASTE(NAME, _term)(step, x, y, pair[1], room + 1);
        const TYPE *a = PASTE(NAME, _term)(step, x, y, pair[0], room);
        sum = (*a + zero) + *b;
    }
    PASTE(NAME, _narrow)(step->kind == ACCORDI_ADD32 || step->stored32, &sum);
    return sum;
}

/* Chains from node k on: their sum goes onto the stack. Returns the first node that is no part of
 * them, k itself if there are none. */
TARGET static uint32_t PASTE(NAME, _run)(const accordi_plan *plan, uint32_t k, const TYPE *x,
                                         const TYPE *y, PASTE(NAME, _ahead) * ahead, TYPE *stack,
                                         size_t *depth)
{
    static PASTE(NAME, _chain) *const chain[] = CHAINS_OF(_chain);
    static PASTE(NAME, _chains) *const chains[] = CHAINS_OF(_chains);
    const accord_tree *tree = plan->tree;
    const uint32_t *child = tree->child;
    const accordi_step *step = plan->step + (plan->code ? plan->code[k] : 0);
    int way = PASTE(NAME, _way)(step, y);
    if (way < 0)
        return k;
    if (child[2 * (size_t)k] >= tree->leaves)
        return chain[way](tree, plan->code, k, x, y, stack + *depth - 1);
    if (ahead->next == ahead->count && PASTE(NAME, _find)(tree, k, ahead)) {
        for (uint32_t w = 0; w < ahead->count; w++)
            ahead->sum[w] = PASTE(NAME, _pair)(step, child + 2 * (size_t)ahead->start[w], x, y,
                                               (TYPE)plan->zero);
        ahead->count = chains[way](tree, plan->code, ahead->start, ahead->count, ahead->length, x,
                                   y, ahead->sum);
    }
    if (ahead->next < ahead->count && ahead->start[ahead->next] == k) {
        stack[(*depth)++] = ahead->sum[ahead->next++];
        return k + ahead->length;
    }
    return k;
}
#endif

TARGET static void NAME(const accordi_plan *plan, const TYPE *x, const TYPE *y, TYPE *stack,
                        double *scratch)
{
    const accord_tree *tree = plan->tree;
    const uint8_t *code = plan->code;
    const uint32_t n = tree->leaves;
    const bool binary = tree->inner + 1 == n;
    const TYPE zero = (TYPE)plan->zero;
    TYPE room[2][LANES] __attribute__((aligned(64)));
    size_t depth = 0; /* in groups of LANES values */
#if LANES == 1
    uint32_t quiet = 0;
    PASTE(NAME, _ahead) ahead = {.count = 0};
#endif
    for (uint32_t k = 0; k < tree->inner; k++, depth++) {
        const accordi_step *step = plan->step + (code ? code[k] : 0);
        uint32_t at = binary ? 2 * k : tree->first[k];
        const uint32_t *child = tree->child + at;
        if (step->kind == ACCORDI_SCALAR || (!binary && tree->first[k + 1] - at != 2)) {
            depth = PASTE(NAME, _any)(plan, k, x, y, stack, depth, scratch);
            continue;
        }
#if LANES == 1
        bool both = child[0] < n && child[1] < n;
        if (binary && k >= quiet && (both || child[0] == n + k - 1) &&
            PASTE(NAME, _goes_on)(tree, k + 1)) {
            uint32_t end = PASTE(NAME, _run)(plan, k, x, y, &ahead, stack, &depth);
            if (end > k) {
                k = end - 1; /* the loop adds one to each: the stack is as it should be */
                depth--;
                continue;
            }
            quiet = both ? k + 1 : k + 2; /* what is no run need not be looked at again soon */
        }
#endif
        bool fused = step->kind >= ACCORDI_FMA32 && child[step->fused] < n;
        /* What is popped lies where the sum goes; it is written lane by lane after it was read. */
        if (fused) {
            uint32_t leaf = child[step->fused], other = child[!step->fused];
            const TYPE *a = x + (size_t)leaf * LANES, *b = y + (size_t)leaf * LANES;
            const TYPE *c = other < n ? PASTE(NAME, _first)(step, x, y, other, zero, room[0])
                                      : stack + --depth * LANES;
            PASTE(NAME, _fuse)(step, a, b, c, stack + depth * LANES);
            PASTE(NAME, _narrow)(step->stored32, stack + depth * LANES);
        } else {
            const TYPE *b = child[1] < n ? PASTE(NAME, _term)(step, x, y, child[1], room[1])
                                         : stack + --depth * LANES;
            const TYPE *a = child[0] < n ? PASTE(NAME, _term)(step, x, y, child[0], room[0])
                                         : stack + --depth * LANES;
            TYPE *out = stack + depth * LANES;
            if (child[0] < n && child[1] < n)
                EVERY PART(out, i) = (PART(a, i) + zero) + PART(b, i);
            else
                EVERY PART(out, i) = PART(a, i) + PART(b, i);
            bool f32 = step->kind == ACCORDI_ADD32 || step->kind == ACCORDI_FMA32;
            PASTE(NAME, _narrow)(f32 || step->stored32, out);
        }
        if (step->zero == ACCORD_ZERO_ADDED)
            EVERY PART(stack + depth * LANES, i) += (TYPE)0;
    }
}

#undef PASTE
#undef PASTE_
#undef EACH
#undef EVERY
#undef PARTS
#undef PART
#undef FLOATS
#undef NARROWED
#undef WIDENED
#undef FUSE_F32
#undef FUSE_F64
#undef NAME
#undef TYPE
#undef LANES
#undef TARGET
#undef IS_FLOAT
#undef CHAINS_OF
