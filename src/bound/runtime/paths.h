/* Other paths of a run (--both N). Internal. */
#ifndef ACCORDI_PATHS_H
#define ACCORDI_PATHS_H

#include <stdbool.h>
#include <stdint.h>

/* A decision is unstable. Unless one of the next two functions follows, and there is room for its
 * other ways, it is left open. */
void accordi_left_open(void);
/* It is a comparison that could go either way, or a conversion that could give any integer from low
 * to high; accordi_turn, which the instrumenter puts behind them, comes next. */
void accordi_open_branch(uint32_t site);
void accordi_open_integers(uint32_t site, double low, double high);
/* How many of these there were on this path. */
uint64_t accordi_paths_left_open(void);
/* Is this the run itself, and no path of --both? */
bool accordi_is_first_path(void);
/* This path has ended: the processes that wait at its decisions follow theirs, one by one. */
void accordi_paths_follow(void);

#endif
