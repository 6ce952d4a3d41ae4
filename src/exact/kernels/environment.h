/* Sets the floating-point environment that kernels need: rounding to nearest, subnormal numbers
 * kept, no traps. The environment of the caller is restored afterwards, with its exception flags.
 * Without this, the window kernels would give wrong sums under directed rounding, and the scatter
 * kernels under flush-to-zero. Internal. */
#ifndef ACCORDI_EXACT_ENVIRONMENT_H
#define ACCORDI_EXACT_ENVIRONMENT_H

#include <stdint.h>

#if defined __x86_64__
typedef uint32_t accordi_environment;
static inline accordi_environment accordi_environment_enter(void)
{
    uint32_t old, plain = 0x1f80;
    __asm__ volatile("stmxcsr %0" : "=m"(old)::"memory");
    __asm__ volatile("ldmxcsr %0" ::"m"(plain) : "memory");
    return old;
}
static inline void accordi_environment_leave(accordi_environment old)
{
    __asm__ volatile("ldmxcsr %0" ::"m"(old) : "memory");
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
#endif

#endif
