/* Bounds by hand, in C++11 and later: numbers that carry the interval of all values that they may
 * have under a model of accord/bound.h. Header only; link with the library.
 *
 * In a program of yours, replace float by accord::ifloat, or double by accord::idouble. Expressions
 * are collected, and bounded as a whole where they are assigned to such a variable, passed or
 * returned: this is the unit that a model may parenthesize anew. C++ does not show parentheses to a
 * library; write accord::paren(a + b), or use a variable. Under CONTRACT, a variable that was
 * assigned a product may still be fused into a sum.
 *
 *     accord::using_model model(ACCORD_BOUND_PAREN);
 *     accord::ifloat b = 3.3f, c = 2.475f, d = b * b - 4 * c;
 *     std::printf("%g %g\n", d.low(), d.high());
 *     if (d > 0) …                   // decided by d.value(); see accord::unstable_decisions()
 *
 * A variable that is used twice counts as two numbers, so bounds may be wider than needed; they are
 * valid. LOOP, FAST and FAST_EXPAND reorder across statements, which this type does not see:
 * using_model refuses them. Errors are thrown: std::invalid_argument, std::bad_alloc. The model and
 * the count of unstable decisions belong to the thread. This is the ifloat of Bayati, Leeser, Gu
 * and Wahl, Identifying volatile numeric expressions in numeric computing applications,
 * section 2.4. */
#ifndef ACCORD_BOUND_HPP
#define ACCORD_BOUND_HPP

