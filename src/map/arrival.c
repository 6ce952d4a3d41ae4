/* Tests whether results of ranks depend on when their terms arrive. If elements have no order, for
 * whatever reason, all elements are tested at once, and the result is reported class by class. */
#include "map/map.h"
#include "reveal/reasons/findings.h"
#include "reveal/reasons/ordinary_sums.h"

static bool may_be_arrival(enum accord_reason reason)
{
    return reason != ACCORD_REASON_BUDGET && !accordi_reason_is_beside(reason);
}

static bool is_refused(const accord_record *record)
{
    if (!record->reason || !record->status ||
        strcmp(record->status, accord_status_name(ACCORD_UNABLE)) != 0)
        return false;
    for (enum accord_reason reason = 0; reason < ACCORD_REASON_COUNT; reason++)
        if (strcmp(record->reason, accord_reason_name(reason)) == 0)
            return may_be_arrival(reason);
    return false;
}

enum accord_status accordi_map_arrivals(accordi_mapper *m)
{
    bool any = false;
    enum accord_status status = ACCORD_OK;
    for (size_t id = 0; id < m->classes; id++)
        any = any || is_refused(&m->each[id].record);
    accordi_arrival *found = any ? accordi_alloc(m->classes, sizeof *found) : NULL;
    if (found &&
        accordi_count_arrivals(m->target, m->options->seed, m->class_of, m->classes, found))
        for (size_t id = 0; id < m->classes && !status; id++) {
            char reason[ACCORDI_REASON_SIZE], verdict[ACCORDI_REASON_SIZE + 16];
            if (!is_refused(&m->each[id].record) || !accordi_arrival_decides(&found[id], reason))
                continue;
            snprintf(verdict, sizeof verdict, "No order: %s.", reason);
            status = accordi_map_give_up(m, id, ACCORD_REASON_NONDETERMINISTIC, verdict);
        }
    free(found);
    return any && !found ? accordi_nomem(m->error) : status;
}

void accordi_map_name_arrival(accordi_mapper *m)
{
    accordi_arrival found;
    char reason[ACCORDI_REASON_SIZE];
    if (!m->error || !may_be_arrival(m->error->reason))
        return;
    memset(m->class_of, 0, m->elements * sizeof *m->class_of);
    if (accordi_count_arrivals(m->target, m->options->seed, m->class_of, 1, &found) &&
        accordi_arrival_decides(&found, reason))
        accordi_unable(m->error, ACCORD_REASON_NONDETERMINISTIC, "%s", reason);
}
