/* A clock that stands still, for programs that print how long they took or draw seeds from it:
 * linked with a program, its runs write the same numbers. */
#include <sys/time.h>
#include <time.h>

__attribute__((weak)) time_t time(time_t *out)
{
    if (out)
        *out = 1000000000;
    return 1000000000;
}
__attribute__((weak)) clock_t clock(void)
{
    return 1000000;
}
__attribute__((weak)) int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    now->tv_sec = 1000000000;
    now->tv_usec = 0;
    return 0;
}
