/* Multi-term fused sums of matrix accelerators, as one parametrised model.
 *
 * The parameters and the table of machines: see fused.h's struct and src/fused/machines.c, whose
 * rows cite their sources (MMA-Sim arXiv:2511.10909; Fasi et al. 2021; Khattak & Mikaitis
 * arXiv:2512.07004; FTTN arXiv:2403.00232). */
#ifndef ACCORD_FUSED_H
#define ACCORD_FUSED_H

#include <accord/format.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct accord_fused accord_fused; /* parameters: to be completed in this header */

#ifdef __cplusplus
}
#endif
#endif
