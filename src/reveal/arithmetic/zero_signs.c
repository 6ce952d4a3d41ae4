/* At which nodes zeros are added, by the signs of sums that are zero.
 *
 * A library may add +0 in one part of a sum and not in another: an accumulator that nothing was
 * added to, a lane that starts with fma(x, y, +0), a loop over blocks that starts from +0 beside a
 * tail that starts with its first product. The sign of a zero alone shows this: a sum is -0 if and
 * only if everything that enters it is -0, so one +0 anywhere turns it.
 *
 * Inputs are products that are -0 or +0, or too small for the format with either sign (fma with +0
 * tells these apart), one kind below one node and other kinds elsewhere. Where subnormal sums count
 * as zero, a sum of normal products, too, is -0 at one node. From the arithmetic
 * without such zeros, the change of one node, or of all nodes that look alike, that makes most more
 * of the answers right is made as long as there is one. What comes of it is used only if all
 * answers are right; replays and rivals then test it like any other arithmetic. */
#include "reveal/arithmetic/zero_signs.h"
#include "model/operation.h"
#include "model/scaling.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/probes/dense_rows.h"
#include <math.h>

enum {
    ROWS = 512,       /* inputs at most; of long sums fewer, since they repeat short ones: … */
    USUAL = 1 << 14,  /* … with so many terms in all, but … */
    FEW = 64,         /* … so many inputs, unless … */
    VALUES = 1 << 16, /* … they have more than so many terms */
    TURNS = 4,        /* of each node, or the record says that some were left out */
    PLACES = 48,      /* single nodes that are changed at most, from the root down; fewer … */
    WORK = 1 << 12,   /* … of long sums */
    CHANGES = 16,     /* changes at most, one after the other */
    PATHS = 8,        /* each begins with another change, where the best one first leads nowhere */
    TOGETHER = 32,    /* inputs that are replayed before their answers are counted */
    GROUPS = 7
};

/* How a product is zero, or next to it: too small for the format, or its least number, which alpha
 * may make too small. Even ones are negative. */
enum kind { MINUS_ZERO, PLUS_ZERO, MINUS_SMALL, PLUS_SMALL, MINUS_LEAST, PLUS_LEAST, KINDS };
/* 3/2 of the least normal number and that number: -3/2 and 1 leave what is flushed to -0. */
enum normal_kind { MINUS_MORE = KINDS + 2, PLUS_MORE, MINUS_NORMAL, PLUS_NORMAL };

typedef struct seeker {
    accordi_asker *asker;
    const accord_tree *tree;
    accord_arithmetic base; /* borrows; its zeros are changed */
    accordi_dense rows;
    uint8_t *zero, *tried, *begun; /* an accord_zero for each inner node */
    uint8_t *kind;                 /* of each node, while a row is drawn */
    uint8_t *turned;               /* 1: the factor of this leaf is negative */
    uint8_t *scaled;               /* how alpha multiplies each node */
    accord_operation *operation;   /* room for one of each inner node */
    uint32_t *parent;              /* of each node but the root */
    uint32_t places;               /* at the end, of which each is changed by itself, … */
    uint32_t deepest;              /* … and one more node; see deepest_sum */
    bool flushes;                  /* sums, or the result */
} seeker;

/* ---- inputs ---- */

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

static void put_product(seeker *s, size_t row, uint32_t leaf, unsigned kind)
{
    double x, y;
    bool start = s->asker->target->has_start && leaf == s->tree->leaves - 1;
    zero_factors((enum kind)(kind ^ s->turned[leaf]), s->asker->target->format, start, &x, &y);
    accordi_dense_put(&s->rows, row, leaf, x, y);
}

static size_t any(seeker *s, size_t count)
{
    return (size_t)accordi_rng_below(&s->asker->rng, count);
}

/* Mostly of one sign: a sum of both is +0 whatever is added. */
static uint8_t kind_like(seeker *s, unsigned like)
{
    size_t kind = any(s, KINDS);
    return (uint8_t)(any(s, 4) ? kind - kind % 2 + like % 2 : kind);
}

