/* Fuzzer of compact accumulators as bytes. The first byte says whether they are of products (bit 1)
 * and whether their check is put right first (bit 0). What is accepted is written as the same
 * bytes, and can be added to itself, read and rounded; what is not says why. */
#include "exact/compact/compact.h"
#include "exact/compact/trim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    if (bytes)
        return realloc(block, bytes);
    free(block);
    return NULL;
}
static const accordi_compact_memory memory = {resize, NULL};

static void seal(uint8_t *bytes, size_t length)
{
    uint64_t check = accordi_compact_check(bytes, length - ACCORDI_COMPACT_CHECK);
    for (int i = 0; i < ACCORDI_COMPACT_CHECK; i++)
        bytes[length - ACCORDI_COMPACT_CHECK + (size_t)i] = (uint8_t)(check >> (8 * i));
}

static void use(accordi_compact *sum, const uint8_t *data, size_t size)
{
    uint8_t bytes[ACCORDI_COMPACT_BYTES];
    insist(accordi_compact_write(sum, bytes) == size && !memcmp(bytes, data, size),
           "written as other bytes");
    for (int i = 0; i < 70; i++) {
        accordi_compact *twin = NULL;
        size_t length = accordi_compact_write(sum, bytes);
        insist(!accordi_compact_read(&twin, bytes, length, sum->products, &memory, NULL),
               "what was written cannot be read");
        bool merged = accordi_compact_merge(&sum, twin, &memory);
        free(twin);
        if (!merged)
            break;
    }
    accordi_compact_sum_f64(sum);
    accordi_compact_sum_f32(sum);
    accordi_compact_mean(sum);
    free(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    size_t length = size - 1;
    uint8_t *copy = malloc(size); /* nothing lies behind it */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, length);
    bool products = data[0] & 2;
    if (data[0] & 1 && length >= 24 && length % 4 == 0)
        seal(copy, length);
    accordi_compact *sum = NULL;
    accord_error error = {0};
    enum accord_status status = accordi_compact_read(&sum, copy, length, products, &memory, &error);
    if (status)
        insist(error.text[0] && !sum, "refused without a reason");
    else
        use(sum, copy, length);
    free(copy);
    return 0;
}
