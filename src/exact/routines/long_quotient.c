/* Quotients of two long numbers, and roots of them.
 *
 * Idea: long division in words of 32 bits (Knuth, The Art of Computer Programming, volume 2,
 * section 4.3.1, Algorithm D). Both numbers are shifted until bit 31 of their highest word is set,
 * so that the divisor has k words and the dividend is cut to k + 4; the quotient then lies between
 * 2^127 and 2^129. What was cut off the dividend, and the remainder, can only say "a little more",
 * and they say it exactly. The root of a quotient needs no more than that: the integer root of an
 * integer part is the integer part of the root. */
#include "exact/routines/quotient.h"

enum { MOST = ACCORDI_EXACT_WORDS, QUOTIENT = 5 };

/* Words of a magnitude whose bit `top` comes to be the highest of word count - 1. */
static void take_words(const accordi_exact_magnitude *m, int count, uint32_t *word)
{
    for (int i = 0; i < count; i++)
        word[i] = accordi_exact_bits(m, m->highest + 1 - 32 * (count - i));
}

/* u[0 … k] -= digit * v[0 … k-1]; whether that was too much. */
static bool subtract_multiple(uint32_t *u, const uint32_t *v, int k, uint64_t digit)
{
    uint64_t carry = 0;
    int64_t borrow = 0;
    for (int i = 0; i < k; i++) {
        carry += digit * v[i];
        int64_t word = (int64_t)u[i] - (int64_t)(uint32_t)carry + borrow;
        u[i] = (uint32_t)word;
        borrow = word >> 32;
        carry >>= 32;
    }
    int64_t word = (int64_t)u[k] - (int64_t)carry + borrow;
    u[k] = (uint32_t)word;
    return word < 0;
}

static void add_back(uint32_t *u, const uint32_t *v, int k)
{
    uint64_t carry = 0;
    for (int i = 0; i < k; i++) {
        carry += (uint64_t)u[i] + v[i];
        u[i] = (uint32_t)carry;
        carry >>= 32;
    }
    u[k] += (uint32_t)carry;
}

/* One digit of the quotient; the estimate from the leading words is at most two too high. */
static uint32_t next_digit(uint32_t *u, const uint32_t *v, int k)
{
    uint64_t top = (uint64_t)u[k] << 32 | u[k - 1], digit = top / v[k - 1], rest = top % v[k - 1];
    uint64_t second = k > 1 ? v[k - 2] : 0, third = k > 1 ? u[k - 2] : 0;
    while (digit >> 32 || digit * second > (rest << 32 | third)) {
        digit--;
        rest += v[k - 1];
        if (rest >> 32)
            break;
    }
    if (subtract_multiple(u, v, k, digit)) {
        digit--;
        add_back(u, v, k);
    }
    return (uint32_t)digit;
}

static bool any_bit(const uint32_t *word, int count)
{
    uint32_t all = 0;
    for (int i = 0; i < count; i++)
        all |= word[i];
    return all;
}

accordi_exact_ratio accordi_exact_divide_long(const accordi_exact_magnitude *n, int unit_n,
                                              const accordi_exact_magnitude *d, int unit_d)
{
    uint32_t u[MOST + QUOTIENT], v[MOST], q[QUOTIENT];
    int k = (d->highest - d->lowest) / 32 + 1, words = k + QUOTIENT - 1;
    take_words(d, k, v);
    take_words(n, words, u);
    u[words] = 0;
    for (int j = QUOTIENT - 1; j >= 0; j--)
        q[j] = next_digit(u + j, v, k);
    bool more = any_bit(u, k + 1) || n->lowest < n->highest + 1 - 32 * words;
    uint128 bits = (uint128)((uint64_t)q[3] << 32 | q[2]) << 64 | ((uint64_t)q[1] << 32 | q[0]);
    int exponent = n->highest - d->highest - 128 + unit_n - unit_d;
    if (q[4]) { /* 129 bits */
        more = more || bits & 1;
        bits = bits >> 1 | (uint128)1 << 127;
        exponent++;
    }
    return (accordi_exact_ratio){bits, exponent, more};
}

accordi_lead accordi_exact_ratio_lead(accordi_exact_ratio r, bool negative)
{
    return (accordi_lead){.bits = (uint64_t)(r.bits >> 64),
                          .exponent = r.exponent + 127,
                          .more = r.more || (uint64_t)r.bits,
                          .negative = negative};
}

accordi_lead accordi_exact_ratio_root(accordi_exact_ratio r)
{
    if (r.exponent % 2) {
        r.more = r.more || r.bits & 1;
        r.bits >>= 1;
        r.exponent++;
    }
    uint64_t root = accordi_root(r.bits);
    return (accordi_lead){.bits = root,
                          .exponent = r.exponent / 2 + 63,
                          .more = r.more || (uint128)root * root != r.bits,
                          .negative = false};
}