/* A leaf, any sum, or one of the last. */
static size_t any_node(seeker *s)
{
    size_t leaves = s->tree->leaves, inner = s->tree->inner;
    switch (any(s, 4)) {
    case 0:
        return any(s, leaves);
    case 1:
        return leaves + any(s, inner);
    default:
        return leaves + inner - 1 - any(s, s->places);
    }
}

/* A leaf below a node, mostly one where sums begin. */
static size_t leaf_below(seeker *s, size_t node)
{
    size_t leaves = s->tree->leaves;
    while (node >= leaves) {
        const uint32_t *child = s->tree->child + 2 * (node - leaves);
        size_t side = any(s, 2);
        node = child[child[side] < leaves && any(s, 8) ? !side : side];
    }
    return node;
}

/* Kinds at some nodes: what is below each has its kind. */
static void spread_kinds(seeker *s, uint8_t all)
{
    size_t leaves = s->tree->leaves, root = leaves + s->tree->inner - 1;
    s->kind[root] = s->kind[root] == KINDS ? all : s->kind[root];
    for (size_t node = root; node >= leaves; node--)
        for (size_t c = 2 * (node - leaves), end = c + 2; c < end; c++)
            if (s->kind[s->tree->child[c]] == KINDS)
                s->kind[s->tree->child[c]] = s->kind[node];
}

/* Mostly so that the sum is -0 if and only if it is below this node: the leaves beside the way from
 * there to the root are -0, which leaves a sum as it is, and the sums beside it are made of
 * products that are too small, so that a +0 that they are fused with does not show. Or all are
 * such. */
static void draw_path(seeker *s, size_t node)
{
    size_t leaves = s->tree->leaves, root = leaves + s->tree->inner - 1;
    size_t way = any(s, 8);
    for (size_t at = node; at != root; at = s->parent[at]) {
        const uint32_t *child = s->tree->child + 2 * (s->parent[at] - leaves);
        size_t beside = child[child[0] == at];
        bool zero = way < 5 ? beside < leaves : way == 5 && any(s, 2);
        s->kind[beside] = zero ? MINUS_ZERO : MINUS_SMALL;
    }
    uint8_t inside = any(s, 2) ? MINUS_ZERO : any(s, 8) ? MINUS_SMALL : kind_like(s, MINUS_ZERO);
    uint8_t apart = inside != MINUS_ZERO ? MINUS_ZERO : any(s, 2) ? MINUS_SMALL : MINUS_LEAST;
    uint8_t turned = s->base.alpha < 0 && any(s, 2);
    s->kind[node] = inside ^ turned;
    spread_kinds(s, inside);
    if (node >= leaves && any(s, 2))
        s->kind[leaf_below(s, node)] = apart ^ turned;
}

/* Two products whose sum, at this node, is flushed to -0. */
static void put_flushed_sum(seeker *s, size_t node, uint8_t turned)
{
    const uint32_t *child = s->tree->child + 2 * (node - s->tree->leaves);
    size_t more = any(s, 2);
    s->kind[leaf_below(s, child[more])] = MINUS_MORE ^ turned;
    s->kind[leaf_below(s, child[!more])] = PLUS_NORMAL ^ turned;
}

/* All products below a node are -0. */
static void put_zeros_below(seeker *s, size_t top)
{
    enum { BELOW = 255 };
    size_t leaves = s->tree->leaves;
    s->kind[top] = BELOW;
    for (size_t node = top; node >= leaves; node--)
        for (size_t c = 2 * (node - leaves), end = c + 2; c < end && s->kind[node] == BELOW; c++)
            s->kind[s->tree->child[c]] = s->tree->child[c] < leaves ? MINUS_ZERO : BELOW;
}

/* A node of two sums, of which there are few, or any. */
static size_t any_sum(seeker *s)
{
    size_t leaves = s->tree->leaves, node = leaves + any(s, s->tree->inner), seen = 0;
    const uint32_t *child = s->tree->child;
    bool two = any(s, 4);
    for (size_t k = 0; two && k < s->tree->inner; k++)
        if (child[2 * k] >= leaves && child[2 * k + 1] >= leaves && any(s, ++seen) == 0)
            node = leaves + k;
    return node;
}

