/* The flags that are tried, and the model that they name with each family of compilers. No other
 * code says this. doc/bound.md shows the same table, which a test compares.
 *
 * A model is what a compiler's manual allows, not what it does today: gcc may fuse products by
 * default, though a processor without fused operations gives it no occasion. */
#include "cli/programs/programs.h"
#include <accord/bound.h>

#define ANY false
#define X86 true

#define KERNEL(options_, model_)                                                                   \
    {                                                                                              \
        "-cl-std=CL1.2" options_, ANY,                                                             \
        {                                                                                          \
            NULL, NULL, NULL, model_                                                               \
        }                                                                                          \
    }
#define ROUNDED " -cl-fp32-correctly-rounded-divide-sqrt"

/* flags, processors, gcc, clang, tcc, OpenCL */
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
    KERNEL(ROUNDED, "contract-expr"),
    KERNEL(ROUNDED " -cl-opt-disable", "contract-expr"),
    KERNEL(ROUNDED " -cl-mad-enable", "contract"),
    KERNEL(ROUNDED " -cl-denorms-are-zero", "contract-expr,ftz"),
    KERNEL(ROUNDED " -cl-no-signed-zeros", "contract-expr"),
    KERNEL(" -cl-unsafe-math-optimizations", "fast,ftz"),
    KERNEL(" -cl-fast-relaxed-math", "fast,ftz"),
};

const cli_flag_set *cli_flag_set_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

/* The flag of a model's name, which ends at a comma; 0: it is none. */
static unsigned flag_of(const char *name)
{
    const accord_bound_model_info *row;
    for (size_t i = 0; (row = accord_bound_model_at(i)); i++)
        if (strlen(row->name) == strcspn(name, ",") &&
            strncmp(row->name, name, strcspn(name, ",")) == 0)
            return row->flag;
    return 0;
}

/* What allows all that a model does in programs, besides the model itself. */
static unsigned wider_than(unsigned model)
{
    const unsigned fast = ACCORD_BOUND_FAST | ACCORD_BOUND_FAST_EXPAND;
    switch (model) {
    case ACCORD_BOUND_WRITTEN:
        return ACCORD_BOUND_ALL;
    case ACCORD_BOUND_CONTRACT_EXPR:
        return ACCORD_BOUND_CONTRACT | ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM | ACCORD_BOUND_LOOP |
               fast;
    case ACCORD_BOUND_CONTRACT:
        return ACCORD_BOUND_LOOP | fast;
    case ACCORD_BOUND_LOOP:
    case ACCORD_BOUND_EXCESS:
        return fast;
    case ACCORD_BOUND_FAST:
        return ACCORD_BOUND_FAST_EXPAND;
    default:
        return 0;
    }
}

static const char *after(const char *name)
{
    name += strcspn(name, ",");
    return name + (*name == ',');
}

bool cli_model_within(const char *model, const char *others)
{
    unsigned all = 0;
    for (const char *at = others; *at; at = after(at))
        all |= flag_of(at);
    for (const char *at = model; *at; at = after(at))
        if (!((flag_of(at) | wider_than(flag_of(at))) & all))
            return false;
    return true;
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
