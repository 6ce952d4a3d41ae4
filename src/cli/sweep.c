/* accord sweep: one question under every setting of some axes; which of them give other models?
 *
 * An axis is a list of values in words, whatever it is about: an environment variable, threads, a
 * count, a shape. A setting takes one value of each axis; all of them are asked, the last axis
 * fastest. The environment is set in this process, which has but one thread, and goes to the
 * worker that loads the target. */
#include "cli/cli.h"
#include <jansson.h>

enum { MOST_SETTINGS = 100000, MOST_AXES = 64, SHOWN_SETTINGS = 12, SHORT_PRINT = 12 };

static const char *const thread_variables[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                               "MKL_NUM_THREADS", "BLIS_NUM_THREADS"};

typedef struct axis {
    enum cli_option_id id;
    char *name; /* the head of its column */
    char **value;
    size_t values;
} axis;

typedef struct sweep {
    const cli_args *args;
    axis axis[MOST_AXES];
    size_t axes, settings;
    cli_survey survey;
} sweep;

/* ---- axes from the command line ---- */

static bool add_value(axis *a, const char *text, size_t length)
{
    char **grown = realloc(a->value, (a->values + 1) * sizeof *grown);
    char *copy = accordi_alloc(length + 1, 1);
    if (grown)
        a->value = grown;
    if (!grown || !copy) {
        free(copy);
        cli_error("out of memory");
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    grown[a->values++] = copy;
    return true;
}

/* The words between commas; empty ones are values too. */
static bool words(axis *a, const char *text)
{
    for (;; text++) {
        size_t length = strcspn(text, ",");
        if (!add_value(a, text, length))
            return false;
        text += length;
        if (!*text)
            return true;
    }
}

static bool numbers(axis *a, const char *said, const char *text, size_t least, size_t step)
{
    size_t *list, count;
    const char *why;
    if (!cli_range(text, least, step, &list, &count, &why)) {
        cli_error("%s %s: %s", said, text, why);
        return false;
    }
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        char number[24];
        good = add_value(a, number, (size_t)snprintf(number, sizeof number, "%zu", list[i]));
    }
    free(list);
    return good;
}

static axis *new_axis(sweep *s, enum cli_option_id id, const char *name, size_t length)
{
    for (size_t i = 0; i < s->axes; i++)
        if (strlen(s->axis[i].name) == length && strncmp(s->axis[i].name, name, length) == 0) {
            cli_error("%s is given twice; list its values with commas between them",
                      s->axis[i].name);
            return NULL;
        }
    if (s->axes == MOST_AXES) {
        cli_error("more than %d variables at once; sweep over fewer", MOST_AXES);
        return NULL;
    }
    axis *a = &s->axis[s->axes];
    *a = (axis){.id = id, .name = strndup(name, length)};
    if (!a->name) {
        cli_error("out of memory");
        return NULL;
    }
    s->axes++;
    return a;
}

static bool add_variable(sweep *s, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        cli_error("--env %s: give NAME=VALUE,VALUE,..., e.g. OPENBLAS_CORETYPE=Haswell,Prescott; "
                  "an empty value leaves it unset",
                  text);
        return false;
    }
    size_t length = (size_t)(equals - text);
    for (size_t i = 0; s->args->text[CLI_THREADS] && i < 4; i++)
        if (strlen(thread_variables[i]) == length &&
            strncmp(text, thread_variables[i], length) == 0) {
            cli_error("--threads sets %s itself; leave out one of them", thread_variables[i]);
            return false;
        }
    axis *a = new_axis(s, CLI_ENV, text, length);
    return a && words(a, equals + 1);
}

/* The size of an element, as the target has it: the natural step of alignments. */
static size_t element_size(const sweep *s, size_t n, const char *shape)
{
    accord_target_options options;
    accord_target *target = NULL;
    cli_question(s->args, NULL, &options);
    options.n = n;
    options.shape = shape;
    size_t size = 8; /* fits floats too */
    if (accord_target_open(s->args->operand[0], &options, &target, NULL) == ACCORD_OK)
        size = target->storage_f32 ? 4 : 8;
    accord_target_close(target);
    return size;
}

/* A start value is one more term. */
static size_t terms_of(const sweep *s, const char *count, const char *shape)
{
    const char *x = shape ? strrchr(shape, 'x') : NULL;
    int64_t last = 0;
    if (count)
        return strtoul(count, NULL, 10);
    bool good = x && cli_number(x + 1, x + strlen(x), &last) && last >= 1;
    return good ? (size_t)last + (cli_real(s->args, CLI_BETA, 0) != 0) : 0;
}

static const axis *axis_of(const sweep *s, enum cli_option_id id)
{
    for (size_t i = 0; i < s->axes; i++)
        if (s->axis[i].id == id)
            return &s->axis[i];
    return NULL;
}

