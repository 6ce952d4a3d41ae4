/* Reveals one element of a result, together with the other elements that have the same order.
 *
 * The elements are sorted, the class of the one in question is revealed, and every member of it is
 * tested against the result. If a class is split on the way, the part that contains the element is
 * done again. If the members together give no answer, perhaps because they are not alike and
 * nothing showed it, the element is asked alone in the end. */
#include "map/map.h"
#include "record/record.h"

enum { TURNS = 3, QUIET_AGAIN = 64 };

/* Makes the element the only one to answer. */
static enum accord_status answer_alone(accordi_member *t, size_t at, accord_error *error)
{
    t->pair = accordi_alloc(1, sizeof *t->pair);
    if (!t->pair)
        return accordi_nomem(error);
    t->line[0] = t->pair[0] = (uint32_t)at;
    t->lines = t->pairs = 1;
    return ACCORD_OK;
}

static enum accord_status reveal_alone(accordi_mapper *m, size_t at, bool single, uint64_t seed,
                                       accord_record *record, accord_error *why)
{
    accordi_member t;
    accord_reveal_options options = *m->options;
    enum accord_status status = accordi_member_init(&t, m, m->class_of[at], single);
    if (!status && single)
        status = answer_alone(&t, at, m->error);
    options.seed = seed;
    if (!status)
        status = accord_reveal(&t.target, &options, record, why);
    accordi_member_clear(&t);
    return status;
}

static enum accord_status certify_element(accordi_mapper *m, size_t id, accord_record *record,
                                          bool *holds)
{
    accord_record *of_class = &m->each[id].record;
    *of_class = *record;
    enum accord_status status = accordi_map_certify(m, id, holds);
    of_class = &m->each[id].record; /* classes may have moved */
    *record = *of_class;
    accordi_record_init(of_class);
    return status;
}

/* What was spent before this attempt counts too. */
static void add_costs(const accordi_mapper *m, uint64_t calls, double from, accord_record *record)
{
    record->certificate_calls += (int64_t)m->replay_calls;
    record->certificate_seconds += m->replay_seconds;
    record->replay_seconds += m->replay_seconds;
    double spent = record->discovery_seconds + record->certificate_seconds;
    record->seed = (int64_t)m->options->seed;
    record->discovery_calls =
        (int64_t)(m->target->calls - calls) - (int64_t)record->certificate_calls;
    record->discovery_seconds += accordi_now() - from - spent;
    record->target_seconds = m->target->seconds;
}

/* Are the answers of the record, which members gave, the element's own? */
static bool gives_answers(const accord_record *record, const uint64_t *own, size_t count)
{
    const accord_answers *answers = &record->answers;
    for (size_t i = 0; i < count && (int64_t)i < answers->inputs; i++)
        if (answers->bits[i] != own[i])
            return false;
    return true;
}

static enum accord_status reveal_element(accordi_mapper *m, size_t at, accord_record *record)
{
    accord_error why = {.status = ACCORD_OK};
    uint64_t own[ACCORD_ANSWERS_KEPT];
    size_t answers = 0;
    /* A budget is spent on the element itself. */
    bool limited = m->options->budget_calls || m->options->budget_seconds > 0;
    enum accord_status status = limited ? ACCORD_OK : accordi_sort(m, ACCORDI_QUIET_GRIDS);
    if (!status && !limited && !m->options->no_certificate)
        status = accordi_sort_few_answers(m, at, own, &answers);
    /* Answers that vary are the element's too? */
    int turn = limited || status == ACCORD_UNABLE ? TURNS : 0;
    status = status == ACCORD_UNABLE ? ACCORD_OK : status;
    for (; turn <= TURNS && !status; turn++) {
        bool holds = true, single = turn == TURNS;
        size_t id = m->class_of[at];
        accord_record_clear(record);
        status = reveal_alone(m, at, single, m->options->seed + (uint64_t)turn, record, &why);
        bool contradicted = status == ACCORD_UNABLE; /* for members may not be alike */
        if (status && m->error)
            *m->error = why;
        if (single || (status && !contradicted))
            return status;
        if (!status && !m->options->no_certificate)
            status = certify_element(m, id, record, &holds);
        if (status && !contradicted)
            return status;
        bool borrowed = !contradicted && !gives_answers(record, own, answers);
        if (!contradicted && !borrowed && holds && m->class_of[at] == id)
            return ACCORD_OK;
        if (borrowed || (contradicted && why.reason != ACCORD_REASON_NOT_A_TREE))
            turn = TURNS - 1;
        status = accordi_sort(m, QUIET_AGAIN);
        if (status == ACCORD_UNABLE) {
            turn = TURNS - 1;
            status = ACCORD_OK;
        }
    }
    return status;
}

/* The record of an element that was refused before its order was looked for. */
static enum accord_status refuse_element(const accordi_mapper *m, accord_record *record)
{
    char verdict[sizeof m->error->text + 16];
    accord_error ignored;
    snprintf(verdict, sizeof verdict, "No order: %s.", m->error->text);
    struct {
        char **field;
        const char *text;
    } const texts[] = {{&record->accord, accord_version()},
                       {&record->status, accord_status_name(ACCORD_UNABLE)},
                       {&record->reason, accord_reason_name(m->error->reason)},
                       {&record->verdict, verdict}};
    enum accord_status status = accord_target_describe(m->target, record, &ignored);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
        status = accord_record_set(texts[i].field, texts[i].text, &ignored);
    return status ? accordi_nomem(m->error) : ACCORD_UNABLE;
}

enum accord_status accord_map_reveal_element(accord_target *target,
                                             const accord_reveal_options *options, size_t row,
                                             size_t column, accord_record *record,
                                             accord_error *error)
{
    accord_reveal_options chosen;
    accordi_mapper m;
    accord_record found;
    accord_error local;
    error = error ? error : &local;
    enum accord_status status =
        ACCORDI_TAKE(accord_reveal_options, progress_context, &chosen, options, error);
    if (status)
        return status;
    options = &chosen;
    if (!target || !record || row >= target->rows || column >= target->columns)
        return accordi_fail(error, ACCORD_ARG,
                            "a target, a record and an element inside the result are needed");
    status = accordi_map_check(target, options, error);
    if (status)
        return status;
    uint64_t calls = target->calls;
    double from = accordi_now();
    size_t at = row * target->columns + column;
    accordi_record_init(&found);
    status = accordi_mapper_init(&m, target, options, error);
    if (!status)
        status = accordi_map_check_memory(&m);
    if (!status)
        status = reveal_element(&m, at, &found);
    else if (status == ACCORD_UNABLE)
        status = refuse_element(&m, &found);
    bool answered = status == ACCORD_OK || (status == ACCORD_UNABLE && found.status);
    if (answered && accordi_mapper_name(&m, at, &found, error)) {
        status = ACCORD_NOMEM;
        answered = false;
    }
    if (answered) {
        add_costs(&m, calls, from, &found);
        accord_record_clear(record);
        *record = found;
        accordi_record_init(&found);
    }
    accord_record_clear(&found);
    accordi_mapper_clear(&m);
    return status;
}
