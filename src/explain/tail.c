/* The tail of a distribution that is known by samples alone.
 *
 * Where at least ENOUGH samples lie above the quantile, it is read from them. Else the tail is
 * continued from the k-th largest sample u on. It is taken to be exponential in T(x), where T is
 * the identity, the root or the logarithm: a value exceeds u with probability k / N, and w > u with
 * probability k / N exp(-(T(w) - T(u)) / m), where m is the mean of T(x) - T(u) over the k largest.
 * The first T is taken for which these excesses spread no more than those of an exponential
 * distribution, whose deviation is its mean; k samples show that to about 2 / sqrt(k) in the square
 * of the ratio. They show m to 1 / sqrt(k); two such standard errors are added. If the excesses
 * spread less, the tail falls faster and w is too large: so it is with normal errors. Errors whose
 * size follows that of partial sums are products of normal numbers, for example, and fall
 * exponentially. */
#include "explain/tolerance.h"
#include <math.h>

enum { ENOUGH = 30, LEAST = 32, SHARE = 64 };

bool accordi_tail_extrapolates(uint64_t samples, double p)
{
    return (double)samples * p < ENOUGH;
}

size_t accordi_tail_size(uint64_t samples, double p)
{
    uint64_t size = samples / SHARE < LEAST ? LEAST : samples / SHARE;
    if (!accordi_tail_extrapolates(samples, p))
        size = (uint64_t)ceil((double)samples * p);
    return (size_t)(size < samples ? size : samples);
}

enum accord_status accordi_tail_new(size_t most, accordi_tail *out, accord_error *error)
{
    *out = (accordi_tail){.largest = accordi_alloc(most, sizeof(double)), .most = most};
    return out->largest ? ACCORD_OK : accordi_nomem(error);
}

void accordi_tail_clear(accordi_tail *tail)
{
    free(tail->largest);
    *tail = (accordi_tail){0};
}

static void swap(double *a, double *b)
{
    double held = *a;
    *a = *b;
    *b = held;
}

static void sink(accordi_tail *tail)
{
    double *heap = tail->largest;
    for (size_t at = 0, child; (child = 2 * at + 1) < tail->held; at = child) {
        if (child + 1 < tail->held && heap[child + 1] < heap[child])
            child++;
        if (heap[at] <= heap[child])
            return;
        swap(&heap[at], &heap[child]);
    }
}

void accordi_tail_add(accordi_tail *tail, double sample)
{
    double *heap = tail->largest;
    if (tail->held == tail->most) {
        if (sample <= heap[0])
            return;
        heap[0] = sample;
        sink(tail);
        return;
    }
    heap[tail->held] = sample;
    for (size_t at = tail->held++; at > 0 && heap[at] < heap[(at - 1) / 2]; at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

static double identity(double x)
{
    return x;
}

static double square(double x)
{
    return x * x;
}

static const struct {
    enum accord_tail tail;
    double (*transform)(double), (*back)(double);
} tails[] = {{ACCORD_TAIL_EXPONENTIAL, identity, identity},
             {ACCORD_TAIL_STRETCHED, sqrt, square},
             {ACCORD_TAIL_POWER, log, exp}};

accordi_quantile accordi_tail_quantile(const accordi_tail *tail, uint64_t samples, double p)
{
    double least = tail->largest[0], count = (double)tail->held;
    if (!accordi_tail_extrapolates(samples, p))
        return (accordi_quantile){least, ACCORD_TAIL_SAMPLES};
    for (size_t t = 0; t < sizeof tails / sizeof tails[0]; t++) {
        double from = tails[t].transform(least), sum = 0, squares = 0;
        for (size_t i = 0; i < tail->held; i++) {
            double excess = tails[t].transform(tail->largest[i]) - from;
            sum += excess;
            squares += excess * excess;
        }
        double mean = sum / count, spread = squares / count - mean * mean;
        if (spread <= (1 + 6 / sqrt(count)) * mean * mean)
            return (accordi_quantile){tails[t].back(from + mean * (1 + 2 / sqrt(count)) *
                                                               log(count / ((double)samples * p))),
                                      tails[t].tail};
    }
    return (accordi_quantile){INFINITY, ACCORD_TAIL_POWER};
}
