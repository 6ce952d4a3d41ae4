/* The default algorithm: guesses an order and verifies it, and otherwise splits paths. */
#include "reveal/discover/auto.h"
#include "reveal/discover/guess.h"
#include "reveal/discover/rooted.h"
#include "reveal/discover/split.h"
#include "reveal/reasons/in_calibration.h"

/* Units for all terms cannot be counted at once. */
static bool counts_are_few(const accordi_asker *asker)
{
    enum { MOST_TERMS = 1 << 16 };
    return asker->n <= MOST_TERMS && asker->n - 2 > accordi_ask_capacity(asker);
}

/* Then roundings may tell, once more if a guess was refuted, which may have been led astray by
 * chance; or else triples of terms. */
static enum accord_status try_without_counts(accordi_asker *asker, accord_tree **out)
{
    enum { ATTEMPTS = 2 };
    bool rooted = accordi_rooted_pays(asker);
    *out = NULL;
    bool wanted = (rooted || counts_are_few(asker)) && asker->attempt < ATTEMPTS;
    if (wanted && !accordi_check_bound(asker))
        accordi_guess_by_rounding(asker, out);
    return !asker->status && !*out && rooted ? accordi_rooted_discover(asker, out) : asker->status;
}

enum accord_status accordi_auto_split(accordi_asker *asker, accord_tree **out)
{
    if (try_without_counts(asker, out) || *out)
        return asker->status;
    return accordi_check_bound(asker) ? asker->status : accordi_split(asker, out);
}

enum accord_status accordi_auto(accordi_asker *asker, accord_tree **out)
{
    if (try_without_counts(asker, out) || *out)
        return asker->status;
    bool fused = accordi_begins_fused(asker);
    if (fused && (accordi_guess_fused(asker, accordi_auto, out) || *out))
        return asker->status;
    if (accordi_guess(asker, out) || *out)
        return asker->status;
    if (!fused && (accordi_guess_fused(asker, accordi_auto, out) || *out))
        return asker->status;
    return accordi_check_bound(asker) ? asker->status : accordi_split(asker, out);
}
