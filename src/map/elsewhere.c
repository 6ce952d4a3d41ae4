/* Compares every element with what it gives under other circumstances: in the first calls of a new
 * process, or with ranks that come late.
 *
 * This file does for a whole map what reveal/reasons/circumstances.c does for one sum. A target
 * opened under each circumstance (accordi_kind_row) is asked for the same grids as the mapped one,
 * whose bits have to be those that it gives now. Each row holds a question of its own: a mask and
 * its negative at a pair of terms, and units elsewhere. The terms outside the smallest subtree with
 * both masks survive, and all pairs together determine a tree. Where there are no masks, and in
 * every second grid, a row holds ordinary numbers that cancel but for rounding errors. */
#include "map/map.h"
#include "reveal/inputs/random_inputs.h"
#include "reveal/reasons/findings.h"
#include "targets/target.h"

enum { MOST_GRIDS = 64, LEAST_GRIDS = 8 };
static const double work = 1e8; /* terms to be added */

typedef struct elsewhere {
    accordi_mapper *m;
    double mask, unit;          /* 0: there are none */
    void *terms;                /* of a row, as cells have them */
    uint64_t *differ;           /* per class, under the present circumstance */
    accordi_findings *findings; /* per class */
} elsewhere;

static void draw_row(elsewhere *e, size_t row, bool masked)
{
    accordi_mapper *m = e->m;
    bool f32 = m->target->storage_f32;
    const accordi_draw draw = {.n = m->n,
                               .seed = accordi_rng_next(&m->rng),
                               .format = m->target->format,
                               .is_f32 = f32,
                               .block = 1};
    if (!masked) {
        accordi_draw_rows(&draw, ACCORDI_DRAW_CANCELLING, 1, e->terms, NULL);
    } else {
        size_t i = (size_t)accordi_rng_below(&m->rng, m->n);
        size_t j = (size_t)accordi_rng_below(&m->rng, m->n - 1);
        for (size_t k = 0; k < m->n; k++)
            accordi_set_number(e->terms, f32, k, e->unit);
        accordi_set_number(e->terms, f32, i, e->mask);
        accordi_set_number(e->terms, f32, j + (j >= i), -e->mask);
    }
    accordi_slate_whole(&m->a, row, e->terms);
}

static void draw_grid(elsewhere *e, size_t grid)
{
    accordi_mapper *m = e->m;
    bool masked = e->mask != 0 && e->unit != 0 && m->n > 1 && grid % 2 == 0;
    for (size_t row = 0; row < m->rows; row++)
        draw_row(e, row, masked);
    if (m->has_b)
        accordi_slate_fill(&m->b, 1);
    if (m->has_b)
        accordi_slate_all(&m->b);
    for (size_t i = 0; m->c && i < m->elements; i++)
        accordi_mapper_start(m, i, m->a.start[i / m->columns]);
}

/* How many grids are asked under a circumstance. */
static size_t grids_of(const accordi_mapper *m, const accordi_circumstance *other)
{
    double most = work / ((double)m->elements * (double)m->n);
    if (other->sums)
        return other->sums;
    return most < LEAST_GRIDS ? LEAST_GRIDS : most > MOST_GRIDS ? MOST_GRIDS : (size_t)most;
}

/* *failed: the other target did, which says nothing about this one. */
static enum accord_status compare(elsewhere *e, const accordi_circumstance *other, size_t grids,
                                  bool *failed, accord_error *why)
{
    accordi_mapper *m = e->m;
    enum accord_status status = ACCORD_OK;
    memset(e->differ, 0, m->classes * sizeof *e->differ);
    for (size_t grid = 0; grid < grids && !status; grid++) {
        draw_grid(e, grid);
        const accord_grid asked = {.a = m->a.cell, .b = m->has_b ? m->b.cell : NULL, .c = m->c};
        *failed = accord_target_run_grid(other->target, &asked, m->again, why);
        if (*failed)
            return ACCORD_OK;
        status = accordi_mapper_run(m, m->result);
        m->replay_calls++;
        for (size_t i = 0; i < m->elements && !status; i++)
            e->differ[m->class_of[i]] += !accordi_same_bits(m->result[i], m->again[i]);
        if (!status)
            status = accordi_mapper_goes_on(m, grid + 1, grids);
    }
    return status;
}