/* The sum of a node is flushed to -0, and so are some of the sums beside the way from there to the
 * root; all else is -0 or too small. */
static void draw_flushed(seeker *s)
{
    size_t leaves = s->tree->leaves, root = leaves + s->tree->inner - 1, node = any_sum(s);
    uint8_t turned = s->base.alpha < 0 && any(s, 2);
    bool more = any(s, 2);
    draw_path(s, node);
    for (size_t i = 0; i < leaves; i++) /* what is below the node may be of any kind yet */
        s->kind[i] = s->kind[i] == MINUS_SMALL ? MINUS_SMALL : MINUS_ZERO;
    put_flushed_sum(s, node, turned);
    for (size_t at = node; at != root; at = s->parent[at]) {
        const uint32_t *child = s->tree->child + 2 * (s->parent[at] - leaves);
        size_t beside = child[child[0] == at];
        if (beside >= leaves && any(s, 4) == 0)
            put_zeros_below(s, beside);
        else if (beside >= leaves && more && any(s, 4))
            put_flushed_sum(s, beside, turned);
    }
}

/* Products of one kind, others below a sum or two or at one place, or scattered. */
static void draw_some(seeker *s)
{
    static const uint8_t usual[8] = {MINUS_SMALL, MINUS_SMALL, MINUS_SMALL, MINUS_ZERO,
                                     MINUS_LEAST, PLUS_LEAST,  PLUS_ZERO,   PLUS_SMALL};
    size_t leaves = s->tree->leaves, in_eight = any(s, 3) ? 0 : 1 + any(s, 7);
    uint8_t all = usual[any(s, 8)], other = kind_like(s, all);
    for (size_t i = any(s, 3); i > 0; i--)
        s->kind[any_node(s)] = kind_like(s, all);
    spread_kinds(s, all);
    if (any(s, 4) == 0) /* in the midst of others */
        s->kind[any(s, leaves)] = all;
    bool one = any(s, 4);
    for (size_t i = 0; i < leaves && in_eight; i++)
        if (any(s, 8) < in_eight)
            s->kind[i] = one ? other : kind_like(s, all);
}

/* Mostly -0; or the least number, beside one of the other sign: alpha times that, and the start,
 * are too small once they are added. */
static void draw_start(seeker *s)
{
    size_t start = s->tree->leaves - 1, way = any(s, 16);
    s->kind[start] = way == 0 ? PLUS_ZERO : MINUS_ZERO;
    if (way < 14)
        return;
    s->kind[start] = (uint8_t)(MINUS_LEAST + any(s, 2));
    s->kind[any(s, start)] = s->kind[start] ^ 1;
}

/* Each node has its turn; of many, those where sums begin more often than others. */
static size_t turn(seeker *s, size_t row)
{
    size_t nodes = s->tree->leaves + s->tree->inner;
    if (nodes <= s->rows.room / 2)
        return row % nodes;
    return any(s, 2) ? any(s, nodes) : leaf_below(s, nodes - 1);
}

/* The first rows are of one kind each, with both start values. */
static void draw_zero_rows(seeker *s)
{
    uint32_t n = s->tree->leaves, nodes = n + s->tree->inner;
    size_t room = s->rows.room;
    for (size_t row = 0; row < room; row++, s->rows.rows++) {
        bool pure = row < 2 * KINDS;
        memset(s->kind, pure ? (int)(row % KINDS) : KINDS, nodes);
        if (row >= 2 * KINDS && row % 8 == 0)
            draw_some(s);
        else if (row >= 2 * KINDS && row % 2 && s->flushes)
            draw_flushed(s);
        else if (row >= 2 * KINDS)
            draw_path(s, turn(s, row));
        if (s->asker->target->has_start && pure)
            s->kind[n - 1] = (uint8_t)(row / KINDS);
        else if (s->asker->target->has_start)
            draw_start(s);
        for (uint32_t i = 0; i < n; i++)
            put_product(s, row, i, s->kind[i]);
    }
}

