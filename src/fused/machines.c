/* The table of matrix accelerators and of matrix units of processors ("machines") and their
 * parameters: one row adds a machine. There is a row per instruction family and input format;
 * `-f16` at the end names the variant that accumulates in f16. A processor's row has the name of
 * the instruction. Differences between the sources are noted beside the row. step.c computes what a
 * row describes: products and the sum so far come in, the sum that the machine gives goes out. */
#include <accord/fused.h>
#include <stddef.h>
#include <string.h>

#define MMA_SIM "MMA-Sim (arXiv:2511.10909)"

/* NVIDIA: everything in one alignment, cut toward zero, f32 results cut toward zero as well.
 * Least exponents: Khattak and Mikaitis; for Volta and Turing MMA-Sim's -126. */
#define NV(name_, machine_, input_, terms_, fraction_, least_)                                     \
    .name = name_, .machine = machine_, .source = MMA_SIM "; Khattak and Mikaitis 2512.07004",     \
    .input = input_, .output = ACCORD_F32, .scheme = ACCORD_FUSED_WITH_C, .terms = terms_,         \
    .fraction = fraction_, .alignment = ACCORD_TOWARD_ZERO, .least_exponent = least_,              \
    .rounding = ACCORD_TOWARD_ZERO
/* The same with c and d in f16, rounded to nearest. */
#define NV16(name_, machine_, input_, terms_, fraction_, least_)                                   \
    .name = name_, .machine = machine_, .source = MMA_SIM "; Khattak and Mikaitis 2512.07004",     \
    .input = input_, .output = ACCORD_F16, .scheme = ACCORD_FUSED_WITH_C, .terms = terms_,         \
    .fraction = fraction_, .alignment = ACCORD_TOWARD_ZERO, .least_exponent = least_,              \
    .rounding = ACCORD_NEAREST_EVEN
#define MX(name_, input_)                                                                          \
    NV(name_, "Blackwell", input_, 32, 25, -133), .scale_block = 32, .scale = ACCORD_E8M0
#define F4(name_, shared_, scale_)                                                                 \
    NV(name_, "Blackwell", ACCORD_E2M1, 64, 35, -133), .block = 16, .scale_block = shared_,        \
                                                       .scale = scale_
#define FMA(name_, machine_, format_)                                                              \
    .name = name_, .machine = machine_, .source = MMA_SIM, .input = format_, .output = format_,    \
    .scheme = ACCORD_FUSED_CHAIN, .terms = 1
#define PAIRS(name_, machine_, input_, terms_)                                                     \
    .name = name_, .machine = machine_, .source = MMA_SIM, .input = input_, .output = ACCORD_F32,  \
    .scheme = ACCORD_FUSED_PAIRWISE, .terms = terms_
/* To nearest, whatever MXCSR says. */
#define X86(name_, machine_, input_, scheme_, terms_)                                              \
    .name = name_, .machine = machine_, .source = "Intel, Software Developer's Manual",            \
    .input = input_, .output = ACCORD_F32, .scheme = scheme_, .terms = terms_
/* CDNA3: products in one alignment of 24 bits, their sum floored at 31 and c at 24. */
#define CDNA3(name_, input_, terms_)                                                               \
    .name = name_, .machine = "CDNA3", .source = MMA_SIM, .input = input_, .output = ACCORD_F32,   \
    .scheme = ACCORD_FUSED_THEN_C, .terms = terms_, .fraction = 24,                                \
    .alignment = ACCORD_TOWARD_ZERO, .least_exponent = -400, .sum_fraction = 31, .c_fraction = 24, \
    .join = ACCORD_DOWN, .rounding = ACCORD_NEAREST_EVEN, .infinite_products = true

