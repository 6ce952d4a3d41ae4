/* The answers of accord sweep: a table of settings, the groups, JSON. */
#include "cli/compare/sweep.h"
#include <jansson.h>

enum { SHOWN_SETTINGS = 12 };

static void fill_table(const cli_sweep_plan *s, cli_table *table, const bool *shown, bool whole)
{
    static const char *const heads[] = {"group", "fingerprint", "order", "arithmetic", "seconds"};
    for (size_t i = 0; i < s->axes; i++)
        if (shown[i])
            cli_table_put(table, s->axis[i].name);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (whole || strcmp(heads[i], "arithmetic") != 0)
            cli_table_put(table, heads[i]);
    for (size_t k = 0; k < s->survey.rows; k++) {
        for (size_t i = 0; i < s->axes; i++) {
            const char *value = cli_sweep_value(s, k, i);
            if (shown[i])
                cli_table_put(table, *value ? value : "(unset)");
        }
        cli_survey_put_row(table, s->survey.group[s->survey.row[k].group], s->survey.row[k].seconds,
                           whole);
    }
}

static void put_group(accordi_buffer *out, const cli_sweep_plan *s, size_t g)
{
    const cli_group *group = s->survey.group[g];
    size_t shown = 0;
    accordi_buffer_printf(out, "  %s  %zu setting%s: ", group->found->letter, group->found->members,
                          group->found->members == 1 ? "" : "s");
    for (size_t k = 0; k < s->survey.rows && shown <= SHOWN_SETTINGS; k++) {
        if (s->survey.row[k].group != g)
            continue;
        if (shown++)
            accordi_buffer_puts(out, ", ");
        if (shown <= SHOWN_SETTINGS)
            cli_sweep_put(out, s, k);
        else
            accordi_buffer_printf(out, "and %zu more", group->found->members - SHOWN_SETTINGS);
    }
    accordi_buffer_puts(out, "\n");
    if (*group->found->fingerprint)
        accordi_buffer_printf(out, "     %zu term%s, %s; %s; %s\n", group->found->terms,
                              group->found->terms == 1 ? "" : "s", group->words, group->arithmetic,
                              group->found->fingerprint);
    else
        accordi_buffer_printf(out, "     %s\n", group->found->error.text);
}

static bool one_count(const cli_survey *survey)
{
    for (size_t g = 1; g < survey->count; g++)
        if (survey->group[g]->found->terms != survey->group[0]->found->terms)
            return false;
    return true;
}

static void put_sweep_report(accordi_buffer *out, const cli_sweep_plan *s, const cli_table *table)
{
    size_t groups = s->survey.count;
    accordi_buffer_puts(out, s->args->operand[0]);
    for (size_t i = 0; i < s->axes; i++)
        if (!cli_sweep_varies(s, i))
            accordi_buffer_printf(out, ", %s%s%s", s->axis[i].name,
                                  s->axis[i].id == CLI_ENV ? "=" : " ", s->axis[i].value[0]);
    accordi_buffer_printf(out, ": %zu setting%s\n\n", s->settings, s->settings == 1 ? "" : "s");
    cli_table_write(table, "report", out);
    accordi_buffer_puts(out, "\n");
    for (size_t g = 0; g < groups; g++)
        put_group(out, s, g);
    accordi_buffer_puts(out, "\n");
    if (!one_count(&s->survey))
        accordi_buffer_puts(out, "Only settings with the same number of terms are compared.\n");
    int status = cli_survey_status(&s->verdict);
    if (status == CLI_DIFFERS)
        accordi_buffer_printf(out, "%zu groups: what is computed depends on the setting.\n",
                              groups);
    else if (status == CLI_UNABLE)
        accordi_buffer_puts(
            out, "It cannot be determined whether the settings give the same results.\n");
    else if (status != CLI_YES)
        accordi_buffer_puts(out, "No setting has an answer.\n");
    else if (groups == 1)
        accordi_buffer_puts(out, "One group: all settings give the same answer.\n");
    else
        accordi_buffer_puts(out, "One group for each number of terms.\n");
    cli_sweep_put_changes(out, s);
    cli_sweep_put_constant(out, s);
    cli_survey_put_grounds(out, &s->verdict);
}

static json_t *json_row(const cli_sweep_plan *s, size_t k)
{
    const cli_row *row = &s->survey.row[k];
    const cli_group *group = s->survey.group[row->group];
    json_t *setting = json_object();
    for (size_t i = 0; i < s->axes; i++) {
        const char *value = cli_sweep_value(s, k, i);
        json_object_set_new(setting, s->axis[i].name, *value ? cli_json_text(value) : json_null());
    }
    return json_pack("{s:o, s:I, s:s, s:s, s:s?, s:f}", "setting", setting, "n",
                     (json_int_t)row->terms, "group", group->found->letter, "status",
                     accord_status_name(group->found->error.status), "fingerprint",
                     *group->found->fingerprint ? group->found->fingerprint : NULL, "seconds",
                     row->seconds);
}

static void put_sweep_json(accordi_buffer *out, const cli_sweep_plan *s)
{
    json_t *rows = json_array();
    for (size_t k = 0; k < s->survey.rows; k++)
        json_array_append_new(rows, json_row(s, k));
    json_t *intervals = cli_sweep_intervals_json(s);
    cli_put_json(out, json_pack("{s:i, s:s, s:o, s:b, s:s, s:o, s:o, s:o*}", "accord", CLI_SCHEMA,
                                "verb", "sweep", "target", cli_json_text(s->args->operand[0]),
                                "same", cli_survey_status(&s->verdict) == CLI_YES, "verdict",
                                cli_survey_word(&s->verdict), "settings", rows, "groups",
                                cli_survey_groups_json(&s->survey), "intervals", intervals));
}

int cli_sweep_write(const cli_sweep_plan *s)
{
    const char *form = cli_output_form(s->args);
    accordi_buffer text = {0};
    bool shown[CLI_MOST_AXES], whole = strcmp(form, "report") != 0;
    size_t columns = whole ? 5 : 4;
    for (size_t i = 0; i < s->axes; i++)
        columns += shown[i] = whole || cli_sweep_varies(s, i);
    cli_table *table = cli_table_new(columns);
    fill_table(s, table, shown, whole);
    if (cli_wants_json(s->args))
        put_sweep_json(&text, s);
    else if (strcmp(form, "report") == 0)
        put_sweep_report(&text, s, table);
    else
        cli_table_write(table, form, &text);
    cli_table_free(table);
    int status = cli_output_text(s->args, &text);
    return status == CLI_YES ? cli_survey_end(&s->verdict) : status;
}
