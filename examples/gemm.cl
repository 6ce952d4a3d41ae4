/* Products of matrices as targets with a grid of results, as doc/opencl.md asks for them. With
 * -DREAL=double and --format f64 they are of doubles. */
#ifndef REAL
#define REAL float
#endif
#pragma OPENCL FP_CONTRACT OFF

/* A work-item for each result, from left to right in tiles of local memory. a has a row of n terms
 * for each result's row, b a column. */
#define TILE 4
__kernel void tiles(__global const REAL *a, __global const REAL *b, uint n, uint rows,
                    uint columns, __global REAL *out)
{
    __local REAL of_a[TILE][TILE], of_b[TILE][TILE];
    uint c = get_global_id(0), r = get_global_id(1), i = get_local_id(0), j = get_local_id(1);
    REAL s = 0;
    for (uint from = 0; from < n; from += TILE) {
        of_a[j][i] = r < rows && from + i < n ? a[r * n + from + i] : 0;
        of_b[j][i] = c < columns && from + j < n ? b[(from + j) * columns + c] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            s += of_a[j][k] * of_b[k][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (r < rows && c < columns)
        out[r * columns + c] = s;
}

/* The same for matrices whose columns lie one after the other, each result cut into PARTS parts.
 * Even rows add from the front, odd ones from the back. */
#define PARTS 2
__kernel void cut(__global const REAL *a, __global const REAL *b, uint n, uint rows,
                  uint columns, __global REAL *out)
{
    uint r = get_global_id(0), c = get_global_id(1), part = get_global_id(2);
    uint from = n * part / PARTS, end = n * (part + 1) / PARTS;
    REAL s = 0;
    for (uint i = from; i < end; i++) {
        uint k = r % 2 ? from + end - 1 - i : i;
        s += a[k * rows + r] * b[c * n + k];
    }
    out[(part * columns + c) * rows + r] = s;
}

/* Adds the parts; a has the results of the first part, then those of the second. */
__kernel void join(__global const REAL *a, __global const REAL *b, uint parts, uint rows,
                   uint columns, __global REAL *out)
{
    uint i = get_global_id(0);
    REAL s = a[i];
    for (uint part = 1; part < parts; part++)
        s += a[part * rows * columns + i];
    out[i] = s;
}
