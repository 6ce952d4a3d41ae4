/* Functions of libc that move numbers, or end the program, in place of libc's own: the instrumenter
 * renames the program's calls. Each does what libc's does, and takes shadows along. */
#include "bound/runtime/records.h"
#include <fenv.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#define LIBC(name) accordi_libc_##name
/* Called from instrumented code alone. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void *LIBC(memcpy)(void *to, const void *from, size_t n)
{
    accordi_move(to, from, n);
    return memcpy(to, from, n);
}

void *LIBC(memmove)(void *to, const void *from, size_t n)
{
    accordi_move(to, from, n);
    return memmove(to, from, n);
}

void *LIBC(mempcpy)(void *to, const void *from, size_t n)
{
    return (char *)LIBC(memcpy)(to, from, n) + n;
}

void LIBC(bcopy)(const void *from, void *to, size_t n)
{
    LIBC(memmove)(to, from, n);
}

void *LIBC(memset)(void *to, int byte, size_t n)
{
    accordi_clear(to, n);
    return memset(to, byte, n);
}

void LIBC(bzero)(void *to, size_t n)
{
    LIBC(memset)(to, 0, n);
}

/* Larger blocks have no marks, which take four times their size: few programs use all of them. */
enum { LARGEST_MARKED = 1 << 28 };

/* From `first` on, a block of malloc is not set. */
static void *not_set(void *p, size_t first)
{
    size_t bytes = p ? malloc_usable_size(p) : 0;
    if (bytes > first && bytes <= LARGEST_MARKED)
        accordi_unset((char *)p + first, bytes - first);
    else if (bytes > first)
        accordi_set((char *)p + first, bytes - first);
    return p;
}

void *LIBC(malloc)(size_t n)
{
    return not_set(malloc(n), 0);
}

void *LIBC(aligned_alloc)(size_t alignment, size_t n)
{
    return not_set(aligned_alloc(alignment, n), 0);
}

void *LIBC(memalign)(size_t alignment, size_t n)
{
    return not_set(memalign(alignment, n), 0);
}

void *LIBC(valloc)(size_t n)
{
    return not_set(valloc(n), 0);
}

int LIBC(posix_memalign)(void **p, size_t alignment, size_t n)
{
    int status = posix_memalign(p, alignment, n);
    if (status == 0)
        not_set(*p, 0);
    return status;
}

void *LIBC(calloc)(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (p)
        accordi_clear(p, n * size);
    return not_set(p, n * size);
}

void *LIBC(realloc)(void *p, size_t n)
{
    size_t before = p ? malloc_usable_size(p) : 0;
    volatile uintptr_t old = (uintptr_t)p; /* only its shadow is read */
    void *q = realloc(p, n);
    if (q && (uintptr_t)q != old && before)
        accordi_move(q, (void *)old, before < n ? before : n);
    return q && before < n ? not_set(q, before) : q;
}

void *LIBC(reallocarray)(void *p, size_t n, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? reallocarray(p, n, size)
                                                   : LIBC(realloc)(p, bytes);
}

/* ---- files ---- */

size_t LIBC(fread)(void *to, size_t size, size_t n, FILE *file)
{
    size_t done = fread(to, size, n, file);
    accordi_set(to, size * done);
    return done;
}

ssize_t LIBC(read)(int file, void *to, size_t n)
{
    ssize_t done = read(file, to, n);
    if (done > 0)
        accordi_set(to, (size_t)done);
    return done;
}

void *LIBC(mmap)(void *at, size_t n, int protection, int flags, int file, off_t offset)
{
    void *p = mmap(at, n, protection, flags, file, offset);
    if (p != MAP_FAILED)
        accordi_set(p, n);
    return p;
}

/* What a variable of the program gives. */
void LIBC(unset)(const void *p, size_t n)
{
    accordi_unset(p, n);
}

/* ---- sorting ---- */

typedef int (*comparison)(const void *, const void *);

/* Merges as glibc does, with the same comparisons in the same order. */
static void merge(char *a, size_t n, size_t size, comparison compare, char *spare)
{
    size_t left = n / 2, right = n - left;
    char *one = a, *two = a + left * size, *to = spare;
    while (left > 0 && right > 0) {
        char **least = compare(one, two) <= 0 ? &one : &two;
        LIBC(memcpy)(to, *least, size);
        *(least == &one ? &left : &right) -= 1;
        *least += size;
        to += size;
    }
    LIBC(memcpy)(to, one, left * size);
    LIBC(memcpy)(a, spare, (n - right) * size);
}

/* The depth is the logarithm of n. */
static void sort(char *a, size_t n, size_t size, comparison compare, char *spare)
{
    if (n <= 1)
        return;
    sort(a, n / 2, size, compare, spare);
    sort(a + n / 2 * size, n - n / 2, size, compare, spare);
    merge(a, n, size, compare, spare);
}

void LIBC(qsort)(void *a, size_t n, size_t size, comparison compare)
{
    char *spare = malloc(n * size + 1);
    if (!spare)
        accordi_give_up("no memory is left to sort with the bounds of this program");
    sort(a, n, size, compare, spare);
    free(spare);
}

/* ---- the end of the program ---- */

_Noreturn void LIBC(_exit)(int status)
{
    accordi_end("_exit");
    _exit(status);
}

_Noreturn void LIBC(_Exit)(int status)
{
    LIBC(_exit)(status);
}

_Noreturn void LIBC(quick_exit)(int status)
{
    accordi_end("quick_exit");
    quick_exit(status);
}

int LIBC(execve)(const char *path, char *const argv[], char *const envp[])
{
    accordi_flush();
    return execve(path, argv, envp);
}

int LIBC(execv)(const char *path, char *const argv[])
{
    accordi_flush();
    return execv(path, argv);
}

int LIBC(execvp)(const char *path, char *const argv[])
{
    accordi_flush();
    return execvp(path, argv);
}

/* ---- threads ---- */

_Noreturn void LIBC(threads)(void)
{
    accordi_give_up("this program starts a thread, and bounds follow programs of one thread only");
}

/* ---- modes of the processor ---- */

static void check_rounding(void)
{
    if (fegetround() != FE_TONEAREST)
        accordi_give_up("this program changes the rounding mode, and bounds are those of rounding "
                        "to nearest");
}

int LIBC(fesetround)(int mode)
{
    int status = fesetround(mode);
    check_rounding();
    return status;
}

int LIBC(fesetenv)(const fenv_t *environment)
{
    int status = fesetenv(environment);
    check_rounding();
    return status;
}

int LIBC(feupdateenv)(const fenv_t *environment)
{
    int status = feupdateenv(environment);
    check_rounding();
    return status;
}

void LIBC(ldmxcsr)(const void *word)
{
    enum { DAZ = 1 << 6, ROUNDING = 3 << 13, FTZ = 1 << 15 };
    uint32_t bits;
    memcpy(&bits, word, sizeof bits);
    if (bits & (DAZ | ROUNDING | FTZ))
        accordi_give_up("this program changes how the processor rounds or flushes subnormal "
                        "numbers, and bounds are those of its default mode");
#ifdef __SSE__
    __builtin_ia32_ldmxcsr(bits);
#endif
}

/* ---- variables that are used before they are set ---- */

double accordi_unset_f64(double held)
{
    return held;
}

float accordi_unset_f32(float held)
{
    return held;
}

long double accordi_unset_long(long double held)
{
    return held;
}
