/* Numbers in memory that are read before they are set, and numbers that only look like that. Each
 * `unknown` must be unknown; each `known` must have bounds, and no other reason to lack them. */
#include <alloca.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline))
static void unknown(double x)
{
    printf("%g\n", x);
}
static void known(double x)
{
    printf("%g\n", x);
}

struct vector {
    double x, y, z;
};
struct mixed {
    int count;
    float weight;
    double sum;
};
struct bytes {
    char text[3];
    float number;
    char tail;
};
union word {
    double number;
    int half[2];
};

/* What the stack holds: zeros, or numbers with shadows. */
static KEEP double fill(double x)
{
    double a[200];
    for (int i = 0; i < 200; i++)
        a[i] = x * x + i * (x != 0);
    return a[7];
}

static void arrays(double x, int n)
{
    double a[10], b[2][3];
    float f[5];
    for (int i = 0; i < 10; i += 2)
        a[i] = x;
    f[n] = (float)x;
    b[n][2] = x;
    unknown(a[3]);
    known(a[4]);
    unknown((double)f[n + 1]);
    known((double)f[n]);
    unknown(b[0][n]);
    known(b[1][2]);
    a[3] = a[4] * 2;
    known(a[3]);
    memset(a, 0, sizeof a);
    known(a[5]);
    double c[6] = {1};
    known(c[4]);
}

static struct vector partly(double x)
{
    struct vector v;
    v.x = x;
    v.z = 2;
    return v;
}

static void take(struct vector v)
{
    unknown(v.y);
    known(v.x + v.z);
}

static void structs(double x)
{
    struct vector v = partly(x), w, u[3];
    take(v);
    w = v;
    unknown(w.y);
    known(w.x);
    u[1] = w;
    unknown(u[1].y);
    unknown(u[2].x);
    known(u[1].z);
    struct mixed m;
    m.count = 3;
    m.sum = x;
    known(m.sum * m.count);
    unknown((double)m.weight);
    double out, *address = &out;
    unknown(*address);
    *address = x;
    known(out);
}

/* Each time the declaration is reached, the variable is not set. */
static void again(double x)
{
    for (int i = 0; i < 2; i++) {
        double a[2], b;
        if (i == 0)
            a[1] = b = x;
        if (i == 0)
            known(a[1]);
        else
            unknown(a[1]);
        if (i == 0)
            known(b);
        else
            unknown(b);
    }
}

static void heap(double x, size_t n)
{
    double *a = malloc(n * sizeof *a), *z = calloc(n, sizeof *z), *copy = malloc(n * sizeof *a);
    for (size_t i = 0; i < n; i += 2)
        a[i] = x;
    unknown(a[1]);
    known(a[2]);
    known(z[1]);
    memcpy(copy, a, n * sizeof *a);
    unknown(copy[1]);
    known(copy[2]);
    a = realloc(a, 1000 * n * sizeof *a);
    unknown(a[1]);
    known(a[2]);
    unknown(a[n * 900]);
    memcpy(a, z, n * sizeof *a);
    known(a[1]);
    free(a);
    a = malloc(n * sizeof *a);
    unknown(a[0]);
    double *t = alloca(n * sizeof *t), v[n];
    t[0] = v[1] = x;
    known(t[0] + v[1]);
    unknown(t[1]);
    unknown(v[0]);
    void *aligned;
    if (posix_memalign(&aligned, 64, n * sizeof *a) == 0)
        unknown(((double *)aligned)[n - 1]);
    free(aligned);
    free(a);
    free(z);
    free(copy);
}

/* Stores of integers set, of the bits that were there too. */
static void unions(int zero)
{
    fill(0);
    union word a, b;
    a.half[0] = zero;
    a.half[1] = zero;
    known(a.number);
    b.half[1] = zero;
    unknown(b.number);
    struct bytes from, to[2];
    unsigned char *byte = (unsigned char *)&from.number;
    for (int i = 0; i < 4; i++)
        byte[i] = (unsigned char)zero;
    known((double)from.number);
    memcpy((char *)to + 1, (char *)&from + 1, sizeof from - 1);
    known((double)to[0].number);
    float f;
    byte = (unsigned char *)&f;
    byte[0] = byte[2] = byte[3] = (unsigned char)zero;
    unknown((double)f);
}

/* Bytes that move to an address of another alignment, and a part of a number. */
static void shifted(double x)
{
    char *bytes = malloc(100);
    double a[2], b[2], c[2];
    a[0] = x;
    memcpy(bytes + 1, &a[1], sizeof *a);
    memcpy(&b[1], bytes + 1, sizeof *b);
    unknown(b[1]);
    memset(c, 0, 15);
    known(c[0]);
    unknown(c[1]);
    memcpy((char *)&c[1] + 7, (char *)&a[0] + 7, 1);
    known(c[1] * 0 + 1);
    free(bytes);
}

/* What comes in is set, with the bits that were there too. */
static void input(void)
{
    for (int i = 0; i < 2; i++) {
        double pair[2], more[3];
        known(sscanf("0 0", "%lf %lf", &pair[0], &pair[1]));
        known(pair[0] + pair[1]);
        known(sscanf("0", "%lf %lf", &more[0], &more[1]));
        known(more[0]);
        unknown(more[1]);
    }
    FILE *file = tmpfile();
    double zeros[4] = {0}, in[4];
    fwrite(zeros, sizeof *zeros, 3, file);
    rewind(file);
    fread(in, sizeof *in, 4, file);
    known(in[2]);
    unknown(in[3]);
    fclose(file);
    double whole, part = modf(2.5, &whole);
    known(whole + part);
}

static void longs(void)
{
#ifndef NO_LONGS /* where they have no bounds at all */
    long double a[2];
    a[0] = .1L;
    known((double)a[0]);
    unknown((double)a[1]);
#endif
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double x = atof("0.1");
    known(fill(argc > 5 ? 1 : 0));
    arrays(x, 1);
    fill(x);
    arrays(x, 1);
    structs(x);
    again(x);
    heap(x, 10);
    unions(argc > 5);
    shifted(x);
    input();
    longs();
    static double fixed[3];
    double sorted[4];
    for (int i = 0; i < 4; i++)
        sorted[i] = x * (4 - i);
    qsort(sorted, 4, sizeof *sorted, compare);
    known(sorted[0] + fixed[1]);
    return argv == NULL;
}
