// RFA (github.com/r-barnes/reproducible_floating_sums), the accumulator that CCCL has, too, with
// its default fold of 3: the same bits in any order, but not correctly rounded.
#include "reproducible_floating_accumulator.hpp"
#include "sums.h"

namespace
{

template <typename T> T sum(size_t n, const T *x)
{
    ReproducibleFloatingAccumulator<T, 3> all;
    all.zero();
    all.add(x, n);
    return all.conv();
}

} // namespace

extern "C" const bench_sum accord_bench_peers[] = {
    {"RFA", BENCH_SAME_BITS, sum<double>, nullptr, sum<float>, nullptr, nullptr, false},
    {nullptr, BENCH_NONE, nullptr, nullptr, nullptr, nullptr, nullptr, false},
};
