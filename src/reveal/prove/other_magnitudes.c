/* Tests whether the order changes if the terms are much smaller than those of the probes.
 *
 * Used when replays refute an order that probes proved.
 *
 * Probes use masks near the greatest number of the format and units far below, where the format has
 * most room. A target that adds in another way when its terms are ordinary (because it scales terms
 * beyond a threshold, for example) shows the wrong order there. So the proof is repeated with masks
 * near 1, 2^10 and 2^-10, and with units so small that a mask swallows them even in 64 bits, but
 * large enough to be kept by themselves. If the proof fails, the order is searched for and proved
 * there. Two orders, each proven where it was found, show that the order depends on the values. If
 * none is proven there, nothing is reported. */
#include "reveal/discover/auto.h"
#include "reveal/prove/certificate.h"
#include <math.h>

static const int exponents[] = {0, 10, -10};

/* Masks near 2^exponent, and units that they swallow; false where the range has no room. */
static bool move_to(accordi_asker *asker, int exponent)
{
    enum { WIDEST = 64 };
    accordi_exponents range = accordi_ask_exponents(asker, asker->format);
    int unit = exponent - WIDEST - asker->bits - 2;
    if (unit < range.least || ldexp(asker->headroom, exponent) > ldexp(1, range.most - 1))
        return false;
    asker->mask_exponent = exponent;
    asker->mask = ldexp(1, exponent);
    asker->unit = ldexp(1, unit);
    return true;
}

/* Single masks and units come back: of terms that are lost wherever they stand, all trees agree
 * with one fused sum. */
static bool terms_come_back(accordi_asker *asker)
{
    enum { LEAVES = 4 };
    uint32_t leaf[LEAVES];
    size_t count = asker->n < LEAVES ? asker->n : LEAVES;
    bool back = true;
    accordi_ask_pick(asker, leaf, count);
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i < 2 * count; i++) {
        accordi_ask_own(asker, leaf[i / 2], i % 2 ? asker->unit : asker->mask);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return false;
    for (size_t i = 0; i < 2 * count; i++) {
        double share = asker->result[i] / asker->scale / (i % 2 ? asker->unit : asker->mask);
        back = back && share > 0.5 && share < 2;
    }
    return back;
}

/* A contradiction is an answer here. */
static bool proves(accordi_asker *asker, const accord_tree *tree)
{
    accordi_certificate ignored = {0};
    bool holds = false;
    accordi_prove(asker, tree, &ignored, &holds);
    if (asker->status == ACCORD_UNABLE) {
        asker->status = ACCORD_OK;
        return false;
    }
    return holds && !asker->status;
}

/* Another order that is proven where the asker looks now, else NULL. */
static accord_tree *find_another(accordi_asker *asker, const accord_tree *tree)
{
    accord_tree *found = NULL;
    accordi_auto(asker, &found);
    if (asker->status == ACCORD_UNABLE)
        asker->status = ACCORD_OK;
    if (found && (accord_tree_equal(found, tree) || !proves(asker, found))) {
        accord_tree_free(found);
        found = NULL;
    }
    return found;
}

enum accord_status accordi_elsewhere(accordi_asker *asker, const accord_tree *tree,
                                     accord_tree **other, int *exponent, size_t *places)
{
    enum { MOST = 1 << 16 };
    accordi_asker before = *asker;
    accord_error ignored = {.status = ACCORD_OK};
    asker->error = &ignored;
    asker->stage = "asking for ordinary numbers";
    *other = NULL;
    *places = 0;
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents && !*other; i++) {
        if (asker->status || asker->n < 3 || asker->n > MOST)
            break;
        *exponent = exponents[i];
        if (!move_to(asker, *exponent) || !terms_come_back(asker))
            continue;
        ++*places;
        if (!proves(asker, tree) && !asker->status)
            *other = find_another(asker, tree);
    }
    asker->error = before.error;
    asker->mask_exponent = before.mask_exponent;
    asker->mask = before.mask;
    asker->unit = before.unit;
    if (asker->status)
        *asker->error = ignored;
    return asker->status;
}
