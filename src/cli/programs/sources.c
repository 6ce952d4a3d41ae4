/* The files and flags of a program, and what compilers say about them. */
#include "cli/programs/programs.h"
#include <errno.h>
#include <unistd.h>

/* What the verbs choose themselves, because models are named after it. */
static const char *const arithmetic_flags[] = {
    "-Ofast",
    "-ffast-math",
    "-fno-fast-math",
    "-funsafe-math-optimizations",
    "-fassociative-math",
    "-freciprocal-math",
    "-ffp-contract=",
    "-ffp-model=",
    "-ffp-eval-method=",
    "-mfpmath=",
    "-mno-sse",
    "-frounding-math",
    "-fdenormal-fp-math",
    "-mdaz-ftz",
};

bool cli_chooses_arithmetic(const char *flag)
{
    for (size_t i = 0; i < sizeof arithmetic_flags / sizeof arithmetic_flags[0]; i++)
        if (strncmp(flag, arithmetic_flags[i], strlen(arithmetic_flags[i])) == 0)
            return true;
    return false;
}

/* What would send the program elsewhere than to the file it is built in. */
static bool chooses_output(const char *flag)
{
    static const char *const flags[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(flag, flags[i]) == 0)
            return true;
    return strncmp(flag, "-o", 2) == 0;
}

bool cli_program_check(const cli_args *args)
{
    for (size_t i = 0; i < args->operands; i++) {
        const char *file = args->operand[i], *dot = strrchr(file, '.');
        bool built = !cli_takes(args->verb, CLI_PROGRAM) && args->operands == 1 && cli_is_elf(file);
        if (!built && (!dot || strcmp(dot, ".c") != 0))
            return cli_refuse("%s is not a C file; give files that end in .c, and flags of the "
                              "compiler after --, as in accord %s %sa.c -- -DN=10",
                              file, args->verb->name,
                              cli_takes(args->verb, CLI_PROGRAM) ? "--program " : "");
        if (access(file, R_OK) != 0)
            return cli_refuse("cannot read %s: %s", file, strerror(errno));
    }
    for (size_t i = 0; i < args->flags; i++) {
        const char *flag = args->flag[i];
        if (chooses_output(flag))
            return cli_refuse("%s: leave out this flag; accord chooses the output of the compiler",
                              flag);
        if (cli_chooses_arithmetic(flag))
            return cli_refuse("%s: leave out this flag; accord chooses the flags that change the "
                              "arithmetic",
                              flag);
    }
    return true;
}

/* Libraries and objects are searched in the order of the command line, after the files. */
static bool comes_last(const char *flag)
{
    return flag[0] != '-' || strncmp(flag, "-l", 2) == 0 || strncmp(flag, "-Wl,", 4) == 0;
}

/* Flags whose value is a word of its own. */
bool cli_takes_next(const char *flag)
{
    static const char *const flags[] = {"-I",          "-D",
                                        "-U",          "-L",
                                        "-include",    "-isystem",
                                        "-iquote",     "-idirafter",
                                        "-imacros",    "-x",
                                        "-o",          "-MF",
                                        "-MT",         "-MQ",
                                        "-T",          "-u",
                                        "-z",          "-e",
                                        "-Xlinker",    "-Xclang",
                                        "-Xassembler", "-Xpreprocessor",
                                        "-target",     "--param",
                                        "-mllvm"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(flag, flags[i]) == 0)
            return true;
    return false;
}

static void add_flags(const cli_args *args, bool last, cli_words *words)
{
    for (size_t i = 0; i < args->flags; i++) {
        bool pair = cli_takes_next(args->flag[i]) && i + 1 < args->flags;
        if (comes_last(args->flag[i]) == last) {
            cli_words_add(words, args->flag[i]);
            if (pair)
                cli_words_add(words, args->flag[i + 1]);
        }
        i += pair;
    }
}

void cli_program_flags(const cli_args *args, cli_words *words)
{
    add_flags(args, false, words);
}

void cli_program_libraries(const cli_args *args, cli_words *words)
{
    add_flags(args, true, words);
    cli_words_add(words, "-lm");
}

bool cli_first_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool found = file && fgets(line, (int)size, file);
    if (file)
        fclose(file);
    if (found)
        line[strcspn(line, "\n")] = 0;
    return found;
}

void cli_compiler_said(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    char line[1000];
    text[0] = 0;
    while (file && fgets(line, sizeof line, file)) {
        bool fault = strstr(line, "error") || strstr(line, "undefined reference");
        line[strcspn(line, "\n")] = 0;
        if (fault || !text[0])
            snprintf(text, size, "%s", line);
        if (fault)
            break;
    }
    if (file)
        fclose(file);
}

static bool file_mentions(const char *path, const char *word)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (file && !found && getline(&line, &room, file) >= 0)
        found = strstr(line, word) != NULL;
    free(line);
    if (file)
        fclose(file);
    return found;
}

bool cli_program_mentions(const cli_args *args, const char *word)
{
    for (size_t i = 0; i < args->operands; i++)
        if (file_mentions(args->operand[i], word))
            return true;
    return false;
}
