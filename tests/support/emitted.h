/* For tests of emitted C: a folder, compilers, and the functions of a text as a shared object. */
#ifndef EMITTED_H
#define EMITTED_H

#include "base/base.h"
#include <dlfcn.h>
#include <unistd.h>

static char emitted_folder[] = "/tmp/accord-emit-XXXXXX";

static inline bool emitted_text(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

static const char *const emitted_compilers[] = {
    "gcc -O2 -Wall -Wextra -Werror",    "gcc -O2 -mfma -std=gnu11",
    "gcc -O3 -march=native -std=gnu11", "clang -O2 -Wall -Wextra -Werror",
    "clang -O2 -mfma -std=gnu11",       "clang -O3 -march=native",
};
enum { EMITTED_COMPILERS = sizeof emitted_compilers / sizeof *emitted_compilers };

static inline bool emitted_compiler_is_there(const char *compiler)
{
    char command[256];
    snprintf(command, sizeof command, "%.*s --version >%s/version 2>&1",
             (int)strcspn(compiler, " "), compiler, emitted_folder);
    return system(command) == 0;
}

/* The functions of the text, compiled; NULL where there is no such compiler. */
static inline void *emitted_compile(const accordi_buffer *text, size_t compiler)
{
    static int number; /* the loader knows files by their names */
    char path[128], command[1024];
    number++;
    if (!emitted_compiler_is_there(emitted_compilers[compiler])) {
        print_message("# there is no %s: skipped\n", emitted_compilers[compiler]);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/emitted.c", emitted_folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
    fclose(file);
    snprintf(command, sizeof command, "%s -shared -fPIC -o %s/emitted%d.so %s -lm >%s/said 2>&1",
             emitted_compilers[compiler], emitted_folder, number, path, emitted_folder);
    if (system(command) != 0) {
        snprintf(command, sizeof command, "grep -A 4 -E 'error|warning' %s/said | head -n 30 >&2",
                 emitted_folder);
        fail_msg("%s failed (%d)", emitted_compilers[compiler], system(command));
    }
    snprintf(path, sizeof path, "%s/emitted%d.so", emitted_folder, number);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    unlink(path);
    return handle;
}

static inline int emitted_make_folder(void **state)
{
    (void)state;
    return mkdtemp(emitted_folder) ? 0 : -1;
}

static inline int emitted_remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", emitted_folder);
    return system(command) == 0 ? 0 : -1;
}

#endif
