/* Compilers that stand on the PATH: gcc, clang and tcc of all versions, and those for other
 * machines whose programs an emulator runs. */
#include "cli/programs/programs.h"
#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

/* Programs are called "gcc" or "gcc-12". */
static const struct kind {
    const char *name;
    enum cli_family family;
    const char *machine, *emulator, *ask; /* ask: what makes it say its version, in one word */
} kinds[] = {
    {"gcc", CLI_GCC, NULL, NULL, "-dumpfullversion"},
    {"clang", CLI_CLANG, NULL, NULL, "-dumpversion"},
    {"tcc", CLI_TCC, NULL, NULL, "-dumpversion"},
    {"aarch64-linux-gnu-gcc", CLI_GCC, "aarch64", "qemu-aarch64", "-dumpfullversion"},
    {"powerpc64le-linux-gnu-gcc", CLI_GCC, "ppc64le", "qemu-ppc64le", "-dumpfullversion"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Calls visit(context, folder) for each folder of the PATH until it returns true. */
static bool each_folder(bool (*visit)(void *context, const char *folder), void *context)
{
    const char *path = getenv("PATH");
    bool found = false;
    while (path && !found) {
        size_t length = strcspn(path, ":");
        char *folder = cli_need(length ? strndup(path, length) : accordi_strdup("."));
        found = visit(context, folder);
        free(folder);
        path = path[length] ? path + length + 1 : NULL;
    }
    return found;
}

typedef struct wanted {
    const char *name;
    char *path;
} wanted;

static bool has_program(void *context, const char *folder)
{
    wanted *w = context;
    if (asprintf(&w->path, "%s/%s", folder, w->name) < 0)
        w->path = cli_need(NULL);
    if (access(w->path, X_OK) == 0)
        return true;
    free(w->path);
    w->path = NULL;
    return false;
}

char *cli_find_program(const char *name)
{
    wanted w = {.name = name};
    return each_folder(has_program, &w) ? w.path : NULL;
}

/* ---- the compilers of one kind ---- */

typedef struct search {
    cli_compilers *out;
    const struct kind *kind;
    char *emulator;
    size_t first; /* of this kind */
} search;

static bool is_of_kind(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    if (strncmp(name, kind, length) != 0)
        return false;
    const char *rest = name + length;
    return *rest == 0 || (*rest == '-' && rest[1] && rest[1 + strspn(rest + 1, "0123456789")] == 0);
}

static bool is_known(const search *s, const char *name)
{
    for (size_t i = s->first; i < s->out->count; i++)
        if (strcmp(s->out->list[i].name, name) == 0)
            return true;
    return false;
}

static void add_compiler(search *s, const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        path = cli_need(NULL);
    if (access(path, X_OK) != 0) {
        free(path);
        return;
    }
    cli_grow((void **)&s->out->list, &s->out->room, s->out->count + 1, sizeof *s->out->list);
    s->out->list[s->out->count++] = (cli_compiler){
        .path = path,
        .name = cli_need(accordi_strdup(name)),
        .family = s->kind->family,
        .machine = s->kind->machine,
        .emulator = s->emulator ? cli_need(accordi_strdup(s->emulator)) : NULL,
    };
}

static bool visit_folder(void *context, const char *folder)
{
    search *s = context;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        if (is_of_kind(entry->d_name, s->kind->name) && !is_known(s, entry->d_name))
            add_compiler(s, folder, entry->d_name);
    if (dir)
        closedir(dir);
    return false;
}

/* ---- versions ---- */

static void ask_version(cli_compiler *c, const struct kind *kind, const cli_scratch *scratch)
{
    char *path = cli_scratch_path(scratch, "version-%s", c->name);
    char *const argv[] = {c->path, (char *)kind->ask, NULL};
    cli_job job;
    snprintf(c->version, sizeof c->version, "?");
    if (cli_job_start(&job, argv, NULL, path, NULL, NULL, 20, NULL) == ACCORD_OK) {
        while (!cli_job_ended(&job))
            accordi_child_wait(&job.child, .02);
        char line[sizeof c->version];
        if (cli_job_good(&job) && cli_first_line(path, line, sizeof line) && isdigit(line[0]))
            snprintf(c->version, sizeof c->version, "%s", line);
    }
    free(path);
}

static int by_version(const void *a, const void *b)
{
    const cli_compiler *x = a, *y = b;
    int order = strverscmp(x->version, y->version);
    return order ? order : -(int)strlen(x->name) + (int)strlen(y->name);
}

static void free_compiler(cli_compiler *c)
{
    free(c->path);
    free(c->name);
    free(c->emulator);
}

/* "gcc" is often another name of "gcc-12": of one version, the longer name stays. */
static void drop_doubles(cli_compilers *out, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < out->count; i++)
        if (i > first && strcmp(out->list[i].version, out->list[kept - 1].version) == 0 &&
            out->list[i].version[0] != '?')
            free_compiler(&out->list[i]);
        else
            out->list[kept++] = out->list[i];
    out->count = kept;
}

void cli_compilers_find(cli_compilers *out, const cli_scratch *scratch)
{
    *out = (cli_compilers){0};
    for (size_t k = 0; k < KINDS && !cli_signal(); k++) {
        search s = {.out = out, .kind = &kinds[k], .first = out->count};
        s.emulator = kinds[k].emulator ? cli_find_program(kinds[k].emulator) : NULL;
        if (!kinds[k].emulator || s.emulator)
            each_folder(visit_folder, &s);
        for (size_t i = s.first; i < out->count; i++)
            ask_version(&out->list[i], &kinds[k], scratch);
        if (out->count > s.first)
            qsort(out->list + s.first, out->count - s.first, sizeof *out->list, by_version);
        drop_doubles(out, s.first);
        free(s.emulator);
    }
}

void cli_compilers_add_opencl(cli_compilers *compilers)
{
    const cli_compiler *host = NULL;
    for (size_t i = 0; !host && i < compilers->count; i++)
        if (!compilers->list[i].machine && compilers->list[i].family != CLI_TCC)
            host = &compilers->list[i];
    if (!host)
        return;
    cli_compiler opencl = {
        .path = cli_need(accordi_strdup(host->path)),
        .name = cli_need(accordi_strdup("opencl")),
        .version = "1.2",
        .family = CLI_OPENCL,
    };
    cli_grow((void **)&compilers->list, &compilers->room, compilers->count + 1,
             sizeof *compilers->list);
    compilers->list[compilers->count++] = opencl;
}

void cli_compilers_clear(cli_compilers *compilers)
{
    for (size_t i = 0; i < compilers->count; i++)
        free_compiler(&compilers->list[i]);
    free(compilers->list);
    *compilers = (cli_compilers){0};
}
