/* accord cc: the compiler for projects whose programs accord bound is to follow.
 *
 * It is clang with the arguments that it is given, so what is built is what clang builds. Each
 * object file also gets the bitcode of its source, in a section of its own, and each program the
 * words of the command that linked it (programs/embedded.c). Archives and linkers carry sections
 * along. */
#include "cli/bounds/program.h"
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct compilation {
    const cli_args *args;
    cli_instrumenter tools;
    cli_scratch scratch;
    char *objcopy;
    const char *output; /* of -o; NULL: none */
    size_t inputs, sources;
    bool compile;      /* -c */
    bool shared, part; /* -shared, -r */
    bool through;      /* clang does it alone */
} compilation;

enum role { ROLE_FLAG, ROLE_INPUT, ROLE_SOURCE, ROLE_OUTPUT, ROLE_DEPENDENCIES };

/* What the word at i is for; *next is the word after it and its value. */
static enum role role_of(const cli_args *args, size_t i, size_t *next)
{
    const char *word = args->operand[i];
    bool pair = cli_takes_next(word) && i + 1 < args->operands;
    *next = i + 1 + pair;
    if (word[0] != '-') {
        const char *dot = strrchr(word, '.');
        return dot && strcmp(dot, ".c") == 0 ? ROLE_SOURCE : ROLE_INPUT;
    }
    if (strncmp(word, "-M", 2) == 0)
        return ROLE_DEPENDENCIES;
    return strncmp(word, "-o", 2) == 0 ? ROLE_OUTPUT : ROLE_FLAG;
}

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0)
        list++;
    return *list != NULL;
}

/* Nothing is compiled or linked, or from something else than a file of C. */
static bool is_for_clang_alone(const char *word)
{
    static const char *const words[] = {"-E",   "-S", "-M",         "-MM", "-fsyntax-only",
                                        "-###", "-x", "-emit-llvm", "-",   NULL};
    return is_one_of(word, words);
}

static void read_arguments(compilation *c)
{
    const cli_args *args = c->args;
    for (size_t i = 0, next; i < args->operands; i = next) {
        const char *word = args->operand[i];
        enum role role = role_of(args, i, &next);
        c->inputs += role == ROLE_INPUT || role == ROLE_SOURCE;
        c->sources += role == ROLE_SOURCE;
        c->compile = c->compile || strcmp(word, "-c") == 0;
        c->shared = c->shared || strcmp(word, "-shared") == 0;
        c->part = c->part || strcmp(word, "-r") == 0;
        c->through = c->through || is_for_clang_alone(word);
        if (role == ROLE_OUTPUT)
            c->output = word[2] ? word + 2 : next == i + 2 ? args->operand[i + 1] : NULL;
    }
    c->through = c->through || c->inputs == 0 || (c->compile && c->sources == 0);
}

/* ---- clang ---- */

/* With our standard input, output and error; its own exit status. */
static int run_clang(cli_words *words)
{
    const accordi_child_files files = {.in = STDIN_FILENO, .out = STDOUT_FILENO, .together = true};
    accordi_child child;
    accord_error error;
    enum accord_status status = accordi_child_start(&child, words->word, &files, &error);
    cli_words_clear(words);
    if (status != ACCORD_OK)
        return cli_fail(&error);
    while (!accordi_child_wait(&child, .05))
        if (cli_signal())
            break;
    accordi_child_kill(&child);
    return child.signal ? CLI_FAILED : child.code;
}

static void add_words(const compilation *c, size_t from, size_t to, cli_words *words)
{
    for (; from < to; from++)
        cli_words_add(words, c->args->operand[from]);
}

static int run_as_it_is(compilation *c)
{
    cli_words words = {0};
    cli_words_add(&words, c->tools.clang);
    add_words(c, 0, c->args->operands, &words);
    return run_clang(&words);
}

/* ---- what is left in files ---- */

static bool is_elf_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && cli_is_elf(path);
}

static bool write_file(const char *path, const accordi_buffer *data)
{
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(data->data, 1, data->length, file) == data->length;
    return (!file || fclose(file) == 0) && good;
}

