/* Prints surveys, for accord batch and accord sweep: rows, groups and JSON.
 *
 * The library finds the groups (accord/survey.h). */
#include "cli/command/cli.h"
#include <jansson.h>

/* Orders that no model explains look alike in words: their answers tell them apart. */
static void describe_arithmetic(cli_group *group, const accord_record *r)
{
    size_t size = sizeof group->arithmetic;
    cli_arithmetic_words(r, group->arithmetic, size);
    if (!r->arithmetic && r->answers.digest) {
        size_t at = strlen(group->arithmetic);
        snprintf(group->arithmetic + at, size - at, "; answers %.12s", r->answers.digest);
    }
}

static void describe_group(cli_group *group)
{
    const accord_record *r = group->found->record;
    const accord_error *error = &group->found->error;
    if (r && r->tree) {
        accord_order_words(r->tree, group->words);
        describe_arithmetic(group, r);
    } else if (r) {
        snprintf(group->words, sizeof group->words, "no order: %s",
                 accord_reason_name(error->reason));
    } else {
        snprintf(group->words, sizeof group->words, "failed: %.80s%s", error->text,
                 strlen(error->text) > 80 ? "..." : "");
    }
}

static bool grow_list(void **list, size_t count, size_t size)
{
    size_t capacity = count;
    return accordi_grow(list, &capacity, count + 1, size);
}

/* Room for one more row, and for one more group. */
static bool reserve(cli_survey *survey)
{
    void *rows = survey->row, *groups = survey->group;
    survey->groups = survey->groups ? survey->groups : accord_survey_new();
    bool good = survey->groups && grow_list(&rows, survey->rows, sizeof *survey->row) &&
                grow_list(&groups, survey->count, sizeof *survey->group);
    survey->row = rows;
    survey->group = groups;
    return good;
}

/* Puts the answer into its group. The first of a group is kept there, and the order is taken over:
 * at a place of its own, for the library borrows it. */
static enum accord_status place_order(cli_survey *survey, size_t terms, cli_order *order, size_t *g,
                                      accord_error *error)
{
    cli_group *group = accordi_calloc(1, sizeof *group);
    if (!group)
        return accordi_nomem(error);
    bool answered = order->status == ACCORD_OK || order->status == ACCORD_UNABLE;
    group->record = order->record;
    enum accord_status status =
        accord_survey_add(survey->groups, terms, answered ? group->record : NULL,
                          order->status == ACCORD_OK ? NULL : &order->error, g, error);
    if (status != ACCORD_OK || *g < survey->count) {
        free(group);
        return status;
    }
    order->record = NULL;
    group->found = accord_survey_group(survey->groups, *g);
    survey->group[survey->count++] = group;
    describe_group(group);
    return ACCORD_OK;
}

static enum accord_status new_row(cli_survey *survey, size_t terms, double seconds,
                                  cli_order *order, accord_error *error)
{
    size_t g;
    if (!reserve(survey))
        return accordi_nomem(error);
    enum accord_status status = place_order(survey, terms, order, &g, error);
    if (status == ACCORD_OK)
        survey->row[survey->rows++] = (cli_row){.terms = terms, .group = g, .seconds = seconds};
    return status;
}

/* What is known where a signal ends it. */
static void say_known(const cli_survey *survey, const char *title)
{
    accordi_buffer text = {0};
    for (size_t g = 0; g < survey->count; g++)
        accordi_buffer_printf(&text, "%s%s", g ? "; " : ": ", survey->group[g]->words);
    cli_error("interrupted at %s: the orders of %zu settings are known, in %zu group%s%s", title,
              survey->rows, survey->count, survey->count == 1 ? "" : "s",
              text.data ? text.data : "");
    accordi_buffer_clear(&text);
}

int cli_survey_ask(cli_survey *survey, const cli_args *args, const char *target, const char *title,
                   const accord_target_options *options)
{
    cli_order order;
    accord_error error;
    double start = accordi_now();
    cli_ask_titled(args, target, title, options, &order);
    int status = CLI_YES;
    bool answer =
        order.status == ACCORD_OK || order.status == ACCORD_UNABLE || order.status == ACCORD_TARGET;
    if (cli_signal()) {
        say_known(survey, title);
        status = CLI_FAILED;
    } else if (!answer)
        status = cli_fail(&order.error);
    else if (new_row(survey, options->n, accordi_now() - start, &order, &error) != ACCORD_OK)
        status = cli_fail(&error);
    cli_order_clear(&order);
    return status;
}

