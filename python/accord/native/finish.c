/* What accumulators finish as, in any of the four formats: results are doubles, which hold them
 * exactly. */
#include "native/exact.h"

/* call_ is a public function without its format; the format of the result chooses one. */
#define IN_FORMAT(format_, call_, ...)                                                             \
    ((format_) == ACCORD_F64   ? call_##_f64(__VA_ARGS__)                                          \
     : (format_) == ACCORD_F32 ? (double)call_##_f32(__VA_ARGS__)                                  \
     : (format_) == ACCORD_F16 ? accord_format_decode(ACCORD_F16, call_##_f16(__VA_ARGS__))        \
                               : accord_format_decode(ACCORD_BF16, call_##_bf16(__VA_ARGS__)))

#define OF_ONE(name_, call_)                                                                       \
    double native_total_##name_(native_total of, native_rounding to)                               \
    {                                                                                              \
        return of.wide ? IN_FORMAT(to.format, accord_exact_wide_##call_, of.wide, to.how)          \
                       : IN_FORMAT(to.format, accord_exact_##call_, of.narrow, to.how);            \
    }
OF_ONE(mean, mean)
OF_ONE(norm, norm)
OF_ONE(rms, rms)

double native_total_value(native_total of, native_rounding to)
{
    return of.wide ? IN_FORMAT(to.format, accord_exact_wide, of.wide, to.how)
                   : IN_FORMAT(to.format, accord_exact, of.narrow, to.how);
}

#define OF_TWO(name_)                                                                              \
    double native_total_##name_(native_total a, native_total b, native_rounding to)                \
    {                                                                                              \
        return a.wide ? IN_FORMAT(to.format, accord_exact_wide_##name_, a.wide, b.wide, to.how)    \
                      : IN_FORMAT(to.format, accord_exact_##name_, a.narrow, b.narrow, to.how);    \
    }
OF_TWO(quotient)
OF_TWO(difference)

#define SPREAD(suffix_, result_)                                                                   \
    (root ? accord_exact_deviation_##suffix_(x, products, less, to.how, &(result_), error)         \
          : accord_exact_covariance_##suffix_(x, y, products, less, to.how, &(result_), error))

enum accord_status native_total_spread(bool root, const accord_exact *x, const accord_exact *y,
                                       const accord_exact_wide *products, int64_t less,
                                       native_rounding to, double *out, accord_error *error)
{
    enum accord_status status;
    float single = 0;
    uint16_t half = 0;
    switch (to.format) {
    case ACCORD_F64:
        return SPREAD(f64, *out);
    case ACCORD_F32:
        status = SPREAD(f32, single);
        *out = (double)single;
        return status;
    case ACCORD_F16:
        status = SPREAD(f16, half);
        break;
    default:
        status = SPREAD(bf16, half);
    }
    *out = accord_format_decode(to.format, half);
    return status;
}
