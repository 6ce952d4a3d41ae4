/* UNROLL before a loop of few, known turns: arrays of registers that it counts through stay in
 * registers then. Either compiler ignores the other's way of saying it. Internal. */
#ifndef ACCORDI_EXACT_UNROLL_H
#define ACCORDI_EXACT_UNROLL_H

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#endif
