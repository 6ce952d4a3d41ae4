/* Finds an order by splitting paths (after FPRev, section 5 of Xie et al., arXiv:2411.00442, but
 * with far fewer probes).
 *
 * A task is a set of terms that is a complete clade, with a pivot s among them. The nodes on the
 * path from s to the clade's root cut the other terms into classes: x and y are in one class if
 * LCA(s, x) = LCA(s, y). Counts (log2 n bits of answer) say how high on the path a term joins;
 * reads say of up to `bits` terms at once on which side of a term's class they lie. So the classes
 * are found as quicksort finds an order: count a few, read around the one nearest the middle,
 * look at both halves again (classes.c). A class at a binary node is a complete clade: one test
 * with s as a sentinel proves it, and it becomes a task of its own. A class that fails the test
 * belongs to a fused node and is peeled into that node's children (fused_children.c).
 *
 * Tasks of different clades never disturb each other (all other terms are 0 in their probes, and
 * masks cancel inside their clades), so their requests share probes: see requests.h. While a fused
 * node is being peeled its clades are not yet known to be complete, so all of that work keeps the
 * domain of the task it began in.
 *
 * All state is on the heap; depth costs nothing. Every answer is checked against what is known,
 * and an answer that no tree gives ends the run. */
#include "reveal/discover/split.h"

void accordi_split_fail(run *r, const char *why)
{
    if (!r->asker->status)
        accordi_ask_unable(r->asker, ACCORD_REASON_NOT_A_TREE,
                           "the results contradict every tree of additions: %s", why);
}

accordi_request *accordi_split_request(run *r, const task *t, enum accordi_request_kind kind,
                                       uint32_t a, const uint32_t *items, uint32_t count)
{
    accordi_request *request =
        r->asker->status ? NULL : accordi_requests_add(r->asker, &r->requests);
    if (!request)
        return &r->waste;
    *request = (accordi_request){
        .kind = kind, .domain = t->domain, .a = a, .items = items, .count = count};
    return request;
}

group *accordi_group_new(run *r, uint32_t lo, uint32_t hi, uint32_t base)
{
    group *g = accordi_ask_alloc(r->asker, 1, sizeof *g);
    if (g)
        *g = (group){.lo = lo, .hi = hi, .base = base, .fresh = true};
    return g;
}

uint32_t accordi_split_node(run *r)
{
    uint32_t node = accordi_builder_node(r->forest);
    if (node == ACCORD_TREE_NO_NODE && !r->asker->status)
        r->asker->status = accordi_nomem(r->asker->error);
    return node;
}

void accordi_swap_items(run *r, uint32_t i, uint32_t j)
{
    uint32_t item = r->items[i];
    r->items[i] = r->items[j];
    r->items[j] = item;
}

void accordi_split_spawn(run *r, task given)
{
    task *t = NULL;
    if (!r->asker->status && accordi_ask_grow(r->asker, (void **)&r->tasks, &r->task_capacity,
                                              r->task_count + 1, sizeof *r->tasks))
        t = accordi_ask_alloc(r->asker, 1, sizeof *t);
    if (!t)
        return;
    *t = given;
    t->domain = t->owner ? t->owner->domain : r->domains++;
    t->exact = accordi_count_is_exact(r->asker, t->hi - t->lo);
    t->picking = t->kind != TASK_PEEL && t->exact && t->hi - t->lo >= PICK_FROM;
    if (t->kind != TASK_PEEL)
        accordi_swap_items(r, t->lo,
                           t->lo + (uint32_t)accordi_rng_below(&r->asker->rng, t->hi - t->lo));
    for (uint32_t i = t->lo; i < t->hi; i++)
        r->level[r->items[i]] = 0;
    r->tasks[r->task_count++] = t;
}

void accordi_split_attach(run *r, task *t, uint32_t lo, uint32_t hi, uint32_t up)
{
    if (hi - lo == 1) {
        r->forest->parent[r->items[lo]] = up;
        return;
    }
    piece *p = accordi_ask_alloc(r->asker, 1, sizeof *p);
    if (!p)
        return;
    *p = (piece){t->pieces, lo, hi, up};
    t->pieces = p;
}

/* A pivot deep in the tree sees a long path at once: of a few random pairs, the one with the
 * least common clade. */
static void ask_picks(run *r, task *t)
{
    for (int i = 0; i < PICKS; i++) {
        uint32_t count = t->hi - t->lo;
        uint32_t a = (uint32_t)accordi_rng_below(&r->asker->rng, count);
        uint32_t b = (uint32_t)accordi_rng_below(&r->asker->rng, count - 1);
        b += b >= a;
        t->pick[i][0] = t->lo + a;
        t->pick[i][1] = t->lo + b;
        accordi_request *request = accordi_split_request(r, t, ACCORDI_COUNT, r->items[t->lo + a],
                                                         r->items + t->lo, count);
        request->b = r->items[t->lo + b];
        request->answer = &t->pick_level[i];
    }
}

static void take_pick(run *r, task *t)
{
    int best = 0;
    for (int i = 1; i < PICKS; i++)
        if (t->pick_level[i] < t->pick_level[best])
            best = i;
    uint32_t other = r->items[t->pick[best][1]];
    accordi_swap_items(r, t->lo, t->pick[best][0]);
    r->level[other] = t->pick_level[best];
}

