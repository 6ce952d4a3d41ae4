/* The algorithms of the paper, call for call: Xie, Gao, Wang, Xue, Revealing Floating-Point
 * Accumulation Orders in Software/Hardware Implementations, USENIX ATC 2025 (arXiv:2411.00442).
 * Internal. Each needs a calibrated asker with n >= 2 and hands out a tree; ACCORD_UNABLE as for
 * accord_reveal. */
#ifndef ACCORDI_PAPER_H
#define ACCORDI_PAPER_H

#include "reveal/probes/ask.h"

/* Section 3.3, NaiveSol: every binary tree, tried on 500 random inputs; n <= 9. */
enum accord_status accordi_naive(accordi_asker *asker, accord_tree **out);
/* Algorithm 2: n(n-1)/2 calls; binary orders. */
enum accord_status accordi_basic(accordi_asker *asker, accord_tree **out);
/* Algorithm 3: n-1 to n(n-1)/2 calls; binary orders. */
enum accord_status accordi_refined(accordi_asker *asker, accord_tree **out);
/* Algorithm 4: the calls of Algorithm 3; fused nodes too. */
enum accord_status accordi_fprev(accordi_asker *asker, accord_tree **out);
/* Algorithm 5 with its recursion mended: BuildSubtree(I - J, I - J), then
 * BuildSubtree(J, J + {i}); sums of units may be inexact. */
enum accord_status accordi_modified(accordi_asker *asker, accord_tree **out);

#endif
