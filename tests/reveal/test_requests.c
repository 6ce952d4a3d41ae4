/* Questions packed into shared probes are answered as the tree says, and as they are alone. */
#include "mutants.h"
#include "reveal/probes/requests.h"
#include "trials.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct question {
    accordi_request request;
    uint32_t number, due;                    /* of COUNT and TEST */
    uint32_t *read, *set, *items, *due_read; /* n entries each */
} question;

typedef struct paper {
    const accord_tree *tree;
    uint32_t *parent;
    uint32_t *leaf, *size; /* leaves under the node at hand; of all inner nodes */
    accordi_rng *rng;
} paper;

static uint32_t lca(const paper *p, uint32_t a, uint32_t b)
{
    while (a != b)
        if (a < b)
            a = p->parent[a];
        else
            b = p->parent[b];
    return a;
}

static bool under(const paper *p, uint32_t node, uint32_t leaf)
{
    return lca(p, node, leaf) == node;
}

/* The leaves under an inner node, in random order; returns how many. */
static uint32_t leaves_of(paper *p, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->tree->leaves; i++)
        if (under(p, node, i))
            p->leaf[count++] = i;
    accordi_rng_shuffle(p->rng, p->leaf, count);
    return count;
}

/* A random question about the clade of `node`, and what the tree says to it. */
static question ask_about(paper *p, uint32_t node, uint32_t domain)
{
    uint32_t n = p->tree->leaves, count = leaves_of(p, node);
    question q = {.request = {.domain = domain}};
    q.read = accordi_calloc(n, sizeof *q.read);
    q.due_read = accordi_calloc(n, sizeof *q.due_read);
    q.items = accordi_alloc(n, sizeof *q.items);
    accordi_request *r = &q.request;
    r->kind = (enum accordi_request_kind)accordi_rng_below(p->rng, 3);
    r->a = p->leaf[0];
    r->b = p->leaf[1];
    uint32_t meets = lca(p, r->a, r->b);
    if (r->kind == ACCORDI_COUNT) {
        memcpy(q.items, p->leaf, count * sizeof *q.items);
        r->count = count;
        q.due = p->size[meets - n];
    } else if (r->kind == ACCORDI_READ) {
        r->count = 1 + (uint32_t)accordi_rng_below(p->rng, count - 2);
        memcpy(q.items, p->leaf + 2, r->count * sizeof *q.items);
        for (uint32_t i = 0; i < r->count; i++)
            q.due_read[q.items[i]] = !under(p, meets, q.items[i]);
    } else {
        r->count = 2 + (uint32_t)accordi_rng_below(p->rng, count - 2 < 6 ? count - 2 : 6);
        memcpy(q.items, p->leaf + 1, r->count * sizeof *q.items);
        for (uint32_t i = 0; i < r->count; i++)
            meets = i ? lca(p, meets, q.items[i]) : q.items[0];
        q.due = !under(p, meets, r->a);
    }
    r->items = q.items;
    return q;
}

static void question_free(question *q)
{
    free(q->read);
    free(q->due_read);
    free(q->items);
}

static bool answered(const question *q, uint32_t n)
{
    return q->request.kind == ACCORDI_READ ? memcmp(q->read, q->due_read, n * sizeof *q->read) == 0
                                           : q->number == q->due;
}

/* Hands the questions in, with fresh answers. */
static bool all_answered(accordi_asker *asker, question *q, size_t count, uint32_t n)
{
    accordi_requests requests = {0};
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        memset(q[i].read, 0, n * sizeof *q[i].read);
        q[i].number = UINT32_MAX;
        q[i].request.answer = q[i].request.kind == ACCORDI_READ ? q[i].read : &q[i].number;
        *accordi_requests_add(asker, &requests) = q[i].request;
    }
    assert_int_equal(accordi_requests_ask(asker, &requests), ACCORD_OK);
    for (size_t i = 0; i < count; i++)
        good = good && answered(&q[i], n);
    accordi_requests_clear(&requests);
    return good;
}

enum { MOST = 64, EACH = 3, WIDEST = 32 }; /* no random node has more children */

/* Questions about disjoint clades: those below a random cut through the tree. */
static size_t draw_questions(paper *p, question *q)
{
    uint32_t n = p->tree->leaves, open[MOST + WIDEST], depth = 0, domain = 0;
    size_t count = 0;
    open[depth++] = n + p->tree->inner - 1;
    while (depth && count + EACH <= MOST) {
        uint32_t node = open[--depth];
        if (node < n || p->size[node - n] < 3)
            continue;
        if (depth <= MOST && accordi_rng_below(p->rng, 4)) {
            for (uint32_t c = p->tree->first[node - n]; c < p->tree->first[node - n + 1]; c++)
                open[depth++] = p->tree->child[c];
            continue;
        }
        for (int i = 0; i < EACH; i++)
            q[count++] = ask_about(p, node, domain);
        domain++;
    }
    return count;
}

static void test_packed_questions(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t asked = 0, packed = 0, single = 0;
    for (size_t t = 0; t < trials(400); t++) {
        uint32_t n = 3 + (uint32_t)accordi_rng_below(&rng, 120);
        enum accord_format format = t % 2 ? ACCORD_F32 : ACCORD_F64;
        accord_tree *tree = any_tree(&rng, n);
        paper p = {.tree = tree, .rng = &rng};
        p.parent = accordi_alloc(2 * n, sizeof *p.parent);
        p.size = accordi_alloc(n, sizeof *p.size);
        p.leaf = accordi_alloc(n, sizeof *p.leaf);
        accord_tree_parents(tree, p.parent);
        accord_tree_sizes(tree, p.size);
        accord_target *target = NULL;
        accordi_asker asker;
        question q[MOST];
        accordi_synthetic_from_tree(tree, format, format, &target, NULL);
        accordi_ask_init(&asker, target, accordi_rng_next(&rng), NULL);
        assert_int_equal(accordi_calibrate(&asker), ACCORD_OK);
        size_t count = draw_questions(&p, q);
        uint64_t calls = target->calls;
        assert_true(all_answered(&asker, q, count, n));
        packed += target->calls - calls;
        calls = target->calls;
        for (size_t i = 0; i < count; i++)
            assert_true(all_answered(&asker, &q[i], 1, n));
        single += target->calls - calls;
        asked += count;
        for (size_t i = 0; i < count; i++)
            question_free(&q[i]);
        accordi_ask_clear(&asker);
        accord_target_close(target);
        accord_tree_free(tree);
        free(p.parent);
        free(p.size);
        free(p.leaf);
    }
    printf("# %zu questions in %zu probes; one by one in %zu\n", asked, packed, single);
    assert_true(asked > trials(400) && packed < single);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
