// ExBLAS (github.com/riakymch/exblas), its sums on a CPU: a superaccumulator alone, or expansions
// of 2, 4 or 8 terms before it, the last with early exit. Its loop is for a multiple of 8 terms;
// those left over go into the superaccumulator here. It has dots on GPUs only. Its results are
// meant to be correctly rounded, and are not always.
#include "sums.h"
#include <algorithm>
#include <cstdint>
#include <iostream>

// ExSUM.FPE.hpp needs the two before it, so that these are not sorted.
#include "common.hpp"
#include "superaccumulator.hpp"

#include "ExSUM.FPE.hpp"

namespace
{

double superaccumulator(size_t n, const double *x)
{
    Superaccumulator all;
    for (size_t i = 0; i < n; i++)
        all.Accumulate(x[i]);
    return all.Round();
}

template <int size, bool early> double expansion(size_t n, const double *x)
{
    Superaccumulator all;
    FPExpansionVect<Vec4d, size, FPExpansionTraits<early>> cache(all);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        cache.Accumulate(Vec4d().load(x + i), Vec4d().load(x + i + 4));
    cache.Flush();
    for (; i < n; i++)
        all.Accumulate(x[i]);
    return all.Round();
}

} // namespace

extern "C" const bench_sum accord_bench_peers[] = {
    {"ExBLAS superaccumulator", BENCH_EXACT, superaccumulator, nullptr, nullptr, nullptr, nullptr,
     false},
    {"ExBLAS FPE2", BENCH_EXACT, expansion<2, false>, nullptr, nullptr, nullptr, nullptr, false},
    {"ExBLAS FPE4", BENCH_EXACT, expansion<4, false>, nullptr, nullptr, nullptr, nullptr, false},
    {"ExBLAS FPE8 early exit", BENCH_EXACT, expansion<8, true>, nullptr, nullptr, nullptr, nullptr,
     false},
    {nullptr, BENCH_NONE, nullptr, nullptr, nullptr, nullptr, nullptr, false},
};
