/* Which mpirun is this, which flags does it take, and which library do its ranks load?
 *
 * The worker was built with one version of an MPI, and runs with every other that has its ABI if it
 * loads that one's library. An installation of its own (a prefix, a virtual environment) has the
 * library in lib, beside the launcher's bin. It is preloaded under its own path, so that it finds
 * the libraries that came with it. The worker may ask for it by another name: Debian calls MPICH's
 * libmpich.so.12, its makers libmpi.so.12. Therefore a folder of links leads from each name to the
 * same file, and the dynamic linker, which compares files, loads it once. */
#include "targets/program/mpi_launcher.h"
#include "base/child.h"
#include "targets/program/command.h"
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <sys/mman.h>
#include <unistd.h>

const accordi_mpi_family accordi_mpi_families[ACCORDI_MPI_FAMILIES] = {
    /* Ranks without a core of their own must yield. */
    {.name = "openmpi",
     .title = "Open MPI",
     .worker = "accord-mpi-worker-openmpi",
     .variable = "ACCORD_MPI_WORKER_OPENMPI",
     .debian = "libopenmpi-dev openmpi-bin",
     .launchers = {"mpirun.openmpi", "mpirun"},
     .library = "libmpi.so.40",
     .before = "export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}; "},
    {.name = "mpich",
     .title = "MPICH",
     .worker = "accord-mpi-worker-mpich",
     .variable = "ACCORD_MPI_WORKER_MPICH",
     .debian = "libmpich-dev mpich",
     .launchers = {"mpirun.mpich", "mpirun"},
     .library = "libmpi.so.12",
     .before = "export I_MPI_THREAD_YIELD=${I_MPI_THREAD_YIELD:-2}; "},
};

/* How launchers say what they are; the version follows. Ranks may outnumber cores, and need not be
 * bound to one. Open MPI 5 passes on whole lines, which answers are not, unless told otherwise. */
static const struct {
    const char *says, *then, *title;
    size_t family;
    unsigned from;
    const char *needed, *crowded;
} known[] = {
    {"(Open MPI)", ")", "Open MPI", 0, 5, " --stream-buffering 0",
     " --map-by :OVERSUBSCRIBE --bind-to none"},
    {"(Open MPI)", ")", "Open MPI", 0, 0, "", " --oversubscribe --bind-to none"},
    {"(OpenRTE)", ")", "Open MPI", 0, 0, "", " --oversubscribe --bind-to none"},
    {"Intel(R) MPI Library", "Version", "Intel MPI", 1, 0, "", ""},
    {"HYDRA build details", "Version:", "MPICH", 1, 0, "", ""},
};
enum { KNOWN = sizeof known / sizeof known[0] };

/* ---- what it is ---- */

static bool is_launcher(const char *command)
{
    char path[4096];
    size_t length = strcspn(command, " \t\n"), name = length;
    while (name > 0 && command[name - 1] != '/')
        name--;
    return (strncmp(command + name, "mpirun", 6) == 0 ||
            strncmp(command + name, "mpiexec", 7) == 0) &&
           accordi_find_program(command, path, sizeof path);
}

/* What belongs to a launcher is found first: Intel's starts another program by its name. */
static void put_path(accordi_buffer *line, const accordi_mpi_launcher *l)
{
    accordi_buffer_puts(line, "PATH=");
    accordi_put_shell_word(line, l->folder);
    accordi_buffer_puts(line, "\"${PATH:+:$PATH}\"; export PATH; ");
}

/* The first of what `PROGRAM --version` says. */
static enum accord_status hear_version(const accordi_mpi_launcher *l, char *text, size_t size,
                                       accord_error *error)
{
    enum { PATIENCE = 20 };
    char fate[160] = "did not end within 20 s";
    accordi_buffer line = {0};
    accordi_child child = {0};
    put_path(&line, l);
    accordi_buffer_printf(&line, "exec %.*s --version", (int)strcspn(l->command, " \t\n"),
                          l->command);
    int said = memfd_create("accord", MFD_CLOEXEC);
    const accordi_child_files files = {.in = -1, .out = said};
    enum accord_status status =
        line.failed ? accordi_nomem(error)
        : said < 0
            ? accordi_fail(error, ACCORD_IO, "no memory file: %s", strerror(errno))
            : accordi_child_start(&child,
                                  (char *[]){(char[]){"/bin/sh"}, (char[]){"-c"}, line.data, NULL},
                                  &files, error);
    if (!status) {
        bool ended = accordi_child_wait(&child, PATIENCE);
        if (ended)
            accordi_child_fate(&child, fate, sizeof fate);
        if (!ended || child.signal || child.code)
            status = accordi_fail(error, ACCORD_TARGET,
                                  "'%.200s --version' %s; see whether that MPI works, and give "
                                  "another launcher= in the notation",
                                  l->command, fate);
        accordi_child_kill(&child);
    }
    ssize_t length = status ? 0 : pread(said, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    if (said >= 0)
        close(said);
    accordi_buffer_clear(&line);
    return status;
}

static bool understand(const char *said, accordi_mpi_launcher *out)
{
    for (size_t i = 0; i < KNOWN; i++) {
        const char *at = strstr(said, known[i].says);
        at = at ? strstr(at, known[i].then) : NULL;
        if (!at)
            continue;
        at += strlen(known[i].then);
        at += strspn(at, " \t");
        if (!isdigit((unsigned char)*at) || strtoul(at, NULL, 10) < known[i].from)
            continue;
        out->family = &accordi_mpi_families[known[i].family];
        out->flags[0] = known[i].needed;
        out->flags[1] = known[i].crowded;
        snprintf(out->version, sizeof out->version, "%s %.*s", known[i].title,
                 (int)strspn(at, "0123456789."), at);
        return true;
    }
    return false;
}

enum accord_status accordi_mpi_launcher_ask(const char *command, accordi_mpi_launcher *out,
                                            accord_error *error)
{
    char said[4096];
    *out = (accordi_mpi_launcher){.command = command, .flags = {"", ""}};
    if (!is_launcher(command))
        return ACCORD_OK;
    accordi_find_program(command, out->folder, sizeof out->folder);
    *strrchr(out->folder, '/') = '\0';
    enum accord_status status = hear_version(out, said, sizeof said, error);
    if (status)
        return status;
    if (understand(said, out))
        return ACCORD_OK;
    said[strcspn(said, "\n")] = '\0';
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "'%.200s --version' says '%.80s', which is not how Open MPI, MPICH or "
                        "Intel MPI answers; to run it nevertheless, give launcher= a script of "
                        "another name that starts it with its arguments",
                        command, said);
}

