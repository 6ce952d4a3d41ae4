/* The flags that are tried, and the model that they name with each family of compilers: the only
 * place where this is said. doc/bound.md shows the same table, which a test compares.
 *
 * A model is what a compiler's manual allows, not what it does today: gcc may fuse products by
 * default, though a processor without fused operations gives it no occasion. */
#include "cli/programs/programs.h"

#define ANY false
#define X86 true

/* flags, processors, gcc, clang, tcc */
static const cli_flag_set rows[] = {
    {"-O0 -ffp-contract=off", ANY, {"written", "written", NULL}},
    {"-O0", ANY, {"contract", "contract-expr", "written"}},
    {"-O1", ANY, {"contract", "contract-expr", NULL}},
    {"-O2", ANY, {"contract", "contract-expr", NULL}},
    {"-O3", ANY, {"contract", "contract-expr", NULL}},
    {"-O2 -ffp-contract=off", ANY, {"written", "written", NULL}},
    {"-O2 -ffp-contract=on", ANY, {"contract-expr", "contract-expr", NULL}},
    {"-O2 -ffp-contract=fast", ANY, {"contract", "contract", NULL}},
    {"-O0 -mfma", X86, {"contract", "contract-expr", NULL}},
    {"-O2 -mfma", X86, {"contract", "contract-expr", NULL}},
    {"-O3 -mfma", X86, {"contract", "contract-expr", NULL}},
    {"-O2 -mfma -ffp-contract=off", X86, {"written", "written", NULL}},
    {"-O2 -mfma -ffp-contract=on", X86, {"contract-expr", "contract-expr", NULL}},
    {"-O2 -mfma -ffp-contract=fast", X86, {"contract", "contract", NULL}},
    {"-O3 -march=native", X86, {"contract", "contract-expr", NULL}},
    {"-O3 -march=native -ffp-contract=fast", X86, {"contract", "contract", NULL}},
    {"-O3 -ffast-math", ANY, {"fast,ftz", "fast,ftz", NULL}},
    {"-O3 -ffast-math -mfma", X86, {"fast,ftz", "fast,ftz", NULL}},
    {"-O3 -ffast-math -march=native", X86, {"fast,ftz", "fast,ftz", NULL}},
    {"-O0 -mfpmath=387", X86, {"contract,excess", NULL, NULL}},
    {"-O2 -mfpmath=387", X86, {"contract,excess", NULL, NULL}},
    {"-O2 -m32 -mno-sse", X86, {"contract,excess", "contract-expr,excess", NULL}},
};

const cli_flag_set *cli_flag_set_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

bool cli_flag_set_fits(const cli_flag_set *set, const cli_compiler *compiler)
{
#if defined __x86_64__ || defined __i386__
    bool x86 = !compiler->machine;
#else
    bool x86 = false;
#endif
    bool fused = !strstr(set->flags, "-mfma") || accordi_cpu_has("fma");
    return set->model[compiler->family] && (x86 || !set->x86) && fused;
}
