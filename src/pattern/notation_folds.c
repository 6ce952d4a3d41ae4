/* Steps that add all of their items up: chains, folds, and trees of ranks. */
#include "pattern/notation_folds.h"

bool accordi_join(accordi_run *run, uint32_t *to, const uint32_t *item, size_t count,
                  uint32_t label)
{
    uint32_t node = count == 1 ? item[0] : run->join(run, item, count, label);
    *to = node;
    return node != ACCORD_TREE_NO_NODE;
}

bool accordi_join_two(accordi_run *run, uint32_t *a, uint32_t b, uint32_t label)
{
    uint32_t both[2] = {*a, b};
    return accordi_join(run, a, both, 2, label);
}

static bool chain(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    for (size_t i = 1; i < *count; i++)
        if (!accordi_join_two(run, &item[0], item[i], step->label))
            return false;
    *count = 1;
    return true;
}

static bool back(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    uint32_t sum = item[*count - 1];
    for (size_t i = *count - 1; i-- > 0;)
        if (!accordi_join_two(run, &sum, item[i], step->label))
            return false;
    item[0] = sum;
    *count = 1;
    return true;
}

static bool pairs(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    for (size_t k = *count; k > 1; k -= k / 2) {
        for (size_t i = 0; i < k / 2; i++)
            if (!accordi_join(run, &item[i], &item[2 * i], 2, step->label))
                return false;
        if (k % 2)
            item[k / 2] = item[k - 1];
    }
    *count = 1;
    return true;
}

static bool halves(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    for (size_t k = *count; k > 1; k -= k / 2) {
        size_t half = k - k / 2;
        for (size_t i = 0; i + half < k; i++)
            if (!accordi_join_two(run, &item[i], item[i + half], step->label))
                return false;
    }
    *count = 1;
    return true;
}

static bool fuse(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    bool good = accordi_join(run, &item[0], item, *count, step->label);
    *count = 1;
    return good;
}

/* The sum so far stands before the items that the next node adds to it. */
static bool fuses(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t end = step->kind == ACCORDI_STEP_ADD ? 1 : 0, from = 0;
    while (end < *count) {
        end = *count - end < step->number ? *count : end + step->number;
        if (!accordi_join(run, &item[end - 1], item + from, end - from, step->label))
            return false;
        from = end - 1;
    }
    item[0] = item[*count - 1];
    *count = 1;
    return true;
}

static size_t power_up_to(size_t count)
{
    size_t power = 1;
    while (power <= count / 2)
        power *= 2;
    return power;
}

/* Neighbors at the front are joined, so that a power of two of items is left. */
static bool to_power(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t left = power_up_to(*count), front = *count - left;
    for (size_t i = 0; i < front; i++)
        if (!accordi_join(run, &item[i], &item[2 * i], 2, step->label))
            return false;
    memmove(item + front, item + 2 * front, (left - front) * sizeof *item);
    *count = left;
    return true;
}

static bool doubling(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    return to_power(run, step, item, count) && pairs(run, step, item, count);
}

static bool halving(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    return to_power(run, step, item, count) && halves(run, step, item, count);
}

/* The sums that a binary counter holds, from the largest on. */
static bool counter(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    for (size_t from = 0, held; from < *count; from += held) {
        size_t one = held = power_up_to(*count - from);
        if (!pairs(run, step, item + from, &one) ||
            (from > 0 && !accordi_join_two(run, &item[0], item[from], step->label)))
            return false;
    }
    *count = 1;
    return true;
}

/* Level by level, from the one above the last upward: `level` items from number `from` on, whose
 * children are those from number `below` on. */
static bool heap(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t below = 0, level = 1, children = step->number;
    bool across = step->kind == ACCORDI_STEP_HEAP_ACROSS;
    for (; *count - below > level; level *= children)
        below += level;
    while (below > 0) {
        level /= children;
        size_t from = below - level;
        for (size_t i = 0; i < level; i++)
            for (size_t c = 0; c < children; c++) {
                size_t child = below + (across ? i + c * level : i * children + c);
                if (child >= *count)
                    break;
                if (!accordi_join_two(run, &item[from + i], item[child], step->label))
                    return false;
            }
        below = from;
    }
    *count = 1;
    return true;
}

/* The last item is the root, and the others are two trees below it. Calls itself log2 of count
 * times deep. */
static bool postorder(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t lower = *count > 2 ? *count / 2 : 0, upper = *count - lower - 1;
    uint32_t *second = item + lower, root = item[*count - 1];
    *count = 1;
    if (upper == 0)
        return true;
    bool good =
        postorder(run, step, second, &upper) && accordi_join_two(run, second, root, step->label);
    if (lower == 0)
        return good;
    return good && postorder(run, step, item, &lower) &&
           accordi_join_two(run, item, *second, step->label);
}

/* The lowest bit of an item's number says how high it stands; the halves of it lead to its
 * children. Item 0 stands above all. */
static bool inorder(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t n = *count, top = 1;
    uint32_t *last = item + (n - 1);
    bool back = step->kind == ACCORDI_STEP_INORDER_BACK;
    for (size_t bit = 2; bit < n; bit *= 2)
        for (size_t i = bit; i < n; i += 2 * bit) {
            size_t above = bit / 2, below = i - bit / 2;
            while (above && i + above >= n)
                above /= 2;
            uint32_t *here = back ? last - i : item + i;
            if (!accordi_join_two(run, here, back ? *(last - below) : item[below], step->label) ||
                (above &&
                 !accordi_join_two(run, here, back ? *(here - above) : here[above], step->label)))
                return false;
        }
    while (top < n - top)
        top *= 2;
    uint32_t sum = back ? *last : *item;
    bool good = n < 2 || accordi_join_two(run, &sum, back ? *(last - top) : item[top], step->label);
    *item = sum;
    *count = 1;
    return good;
}

static accordi_fold *const folds[ACCORDI_STEP_KINDS] = {
    [ACCORDI_STEP_CHAIN] = chain,
    [ACCORDI_STEP_BACK] = back,
    [ACCORDI_STEP_PAIRS] = pairs,
    [ACCORDI_STEP_HALVES] = halves,
    [ACCORDI_STEP_FUSE] = fuse,
    [ACCORDI_STEP_FUSES] = fuses,
    [ACCORDI_STEP_ADD] = fuses,
    [ACCORDI_STEP_DOUBLING] = doubling,
    [ACCORDI_STEP_HALVING] = halving,
    [ACCORDI_STEP_COUNTER] = counter,
    [ACCORDI_STEP_HEAP] = heap,
    [ACCORDI_STEP_HEAP_ACROSS] = heap,
    [ACCORDI_STEP_POSTORDER] = postorder,
    [ACCORDI_STEP_INORDER] = inorder,
    [ACCORDI_STEP_INORDER_BACK] = inorder,
};

accordi_fold *accordi_fold_of(enum accordi_step_kind kind)
{
    return folds[kind];
}