static enum accord_status judge(elsewhere *e, size_t id, const accordi_circumstance *other,
                                uint64_t sums)
{
    char reason[ACCORDI_REASON_SIZE], verdict[ACCORDI_REASON_SIZE + 16];
    if (!accordi_findings_add(&e->findings[id], other, e->differ[id], sums, reason))
        return ACCORD_OK;
    snprintf(verdict, sizeof verdict, "No order: %s.", reason);
    return accordi_map_give_up(e->m, id, ACCORD_REASON_NONDETERMINISTIC, verdict);
}

static bool differs(const elsewhere *e)
{
    for (size_t id = 0; id < e->m->classes; id++)
        if (e->differ[id])
            return true;
    return false;
}

/* Results differ under the i-th circumstance, which would be a reason. Where they also differ
 * without what it depends on, `other` becomes that, with its own reason. */
static enum accord_status find_cause(elsewhere *e, size_t i, size_t grids,
                                     accordi_circumstance *other)
{
    size_t bytes = e->m->classes * sizeof *e->differ;
    accordi_circumstance control, then = *other;
    accord_error why;
    bool failed = true;
    uint64_t *differ = accordi_alloc(e->m->classes, sizeof *differ);
    enum accord_status status = differ ? ACCORD_OK : accordi_nomem(e->m->error);
    if (status)
        return status;
    memcpy(differ, e->differ, bytes);
    if (!accordi_target_elsewhere(e->m->target, ACCORDI_CONTROL + i, &control, &why) &&
        control.target)
        status = compare(e, &control, grids, &failed, &why);
    if (!status && !failed && differs(e)) {
        *other = control;
        control = then;
    } else {
        memcpy(e->differ, differ, bytes);
    }
    accord_target_close(control.target);
    free(differ);
    return status;
}

/* The i-th circumstance, for all classes with an order. */
static enum accord_status check(elsewhere *e, size_t i, accordi_circumstance *other,
                                accord_error *why)
{
    accordi_mapper *m = e->m;
    bool failed = !other->target;
    if (!failed && (other->target->rows != m->rows || other->target->columns != m->columns)) {
        accordi_fail(why, ACCORD_TARGET, "it has other numbers of results there");
        failed = true;
    }
    size_t grids = grids_of(m, other);
    enum accord_status status = failed ? ACCORD_OK : compare(e, other, grids, &failed, why);
    if (!status && !failed && other->depends && differs(e))
        status = find_cause(e, i, grids, other);
    for (size_t id = 0; id < m->classes && !status; id++) {
        if (!m->each[id].record.tree)
            continue;
        if (failed)
            accordi_findings_untold(&e->findings[id], other, why->text);
        else
            status = judge(e, id, other, accordi_mapper_members(m, id) * grids);
    }
    return status;
}

static enum accord_status check_all(elsewhere *e)
{
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; !status; i++) {
        accordi_circumstance other;
        accord_error why = {0};
        accordi_target_elsewhere(e->m->target, i, &other, &why);
        if (!other.when) /* past the last */
            return ACCORD_OK;
        status = check(e, i, &other, &why);
        accord_target_close(other.target);
    }
    return status;
}

static enum accord_status record_all(elsewhere *e)
{
    accordi_mapper *m = e->m;
    enum accord_status status = ACCORD_OK;
    for (size_t id = 0; id < m->classes && !status; id++)
        status = accordi_findings_record(&e->findings[id], &m->each[id].record, m->error);
    return status;
}

enum accord_status accordi_map_elsewhere(accordi_mapper *m)
{
    elsewhere e = {.m = m};
    double from = accordi_now();
    if (!accordi_target_has_elsewhere(m->target))
        return ACCORD_OK;
    for (size_t id = 0; id < m->classes && e.mask == 0; id++) {
        e.mask = m->each[id].record.mask;
        e.unit = m->each[id].record.unit;
    }
    m->stage = "other circumstances";
    accordi_mapper_index(m);
    e.terms = accordi_alloc(m->n, sizeof(double));
    e.differ = accordi_calloc(m->classes, sizeof *e.differ);
    e.findings = accordi_calloc(m->classes, sizeof *e.findings);
    bool room = e.terms && e.differ && e.findings;
    enum accord_status status = room ? check_all(&e) : accordi_nomem(m->error);
    if (!status)
        status = record_all(&e);
    for (size_t id = 0; room && id < m->classes; id++)
        accordi_findings_clear(&e.findings[id]);
    free(e.terms);
    free(e.differ);
    free(e.findings);
    m->replay_seconds += accordi_now() - from;
    return status;
}
