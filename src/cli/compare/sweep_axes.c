/* The axes of accord sweep, from the command line. */
#include "cli/compare/sweep.h"

enum { MOST_SETTINGS = 100000 };

const char *const cli_thread_variables[CLI_THREAD_VARIABLES] = {
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"};

size_t cli_sweep_add(cli_axis *a, const char *text, size_t length)
{
    cli_grow((void **)&a->value, &a->room, a->values + 1, sizeof *a->value);
    a->value[a->values] = cli_need(strndup(text, length));
    return a->values++;
}

/* ---- numbers of a range ---- */

size_t cli_sweep_number(const char *text, size_t length)
{
    size_t number = 0;
    for (size_t i = 0; i < length; i++)
        number = number * 10 + (size_t)(text[i] - '0');
    return number;
}

/* The whole number at the beginning, such as 1000 or 1e6; its length, 0 if there is none. */
static size_t leading_number(const char *text, size_t *number)
{
    int64_t value = 0;
    size_t length = strspn(text, "0123456789e");
    if (!cli_number(text, text + length, &value) || value >= 1000000000000000)
        return 0;
    *number = (size_t)value;
    return length;
}

static void add_number(cli_axis *a, size_t number)
{
    char text[24];
    cli_sweep_add(a, text, (size_t)snprintf(text, sizeof text, "%zu", number));
}

static bool add_list(cli_axis *a, const char *said, const char *text, size_t least, size_t step)
{
    size_t *list, count;
    const char *why;
    if (!cli_range(text, least, step, &list, &count, &why))
        return cli_refuse("%s %s: %s", said, text, why);
    for (size_t i = 0; i < count; i++)
        add_number(a, list[i]);
    free(list);
    return true;
}

/* The numbers of "A..B+S" or "A..B*F", as -n has them. */
static bool add_steps(cli_axis *a, const char *text, size_t length)
{
    char *copy = cli_need(strndup(text, length));
    bool good = add_list(a, a->name, copy, 0, 1);
    free(copy);
    return good;
}

/* A value, or a range: of "A..B" both ends and the powers of two between them, between which the
 * changes are sought. False after an error was printed. */
static bool add_word(cli_axis *a, const char *text, size_t length)
{
    size_t first, last, head = leading_number(text, &first), tail = 0;
    if (head && strncmp(text + head, "..", 2) == 0)
        tail = leading_number(text + head + 2, &last);
    size_t end = head + 2 + tail;
    if (tail && end < length && (text[end] == '+' || text[end] == '*'))
        return add_steps(a, text, length);
    if (!tail || end != length) {
        cli_sweep_add(a, text, length);
        return true;
    }
    add_number(a, first);
    for (size_t power = 1; power < last; power *= 2)
        if (power > first)
            add_number(a, power);
    add_number(a, last);
    a->sought = true;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    size_t i = cli_sweep_number(x, strlen(x)), k = cli_sweep_number(y, strlen(y));
    return i < k ? -1 : i > k;
}

/* Each number of a sought axis once, in digits; false after an error was printed. */
static bool sort_numbers(cli_axis *a)
{
    size_t kept = 0, count = a->values, number;
    char **said = a->value;
    for (size_t i = 0; i < count; i++) {
        size_t length = leading_number(said[i], &number);
        if (length == 0 || said[i][length])
            return cli_refuse("%s has a range, so its other values have to be whole numbers, too, "
                              "not '%s'",
                              a->name, said[i]);
    }
    a->value = NULL;
    a->values = a->room = 0;
    for (size_t i = 0; i < count; i++) {
        leading_number(said[i], &number);
        add_number(a, number);
        free(said[i]);
    }
    free(said);
    qsort(a->value, a->values, sizeof *a->value, by_number);
    for (size_t i = 0; i < a->values; i++)
        if (kept && by_number(&a->value[kept - 1], &a->value[i]) == 0)
            free(a->value[i]);
        else
            a->value[kept++] = a->value[i];
    a->values = kept;
    return true;
}

/* ---- the values of an axis ---- */

/* The words between commas; empty ones are values too. Some may be ranges. */
static bool words(cli_axis *a, const char *text, bool ranges)
{
    for (;; text++) {
        size_t length = strcspn(text, ",");
        if (!ranges)
            cli_sweep_add(a, text, length);
        else if (!add_word(a, text, length))
            return false;
        text += length;
        if (!*text)
            return !a->sought || sort_numbers(a);
    }
}

static cli_axis *new_axis(cli_sweep_plan *s, enum cli_option_id id, const char *name, size_t length)
{
    for (size_t i = 0; i < s->axes; i++)
        if (strlen(s->axis[i].name) == length && strncmp(s->axis[i].name, name, length) == 0) {
            cli_error("%s is given twice; list its values with commas between them",
                      s->axis[i].name);
            return NULL;
        }
    if (s->axes == CLI_MOST_AXES) {
        cli_error("more than %d variables at once; sweep over fewer", CLI_MOST_AXES);
        return NULL;
    }
    cli_axis *a = &s->axis[s->axes++];
    *a = (cli_axis){.id = id, .name = cli_need(strndup(name, length))};
    return a;
}

/* NAME=V1,V2 of the option named `option`. */
static bool add_named(cli_sweep_plan *s, enum cli_option_id id, const char *option,
                      const char *text, const char *example)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return cli_refuse("--%s %s: give NAME=VALUE,VALUE,..., e.g. %s", option, text, example);
    cli_axis *a = new_axis(s, id, text, (size_t)(equals - text));
    return a && words(a, equals + 1, true);
}

