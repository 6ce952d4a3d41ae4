/* UNROLL goes before a loop with few iterations, whose number is known, so that arrays of vectors
 * that are indexed by the loop counter stay in registers. gcc and clang have different pragmas for
 * this. Where clang checks for undefined behavior, each iteration has many branches, and unrolling
 * them before they become fewer takes longer than all else in the file: loops stay loops. Internal.
 */
#ifndef ACCORDI_EXACT_UNROLL_H
#define ACCORDI_EXACT_UNROLL_H

#ifdef __clang__
#if __has_feature(undefined_behavior_sanitizer)
#define UNROLL
#else
#define UNROLL _Pragma("clang loop unroll(full)")
#endif
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#endif