static int embed(compilation *c, const char *section, const accordi_buffer *data,
                 const char *object)
{
    char *path = cli_scratch_path(&c->scratch, "section");
    char *log = cli_scratch_path(&c->scratch, "log"), named[PATH_MAX + 40], said[300];
    cli_words words = {0};
    int code, status = CLI_FAILED;
    snprintf(named, sizeof named, "%s=%s", section, path);
    if (data->failed || !write_file(path, data)) {
        cli_error("cc: the temporary file %s cannot be written; set TMPDIR to a folder with room",
                  path);
    } else {
        cli_words_add(&words, c->objcopy);
        cli_words_add(&words, "--add-section");
        cli_words_add(&words, named);
        cli_words_add(&words, object);
        status = cli_run_tool(&c->scratch, &words, log, &code);
        cli_compiler_said(log, said, sizeof said);
        if (status == CLI_USAGE)
            cli_error("cc: objcopy cannot add a section to %s: %s", object, said);
    }
    free(path);
    free(log);
    return status;
}

/* Flags under which bitcode would not be that of the source, or no bitcode at all. */
static bool spoils_bitcode(const char *word)
{
    static const char *const heads[] = {"-flto",      "-fsanitize", "-fprofile",
                                        "-fcoverage", "--coverage", "-fthinlto"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(word, heads[i], strlen(heads[i])) == 0)
            return true;
    return cli_chooses_arithmetic(word) || strcmp(word, "-c") == 0;
}

static void add_flags(const compilation *c, cli_words *words)
{
    for (size_t i = 0, next; i < c->args->operands; i = next)
        if (role_of(c->args, i, &next) == ROLE_FLAG && !spoils_bitcode(c->args->operand[i]))
            add_words(c, i, next, words);
}

/* An object without bitcode is still an object: accord bound names it. */
static int embed_bitcode(compilation *c, const char *source, const char *object)
{
    char *bitcode = cli_scratch_path(&c->scratch, "piece.bc");
    char *log = cli_scratch_path(&c->scratch, "log"), said[300];
    accordi_buffer data = {0}, piece = {0};
    cli_words words = {0};
    int code;
    cli_words_add(&words, c->tools.clang);
    add_flags(c, &words);
    cli_add_as_written(&words);
    cli_words_add(&words, source);
    cli_words_add(&words, "-o");
    cli_words_add(&words, bitcode);
    int status = cli_run_tool(&c->scratch, &words, log, &code);
    cli_compiler_said(log, said, sizeof said);
    if (status == CLI_YES && cli_file_bytes(bitcode, &data)) {
        cli_put_piece(source, &data, &piece);
        status = embed(c, CLI_BITCODE_SECTION, &piece, object);
    } else if (status != CLI_FAILED) {
        cli_error("cc: %s is compiled, but cannot be followed by accord bound: %s", source, said);
        status = CLI_YES;
    }
    accordi_buffer_clear(&data);
    accordi_buffer_clear(&piece);
    free(bitcode);
    free(log);
    return status;
}

/* ---- compile ---- */

/* a/b.c becomes b.o in this folder, as all compilers have it. */
static char *default_object(const char *source)
{
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
    accordi_buffer text = {0};
    accordi_buffer_printf(&text, "%.*s.o", (int)(strlen(base) - 2), base);
    return cli_need(text.data);
}

static int compile(compilation *c)
{
    int status = run_as_it_is(c);
    for (size_t i = 0, next; status == CLI_YES && i < c->args->operands; i = next) {
        if (role_of(c->args, i, &next) != ROLE_SOURCE)
            continue;
        char *object =
            c->output ? cli_need(accordi_strdup(c->output)) : default_object(c->args->operand[i]);
        if (is_elf_file(object))
            status = embed_bitcode(c, c->args->operand[i], object);
        free(object);
    }
    return status;
}

/* ---- link ---- */

static char *object_of(const compilation *c, size_t i)
{
    return cli_scratch_path(&c->scratch, "object-%zu.o", i);
}

/* The sources of a command that compiles and links, one by one. */
static int compile_sources(compilation *c)
{
    int status = CLI_YES;
    for (size_t i = 0, next; status == CLI_YES && i < c->args->operands; i = next) {
        if (role_of(c->args, i, &next) != ROLE_SOURCE)
            continue;
        char *object = object_of(c, i);
        cli_words words = {0};
        cli_words_add(&words, c->tools.clang);
        cli_words_add(&words, "-Qunused-arguments");
        for (size_t k = 0, after; k < c->args->operands; k = after) {
            enum role role = role_of(c->args, k, &after);
            if (role == ROLE_FLAG || role == ROLE_DEPENDENCIES)
                add_words(c, k, after, &words);
        }
        cli_words_add(&words, "-c");
        cli_words_add(&words, c->args->operand[i]);
        cli_words_add(&words, "-o");
        cli_words_add(&words, object);
        status = run_clang(&words);
        if (status == CLI_YES && is_elf_file(object))
            status = embed_bitcode(c, c->args->operand[i], object);
        free(object);
    }
    return status;
}

