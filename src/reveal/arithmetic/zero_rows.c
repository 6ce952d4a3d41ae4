/* Inputs whose sums are zeros, for zero_signs.h.
 *
 * Products are -0 or +0, or too small for the format with either sign (fma with +0 tells these
 * apart), one kind below one node and other kinds elsewhere. Where subnormal sums count as zero, a
 * sum of normal products, too, is -0 at one node. */
#include "reveal/arithmetic/zero_rows.h"
#include "model/operation.h"
#include "model/scaling.h"
#include <math.h>

enum {
    ROWS = 512,      /* inputs at most; of long sums fewer, since they repeat short ones: … */
    USUAL = 1 << 14, /* … with so many terms in all, but … */
    FEW = 64         /* … so many inputs, unless they have more than ACCORDI_ZERO_TERMS */
};

/* How a product is zero, or next to it: too small for the format, or its least number, which alpha
 * may make too small. Even ones are negative. */
enum kind { MINUS_ZERO, PLUS_ZERO, MINUS_SMALL, PLUS_SMALL, MINUS_LEAST, PLUS_LEAST, KINDS };
_Static_assert((int)KINDS == ACCORDI_ZERO_KINDS, "kinds of products");
/* 3/2 of the least normal number and that number: -3/2 and 1 leave what is flushed to -0. */
enum normal_kind { MINUS_MORE = KINDS + 2, PLUS_MORE, MINUS_NORMAL, PLUS_NORMAL };

/* The factors of a product of that kind; a start value is the first factor of its own. */
static void zero_factors(enum kind kind, enum accord_format format, bool start, double *x,
                         double *y)
{
    const accord_format_info *info = accord_format_get(format);
    int least = info->min_exponent - info->precision + 1;
    int exponent = kind >= MINUS_LEAST ? least : least - 2, half = exponent / 2;
    half = half < info->min_exponent ? info->min_exponent : half;
    bool zero = kind <= PLUS_ZERO;
    if (kind > KINDS) {
        double normal = ldexp(kind / 2 == MINUS_MORE / 2 ? 1.5 : 1, info->min_exponent);
        *x = kind % 2 ? normal : -normal;
        *y = 1;
        return;
    }
    *y = zero || start ? 1 : ldexp(1, half);
    *x = zero ? 0 : !start ? ldexp(1, exponent - half) : kind >= MINUS_LEAST ? info->least : 0;
    *x = kind % 2 ? *x : -*x;
}

static void put_product(accordi_zero_rows *z, size_t row, uint32_t leaf, unsigned kind)
{
    double x, y;
    bool start = z->asker->target->has_start && leaf == z->tree->leaves - 1;
    zero_factors((enum kind)(kind ^ z->turned[leaf]), z->asker->target->format, start, &x, &y);
    accordi_dense_put(&z->rows, row, leaf, x, y);
}

static size_t any(accordi_zero_rows *z, size_t count)
{
    return (size_t)accordi_rng_below(&z->asker->rng, count);
}

/* Mostly of one sign: a sum of both is +0 whatever is added. */
static uint8_t kind_like(accordi_zero_rows *z, unsigned like)
{
    size_t kind = any(z, KINDS);
    return (uint8_t)(any(z, 4) ? kind - kind % 2 + like % 2 : kind);
}

/* A leaf, any sum, or one of the last. */
static size_t any_node(accordi_zero_rows *z)
{
    size_t leaves = z->tree->leaves, inner = z->tree->inner;
    switch (any(z, 4)) {
    case 0:
        return any(z, leaves);
    case 1:
        return leaves + any(z, inner);
    default:
        return leaves + inner - 1 - any(z, z->last);
    }
}

/* A leaf below a node, mostly one where sums begin. */
static size_t leaf_below(accordi_zero_rows *z, size_t node)
{
    size_t leaves = z->tree->leaves;
    while (node >= leaves) {
        const uint32_t *child = z->tree->child + 2 * (node - leaves);
        size_t side = any(z, 2);
        node = child[child[side] < leaves && any(z, 8) ? !side : side];
    }
    return node;
}

/* Kinds at some nodes: what is below each has its kind. */
static void spread_kinds(accordi_zero_rows *z, uint8_t all)
{
    size_t leaves = z->tree->leaves, root = leaves + z->tree->inner - 1;
    z->kind[root] = z->kind[root] == KINDS ? all : z->kind[root];
    for (size_t node = root; node >= leaves; node--)
        for (size_t c = 2 * (node - leaves), end = c + 2; c < end; c++)
            if (z->kind[z->tree->child[c]] == KINDS)
                z->kind[z->tree->child[c]] = z->kind[node];
}

/* How the leaves beside a way to the root are, and what is below its node. ROUNDED_SMALL: products
 * that are fused into a sum are -0, for one that is too small would turn any zero into -0. */
enum beside { ZEROS, ROUNDED_SMALL, SMALL, MIXED };
typedef struct course {
    enum beside beside;
    int inside; /* a kind, or ANY */
} course;
enum { ANY = KINDS };