static bool add_alignments(sweep *s, const char *text)
{
    const axis *count = axis_of(s, CLI_COUNT), *shape = axis_of(s, CLI_SHAPES);
    const char *n = count ? count->value[0] : NULL, *form = shape ? shape->value[0] : NULL;
    axis *a = new_axis(s, CLI_ALIGNS, "align", 5);
    return a && numbers(a, "--align", text, 0, element_size(s, terms_of(s, n, form), form));
}

static bool add_option(sweep *s, const cli_said *said)
{
    axis *a = NULL;
    switch (said->id) {
    case CLI_ENV:
        return add_variable(s, said->text);
    case CLI_THREADS:
        a = new_axis(s, said->id, "threads", 7);
        return a && numbers(a, "--threads", said->text, 1, 1);
    case CLI_COUNT:
        a = new_axis(s, said->id, "n", 1);
        return a && numbers(a, "-n", said->text, 1, 1);
    case CLI_SHAPES:
        a = new_axis(s, said->id, "shape", 5);
        return a && words(a, said->text);
    case CLI_TRANSES:
        a = new_axis(s, said->id, "trans", 5);
        return a && words(a, said->text);
    default:
        return true;
    }
}

static bool sensible(sweep *s)
{
    const axis *count = axis_of(s, CLI_COUNT), *shape = axis_of(s, CLI_SHAPES);
    for (size_t i = 0; shape && !count && i < shape->values; i++)
        if (terms_of(s, NULL, shape->value[i]) == 0) {
            cli_error("--shape %s: give MxNxK for a GEMM or MxK for a GEMV, e.g. 4x4x32",
                      shape->value[i]);
            return false;
        }
    if (!count && !shape) {
        cli_no_count(s->args);
        return false;
    }
    s->settings = 1;
    for (size_t i = 0; i < s->axes && s->settings <= MOST_SETTINGS; i++)
        s->settings *= s->axis[i].values;
    if (s->settings > MOST_SETTINGS) {
        cli_error("more than %d settings; give fewer values", MOST_SETTINGS);
        return false;
    }
    return true;
}

/* In the order of the command line, alignments last: their step needs the rest. */
static bool read_axes(sweep *s)
{
    for (size_t i = 0; i < s->args->saids; i++)
        if (!add_option(s, &s->args->said[i]))
            return false;
    const char *alignments = s->args->text[CLI_ALIGNS];
    if (alignments && (axis_of(s, CLI_COUNT) || axis_of(s, CLI_SHAPES)) &&
        !add_alignments(s, alignments))
        return false;
    return sensible(s);
}

/* ---- settings ---- */

static const char *value_at(const sweep *s, size_t setting, size_t which)
{
    for (size_t i = s->axes; --i > which;)
        setting /= s->axis[i].values;
    return s->axis[which].value[setting % s->axis[which].values];
}

static void set_variable(const char *name, const char *value)
{
    if (*value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void apply(const sweep *s, const axis *a, const char *value, accord_target_options *options)
{
    switch (a->id) {
    case CLI_ENV:
        set_variable(a->name, value);
        break;
    case CLI_THREADS:
        for (size_t i = 0; i < sizeof thread_variables / sizeof thread_variables[0]; i++)
            set_variable(thread_variables[i], value);
        break;
    case CLI_COUNT:
        options->n = strtoul(value, NULL, 10);
        break;
    case CLI_SHAPES:
        options->shape = value;
        options->n = options->n ? options->n : terms_of(s, NULL, value);
        break;
    case CLI_ALIGNS:
        options->alignment = strtoll(value, NULL, 10);
        break;
    case CLI_TRANSES:
        options->transpose = value;
        break;
    default:
        break;
    }
}

/* An axis of one value says nothing between settings, unless all are so. */
static bool varies(const sweep *s, size_t i)
{
    return s->axis[i].values > 1 || s->settings == 1;
}

/* "Haswell 4x4x32"; where only names tell what an empty value is, "no OPENBLAS_CORETYPE". */
static void put_setting(accordi_buffer *out, const sweep *s, size_t setting)
{
    const char *between = "";
    for (size_t i = 0; i < s->axes; i++) {
        const char *value = value_at(s, setting, i);
        if (!varies(s, i))
            continue;
        accordi_buffer_printf(out, "%s%s%s", between, *value ? value : "no ",
                              *value ? "" : s->axis[i].name);
        between = " ";
    }
}

static int ask_all(sweep *s)
{
    int status = CLI_YES;
    for (size_t k = 0; status == CLI_YES && k < s->settings; k++) {
        accord_target_options options;
        accordi_buffer title = {0};
        cli_question(s->args, NULL, &options);
        for (int pass = 0; pass < 2; pass++) /* counts before shapes */
            for (size_t i = 0; i < s->axes; i++)
                if ((s->axis[i].id == CLI_SHAPES) == (pass == 1))
                    apply(s, &s->axis[i], value_at(s, k, i), &options);
        accordi_buffer_printf(&title, "%zu/%zu ", k + 1, s->settings);
        put_setting(&title, s, k);
        status = cli_survey_ask(&s->survey, s->args, title.data ? title.data : "", &options);
        accordi_buffer_clear(&title);
    }
    return status;
}

/* ---- answers ---- */

/* The group, its order and the time; the arithmetic only in forms without a list of groups. */
static void fill_answer(cli_table *table, const cli_group *group, double took, bool whole)
{
    char print[SHORT_PRINT + 1], seconds[32];
    snprintf(print, sizeof print, "%.*s", SHORT_PRINT, *group->print ? group->print : "-");
    snprintf(seconds, sizeof seconds, "%.3f", took);
    cli_table_put(table, group->letter);
    cli_table_put(table, print);
    cli_table_put(table, group->words);
    if (whole)
        cli_table_put(table, *group->arithmetic ? group->arithmetic : "-");
    cli_table_put(table, seconds);
}

static void fill_table(const sweep *s, cli_table *table, const bool *shown, bool whole)
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
            const char *value = value_at(s, k, i);
            if (shown[i])
                cli_table_put(table, *value ? value : "(unset)");
        }
        fill_answer(table, &s->survey.group[s->survey.row[k].group], s->survey.row[k].seconds,
                    whole);
    }
}