static bool add_variable(cli_sweep_plan *s, const char *text)
{
    size_t length = strcspn(text, "=");
    for (size_t i = 0; s->args->text[CLI_THREADS] && i < CLI_THREAD_VARIABLES; i++)
        if (strlen(cli_thread_variables[i]) == length &&
            strncmp(text, cli_thread_variables[i], length) == 0)
            return cli_refuse("--threads sets %s itself; leave out one of them",
                              cli_thread_variables[i]);
    return add_named(s, CLI_ENV, "env", text,
                     "OPENBLAS_CORETYPE=Haswell,Prescott; an empty value leaves it unset");
}

/* Values of an option that is a setting in the notation of the target. */
static bool add_setting(cli_sweep_plan *s, const cli_said *said)
{
    const cli_option *option = &cli_options[said->id];
    if (!cli_list_setting(option))
        return true;
    cli_axis *a = new_axis(s, CLI_SETTING, option->name, strlen(option->name));
    return a && words(a, said->text, true);
}

/* ---- parameters of Open MPI ---- */

static const char of_openmpi[] = "OMPI_MCA_";

/* Numbers are a list like that of -n; other values are words. */
static bool add_parameter(cli_sweep_plan *s, const char *text)
{
    const char *equals = strchr(text, '=');
    if (strncmp(s->target, "mpi:", 4) != 0 ||
        strncmp(s->target + strcspn(s->target, "@,"), "@mpich", 6) == 0)
        return cli_refuse("--mca is for mpi: targets of Open MPI, not for %s", s->target);
    if (!equals || equals == text)
        return cli_refuse("--mca %s: give NAME=VALUE,VALUE,..., e.g. "
                          "coll_tuned_allreduce_algorithm=1..7",
                          text);
    accordi_buffer name = {0};
    accordi_buffer_printf(&name, "%s%.*s", of_openmpi, (int)(equals - text), text);
    cli_axis *a = new_axis(s, CLI_ENV, cli_need(name.data), name.length);
    accordi_buffer_clear(&name);
    bool numbers = equals[1 + strspn(equals + 1, "0123456789e,.+*")] == 0 && strstr(equals, "..");
    return a && (numbers ? add_list(a, "--mca", equals + 1, 0, 1) : words(a, equals + 1, false));
}

/* Open MPI takes the algorithms of its component tuned only if it is told to. */
static bool add_dynamic_rules(cli_sweep_plan *s)
{
    static const char rules[] = "OMPI_MCA_coll_tuned_use_dynamic_rules";
    bool needed = false;
    for (size_t i = 0; i < s->args->saids; i++)
        needed |= s->args->said[i].id == CLI_MCA &&
                  strncmp(s->args->said[i].text, "coll_tuned_", 11) == 0;
    for (size_t i = 0; i < s->axes; i++)
        needed &= strcmp(s->axis[i].name, rules) != 0;
    if (!needed || getenv(rules))
        return true;
    cli_axis *a = new_axis(s, CLI_ENV, rules, strlen(rules));
    return a && words(a, "1", false);
}

static const cli_axis *axis_of(const cli_sweep_plan *s, enum cli_option_id id)
{
    for (size_t i = 0; i < s->axes; i++)
        if (s->axis[i].id == id)
            return &s->axis[i];
    return NULL;
}

/* The size of an element, as the target has it: the natural step of alignments. */
static size_t element_size(const cli_sweep_plan *s, size_t n, const char *shape)
{
    accord_target_options options;
    accord_target *target = NULL;
    const cli_axis *format = axis_of(s, CLI_FORMATS);
    cli_question(s->args, NULL, &options);
    if (format)
        options.has_format = accord_format_operand_by_name(format->value[0], &options.format);
    options.n = n;
    options.shape = shape;
    size_t size = 8; /* fits floats too */
    if (accord_target_open(s->target, &options, &target, NULL) == ACCORD_OK)
        size = target->storage_f32 ? 4 : 8;
    accord_target_close(target);
    return size;
}

size_t cli_sweep_terms(const cli_sweep_plan *s, const char *count, const char *shape)
{
    const char *x = shape ? strrchr(shape, 'x') : NULL;
    int64_t last = 0;
    if (count)
        return strtoul(count, NULL, 10);
    bool good = x && cli_number(x + 1, x + strlen(x), &last) && last >= 1;
    return good ? (size_t)last + (cli_real(s->args, CLI_BETA, 0) != 0) : 0;
}

