/* Sorts the elements, then reveals the order of each class from some members, and tests all members
 * against it.
 *
 * A class that is split on the way is revealed anew, part by part. Each split adds a class, and
 * each class is revealed a few times at most, so this ends. Where the members of a class contradict
 * each other though no grid has told them apart, more grids are asked; if those tell nothing
 * either, one member alone answers, and the certificate sorts out the others. */
#include "map/map.h"
#include "record/record.h"
#include "reveal/reasons/ordinary_sums.h"
#include "targets/target.h"

enum { MOST_QUIET = 2 * ACCORDI_QUIET_GRIDS, QUIET_AGAIN = 64, ATTEMPTS = 3 };

/* More than one of an element takes, where they cost little. */
static size_t quiet_grids(const accordi_mapper *m)
{
    double work = (double)m->elements * (double)m->n, most = 1e9 / (work + 1);
    return most < ACCORDI_QUIET_GRIDS ? ACCORDI_QUIET_GRIDS
           : most > MOST_QUIET        ? MOST_QUIET
                                      : (size_t)most;
}

/* One attempt at a class. *again: its members contradict each other, or the order found; or what
 * they answer varies, which is the target's fault only if a single one was asked. */
static enum accord_status reveal_once(accordi_mapper *m, size_t id, bool single, uint64_t seed,
                                      bool *again)
{
    accordi_member t;
    accord_record record;
    accord_error why = {0};
    accord_reveal_options options = *m->options;
    enum accord_status status = accordi_member_init(&t, m, id, single);
    options.seed = seed;
    accordi_mapper_rest(m, t.target.at_once, &options);
    *again = false;
    accordi_record_init(&record);
    if (!status)
        status = accord_reveal(&t.target, &options, &record, &why);
    accordi_member_clear(&t);
    record.seed = (int64_t)m->options->seed;
    if (strncmp(why.text, "interrupted: ", 13) == 0)
        why.text[11] = 0; /* what is known of one class says little */
    if (status && status != ACCORD_UNABLE && m->error)
        *m->error = why;
    bool varies = status == ACCORD_UNABLE && why.reason == ACCORD_REASON_NONDETERMINISTIC;
    if (varies && single) {
        if (m->error)
            *m->error = why;
    } else if (status == ACCORD_OK || status == ACCORD_UNABLE) {
        accord_record *to = &m->each[id].record;
        record.discovery_calls += to->discovery_calls; /* of attempts before */
        record.certificate_calls += to->certificate_calls;
        record.discovery_seconds += to->discovery_seconds;
        record.certificate_seconds += to->certificate_seconds;
        record.replay_seconds += to->replay_seconds;
        accord_record_clear(to);
        *to = record;
        *again = varies || (status == ACCORD_UNABLE && why.reason == ACCORD_REASON_NOT_A_TREE);
        return ACCORD_OK;
    }
    accord_record_clear(&record);
    return status;
}

static enum accord_status certify_class(accordi_mapper *m, size_t id, bool *again)
{
    bool holds = true;
    *again = false;
    if (!m->each[id].record.tree || m->options->no_certificate) {
        m->done[id] = true;
        return ACCORD_OK;
    }
    enum accord_status status = accordi_map_certify(m, id, &holds);
    if (status)
        return status;
    *again = !holds;
    m->done[id] = holds;
    accordi_mapper_index(m);
    m->each[id].certified = holds ? accordi_mapper_members(m, id) : 0;
    return ACCORD_OK;
}

static enum accord_status reveal_class(accordi_mapper *m, size_t id)
{
    bool again = true, single = false;
    enum accord_status status = ACCORD_OK;
    for (int turn = 0; turn < ATTEMPTS && again && !status; turn++) {
        status = reveal_once(m, id, single, m->options->seed + (uint64_t)turn, &again);
        if (!status && !again)
            status = certify_class(m, id, &again);
        if (status || !again)
            continue;
        size_t classes = m->classes;
        status = accordi_sort(m, QUIET_AGAIN);
        if (m->classes > classes) /* it may have been this one */
            return status;
        single = turn > 0 || m->elements * m->n < 1u << 20;
    }
    if (!status && again)
        status = accordi_map_give_up(m, id, ACCORD_REASON_NOT_A_TREE,
                                     "No order: the elements of this class contradict each other "
                                     "and every order that was found for them.");
    return status;
}

static enum accord_status reveal_classes(accordi_mapper *m)
{
    enum accord_status status = ACCORD_OK;
    for (size_t id = 0; id < m->classes && !status;) {
        if (m->done[id]) {
            id++;
            continue;
        }
        status = reveal_class(m, id);
        for (id = 0; id < m->classes && m->done[id];) /* others may have been split */
            id++;
    }
    return status;
}

/* ---- what is handed out ---- */

