/* Names the line at which a program was when a signal ended it.
 *
 * The runtime reports where the calls that were open stand in the program's file, and addr2line,
 * which comes with every linker, knows their lines. The innermost of them may be in a library, or
 * between lines; so the first one that has a line is taken. */
#include "cli/bounds/program.h"

/* Two lines of addr2line's: the name of a function, and "file:line"; "??" where it does not know.
 */
static bool read_place(const cli_raw *raw, const char *function, char *place, cli_crash *out)
{
    char *colon = strrchr(place, ':');
    if (!colon || *place == '?' || *function == '?')
        return false;
    *colon = '\0';
    out->line = (unsigned)strtoul(colon + 1, NULL, 10);
    size_t here = strlen(raw->here);
    if (out->line == 0)
        return false;
    out->function = cli_need(accordi_utf8(function, true));
    out->file =
        cli_need(accordi_utf8(strncmp(place, raw->here, here) == 0 ? place + here : place, true));
    return true;
}

static void read_places(const cli_raw *raw, const char *log, cli_crash *out)
{
    enum { LONGEST = 4096 };
    char function[LONGEST], place[LONGEST];
    FILE *file = fopen(log, "r");
    while (file && !out->function && fgets(function, sizeof function, file) &&
           fgets(place, sizeof place, file)) {
        function[strcspn(function, "\n")] = '\0';
        place[strcspn(place, "\n")] = '\0';
        read_place(raw, function, place, out);
    }
    if (file)
        fclose(file);
}

void cli_crash_find(const cli_raw *raw, const char *program, const cli_scratch *scratch,
                    cli_crash *out)
{
    cli_words words = {0};
    int code = 0;
    *out = (cli_crash){0};
    if (!raw->calls || !*raw->calls)
        return;
    char *tool = cli_find_program("addr2line"), *log = cli_scratch_path(scratch, "crash");
    if (tool) {
        cli_words_add(&words, tool);
        cli_words_add(&words, "-f");
        cli_words_add(&words, "-e");
        cli_words_add(&words, program);
        cli_words_split(&words, raw->calls);
        if (cli_run_tool(scratch, &words, log, &code) == CLI_YES)
            read_places(raw, log, out);
    }
    free(tool);
    free(log);
}

void cli_crash_clear(cli_crash *crash)
{
    free(crash->function);
    free(crash->file);
    *crash = (cli_crash){0};
}
