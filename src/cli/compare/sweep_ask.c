/* Asks under one setting of a sweep. The environment is set in this process, which has but one
 * thread, and goes to the worker that loads the target. */
#include "cli/compare/sweep.h"

static void set_variable(const char *name, const char *value)
{
    if (*value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void apply(const cli_sweep_plan *s, const cli_axis *a, const char *value,
                  accord_target_options *options)
{
    switch (a->id) {
    case CLI_ENV:
        set_variable(a->name, value);
        break;
    case CLI_THREADS:
        for (size_t i = 0; i < CLI_THREAD_VARIABLES; i++)
            set_variable(cli_thread_variables[i], value);
        break;
    case CLI_BUILD_OPTIONS:
        set_variable("ACCORD_OPENCL_OPTIONS", value);
        break;
    case CLI_COUNT:
        options->n = strtoul(value, NULL, 10);
        break;
    case CLI_SHAPES:
        options->shape = value;
        options->n = options->n ? options->n : cli_sweep_terms(s, NULL, value);
        break;
    case CLI_ALIGNS:
        options->alignment = strtoll(value, NULL, 10);
        break;
    case CLI_TRANSES:
        options->transpose = value;
        break;
    case CLI_FORMATS:
        options->has_format = accord_format_operand_by_name(value, &options->format);
        break;
    default:
        break;
    }
}

/* The target with the settings of its notation. */
static void put_target(const cli_sweep_plan *s, size_t setting, accordi_buffer *out)
{
    accordi_buffer settings = {0};
    for (size_t i = 0; i < s->axes; i++) {
        const char *value = cli_sweep_value(s, setting, i);
        if (s->axis[i].id == CLI_SETTING && *value)
            accordi_buffer_printf(&settings, ",%s=%s", s->axis[i].name, value);
    }
    cli_put_settings(out, s->target, settings.data);
    out->failed |= settings.failed;
    accordi_buffer_clear(&settings);
}

static int ask_setting(cli_sweep_plan *s, size_t k)
{
    accord_target_options options;
    accordi_buffer title = {0}, target = {0};
    cli_question(s->args, NULL, &options);
    for (int pass = 0; pass < 2; pass++) /* counts before shapes */
        for (size_t i = 0; i < s->axes; i++)
            if ((s->axis[i].id == CLI_SHAPES) == (pass == 1))
                apply(s, &s->axis[i], cli_sweep_value(s, k, i), &options);
    accordi_buffer_printf(&title, k < s->settings ? "%zu/%zu " : "%zu ", k + 1, s->settings);
    cli_sweep_put(&title, s, k);
    put_target(s, k, &target);
    int status = cli_survey_ask(&s->survey, s->args, cli_need(target.data),
                                title.data ? title.data : "", &options);
    accordi_buffer_clear(&title);
    accordi_buffer_clear(&target);
    return status;
}

int cli_sweep_ask(cli_sweep_plan *s, const size_t *index, size_t place)
{
    size_t k = s->survey.rows;
    cli_grow((void **)&s->index, &s->room, (k + 1) * s->axes, sizeof *s->index);
    memcpy(s->index + k * s->axes, index, s->axes * sizeof *index);
    int status = ask_setting(s, k);
    if (status != CLI_YES || place == k)
        return status;
    cli_row answer = s->survey.row[k];
    memmove(s->survey.row + place + 1, s->survey.row + place, (k - place) * sizeof answer);
    s->survey.row[place] = answer;
    memmove(s->index + (place + 1) * s->axes, s->index + place * s->axes,
            (k - place) * s->axes * sizeof *index);
    memcpy(s->index + place * s->axes, index, s->axes * sizeof *index);
    return CLI_YES;
}