static void put_group(accordi_buffer *out, const sweep *s, size_t g)
{
    const cli_group *group = &s->survey.group[g];
    size_t shown = 0;
    accordi_buffer_printf(out, "  %s  %zu setting%s: ", group->letter, group->rows,
                          group->rows == 1 ? "" : "s");
    for (size_t k = 0; k < s->survey.rows && shown <= SHOWN_SETTINGS; k++) {
        if (s->survey.row[k].group != g)
            continue;
        if (shown++)
            accordi_buffer_puts(out, ", ");
        if (shown <= SHOWN_SETTINGS)
            put_setting(out, s, k);
        else
            accordi_buffer_printf(out, "and %zu more", group->rows - SHOWN_SETTINGS);
    }
    accordi_buffer_puts(out, "\n");
    if (group->order.status == ACCORD_OK)
        accordi_buffer_printf(out, "     %zu term%s, %s; %s; %s\n", group->terms,
                              group->terms == 1 ? "" : "s", group->words, group->arithmetic,
                              group->print);
    else
        accordi_buffer_printf(out, "     %s\n", group->order.error.text);
}

static bool one_count(const cli_survey *survey)
{
    for (size_t g = 1; g < survey->groups; g++)
        if (survey->group[g].terms != survey->group[0].terms)
            return false;
    return true;
}

static void put_report(accordi_buffer *out, const sweep *s, const cli_table *table)
{
    size_t groups = s->survey.groups;
    accordi_buffer_puts(out, s->args->operand[0]);
    for (size_t i = 0; i < s->axes; i++)
        if (!varies(s, i))
            accordi_buffer_printf(out, ", %s%s%s", s->axis[i].name,
                                  s->axis[i].id == CLI_ENV ? "=" : " ", s->axis[i].value[0]);
    accordi_buffer_printf(out, ": %zu setting%s\n\n", s->settings, s->settings == 1 ? "" : "s");
    cli_table_write(table, "report", out);
    accordi_buffer_puts(out, "\n");
    for (size_t g = 0; g < groups; g++)
        put_group(out, s, g);
    accordi_buffer_puts(out, "\n");
    if (!one_count(&s->survey))
        accordi_buffer_puts(out, "Different numbers of terms are different orders; only settings "
                                 "of as many terms are compared.\n");
    if (cli_survey_differs(&s->survey))
        accordi_buffer_printf(out, "%zu groups: what is computed depends on the setting.\n",
                              groups);
    else if (cli_survey_status(&s->survey) != CLI_YES)
        accordi_buffer_puts(out, "No setting has an answer.\n");
    else if (groups == 1)
        accordi_buffer_puts(out, "One group: all settings give the same answer.\n");
    else
        accordi_buffer_puts(out, "One group for each number of terms.\n");
}

