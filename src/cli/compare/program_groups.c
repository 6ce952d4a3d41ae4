/* Groups of builds that write the same numbers, bit by bit. */
#include "cli/compare/program_sweep.h"
#include <math.h>

bool cli_written_same(const cli_written_numbers *a, const cli_written_numbers *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].bits != b->list[i].bits || a->list[i].kind != b->list[i].kind)
            return false;
    return true;
}

/* The difference of two numbers that differ; infinite where one is no finite number. */
static double difference(double a, double b)
{
    double d = fabs(a - b);
    return isnan(d) ? INFINITY : d;
}

static void compare_with_first(cli_program_group *g, const cli_program_group *first)
{
    size_t count =
        g->numbers.count < first->numbers.count ? g->numbers.count : first->numbers.count;
    for (size_t i = 0; i < count; i++) {
        const cli_written_number *a = &first->numbers.list[i], *b = &g->numbers.list[i];
        if (a->bits == b->bits)
            continue;
        double d = difference(a->value, b->value), size = fmax(fabs(a->value), fabs(b->value));
        if (g->differ++ == 0)
            g->first = i;
        g->largest = fmax(g->largest, d);
        g->largest_scaled = fmax(g->largest_scaled, size > 0 ? d / size : 0);
    }
}

/* 0 is A, 25 is Z, 26 is AA, as spreadsheets count. */
static void name_group(cli_program_group *g, size_t number)
{
    char text[16];
    size_t at = sizeof text;
    text[--at] = 0;
    for (size_t k = number + 1; k > 0; k = (k - 1) / 26)
        text[--at] = (char)('A' + (k - 1) % 26);
    snprintf(g->letter, sizeof g->letter, "%s", text + at);
}

static enum accord_status place(cli_program_sweep *s, size_t build, accord_error *error)
{
    const cli_build *b = &s->builds.list[build];
    cli_written_numbers numbers;
    enum accord_status status = cli_written_read(b->numbers, &numbers, error);
    if (status != ACCORD_OK)
        return status;
    for (size_t g = 0; g < s->groups; g++)
        if (s->group[g].exit_status == b->exit_status &&
            cli_written_same(&s->group[g].numbers, &numbers)) {
            s->group_of[build] = (int)g;
            s->group[g].members++;
            cli_written_clear(&numbers);
            return ACCORD_OK;
        }
    cli_grow((void **)&s->group, &s->room, s->groups + 1, sizeof *s->group);
    cli_program_group *g = &s->group[s->groups];
    *g = (cli_program_group){.members = 1, .numbers = numbers, .exit_status = b->exit_status};
    name_group(g, s->groups);
    compare_with_first(g, &s->group[0]);
    s->group_of[build] = (int)s->groups++;
    return ACCORD_OK;
}

int cli_program_groups(cli_program_sweep *s)
{
    accord_error error;
    s->group_of = cli_need(accordi_alloc(s->builds.count, sizeof *s->group_of));
    for (size_t i = 0; i < s->builds.count; i++) {
        const cli_build *b = &s->builds.list[i];
        s->group_of[i] = CLI_NO_GROUP;
        s->compiled += b->compiled;
        s->failed += b->compiled && b->state == CLI_BUILD_FAILED;
        if (b->state == CLI_BUILD_READY && place(s, i, &error) != ACCORD_OK)
            return cli_fail(&error);
    }
    return CLI_YES;
}
