/* Functions of libc that move numbers, or end the program, in place of libc's own: the instrumenter
 * renames the program's calls. Each does what libc's does, and takes shadows along. */
#include "bound/runtime/records.h"
#include <fenv.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

void *LIBC(calloc)(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (p)
        accordi_clear(p, n * size);
    return p;
}

void *LIBC(realloc)(void *p, size_t n)
{
    size_t before = p ? malloc_usable_size(p) : 0;
    volatile uintptr_t old = (uintptr_t)p; /* only its shadow is read */
    void *q = realloc(p, n);
    if (q && (uintptr_t)q != old && before)
        accordi_move(q, (void *)old, before < n ? before : n);
    return q;
}

void *LIBC(reallocarray)(void *p, size_t n, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? reallocarray(p, n, size)
                                                   : LIBC(realloc)(p, bytes);
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

double accordi_unset_f64(void)
{
    return 0;
}

float accordi_unset_f32(void)
{
    return 0;
}
