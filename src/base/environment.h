/* Sets the floating-point environment that exact sums need: rounding to nearest, subnormal numbers
 * kept, no traps. The environment of the caller is restored afterwards, with its exception flags.
 * Without this, the window kernels would give wrong sums under directed rounding, and the scatter
 * kernels under flush-to-zero. Foreign code has an environment of its own, which is swapped with
 * that of accord around each call. Internal. */
#ifndef ACCORDI_BASE_ENVIRONMENT_H
#define ACCORDI_BASE_ENVIRONMENT_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

/* Are sums rounded to nearest here, and subnormal numbers kept? */
static inline bool accordi_environment_is_plain(void)
{
    volatile double one = 1, part = DBL_EPSILON / 8, least = DBL_MIN, half;
    half = least / 2;
    return one + part == one && one - part == one && -one - part == -one && half != 0 &&
           half * 2 == least;
}

#if defined __x86_64__
/* The register is written only where that changes it: a write takes as long as some dozen terms. */
enum { ACCORDI_ENVIRONMENT_PLAIN = 0x1f80, ACCORDI_ENVIRONMENT_FLAGS = 0x3f };
typedef uint32_t accordi_environment;
static inline uint32_t accordi_environment_now(void)
{
    uint32_t now;
    __asm__ volatile("stmxcsr %0" : "=m"(now)::"memory");
    return now;
}
static inline void accordi_environment_set(uint32_t to)
{
    __asm__ volatile("ldmxcsr %0" ::"m"(to) : "memory");
}
static inline accordi_environment accordi_environment_enter(void)
{
    uint32_t old = accordi_environment_now();
    if ((old & ~(uint32_t)ACCORDI_ENVIRONMENT_FLAGS) != ACCORDI_ENVIRONMENT_PLAIN)
        accordi_environment_set(ACCORDI_ENVIRONMENT_PLAIN);
    return old;
}
static inline void accordi_environment_leave(accordi_environment old)
{
    if (accordi_environment_now() != old)
        accordi_environment_set(old);
}
/* The environment becomes *other, and *other what it was; exception flags alone are no reason. */
static inline void accordi_environment_swap(accordi_environment *other)
{
    uint32_t now = accordi_environment_now();
    if ((now ^ *other) & ~(uint32_t)ACCORDI_ENVIRONMENT_FLAGS)
        accordi_environment_set(*other);
    *other = now;
}
#elif defined __aarch64__
typedef struct accordi_environment {
    uint64_t control, status;
} accordi_environment;
static inline accordi_environment accordi_environment_enter(void)
{
    accordi_environment old;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr\n\tmsr fpcr, xzr"
                     : "=r"(old.control), "=r"(old.status)::"memory");
    return old;
}
static inline void accordi_environment_leave(accordi_environment old)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(old.control), "r"(old.status) : "memory");
}
static inline void accordi_environment_swap(accordi_environment *other)
{
    accordi_environment now = accordi_environment_enter();
    accordi_environment_leave(*other);
    *other = now;
}
#else
#include <fenv.h>
typedef fenv_t accordi_environment;
static inline accordi_environment accordi_environment_enter(void)
{
    fenv_t old;
    fegetenv(&old);
    fesetenv(FE_DFL_ENV);
    return old;
}
static inline void accordi_environment_leave(accordi_environment old)
{
    fesetenv(&old);
}
static inline void accordi_environment_swap(accordi_environment *other)
{
    accordi_environment now = accordi_environment_enter();
    fesetenv(other);
    *other = now;
}
#endif

#endif