/* The turns of a node, one after the other. Each of the first four shows a +0 that no other does:
 * added to a product of -0 among others that are -0 or that are fused with +0 themselves, or to one
 * that is too small. Left to chance, one of them was missing for some node of a few boxes in a
 * thousand. */
static course next_course(accordi_zero_rows *z, size_t node)
{
    static const course all[] = {{ZEROS, MINUS_ZERO},  {ROUNDED_SMALL, MINUS_ZERO},
                                 {ZEROS, MINUS_SMALL}, {SMALL, MINUS_SMALL},
                                 {ZEROS, ANY},         {SMALL, MINUS_ZERO},
                                 {MIXED, MINUS_ZERO},  {ROUNDED_SMALL, ANY},
                                 {MIXED, ANY}};
    return all[z->taken[node]++ % (sizeof all / sizeof *all)];
}

static bool is_zero_beside(accordi_zero_rows *z, enum beside how, size_t node)
{
    size_t at = z->parent[node] - z->tree->leaves;
    int fused = accordi_operation_of(z->base, (uint32_t)at)->fused;
    bool leaf = node < z->tree->leaves;
    if (how == MIXED)
        return any(z, 2);
    return leaf && (how == ZEROS || (how == ROUNDED_SMALL && fused >= 0 &&
                                     z->tree->child[2 * at + (size_t)fused] == node));
}

/* Mostly so that the sum is -0 if and only if it is below this node: the leaves beside the way from
 * there to the root are -0, which leaves a sum as it is, and the sums beside it are made of
 * products that are too small, so that a +0 that they are fused with does not show. Or all are
 * such. */
static void draw_path(accordi_zero_rows *z, size_t node)
{
    size_t leaves = z->tree->leaves, root = leaves + z->tree->inner - 1;
    course c = next_course(z, node);
    for (size_t at = node; at != root; at = z->parent[at]) {
        const uint32_t *child = z->tree->child + 2 * (z->parent[at] - leaves);
        size_t beside = child[child[0] == at];
        z->kind[beside] = is_zero_beside(z, c.beside, beside) ? MINUS_ZERO : MINUS_SMALL;
    }
    uint8_t inside = c.inside == ANY ? kind_like(z, MINUS_ZERO) : (uint8_t)c.inside;
    uint8_t apart = inside != MINUS_ZERO ? MINUS_ZERO : any(z, 2) ? MINUS_SMALL : MINUS_LEAST;
    uint8_t turned = z->base->alpha < 0 && any(z, 2);
    z->kind[node] = inside ^ turned;
    spread_kinds(z, inside);
    if (node >= leaves && any(z, 2))
        z->kind[leaf_below(z, node)] = apart ^ turned;
}

/* Two products whose sum, at this node, is flushed to -0. */
static void put_flushed_sum(accordi_zero_rows *z, size_t node, uint8_t turned)
{
    const uint32_t *child = z->tree->child + 2 * (node - z->tree->leaves);
    size_t more = any(z, 2);
    z->kind[leaf_below(z, child[more])] = MINUS_MORE ^ turned;
    z->kind[leaf_below(z, child[!more])] = PLUS_NORMAL ^ turned;
}

/* All products below a node are -0. */
static void put_zeros_below(accordi_zero_rows *z, size_t top)
{
    enum { BELOW = 255 };
    size_t leaves = z->tree->leaves;
    z->kind[top] = BELOW;
    for (size_t node = top; node >= leaves; node--)
        for (size_t c = 2 * (node - leaves), end = c + 2; c < end && z->kind[node] == BELOW; c++)
            z->kind[z->tree->child[c]] = z->tree->child[c] < leaves ? MINUS_ZERO : BELOW;
}

/* A node of two sums, of which there are few, or any. */
static size_t any_sum(accordi_zero_rows *z)
{
    size_t leaves = z->tree->leaves, node = leaves + any(z, z->tree->inner), seen = 0;
    const uint32_t *child = z->tree->child;
    bool two = any(z, 4);
    for (size_t k = 0; two && k < z->tree->inner; k++)
        if (child[2 * k] >= leaves && child[2 * k + 1] >= leaves && any(z, ++seen) == 0)
            node = leaves + k;
    return node;
}

/* The sum of a node is flushed to -0, and so are some of the sums beside the way from there to the
 * root; all else is -0 or too small. */
static void draw_flushed(accordi_zero_rows *z)
{
    size_t leaves = z->tree->leaves, root = leaves + z->tree->inner - 1, node = any_sum(z);
    uint8_t turned = z->base->alpha < 0 && any(z, 2);
    bool more = any(z, 2);
    draw_path(z, node);
    for (size_t i = 0; i < leaves; i++) /* what is below the node may be of any kind yet */
        z->kind[i] = z->kind[i] == MINUS_SMALL ? MINUS_SMALL : MINUS_ZERO;
    put_flushed_sum(z, node, turned);
    for (size_t at = node; at != root; at = z->parent[at]) {
        const uint32_t *child = z->tree->child + 2 * (z->parent[at] - leaves);
        size_t beside = child[child[0] == at];
        if (beside >= leaves && any(z, 4) == 0)
            put_zeros_below(z, beside);
        else if (beside >= leaves && more && any(z, 4))
            put_flushed_sum(z, beside, turned);
    }
}