/* ---- arithmetics ---- */

static enum accord_status make_arithmetic(seeker *s, const uint8_t *zero, accord_arithmetic **made)
{
    accordi_asker *asker = s->asker;
    for (uint32_t k = 0; k < s->tree->inner; k++) {
        s->operation[k] = *accordi_operation_of(&s->base, k);
        s->operation[k].zero = (enum accord_zero)zero[k];
    }
    asker->status = accord_arithmetic_copy(&s->base, 0, made, asker->error);
    if (!asker->status)
        accordi_arithmetic_tabulate(asker, s->tree, s->operation, *made);
    return asker->status;
}

/* How many answers are right with zeros at these nodes; 0 if one is wrong in more than its sign, or
 * if not more than `best` are right. */
static size_t count_right(seeker *s, const uint8_t *zero, size_t best)
{
    accordi_asker *asker = s->asker;
    accordi_dense *d = &s->rows;
    accord_arithmetic *made = NULL;
    size_t wrong = 0;
    bool numbers = true;
    if (asker->status || make_arithmetic(s, zero, &made))
        return 0;
    const accord_model model = {s->tree, made};
    for (size_t at = 0; numbers && at < d->rows && d->rows - wrong > best;) {
        size_t end = d->rows - at > TOGETHER ? at + TOGETHER : d->rows;
        if (accordi_dense_replay_some(d, at, end - at, &model, d->due + at))
            break;
        for (; at < end; at++) {
            wrong += !accordi_same_bits(d->due[at], d->seen[at]);
            numbers = numbers && d->due[at] == d->seen[at];
        }
    }
    accord_arithmetic_free(made);
    return numbers && !asker->status && d->rows - wrong > best ? d->rows - wrong : 0;
}

static void swap_rows(accordi_dense *d, size_t i, size_t k)
{
    const void *x = d->row[i], *y = d->row[d->room + i];
    double due = d->due[i], seen = d->seen[i];
    d->row[i] = d->row[k], d->row[d->room + i] = d->row[d->room + k];
    d->due[i] = d->due[k], d->seen[i] = d->seen[k];
    d->row[k] = x, d->row[d->room + k] = y;
    d->due[k] = due, d->seen[k] = seen;
}

/* Answers that the zeros found so far do not explain come first: a change that explains none of
 * them is soon dropped. */
static void put_wrong_first(seeker *s)
{
    accordi_dense *d = &s->rows;
    count_right(s, s->zero, 0);
    for (size_t i = 0, wrong = 0; i < d->rows; i++)
        if (!accordi_same_bits(d->due[i], d->seen[i]))
            swap_rows(d, i, wrong++);
}

/* ---- changes ---- */

static bool is_leaf(const seeker *s, uint32_t k, int child)
{
    return s->tree->child[2 * (size_t)k + (size_t)child] < s->tree->leaves;
}

static bool is_in_group(const seeker *s, uint32_t k, int group)
{
    bool first = is_leaf(s, k, 0), second = is_leaf(s, k, 1);
    switch (group / 2) {
    case 0: /* the bottoms of lanes */
        return first && second;
    case 1:
        return first || second;
    case 2:
        return s->scaled[s->tree->leaves + k] >= ACCORD_SCALED_ROUNDED;
    default:
        return k + 1 < s->tree->inner;
    }
}

/* Change number `i`: of a group, then of single nodes; false past the last. */
static bool change(const seeker *s, size_t i, uint8_t *zero)
{
    static const enum accord_zero of_group[GROUPS] = {
        ACCORD_ZERO_FUSED,   ACCORD_ZERO_ROUNDED, ACCORD_ZERO_FUSED, ACCORD_ZERO_ROUNDED,
        ACCORD_ZERO_ROUNDED, ACCORD_ZERO_ADDED,   ACCORD_ZERO_ADDED};
    if (i >= GROUPS + ACCORD_ZERO_ADDED * ((size_t)s->places + 1))
        return false;
    for (uint32_t k = 0; k < s->tree->inner && i < GROUPS; k++)
        if (is_in_group(s, k, (int)i))
            zero[k] = (uint8_t)of_group[i];
    if (i >= GROUPS) {
        size_t single = i - GROUPS, place = single / ACCORD_ZERO_ADDED;
        uint8_t *at = &zero[place < s->places ? s->tree->inner - 1 - place : s->deepest];
        *at = (uint8_t)((*at + 1 + single % ACCORD_ZERO_ADDED) % (ACCORD_ZERO_ADDED + 1));
    }
    return true;
}

