/* Template: a model's tree for LANES rows side by side. Before including it define NAME, TYPE,
 * LANES, TARGET (an attribute), IS_FLOAT (1 for lanes of float). No include guard. Internal.
 *
 * As in lanes.h the inner children of the next node are the top of a stack. A node is a step of
 * the plan: one of few vector operations, or accordi_node lane by lane. */

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define EACH for (size_t l = 0; l < LANES; l++)

/* Lanes of double rounded to float; the decision is taken once for all lanes, outside the loop,
 * which gcc 12 gets wrong when it stands inside. */
TARGET static inline void PASTE(NAME, _narrow)(bool narrow, TYPE *v)
{
#if IS_FLOAT
    (void)narrow, (void)v;
#else
    if (narrow)
        EACH v[l] = (double)(float)v[l];
#endif
}

/* out = a * b + c, rounded once; out is none of them. */
TARGET static inline void PASTE(NAME, _fuse)(const accordi_step *step, const TYPE *a, const TYPE *b,
                                             const TYPE *c, TYPE *out)
{
#if IS_FLOAT
    (void)step;
    EACH out[l] = fmaf(a[l], b[l], c[l]);
#else
    if (step->kind == ACCORDI_FMA32)
        EACH out[l] = (double)fmaf((float)a[l], (float)b[l], (float)c[l]);
    else
        EACH out[l] = fma(a[l], b[l], c[l]);
#endif
}

/* The terms of a leaf, rounded. */
TARGET static inline const TYPE *PASTE(NAME, _term)(const accordi_step *step, const TYPE *x,
                                                    const TYPE *y, uint32_t leaf, TYPE *room)
{
    const TYPE *a = x + (size_t)leaf * LANES;
    if (!y)
        return a;
    const TYPE *b = y + (size_t)leaf * LANES;
    EACH room[l] = a[l] * b[l];
    PASTE(NAME, _narrow)(step->product32, room);
    return room;
}

/* The first term of a sum that goes on with a fused one. */
TARGET static inline const TYPE *PASTE(NAME, _first)(const accordi_step *step, const TYPE *x,
                                                     const TYPE *y, uint32_t leaf, TYPE zero,
                                                     TYPE *room)
{
    TYPE zeros[LANES] __attribute__((aligned(64)));
    EACH zeros[l] = zero;
    if (step->starts_fused) {
        size_t at = (size_t)leaf * LANES;
        PASTE(NAME, _fuse)(step, x + at, y + at, zeros, room);
    } else {
        PASTE(NAME, _term)(step, x, y, leaf, room);
        EACH room[l] += zero;
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

TARGET static void NAME(const accordi_plan *plan, const TYPE *x, const TYPE *y, TYPE *stack,
                        double *scratch)
{
    const accord_tree *tree = plan->tree;
    const uint8_t *code = plan->code;
    const uint32_t n = tree->leaves;
    const bool binary = tree->inner + 1 == n;
    const TYPE zero = (TYPE)plan->zero;
    TYPE room[2][LANES] __attribute__((aligned(64))), sum[LANES] __attribute__((aligned(64)));
    size_t depth = 0; /* in groups of LANES values */
    for (uint32_t k = 0; k < tree->inner; k++, depth++) {
        const accordi_step *step = plan->step + (code ? code[k] : 0);
        uint32_t at = binary ? 2 * k : tree->first[k];
        const uint32_t *child = tree->child + at;
        if (step->kind == ACCORDI_SCALAR || (!binary && tree->first[k + 1] - at != 2)) {
            depth = PASTE(NAME, _any)(plan, k, x, y, stack, depth, scratch);
            continue;
        }
        bool fused = step->kind >= ACCORDI_FMA32 && child[step->fused] < n;
        if (fused) {
            uint32_t leaf = child[step->fused], other = child[!step->fused];
            const TYPE *a = x + (size_t)leaf * LANES, *b = y + (size_t)leaf * LANES;
            const TYPE *c = other < n ? PASTE(NAME, _first)(step, x, y, other, zero, room[0])
                                      : stack + --depth * LANES;
            PASTE(NAME, _fuse)(step, a, b, c, sum);
        } else {
            const TYPE *b = child[1] < n ? PASTE(NAME, _term)(step, x, y, child[1], room[1])
                                         : stack + --depth * LANES;
            const TYPE *a = child[0] < n ? PASTE(NAME, _term)(step, x, y, child[0], room[0])
                                         : stack + --depth * LANES;
            if (child[0] < n && child[1] < n)
                EACH sum[l] = (a[l] + zero) + b[l];
            else
                EACH sum[l] = a[l] + b[l];
            PASTE(NAME, _narrow)(step->kind == ACCORDI_ADD32 || step->kind == ACCORDI_FMA32, sum);
        }
        memcpy(stack + depth * LANES, sum, sizeof sum);
    }
}

#undef PASTE
#undef PASTE_
#undef EACH
#undef NAME
#undef TYPE
#undef LANES
#undef TARGET
#undef IS_FLOAT
