/* At which nodes zeros are added, by the signs of sums that are zero.
 *
 * A library may add +0 in one part of a sum and not in another: an accumulator that nothing was
 * added to, a lane that starts with fma(x, y, +0), a loop over blocks that starts from +0 beside a
 * tail that starts with its first product. The sign of a zero alone shows this: a sum is -0 if and
 * only if everything that enters it is -0, so one +0 anywhere turns it.
 *
 * Inputs are those of zero_rows.h. From the arithmetic without such zeros, the change of one node,
 * or of all nodes that look alike, that makes most more of the answers right is made as long as
 * there is one. What comes of it is used only if all answers are right; replays and rivals then
 * test it like any other arithmetic. */
#include "reveal/arithmetic/zero_signs.h"
#include "model/operation.h"
#include "model/scaling.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/zero_rows.h"

enum {
    TURNS = 4,      /* of each node, or the record says that some were left out */
    PLACES = 48,    /* single nodes that are changed at most, from the root down; fewer … */
    WORK = 1 << 12, /* … of long sums */
    CHANGES = 16,   /* changes at most, one after the other */
    PATHS = 8,      /* each begins with another change, where the best one first leads nowhere */
    TOGETHER = 32,  /* inputs that are replayed before their answers are counted */
    GROUPS = 7
};

typedef struct seeker {
    accordi_asker *asker;
    const accord_tree *tree;
    accord_arithmetic base; /* borrows; its zeros are changed */
    accordi_zero_rows in;
    uint8_t *zero, *tried, *begun; /* an accord_zero for each inner node */
    uint8_t *scaled;               /* how alpha multiplies each node */
    accord_operation *operation;   /* room for one of each inner node */
    uint32_t places;               /* at the end, of which each is changed by itself, … */
    uint32_t deepest;              /* … and one more node; see deepest_sum */
} seeker;

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
    accordi_dense *d = &s->in.rows;
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
    accordi_dense *d = &s->in.rows;
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
    for (size_t i = 0; best < s->in.rows.rows && !s->asker->status; i++) {
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
        for (int i = 0; i < CHANGES && now < s->in.rows.rows; i++) {
            if (!improve(s, first, i == 0 ? path : 0, &now, &which))
                break;
            first[path] = i == 0 ? which : first[path];
        }
        if (now == s->in.rows.rows)
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
        out->signs = out->signs || (way == 0 && right < s->in.rows.rows);
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
    s->places = (uint32_t)(WORK / n < PLACES ? 4 + WORK / n : PLACES);
    s->places = s->places < inner ? s->places : (uint32_t)inner;
    s->zero = accordi_calloc(3 * inner, 1);
    s->operation = accordi_alloc(inner, sizeof *s->operation);
    uint32_t *size = accordi_alloc(inner, sizeof *size);
    if (s->zero && s->operation && size) {
        s->tried = s->zero + inner;
        s->begun = s->tried + inner;
        s->deepest = deepest_sum(s->tree, size);
    }
    free(size);
    return s->begun;
}

/* Draws and asks. */
static enum accord_status ask(seeker *s)
{
    const accord_model model = {s->tree, &s->base};
    s->asker->status = accordi_scaling(&model, &s->scaled, s->asker->error);
    s->in = (accordi_zero_rows){
        .asker = s->asker, .tree = s->tree, .base = &s->base, .last = s->places};
    if (s->asker->status || accordi_zero_rows_draw(&s->in, s->scaled))
        return s->asker->status;
    return accordi_dense_ask(&s->in.rows);
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
    if (tree->leaves > ACCORDI_ZERO_TERMS / ACCORDI_ZERO_KINDS)
        return asker->status;
    if (!make_room(&s)) {
        asker->status = accordi_nomem(asker->error);
    } else if (!ask(&s)) {
        out->sampled = s.in.rows.rows < TURNS * ((size_t)tree->leaves + tree->inner);
        try_starts(&s, out);
    }
    accordi_zero_rows_clear(&s.in);
    free(s.zero);
    free(s.scaled);
    free(s.operation);
    return asker->status;
}
