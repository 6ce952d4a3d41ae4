/* Exact sums in C++11 and later: accumulators as values. Header only; link with the library.
 *
 *     accord::exact_sum sum;
 *     for (double x : numbers)
 *         sum += x;                      // nothing is rounded
 *     std::printf("%.17g\n", sum.value());
 *
 * The contract is that of accord/exact.h and accord/exact_finish.h: the result is the correctly
 * rounded one of the exact sum, whatever the order, and of no terms it is -0. Accumulators are
 * plain values (616 and 1144 bytes): they can be copied, stored and moved between threads, and
 * their sum is the accumulator of all terms. Numbers are float or double; integers of up to 32 bits
 * are converted to double, and what double may not hold (64-bit integers, long double, and what is
 * converted to these) is refused by the compiler.
 *
 * std::accumulate and std::reduce take them with accord::exact_plus:
 *
 *     std::reduce(x.begin(), x.end(), accord::exact_sum(), accord::exact_plus()).value()
 *
 * With std::plus, std::reduce may add two numbers before they reach an accumulator, and that
 * addition is rounded. */
#ifndef ACCORD_EXACT_HPP
#define ACCORD_EXACT_HPP

#include <accord/exact_finish.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace accord
{

/* As enum accord_exact_rounding. */
enum class rounding {
    nearest_even = ACCORD_EXACT_NEAREST_EVEN,
    toward_zero = ACCORD_EXACT_TOWARD_ZERO,
    down = ACCORD_EXACT_DOWN,
    up = ACCORD_EXACT_UP,
    nearest_away = ACCORD_EXACT_NEAREST_AWAY
};

namespace detail
{

inline void require(enum accord_status status, const accord_error &error)
{
    if (status != ACCORD_OK)
        throw std::invalid_argument(error.text);
}

template <class T> struct is_number {
    static const bool value = std::is_same<T, float>::value || std::is_same<T, double>::value;
};

/* Does a double hold each value of T? T is a type of numbers, or one that becomes such a type, as
 * enumerations and std::atomic do: unary plus shows which. Types that the library knows nothing of
 * (__float128, __int128 in strict modes) are not held. */
template <class T, class = void> struct held : std::false_type {
};
template <class T> struct held<T, decltype(void(+std::declval<T &>()))> {
    typedef typename std::decay<decltype(+std::declval<T &>())>::type number;
    static const bool value =
        std::numeric_limits<number>::is_specialized && std::numeric_limits<number>::digits <= 53;
};

/* Would it be rounded on its way to a double? */
template <class T> struct rounded {
    static const bool value = std::is_convertible<T, double>::value && !held<T>::value;
};

template <class T> using too_wide = typename std::enable_if<rounded<T>::value, int>::type;
template <class S, class T>
using one_too_wide = typename std::enable_if<rounded<S>::value || rounded<T>::value, int>::type;

template <class Iterator> struct value_of {
    typedef typename std::remove_cv<typename std::iterator_traits<Iterator>::value_type>::type type;
    static_assert(is_number<type>::value, "exact sums are of float or double");
};

inline void add(accord_exact &sum, std::size_t n, const double *x)
{
    accord_exact_add_array_f64(&sum, n, x, 1);
}
inline void add(accord_exact &sum, std::size_t n, const float *x)
{
    accord_exact_add_array_f32(&sum, n, x, 1);
}
inline void add(accord_exact_wide &sum, std::size_t n, const double *x, const double *y)
{
    accord_exact_wide_add_products_f64(&sum, n, x, 1, y, 1);
}

enum { block = 512 };

} // namespace detail

class exact_sum
{
  public:
    exact_sum()
    {
        accord_exact_init(&sum_);
    }
    explicit exact_sum(double x) : exact_sum()
    {
        *this += x;
    }
    template <class T, detail::too_wide<T> = 0> explicit exact_sum(T) = delete;
    /* From what C functions made. */
    explicit exact_sum(const accord_exact &sum) : sum_(sum)
    {
    }

    exact_sum &operator+=(double x)
    {
        accord_exact_add_f64(&sum_, x);
        return *this;
    }
    exact_sum &operator-=(double x)
    {
        accord_exact_subtract_f64(&sum_, x);
        return *this;
    }
    template <class T, detail::too_wide<T> = 0> exact_sum &operator+=(T) = delete;
    template <class T, detail::too_wide<T> = 0> exact_sum &operator-=(T) = delete;
    /* All terms of the other, which may be this one. std::invalid_argument after 2^62 terms. */
    exact_sum &operator+=(const exact_sum &other)
    {
        accord_error error;
        detail::require(accord_exact_add(&sum_, &other.sum_, &error), error);
        return *this;
    }
    exact_sum &operator-=(const exact_sum &other)
    {
        accord_error error;
        detail::require(accord_exact_subtract(&sum_, &other.sum_, &error), error);
        return *this;
    }

    /* Numbers that lie in memory one after the other; the fastest way. */
    exact_sum &add(const double *first, const double *last)
    {
        detail::add(sum_, static_cast<std::size_t>(last - first), first);
        return *this;
    }
    exact_sum &add(const float *first, const float *last)
    {
        detail::add(sum_, static_cast<std::size_t>(last - first), first);
        return *this;
    }
    exact_sum &add(double *first, double *last)
    {
        return add(static_cast<const double *>(first), static_cast<const double *>(last));
    }
    exact_sum &add(float *first, float *last)
    {
        return add(static_cast<const float *>(first), static_cast<const float *>(last));
    }
    /* Any range, read once, from first to last. */
    template <class Iterator, class End> exact_sum &add(Iterator first, End last)
    {
        typename detail::value_of<Iterator>::type block[detail::block];
        while (first != last) {
            std::size_t n = 0;
            for (; first != last && n < detail::block; ++first)
                block[n++] = *first;
            detail::add(sum_, n, block);
        }
        return *this;
    }
    template <class Range> exact_sum &add(Range &&range)
    {
        using std::begin;
        using std::end;
        return add(begin(range), end(range));
    }

    /* The sum, rounded once. It can go on growing. */
    double value(rounding how = rounding::nearest_even) const
    {
        return accord_exact_f64(&sum_, static_cast<enum accord_exact_rounding>(how));
    }
    float value_f32(rounding how = rounding::nearest_even) const
    {
        return accord_exact_f32(&sum_, static_cast<enum accord_exact_rounding>(how));
    }
    explicit operator double() const
    {
        return value();
    }
    /* The sum divided by the number of terms, rounded once; accord/exact_finish.h has more that can
     * be made of get(). */
    double mean(rounding how = rounding::nearest_even) const
    {
        return accord_exact_mean_f64(&sum_, static_cast<enum accord_exact_rounding>(how));
    }
    /* The number of terms. */
    std::int64_t size() const
    {
        return sum_.count[ACCORD_EXACT_TERMS];
    }

    /* The two saved forms of accord/exact.h. load reads either, and throws std::invalid_argument
     * for other bytes. */
    std::array<unsigned char, ACCORD_EXACT_BYTES> save() const
    {
        std::array<unsigned char, ACCORD_EXACT_BYTES> bytes;
        accord_exact_save(&sum_, bytes.data());
        return bytes;
    }
    std::vector<unsigned char> save_compact() const
    {
        std::vector<unsigned char> bytes(ACCORD_EXACT_COMPACT_BYTES);
        bytes.resize(accord_exact_save_compact(&sum_, bytes.data()));
        return bytes;
    }
    static exact_sum load(const void *bytes, std::size_t length)
    {
        exact_sum sum;
        accord_error error;
        detail::require(accord_exact_load(&sum.sum_, bytes, length, &error), error);
        return sum;
    }

    /* For functions of C. */
    const accord_exact &get() const
    {
        return sum_;
    }
    accord_exact &get()
    {
        return sum_;
    }

  private:
    accord_exact sum_;
};

/* Sums of products of doubles, which are not rounded either. */
class exact_dot
{
  public:
    exact_dot()
    {
        accord_exact_wide_init(&sum_);
    }
    explicit exact_dot(const accord_exact_wide &sum) : sum_(sum)
    {
    }

    exact_dot &add(double x, double y)
    {
        accord_exact_wide_add_product_f64(&sum_, x, y);
        return *this;
    }
    template <class S, class T, detail::one_too_wide<S, T> = 0> exact_dot &add(S, T) = delete;
    exact_dot &operator+=(double x)
    {
        accord_exact_wide_add_f64(&sum_, x);
        return *this;
    }
    template <class T, detail::too_wide<T> = 0> exact_dot &operator+=(T) = delete;
    exact_dot &operator+=(const exact_dot &other)
    {
        accord_error error;
        detail::require(accord_exact_wide_add(&sum_, &other.sum_, &error), error);
        return *this;
    }
    exact_dot &operator-=(const exact_dot &other)
    {
        accord_error error;
        detail::require(accord_exact_wide_subtract(&sum_, &other.sum_, &error), error);
        return *this;
    }
    /* The products of two ranges, as many as the first has. */
    template <class First, class End, class Second> exact_dot &add(First x, End last, Second y)
    {
        static_assert(detail::is_number<typename detail::value_of<First>::type>::value &&
                          detail::is_number<typename detail::value_of<Second>::type>::value,
                      "exact sums are of float or double");
        double block[2][detail::block];
        while (x != last) {
            std::size_t n = 0;
            for (; x != last && n < detail::block; ++x, ++y, ++n) {
                block[0][n] = *x;
                block[1][n] = *y;
            }
            detail::add(sum_, n, block[0], block[1]);
        }
        return *this;
    }

    double value(rounding how = rounding::nearest_even) const
    {
        return accord_exact_wide_f64(&sum_, static_cast<enum accord_exact_rounding>(how));
    }
    explicit operator double() const
    {
        return value();
    }
    /* The sum divided by the number of products; the square root of the sum, and of that quotient:
     * the norm and the root mean square, where the products are squares. Each is rounded once. */
    double mean(rounding how = rounding::nearest_even) const
    {
        return accord_exact_wide_mean_f64(&sum_, static_cast<enum accord_exact_rounding>(how));
    }
    double norm(rounding how = rounding::nearest_even) const
    {
        return accord_exact_wide_norm_f64(&sum_, static_cast<enum accord_exact_rounding>(how));
    }
    double rms(rounding how = rounding::nearest_even) const
    {
        return accord_exact_wide_rms_f64(&sum_, static_cast<enum accord_exact_rounding>(how));
    }
    std::int64_t size() const
    {
        return sum_.count[ACCORD_EXACT_TERMS];
    }
    std::array<unsigned char, ACCORD_EXACT_WIDE_BYTES> save() const
    {
        std::array<unsigned char, ACCORD_EXACT_WIDE_BYTES> bytes;
        accord_exact_wide_save(&sum_, bytes.data());
        return bytes;
    }
    std::vector<unsigned char> save_compact() const
    {
        std::vector<unsigned char> bytes(ACCORD_EXACT_WIDE_COMPACT_BYTES);
        bytes.resize(accord_exact_wide_save_compact(&sum_, bytes.data()));
        return bytes;
    }
    static exact_dot load(const void *bytes, std::size_t length)
    {
        exact_dot sum;
        accord_error error;
        detail::require(accord_exact_wide_load(&sum.sum_, bytes, length, &error), error);
        return sum;
    }
    const accord_exact_wide &get() const
    {
        return sum_;
    }
    accord_exact_wide &get()
    {
        return sum_;
    }

  private:
    accord_exact_wide sum_;
};

inline exact_sum operator+(exact_sum a, const exact_sum &b)
{
    return a += b;
}
inline exact_sum operator-(exact_sum a, const exact_sum &b)
{
    return a -= b;
}
inline exact_sum operator+(exact_sum a, double x)
{
    return a += x;
}
inline exact_sum operator-(exact_sum a, double x)
{
    return a -= x;
}
inline exact_sum operator+(double x, exact_sum a)
{
    return a += x;
}
template <class T, detail::too_wide<T> = 0> exact_sum operator+(exact_sum, T) = delete;
template <class T, detail::too_wide<T> = 0> exact_sum operator+(T, exact_sum) = delete;
template <class T, detail::too_wide<T> = 0> exact_sum operator-(exact_sum, T) = delete;
inline exact_dot operator-(exact_dot a, const exact_dot &b)
{
    return a -= b;
}
inline exact_dot operator+(exact_dot a, const exact_dot &b)
{
    return a += b;
}

/* Are the exact sums the same, and the numbers of terms? */
inline bool operator==(const exact_sum &a, const exact_sum &b)
{
    accord_exact x = a.get(), y = b.get();
    accord_exact_canonical(&x);
    accord_exact_canonical(&y);
    return std::memcmp(&x, &y, sizeof x) == 0;
}
inline bool operator!=(const exact_sum &a, const exact_sum &b)
{
    return !(a == b);
}

/* The operation for std::accumulate and std::reduce with an exact_sum to begin with: of two numbers
 * it makes an accumulator, too. */
struct exact_plus {
    exact_sum operator()(double x, double y) const
    {
        return exact_sum(x) += y;
    }
    exact_sum operator()(exact_sum a, double x) const
    {
        return a += x;
    }
    exact_sum operator()(double x, exact_sum a) const
    {
        return a += x;
    }
    exact_sum operator()(exact_sum a, const exact_sum &b) const
    {
        return a += b;
    }
    template <class S, class T, detail::one_too_wide<S, T> = 0>
    exact_sum operator()(S, T) const = delete;
};

/* The correctly rounded sum of a range, in its type; and of the products of two, as double. */
template <class Iterator, class End>
typename detail::value_of<Iterator>::type exact_reduce(Iterator first, End last)
{
    exact_sum sum;
    sum.add(first, last);
    return std::is_same<typename detail::value_of<Iterator>::type, float>::value
               ? sum.value_f32()
               : static_cast<typename detail::value_of<Iterator>::type>(sum.value());
}
template <class First, class End, class Second>
double exact_transform_reduce(First x, End last, Second y)
{
    return exact_dot().add(x, last, y).value();
}

} // namespace accord

#endif
