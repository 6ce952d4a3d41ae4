/* Programs that accord cc has built: their bitcode, and what they are linked with.
 *
 * A program holds the pieces of all its objects. Shared libraries that hold bitcode are taken into
 * the program and not loaded; what was built otherwise is linked as it was, and named. */
#include "cli/bounds/program.h"
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct taking {
    cli_instrumenter *tools;
    const cli_scratch *scratch;
    char *why;         /* 400 bytes */
    cli_words folders; /* of -L */
    cli_words seen;    /* files that were taken */
} taking;

static int refuse(taking *t, const char *path, const char *what)
{
    snprintf(t->why, 400, "%s %s", path, what);
    return CLI_USAGE;
}

static int take_pieces(taking *t, const char *path, cli_span section)
{
    cli_span bitcode;
    while (section.length > 0) {
        if (!cli_take_piece(&section, &bitcode))
            return refuse(t, path, "holds damaged bitcode; build it again");
        char *file = cli_scratch_path(t->scratch, "file-%zu.bc", t->tools->pieces++);
        FILE *out = fopen(file, "we");
        bool good = out && fwrite(bitcode.data, 1, bitcode.length, out) == bitcode.length;
        good = (!out || fclose(out) == 0) && good;
        free(file);
        if (!good)
            return refuse(t, path,
                          "holds bitcode that cannot be written to the temporary folder; "
                          "set TMPDIR to a folder with room");
    }
    return CLI_YES;
}

static bool is_seen(const taking *t, const char *path)
{
    for (size_t i = 0; i < t->seen.count; i++)
        if (strcmp(t->seen.word[i], path) == 0)
            return true;
    return false;
}

static int take_file(taking *t, const char *path);

/* A file that is linked: of objects with bitcode the program has the pieces already. */
static int take_input(taking *t, const char *path, const char *word)
{
    accordi_buffer file = {0};
    cli_span section;
    int status = CLI_YES;
    bool elf = cli_is_elf(path), followed = false;
    if (cli_file_bytes(path, &file)) {
        followed = elf && cli_elf_section(file.data, file.length, CLI_BITCODE_SECTION, &section);
        bool object = elf && file.length > 16 && file.data[16] == 1; /* ET_REL */
        if (followed && !object)
            status = take_file(t, path);
        else if (object && !followed)
            cli_words_add(&t->tools->without, path);
        else if (!elf)
            cli_archive_members_without(file.data, file.length, CLI_BITCODE_SECTION, path,
                                        &t->tools->without);
    }
    if (!followed)
        cli_words_add(&t->tools->linked, word);
    accordi_buffer_clear(&file);
    return status;
}

/* -lNAME, in the folders of -L; libraries of the system were not built by us. */
static int take_library(taking *t, const char *word)
{
    static const char *const kinds[] = {"so", "a"};
    for (size_t i = 0; i < t->folders.count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            char path[PATH_MAX];
            if (snprintf(path, sizeof path, "%s/lib%s.%s", t->folders.word[i], word + 2, kinds[k]) <
                    (int)sizeof path &&
                access(path, R_OK) == 0)
                return take_input(t, path, word);
        }
    cli_words_add(&t->tools->linked, word);
    return CLI_YES;
}

static int take_word(taking *t, const char *word)
{
    if (strncmp(word, "-l", 2) == 0 && word[2])
        return take_library(t, word);
    if (word[0] != '-')
        return take_input(t, word, word);
    if (strncmp(word, "-L", 2) == 0 && word[2])
        cli_words_add(&t->folders, word + 2);
    cli_words_add(&t->tools->linked, word);
    return CLI_YES;
}

static int take_links(taking *t, const char *path, cli_span section)
{
    int status = CLI_YES;
    while (status == CLI_YES && section.length > 0) {
        const char *end = memchr(section.data, 0, section.length), *word = section.data;
        if (!end)
            return refuse(t, path, "holds a damaged record of how it was linked; build it again");
        section.length -= (size_t)(end + 1 - word);
        section.data = end + 1;
        bool pair =
            cli_takes_next(word) && section.length && memchr(section.data, 0, section.length);
        if (!*word)
            continue;
        if (!pair) {
            status = take_word(t, word);
            continue;
        }
        if (strcmp(word, "-L") == 0)
            cli_words_add(&t->folders, section.data);
        cli_words_add(&t->tools->linked, word);
        cli_words_add(&t->tools->linked, section.data);
        section.length -= strlen(section.data) + 1;
        section.data += strlen(section.data) + 1;
    }
    return status;
}

static int take_file(taking *t, const char *path)
{
    accordi_buffer file = {0};
    cli_span section;
    if (is_seen(t, path))
        return CLI_YES;
    cli_words_add(&t->seen, path);
    int status = CLI_YES;
    if (!cli_file_bytes(path, &file))
        status = refuse(t, path, strerror(errno));
    else if (!cli_elf_section(file.data, file.length, CLI_BITCODE_SECTION, &section))
        status = refuse(t, path,
                        "holds no bitcode, so accord cannot follow it; give its C files, or "
                        "build it with accord cc as its compiler, as in CC=\"accord cc\" "
                        "make");
    else
        status = take_pieces(t, path, section);
    if (status == CLI_YES && cli_elf_section(file.data, file.length, CLI_LINK_SECTION, &section))
        status = take_links(t, path, section);
    accordi_buffer_clear(&file);
    return status;
}

int cli_built_take(cli_instrumenter *tools, const char *path, const cli_scratch *scratch,
                   char why[400])
{
    taking t = {.tools = tools, .scratch = scratch, .why = why};
    int status = take_file(&t, path);
    cli_words_clear(&t.folders);
    cli_words_clear(&t.seen);
    return status;
}
