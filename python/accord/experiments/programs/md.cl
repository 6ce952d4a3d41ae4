/* The force between two atoms of md.c, and its sum over the neighbors, in C and in OpenCL C. */
#ifndef __OPENCL_VERSION__
#define __global
#endif

#define CUTOFF 16.0f /* squared */
#define LJ1 1.5f
#define LJ2 2.0f

/* Of `count` neighbors with the numbers `who`; positions are three floats each. */
static void find_force(__global const float *position, int own, __global const int *who, int count,
                       __global float *force)
{
    float fx = 0, fy = 0, fz = 0;
    __global const float *p = position + 3 * own;
    for (int k = 0; k < count; k++) {
        __global const float *q = position + 3 * who[k];
        float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
        float square = x * x + y * y + z * z;
        if (square < CUTOFF) {
            float inverse = 1.0f / square;
            float sixth = inverse * inverse * inverse;
            float pull = inverse * sixth * (LJ1 * sixth - LJ2);
            fx += x * pull;
            fy += y * pull;
            fz += z * pull;
        }
    }
    force[0] = fx;
    force[1] = fy;
    force[2] = fz;
}

#ifdef __OPENCL_VERSION__
/* A work-item for each atom; `who` has room for `most` neighbors of each. */
__kernel void md(__global const float *position, __global const int *count,
                 __global const int *who, int most, __global float *force)
{
    int i = (int)get_global_id(0);
    find_force(position, i, who + most * i, count[i], force + 3 * i);
}
#endif
