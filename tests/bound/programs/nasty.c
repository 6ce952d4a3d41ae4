/* Ways by which numbers travel: lists of arguments, structs, unions, sorting, longjmp. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct four {
    double x, y, z, w;
};
struct mixed {
    float f;
    int i;
    double d;
};
union pun {
    float f;
    unsigned bits;
};
static volatile double one = 1.1, two = 2.3, three = -0.7;
static jmp_buf back;
static double total_of(int n, ...)
{
    va_list list;
    double sum = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, double);
    va_end(list);
    return sum;
}
static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}
static struct four times(struct four a, double k)
{
    return (struct four){a.x * k, a.y * k, a.z * k, a.w * k};
}
static double total(struct four a)
{
    return a.x + a.y + a.z + a.w;
}
static struct mixed next(struct mixed a)
{
    a.f = a.f * a.f - 1;
    a.d = a.d * a.d + a.f;
    a.i++;
    return a;
}
static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double deep(int n, double x)
{
    return n ? deep(n - 1, x * x - 0.5) + x * 0.25 : x;
}
int main(void)
{
    double a = one, b = two, c = three;
    printf("%a %a\n", total_of(3, a * b, c * c, a), total_of(4, a, b, c, a * c - b));
    say("%d %a %s %a\n", 3, a * b - c * a, "x", b * b - 1);
    printf("%a\n", total(times((struct four){a * b, b, c, a}, c)));
    struct mixed m = {(float)(a * b + c), 1, a * c - b};
    m = next(next(m));
    printf("%a %d %a\n", (double)m.f, m.i, m.d);
    union pun p = {.f = (float)(a * b + c)};
    p.bits ^= 0x80000000u;
    printf("%a\n", (double)p.f);
    double *list = malloc(4 * sizeof *list);
    for (int i = 0; i < 4; i++)
        list[i] = a * (3 - i) + b * c;
    list = realloc(list, 4000);
    qsort(list, 4, sizeof *list, order);
    printf("%a\n", list[0] * list[1] + list[2] * list[3]);
    volatile double kept = 0;
    if (setjmp(back) == 0) {
        kept = a * b;
        longjmp(back, 1);
    }
    printf("%a\n", kept + c);
    double copy[4];
    memcpy(copy, list, sizeof copy);
    memmove(copy + 1, copy, 2 * sizeof *copy);
    double row[(int)(a * 4)];
    row[3] = copy[2] * a;
    printf("%a %a %a\n", copy[2], row[3] + b * c, deep(6, c));
    volatile double zero = kept * 0, other = -zero;
    volatile float narrow = (float)zero;
    double plus = zero, minus = other;
    printf("%a %a %a %a\n", fmax(minus, plus), fmax(plus, minus), fmin(minus, plus),
           fmin(plus, minus));
    printf("%a %a %a %a\n", fmax(minus, 0), fmax(0, minus), fmin(plus, -0.), fmin(-0., plus));
    printf("%a %a\n", fmin(plus, fmin(-0., 1.5)), fmax(minus, fmax(0., -1.5)));
    printf("%a %a\n", (double)fmaxf(-narrow, narrow), (double)fminf(narrow, -narrow));
    fwrite(copy, sizeof *copy, 3, stderr);
    free(list);
    return 0;
}
