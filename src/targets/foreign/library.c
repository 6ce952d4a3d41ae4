/* Finding a library, and what it says about itself. */
#include "targets/foreign/foreign.h"
#include <dlfcn.h>
#include <elf.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <sys/stat.h>

/* Short names for libraries that share a soname or hide in folders; tried in turn. */
static const struct {
    const char *name, *file;
} shorthands[] = {
    {"openblas", "openblas-pthread/libopenblas.so.0"},
    {"openblas", "openblas-serial/libopenblas.so.0"},
    {"openblas", "openblas-openmp/libopenblas.so.0"},
    {"openblas", "libopenblas.so.0"},
    {"openblas", "libopenblas.so"},
    {"openblas-pthread", "openblas-pthread/libopenblas.so.0"},
    {"openblas-serial", "openblas-serial/libopenblas.so.0"},
    {"openblas-openmp", "openblas-openmp/libopenblas.so.0"},
    {"blis", "blis-pthread/libblis.so.4"},
    {"blis", "blis-serial/libblis.so.4"},
    {"blis", "blis-openmp/libblis.so.4"},
    {"blis", "libblis.so.4"},
    {"blis", "libblis.so"},
    {"blis-pthread", "blis-pthread/libblis.so.4"},
    {"blis-serial", "blis-serial/libblis.so.4"},
    {"blis-openmp", "blis-openmp/libblis.so.4"},
    {"atlas", "atlas/libblas.so.3"},
    {"atlas", "libsatlas.so.3"},
    {"reference", "blas/libblas.so.3"},
    {"gsl", "libgslcblas.so.0"},
    {"mkl", "libmkl_rt.so.3"},
    {"mkl", "libmkl_rt.so.2"},
    {"mkl", "libmkl_rt.so"},
};
static const char *const folders[] = {"/usr/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib",
                                      "/usr/local/lib", "/opt/intel/oneapi/mkl/latest/lib"};

enum { FOLDERS = sizeof folders / sizeof *folders };

const char *accord_library_folder_at(size_t i)
{
    return i < FOLDERS ? folders[i] : NULL;
}

/* Folders of other architectures may match too: what does not load is passed over. */
static void *open_in_folders(const char *file, int flags)
{
    void *handle = NULL;
    for (size_t i = 0; !handle && i < FOLDERS; i++) {
        char pattern[256];
        glob_t hits = {0};
        snprintf(pattern, sizeof pattern, "%s/%s", folders[i], file);
        if (glob(pattern, 0, NULL, &hits) == 0)
            for (size_t k = 0; !handle && k < hits.gl_pathc; k++)
                handle = dlopen(hits.gl_pathv[k], flags);
        globfree(&hits);
    }
    return handle;
}

static void *open_shorthand(const char *name, int flags, bool *known)
{
    void *handle = NULL;
    for (size_t i = 0; !handle && i < sizeof shorthands / sizeof shorthands[0]; i++) {
        if (strcmp(name, shorthands[i].name) != 0)
            continue;
        *known = true;
        handle = open_in_folders(shorthands[i].file, flags);
        if (!handle && !strchr(shorthands[i].file, '/'))
            handle = dlopen(shorthands[i].file, flags);
    }
    return handle;
}

/* The short names, and then the names of the files. */
static const char *known_name(const void *list, size_t i)
{
    size_t count = sizeof shorthands / sizeof shorthands[0];
    (void)list;
    if (i >= 2 * count)
        return NULL;
    const char *file = shorthands[i % count].file, *slash = strrchr(file, '/');
    return i < count ? shorthands[i].name : slash ? slash + 1 : file;
}

static void cannot_load(const char *name, const char *why, accord_error *error)
{
    const char *near = strchr(name, '/') ? NULL : accordi_nearest(name, known_name, NULL);
    accordi_fail(error, ACCORD_TARGET, "the library cannot be loaded: %.300s; %s%s%s",
                 why ? why : name, near ? "did you mean " : "give its path", near ? near : "",
                 near ? "?" : "");
}

void *accordi_library_open(const char *name, bool keep, accord_error *error)
{
    int flags = RTLD_NOW | RTLD_LOCAL | (keep ? RTLD_NODELETE : 0);
    char path[4200];
    struct stat file;
    bool here = stat(name, &file) == 0, known = false;
    if (here && S_ISDIR(file.st_mode)) {
        accordi_fail(error, ACCORD_TARGET, "%.200s is a directory: name the shared object in it",
                     name);
        return NULL;
    }
    /* The loader looks for a name without a slash in the system's folders only. */
    snprintf(path, sizeof path, "%s%s", here && !strchr(name, '/') ? "./" : "", name);
    accordi_foreign_enter();
    void *handle = here ? NULL : open_shorthand(name, flags, &known);
    if (!handle && !known)
        handle = dlopen(path, flags);
    accordi_foreign_leave();
    const char *why = handle || known ? NULL : dlerror();
    if (!handle && known)
        accordi_fail(error, ACCORD_TARGET,
                     "no %s library was found in the usual places: install it, or give its path "
                     "after @",
                     name);
    else if (!handle)
        cannot_load(name, why, error);
    return handle;
}

