/* The stencil of stencil.c, in C and in OpenCL C. */
#ifndef __OPENCL_VERSION__
#define __global
#endif

/* The sum of all weights is 1.05, so the numbers grow. */
#define CENTER .25f
#define CARDINAL .15f
#define DIAGONAL .05f

/* The new value of the number at c, in a matrix with rows of `down` numbers. */
static float next(__global const float *c, int down)
{
    const int up = -down;
    float near = c[up] + c[down] + c[1] + c[-1];
    float far = c[up + 1] + c[down + 1] + c[up - 1] + c[down - 1];
    return CENTER * c[0] + CARDINAL * near + DIAGONAL * far;
}

#ifdef __OPENCL_VERSION__
/* A work-item for each number; the matrix is surrounded by zeros. */
__kernel void stencil(__global const float *from, __global float *to, int size)
{
    int k = (int)get_global_id(0), row = size + 2;
    int at = (k / size + 1) * row + k % size + 1;
    to[at] = next(from + at, row);
}
#endif
