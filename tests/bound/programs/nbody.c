/* Bodies that attract each other, in structs passed by value. */
#include <math.h>
#include <stdio.h>
typedef struct {
    double x, y, z;
} vector;
typedef struct {
    vector at, v;
    double mass;
} body;
static volatile double third = 1 / 3.;
static vector minus(vector a, vector b)
{
    return (vector){a.x - b.x, a.y - b.y, a.z - b.z};
}
static vector along(vector a, double t, vector b)
{
    return (vector){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}
static double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
int main(void)
{
    body b[3] = {{{0, 0, 0}, {0, third, 0}, 1},
                 {{1, .1, 0}, {0, -.5, .1}, .3},
                 {{0, 2, .4}, {.6, 0, 0}, .1}};
    for (int step = 0; step < 10; step++) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                if (i != j) {
                    vector d = minus(b[j].at, b[i].at);
                    double r2 = dot(d, d) + 1e-3;
                    b[i].v = along(b[i].v, .01 * b[j].mass / (r2 * sqrt(r2)), d);
                }
        for (int i = 0; i < 3; i++)
            b[i].at = along(b[i].at, .01, b[i].v);
    }
    for (int i = 0; i < 3; i++)
        printf("%a %a %a\n", b[i].at.x, b[i].at.y, b[i].at.z);
    return 0;
}
