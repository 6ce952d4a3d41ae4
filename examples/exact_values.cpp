/* Exact sums as values of C++: threads add what they have, in any order, and the accumulators are
 * added in the end. The result has the same bits however many threads there are.
 *
 *     c++ exact_values.cpp $(pkg-config --cflags --libs accord) -pthread */
#include <accord/exact.hpp>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

static double sum_with(std::size_t threads, const std::vector<double> &x)
{
    std::vector<accord::exact_sum> parts(threads);
    std::vector<std::thread> running;
    for (std::size_t t = 0; t < threads; t++)
        running.emplace_back([&, t] {
            for (std::size_t i = t; i < x.size(); i += threads)
                parts[t] += x[i];
        });
    for (std::thread &thread : running)
        thread.join();
    return std::accumulate(parts.begin(), parts.end(), accord::exact_sum()).value();
}

int main()
{
    std::vector<double> x;
    for (int i = 1; i <= 100000; i++)
        x.push_back((i % 2 ? 1e16 : -1e16) / i + 1.0 / 3);
    double one = sum_with(1, x), three = sum_with(3, x), eight = sum_with(8, x);
    std::printf("std::accumulate  %.17g\n", std::accumulate(x.begin(), x.end(), 0.0));
    std::printf("1 thread         %.17g\n3 threads        %.17g\n8 threads        %.17g\n", one,
                three, eight);
    return !(one == three && three == eight && one == accord::exact_reduce(x.begin(), x.end()));
}
