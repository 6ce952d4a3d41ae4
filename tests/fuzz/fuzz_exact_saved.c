/* Fuzzer of saved accumulators, in either form. An even first byte: the rest is one as it is; odd:
 * its checksum is put right first. What is accepted is saved to the same bytes (the compact form
 * may count zeros that are then forgotten), rounds in order, and adds up; what is not says why and
 * leaves the accumulator as it was. Seeds: tests/seeds/exact_saved. */
#include "exact/compact/trim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void seal_compact(uint8_t *bytes, size_t length)
{
    accordi_put_bytes(bytes + length - 8, accordi_compact_check(bytes, length - 8), 8);
}

static void seal(uint8_t *bytes, size_t length)
{
    accordi_sha256 sha;
    char hex[65];
    accordi_sha256_init(&sha);
    accordi_sha256_add(&sha, bytes, length - 16);
    accordi_sha256_hex(&sha, hex);
    for (int i = 0; i < 16; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[length - 16 + (size_t)i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

/* Not above; a NaN is no number. */
static bool ordered(double low, double high)
{
    return low <= high || (low != low && high != high);
}

#define SAVED(name_, bytes_)                                                                       \
    static void check_rounding_##name_(const accord_##name_ *sum)                                  \
    {                                                                                              \
        double down = accord_##name_##_f64(sum, ACCORD_EXACT_DOWN);                                \
        double up = accord_##name_##_f64(sum, ACCORD_EXACT_UP);                                    \
        for (int r = 0; r < ACCORD_EXACT_ROUNDING_COUNT; r++) {                                    \
            enum accord_exact_rounding rounding = (enum accord_exact_rounding)r;                   \
            double x = accord_##name_##_f64(sum, rounding);                                        \
            insist(ordered(down, x) && ordered(x, up), "rounding out of order");                   \
            accord_##name_##_f32(sum, rounding);                                                   \
            accord_##name_##_f16(sum, rounding);                                                   \
            accord_##name_##_bf16(sum, rounding);                                                  \
        }                                                                                          \
    }                                                                                              \
    static void check_sum_##name_(const accord_##name_ *sum)                                       \
    {                                                                                              \
        accord_##name_ twice = *sum, nothing;                                                      \
        accord_##name_##_init(&nothing);                                                           \
        check_rounding_##name_(sum);                                                               \
        accord_##name_##_canonical(&twice);                                                        \
        insist(!memcmp(&twice, sum, sizeof twice), "what is loaded is not canonical");             \
        if (accord_##name_##_add(&twice, sum, NULL) == ACCORD_OK &&                                \
            accord_##name_##_subtract(&twice, sum, NULL) == ACCORD_OK)                             \
            insist(!memcmp(twice.limb, sum->limb, sizeof twice.limb), "x + x - x is not x");       \
        twice = *sum;                                                                              \
        if (accord_##name_##_scale(&twice, 9, NULL) == ACCORD_OK)                                  \
            insist(accord_##name_##_scale(&twice, -9, NULL) == ACCORD_OK &&                        \
                       !memcmp(twice.limb, sum->limb, sizeof twice.limb),                          \
                   "there and back is not x");                                                     \
    }                                                                                              \
    static void check_##name_(const uint8_t *data, size_t size)                                    \
    {                                                                                              \
        uint8_t bytes[bytes_];                                                                     \
        accord_error error = {0};                                                                  \
        accord_##name_ sum, before;                                                                \
        memset(&sum, 0x33, sizeof sum);                                                            \
        before = sum;                                                                              \
        enum accord_status status = accord_##name_##_load(&sum, data, size, &error);               \
        if (status) {                                                                              \
            insist(!memcmp(&sum, &before, sizeof sum) && error.text[0] &&                          \
                       !strchr(error.text, '\n') &&                                                \
                       (status == ACCORD_PARSE || status == ACCORD_UNSUPPORTED),                   \
                   "refused without a reason");                                                    \
            return;                                                                                \
        }                                                                                          \
        accord_##name_##_save(&sum, bytes);                                                        \
        insist(*data == ACCORDI_COMPACT_MARK ||                                                    \
                   (size == sizeof bytes && !memcmp(bytes, data, size)),                           \
               "saved to other bytes");                                                            \
        before = sum;                                                                              \
        size_t length = accord_##name_##_save_compact(&sum, bytes);                                \
        insist(*data != ACCORDI_COMPACT_MARK || length <= size, "saved to more bytes");            \
        insist(!accord_##name_##_load(&sum, bytes, length, &error) &&                              \
                   !memcmp(&sum, &before, sizeof sum),                                             \
               "the compact form is another sum");                                                 \
        check_sum_##name_(&sum);                                                                   \
    }
SAVED(exact, ACCORD_EXACT_BYTES)
SAVED(exact_wide, ACCORD_EXACT_WIDE_BYTES)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    uint8_t *copy = malloc(size); /* nothing lies behind it */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    if (data[0] % 2 && size > 24 && copy[0] == ACCORDI_COMPACT_MARK && size % 4 == 1)
        seal_compact(copy, size - 1);
    else if (data[0] % 2 && size > 16)
        seal(copy, size - 1);
    check_exact(copy, size - 1);
    check_exact_wide(copy, size - 1);
    free(copy);
    return 0;
}
