/* UNROLL goes before a loop with few iterations, whose number is known, so that arrays of vectors
 * that are indexed by the loop counter stay in registers. gcc and clang have different pragmas for
 * this. Internal. */
#ifndef ACCORDI_EXACT_UNROLL_H
#define ACCORDI_EXACT_UNROLL_H

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#endif