static int link_objects(compilation *c)
{
    cli_words words = {0};
    cli_words_add(&words, c->tools.clang);
    for (size_t i = 0, next; i < c->args->operands; i = next) {
        enum role role = role_of(c->args, i, &next);
        char *object = object_of(c, i);
        if (role == ROLE_SOURCE)
            cli_words_add(&words, object);
        else if (role != ROLE_DEPENDENCIES)
            add_words(c, i, next, &words);
        free(object);
    }
    return run_clang(&words);
}

static void put_word(const char *text, accordi_buffer *out)
{
    char path[PATH_MAX];
    bool folder = strncmp(text, "-L", 2) == 0 && text[2];
    const char *file = text + (folder ? 2 : 0);
    if ((folder || text[0] != '-') && realpath(file, path)) { /* it will be linked from elsewhere */
        accordi_buffer_puts(out, folder ? "-L" : "");
        file = path;
    } else {
        file = text;
    }
    accordi_buffer_append(out, file, strlen(file) + 1);
}

/* Of a library only what it needs, of a program all words. */
static bool is_recorded(const compilation *c, enum role role, const char *word)
{
    bool needed = role == ROLE_INPUT || strncmp(word, "-l", 2) == 0 ||
                  strncmp(word, "-L", 2) == 0 || strcmp(word, "-pthread") == 0;
    return needed || (role == ROLE_FLAG && !c->shared && !spoils_bitcode(word));
}

static int record_link(compilation *c)
{
    const char *output = c->output ? c->output : "a.out";
    accordi_buffer record = {0};
    for (size_t i = 0, next; i < c->args->operands; i = next) {
        enum role role = role_of(c->args, i, &next);
        if (is_recorded(c, role, c->args->operand[i]))
            for (size_t k = i; k < next; k++)
                put_word(c->args->operand[k], &record);
    }
    int status = CLI_YES;
    accordi_buffer_append(&record, "", 1); /* never empty */
    if (!c->part && is_elf_file(output))
        status = embed(c, CLI_LINK_SECTION, &record, output);
    accordi_buffer_clear(&record);
    return status;
}

static int work(compilation *c)
{
    c->objcopy = c->through ? NULL : cli_find_program("objcopy");
    if (c->through)
        return run_as_it_is(c);
    if (!c->objcopy)
        return cli_misuse("cc needs objcopy, which is not on the PATH; install binutils");
    if (c->compile)
        return compile(c);
    int status = compile_sources(c);
    if (status == CLI_YES)
        status = link_objects(c);
    return status == CLI_YES ? record_link(c) : status;
}

static int run(const cli_args *args)
{
    compilation c = {.args = args};
    if (!cli_scratch_new(&c.scratch))
        return CLI_FAILED;
    read_arguments(&c);
    int status = cli_instrumenter_find(&c.tools, &c.scratch, false);
    if (status == CLI_YES)
        status = work(&c);
    cli_instrumenter_clear(&c.tools);
    cli_scratch_free(&c.scratch);
    free(c.objcopy);
    return status;
}

const cli_verb cli_cc = {
    .name = "cc",
    .operands = "ARGUMENTS...",
    .about = "compile a project so that accord bound can follow its programs",
    .text = "Takes the arguments of a C compiler and passes them to clang, so that it can stand in "
            "the place of the compiler of a project, as in CC=\"accord cc\" make. It builds what "
            "clang builds; in addition, each object file holds the bitcode of its source, and each "
            "program holds the command that linked it. Archives and shared libraries keep both. "
            "accord bound PROGRAM then gives the bounds of a run of the program, as it does for C "
            "files. Objects that were built otherwise are linked as they are, and the report names "
            "them. The exit status is that of the compiler.",
    .least = 1,
    .most = SIZE_MAX,
    .words = true,
    .options = {CLI_HELP, CLI_OPTIONS},
    .examples = {{"CC=\"accord cc\" make", "build a project"},
                 {"accord cc -O2 -c solver.c -o solver.o", "compile one file"},
                 {"accord bound ./solver --run input.txt", "then bound the numbers of a run"}},
    .run = run,
};