int cli_survey_status(const accord_survey_verdict *verdict)
{
    if (verdict->failure != ACCORD_OK)
        return cli_exit_of(verdict->failure);
    return verdict->sameness == ACCORD_DIFFERS       ? CLI_DIFFERS
           : verdict->sameness == ACCORD_CANNOT_TELL ? CLI_UNABLE
                                                     : CLI_YES;
}

const char *cli_survey_word(const accord_survey_verdict *verdict)
{
    return cli_survey_status(verdict) == CLI_FAILED ? "failed"
                                                    : accord_sameness_name(verdict->sameness);
}

int cli_survey_end(const accord_survey_verdict *verdict)
{
    int status = cli_survey_status(verdict);
    if (status == CLI_UNABLE)
        cli_error("it cannot be determined whether the settings give the same results: %s",
                  verdict->text);
    else if (status > CLI_DIFFERS)
        cli_error("no setting has an answer: %s", verdict->text);
    return status;
}

void cli_survey_put_grounds(accordi_buffer *out, const accord_survey_verdict *verdict)
{
    if (verdict->inputs > 0 && verdict->sameness != ACCORD_CANNOT_TELL)
        accordi_buffer_printf(out,
                              "Not every setting has a model that explains the arithmetic. Without "
                              "one, \"the same\" means the same bits on %lld inputs.\n",
                              (long long)verdict->inputs);
}

void cli_survey_put_row(cli_table *table, const cli_group *group, double took, bool whole)
{
    enum { SHORT_PRINT = 12 };
    const char *print = group->found->fingerprint;
    cli_table_put(table, group->found->letter);
    cli_table_printf(table, "%.*s", SHORT_PRINT, *print ? print : "-");
    cli_table_put(table, group->words);
    if (whole)
        cli_table_put(table, *group->arithmetic ? group->arithmetic : "-");
    cli_table_printf(table, "%.3f", took);
}

void cli_survey_clear(cli_survey *survey)
{
    accord_survey_free(survey->groups);
    for (size_t g = 0; g < survey->count; g++) {
        accord_record_free(survey->group[g]->record);
        free(survey->group[g]);
    }
    free(survey->group);
    free(survey->row);
    *survey = (cli_survey){0};
}

/* ---- as JSON ---- */

/* The whole record, for diff and show. */
static json_t *json_record(const accord_record *record)
{
    char *text = NULL;
    json_t *out = NULL;
    if (accord_record_string(record, accord_writer_by_name("json"), NULL, &text, NULL) == ACCORD_OK)
        out = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    return out ? out : json_null();
}

static json_t *json_group(const cli_group *group)
{
    const accord_group *found = group->found;
    const accord_record *record = found->record;
    json_t *out = json_pack("{s:s, s:I, s:I, s:s}", "group", found->letter, "n",
                            (json_int_t)found->terms, "members", (json_int_t)found->members,
                            "status", accord_status_name(found->error.status));
    if (found->inputs > 0)
        json_object_set_new(out, "inputs", json_integer(found->inputs));
    if (record && record->tree) {
        json_object_set_new(out, "fingerprint", json_string(found->fingerprint));
        json_object_set_new(out, "order", json_string(group->words));
        json_object_set_new(out, "arithmetic", json_string(group->arithmetic));
    }
    if (record)
        json_object_set_new(out, "record", json_record(record));
    if (found->error.status != ACCORD_OK) {
        json_object_set_new(out, "reason", json_string(accord_reason_name(found->error.reason)));
        json_object_set_new(out, "error", cli_json_text(found->error.text));
    }
    return out;
}

struct json_t *cli_survey_groups_json(const cli_survey *survey)
{
    json_t *all = json_array();
    for (size_t g = 0; g < survey->count; g++)
        json_array_append_new(all, json_group(survey->group[g]));
    return all;
}
