/* Reductions of accord/methods.h: what one run on a device does. A block is a work-group. `last` is
 * an accord_last_stage. Nothing is a macro but the 64-bit atomics, which not all devices have: a
 * device compiles this once for all methods. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

enum { ATOMIC, PAIRWISE, RECURSIVE, HOST };

typedef const volatile __global double *terms;

void add_atomically(volatile __global ulong *total, double x)
{
#if ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
    ulong before = *total, seen;
    while ((seen = atom_cmpxchg(total, before, as_ulong(as_double(before) + x))) != before)
        before = seen;
#endif
}

/* The sum of block b; in thread 0. */
double block_sum(terms x, ulong n, ulong grid, ulong b, __local double *thread)
{
    uint t = get_local_id(0), size = get_local_size(0);
    double sum = 0;
    for (ulong i = 2 * size * b + t; i < n; i += 2 * size * grid) {
        sum += x[i];
        if (i + size < n)
            sum += x[i + size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    thread[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = size / 2; offset > 0; offset /= 2) {
        if (t < offset)
            thread[t] += thread[t + offset];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return thread[0];
}

/* One by one; compensated: Neumaier's. */
double chain(terms part, ulong parts, uint compensated)
{
    double sum = 0, lost = 0;
    for (ulong i = 0; i < parts; i++) {
        double x = part[i], next = sum + x;
        lost += fabs(sum) > fabs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
    return compensated ? sum + lost : sum;
}

__kernel void atomic_terms(__global const double *x, ulong n, volatile __global ulong *total,
                           volatile __global uint *counter, __global uint *arrival)
{
    ulong i = get_global_id(0);
    if (i < n) {
        add_atomically(total, x[i]);
        arrival[atomic_inc(counter)] = (uint)i;
    }
}

__kernel void reduce(__global const double *x, ulong n, ulong parts, uint last, uint compensated,
                     __local double *thread, volatile __global double *part,
                     volatile __global ulong *total, volatile __global uint *counter,
                     __global uint *arrival)
{
    __local uint turn;
    uint t = get_local_id(0);
    ulong b = get_group_id(0);
    double sum = block_sum(x, n, parts, b, thread);
    if (t == 0) {
        if (last == ATOMIC)
            add_atomically(total, sum);
        part[b] = sum;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        turn = atomic_inc(counter);
        arrival[turn] = (uint)b;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    /* These are the same for all work-items of a group. */
    if (turn + 1 != parts || last == ATOMIC || last == HOST)
        return;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (last == PAIRWISE)
        sum = block_sum(part, parts, 1, 0, thread);
    else
        sum = t == 0 ? chain(part, parts, compensated) : 0;
    if (t == 0)
        *total = as_ulong(sum);
}
