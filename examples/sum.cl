/* Sums as targets of accord: accord reveal opencl:examples/sum.cl:sum -n 64. With -DREAL=double and
 * --format f64 they add doubles. */
#ifndef REAL
#define REAL float
#endif

/* One work-item, from left to right. */
__kernel void sum(__global const REAL *x, uint n, __global REAL *out)
{
    REAL s = 0;
    for (uint i = 0; i < n; i++)
        s += x[i];
    *out = s;
}

/* The same of products. OpenCL C may fuse each with its addition. */
__kernel void products(__global const REAL *x, __global const REAL *y, uint n, __global REAL *out)
{
    REAL s = 0;
    for (uint i = 0; i < n; i++)
        s += x[i] * y[i];
    *out = s;
}

/* Each work-item adds every so manieth term; each group folds its sums by halves in local memory
 * and leaves a part. */
__kernel void fold(__global const REAL *x, uint n, __global REAL *out, __local REAL *shared)
{
    uint me = get_local_id(0);
    REAL s = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        s += x[i];
    shared[me] = s;
    for (uint by = get_local_size(0) / 2; by > 0; by /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < by)
            shared[me] += shared[me + by];
    }
    if (me == 0)
        out[get_group_id(0)] = shared[0];
}
