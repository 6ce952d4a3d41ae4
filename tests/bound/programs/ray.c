/* Does a ray hit a sphere? The ray of the paper that doc/bound.md names, input set 1. */
#include <stdio.h>
static float dot3(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static float discriminant(const float *ray, const float *sphere, float square)
{
    float a = dot3(ray, ray);
    float b = -2.0f * dot3(sphere, ray);
    float c = dot3(sphere, sphere) - square;
    return b * b - 4 * a * c;
}
int main(void)
{
    volatile float square = 0.015625f;
    volatile float given[6] = {-10.998046875f, -16, -15, -10.4194345474f, -15, -14};
    float ray[3], sphere[3];
    for (int i = 0; i < 3; i++) {
        ray[i] = given[i];
        sphere[i] = given[3 + i];
    }
    float d = discriminant(ray, sphere, square);
    printf("%a\n", (double)d);
    return 0;
}