/* ---- facts ---- */

typedef struct search {
    const void *address;
    char *hex; /* 2 digits for each byte of the build id */
    size_t size;
    char name[PATH_MAX]; /* of the object; "" is the program */
} search;

static void read_notes(const char *notes, size_t length, search *s)
{
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= length;) {
        ElfW(Nhdr) head;
        memcpy(&head, notes + at, sizeof head);
        size_t name = at + sizeof head, text = name + ((head.n_namesz + 3u) & ~3u);
        if (text + head.n_descsz > length)
            return;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0)
            for (size_t i = 0; i < head.n_descsz && 2 * i + 2 < s->size; i++)
                snprintf(s->hex + 2 * i, 3, "%02x", (unsigned char)notes[text + i]);
        at = text + ((head.n_descsz + 3u) & ~3u);
    }
}

static int visit(struct dl_phdr_info *object, size_t size, void *context)
{
    search *s = context;
    bool holds = false;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + part->p_vaddr;
        holds |= part->p_type == PT_LOAD && (uintptr_t)s->address - from < part->p_memsz;
    }
    if (holds)
        snprintf(s->name, sizeof s->name, "%s", object->dlpi_name);
    for (int i = 0; holds && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            read_notes((const char *)object->dlpi_addr + part->p_vaddr, part->p_memsz, s);
    }
    return holds;
}

/* Calls "name", of type const char *(void), if the library or what it loads has it. */
static const char *ask_text(void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    const char *(*function)(void);
    memcpy(&function, &address, sizeof address);
    return address ? function() : NULL;
}

static int64_t ask_number(void *handle, const char *name, bool wide)
{
    void *address = dlsym(handle, name);
    int (*narrow_function)(void);
    int64_t (*wide_function)(void);
    memcpy(&narrow_function, &address, sizeof address);
    memcpy(&wide_function, &address, sizeof address);
    return !address ? 0 : wide ? wide_function() : narrow_function();
}

static int64_t count_threads(void *handle)
{
    static const struct {
        const char *name;
        bool wide, one_if_unset;
    } counters[] = {
        {"openblas_get_num_threads", false, false},
        {"scipy_openblas_get_num_threads", false, false},
        {"bli_thread_get_num_threads", true, true},
        {"MKL_Get_Max_Threads", false, false},
    };
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        if (dlsym(handle, counters[i].name)) {
            int64_t count = ask_number(handle, counters[i].name, counters[i].wide);
            return count < 1 && counters[i].one_if_unset ? 1 : count;
        }
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
}

static void append_text(char *text, size_t size, const char *lead, const char *more)
{
    size_t used = strlen(text);
    if (more && *more && used < size)
        snprintf(text + used, size - used, "%s%s%s", used ? "; " : "", lead, more);
}

void accordi_library_facts(void *handle, const void *address, const char *entry,
                           accordi_facts *facts)
{
    static const char *const versions[] = {"openblas_get_config", "scipy_openblas_get_config",
                                           "bli_info_get_version_str"};
    static const char *const cores[] = {"openblas_get_corename", "scipy_openblas_get_corename"};
    char id[2 * 64 + 1] = "", real[PATH_MAX];
    search s = {.address = address, .hex = id, .size = sizeof id};
    memset(facts, 0, sizeof *facts);
    /* dladdr would look at all symbols, too, which takes longer than many sums. */
    const char *object = dl_iterate_phdr(visit, &s) == 0 ? "" : *s.name ? s.name : "/proc/self/exe";
    snprintf(facts->library, sizeof facts->library, "%s", realpath(object, real) ? real : object);
    for (size_t i = 0; i < sizeof versions / sizeof versions[0] && !facts->version[0]; i++)
        append_text(facts->version, sizeof facts->version, "", ask_text(handle, versions[i]));
    for (size_t i = 0; i < sizeof cores / sizeof cores[0] && !facts->build[0]; i++)
        append_text(facts->build, sizeof facts->build, "", ask_text(handle, cores[i]));
    append_text(facts->build, sizeof facts->build, "entry ", entry);
    append_text(facts->build, sizeof facts->build, "build id ", id);
    facts->threads = count_threads(handle);
}