/* Classes in the order of their first members. */
static enum accord_status renumber_classes(accordi_mapper *m, accord_map *map)
{
    uint16_t *new_id = accordi_alloc(m->classes, sizeof *new_id);
    accord_class *class = accordi_calloc(m->classes, sizeof *class);
    size_t next = 0;
    if (!new_id || !class) {
        free(new_id);
        free(class);
        return accordi_nomem(m->error);
    }
    memset(new_id, 0xFF, m->classes * sizeof *new_id);
    accordi_mapper_index(m);
    for (size_t i = 0; i < m->elements; i++) {
        uint16_t id = m->class_of[i];
        if (new_id[id] == UINT16_MAX) {
            class[next] = m->each[id];
            class[next].members = accordi_mapper_members(m, id);
            class[next].row = (uint32_t)(i / m->columns);
            class[next].column = (uint32_t)(i % m->columns);
            new_id[id] = (uint16_t)next++;
        }
        m->class_of[i] = new_id[id];
    }
    map->classes = next;
    map->each = class;
    map->class_of = m->class_of;
    m->class_of = NULL;
    m->classes = 0; /* their records have moved */
    free(new_id);
    return ACCORD_OK;
}

static void add_up_classes(const accordi_mapper *m, accord_map *map)
{
    map->rows = (uint32_t)m->rows;
    map->columns = (uint32_t)m->columns;
    map->copies = m->target->copies;
    map->sorting_calls = m->sorting_calls;
    map->sorting_seconds = m->sorting_seconds;
    map->replay_calls = m->replay_calls;
    map->replay_seconds = m->replay_seconds;
    map->answer_inputs = m->answer_inputs;
    map->replays = m->replayed;
    map->replays_agreed = m->agreed;
    for (size_t i = 0; i < map->classes; i++) {
        const accord_record *r = &map->each[i].record;
        map->discovery_calls += (uint64_t)r->discovery_calls;
        map->discovery_seconds += r->discovery_seconds;
        map->certificate_calls += (uint64_t)r->certificate_calls;
        map->certificate_seconds += r->certificate_seconds;
    }
}

/* Two results, class, place, answers: bytes. */
enum { AN_ELEMENT = 40 };

enum accord_status accordi_map_check(const accord_target *target,
                                     const accord_reveal_options *options, accord_error *error)
{
    if (options->algorithm && !accord_algorithm_by_name(options->algorithm))
        return accordi_fail(error, ACCORD_ARG,
                            "no such algorithm; see `accord info` for their names");
    if (!target->kind->run_grid)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s has one result, not many: map a GEMV, a GEMM or another target "
                            "with a grid of results, and use accord reveal for this one",
                            target->notation);
    enum accord_status status = accordi_check_alpha(target->alpha, target->has_start, error);
    if (status || (status = accordi_check_environment(error)))
        return status;
    double rows = (double)target->rows, columns = (double)target->columns;
    double cells = rows * columns + (rows + columns) * (double)target->n;
    return accordi_memory_check((target->storage_f32 ? 4 : 8) * cells + AN_ELEMENT * rows * columns,
                                "a map of this size", error);
}

enum accord_status accordi_map_check_memory(accordi_mapper *m)
{
    accordi_asker asker;
    uint64_t calls = m->target->calls;
    accordi_ask_init(&asker, m->target, 0, m->error);
    enum accord_status status = accordi_check_memory(&asker);
    accordi_ask_clear(&asker);
    m->sorting_calls += m->target->calls - calls;
    return status;
}

/* Where the progress callback has stopped it: adds to the error what is known until then. */
static void tell_known(const accordi_mapper *m, enum accord_status status, accord_error *error)
{
    size_t known = 0, certified = 0;
    if (status != ACCORD_TARGET || !error || strcmp(error->text, "interrupted") != 0)
        return;
    for (size_t id = 0; id < m->classes; id++) {
        known += m->done[id];
        certified += m->done[id] ? m->each[id].certified : 0;
    }
    accordi_fail(error, status,
                 "interrupted: so far the %zu results are in %zu class%s; the orders of %zu are "
                 "known, and %zu results were certified to have them",
                 m->elements, m->classes, m->classes == 1 ? "" : "es", known, certified);
}

enum accord_status accord_map_reveal(accord_target *target, const accord_reveal_options *options,
                                     accord_map *map, accord_error *error)
{
    accord_reveal_options chosen;
    accordi_mapper m;
    accord_map found;
    enum accord_status status =
        ACCORDI_TAKE(accord_reveal_options, progress_context, &chosen, options, error);
    if (status)
        return status;
    options = &chosen;
    if (!target || !map)
        return accordi_fail(error, ACCORD_ARG, "a target and a map are needed");
    status = accordi_map_check(target, options, error);
    if (status)
        return status;
    accordi_map_init(&found);
    status = accordi_mapper_init(&m, target, options, error);
    if (!status)
        status = accordi_map_check_memory(&m);
    if (!status)
        status = accordi_sort(&m, quiet_grids(&m));
    if (!status && !options->no_certificate)
        status = accordi_sort_answers(&m);
    if (!status)
        status = reveal_classes(&m);
    if (!status && !options->no_certificate)
        status = accordi_map_answers(&m);
    if (!status && !options->no_certificate)
        status = accordi_map_replay(&m);
    if (!status && !options->no_certificate)
        status = accordi_map_elsewhere(&m);
    if (!status && !options->no_certificate)
        status = accordi_map_arrivals(&m);
    if (!status)
        status = renumber_classes(&m, &found);
    if (!status) {
        add_up_classes(&m, &found);
        accord_map_clear(map);
        *map = found;
    }
    if (status == ACCORD_UNABLE && !options->no_certificate)
        accordi_map_name_arrival(&m);
    tell_known(&m, status, error);
    accordi_mapper_clear(&m);
    return status;
}
