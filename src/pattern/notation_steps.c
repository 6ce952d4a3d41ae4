/* The steps of a notation in memory, and their words. */
#include "pattern/notation.h"

const accordi_word accordi_words[ACCORDI_STEP_KINDS] = {
    [ACCORDI_STEP_CHAIN] = {"chain", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_BACK] = {"chain", "back", ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_PAIRS] = {"pairs", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_HALVES] = {"halves", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_FUSE] = {"fuse", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_FUSES] = {"fuse", NULL, ACCORDI_NUMBER_ALWAYS, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_ADD] = {"add", NULL, ACCORDI_NUMBER_ALWAYS, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_DOUBLING] = {"doubling", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_HALVING] = {"halving", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_COUNTER] = {"counter", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_HEAP] = {"heap", NULL, ACCORDI_NUMBER_ALWAYS, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_HEAP_ACROSS] = {"heap", "across", ACCORDI_NUMBER_ALWAYS, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_POSTORDER] = {"postorder", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_INORDER] = {"inorder", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_INORDER_BACK] = {"inorder", "back", ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_LANES] = {"lanes", NULL, ACCORDI_NUMBER_ALWAYS, ACCORDI_BODY_MAYBE, true},
    [ACCORDI_STEP_ROWS] = {"rows", NULL, ACCORDI_NUMBER_ALWAYS, ACCORDI_BODY_MAYBE, true},
    [ACCORDI_STEP_SPLIT] = {"split", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_MAYBE, true},
    [ACCORDI_STEP_SPLIT_UP] = {"split", "up", ACCORDI_NUMBER_NONE, ACCORDI_BODY_MAYBE, true},
    [ACCORDI_STEP_ONTO] = {"onto", NULL, ACCORDI_NUMBER_ITEM, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_NEXT] = {"next", NULL, ACCORDI_NUMBER_ITEM, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_TURN] = {"turn", NULL, ACCORDI_NUMBER_ALWAYS, ACCORDI_BODY_NONE, false},
    [ACCORDI_STEP_REVERSE] = {"reverse", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, false},
    [ACCORDI_STEP_TERMS] = {"terms", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, true},
    [ACCORDI_STEP_TREE] = {"tree", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, false},
    [ACCORDI_STEP_GROUP] = {"(", NULL, ACCORDI_NUMBER_NONE, ACCORDI_BODY_NONE, false},
};

/* Children are made before their parents, and so the nodes of the canonical tree that they are
 * become known from the leaves upward. `above` and `is` have room for all nodes. */
static void order_labels(const accord_tree *tree, const uint32_t *parent, const uint32_t *label,
                         uint32_t *above, uint32_t *is, uint32_t *ordered)
{
    uint32_t nodes = tree->leaves + tree->inner;
    accord_tree_parents(tree, above);
    for (uint32_t v = 0; v < nodes; v++) {
        if (v < tree->leaves)
            is[v] = v;
        ordered[is[v]] = label[v];
        if (v + 1 < nodes)
            is[parent[v]] = above[is[v]];
    }
}

uint32_t *accordi_labels_in(const accord_tree *tree, const uint32_t *parent, const uint32_t *label)
{
    size_t nodes = (size_t)tree->leaves + tree->inner;
    uint32_t *above = accordi_alloc(2 * nodes, sizeof *above);
    uint32_t *ordered = above ? accordi_alloc(nodes, sizeof *ordered) : NULL;
    if (ordered)
        order_labels(tree, parent, label, above, above + nodes, ordered);
    free(above);
    return ordered;
}

accordi_step *accordi_step_new(enum accordi_step_kind kind)
{
    accordi_step *step = accordi_calloc(1, sizeof *step);
    if (step) {
        step->kind = kind;
        step->multiple = step->number = 1;
    }
    return step;
}

void accordi_steps_free(accordi_step *steps)
{
    while (steps) {
        accordi_step *next = steps->next;
        accordi_steps_free(steps->body); /* as deep as groups may stand in each other */
        free(steps->token);
        free(steps);
        steps = next;
    }
}

bool accordi_step_token(accordi_step *step, uint32_t kind, uint32_t value)
{
    void *memory = step->token;
    bool good = accordi_grow(&memory, &step->token_room, step->tokens + 1, sizeof *step->token);
    step->token = memory;
    if (good)
        step->token[step->tokens++] = (accordi_token){kind, value};
    return good;
}

static accordi_step *copy_one(const accordi_step *step)
{
    accordi_step *copy = accordi_step_new(step->kind);
    if (!copy)
        return NULL;
    *copy = *step;
    copy->next = NULL;
    copy->body = accordi_steps_copy(step->body);
    copy->token = NULL;
    copy->tokens = copy->token_room = 0;
    bool good = copy->body || !step->body;
    for (size_t i = 0; good && i < step->tokens; i++)
        good = accordi_step_token(copy, step->token[i].kind, step->token[i].value);
    if (good)
        return copy;
    accordi_steps_free(copy);
    return NULL;
}

accordi_step *accordi_steps_copy(const accordi_step *steps)
{
    accordi_step *list = NULL, **end = &list;
    for (; steps; steps = steps->next) {
        *end = copy_one(steps);
        if (!*end) {
            accordi_steps_free(list);
            return NULL;
        }
        end = &(*end)->next;
    }
    return list;
}

accordi_step *accordi_steps_last(accordi_step *steps)
{
    while (steps->next)
        steps = steps->next;
    return steps;
}

bool accordi_steps_regular(const accordi_step *steps)
{
    for (; steps; steps = steps->next)
        if ((steps->kind == ACCORDI_STEP_TREE && !steps->block) ||
            !accordi_steps_regular(steps->body))
            return false;
    return true;
}