#include <accord/bound.h>
#include <cmath>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace accord
{

template <class T> class bounded;
template <class T> class expression;

namespace detail
{

struct state {
    unsigned model;
    double function_ulp;
    unsigned long unstable;
};

inline state &current()
{
    static thread_local state now = {ACCORD_BOUND_CONTRACT, 1, 0};
    return now;
}

inline void check(enum accord_status status, const accord_error &error)
{
    if (status == ACCORD_NOMEM)
        throw std::bad_alloc();
    if (status != ACCORD_OK)
        throw std::invalid_argument(error.text);
}

inline enum accord_format format_of(float)
{
    return ACCORD_F32;
}
inline enum accord_format format_of(double)
{
    return ACCORD_F64;
}

/* A leaf, with its interval, or an operation on the results of the items before it. `format`: of a
 * leaf or of a conversion. */
struct item {
    enum accord_bound_operation operation;
    enum accord_format format;
    double low, high;
    bool constant, nan;
};
typedef std::vector<item> items;

inline item operation_item(enum accord_bound_operation operation)
{
    return item{operation, ACCORD_F64, 0, 0, false, false};
}

inline unsigned operands(enum accord_bound_operation operation)
{
    switch (operation) {
    case ACCORD_BOUND_FMA:
        return 3;
    case ACCORD_BOUND_NEGATE:
    case ACCORD_BOUND_PARENTHESES:
    case ACCORD_BOUND_ASSIGN:
    case ACCORD_BOUND_CONVERT:
        return 1;
    case ACCORD_BOUND_POW:
    case ACCORD_BOUND_HYPOT:
    case ACCORD_BOUND_ATAN2:
    case ACCORD_BOUND_MINIMUM:
    case ACCORD_BOUND_MAXIMUM:
        return 2;
    default:
        return operation < ACCORD_BOUND_FMA ? 2 : 1;
    }
}

/* An expression of the C interface while it is made, and its bounds. */
class evaluation
{
  public:
    explicit evaluation(const items &all) : expression_(nullptr), bound_(nullptr)
    {
        base_ = ACCORD_F32;
        for (const item &i : all)
            if (i.operation == ACCORD_BOUND_VALUE && i.format == ACCORD_F64)
                base_ = ACCORD_F64;
        accord_error error;
        check(accord_bound_expression_new(base_, &expression_, &error), error);
        try {
            for (const item &i : all)
                push(i);
            ask();
        } catch (...) {
            accord_bound_expression_free(expression_);
            throw;
        }
    }
    ~evaluation()
    {
        accord_bound_free(bound_);
        accord_bound_expression_free(expression_);
    }
    evaluation(const evaluation &) = delete;
    evaluation &operator=(const evaluation &) = delete;

    const accord_bound &bound() const
    {
        return *bound_;
    }

  private:
    uint32_t value(double low, double high, bool constant)
    {
        accord_error error;
        uint32_t node = 0;
        check(accord_bound_value(expression_, constant ? nullptr : "x", low, high, &node, &error),
              error);
        return node;
    }
    uint32_t apply(enum accord_bound_operation operation, const uint32_t *operand)
    {
        accord_error error;
        uint32_t node = 0;
        check(accord_bound_apply(expression_, operation, operand, &node, &error), error);
        return node;
    }
    uint32_t convert(enum accord_format format, uint32_t operand)
    {
        accord_error error;
        uint32_t node = 0;
        check(accord_bound_convert(expression_, format, operand, &node, &error), error);
        return node;
    }
    /* [-inf, inf] + [-inf, inf] may be any number, and NaN. */
    uint32_t leaf(const item &i)
    {
        uint32_t two[3] = {0, 0, 0};
        if (!i.nan)
            return value(i.low, i.high, i.constant);
        two[0] = value(-HUGE_VAL, HUGE_VAL, false);
        two[1] = value(-HUGE_VAL, HUGE_VAL, false);
        return apply(ACCORD_BOUND_ADD, two);
    }
    /* All items keep their own format. */
    void push(const item &i)
    {
        uint32_t operand[3] = {0, 0, 0}, node = 0;
        if (i.operation == ACCORD_BOUND_VALUE) {
            node = leaf(i);
            stack_.push_back(i.format == base_ ? node : convert(i.format, node));
            return;
        }
        for (unsigned k = operands(i.operation); k-- > 0; stack_.pop_back())
            operand[k] = stack_.back();
        node = i.operation == ACCORD_BOUND_CONVERT ? convert(i.format, operand[0])
                                                   : apply(i.operation, operand);
        stack_.push_back(node);
    }
    void ask()
    {
        accord_error error;
        accord_bound_options options;
        accord_bound_options_init(&options);
        options.model = current().model;
        options.function_ulp = current().function_ulp;
        options.ends_only = true;
        check(accord_bound_evaluate(expression_, stack_.back(), &options, &bound_, &error), error);
    }

    accord_bound_expression *expression_;
    accord_bound *bound_;
    enum accord_format base_;
    std::vector<uint32_t> stack_;
};

/* Decided by what the plain program computes. */
inline bool decide(items all, enum accord_bound_operation operation, const items &more, bool plain)
{
    all.insert(all.end(), more.begin(), more.end());
    all.push_back(operation_item(operation));
    evaluation made(all);
    if (made.bound().low != made.bound().high)
        current().unstable++;
    return plain;
}

template <class T> struct operators;

} // namespace detail

/* The model of this thread until the object ends. std::invalid_argument: a model that reorders
 * across statements. */
class using_model
{
  public:
    explicit using_model(unsigned model, double function_ulp = 1) : before_(detail::current())
    {
        if (model & (ACCORD_BOUND_LOOP | ACCORD_BOUND_FAST | ACCORD_BOUND_FAST_EXPAND))
            throw std::invalid_argument(
                "accord/bound.hpp bounds each statement by itself, but loop, "
                "fast and fast-expand reorder across statements");
        detail::current().model = model;
        detail::current().function_ulp = function_ulp;
    }
    ~using_model()
    {
        detail::current().model = before_.model;
        detail::current().function_ulp = before_.function_ulp;
    }
    using_model(const using_model &) = delete;
    using_model &operator=(const using_model &) = delete;

  private:
    detail::state before_;
};

/* How many comparisons of this thread could have gone either way. */
inline unsigned long unstable_decisions()
{
    return detail::current().unstable;
}

/* An expression that is not bounded yet. */
template <class T> class expression : public detail::operators<T>
{
  public:
    /* `whole`: a product that the variable was assigned may be fused. */
    expression(const bounded<T> &x, bool whole = true) : value_(x.value())
    {
        if (whole && !x.product().empty())
            items_ = x.product();
        else
            items_.assign(1, detail::item{ACCORD_BOUND_VALUE, detail::format_of(T()),
                                          static_cast<double>(x.low()),
                                          static_cast<double>(x.high()), false, x.may_be_nan()});
    }
    template <class U, class = typename std::enable_if<std::is_arithmetic<U>::value>::type>
    expression(U x) : value_(static_cast<T>(x))
    {
        double y = static_cast<double>(value_);
        items_.assign(1,
                      detail::item{ACCORD_BOUND_VALUE, detail::format_of(T()), y, y, true, y != y});
    }
    expression(detail::items all, T value) : value_(value), items_(std::move(all))
    {
    }

    T value() const
    {
        return value_;
    }
    const detail::items &items() const
    {
        return items_;
    }
    bool is_constant() const
    {
        return items_.size() == 1 && items_[0].constant;
    }
    /* An operation on the operands in this expression, and in the other one. */
    expression then(enum accord_bound_operation operation, T value) const
    {
        detail::items all(items_);
        all.push_back(detail::operation_item(operation));
        return expression(std::move(all), value);
    }
    expression then(enum accord_bound_operation operation, const expression &other, T value) const
    {
        detail::items all(items_);
        all.reserve(all.size() + other.items_.size() + 1);
        all.insert(all.end(), other.items_.begin(), other.items_.end());
        all.push_back(detail::operation_item(operation));
        return expression(std::move(all), value);
    }

  private:
    T value_;
    detail::items items_;
};

/* A number with the interval of its values. */
template <class T> class bounded : public detail::operators<T>
{
  public:
    bounded() : low_(0), high_(0), value_(0), nan_(false)
    {
    }
    template <class U, class = typename std::enable_if<std::is_arithmetic<U>::value>::type>
    bounded(U x) : low_(static_cast<T>(x)), high_(low_), value_(low_), nan_(low_ != low_)
    {
    }
    /* Any number in [low, high]; value() is low. */
    bounded(T low, T high) : low_(low), high_(high), value_(low), nan_(false)
    {
        if (!(low <= high))
            throw std::invalid_argument("the lower end of an interval comes first");
    }
    bounded(const expression<T> &e) : value_(e.value())
    {
        take(e.items());
    }
    /* Rounded to another type, as by a cast. */
    template <class U> explicit bounded(const bounded<U> &x) : value_(static_cast<T>(x.value()))
    {
        detail::items all(expression<U>(x).items());
        detail::item to = detail::operation_item(ACCORD_BOUND_CONVERT);
        to.format = detail::format_of(T());
        all.push_back(to);
        take(all);
    }

    /* The ends; both are NaN if every value is. */
    T low() const
    {
        return low_;
    }
    T high() const
    {
        return high_;
    }
    double width() const
    {
        return static_cast<double>(high_) - static_cast<double>(low_);
    }
    bool may_be_nan() const
    {
        return nan_;
    }
    /* What the plain program computes. */
    T value() const
    {
        return value_;
    }
    /* The product that may still enter a sum unrounded; empty if there is none. */
    const detail::items &product() const
    {
        return product_;
    }

    bounded &operator+=(const expression<T> &e)
    {
        return *this = expression<T>(*this) + e;
    }
    bounded &operator-=(const expression<T> &e)
    {
        return *this = expression<T>(*this) - e;
    }
    bounded &operator*=(const expression<T> &e)
    {
        return *this = expression<T>(*this) * e;
    }
    bounded &operator/=(const expression<T> &e)
    {
        return *this = expression<T>(*this) / e;
    }

  private:
    void take(const detail::items &all)
    {
        detail::evaluation made(all);
        low_ = static_cast<T>(made.bound().low);
        high_ = static_cast<T>(made.bound().high);
        nan_ = made.bound().may_be_nan;
        detail::items kept;
        if ((detail::current().model & ACCORD_BOUND_CONTRACT) && is_product(all))
            kept = all.size() > most_items ? of_intervals(all) : all;
        if (!kept.empty())
            kept.push_back(detail::operation_item(ACCORD_BOUND_ASSIGN));
        product_ = std::move(kept);
    }
    /* The first item of the part of an expression that ends with this item. */
    static std::size_t begin_of(const detail::items &all, std::size_t last)
    {
        std::size_t wanted = 1;
        for (std::size_t i = last + 1; i-- > 0;) {
            wanted--;
            if (all[i].operation != ACCORD_BOUND_VALUE)
                wanted += detail::operands(all[i].operation);
            if (wanted == 0)
                return i;
        }
        return 0;
    }
    static bool is_power_of_two(const detail::item &i)
    {
        int exponent;
        return i.constant && std::fabs(std::frexp(i.low, &exponent)) == 0.5;
    }
    /* A long product: its factors become intervals, but what a power of two scales stays. */
    static detail::items of_intervals(const detail::items &all)
    {
        std::size_t top = all.size() - 1;
        while (detail::operands(all[top].operation) == 1)
            top--;
        std::size_t right = begin_of(all, top - 1), left = begin_of(all, right - 1);
        if ((right + 1 == top && is_power_of_two(all[right])) ||
            (left + 1 == right && is_power_of_two(all[left])))
            return all;
        detail::items out(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(left));
        out.push_back(interval_of(all, left, right));
        out.push_back(interval_of(all, right, top));
        out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(top), all.end());
        return out;
    }
    static detail::item interval_of(const detail::items &all, std::size_t from, std::size_t past)
    {
        detail::evaluation made(detail::items(all.begin() + static_cast<std::ptrdiff_t>(from),
                                              all.begin() + static_cast<std::ptrdiff_t>(past)));
        const accord_bound &b = made.bound();
        return detail::item{ACCORD_BOUND_VALUE, b.format, b.low, b.high, false, b.may_be_nan};
    }
    static bool is_product(const detail::items &all)
    {
        std::size_t i = all.size() - 1;
        while (i > 0 && (all[i].operation == ACCORD_BOUND_NEGATE ||
                         all[i].operation == ACCORD_BOUND_PARENTHESES ||
                         all[i].operation == ACCORD_BOUND_ASSIGN ||
                         all[i].operation == ACCORD_BOUND_CONVERT))
            i--;
        return all[i].operation == ACCORD_BOUND_MULTIPLY ||
               all[i].operation == ACCORD_BOUND_DIVIDE || all[i].operation == ACCORD_BOUND_POW;
    }

    enum { most_items = 16 };

    T low_, high_, value_;
    bool nan_;
    detail::items product_;
};

