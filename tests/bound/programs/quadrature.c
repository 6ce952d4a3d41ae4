/* Simpson's rule, the integrand by a pointer to a function. */
#include <math.h>
#include <stdio.h>
static volatile double width = 1.7;
static double bell(double x)
{
    return exp(-x * x / 2) * (1 + 0.3 * x);
}
static double wave(double x)
{
    return sin(3 * x) / (1 + x * x);
}
static double simpson(double (*f)(double), double a, double b, int n)
{
    double h = (b - a) / n, sum = f(a) + f(b);
    for (int i = 1; i < n; i++)
        sum += (i % 2 ? 4 : 2) * f(a + i * h);
    return sum * h / 3;
}
int main(void)
{
    printf("%a\n%a\n", simpson(bell, -width, 2 * width, 20), simpson(wave, 0, width, 20));
    return 0;
}
