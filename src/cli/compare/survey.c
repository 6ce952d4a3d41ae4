/* Surveys: one question asked under several settings, and which of the answers agree.
 *
 * Answers of as many terms belong to one group if they are the same by accord_record_compare. Those
 * that vary from run to run share a group that says so: nothing can be told of them. Only the first
 * answer of a group is kept, so that a survey of a thousand settings needs no more memory than its
 * groups. */
#include "cli/command/cli.h"
#include "targets/target.h"
#include <jansson.h>

/* One that failed has no record. */
static bool answered(const cli_order *order)
{
    return order->status == ACCORD_OK || order->status == ACCORD_UNABLE;
}

static enum accord_sameness compare(const cli_order *a, const cli_order *b, accord_comparison *why)
{
    if (answered(a) && answered(b))
        return accord_record_compare(&a->record, &b->record, ACCORD_COMPARE_TERMS, why);
    bool same = a->status == b->status && strcmp(a->error.text, b->error.text) == 0;
    *why = (accord_comparison){.sameness = same ? ACCORD_SAME : ACCORD_DIFFERS};
    return why->sameness;
}

/* Of two that have a group in common though nothing can be told of them. */
static bool alike(const cli_order *a, const cli_order *b, const accord_comparison *why)
{
    return why->sameness == ACCORD_CANNOT_TELL && a->status == b->status &&
           a->error.reason == b->error.reason &&
           (why->ground == ACCORD_GROUND_NOT_RECORDED || (why->varies_a && why->varies_b));
}

static bool belongs(cli_group *group, size_t terms, const cli_order *order)
{
    accord_comparison why;
    if (group->terms != terms)
        return false;
    enum accord_sameness sameness = compare(&group->order, order, &why);
    bool open = alike(&group->order, order, &why);
    if (sameness == ACCORD_SAME_ON_INPUTS)
        group->inputs = why.inputs;
    group->open = group->open || open;
    return open || sameness == ACCORD_SAME || sameness == ACCORD_SAME_ON_INPUTS;
}

/* 0 is A, 25 is Z, 26 is AA, as spreadsheets count. */
static void name_group(char *letter, size_t size, size_t number)
{
    char text[16];
    size_t at = sizeof text;
    text[--at] = 0;
    for (size_t k = number + 1; k > 0; k = (k - 1) / 26)
        text[--at] = (char)('A' + (k - 1) % 26);
    snprintf(letter, size, "%s", text + at);
}

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

static void describe(cli_group *group)
{
    const accord_record *r = &group->order.record;
    if (answered(&group->order) && r->tree) {
        cli_model_print(r, group->print);
        accordi_order_words(r->tree, group->words, sizeof group->words);
        describe_arithmetic(group, r);
    } else if (answered(&group->order)) {
        snprintf(group->words, sizeof group->words, "no order: %s",
                 accord_reason_name(group->order.error.reason));
    } else {
        snprintf(group->words, sizeof group->words, "failed: %.80s%s", group->order.error.text,
                 strlen(group->order.error.text) > 80 ? "..." : "");
    }
}

static void *more(void *list, size_t count, size_t size)
{
    return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * size);
}

/* Takes the order over. */
static bool new_group(cli_survey *survey, size_t terms, cli_order *order)
{
    cli_group *grown = more(survey->group, survey->groups, sizeof *grown);
    if (!grown)
        return false;
    survey->group = grown;
    cli_group *group = &grown[survey->groups];
    *group = (cli_group){.terms = terms, .first = survey->rows, .order = *order};
    const accord_record *r = &group->order.record;
    group->inputs = r->arithmetic ? 0 : r->answers.inputs;
    group->open = answered(&group->order) &&
                  (r->answers.varied > 0 || (!r->arithmetic && !r->answers.generator));
    memset(order, 0, sizeof *order);
    name_group(group->letter, sizeof group->letter, survey->groups++);
    accord_target_close(group->order.target);
    group->order.target = NULL;
    describe(group);
    return true;
}

static bool new_row(cli_survey *survey, size_t terms, double seconds, cli_order *order)
{
    cli_row *grown = more(survey->row, survey->rows, sizeof *grown);
    if (!grown)
        return false;
    survey->row = grown;
    size_t g = 0;
    while (g < survey->groups && !belongs(&survey->group[g], terms, order))
        g++;
    if (g == survey->groups && !new_group(survey, terms, order))
        return false;
    survey->group[g].rows++;
    grown[survey->rows++] = (cli_row){.terms = terms, .group = g, .seconds = seconds};
    return true;
}

int cli_survey_ask(cli_survey *survey, const cli_args *args, const char *title,
                   const accord_target_options *options)
{
    cli_order order;
    double start = accordi_now();
    cli_ask_titled(args, args->operand[0], title, options, &order);
    int status = CLI_YES;
    bool answer =
        order.status == ACCORD_OK || order.status == ACCORD_UNABLE || order.status == ACCORD_TARGET;
    if (cli_signal()) {
        cli_error("interrupted before the end");
        status = CLI_FAILED;
    } else if (!answer)
        status = cli_fail(&order.error);
    else if (!new_row(survey, options->n, accordi_now() - start, &order)) {
        cli_error("out of memory");
        status = CLI_UNABLE;
    }
    cli_order_clear(&order);
    return status;
}

