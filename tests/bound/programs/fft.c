/* A recursive fast Fourier transform of complex numbers. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
enum { N = 16 };
static volatile double seed = 0.3;
static void transform(double complex *x, int n, double complex *room)
{
    if (n == 1)
        return;
    for (int i = 0; i < n / 2; i++) {
        room[i] = x[2 * i];
        room[n / 2 + i] = x[2 * i + 1];
    }
    transform(room, n / 2, x);
    transform(room + n / 2, n / 2, x);
    for (int i = 0; i < n / 2; i++) {
        double angle = -2 * 3.14159265358979 * i / n;
        double complex t = (cos(angle) + sin(angle) * I) * room[n / 2 + i];
        x[i] = room[i] + t;
        x[n / 2 + i] = room[i] - t;
    }
}
int main(void)
{
    double complex x[N], room[N];
    for (int i = 0; i < N; i++)
        x[i] = seed * i - 0.1 * i * i + (1 - seed * i) * I;
    transform(x, N, room);
    for (int i = 0; i < N; i++)
        printf("%a %a\n", creal(x[i]), cimag(conj(x[i])));
    return 0;
}
