/* Operations rounded to nearest by the machine where it has them, and otherwise by the rounding of
 * room model; and exact products compared: the product of two doubles is that of their
 * significands, which a fused multiplication splits into two doubles without underflow, and an
 * exponent. */
#include "bound/arithmetic.h"
#include <math.h>

double accordi_round_fused(enum accord_format format, enum accord_rounding rounding, double x,
                           double y, double c)
{
    if (format == ACCORD_F64 && rounding == ACCORD_NEAREST_EVEN)
        return fma(x, y, c);
    return accordi_sum_products(format, rounding, (const accordi_factors[]){{x, y}, {c, 1}}, 2);
}

double accordi_below(double x)
{
    return nextafter(x, -INFINITY);
}

double accordi_above(double x)
{
    return nextafter(x, INFINITY);
}

typedef struct product {
    double high, low; /* of the significands, |high| in [1/4, 1), or 0 or an infinity */
    int exponent;
} product;

static product product_of(double x, double y)
{
    product p = {0, 0, 0};
    int more = 0;
    if (x == 0 || y == 0)
        return p;
    x = frexp(x, &p.exponent);
    y = frexp(y, &more);
    p.high = x * y;
    if (isinf(p.high))
        return p;
    p.low = fma(x, y, -p.high);
    p.exponent += more;
    if (fabs(p.high) < 0.5) {
        p.high *= 2;
        p.low *= 2;
        p.exponent--;
    }
    return p;
}

static int sign(double x)
{
    return (x > 0) - (x < 0);
}

int accordi_compare_products(double x, double y, double u, double v)
{
    product p = product_of(x, y), q = product_of(u, v);
    int side = sign(p.high);
    if (side != sign(q.high) || side == 0)
        return sign((double)side - sign(q.high));
    if (isinf(p.high) || isinf(q.high))
        return isinf(p.high) && isinf(q.high) ? 0 : isinf(p.high) ? side : -side;
    if (p.exponent != q.exponent)
        return p.exponent > q.exponent ? side : -side;
    return p.high != q.high ? sign(p.high - q.high) : sign(p.low - q.low);
}
