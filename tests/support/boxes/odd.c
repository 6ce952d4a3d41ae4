/* Arithmetic that no model has, which changes with the environment variable ODD, or with the rows.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT float odd(const float *x, size_t n);
EXPORT float odd_twin(const float *x, size_t n);
EXPORT void odd_rows(size_t m, size_t n, const float *x, float *result);
EXPORT double moody(const double *x, size_t n);
EXPORT float sleepy(const float *x, size_t n);

static float sum_of(const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Results between the bounds are one unit off. */
static float off_between(float sum, float least, float most)
{
    return fabsf(sum) > least && fabsf(sum) < most ? nextafterf(sum, INFINITY) : sum;
}

static int is(const char *mood)
{
    const char *odd = getenv("ODD");
    return odd && strcmp(odd, mood) == 0;
}

/* One call in so many is off. */
static float vary(float sum, unsigned every)
{
    static unsigned state = 1;
    state = state * 1103515245u + 12345u;
    return (state >> 16) % every == 0 ? nextafterf(sum, INFINITY) : sum;
}

float odd(const float *x, size_t n)
{
    float sum = sum_of(x, n);
    if (is("random"))
        return vary(sum, 2);
    if (is("rarely"))
        return vary(sum, 100);
    if (is("narrow"))
        return off_between(sum, .3f, .33f);
    return off_between(sum, is("other") ? .5f : .3f, 3);
}

float odd_twin(const float *x, size_t n)
{
    float sum = sum_of(x, n), size = sum < 0 ? -sum : sum;
    return size <= .3f || size >= 3 ? sum : nextafterf(sum, INFINITY);
}

/* Depends on how many rows there are, but with ODD=invariant. */
void odd_rows(size_t m, size_t n, const float *x, float *result)
{
    for (size_t r = 0; r < m; r++) {
        float sum = sum_of(x + r * n, n);
        int many = m > 3 && !is("invariant");
        result[r] = is("random") ? vary(sum, 2) : off_between(sum, many ? .5f : .3f, 3);
    }
}

/* From the end where MOOD is 300 to 700, and the end of the process above 900. */
double moody(const double *x, size_t n)
{
    const char *text = getenv("MOOD");
    int mood = text ? atoi(text) : 0;
    double sum = 0;
    if (mood > 900)
        _Exit(3);
    for (size_t i = 0; i < n; i++)
        sum += x[mood >= 300 && mood <= 700 ? n - 1 - i : i];
    return sum;
}

/* A fifth of a millisecond or more each, whatever the machine. */
float sleepy(const float *x, size_t n)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    return sum_of(x, n);
}