/* Products of one kind, others below a sum or two or at one place, or scattered. */
static void draw_some(accordi_zero_rows *z)
{
    static const uint8_t usual[8] = {MINUS_SMALL, MINUS_SMALL, MINUS_SMALL, MINUS_ZERO,
                                     MINUS_LEAST, PLUS_LEAST,  PLUS_ZERO,   PLUS_SMALL};
    size_t leaves = z->tree->leaves, in_eight = any(z, 3) ? 0 : 1 + any(z, 7);
    uint8_t all = usual[any(z, 8)], other = kind_like(z, all);
    for (size_t i = any(z, 3); i > 0; i--)
        z->kind[any_node(z)] = kind_like(z, all);
    spread_kinds(z, all);
    if (any(z, 4) == 0) /* in the midst of others */
        z->kind[any(z, leaves)] = all;
    bool one = any(z, 4);
    for (size_t i = 0; i < leaves && in_eight; i++)
        if (any(z, 8) < in_eight)
            z->kind[i] = one ? other : kind_like(z, all);
}

/* Mostly -0; or the least number, beside one of the other sign: alpha times that, and the start,
 * are too small once they are added. */
static void draw_start(accordi_zero_rows *z)
{
    size_t start = z->tree->leaves - 1, way = any(z, 16);
    z->kind[start] = way == 0 ? PLUS_ZERO : MINUS_ZERO;
    if (way < 14)
        return;
    z->kind[start] = (uint8_t)(MINUS_LEAST + any(z, 2));
    z->kind[any(z, start)] = z->kind[start] ^ 1;
}

/* Each node has its turn; of many, those where sums begin more often than others. */
static size_t turn(accordi_zero_rows *z, size_t row)
{
    size_t nodes = z->tree->leaves + z->tree->inner;
    if (nodes <= z->rows.room / 2)
        return row % nodes;
    return any(z, 2) ? any(z, nodes) : leaf_below(z, nodes - 1);
}

/* The first rows are of one kind each, with both start values. */
static void draw_zero_rows(accordi_zero_rows *z)
{
    uint32_t n = z->tree->leaves, nodes = n + z->tree->inner;
    size_t room = z->rows.room;
    for (size_t row = 0; row < room; row++, z->rows.rows++) {
        bool pure = row < 2 * KINDS;
        memset(z->kind, pure ? (int)(row % KINDS) : KINDS, nodes);
        if (row >= 2 * KINDS && row % 8 == 0)
            draw_some(z);
        else if (row >= 2 * KINDS && row % 2 && z->flushes)
            draw_flushed(z);
        else if (row >= 2 * KINDS)
            draw_path(z, turn(z, row));
        if (z->asker->target->has_start && pure)
            z->kind[n - 1] = (uint8_t)(row / KINDS);
        else if (z->asker->target->has_start)
            draw_start(z);
        for (uint32_t i = 0; i < n; i++)
            put_product(z, row, i, z->kind[i]);
    }
}

static bool make_room(accordi_zero_rows *z)
{
    size_t n = z->tree->leaves, inner = z->tree->inner;
    z->flushes = z->base->flush & (ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT);
    size_t usual = (z->flushes ? 2 : 1) * (size_t)USUAL / n, most = ACCORDI_ZERO_TERMS / n;
    size_t count = usual > FEW ? usual : most < FEW ? most : FEW;
    z->kind = accordi_calloc(2 * inner + 3 * n, 1);
    z->turned = z->kind ? z->kind + inner + n : NULL;
    z->taken = z->kind ? z->turned + n : NULL;
    z->parent = accordi_alloc(n + inner, sizeof *z->parent);
    return z->kind && z->parent &&
           !accordi_dense_init(&z->rows, z->asker, count < ROWS ? count : ROWS, true);
}

enum accord_status accordi_zero_rows_draw(accordi_zero_rows *z, const uint8_t *scaled)
{
    size_t n = z->tree->leaves, inner = z->tree->inner;
    if (!make_room(z))
        return z->asker->status ? z->asker->status
                                : (z->asker->status = accordi_nomem(z->asker->error));
    for (size_t c = 0; c < 2 * inner; c++)
        z->parent[z->tree->child[c]] = (uint32_t)(n + c / 2);
    for (size_t i = 0; i < n; i++)
        z->turned[i] = z->base->alpha < 0 && scaled[i] != ACCORD_SCALED_NOT;
    if (z->asker->target->has_start)
        z->turned[n - 1] = z->base->beta < 0;
    draw_zero_rows(z);
    return z->asker->status;
}

void accordi_zero_rows_clear(accordi_zero_rows *z)
{
    accordi_dense_clear(&z->rows);
    free(z->kind);
    free(z->parent);
}
