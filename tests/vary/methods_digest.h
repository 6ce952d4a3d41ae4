/* All that must have the same bits on every machine: drawn numbers, orders of arrival and sums, as
 * one checksum. Used by test_method_inputs and, without cmocka, by tests/cross. */
#ifndef METHODS_DIGEST_H
#define METHODS_DIGEST_H

#include "vary/methods/methods.h"

#define METHODS_DIGEST "c12d50da5815af7c2d304c70536ddba139891ad3e9e67322d39045e6981b5afa"

enum { DIGEST_TERMS = 3000, DIGEST_SAMPLES = 40 };

static void digest_number(accordi_sha256 *sha, double x)
{
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    accordi_sha256_add(sha, bytes, sizeof bytes);
}

/* Every method under both schedules. */
static bool digest_sums(accordi_sha256 *sha, const double *x)
{
    static const accord_schedule schedules[] = {{0, 0}, {16, 3}};
    double result[DIGEST_SAMPLES];
    const accord_method *method;
    for (size_t m = 0; (method = accord_method_at(m)) != NULL; m++)
        for (size_t s = 0; s < 2 && method->last != ACCORD_LAST_LIBRARY; s++) {
            const accord_reduction reduction = {
                .method = method, .n = DIGEST_TERMS, .block = 16, .grid = 70};
            const accord_sampling sampling = {
                .samples = DIGEST_SAMPLES, .seed = 7, .schedule = schedules[s], .threads = 2};
            if (accordi_simulation.run(&reduction, x, &sampling, result, NULL, NULL))
                return false;
            for (size_t i = 0; i < DIGEST_SAMPLES; i++)
                digest_number(sha, result[i]);
        }
    return true;
}

/* false: something failed. */
static bool methods_digest(char hex[65])
{
    static double x[DIGEST_TERMS];
    accordi_sha256 sha;
    accord_mt19937 generator;
    accordi_sha256_init(&sha);
    accord_mt19937_init(&generator, 0xa238abdf);
    for (int d = 0; d < ACCORD_DISTRIBUTION_COUNT; d++) {
        const accord_draw_options options = {.distribution = (enum accord_distribution)d,
                                             .center = .3};
        if (accord_draw(&generator, &options, DIGEST_TERMS, x, NULL))
            return false;
        for (size_t i = 0; i < DIGEST_TERMS; i++)
            digest_number(&sha, x[i]);
        if (!digest_sums(&sha, x))
            return false;
    }
    accordi_sha256_hex(&sha, hex);
    return true;
}

#endif