/* A group of what varies is open however few rows it has; one group that is fixed and another that
 * varies differ, whichever came first. */
enum accord_sameness cli_survey_sameness(const cli_survey *survey, int64_t *inputs)
{
    enum accord_sameness worst = ACCORD_SAME;
    accord_comparison why;
    if (inputs)
        *inputs = 0;
    for (size_t a = 0; a < survey->groups; a++) {
        const cli_group *of_a = &survey->group[a];
        enum accord_sameness here = of_a->open     ? ACCORD_CANNOT_TELL
                                    : of_a->inputs ? ACCORD_SAME_ON_INPUTS
                                                   : ACCORD_SAME;
        if (of_a->inputs && inputs && (!*inputs || of_a->inputs < *inputs))
            *inputs = of_a->inputs;
        for (size_t b = 0; b < survey->groups; b++)
            if (a != b && of_a->terms == survey->group[b].terms) {
                if (compare(&of_a->order, &survey->group[b].order, &why) == ACCORD_DIFFERS)
                    return ACCORD_DIFFERS;
                here = ACCORD_CANNOT_TELL;
            }
        worst = here > worst ? here : worst;
    }
    return worst;
}

int cli_survey_status(const cli_survey *survey)
{
    bool any = false;
    for (size_t g = 0; g < survey->groups; g++)
        any = any || answered(&survey->group[g].order);
    if (!any)
        return survey->groups ? cli_exit_of(survey->group[0].order.status) : CLI_YES;
    enum accord_sameness sameness = cli_survey_sameness(survey, NULL);
    return sameness == ACCORD_DIFFERS       ? CLI_DIFFERS
           : sameness == ACCORD_CANNOT_TELL ? CLI_UNABLE
                                            : CLI_YES;
}

const char *cli_survey_word(const cli_survey *survey)
{
    return cli_survey_status(survey) == CLI_FAILED
               ? "failed"
               : accord_sameness_name(cli_survey_sameness(survey, NULL));
}

/* The first group of which nothing can be told. */
static const cli_group *open_group(const cli_survey *survey)
{
    size_t g = 0;
    while (g + 1 < survey->groups && !survey->group[g].open)
        g++;
    return &survey->group[g];
}

int cli_survey_end(const cli_survey *survey)
{
    int status = cli_survey_status(survey);
    const char *why = survey->groups ? open_group(survey)->order.error.text : "";
    if (status == CLI_UNABLE)
        cli_error("whether the settings give the same cannot be told: %s",
                  *why ? why : "an order is not proven, and its answers cannot be compared");
    else if (status > CLI_DIFFERS)
        cli_error("no setting has an answer: %s", survey->group[0].order.error.text);
    return status;
}

void cli_survey_put_grounds(accordi_buffer *out, const cli_survey *survey)
{
    int64_t inputs;
    enum accord_sameness sameness = cli_survey_sameness(survey, &inputs);
    if (inputs > 0 && sameness != ACCORD_CANNOT_TELL)
        accordi_buffer_printf(out,
                              "No model explains the arithmetic everywhere: where none does, \"the "
                              "same\" means the same bits on %lld inputs.\n",
                              (long long)inputs);
}

void cli_survey_clear(cli_survey *survey)
{
    for (size_t g = 0; g < survey->groups; g++)
        cli_order_clear(&survey->group[g].order);
    free(survey->group);
    free(survey->row);
    *survey = (cli_survey){0};
}

/* ---- as JSON ---- */

static bool gather(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

/* The whole record, for diff and show. */
static json_t *json_record(const accord_record *record)
{
    accordi_buffer text = {0};
    json_t *out = NULL;
    if (accord_record_write(record, accord_writer_by_name("json"), NULL, gather, &text, NULL) ==
            ACCORD_OK &&
        !text.failed)
        out = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, NULL);
    accordi_buffer_clear(&text);
    return out ? out : json_null();
}

static json_t *json_group(const cli_group *group)
{
    const accord_record *record = &group->order.record;
    json_t *out = json_pack("{s:s, s:I, s:I, s:s}", "group", group->letter, "n",
                            (json_int_t)group->terms, "members", (json_int_t)group->rows, "status",
                            accord_status_name(group->order.status));
    if (group->inputs > 0)
        json_object_set_new(out, "inputs", json_integer(group->inputs));
    if (record->tree) {
        json_object_set_new(out, "fingerprint", json_string(group->print));
        json_object_set_new(out, "order", json_string(group->words));
        json_object_set_new(out, "arithmetic", json_string(group->arithmetic));
    }
    if (answered(&group->order))
        json_object_set_new(out, "record", json_record(record));
    if (group->order.status != ACCORD_OK) {
        json_object_set_new(out, "reason",
                            json_string(accord_reason_name(group->order.error.reason)));
        json_object_set_new(out, "error", cli_json_text(group->order.error.text));
    }
    return out;
}

struct json_t *cli_survey_groups_json(const cli_survey *survey)
{
    json_t *all = json_array();
    for (size_t g = 0; g < survey->groups; g++)
        json_array_append_new(all, json_group(&survey->group[g]));
    return all;
}
