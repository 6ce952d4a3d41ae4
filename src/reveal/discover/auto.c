/* The default algorithm: guesses an order and verifies it, and otherwise splits paths. */
#include "reveal/discover/auto.h"
#include "reveal/discover/guess.h"
#include "reveal/discover/rooted.h"
#include "reveal/discover/split.h"

enum accord_status accordi_auto_split(accordi_asker *asker, accord_tree **out)
{
    accordi_builder forest;
    uint32_t *items = accordi_ask_alloc(asker, asker->n, sizeof *items);
    if (!items)
        return asker->status;
    asker->stage = "splitting";
    for (uint32_t i = 0; i < asker->n; i++)
        items[i] = i;
    asker->status = accordi_builder_init(&forest, asker->n, asker->error);
    if (!asker->status) {
        if (!accordi_split(asker, &forest, items, (uint32_t)asker->n, ACCORD_TREE_NO_NODE))
            asker->status = accordi_builder_finish(&forest, out, asker->error);
        free(forest.parent);
    }
    free(items);
    return asker->status;
}

enum accord_status accordi_auto(accordi_asker *asker, accord_tree **out)
{
    accord_tree *tree = NULL;
    if (accordi_rooted_pays(asker))
        return accordi_rooted_discover(asker, out);
    if (accordi_guess(asker, &tree))
        return asker->status;
    if (!tree)
        return accordi_auto_split(asker, out);
    *out = tree;
    return ACCORD_OK;
}