/* From the root down to the larger of two sums as long as both children are sums: the sum of the
 * first block where blocks are added to an accumulator, which is +0 then. */
static uint32_t deepest_sum(const accord_tree *tree, uint32_t *size)
{
    uint32_t leaves = tree->leaves, k = tree->inner - 1;
    for (uint32_t i = 0; i < tree->inner; i++) {
        size[i] = 0;
        for (uint32_t c = 2 * i; c < 2 * i + 2; c++)
            size[i] += tree->child[c] < leaves ? 1 : size[tree->child[c] - leaves];
    }
    for (;;) {
        const uint32_t *child = tree->child + 2 * (size_t)k;
        if (child[0] < leaves || child[1] < leaves)
            return k;
        uint32_t a = child[0] - leaves, b = child[1] - leaves, next = size[b] > size[a] ? b : a;
        const uint32_t *below = tree->child + 2 * (size_t)next;
        if (below[0] < leaves || below[1] < leaves)
            return k;
        k = next;
    }
}

/* Makes the best change but for some; false if none is better. */
static bool improve(seeker *s, const size_t *but, int buts, size_t *right, size_t *made)
{
    size_t inner = s->tree->inner, best = *right, which = 0;
    put_wrong_first(s);
    for (size_t i = 0; best < s->rows.rows && !s->asker->status; i++) {
        bool barred = false;
        for (int k = 0; k < buts; k++)
            barred = barred || but[k] == i;
        memcpy(s->tried, s->zero, inner);
        if (!change(s, i, s->tried))
            break;
        bool other = !barred && memcmp(s->tried, s->zero, inner);
        size_t now = other ? count_right(s, s->tried, best) : 0;
        which = now > best ? i : which;
        best = now > best ? now : best;
    }
    if (best == *right || s->asker->status)
        return false;
    change(s, which, s->zero);
    *right = best;
    *made = which;
    return true;
}

/* From `zero`, with so many right answers, one change after the other; true if all are right then.
 * A change of many nodes may leave nothing to gain by changing single ones. */
static bool improve_all(seeker *s, const uint8_t *zero, size_t right)
{
    size_t first[PATHS], which = 0;
    for (int path = 0; path < PATHS && !s->asker->status; path++) {
        size_t now = right;
        memcpy(s->zero, zero, s->tree->inner);
        for (int i = 0; i < CHANGES && now < s->rows.rows; i++) {
            if (!improve(s, first, i == 0 ? path : 0, &now, &which))
                break;
            first[path] = i == 0 ? which : first[path];
        }
        if (now == s->rows.rows)
            return !s->asker->status;
        if (now == right)
            return false;
    }
    return false;
}

/* Number `way` of the ways in which sums start and end: as they did, from -0, and from +0; at the
 * end +0 is added, or fused with alpha times the last sum. False where there is none of its own. */
static bool start_otherwise(const accord_arithmetic *old, const uint8_t *scaled, uint32_t root,
                            int way, accord_arithmetic *out)
{
    bool ends = old->alpha_at == ACCORD_ALPHA_SUM && scaled[root] >= ACCORD_SCALED_ROUNDED &&
                old->finish == ACCORD_FINISH_NONE;
    out->negative_zero = way == 0 ? old->negative_zero : way != 2;
    out->zero_last = way == 0 ? old->zero_last : way > 2;
    out->alpha_fused = way < 3 ? old->alpha_fused : way == 3;
    return way < 3 || ends;
}

