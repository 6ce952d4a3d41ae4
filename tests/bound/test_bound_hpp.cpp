/* accord/bound.hpp: figures of Bayati et al., what is fused across statements, and unstable
 * decisions. Speaks TAP. ACCORD_TEST_SCALE=100 runs the stencils of the paper in full. */
#include <accord/bound.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using accord::idouble;
using accord::ifloat;

static int number, failed;

static void judge(bool good, const char *name)
{
    std::printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

static bool is_near(double x, double y, double relative)
{
    return std::fabs(x - y) <= relative * std::fabs(y);
}

/* ---- ray tracing: figure 2 of the paper ---- */

static ifloat dot3(const ifloat *a, const ifloat *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static ifloat discriminant(const ifloat *ray, const ifloat *sphere, ifloat square)
{
    ifloat a = dot3(ray, ray), b = -2.0 * dot3(sphere, ray), c = dot3(sphere, sphere) - square;
    return b * b - 4 * a * c;
}

static void test_ray()
{
    const ifloat ray[3] = {-10.998046875f, -16, -15}, sphere[3] = {-10.4194345474f, -15, -14};
    accord::using_model paren(ACCORD_BOUND_PAREN);
    unsigned long before = accord::unstable_decisions();
    ifloat d = discriminant(ray, sphere, 0.015625f);
    judge(is_near(d.low(), -0.252807, 1e-5) && is_near(d.high(), 0.156754, 1e-5),
          "the ray of set 1 under paren");
    judge((d > 0) == (d.value() > 0) && accord::unstable_decisions() == before + 1,
          "its branch is unstable");
    accord::using_model contract(ACCORD_BOUND_CONTRACT);
    d = discriminant(ray, sphere, 0.015625f);
    judge(d.low() == -0.125f && is_near(d.high(), 0.156754, 1e-5), "under contract");
    judge(d < 1 && accord::unstable_decisions() == before + 1, "a stable branch");
    accord::using_model written(ACCORD_BOUND_WRITTEN);
    d = discriminant(ray, sphere, 0.015625f);
    judge(d.low() == 0.125f && d.high() == 0.125f, "as written");
}

/* ---- the 9-point stencil of SHOC ---- */

static void step(const std::vector<ifloat> &from, std::vector<ifloat> &to, int n)
{
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            const ifloat *c = &from[static_cast<size_t>(i * (n + 2) + j)];
            const ifloat *up = c - (n + 2), *down = c + (n + 2);
            ifloat near = up[0] + down[0] + c[1] + c[-1];
            ifloat far = up[1] + down[1] + up[-1] + down[-1];
            to[static_cast<size_t>(i * (n + 2) + j)] = 0.25f * c[0] + 0.15f * near + 0.05f * far;
        }
}

/* The largest width after some steps from i * j, with i and j from 0, or from random numbers in [0,
 * 1); around is 0. */
static double stencil(int n, int steps, bool random)
{
    std::vector<ifloat> from(static_cast<size_t>((n + 2) * (n + 2))), to;
    srand48(1);
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            from[static_cast<size_t>(i * (n + 2) + j)] =
                random ? static_cast<float>(drand48()) : static_cast<float>((i - 1) * (j - 1));
    to = from;
    for (int t = 0; t < steps; t++) {
        step(from, to, n);
        from.swap(to);
    }
    double widest = 0;
    for (const ifloat &x : from)
        widest = std::fmax(widest, x.width());
    return widest;
}

static void test_stencil()
{
    const char *scale = std::getenv("ACCORD_TEST_SCALE");
    accord::using_model paren(ACCORD_BOUND_PAREN);
    double small = stencil(16, 5, false);
    judge(small > 0 && small < 1e-3, "a small stencil");
    if (!scale || std::atoi(scale) < 100)
        return;
    judge(is_near(stencil(128, 100, false), 11.25, 0), "set 1 of the stencil");
    judge(is_near(stencil(128, 50, true), 2.38e-5, 0.1), "set 2 of the stencil");
    judge(is_near(stencil(512, 10, false), 0.34375, 0), "set 3 of the stencil");
}

/* ---- what may be fused ---- */

static void test_products()
{
    idouble a = .1, b = 3, c = -.3, t = a * b, u = t + c, v = (a * b) + c;
    judge(u.low() < u.high() && u.low() == v.low() && u.high() == v.high(), "through a variable");
    idouble quarter = t / 4, w = quarter + c / 4;
    judge(w.low() < w.high(), "through a power of two");
    idouble minus = -t;
    w = minus - c;
    judge(w.low() < w.high(), "through a negation");
    w = t;
    w += c;
    judge(w.low() == u.low(), "through a copy");
    ifloat x = 16777217.0 / 16777216.0, y = 1.0000001f, xy = y * y;
    idouble wide(xy);
    w = wide - 1.0;
    judge(w.low() < w.high(), "through a wider format");
    judge(ifloat(idouble(.1)).low() == .1f, "rounded to a narrower format");
    for (int i = 0; i < 100; i++)
        t *= 1.5;
    judge(t.product().size() < 30 && t.low() <= t.value() && t.value() <= t.high(),
          "long products are kept short");
    accord::using_model strict(ACCORD_BOUND_CONTRACT_EXPR);
    t = a * b;
    u = t + c;
    judge(u.low() == u.high(), "not through a variable");
    judge(x.low() == x.high(), "a point");
}

static void test_others()
{
    idouble z = 0, one(1, 2), q = one / z;
    judge(q.high() == HUGE_VAL && !(q.low() > -HUGE_VAL), "a divisor that may be 0");
    idouble nan = q - q, more = nan * 0.5;
    judge(nan.may_be_nan() && more.may_be_nan(), "NaN stays possible");
    judge(sqrt(idouble(4, 9)).value() == 2, "a root");
    idouble root = sqrt(idouble(4, 9)), least = fmin(root, 2.5), power = pow(idouble(2, 3), 2);
    judge(root.low() == 2 && root.high() == 3 && least.high() == 2.5, "its ends, and a minimum");
    judge(power.low() <= 4 && power.high() >= 9, "a power");
    idouble sum = fma(one, one, -1.0), in_parentheses = paren(one + one) + 1.0;
    judge(sum.low() == 0 && sum.high() == 3 && in_parentheses.high() == 5, "fma and parentheses");
    bool refused = false, upside_down = false;
    try {
        accord::using_model fast(ACCORD_BOUND_FAST);
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    try {
        idouble wrong(2, 1);
    } catch (const std::invalid_argument &) {
        upside_down = true;
    }
    judge(refused && upside_down, "what is refused");
}

int main()
{
    test_ray();
    test_stencil();
    test_products();
    test_others();
    std::printf("1..%d\n", number);
    return failed != 0;
}