static json_t *json_row(const sweep *s, size_t k)
{
    const cli_row *row = &s->survey.row[k];
    const cli_group *group = &s->survey.group[row->group];
    json_t *setting = json_object();
    for (size_t i = 0; i < s->axes; i++) {
        const char *value = value_at(s, k, i);
        json_object_set_new(setting, s->axis[i].name, *value ? cli_json_text(value) : json_null());
    }
    return json_pack("{s:o, s:I, s:s, s:s, s:s?, s:f}", "setting", setting, "n",
                     (json_int_t)row->terms, "group", group->letter, "status",
                     accord_status_name(group->order.status), "fingerprint",
                     *group->print ? group->print : NULL, "seconds", row->seconds);
}

static void put_json(accordi_buffer *out, const sweep *s)
{
    json_t *rows = json_array();
    for (size_t k = 0; k < s->survey.rows; k++)
        json_array_append_new(rows, json_row(s, k));
    cli_put_json(out, json_pack("{s:i, s:s, s:o, s:b, s:o, s:o}", "accord", CLI_SCHEMA, "verb",
                                "sweep", "target", cli_json_text(s->args->operand[0]), "same",
                                cli_survey_status(&s->survey) == CLI_YES, "settings", rows,
                                "groups", cli_survey_groups_json(&s->survey)));
}

static int write_answer(const sweep *s)
{
    const char *form = s->args->text[CLI_OUTPUT] ? s->args->text[CLI_OUTPUT] : "report";
    accordi_buffer text = {0};
    bool shown[MOST_AXES], whole = strcmp(form, "report") != 0;
    size_t columns = whole ? 5 : 4;
    for (size_t i = 0; i < s->axes; i++)
        columns += shown[i] = whole || varies(s, i);
    cli_table *table = cli_table_new(columns);
    if (table)
        fill_table(s, table, shown, whole);
    text.failed = !table;
    if (cli_wants_json(s->args))
        put_json(&text, s);
    else if (table && strcmp(form, "report") == 0)
        put_report(&text, s, table);
    else if (table)
        cli_table_write(table, form, &text);
    cli_table_free(table);
    int status = cli_output_text(s->args, &text);
    return status == CLI_YES ? cli_survey_end(&s->survey) : status;
}

static int run(const cli_args *args)
{
    sweep *s = accordi_calloc(1, sizeof *s);
    int status = CLI_USAGE;
    if (!s) {
        cli_error("out of memory");
        return CLI_UNABLE;
    }
    s->args = args;
    if (read_axes(s))
        status = ask_all(s);
    if (status == CLI_YES)
        status = write_answer(s);
    for (size_t i = 0; i < s->axes; i++) {
        for (size_t k = 0; k < s->axis[i].values; k++)
            free(s->axis[i].value[k]);
        free(s->axis[i].value);
        free(s->axis[i].name);
    }
    cli_survey_clear(&s->survey);
    free(s);
    return status;
}

const cli_verb cli_sweep = {
    .name = "sweep",
    .operands = "TARGET",
    .about = "does the order depend on environment, threads or shape?",
    .text = "Reveals TARGET under every setting: all combinations of the values given to --env "
            "(repeatable), --threads, -n, --shape, --align and --trans. Settings with the same "
            "order and arithmetic form a group, a letter each; only settings of as many terms are "
            "compared. A setting under which the target fails, or has no order, is a row with its "
            "reason. --align 0..60 goes in steps of the element's size. Status 0: one group; 1: "
            "more than one. When no setting has an answer the status is that of accord reveal.",
    .least = 1,
    .most = 1,
    .tables = true,
    .options = {CLI_ENV,    CLI_THREADS, CLI_COUNT,     CLI_SHAPES,    CLI_ALIGNS, CLI_TRANSES,
                CLI_OUTPUT, CLI_JSON,    CLI_TO,        CLI_ALGORITHM, CLI_FORMAT, CLI_SEED,
                CLI_STRICT, CLI_TIMEOUT, CLI_SIGNATURE, CLI_ELEMENT,   CLI_INCX,   CLI_INCY,
                CLI_LDA,    CLI_LDB,     CLI_LDC,       CLI_ALPHA,     CLI_BETA,   CLI_QUIET,
                CLI_HELP,   CLI_OPTIONS},
    .examples = {{"accord sweep blas:sgemv -n 64 --env OPENBLAS_CORETYPE=Haswell,Zen,Prescott",
                  "one library, several CPUs"},
                 {"accord sweep blas:sgemm --shape 64x64x64 --threads 1,2,4",
                  "threads; in CI, by the status"},
                 {"accord sweep blas:sdot -n 100 --align 0..60", "does alignment matter?"},
                 {"accord sweep blas:sgemm --shape 1x8x64,64x64x64 --trans NN,NT,TN,TT",
                  "shapes and transposes"},
                 {"accord sweep blas:sdot -n 64 --env OPENBLAS_CORETYPE=,Zen -O csv",
                  "as found and as Zen, as CSV"}},
    .run = run,
};
