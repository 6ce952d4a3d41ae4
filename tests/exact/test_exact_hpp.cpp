/* accord/exact.hpp against the functions of C: values, iterators, ranges, std::accumulate and
 * std::reduce. Compiled as each standard from C++11 on; speaks TAP. */
#include <accord/exact.hpp>
#include <accord/exact_blas.h>

#include <cmath>
#include <cstdio>
#include <deque>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>
#include <vector>
/* clang 14 does not compile the ranges of gcc 12's library */
#if __cplusplus >= 202002L && (!defined __clang__ || __clang_major__ >= 16)
#define HAVE_RANGES
#include <ranges>
#include <span>
#endif

namespace
{

int count, failed;

void check(bool good, const char *name)
{
    failed += !good;
    std::printf("%sok %d - %s\n", good ? "" : "not ", ++count, name);
}

bool same(double a, double b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

std::vector<double> draw(std::mt19937_64 &rng, std::size_t n)
{
    std::uniform_real_distribution<double> unit(-1, 1);
    std::vector<double> x(n);
    for (double &v : x)
        v = std::ldexp(unit(rng), static_cast<int>(rng() % 200) - 100);
    return x;
}

double expected(const std::vector<double> &x)
{
    double sum = 0;
    accord_sum_exact_f64(x.size(), x.data(), 1, nullptr, &sum, nullptr);
    return sum;
}

void test_ways(std::mt19937_64 &rng)
{
    bool operators = true, pointers = true, iterators = true, ranges = true, reduced = true;
    bool accumulated = true, merged = true, taken = true, saved = true, streamed = true;
    for (int t = 0; t < 300; t++) {
        std::vector<double> x = draw(rng, rng() % (t % 10 ? 40 : 3000));
        double right = expected(x);
        accord::exact_sum sum, half[2];
        for (std::size_t i = 0; i < x.size(); i++) {
            sum += x[i];
            half[rng() % 2] += x[i];
        }
        operators = operators && same(sum.value(), right) && same(double(sum), right) &&
                    sum.size() == static_cast<std::int64_t>(x.size());
        merged = merged && same((half[0] + half[1]).value(), right) && half[0] + half[1] == sum;
        pointers = pointers && accord::exact_sum().add(x.data(), x.data() + x.size()) == sum;
        std::list<double> list(x.begin(), x.end());
        std::deque<double> deque(x.rbegin(), x.rend());
        iterators = iterators && accord::exact_sum().add(x.begin(), x.end()) == sum &&
                    accord::exact_sum().add(list.begin(), list.end()) == sum &&
                    accord::exact_sum().add(deque.cbegin(), deque.cend()) == sum;
        ranges =
            ranges && accord::exact_sum().add(x) == sum && accord::exact_sum().add(deque) == sum;
        reduced = reduced && same(accord::exact_reduce(list.begin(), list.end()), right);
        accumulated = accumulated && std::accumulate(x.begin(), x.end(), accord::exact_sum(),
                                                     accord::exact_plus()) == sum;
        accord::exact_sum without = sum;
        for (double v : x)
            without -= v;
        taken = taken && without.value() == 0 && (sum - sum).value() == 0;
        auto bytes = sum.save();
        saved = saved && accord::exact_sum::load(bytes.data(), bytes.size()) == sum;
        std::stringstream text;
        text.precision(17);
        for (double v : x)
            text << v << ' ';
        std::istream_iterator<double> from(text), end;
        streamed = streamed && accord::exact_sum().add(from, end) == sum;
#if __cplusplus >= 201703L
        reduced = reduced &&
                  std::reduce(x.begin(), x.end(), accord::exact_sum(), accord::exact_plus()) == sum;
#endif
#ifdef HAVE_RANGES
        auto negated = x | std::views::transform([](double v) { return -v; });
        accord::exact_sum none = sum;
        ranges = ranges && none.add(negated).value() == 0 &&
                 accord::exact_sum().add(std::span<const double>(x)) == sum;
#endif
    }
    check(operators, "operator+=, value, size");
    check(merged, "sums of accumulators");
    check(pointers, "pointers");
    check(iterators, "iterators of vectors, lists, deques");
    check(ranges, "ranges");
    check(reduced, "exact_reduce, std::reduce");
    check(accumulated, "std::accumulate");
    check(taken, "operator-=");
    check(saved, "save, load");
    check(streamed, "a stream, which can be read once only");
}

void test_dots(std::mt19937_64 &rng)
{
    bool right = true, one_by_one = true;
    for (int t = 0; t < 300; t++) {
        std::vector<double> x = draw(rng, rng() % 1500), y = draw(rng, x.size());
        std::list<double> list(y.begin(), y.end());
        double dot = 0;
        accord_dot_exact_f64(x.size(), x.data(), 1, y.data(), 1, nullptr, &dot, nullptr);
        right =
            right && same(accord::exact_transform_reduce(x.begin(), x.end(), list.begin()), dot);
        accord::exact_dot sum, other;
        for (std::size_t i = 0; i < x.size(); i++)
            (i % 2 ? sum : other).add(x[i], y[i]);
        auto bytes = other.save();
        sum += accord::exact_dot::load(bytes.data(), bytes.size());
        one_by_one = one_by_one && same(sum.value(), dot);
    }
    check(right, "exact_transform_reduce");
    check(one_by_one, "products one by one, save, load, merged");
}

/* Whether each way to add a T compiles, one by one: one that is refused hides no other. */
#define WAY(name_, expression_)                                                                    \
    template <class T, class = void> struct name_ : std::false_type {                              \
    };                                                                                             \
    template <class T> struct name_<T, decltype(void(expression_))> : std::true_type {             \
    }
WAY(by_addition, std::declval<accord::exact_sum &>() += std::declval<T>());
WAY(by_subtraction, std::declval<accord::exact_sum &>() -= std::declval<T>());
WAY(by_construction, accord::exact_sum(std::declval<T>()));
WAY(by_operator, accord::exact_sum() - std::declval<T>());
WAY(by_operator_before, std::declval<T>() + accord::exact_sum());
WAY(by_function, accord::exact_plus()(accord::exact_sum(), std::declval<T>()));
WAY(by_function_before, accord::exact_plus()(std::declval<T>(), accord::exact_sum()));
WAY(by_function_first, accord::exact_plus()(std::declval<T>(), 1.0));
WAY(by_function_second, accord::exact_plus()(1.0, std::declval<T>()));
WAY(by_function_both, accord::exact_plus()(std::declval<T>(), std::declval<T>()));
WAY(by_dot, std::declval<accord::exact_dot &>() += std::declval<T>());
WAY(by_product_first, accord::exact_dot().add(std::declval<T>(), 1.0));
WAY(by_product_second, accord::exact_dot().add(1.0f, std::declval<T>()));
WAY(by_product_both, accord::exact_dot().add(std::declval<T>(), std::declval<T>()));
#undef WAY

template <class T> int ways_to_add()
{
    return by_addition<T>::value + by_subtraction<T>::value + by_construction<T>::value +
           by_operator<T>::value + by_operator_before<T>::value + by_function<T>::value +
           by_function_before<T>::value + by_function_first<T>::value +
           by_function_second<T>::value + by_function_both<T>::value + by_dot<T>::value +
           by_product_first<T>::value + by_product_second<T>::value + by_product_both<T>::value;
}
enum { ALL_WAYS = 14 };

enum small_choice { SMALL = 3 };
enum large_choice : std::uint64_t { LARGE = 0xffffffffffffffff };

template <class T> struct becomes {
    T value;
    operator T() const
    {
        return value;
    }
};

/* What double may not hold is not rounded on the way, but refused. */
void test_types()
{
    const int held[] = {ways_to_add<double>(),
                        ways_to_add<float>(),
                        ways_to_add<int>(),
                        ways_to_add<unsigned short>(),
                        ways_to_add<bool>(),
                        ways_to_add<small_choice>(),
                        ways_to_add<becomes<double>>(),
                        ways_to_add<becomes<std::int32_t>>()};
    bool all = true;
    for (int ways : held)
        all = all && ways == ALL_WAYS;
    check(all, "numbers that double holds are added");
    check(ways_to_add<std::int64_t>() + ways_to_add<std::uint64_t>() + ways_to_add<long double>() +
                  ways_to_add<large_choice>() + ways_to_add<becomes<std::int64_t>>() +
                  ways_to_add<becomes<long double>>() ==
              0,
          "numbers that double may not hold are refused in each way");
#ifdef __SIZEOF_INT128__
    __extension__ typedef __int128 wide_integer;
    check(ways_to_add<wide_integer>() == 0, "integers of 128 bits are refused");
#endif
#ifdef __SIZEOF_FLOAT128__
    check(ways_to_add<__float128>() == 0, "numbers of 128 bits are refused");
#endif
    accord::exact_sum sum;
    sum += 1;
    sum -= 3u;
    check((2.5f + sum - 0.25).value() == 0.25, "numbers on either side");
}

void test_edges()
{
    const double infinity = std::numeric_limits<double>::infinity();
    check(same(accord::exact_sum().value(), -0.0), "the sum of nothing");
    check(std::isnan((accord::exact_sum(infinity) += -infinity).value()), "infinities");
    accord::exact_sum tie(1);
    tie += std::ldexp(1.0, -53);
    check(tie.value() == 1 && tie.value(accord::rounding::up) > 1 &&
              tie.value(accord::rounding::nearest_away) > 1,
          "roundings");
    float f[] = {16777216, 1, 1};
    check(accord::exact_reduce(f, f + 3) == 16777218.0f, "float");
    static_assert(std::is_same<decltype(accord::exact_reduce(f, f)), float>::value, "");
    double pair[] = {3, 4, -5};
    check(accord::exact_dot().add(pair, pair + 2, pair).norm() == 5 &&
              same(accord::exact_sum().add(pair, pair + 3).mean(), 2.0 / 3),
          "norm, mean");
    bool refused = false;
    try {
        accord::exact_sum::load("accord", 6);
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    check(refused, "bytes that are no accumulator throw");
    accord::exact_dot squares;
    squares.add(1, 1).add(7, 7);
    check(squares.mean() == 25 && squares.rms() == 5 && (squares - squares).value() == 0,
          "mean and root mean square of products");
    auto bytes = tie.save_compact(), wide = squares.save_compact();
    check(bytes.size() == 36 && accord::exact_sum::load(bytes.data(), bytes.size()) == tie &&
              accord::exact_dot::load(wide.data(), wide.size()).value() == 50,
          "the compact form");
    check(std::is_trivially_copyable<accord::exact_sum>::value,
          "accumulators can be copied as bytes");
}

} // namespace

int main()
{
    std::mt19937_64 rng(1);
    test_ways(rng);
    test_dots(rng);
    test_edges();
    test_types();
    std::printf("1..%d\n", count);
    return failed != 0;
}
