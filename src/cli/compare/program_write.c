/* The answers of accord sweep --program: a table of builds, the groups, JSON. */
#include "cli/compare/program_sweep.h"
#include <jansson.h>
#include <math.h>

/* ---- the verdict ---- */

static size_t grouped(const cli_program_sweep *s)
{
    return s->compiled - s->failed;
}

int cli_program_verdict(const cli_program_sweep *s)
{
    if (grouped(s) == 0)
        return CLI_FAILED;
    if (s->varies)
        return CLI_UNABLE;
    if (s->groups > 1 || s->failed > 0 || cli_program_outside(s) > 0)
        return CLI_DIFFERS;
    return s->group[0].numbers.count ? CLI_YES : CLI_UNABLE;
}

static const char *verdict_word(const cli_program_sweep *s)
{
    static const char *const words[] = {[CLI_YES] = "same",
                                        [CLI_DIFFERS] = "differs",
                                        [CLI_UNABLE] = "cannot-tell",
                                        [CLI_FAILED] = "failed"};
    return words[cli_program_verdict(s)];
}

static void put_verdict(accordi_buffer *out, const cli_program_sweep *s)
{
    int status = cli_program_verdict(s);
    if (status == CLI_FAILED)
        accordi_buffer_puts(out, "No build ran to its end.\n");
    else if (s->varies)
        accordi_buffer_puts(out, "The numbers vary from run to run, so builds cannot be compared. "
                                 "Does the program read the clock, a random seed, or the results "
                                 "of threads?\n");
    else if (status == CLI_UNABLE)
        accordi_buffer_puts(out, "The program passes no floating-point number to printf or fwrite, "
                                 "so there is nothing to compare.\n");
    else if (status == CLI_YES)
        accordi_buffer_puts(out, "One group: all builds write the same numbers.\n");
    else if (s->groups > 1)
        accordi_buffer_printf(
            out, "%zu groups: what is computed depends on the compiler and its flags.\n",
            s->groups);
    if (status == CLI_DIFFERS && s->failed)
        accordi_buffer_printf(out, "%zu build%s did not run to %s end.\n", s->failed,
                              s->failed == 1 ? "" : "s", s->failed == 1 ? "its" : "their");
}

/* ---- the table ---- */

static void fill_row(const cli_program_sweep *s, cli_table *table, size_t i)
{
    const cli_build *b = &s->builds.list[i];
    const cli_program_group *g = s->group_of[i] < 0 ? NULL : &s->group[s->group_of[i]];
    cli_table_put(table, g ? g->letter : "failed");
    cli_table_put(table, b->compiler->name);
    cli_table_put(table, b->set->flags);
    cli_table_put(table, b->set->model[b->compiler->family]);
    cli_table_printf(table, "%zu", g ? g->numbers.count : (size_t)0);
    cli_table_printf(table, "%zu", g ? g->differ : (size_t)0);
    cli_table_printf(table, "%.3g", g ? g->largest : 0);
    cli_table_printf(table, "%.3g", g ? g->largest_scaled : 0);
    cli_put_outside(table, s, i);
    cli_table_printf(table, "%.3f", b->seconds);
}

