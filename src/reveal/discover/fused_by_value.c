/* Whether a sum that looks fused is one whose order depends on the values.
 *
 * Where the positive terms and the negative ones are added apart, or terms are sorted first, a mask
 * and its negative meet last wherever they are, as in one fused sum of all terms. Its children
 * would be found one at a time, with a number of probes that grows with the square of theirs. So
 * once a fused node has many children, four terms of different ones are asked about alone: one is a
 * mask, and the others are less than half of what is kept beside it, of its sign. In a fused node,
 * each of them is lost. Additions keep two that meet each other before the mask, and among four
 * terms there are two that do. */
#include "reveal/discover/split.h"

enum { TERMS = 4, SIGNS = 2 };

bool accordi_by_value_start(run *r, task *t, group *g)
{
    double small = 0.4375 * g->quantum;
    bool products = r->asker->term == ACCORD_TERM_PRODUCT; /* may be cut to fewer bits first */
    if (g->questioned || products || small == 0 || g->parts < ACCORDI_MANY_PARTS)
        return false;
    g->questioned = true;
    g->four[0] = r->items[t->lo];
    for (uint32_t i = 1; i < TERMS; i++)
        g->four[i] = r->items[g->part[(i - 1) * (g->parts - 1) / (TERMS - 2)]];
    for (int i = 0; i < TERMS * SIGNS; i++) {
        int sign = i < TERMS ? 1 : -1;
        accordi_request *request =
            accordi_split_request(r, t, ACCORDI_RAW, g->four[i % TERMS], g->four, TERMS);
        request->b = request->extra = ACCORD_TREE_NO_NODE;
        request->mask = sign * r->asker->mask;
        request->amount = sign * small;
        request->raw = &g->raw[i];
    }
    for (uint32_t i = 0; i < STAR_TERMS; i++) {
        g->couple[2 * i] = g->four[1 + i];
        g->couple[2 * i + 1] = g->four[1 + (i + 1) % STAR_TERMS];
        accordi_split_request(r, t, ACCORDI_TEST, g->four[0], g->couple + 2 * i, 2)->answer =
            &g->coupled[i];
    }
    g->state = GROUP_QUESTIONING;
    return true;
}

bool accordi_by_value_fails(run *r, const group *g)
{
    double mask = r->asker->mask * r->asker->scale;
    bool lost = true;
    for (int i = 0; i < TERMS * SIGNS; i++)
        lost = lost && g->raw[i] == (i < TERMS ? mask : -mask);
    if (lost || g->coupled[0] || g->coupled[1] || g->coupled[2])
        return false;
    accordi_ask_unable(r->asker, ACCORD_REASON_DATA_DEPENDENT,
                       "the order depends on the values: terms that vanish beside a mask one by "
                       "one do not vanish together");
    return true;
}
