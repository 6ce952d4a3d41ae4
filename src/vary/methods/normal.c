/* Exact samples of the normal distribution, by comparisons of uniform numbers alone.
 *
 * Algorithm N of Karney, Sampling exactly from the normal distribution, ACM TOMS 42, 2016. A sample
 * is k + x: k >= 0 is drawn with a probability proportional to exp(-k^2/2), then x in [0, 1) with a
 * density proportional to exp(-x (2k + x) / 2). Every exp(-p) is the probability of an event
 * (von Neumann, 1951): of a falling run p > u1 > u2 > ... of uniform numbers the first that does
 * not fall has an odd place with probability exp(-p).
 * A uniform number is a sequence of digits of 32 bits that are drawn when they are asked for. So
 * comparisons are exact, and the sample has as many digits as its rounding to double needs: what
 * follows them is not 0, except with probability 0. */
#include "format/format.h"
#include "vary/methods/methods.h"

/* After DIGITS digits (a chance of 2^-256) numbers count as equal. */
enum { DIGITS = 8 };

typedef struct uniform {
    uint32_t digit[DIGITS];
    int drawn;
} uniform;

static uint32_t digit_of(accord_mt19937 *generator, uniform *u, int i)
{
    while (u->drawn <= i)
        u->digit[u->drawn++] = accord_mt19937_next(generator);
    return u->digit[i];
}

static bool is_less(accord_mt19937 *generator, uniform *a, uniform *b)
{
    for (int i = 0; i < DIGITS; i++) {
        uint32_t in_a = digit_of(generator, a, i), in_b = digit_of(generator, b, i);
        if (in_a != in_b)
            return in_a < in_b;
    }
    return false;
}

/* 0 ... bound-1, unbiased: words below 2^32 mod bound are drawn again. */
static uint32_t below(accord_mt19937 *generator, uint32_t bound)
{
    uint32_t word;
    do
        word = accord_mt19937_next(generator);
    while (word < (0 - bound) % bound);
    return word % bound;
}

/* True with probability exp(-1/2): a falling run from 1/2 ends after an even number. */
static bool is_root_of_e(accord_mt19937 *generator)
{
    uniform last = {.digit = {0x80000000u}, .drawn = DIGITS};
    for (bool even = true;; even = !even) {
        uniform next = {.drawn = 0};
        if (!is_less(generator, &next, &last))
            return even;
        last = next;
    }
}

/* True with probability exp(-x (2k + x) / (2k + 2)): each member of a falling run from x must also
 * pass a trial of probability (2k + x) / (2k + 2). */
static bool is_accepted_once(accord_mt19937 *generator, uint32_t k, uniform *x)
{
    uniform run[2], *last = x;
    for (bool even = true;; even = !even) {
        uniform *next = &run[even], trial = {.drawn = 0};
        next->drawn = 0;
        if (!is_less(generator, next, last))
            return even;
        uint32_t of = below(generator, 2 * k + 2);
        if (of > 2 * k || (of == 2 * k && !is_less(generator, &trial, x)))
            return even;
        last = next;
    }
}

static bool is_accepted(accord_mt19937 *generator, uint32_t k, uniform *x)
{
    for (uint32_t i = 0; i <= k; i++)
        if (!is_accepted_once(generator, k, x))
            return false;
    return true;
}

/* The whole part: k with probability exp(-k/2) (1 - exp(-1/2)), kept with exp(-k (k-1) / 2). */
static uint32_t draw_whole(accord_mt19937 *generator)
{
    for (;;) {
        uint32_t k = 0, kept = 0;
        while (is_root_of_e(generator))
            k++;
        while (k > 1 && kept < k * (k - 1) && is_root_of_e(generator))
            kept++;
        if (k < 2 || kept == k * (k - 1))
            return k;
    }
}

/* k + x, rounded to nearest. The last bit of `held` stands for all that follows. */
static double round_sum(accord_mt19937 *generator, uint32_t k, uniform *x)
{
    uint128 held = k;
    int digits = 0;
    while (held >> 55 == 0 && digits < DIGITS)
        held = held << 32 | digit_of(generator, x, digits++);
    int exponent = -32 * digits;
    for (; held >> 63; exponent++)
        held = held >> 1 | (held & 1);
    return (double)(uint64_t)(held | 1) * accordi_power_of_two(exponent);
}

double accordi_exact_normal(accord_mt19937 *generator)
{
    for (;;) {
        uint32_t k = draw_whole(generator);
        uniform x = {.drawn = 0};
        if (!is_accepted(generator, k, &x))
            continue;
        bool negative = accord_mt19937_next(generator) >> 31;
        double z = round_sum(generator, k, &x);
        return negative ? -z : z;
    }
}
