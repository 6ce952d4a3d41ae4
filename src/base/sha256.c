/* SHA-256 as in FIPS 180-4. `length` counts bytes; length mod 64 of them wait in `block`. */
#include "base/base.h"

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static const uint32_t initial_state[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t rotate(uint32_t x, int by)
{
    return (x >> by) | (x << (32 - by));
}

static inline void take_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e,
                              uint32_t f, uint32_t g, uint32_t *h, uint32_t added)
{
    *h += (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + added;
    *d += *h;
    *h += (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

/* The variables stay where they are, and their names a to h move on. */
static inline void take_eight_rounds(uint32_t s[8], const uint32_t k[8], const uint32_t w[8])
{
    take_round(s[0], s[1], s[2], &s[3], s[4], s[5], s[6], &s[7], k[0] + w[0]);
    take_round(s[7], s[0], s[1], &s[2], s[3], s[4], s[5], &s[6], k[1] + w[1]);
    take_round(s[6], s[7], s[0], &s[1], s[2], s[3], s[4], &s[5], k[2] + w[2]);
    take_round(s[5], s[6], s[7], &s[0], s[1], s[2], s[3], &s[4], k[3] + w[3]);
    take_round(s[4], s[5], s[6], &s[7], s[0], s[1], s[2], &s[3], k[4] + w[4]);
    take_round(s[3], s[4], s[5], &s[6], s[7], s[0], s[1], &s[2], k[5] + w[5]);
    take_round(s[2], s[3], s[4], &s[5], s[6], s[7], s[0], &s[1], k[6] + w[6]);
    take_round(s[1], s[2], s[3], &s[4], s[5], s[6], s[7], &s[0], k[7] + w[7]);
}

static void compress(uint32_t h[8], const unsigned char *block)
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t x = w[t - 15], y = w[t - 2];
        w[t] = w[t - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ (x >> 3)) + w[t - 7] +
               (rotate(y, 17) ^ rotate(y, 19) ^ (y >> 10));
    }
    uint32_t s[8];
    memcpy(s, h, sizeof s);
    for (int t = 0; t < 64; t += 8)
        take_eight_rounds(s, round_constants + t, w + t);
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

void accordi_sha256_init(accordi_sha256 *sha)
{
    memcpy(sha->h, initial_state, sizeof sha->h);
    sha->length = 0;
}

void accordi_sha256_add(accordi_sha256 *sha, const void *data, size_t length)
{
    const unsigned char *from = data;
    size_t held = (size_t)(sha->length % 64);
    sha->length += length;
    while (length) {
        if (held == 0 && length >= 64) {
            compress(sha->h, from);
            from += 64;
            length -= 64;
            continue;
        }
        size_t take = 64 - held < length ? 64 - held : length;
        memcpy(sha->block + held, from, take);
        from += take;
        length -= take;
        held += take;
        if (held == 64) {
            compress(sha->h, sha->block);
            held = 0;
        }
    }
}

bool accordi_sha256_write(void *sha, const char *text, size_t length)
{
    accordi_sha256_add(sha, text, length);
    return true;
}

void accordi_sha256_hex(accordi_sha256 *sha, char hex[65])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    uint64_t length = sha->length * 8;
    for (int i = 0; i < 8; i++)
        bits[i] = (unsigned char)(length >> (56 - 8 * i));
    accordi_sha256_add(sha, padding, 1 + (size_t)((119 - sha->length % 64) % 64));
    accordi_sha256_add(sha, bits, sizeof bits);
    for (int i = 0; i < 64; i++)
        hex[i] = "0123456789abcdef"[sha->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = '\0';
}
