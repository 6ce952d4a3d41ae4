/* The rule for a chain to which blocks of items give several sums each, in an order of its own: a
 * loop whose body the compiler has put into another order. Brackets say what such a block does.
 *
 * The chain is followed down from the goal, and cut into *turns* wherever all that was added since
 * the turn behind are the items from some item on. A block is some turns, the same ones again and
 * again; terms behind the last block are added one by one, and the chain may begin with something
 * else before the first one. */
#include "pattern/find.h"

enum { MOST_TURNS = 16 }; /* of a block */

typedef struct turn {
    uint32_t at, size;   /* its items */
    uint32_t from, sums; /* of those that the chain adds, the last one first */
    uint32_t base;       /* the node over what stands before it */
    uint64_t digest;     /* of its brackets, once they are compared; 0 before */
} turn;

typedef struct kernel {
    uint32_t *sum;
    turn *turn; /* the last one first */
    uint32_t count;
    bool alike; /* all turns have one sum, of as many items */
} kernel;

/* So many blocks of some turns, behind which the first turns are left as the tail. */
typedef struct blocks {
    uint32_t tail, turns, count;
} blocks;

/* The sum so far and what is added to it; false where the chain begins. */
static bool step_down(const accordi_finder *f, const accordi_list *list, uint32_t v, uint32_t *sum,
                      uint32_t *added)
{
    if (list->item[f->low[v]] == v || accordi_children(f, v) != 2 ||
        accordi_label(f, v) != accordi_label(f, list->goal))
        return false;
    const uint32_t *child = accordi_child(f, v);
    bool first = f->low[child[0]] == 0;
    *sum = child[!first];
    *added = child[first];
    return true;
}

/* Gives away the brackets of a turn, from item `first` on. */
static void give_brackets(accordi_finder *f, const accordi_list *list, const kernel *k,
                          const turn *t, uint32_t first, bool (*take)(void *, accordi_token),
                          void *taker)
{
    for (uint32_t i = t->sums; i-- > 0 && !f->nomem;) {
        uint32_t sum = k->sum[t->from + i];
        accordi_list one = {list->item, f->held[sum], sum};
        accordi_step *step = accordi_find_tree(f, &one);
        for (size_t j = 0; step && j < step->tokens; j++) {
            accordi_token token = step->token[j];
            token.value -= token.kind == ACCORDI_TOKEN_ITEM ? first : 0;
            f->nomem = f->nomem || !take(taker, token);
        }
        accordi_steps_free(step);
    }
}

static bool put_token(void *step, accordi_token token)
{
    return accordi_step_token(step, token.kind, token.value);
}

static bool digest_token(void *digest, accordi_token token)
{
    uint64_t *hash = digest;
    *hash = (*hash ^ token.kind ^ (uint64_t)token.value << 2) * 0x9e3779b97f4a7c15;
    return true;
}

static uint64_t digest_of(accordi_finder *f, const accordi_list *list, const kernel *k, turn *t)
{
    if (t->digest == 0 && t->size > 1)
        give_brackets(f, list, k, t, t->at, digest_token, &t->digest);
    return t->digest;
}

static void follow(accordi_finder *f, const accordi_list *list, kernel *k)
{
    uint32_t end = (uint32_t)list->count, v = list->goal, added, sums = 0;
    turn t = {.at = end};
    for (uint32_t held = 0; step_down(f, list, v, &v, &added) && !f->nomem;) {
        k->sum[sums++] = added;
        t.at = f->low[added] < t.at ? f->low[added] : t.at;
        held += f->held[added];
        if (held < end - t.at)
            continue;
        t.size = held;
        t.sums = sums - t.from;
        t.base = v;
        k->turn[k->count++] = t;
        k->alike = k->alike && t.sums == 1 && t.size == k->turn[0].size;
        end = t.at;
        t.from = sums;
        held = 0;
    }
}

static bool is_same(accordi_finder *f, const accordi_list *list, const kernel *k, turn *a, turn *b)
{
    return a->size == b->size && a->sums == b->sums &&
           digest_of(f, list, k, a) == digest_of(f, list, k, b);
}

/* How many blocks of so many turns follow each other behind such a tail; 0 if these have one sum
 * each, and all the same number of items. */
static uint32_t count_blocks(accordi_finder *f, const accordi_list *list, const kernel *k,
                             uint32_t tail, uint32_t turns)
{
    uint32_t same = 0;
    bool several = false;
    for (uint32_t i = tail; i < tail + turns && i < k->count; i++)
        several = several || k->turn[i].sums > 1 || k->turn[i].size != k->turn[tail].size;
    if (!several)
        return 0;
    while (tail + same + turns < k->count &&
           is_same(f, list, k, &k->turn[tail + same], &k->turn[tail + same + turns]))
        same++;
    return tail + turns <= k->count ? same / turns + 1 : 0;
}

