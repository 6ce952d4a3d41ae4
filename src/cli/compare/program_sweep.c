/* accord sweep --program: one program under every compiler and its flags; which builds write other
 * numbers?
 *
 * The first build, without optimization, is run twice: a program that reads the clock, or whose
 * threads race, has no numbers that could be compared. Where the instrumenter is found, the program
 * also runs with the bounds of every model that the flags name, and the numbers of each build are
 * compared with them. */
#include "cli/compare/program_sweep.h"

static int run_first_again(cli_program_sweep *s)
{
    cli_written_numbers again;
    accord_error error;
    size_t i = 0;
    while (i < s->builds.count && s->group_of[i] == CLI_NO_GROUP)
        i++;
    if (i == s->builds.count)
        return CLI_YES;
    int status = cli_builds_run_again(&s->builds, &s->builds.list[i]);
    if (status != CLI_YES)
        return status;
    if (cli_written_read(s->builds.list[i].numbers, &again, &error) != ACCORD_OK)
        return cli_fail(&error);
    s->varies = s->builds.list[i].state == CLI_BUILD_FAILED ||
                s->builds.list[i].exit_status != s->group[0].exit_status ||
                !cli_written_same(&again, &s->group[0].numbers);
    cli_written_clear(&again);
    return CLI_YES;
}

/* CLI_USAGE if there is nothing to compare because the source is wrong. */
static int check_compiled(const cli_program_sweep *s)
{
    if (s->compiled > 0)
        return CLI_YES;
    const cli_build *first = &s->builds.list[0];
    return cli_misuse("%s: %s", first->compiler->name, first->why);
}

static int compare_with_models(cli_program_sweep *s, cli_bar *bar)
{
    int status = cli_program_models(s, bar);
    return status == CLI_YES ? cli_program_contain(s) : status;
}

static void clear(cli_program_sweep *s)
{
    for (size_t g = 0; g < s->groups; g++)
        cli_written_clear(&s->group[g].numbers);
    free(s->group);
    free(s->group_of);
    cli_program_models_clear(s);
    cli_builds_clear(&s->builds);
    cli_scratch_free(&s->scratch);
}

int cli_run_program_sweep(const cli_args *args)
{
    cli_program_sweep s = {.args = args};
    cli_bar bar;
    if (!cli_program_check(args) || !cli_scratch_new(&s.scratch))
        return CLI_USAGE;
    cli_bar_start(&bar, args->operand[0], args->text[CLI_QUIET] != NULL);
    int status = cli_builds_make(&s.builds, args, &s.scratch, NULL, NULL, &bar);
    status = status == CLI_YES ? cli_program_groups(&s) : status;
    status = status == CLI_YES ? check_compiled(&s) : status;
    status = status == CLI_YES ? run_first_again(&s) : status;
    if (status == CLI_YES && s.groups > 0 && !s.varies)
        status = compare_with_models(&s, &bar);
    cli_bar_end(&bar);
    if (status == CLI_YES)
        status = cli_program_write(&s);
    clear(&s);
    return status;
}