static bool is_finished(const task *t)
{
    for (const group *g = t->groups; g; g = g->next)
        if (g->state != GROUP_COMPLETE && g->state != GROUP_PEELED && g->state != GROUP_LAST)
            return false;
    return t->groups != NULL;
}

/* A peeling is done when its last group is: the terms below are a part of a child. */
static void finish_peel(run *r, task *t)
{
    group *last = t->groups;
    while (last->next)
        last = last->next;
    accordi_split_attach(r, t->owner, t->lo, last->lo, t->served->node);
    accordi_peel_took(r, t->served, last->lo);
}

/* The path is known: make its nodes; its clades become tasks. */
static void finish_task(run *r, task *t)
{
    uint32_t current = r->items[t->lo];
    for (group *g = t->groups; g; g = g->next) {
        uint32_t node = g->state == GROUP_PEELED ? g->node : accordi_split_node(r);
        if (node == ACCORD_TREE_NO_NODE)
            return;
        r->forest->parent[current] = node;
        if (g->state == GROUP_COMPLETE)
            accordi_split_attach(r, t, g->lo, g->hi, node);
        current = node;
    }
    r->forest->parent[current] = t->up;
    for (piece *p = t->pieces; p; p = p->next)
        accordi_split_spawn(r, (task){.lo = p->lo, .hi = p->hi, .up = p->up});
}

static void free_task(task *t)
{
    while (t->groups) {
        group *g = t->groups;
        t->groups = g->next;
        free(g->part);
        free(g->pair);
        free(g->together);
        free(g);
    }
    while (t->pieces) {
        piece *p = t->pieces;
        t->pieces = p->next;
        free(p);
    }
    free(t);
}

/* Lets a task say what it wants to know. True when it is done. */
static bool step_task(run *r, task *t)
{
    if (t->picking && !t->pick_level[0]) {
        ask_picks(r, t);
        return false;
    }
    if (t->picking)
        take_pick(r, t);
    t->picking = false;
    if (!t->groups && !(t->groups = accordi_group_new(r, t->lo + 1, t->hi, 1)))
        return false;
    for (group *g = t->groups; g && !r->asker->status; g = g->next)
        accordi_group_step(r, t, g);
    if (r->asker->status || !is_finished(t))
        return false;
    if (t->kind == TASK_PEEL)
        finish_peel(r, t);
    else
        finish_task(r, t);
    return true;
}

static int by_domain(const void *a, const void *b)
{
    const accordi_request *x = a, *y = b;
    return x->domain < y->domain ? -1 : x->domain > y->domain;
}

/* One round: every task speaks, then all requests are asked together. */
static void play_round(run *r)
{
    bool any_done = false;
    r->requests.count = 0;
    for (size_t i = 0; i < r->task_count && !r->asker->status; i++) {
        task *t = r->tasks[i];
        if (step_task(r, t)) {
            free_task(t);
            r->tasks[i] = NULL;
            any_done = true;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < r->task_count; i++)
        if (r->tasks[i])
            r->tasks[kept++] = r->tasks[i];
    r->task_count = kept;
    if (r->asker->status)
        return;
    if (!r->requests.count && !any_done && kept)
        accordi_split_fail(r, "there is nothing left to ask, but no order fits");
    qsort(r->requests.item, r->requests.count, sizeof *r->requests.item, by_domain);
    if (!r->asker->status && r->requests.count)
        accordi_requests_ask(r->asker, &r->requests);
}

/* All terms are the first task. */
static void play_tasks(run *r)
{
    uint32_t count = (uint32_t)r->asker->n;
    for (uint32_t i = 0; i < count; i++)
        r->items[i] = i;
    /* An answer can be wrong in ways that lead round in circles: the number of probes of the
     * worst true tree bounds them. */
    uint64_t limit = r->asker->target->calls + 4096 + 4 * (uint64_t)count * count;
    accordi_split_spawn(r, (task){.hi = count, .up = ACCORD_TREE_NO_NODE});
    while (r->task_count && !r->asker->status) {
        play_round(r);
        if (r->asker->target->calls > limit)
            accordi_split_fail(r, "they contain a cycle");
    }
    while (r->task_count)
        free_task(r->tasks[--r->task_count]);
}

enum accord_status accordi_split(accordi_asker *asker, accord_tree **out)
{
    accordi_builder forest = {0};
    run r = {.asker = asker, .forest = &forest};
    asker->stage = "splitting";
    asker->status = accordi_builder_init(&forest, asker->n, asker->error);
    r.items = accordi_ask_alloc(asker, asker->n, sizeof *r.items);
    r.level = accordi_ask_calloc(asker, asker->n, sizeof *r.level);
    r.side = accordi_ask_calloc(asker, asker->n, sizeof *r.side);
    if (!asker->status)
        play_tasks(&r);
    if (!asker->status)
        asker->status = accordi_builder_finish(&forest, out, asker->error);
    free(forest.parent);
    accordi_requests_clear(&r.requests);
    free(r.tasks);
    free(r.items);
    free(r.level);
    free(r.side);
    return asker->status;
}
