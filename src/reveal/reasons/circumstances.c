/* Asks for the same sums under other circumstances: in the first calls of a new process, with other
 * addresses of allocated memory, or with ranks that come late.
 *
 * What was revealed holds for the process that was asked, which had been called thousands of times.
 * Libraries may add in another order in their first calls, before they have set up shared memory,
 * or in the order in which messages arrive. A kind of targets whose black boxes may do so names
 * the circumstances (accordi_kind_row); a new target in each is asked for some sums, and their bits
 * are compared with those that the target itself gives now. */
#include "reveal/inputs/random_inputs.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/reasons/findings.h"
#include "reveal/reasons/ordinary_sums.h"
#include "targets/target.h"

enum {
    MOST_SUMS = 64,
    FEW_SUMS = 8,  /* all of which have masks */
    LONG_SUMS = 8, /* of so many terms at most so many: */
    LONG = 1 << 16,
    LISTED_PAIRS = 1 << 16 /* of no more than so many pairs each is asked for once */
};

/* One circumstance's share of what is found. */
typedef struct comparison {
    accordi_dense *rows;
    double now[MOST_SUMS], then[MOST_SUMS];
    size_t sums, differ;
    uint32_t *order; /* of the pairs of terms; NULL: there are very many */
    size_t pairs, next;
    size_t turn; /* circumstances before this one */
} comparison;

/* The next pair of terms: the `which`-th, row by row of the triangle, or any. */
static void next_pair(comparison *c, accordi_asker *asker, size_t *i, size_t *j)
{
    size_t n = asker->n;
    if (!c->order) {
        *i = (size_t)accordi_rng_below(&asker->rng, n);
        *j = (size_t)accordi_rng_below(&asker->rng, n - 1);
        *j += *j >= *i;
        return;
    }
    size_t which = c->order[c->next++ % c->pairs];
    *i = 0;
    while (which >= n - 1 - *i)
        which -= n - 1 - (*i)++;
    *j = *i + 1 + which;
}

/* A mask and its negative at a pair of terms, units elsewhere: what survives is the number of
 * terms outside the smallest subtree with both, and all pairs together determine the tree. Few sums
 * count under some circumstances, so the pairs, in random order, go on from one circumstance to the
 * next. Every second sum of many is of ordinary numbers that cancel but for rounding errors, and so
 * is the first one under every second circumstance. */
static void draw(comparison *c, accordi_asker *asker, size_t sums)
{
    const accord_target *t = asker->target;
    const accordi_draw draw = {.n = asker->n,
                               .seed = accordi_rng_next(&asker->rng),
                               .format = t->format,
                               .is_f32 = t->storage_f32,
                               .block = 1};
    c->sums = sums && sums < c->rows->room ? sums : c->rows->room;
    c->rows->rows = c->sums;
    bool few = sums && sums <= FEW_SUMS;
    size_t turn = c->turn++;
    for (size_t row = 0; row < c->sums; row++) {
        size_t i, j;
        if (c->pairs == 0 || (!few && (row + turn) % 2)) {
            accordi_draw_rows(&draw, ACCORDI_DRAW_CANCELLING + row * ACCORDI_DRAW_KINDS, 1,
                              accordi_dense_first(c->rows, row), NULL);
            continue;
        }
        next_pair(c, asker, &i, &j);
        accordi_dense_fill(c->rows, row, asker->unit);
        accordi_dense_put(c->rows, row, i, asker->mask, 1);
        accordi_dense_put(c->rows, row, j, -asker->mask, 1);
    }
}

/* False if the other target failed, which says nothing about this one. */
static bool compare(comparison *c, const accordi_circumstance *other, accord_error *why)
{
    const accord_batch batch = {.probes = c->sums, .dense = c->rows->x};
    if (accord_target_run(other->target, &batch, c->then, why))
        return false;
    c->differ = 0;
    if (accordi_dense_ask_some(c->rows, 0, c->sums, c->now))
        return true;
    for (size_t i = 0; i < c->sums; i++)
        c->differ += !accordi_same_bits(c->now[i], c->then[i]);
    return true;
}

/* Results differ under the i-th circumstance, which would be a reason. Where they also differ
 * without what it depends on, `other` becomes that, with its own reason. */
static void find_cause(comparison *c, accordi_asker *asker, size_t i, accordi_circumstance *other)
{
    accordi_circumstance control;
    accord_error why;
    size_t differ = c->differ;
    bool tried = !accordi_target_elsewhere(asker->target, ACCORDI_CONTROL + i, &control, &why) &&
                 control.target && compare(c, &control, &why);
    if (tried && c->differ) {
        accordi_circumstance then = *other;
        *other = control;
        control = then;
    } else {
        c->differ = differ;
    }
    accord_target_close(control.target);
}

/* Where the circumstance cannot be tried, what was found stands, and the record says so. */
static void check_all(comparison *c, accordi_asker *asker, accordi_findings *findings)
{
    for (size_t i = 0; !asker->status; i++) {
        accordi_circumstance other;
        accord_error why;
        char reason[ACCORDI_REASON_SIZE];
        bool tried = !accordi_target_elsewhere(asker->target, i, &other, &why);
        if (!other.when) /* past the last */
            return;
        if (tried) {
            draw(c, asker, other.sums);
            tried = compare(c, &other, &why);
        }
        if (tried && !asker->status && c->differ && other.depends)
            find_cause(c, asker, i, &other);
        if (!tried)
            accordi_findings_untold(findings, &other, why.text);
        else if (!asker->status &&
                 accordi_findings_add(findings, &other, c->differ, c->sums, reason))
            accordi_ask_unable(asker, ACCORD_REASON_NONDETERMINISTIC, "%s", reason);
        accord_target_close(other.target);
    }
}

static enum accord_status shuffle_pairs(comparison *c, accordi_asker *asker)
{
    c->pairs = asker->mask != 0 && asker->unit != 0 ? asker->n * (asker->n - 1) / 2 : 0;
    if (c->pairs > LISTED_PAIRS)
        return asker->status;
    c->order = accordi_ask_alloc(asker, c->pairs + 1, sizeof *c->order);
    for (uint32_t i = 0; c->order && i < c->pairs; i++)
        c->order[i] = i;
    if (c->order)
        accordi_rng_shuffle(&asker->rng, c->order, c->pairs);
    return asker->status;
}

static void check_elsewhere(accordi_asker *asker, accordi_findings *findings)
{
    accordi_dense rows;
    size_t most = asker->n > LONG ? LONG_SUMS : MOST_SUMS;
    if (asker->status || !accordi_target_has_elsewhere(asker->target) ||
        accordi_dense_init(&rows, asker, accordi_dense_fitting(asker, most, false), false))
        return;
    comparison c = {.rows = &rows};
    if (!shuffle_pairs(&c, asker))
        check_all(&c, asker, findings);
    free(c.order);
    accordi_dense_clear(&rows);
}

enum accord_status accordi_check_circumstances(accordi_asker *asker, accord_record *record)
{
    accordi_findings findings = {0};
    accordi_check_among_others(asker, &findings);
    check_elsewhere(asker, &findings);
    if (!asker->status)
        asker->status = accordi_findings_record(&findings, record, asker->error);
    accordi_findings_clear(&findings);
    return asker->status;
}