static const accord_fused machines[] = {
    /* Fasi et al. 2021 found the 4 terms and the truncation; 23 bits. */
    {NV("volta-f16", "Volta", ACCORD_F16, 4, 23, -126)},
    {NV16("volta-f16-f16", "Volta", ACCORD_F16, 4, 23, -126)},
    {NV("turing-f16", "Turing", ACCORD_F16, 8, 24, -126)},
    {NV16("turing-f16-f16", "Turing", ACCORD_F16, 8, 24, -126)},

    /* An instruction of k = 16 is two steps of 8 (tf32: k = 8, two of 4). */
    {NV("ampere-f16", "Ampere", ACCORD_F16, 8, 24, -132)},
    {NV16("ampere-f16-f16", "Ampere", ACCORD_F16, 8, 24, -20)},
    {NV("ampere-bf16", "Ampere", ACCORD_BF16, 8, 24, -132)},
    {NV("ampere-tf32", "Ampere", ACCORD_TF32, 4, 24, -132)},
    {FMA("ampere-f64", "Ampere", ACCORD_F64)},

    {NV("ada-f16", "Ada", ACCORD_F16, 8, 24, -132)},
    {NV16("ada-f16-f16", "Ada", ACCORD_F16, 8, 24, -20)},
    {NV("ada-bf16", "Ada", ACCORD_BF16, 8, 24, -132)},
    {NV("ada-tf32", "Ada", ACCORD_TF32, 4, 24, -132)},
    /* fp8: 13 bits, and an f32 result that keeps 13 fraction bits (DeepGEMM issues 37, 176). */
    {NV("ada-e4m3", "Ada", ACCORD_E4M3, 16, 13, -132), .output_fraction = 13},
    {NV16("ada-e4m3-f16", "Ada", ACCORD_E4M3, 16, 13, -20)},
    {NV("ada-e5m2", "Ada", ACCORD_E5M2, 16, 13, -132), .output_fraction = 13},
    {NV16("ada-e5m2-f16", "Ada", ACCORD_E5M2, 16, 13, -20)},

    /* fp8 as wgmma computes it. */
    {NV("hopper-f16", "Hopper", ACCORD_F16, 16, 25, -133)},
    {NV16("hopper-f16-f16", "Hopper", ACCORD_F16, 16, 25, -21)},
    {NV("hopper-bf16", "Hopper", ACCORD_BF16, 16, 25, -133)},
    {NV("hopper-tf32", "Hopper", ACCORD_TF32, 8, 25, -133)},
    {NV("hopper-e4m3", "Hopper", ACCORD_E4M3, 32, 13, -133), .output_fraction = 13},
    {NV16("hopper-e4m3-f16", "Hopper", ACCORD_E4M3, 32, 13, -21)},
    {NV("hopper-e5m2", "Hopper", ACCORD_E5M2, 32, 13, -133), .output_fraction = 13},
    {NV16("hopper-e5m2-f16", "Hopper", ACCORD_E5M2, 32, 13, -21)},
    {FMA("hopper-f64", "Hopper", ACCORD_F64)},

    {NV("blackwell-f16", "Blackwell", ACCORD_F16, 16, 25, -133)},
    {NV16("blackwell-f16-f16", "Blackwell", ACCORD_F16, 16, 25, -21)},
    {NV("blackwell-bf16", "Blackwell", ACCORD_BF16, 16, 25, -133)},
    {NV("blackwell-tf32", "Blackwell", ACCORD_TF32, 8, 25, -133)},
    {NV("blackwell-e4m3", "Blackwell", ACCORD_E4M3, 32, 25, -133)},
    {NV16("blackwell-e4m3-f16", "Blackwell", ACCORD_E4M3, 32, 25, -21)},
    {NV("blackwell-e5m2", "Blackwell", ACCORD_E5M2, 32, 25, -133)},
    {NV16("blackwell-e5m2-f16", "Blackwell", ACCORD_E5M2, 32, 25, -21)},
    {FMA("blackwell-f64", "Blackwell", ACCORD_F64)},
    /* mxf8f6f4: a power of two (ue8m0) per 32 products, its exponent added to theirs. */
    {MX("blackwell-mxe4m3", ACCORD_E4M3)},
    {MX("blackwell-mxe5m2", ACCORD_E5M2)},
    {MX("blackwell-mxe3m2", ACCORD_E3M2)},
    {MX("blackwell-mxe2m3", ACCORD_E2M3)},
    {MX("blackwell-mxe2m1", ACCORD_E2M1)},
    /* k = 64: 16 products exact, times the significands of their scales, aligned by the exponents
     * of the scales alone.
     * From the source of MMA-Sim, which has the same for RTX Blackwell; measured by nobody here. */
    {F4("blackwell-mxf4", 32, ACCORD_E8M0)},
    {F4("blackwell-nvf4", 16, ACCORD_UE4M3)},

    /* Khattak and Mikaitis take f16 and bf16 on the MI100 as one correctly rounded exact sum. */
    {FMA("cdna1-f32", "CDNA1", ACCORD_F32)},
    {PAIRS("cdna1-f16", "CDNA1", ACCORD_F16, 4)},
    {PAIRS("cdna1-bf16", "CDNA1", ACCORD_BF16, 2)},

    {FMA("cdna2-f64", "CDNA2", ACCORD_F64)},
    {FMA("cdna2-f32", "CDNA2", ACCORD_F32)},
    {PAIRS("cdna2-f16", "CDNA2", ACCORD_F16, 4), .flush = true},
    {PAIRS("cdna2-bf16", "CDNA2", ACCORD_BF16, 2), .flush = true},
    {PAIRS("cdna2-bf16-1k", "CDNA2", ACCORD_BF16, 4), .flush = true},

    {FMA("cdna3-f64", "CDNA3", ACCORD_F64)},
    {FMA("cdna3-f32", "CDNA3", ACCORD_F32)},
    {CDNA3("cdna3-xf32", ACCORD_TF32, 4)},
    {CDNA3("cdna3-f16", ACCORD_F16, 8)},
    {CDNA3("cdna3-bf16", ACCORD_BF16, 8)},
    /* The machine's fp8 is the "fnuz" kind, with another bias and no infinity; its arithmetic on
     * values that both kinds hold is this. */
    {CDNA3("cdna3-e4m3", ACCORD_E4M3, 16), .halves = true, .c_reach = 25},
    {CDNA3("cdna3-e5m2", ACCORD_E5M2, 16), .halves = true, .c_reach = 25},

    /* A row of a tile. The f16 instruction keeps subnormal operands, and then no sum of products is
     * subnormal; a c that is counts as zero there, too, which a dot product cannot show. */
    {X86("tdpbf16ps", "AMX", ACCORD_BF16, ACCORD_FUSED_EVEN_ODD, 32), .flush = true,
     .flush_tiny = true},
    {X86("tdpfp16ps", "AMX", ACCORD_F16, ACCORD_FUSED_EVEN_ODD, 32)},
    {X86("vdpbf16ps", "AVX512-BF16", ACCORD_BF16, ACCORD_FUSED_LAST_FIRST, 2), .flush = true,
     .flush_tiny = true},
};

const accord_fused *accord_fused_at(size_t i)
{
    return i < sizeof machines / sizeof *machines ? &machines[i] : NULL;
}

const accord_fused *accord_fused_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    return NULL;
}