static enum accord_status try_starts(seeker *s, accordi_zero_answers *out)
{
    enum { WAYS = 5 };
    const accord_arithmetic old = s->base;
    uint32_t root = s->tree->leaves + s->tree->inner - 1;
    for (int way = 0; way < WAYS && !s->asker->status && !out->made; way++) {
        if (!start_otherwise(&old, s->scaled, root, way, &s->base))
            continue;
        for (uint32_t k = 0; k < s->tree->inner; k++)
            s->zero[k] = way == 0 ? (uint8_t)accordi_operation_of(&old, k)->zero : ACCORD_ZERO_NONE;
        size_t right = count_right(s, s->zero, 0);
        out->numbers = out->numbers || (way == 0 && right == 0);
        out->signs = out->signs || (way == 0 && right < s->rows.rows);
        if (!out->signs || out->numbers)
            break;
        memcpy(s->begun, s->zero, s->tree->inner);
        if (improve_all(s, s->begun, right))
            make_arithmetic(s, s->zero, &out->made);
    }
    return s->asker->status;
}

/* ---- the whole ---- */

static bool make_room(seeker *s)
{
    size_t n = s->asker->n, inner = s->tree->inner;
    size_t usual = (s->flushes ? 2 : 1) * (size_t)USUAL / n;
    size_t count = usual > FEW ? usual : VALUES / n < FEW ? VALUES / n : FEW;
    count = count < ROWS ? count : ROWS;
    s->places = (uint32_t)(WORK / n < PLACES ? 4 + WORK / n : PLACES);
    s->places = s->places < inner ? s->places : (uint32_t)inner;
    s->zero = accordi_calloc(3 * inner + 2 * (inner + n), 1);
    s->operation = accordi_alloc(inner, sizeof *s->operation);
    s->parent = accordi_alloc(n + inner, sizeof *s->parent);
    s->flushes = s->base.flush & (ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT);
    if (!s->zero || !s->operation || !s->parent)
        return false;
    s->tried = s->zero + inner;
    s->begun = s->tried + inner;
    s->kind = s->begun + inner;
    s->turned = s->kind + inner + n;
    s->deepest = deepest_sum(s->tree, s->parent);
    for (size_t c = 0; c < 2 * inner; c++)
        s->parent[s->tree->child[c]] = (uint32_t)(n + c / 2);
    return !accordi_dense_init(&s->rows, s->asker, count, true);
}

static enum accord_status find_factors(seeker *s)
{
    const accord_model model = {s->tree, &s->base};
    uint32_t n = s->tree->leaves;
    s->asker->status = accordi_scaling(&model, &s->scaled, s->asker->error);
    for (uint32_t i = 0; i < n && !s->asker->status; i++)
        s->turned[i] = s->base.alpha < 0 && s->scaled[i] != ACCORD_SCALED_NOT;
    if (s->asker->target->has_start)
        s->turned[n - 1] = s->base.beta < 0;
    return s->asker->status;
}

enum accord_status accordi_zero_signs(accordi_asker *asker, const accord_tree *tree,
                                      const accord_arithmetic *base, accordi_zero_answers *out)
{
    seeker s = {.asker = asker, .tree = tree, .base = *base};
    *out = (accordi_zero_answers){0};
    if (asker->status || asker->term != ACCORD_TERM_PRODUCT || tree->inner == 0 ||
        tree->inner + 1 != tree->leaves || base->has_machine)
        return asker->status;
    out->sampled = true;
    if (tree->leaves > VALUES / KINDS)
        return asker->status;
    if (!make_room(&s)) {
        asker->status = asker->status ? asker->status : accordi_nomem(asker->error);
    } else if (!find_factors(&s)) {
        draw_zero_rows(&s);
        out->sampled = s.rows.rows < TURNS * ((size_t)tree->leaves + tree->inner);
        if (!accordi_dense_ask(&s.rows))
            try_starts(&s, out);
    }
    accordi_dense_clear(&s.rows);
    free(s.zero);
    free(s.scaled);
    free(s.parent);
    free(s.operation);
    return asker->status;
}