static bool add_alignments(cli_sweep_plan *s, const char *text)
{
    const cli_axis *count = axis_of(s, CLI_COUNT), *shape = axis_of(s, CLI_SHAPES);
    const char *n = count ? count->value[0] : NULL, *form = shape ? shape->value[0] : NULL;
    cli_axis *a = new_axis(s, CLI_ALIGNS, "align", 5);
    return a && add_list(a, "--align", text, 0, element_size(s, cli_sweep_terms(s, n, form), form));
}

static bool add_option(cli_sweep_plan *s, const cli_said *said)
{
    cli_axis *a = NULL;
    switch (said->id) {
    case CLI_ENV:
        return add_variable(s, said->text);
    case CLI_SETTING:
        return add_named(s, CLI_SETTING, "setting", said->text,
                         "length=1,1000; an empty value leaves it out");
    case CLI_THREADS:
        a = new_axis(s, said->id, "threads", 7);
        return a && add_list(a, "--threads", said->text, 1, 1);
    case CLI_COUNT:
        a = new_axis(s, said->id, "n", 1);
        return a && add_list(a, "-n", said->text, 1, 1);
    case CLI_SHAPES:
        a = new_axis(s, said->id, "shape", 5);
        return a && words(a, said->text, false);
    case CLI_TRANSES:
        a = new_axis(s, said->id, "trans", 5);
        return a && words(a, said->text, false);
    case CLI_FORMATS:
        a = new_axis(s, said->id, "format", 6);
        return a && words(a, said->text, false);
    case CLI_BUILD_OPTIONS:
        a = new_axis(s, said->id, "build-options", 13);
        return a && words(a, said->text, false);
    case CLI_MCA:
        return add_parameter(s, said->text);
    default:
        return add_setting(s, said);
    }
}

/* So that neighbors on it are neighbors among the settings. */
static bool put_sought_last(cli_sweep_plan *s)
{
    size_t i = 0, last = s->axes - 1;
    while (i < last && !s->axis[i].sought)
        i++;
    for (size_t k = i + 1; k < s->axes && s->axis[i].sought; k++)
        if (s->axis[k].sought)
            return cli_refuse(
                "%s and %s both have a range in which changes are sought; give one of them "
                "as a list (1,10,100) or with a factor (1..1000*10)",
                s->axis[i].name, s->axis[k].name);
    cli_axis found = s->axis[i];
    memmove(&s->axis[i], &s->axis[i + 1], (last - i) * sizeof found);
    s->axis[last] = found;
    return true;
}

static bool check_sweep_options(cli_sweep_plan *s)
{
    if (s->args->text[CLI_BUILD_OPTIONS] && strncmp(s->args->operand[0], "opencl:", 7) != 0)
        return cli_refuse("--build-options is for opencl: targets, which are built from source");
    const cli_axis *count = axis_of(s, CLI_COUNT), *shape = axis_of(s, CLI_SHAPES);
    for (size_t i = 0; shape && !count && i < shape->values; i++)
        if (cli_sweep_terms(s, NULL, shape->value[i]) == 0)
            return cli_refuse("--shape %s: give MxNxK for a GEMM or MxK for a GEMV, e.g. 4x4x32",
                              shape->value[i]);
    if (!count && !shape) {
        cli_no_count(s->args);
        return false;
    }
    if (!put_sought_last(s))
        return false;
    s->settings = 1;
    for (size_t i = 0; i < s->axes && s->settings <= MOST_SETTINGS; i++)
        s->settings *= s->axis[i].values;
    if (s->settings > MOST_SETTINGS)
        return cli_refuse("more than %d settings; give fewer values", MOST_SETTINGS);
    return true;
}

/* In the order of the command line, alignments last: their step needs the rest. */
bool cli_sweep_axes(cli_sweep_plan *s)
{
    for (size_t i = 0; i < s->args->saids; i++)
        if (!add_option(s, &s->args->said[i]))
            return false;
    if (!add_dynamic_rules(s))
        return false;
    const char *alignments = s->args->text[CLI_ALIGNS];
    if (alignments && (axis_of(s, CLI_COUNT) || axis_of(s, CLI_SHAPES)) &&
        !add_alignments(s, alignments))
        return false;
    return check_sweep_options(s);
}

const char *cli_sweep_value(const cli_sweep_plan *s, size_t setting, size_t which)
{
    return s->axis[which].value[s->index[setting * s->axes + which]];
}

bool cli_sweep_varies(const cli_sweep_plan *s, size_t i)
{
    return s->axis[i].values > 1 || s->settings == 1;
}

void cli_sweep_put(accordi_buffer *out, const cli_sweep_plan *s, size_t setting)
{
    const char *between = "";
    for (size_t i = 0; i < s->axes; i++) {
        const char *value = cli_sweep_value(s, setting, i);
        if (!cli_sweep_varies(s, i))
            continue;
        accordi_buffer_printf(out, "%s%s%s", between, *value ? value : "no ",
                              *value ? "" : s->axis[i].name);
        between = " ";
    }
}
