/* Does a ray hit a sphere? `ray [SET]`, with SET from 1 to 7, prints the discriminant of the
 * quadratic equation, and then the answer.
 *
 * The computation is that of Bayati, Leeser, Gu and Wahl, Identifying volatile numeric expressions
 * in numeric computing applications (2019), figure 2; it is written anew here. Set 1 is theirs. Of
 * sets 2 to 7 they print the results only, so these are our own: the ray touches the sphere, and
 * the numbers are such that a unit in the last place of B * B is about as large as theirs. In every
 * set the sign of the discriminant depends on the compiler. */
#include <stdio.h>
#include <stdlib.h>

#include "ray.cl"
#ifdef ACCORD_OPENCL
#include "opencl.h"
#endif

/* volatile: what compilers know, they compute themselves, with the arithmetic that they choose. */
static volatile const scene scenes[] = {
    {{-10.998046875f, -16, -15}, {-10.4194345474f, -15, -14}, .015625f},
    {{5.37f, -3.41f, -16.33f}, {6.1f, -3.98f, -19.26f}, .0499f},
    {{2.2f, -4.31f, 70.66f}, {2.14f, -5.4f, 81.48f}, .342f},
    {{-49.51f, -13.51f, -48.81f}, {-47.71f, -13.7f, -47}, .454f},
    {{1.99f, 32.29f, 77.77f}, {1.79f, 33.01f, 79.03f}, .0878f},
    {{-32.77f, -36.52f, 33.77f}, {-30.01f, -33.54f, 31.49f}, .184f},
    {{12.13f, .5f, -27.19f}, {12.89f, .51f, -29.62f}, .0886f},
};

static float ask(const scene *s)
{
#ifdef ACCORD_OPENCL
    float d;
    opencl_device device = opencl_open(__FILE__, "ray");
    cl_mem in = opencl_buffer(&device, s, sizeof *s), out = opencl_buffer(&device, NULL, sizeof d);
    opencl_argument(&device, 0, &in, sizeof in);
    opencl_argument(&device, 1, &out, sizeof out);
    opencl_run(&device, 1);
    opencl_read(&device, out, &d, sizeof d);
    return d;
#else
    return discriminant(s);
#endif
}

int main(int count, char **word)
{
    int set = count > 1 ? atoi(word[1]) : 1;
    if (set < 1 || set > (int)(sizeof scenes / sizeof scenes[0])) {
        fprintf(stderr, "ray [SET]: give a set from 1 to 7\n");
        return 2;
    }
    scene s = scenes[set - 1];
    float d = ask(&s);
    printf("%.9g\n", d);
    if (d > 0)
        puts("The ray hits the sphere.");
    else
        puts("The ray misses the sphere.");
    return 0;
}
