/* A folder of links that lead from each name of a library to the same file.
 *
 * The process that makes the folder holds a lock on it as long as it needs it; the lock ends with
 * the process, however that ends. So a process that makes such a folder first removes those that
 * are not locked: those of processes that were killed. */
#include "targets/program/mpi_launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the worker may call the library of either family. */
static const char *const names[] = {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12"};
enum { NAMES = sizeof names / sizeof names[0] };

/* -1: it is not there, no folder of this user, or somebody else holds it. */
static int lock_folder(const char *path)
{
    struct stat st;
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (lock >= 0 &&
        (fstat(lock, &st) != 0 || st.st_uid != geteuid() || flock(lock, LOCK_EX | LOCK_NB) != 0)) {
        close(lock);
        lock = -1;
    }
    return lock;
}

/* Nothing but the links goes: a folder with anything else stays. */
static void remove_folder(const char *path, int lock)
{
    for (size_t i = 0; i < NAMES; i++)
        unlinkat(lock, names[i], 0);
    rmdir(path);
    close(lock);
}

static void remove_old(const char *temporary)
{
    char pattern[4200];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/accord-mpi-??????", temporary);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        int lock = lock_folder(found.gl_pathv[i]);
        if (lock >= 0)
            remove_folder(found.gl_pathv[i], lock);
    }
    globfree(&found);
}

/* Another process may take a new folder for an old one, as long as it is not locked. */
static bool make_folder(accordi_mpi_launcher *l, const char *temporary)
{
    enum { TRIES = 20 };
    for (int i = 0; i < TRIES; i++) {
        errno = ENAMETOOLONG;
        if ((size_t)snprintf(l->links, sizeof l->links, "%s/accord-mpi-XXXXXX", temporary) >=
                sizeof l->links ||
            !mkdtemp(l->links))
            break;
        l->lock = lock_folder(l->links);
        if (l->lock >= 0 && access(l->links, X_OK) == 0)
            return true;
        if (l->lock >= 0)
            close(l->lock);
        rmdir(l->links);
        errno = EBUSY;
    }
    l->links[0] = '\0';
    return false;
}

enum accord_status accordi_mpi_links_make(accordi_mpi_launcher *l, accord_error *error)
{
    const char *temporary = getenv("TMPDIR");
    temporary = temporary && *temporary ? temporary : "/tmp";
    remove_old(temporary);
    if (!make_folder(l, temporary))
        return accordi_fail(error, ACCORD_IO,
                            "no folder could be made for links to %.300s: %s; set TMPDIR to "
                            "a folder that can be written",
                            l->library, strerror(errno));
    for (size_t i = 0; i < NAMES; i++)
        if (symlinkat(l->library, l->lock, names[i]) != 0)
            return accordi_fail(error, ACCORD_IO, "%s/%s cannot be made: %s", l->links, names[i],
                                strerror(errno));
    return ACCORD_OK;
}

void accordi_mpi_links_remove(accordi_mpi_launcher *l)
{
    if (l->links[0])
        remove_folder(l->links, l->lock);
    l->links[0] = '\0';
}