static cli_table *make_table(const cli_program_sweep *s)
{
    static const char *const heads[] = {"group",  "compiler", "flags",    "model",   "numbers",
                                        "differ", "largest",  "relative", "outside", "seconds"};
    cli_table *table = cli_table_new(sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        cli_table_put(table, heads[i]);
    for (size_t i = 0; i < s->builds.count; i++)
        if (s->builds.list[i].compiled)
            fill_row(s, table, i);
    return table;
}

/* ---- the report ---- */

static void put_name(accordi_buffer *out, const cli_build *b)
{
    accordi_buffer_printf(out, "%s %s", b->compiler->name, b->set->flags);
}

static void put_number(accordi_buffer *out, const cli_written_number *x)
{
    char text[ACCORDI_DECIMAL];
    if (isfinite(x->value))
        accordi_put_decimal(text, x->value, 1, x->kind == CLI_F32);
    else
        snprintf(text, sizeof text, "%g", isnan(x->value) ? (double)NAN : x->value);
    accordi_buffer_puts(out, text);
}

static void put_group(accordi_buffer *out, const cli_program_sweep *s, size_t k)
{
    const cli_program_group *g = &s->group[k], *first = &s->group[0];
    accordi_buffer_printf(out, "  %s  %zu build%s", g->letter, g->members,
                          g->members == 1 ? "" : "s");
    if (g->numbers.count != first->numbers.count)
        accordi_buffer_printf(out, "; %zu numbers, not %zu", g->numbers.count,
                              first->numbers.count);
    if (g->exit_status != first->exit_status)
        accordi_buffer_printf(out, "; exit status %d, not %d", g->exit_status, first->exit_status);
    if (g->differ) {
        accordi_buffer_printf(out,
                              "; %zu of %zu numbers differ from A, by %.3g at most; number "
                              "%zu is ",
                              g->differ, first->numbers.count, g->largest, g->first + 1);
        put_number(out, &g->numbers.list[g->first]);
        accordi_buffer_puts(out, ", not ");
        put_number(out, &first->numbers.list[g->first]);
    }
    accordi_buffer_puts(out, "\n");
}

static void put_failures(accordi_buffer *out, const cli_program_sweep *s, bool compiled)
{
    for (size_t i = 0; i < s->builds.count; i++) {
        const cli_build *b = &s->builds.list[i];
        if (b->state != CLI_BUILD_FAILED || b->compiled != compiled)
            continue;
        accordi_buffer_puts(out, compiled ? "  failed    " : "  left out  ");
        put_name(out, b);
        char *plain = accordi_utf8(b->why, true);
        accordi_buffer_printf(out, ": %s\n", plain ? plain : "");
        free(plain);
    }
}

/* What kernels were compiled for; all builds of OpenCL usually have the same. */
static void put_devices(accordi_buffer *out, const cli_program_sweep *s)
{
    const char *last = "";
    accordi_buffer line = {0};
    for (size_t i = 0; i < s->builds.count; i++) {
        const cli_build *b = &s->builds.list[i];
        accordi_buffer text = {0};
        for (size_t k = 0; k < b->devices; k++)
            accordi_buffer_printf(&text, "  device    %s: %s (%s), %s, driver %s\n",
                                  b->compiler->name, b->device[k].name, b->device[k].platform,
                                  b->device[k].version, b->device[k].driver);
        if (b->devices && strcmp(text.data, last) != 0) {
            accordi_buffer_puts(out, text.data);
            accordi_buffer_clear(&line);
            line = text;
            last = line.data;
        } else {
            accordi_buffer_clear(&text);
        }
    }
    accordi_buffer_clear(&line);
}

static void put_report(accordi_buffer *out, const cli_program_sweep *s, const cli_table *table)
{
    for (size_t i = 0; i < s->args->operands; i++)
        accordi_buffer_printf(out, "%s%s", i ? " " : "", s->args->operand[i]);
    accordi_buffer_printf(out, ": %zu build%s\n\n", s->compiled, s->compiled == 1 ? "" : "s");
    cli_table_write(table, "report", out);
    accordi_buffer_puts(out, "\n");
    for (size_t g = 0; g < s->groups; g++)
        put_group(out, s, g);
    put_devices(out, s);
    put_failures(out, s, true);
    put_failures(out, s, false);
    cli_put_containment(out, s);
    accordi_buffer_puts(out, "\n");
    put_verdict(out, s);
}

/* ---- JSON ---- */

static json_t *json_devices(const cli_build *b)
{
    json_t *devices = json_array();
    for (size_t i = 0; i < b->devices; i++)
        json_array_append_new(devices,
                              json_pack("{s:s, s:s, s:s, s:s}", "name", b->device[i].name,
                                        "platform", b->device[i].platform, "version",
                                        b->device[i].version, "driver", b->device[i].driver));
    return devices;
}

static json_t *json_build(const cli_program_sweep *s, size_t i)
{
    const cli_build *b = &s->builds.list[i];
    const cli_program_group *g = s->group_of[i] < 0 ? NULL : &s->group[s->group_of[i]];
    const char *status = g ? "ok" : b->compiled ? "failed" : "left-out";
    return json_pack("{s:s, s:s, s:s?, s:o, s:s, s:s, s:s, s:s?, s:o, s:f, s:o}", "compiler",
                     b->compiler->name, "version", b->compiler->version, "machine",
                     b->compiler->machine, "devices", json_devices(b), "flags", b->set->flags,
                     "model", b->set->model[b->compiler->family], "status", status, "group",
                     g ? g->letter : NULL, "error", g ? json_null() : cli_json_text(b->why),
                     "seconds", b->seconds, "bounds", cli_json_containment(s, i));
}

/* The first number that differs, here and in the first group. */
static json_t *json_first(const cli_program_sweep *s, const cli_program_group *g)
{
    if (g->differ == 0)
        return json_null();
    return json_pack("{s:I, s:o, s:o}", "number", (json_int_t)g->first, "value",
                     cli_json_hexadecimal(g->numbers.list[g->first].value), "in_A",
                     cli_json_hexadecimal(s->group[0].numbers.list[g->first].value));
}

static json_t *json_group(const cli_program_sweep *s, const cli_program_group *g)
{
    return json_pack("{s:s, s:I, s:I, s:i, s:I, s:o, s:o, s:o}", "letter", g->letter, "builds",
                     (json_int_t)g->members, "numbers", (json_int_t)g->numbers.count, "exit_status",
                     g->exit_status, "differ", (json_int_t)g->differ, "largest",
                     cli_json_hexadecimal(g->largest), "largest_relative",
                     cli_json_hexadecimal(g->largest_scaled), "first", json_first(s, g));
}

static void put_json(accordi_buffer *out, const cli_program_sweep *s)
{
    json_t *builds = json_array(), *groups = json_array();
    for (size_t i = 0; i < s->builds.count; i++)
        json_array_append_new(builds, json_build(s, i));
    for (size_t g = 0; g < s->groups; g++)
        json_array_append_new(groups, json_group(s, &s->group[g]));
    cli_put_json(out,
                 json_pack("{s:i, s:s, s:o, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:I}", "accord",
                           CLI_SCHEMA, "verb", "sweep", "program",
                           cli_json_texts(s->args->operand, s->args->operands), "flags",
                           cli_json_texts((const char *const *)s->args->flag, s->args->flags),
                           "run", cli_json_texts((const char *const *)s->args->run, s->args->runs),
                           "same", cli_program_verdict(s) == CLI_YES, "verdict", verdict_word(s),
                           "builds", builds, "groups", groups, "models", cli_json_models(s),
                           "outside", (json_int_t)cli_program_outside(s)));
}

int cli_program_write(const cli_program_sweep *s)
{
    const char *form = cli_output_form(s->args);
    accordi_buffer text = {0};
    cli_table *table = make_table(s);
    if (cli_wants_json(s->args))
        put_json(&text, s);
    else if (strcmp(form, "report") == 0)
        put_report(&text, s, table);
    else
        cli_table_write(table, form, &text);
    cli_table_free(table);
    int status = cli_output_text(s->args, &text);
    if (status != CLI_YES)
        return status;
    status = cli_program_verdict(s);
    if (status == CLI_FAILED)
        cli_error("no build of the program ran to its end");
    return status;
}
