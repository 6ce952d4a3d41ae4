/* The default algorithm: guesses an order and verifies it, and otherwise splits paths. */
#include "reveal/discover/auto.h"
#include "reveal/discover/guess.h"
#include "reveal/discover/rooted.h"
#include "reveal/discover/split.h"
#include "reveal/reasons/in_calibration.h"

enum accord_status accordi_auto_split(accordi_asker *asker, accord_tree **out)
{
    return accordi_check_bound(asker) ? asker->status : accordi_split(asker, out);
}

enum accord_status accordi_auto(accordi_asker *asker, accord_tree **out)
{
    if (accordi_rooted_pays(asker))
        return accordi_rooted_discover(asker, out);
    bool fused = accordi_begins_fused(asker);
    if (fused && (accordi_guess_fused(asker, accordi_auto, out) || *out))
        return asker->status;
    if (accordi_guess(asker, out) || *out)
        return asker->status;
    if (!fused && (accordi_guess_fused(asker, accordi_auto, out) || *out))
        return asker->status;
    return accordi_auto_split(asker, out);
}
