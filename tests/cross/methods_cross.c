/* Drawn numbers, simulated orders and sums as one checksum, and sums of the V100: to be built by
 * other compilers and for other machines. Needs the C library alone. */
#include "../vary/methods_digest.h"

static bool has_v100_bits(void)
{
    static double x[ACCORD_CROSS_PLATFORM_TERMS];
    const accord_draw_options options = {.distribution = ACCORD_DISTRIBUTION_CROSS_PLATFORM};
    const accord_reduction reduction = {.method = accord_method_by_name("TPRC-kahan"),
                                        .n = ACCORD_CROSS_PLATFORM_TERMS,
                                        .block = ACCORD_CROSS_PLATFORM_BLOCK};
    accord_mt19937 generator;
    double sum;
    uint64_t bits;
    accord_mt19937_init(&generator, ACCORD_CROSS_PLATFORM_SEED);
    if (accord_draw(&generator, &options, reduction.n, x, NULL) ||
        accord_reduction_sum(&reduction, x, NULL, &sum, NULL))
        return false;
    memcpy(&bits, &sum, sizeof bits);
    return bits == accord_cross_platform_bits(0);
}

int main(void)
{
    char hex[65] = "none";
    bool drawn = methods_digest(hex);
    printf("%s %d\n", hex, drawn && has_v100_bits());
    return !(drawn && strcmp(hex, METHODS_DIGEST) == 0 && has_v100_bits());
}
