/* Bounds in C++: does a ray hit a sphere? With the numbers below, this depends on the compiler. */
#include <accord/bound.hpp>
#include <cstdio>

template <class T> T dot(const T *a, const T *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class T> T discriminant(const T *ray, const T *sphere, T square)
{
    T a = dot(ray, ray), b = -2 * dot(sphere, ray), c = dot(sphere, sphere) - square;
    return b * b - 4 * a * c;
}

int main()
{
    using accord::ifloat;
    const ifloat ray[] = {-10.998046875f, -16, -15}, sphere[] = {-10.4194345474f, -15, -14};
    for (unsigned flag : {ACCORD_BOUND_WRITTEN, ACCORD_BOUND_CONTRACT, ACCORD_BOUND_PAREN}) {
        accord::using_model model(flag);
        ifloat d = discriminant(ray, sphere, ifloat(0.015625f));
        std::printf("[%g, %g]: this one %s\n", static_cast<double>(d.low()),
                    static_cast<double>(d.high()), d > 0 ? "hits" : "misses");
    }
    std::printf("%lu decisions could have gone either way\n", accord::unstable_decisions());
    return 0;
}
