/* Surveys: one question asked under several settings, and which of the answers agree.
 *
 * Answers of as many terms belong to one group if they are the same model, or if there is none for
 * the same reason. Only the first answer of a group is kept, so that a survey of a thousand
 * settings needs no more memory than its groups. */
#include "cli/cli.h"
#include "target/target.h"
#include <jansson.h>

static bool same_answer(const cli_group *group, size_t terms, const cli_order *order)
{
    char words[ACCORD_FINGERPRINT_SIZE + 400];
    const cli_order *kept = &group->order;
    if (group->terms != terms || kept->status != order->status)
        return false;
    if (order->status == ACCORD_OK)
        return cli_same_model(&kept->record, &order->record, words, sizeof words);
    if (order->status == ACCORD_UNABLE)
        return kept->error.reason == order->error.reason;
    return strcmp(kept->error.text, order->error.text) == 0;
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

static void describe(cli_group *group)
{
    const accord_record *r = &group->order.record;
    if (group->order.status == ACCORD_OK) {
        cli_model_print(r, group->print);
        accordi_order_words(r->tree, group->words, sizeof group->words);
        cli_arithmetic_words(r, group->arithmetic, sizeof group->arithmetic);
    } else if (group->order.status == ACCORD_UNABLE) {
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
    while (g < survey->groups && !same_answer(&survey->group[g], terms, order))
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

bool cli_survey_differs(const cli_survey *survey)
{
    for (size_t a = 0; a < survey->groups; a++)
        for (size_t b = 0; b < a; b++)
            if (survey->group[a].terms == survey->group[b].terms)
                return true;
    return false;
}

int cli_survey_status(const cli_survey *survey)
{
    int least = CLI_FAILED + 1;
    for (size_t g = 0; g < survey->groups; g++) {
        int status = cli_exit_of(survey->group[g].order.status);
        least = status < least ? status : least;
    }
    if (least != CLI_YES)
        return least;
    return cli_survey_differs(survey) ? CLI_DIFFERS : CLI_YES;
}

int cli_survey_end(const cli_survey *survey)
{
    int status = cli_survey_status(survey);
    for (size_t g = 0; status > CLI_DIFFERS && g < survey->groups; g++)
        if (cli_exit_of(survey->group[g].order.status) == status) {
            cli_error("no setting has an answer: %s", survey->group[g].order.error.text);
            break;
        }
    return status;
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
    bool answered = group->order.status == ACCORD_OK;
    json_t *out = json_pack("{s:s, s:I, s:I, s:s}", "group", group->letter, "n",
                            (json_int_t)group->terms, "members", (json_int_t)group->rows, "status",
                            accord_status_name(group->order.status));
    if (answered) {
        json_object_set_new(out, "fingerprint", json_string(group->print));
        json_object_set_new(out, "order", json_string(group->words));
        json_object_set_new(out, "arithmetic", json_string(group->arithmetic));
        json_object_set_new(out, "record", json_record(&group->order.record));
    } else {
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