/* The blocks of the fewest turns; of these as many as there are, behind the shortest tail. */
static blocks find_blocks(accordi_finder *f, const accordi_list *list, const kernel *k)
{
    uint32_t single = 0;
    blocks best = {0};
    while (single < k->count && k->turn[single].size == 1)
        single++;
    for (uint32_t turns = 1; turns <= MOST_TURNS && best.count < 2; turns++)
        for (uint32_t tail = single < turns ? 0 : single - turns + 1; tail <= single; tail++) {
            uint32_t count = count_blocks(f, list, k, tail, turns);
            if (count > best.count)
                best = (blocks){tail, turns, count};
        }
    return best;
}

/* The blocks, from item number `before` on when what stands before them is one item, and the chain
 * of their sums. */
static accordi_step *write_blocks(accordi_finder *f, const accordi_list *list, const kernel *k,
                                  const blocks *b, uint32_t before)
{
    accordi_step *tree = accordi_step_new(ACCORDI_STEP_TREE);
    accordi_step *chain = accordi_step_new(ACCORDI_STEP_CHAIN);
    const turn *last = &k->turn[b->tail], *first = last + b->turns - 1;
    f->nomem = f->nomem || !tree || !chain;
    for (const turn *t = first; !f->nomem && t >= last; t--)
        give_brackets(f, list, k, t, first->at, put_token, tree);
    if (f->nomem) {
        accordi_steps_free(tree);
        accordi_steps_free(chain);
        return NULL;
    }
    chain->label = accordi_label(f, list->goal);
    tree->next = chain;
    tree->block = last->at + last->size - first->at;
    tree->reach = tree->block * b->count;
    tree->at = b->tail ? before : 0;
    tree->to = b->tail ? ACCORDI_REACH_AT : before ? ACCORDI_REACH_LAST : ACCORDI_REACH_ALL;
    return tree;
}

/* The same behind the steps for what stands before the blocks. */
static accordi_step *write_all(accordi_finder *f, const accordi_list *list, const kernel *k,
                               const blocks *b)
{
    const turn *front = &k->turn[b->tail + b->turns * b->count - 1];
    accordi_step *rest = write_blocks(f, list, k, b, 1), *steps = NULL;
    if (rest && front->at > 1)
        steps = accordi_find_group(f, accordi_find_inside(f, list, 0, front->at, front->base));
    if (!steps)
        return rest;
    steps->to = ACCORDI_REACH_AT;
    steps->reach = front->at;
    steps->next = rest;
    return steps;
}

/* Whether so many items stand before the blocks that they may be one, too: then the chain begins
 * with its first sum. */
static bool begins_with_block(const kernel *k, blocks b)
{
    if (b.count == 0)
        return false;
    const turn *last = &k->turn[b.tail], *front = &k->turn[b.tail + b.turns * b.count - 1];
    return front->at == last->at + last->size - (last + b.turns - 1)->at;
}

static accordi_step *write_kernel(accordi_finder *f, const accordi_list *list, const kernel *k,
                                  blocks b)
{
    accordi_step *steps = NULL;
    if (begins_with_block(k, b)) {
        blocks all = {b.tail, b.turns, b.count + 1};
        steps = write_blocks(f, list, k, &all, 0);
    }
    if (steps && !accordi_find_holds(f, list, steps, true)) {
        accordi_steps_free(steps);
        steps = NULL;
    }
    if (!steps && !f->nomem && b.count > 1)
        steps = write_all(f, list, k, &b);
    if (steps && !accordi_find_holds(f, list, steps, true)) {
        accordi_steps_free(steps);
        steps = NULL;
    }
    return steps;
}

accordi_step *accordi_find_kernel(accordi_finder *f, const accordi_list *list)
{
    kernel k = {.sum = accordi_alloc(list->count, sizeof *k.sum),
                .turn = accordi_alloc(list->count, sizeof *k.turn),
                .alike = true};
    accordi_step *steps = NULL;
    f->nomem = f->nomem || !k.sum || !k.turn;
    if (!f->nomem)
        follow(f, list, &k);
    blocks b = f->nomem || k.alike ? (blocks){0} : find_blocks(f, list, &k);
    bool several = b.count > 1 || begins_with_block(&k, b);
    if (several && accordi_chooses(f, ACCORDI_CHOOSE_KERNELS))
        steps = write_kernel(f, list, &k, b);
    free(k.sum);
    free(k.turn);
    return steps;
}
