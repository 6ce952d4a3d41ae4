/* A rand() that gives each number twice, for programs that call it twice in one expression: C
 * leaves the order of the two calls open, and gcc and clang choose different ones. Linked with a
 * program, it makes their builds begin with the same numbers. */
#include <stdint.h>
#include <stdlib.h>

static uint64_t state = 1;
static int again;

__attribute__((weak)) void srand(unsigned seed)
{
    state = seed;
    again = 0;
}
__attribute__((weak)) int rand(void)
{
    if (!again) /* constants of Knuth's MMIX */
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    again = !again;
    return (int)(state >> 33);
}
