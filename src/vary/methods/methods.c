/* The methods, a row each, and what fits their shape. */
#include "vary/methods/methods.h"

#define BLOCKS(name_, long_name_, last_, shuffle_, compensated_, about_)                           \
    {                                                                                              \
        .name = name_, .long_name = long_name_, .about = about_, .blocks = true,                   \
        .shuffle = shuffle_, .compensated = compensated_, .last = ACCORD_LAST_##last_              \
    }

static const accord_method methods[] = {
    {.name = "AO",
     .long_name = "atomic_only",
     .about = "every term is added atomically",
     .last = ACCORD_LAST_ATOMIC},
    BLOCKS("SPA", "single_pass_gpu_shared_atomic", ATOMIC, false, false,
           "the sum of each block is added atomically"),
    BLOCKS("SPTR", "single_pass_gpu_shared", PAIRWISE, false, false,
           "the last block adds the sums of the blocks pairwise"),
    BLOCKS("SPRG", "single_pass_det_recursive", RECURSIVE, false, false,
           "the last block adds the sums of the blocks one by one"),
    BLOCKS("TPRC", "two_pass_gnu_det_recursive_cpu", HOST, false, false,
           "the host adds the sums of the blocks one by one"),
    BLOCKS("SPRG-kahan", "single_pass_gpu_kahan", RECURSIVE, false, true,
           "SPRG with a compensated last stage"),
    BLOCKS("TPRC-kahan", "two_pass_gnu_det_kahan_cpu", HOST, false, true,
           "TPRC with a compensated last stage"),
    BLOCKS("SPA-shuffle", "single_pass_gpu_shuffle_atomic", ATOMIC, true, false,
           "SPA where warps exchange their sums directly"),
    BLOCKS("SPTR-shuffle", "single_pass_gpu_shuffle", PAIRWISE, true, false,
           "SPTR where warps exchange their sums directly"),
    BLOCKS("SPRG-shuffle", "single_pass_gpu_shuffle_recursive", RECURSIVE, true, false,
           "SPRG where warps exchange their sums directly"),
    BLOCKS("TPRC-shuffle", "two_pass_gnu_det_shuffle_recursive_cpu", HOST, true, false,
           "TPRC where warps exchange their sums directly"),
    BLOCKS("SPRG-kahan-shuffle", "single_pass_gpu_shuffle_kahan", RECURSIVE, true, true,
           "SPRG-kahan where warps exchange their sums directly"),
    BLOCKS("TPRC-kahan-shuffle", "two_pass_gnu_det_shuffle_kahan_cpu", HOST, true, true,
           "TPRC-kahan where warps exchange their sums directly"),
    {.name = "CU",
     .long_name = "cub_reduce",
     .about = "the sum of CUDA's library CUB",
     .last = ACCORD_LAST_LIBRARY},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

const accord_method *accord_method_at(size_t i)
{
    return i < METHODS ? &methods[i] : NULL;
}

const accord_method *accord_method_by_name(const char *name)
{
    for (size_t i = 0; i < METHODS; i++)
        if (strcmp(methods[i].name, name) == 0 || strcmp(methods[i].long_name, name) == 0)
            return &methods[i];
    return NULL;
}

enum accord_status accordi_shape_of(const accord_reduction *reduction, accordi_shape *out,
                                    accord_error *error)
{
    accord_reduction full;
    enum accord_status status = ACCORDI_TAKE(accord_reduction, grid, &full, reduction, error);
    if (status)
        return status;
    if (!full.method)
        return accordi_fail(error, ACCORD_ARG, "this reduction has no method; set one");
    if (full.method->last == ACCORD_LAST_LIBRARY)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s is a function of CUDA's library CUB, and this device is not CUDA; "
                            "choose another method, such as SPTR",
                            full.method->name);
    if (full.n == 0 || full.n > ACCORD_TREE_MAX_LEAVES)
        return accordi_fail(error, ACCORD_ARG, "a sum has 1 to %u terms; %zu are not possible",
                            ACCORD_TREE_MAX_LEAVES, full.n);
    size_t block = full.block ? full.block : 64;
    if (block > ACCORDI_MOST_BLOCK || (block & (block - 1)) != 0)
        return accordi_fail(error, ACCORD_ARG,
                            "a block has a power of two of threads, at most %d; %zu is none",
                            ACCORDI_MOST_BLOCK, block);
    size_t grid = (full.n + 2 * block - 1) / (2 * block);
    if (full.grid && full.grid < grid)
        grid = full.grid;
    *out = (accordi_shape){.method = full.method,
                           .n = full.n,
                           .parts = full.method->blocks ? grid : full.n,
                           .block = block,
                           .grid = grid};
    return ACCORD_OK;
}

enum accord_status accord_reduction_parts(const accord_reduction *reduction, size_t *parts,
                                          accord_error *error)
{
    accordi_shape shape = {0};
    enum accord_status status = accordi_shape_of(reduction, &shape, error);
    if (!status)
        *parts = shape.parts;
    return status;
}
