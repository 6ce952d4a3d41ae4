/* Numbers drawn for questions to a machine. */
#include "reveal/machine/candidates.h"

int accordi_drawn(accordi_space *space, int least, int most)
{
    if (most <= least)
        return least;
    return least + (int)accordi_rng_below(&space->asker->rng, (uint64_t)(most - least + 1));
}

bool accordi_chance(accordi_space *space, int percent)
{
    return accordi_drawn(space, 1, 100) <= percent;
}