typedef bounded<float> ifloat;
typedef bounded<double> idouble;

namespace detail
{

/* The operators, for operands of which one is a bounded<T> or an expression<T>. */
template <class T> struct operators {
    typedef const expression<T> &in;

    friend expression<T> operator+(in a, in b)
    {
        return a.then(ACCORD_BOUND_ADD, b, a.value() + b.value());
    }
    friend expression<T> operator-(in a, in b)
    {
        return a.then(ACCORD_BOUND_SUBTRACT, b, a.value() - b.value());
    }
    friend expression<T> operator*(in a, in b)
    {
        return a.then(ACCORD_BOUND_MULTIPLY, b, a.value() * b.value());
    }
    friend expression<T> operator/(in a, in b)
    {
        return a.then(ACCORD_BOUND_DIVIDE, b, a.value() / b.value());
    }
    friend expression<T> operator-(in a)
    {
        return a.then(ACCORD_BOUND_NEGATE, -a.value());
    }
    friend expression<T> paren(in a)
    {
        return a.then(ACCORD_BOUND_PARENTHESES, a.value());
    }

    friend bool operator<(in a, in b)
    {
        return decide(a.items(), ACCORD_BOUND_LESS, b.items(), a.value() < b.value());
    }
    friend bool operator<=(in a, in b)
    {
        return decide(a.items(), ACCORD_BOUND_LESS_EQUAL, b.items(), a.value() <= b.value());
    }
    friend bool operator>(in a, in b)
    {
        return decide(a.items(), ACCORD_BOUND_GREATER, b.items(), a.value() > b.value());
    }
    friend bool operator>=(in a, in b)
    {
        return decide(a.items(), ACCORD_BOUND_GREATER_EQUAL, b.items(), a.value() >= b.value());
    }
    friend bool operator==(in a, in b)
    {
        return decide(a.items(), ACCORD_BOUND_EQUAL, b.items(), a.value() == b.value());
    }
    friend bool operator!=(in a, in b)
    {
        return decide(a.items(), ACCORD_BOUND_NOT_EQUAL, b.items(), a.value() != b.value());
    }

    friend expression<T> fma(in a, in b, in c)
    {
        items all(a.items());
        all.insert(all.end(), b.items().begin(), b.items().end());
        all.insert(all.end(), c.items().begin(), c.items().end());
        all.push_back(operation_item(ACCORD_BOUND_FMA));
        return expression<T>(std::move(all), std::fma(a.value(), b.value(), c.value()));
    }

#define ACCORD_BOUND_OF_ONE(name, operation)                                                       \
    friend expression<T> name(in a)                                                                \
    {                                                                                              \
        return a.then(operation, std::name(a.value()));                                            \
    }
#define ACCORD_BOUND_OF_TWO(name, operation)                                                       \
    friend expression<T> name(in a, in b)                                                          \
    {                                                                                              \
        return a.then(operation, b, std::name(a.value(), b.value()));                              \
    }
    ACCORD_BOUND_OF_ONE(sqrt, ACCORD_BOUND_SQRT)
    ACCORD_BOUND_OF_ONE(fabs, ACCORD_BOUND_ABS)
    ACCORD_BOUND_OF_ONE(abs, ACCORD_BOUND_ABS)
    ACCORD_BOUND_OF_ONE(floor, ACCORD_BOUND_FLOOR)
    ACCORD_BOUND_OF_ONE(ceil, ACCORD_BOUND_CEIL)
    ACCORD_BOUND_OF_ONE(trunc, ACCORD_BOUND_TRUNC)
    ACCORD_BOUND_OF_ONE(round, ACCORD_BOUND_ROUND)
    ACCORD_BOUND_OF_ONE(rint, ACCORD_BOUND_RINT)
    ACCORD_BOUND_OF_ONE(exp, ACCORD_BOUND_EXP)
    ACCORD_BOUND_OF_ONE(exp2, ACCORD_BOUND_EXP2)
    ACCORD_BOUND_OF_ONE(expm1, ACCORD_BOUND_EXPM1)
    ACCORD_BOUND_OF_ONE(log, ACCORD_BOUND_LOG)
    ACCORD_BOUND_OF_ONE(log2, ACCORD_BOUND_LOG2)
    ACCORD_BOUND_OF_ONE(log10, ACCORD_BOUND_LOG10)
    ACCORD_BOUND_OF_ONE(log1p, ACCORD_BOUND_LOG1P)
    ACCORD_BOUND_OF_ONE(cbrt, ACCORD_BOUND_CBRT)
    ACCORD_BOUND_OF_ONE(sinh, ACCORD_BOUND_SINH)
    ACCORD_BOUND_OF_ONE(cosh, ACCORD_BOUND_COSH)
    ACCORD_BOUND_OF_ONE(tanh, ACCORD_BOUND_TANH)
    ACCORD_BOUND_OF_ONE(asinh, ACCORD_BOUND_ASINH)
    ACCORD_BOUND_OF_ONE(acosh, ACCORD_BOUND_ACOSH)
    ACCORD_BOUND_OF_ONE(atanh, ACCORD_BOUND_ATANH)
    ACCORD_BOUND_OF_ONE(asin, ACCORD_BOUND_ASIN)
    ACCORD_BOUND_OF_ONE(acos, ACCORD_BOUND_ACOS)
    ACCORD_BOUND_OF_ONE(atan, ACCORD_BOUND_ATAN)
    ACCORD_BOUND_OF_ONE(erf, ACCORD_BOUND_ERF)
    ACCORD_BOUND_OF_ONE(erfc, ACCORD_BOUND_ERFC)
    ACCORD_BOUND_OF_ONE(lgamma, ACCORD_BOUND_LGAMMA)
    ACCORD_BOUND_OF_ONE(tgamma, ACCORD_BOUND_TGAMMA)
    ACCORD_BOUND_OF_ONE(sin, ACCORD_BOUND_SIN)
    ACCORD_BOUND_OF_ONE(cos, ACCORD_BOUND_COS)
    ACCORD_BOUND_OF_ONE(tan, ACCORD_BOUND_TAN)
    ACCORD_BOUND_OF_TWO(pow, ACCORD_BOUND_POW)
    ACCORD_BOUND_OF_TWO(hypot, ACCORD_BOUND_HYPOT)
    ACCORD_BOUND_OF_TWO(atan2, ACCORD_BOUND_ATAN2)
    ACCORD_BOUND_OF_TWO(fmin, ACCORD_BOUND_MINIMUM)
    ACCORD_BOUND_OF_TWO(fmax, ACCORD_BOUND_MAXIMUM)
#undef ACCORD_BOUND_OF_ONE
#undef ACCORD_BOUND_OF_TWO
};

} // namespace detail

} // namespace accord

#endif
