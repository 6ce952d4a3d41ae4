/* The Mersenne twister MT19937 of 32 bits (Matsumoto and Nishimura, ACM TOMACS 8, 1998). */
#include <accord/methods.h>

enum { WORDS = 624, SHIFT = 397 };

void accord_mt19937_init(accord_mt19937 *generator, uint32_t seed)
{
    generator->word[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        uint32_t before = generator->word[i - 1];
        generator->word[i] = 1812433253u * (before ^ before >> 30) + i;
    }
    generator->next = WORDS;
}

static void refill(accord_mt19937 *generator)
{
    uint32_t *word = generator->word;
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t after = word[(i + 1) % WORDS];
        uint32_t mixed = (word[i] & 0x80000000u) | (after & 0x7fffffffu);
        word[i] = word[(i + SHIFT) % WORDS] ^ mixed >> 1 ^ ((0 - (after & 1)) & 0x9908b0dfu);
    }
    generator->next = 0;
}

uint32_t accord_mt19937_next(accord_mt19937 *generator)
{
    if (generator->next >= WORDS)
        refill(generator);
    uint32_t y = generator->word[generator->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ y >> 18;
}