/* ---- its library ---- */

static bool is_file(const char *folder, const char *name, char *path, size_t size)
{
    glob_t found;
    char pattern[4200];
    snprintf(pattern, sizeof pattern, "%s/%s", folder, name);
    bool good = glob(pattern, 0, NULL, &found) == 0;
    good = good && (size_t)snprintf(path, size, "%s", found.gl_pathv[0]) < size;
    globfree(&found);
    return good;
}

/* In lib or lib64 of the prefix that has the launcher in its bin, also under a machine's name. */
static bool find_library(accordi_mpi_launcher *l)
{
    static const char *const folders[] = {"lib", "lib64", "lib/*-linux-gnu*"};
    char name[64], prefix[4096];
    snprintf(prefix, sizeof prefix, "%.*s", (int)(strrchr(l->folder, '/') - l->folder), l->folder);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(name, sizeof name, "%s/%s", folders[i], l->family->library);
        if (is_file(prefix, name, l->library, sizeof l->library))
            return true;
    }
    return false;
}

/* The dynamic linker finds the library of a system's launcher by itself. */
static bool is_system(const char *folder)
{
    return strcmp(folder, "/usr/bin") == 0 || strcmp(folder, "/bin") == 0;
}

enum accord_status accordi_mpi_launcher_open(const char *command, accordi_mpi_launcher *out,
                                             accord_error *error)
{
    enum accord_status status = accordi_mpi_launcher_ask(command, out, error);
    if (status || !out->family || is_system(out->folder))
        return status;
    if (!find_library(out))
        return accordi_fail(
            error, ACCORD_UNSUPPORTED,
            "%s was found in %.200s, but no %s in lib or lib64 beside that folder; "
            "where it is elsewhere, give launcher=env LD_LIBRARY_PATH=FOLDER %.200s "
            "with the flags that it needs",
            out->version, out->folder, out->family->library, command);
    if (strpbrk(out->library, " :;"))
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%.300s cannot be preloaded, since its path has a space, a colon or a "
                            "semicolon; reach it by a link without one",
                            out->library);
    status = accordi_mpi_links_make(out, error);
    if (status)
        accordi_mpi_launcher_clear(out);
    return status;
}

void accordi_mpi_launcher_clear(accordi_mpi_launcher *l)
{
    accordi_mpi_links_remove(l);
}

/* ---- how it is started ---- */

/* Only the ranks load the library: launchers may be scripts, or have another. */
static void put_library(accordi_buffer *line, const accordi_mpi_launcher *l)
{
    accordi_buffer_puts(line, "env LD_PRELOAD=");
    accordi_put_shell_word(line, l->library);
    accordi_buffer_puts(line, "\"${LD_PRELOAD:+:$LD_PRELOAD}\" LD_LIBRARY_PATH=");
    accordi_put_shell_word(line, l->links);
    accordi_buffer_puts(line, "\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\" ");
}

void accordi_mpi_launcher_put(accordi_buffer *line, const accordi_mpi_launcher *l, size_t ranks)
{
    bool bare = !l->command[strcspn(l->command, " \t\n")];
    if (l->family)
        put_path(line, l);
    if (geteuid() == 0)
        accordi_buffer_puts(line,
                            "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                            "PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1; ");
    accordi_buffer_printf(line, "exec %s%s%s -n %zu ", l->command,
                          strstr(l->command, "stream-buffering") ? "" : l->flags[0],
                          bare ? l->flags[1] : "", ranks);
    if (l->library[0])
        put_library(line, l);
}
