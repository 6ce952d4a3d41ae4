/* Newton's method in the complex plane, with a division that is written out. */
#include <complex.h>
#include <stdio.h>
static volatile double shift = 0.1;
int main(void)
{
    double complex z = 0.8 + shift + 0.9 * I;
    for (int i = 0; i < 4; i++) {
        double complex f = z * z * z - 1, g = 3 * z * z;
        double size = creal(g) * creal(g) + cimag(g) * cimag(g);
        z = z - f * conj(g) * (1 / size);
        printf("%a %a %a\n", creal(z), cimag(z), cabs(z));
    }
    return 0;
}
