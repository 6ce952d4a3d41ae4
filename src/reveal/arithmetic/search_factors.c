/* Where a factor alpha enters, and how a mean or a norm ends: every possibility is tried. */
#include "model/operation.h"
#include "reveal/arithmetic/alphas.h"
#include "reveal/arithmetic/search_tries.h"
#include <math.h>

/* ---- the ways of alpha ---- */

/* Alpha multiplies the sum of one node. */
static enum accord_status try_node(accordi_search *s, accord_arithmetic a, uint32_t node)
{
    a.alpha_at = ACCORD_ALPHA_SUM;
    a.alpha_node = node;
    for (int fused = 0; fused < 2; fused++) {
        a.alpha_fused = fused;
        accordi_try(s, &a, false);
    }
    return s->asker->status;
}

/* The nodes from the root to the leaf where sums start: the start value's, else the first. */
static enum accord_status try_path(accordi_search *s, accord_arithmetic a)
{
    const accord_tree *tree = s->tree;
    uint32_t node = tree->leaves + tree->inner - 1, n = tree->leaves;
    bool start = s->asker->target->has_start;
    if (start) { /* it is multiplied by beta / alpha before */
        try_node(s, a, node);
        return try_node(s, a, n - 1);
    }
    while (!s->asker->status && s->e->agreed < s->replays->rows) {
        try_node(s, a, node);
        if (node < n)
            break;
        node = tree->child[tree->first[node - n]];
    }
    return s->asker->status;
}

static enum accord_status try_alphas(accordi_search *s, accord_arithmetic a, bool whole)
{
    if (a.alpha == 1) {
        a.alpha_at = ACCORD_ALPHA_ONE;
        return accordi_try(s, &a, whole);
    }
    try_path(s, a);
    a.alpha_at = ACCORD_ALPHA_X;
    accordi_try(s, &a, false);
    a.alpha_at = ACCORD_ALPHA_Y;
    return accordi_try(s, &a, whole);
}

bool accordi_alpha_hides(const accordi_asker *asker)
{
    return asker->alpha != 1 && accordi_is_power_of_two(asker->alpha);
}

/* Products with a power of two are exact: then probes ask with another alpha nearby, for which
 * libraries have the same code. */
static double telling_alpha(const accordi_asker *asker)
{
    double by = fabs(asker->alpha) == 1 ? 0.7 : 1.3; /* still above 1, or not */
    return accordi_alpha_hides(asker)
               ? accord_format_round(asker->target->format, ACCORD_NEAREST_EVEN, by * asker->alpha)
               : asker->alpha;
}

/* Alpha enters in one way here and in another there: probes tell. */
static enum accord_status find_alphas(accordi_search *s, const accord_arithmetic *found,
                                      accord_arithmetic **made)
{
    accordi_asker *asker = s->asker;
    double own = asker->alpha;
    asker->target->alpha = asker->alpha = telling_alpha(asker);
    if (!accordi_alphas(asker, s->tree, found, made) && !*made)
        accordi_retaken(asker, s->tree, found, made);
    asker->target->alpha = asker->alpha = own;
    if (*made)
        (*made)->alpha = own;
    return asker->status;
}

/* Where a product of alpha vanishes the sign of its zero depends on where sums start. */
enum accord_status accordi_try_asked_alpha(accordi_search *s, const accord_arithmetic *found)
{
    accord_arithmetic *made = NULL;
    accordi_asker *asker = s->asker;
    if (!found || asker->alpha == 1 || s->e->agreed == s->replays->rows ||
        find_alphas(s, found, &made) || !made)
        return asker->status;
    for (int zero = 0; zero < 4 && !asker->status; zero++) {
        made->zero_last = zero == 0 ? s->e->zero_last : zero == 1;
        made->negative_zero = made->zero_last || (zero == 0 ? s->e->negative_zero : zero == 2);
        accordi_try(s, made, true);
    }
    accord_arithmetic_free(made);
    return asker->status;
}

/* The node that holds the whole dot product, without the start value; a leaf if there is none. */
static uint32_t dot_node(const accordi_search *s)
{
    const accord_tree *tree = s->tree;
    uint32_t root = tree->leaves + tree->inner - 1, start = tree->leaves - 1;
    if (!s->asker->target->has_start || tree->inner == 0)
        return root;
    const uint32_t *child = tree->child + tree->first[tree->inner - 1];
    return child[0] == start ? child[1] : child[1] == start ? child[0] : start;
}

/* A sum that is accumulated in a wider format is a result in the output's format, as of a routine
 * of its own, before alpha or a factor multiplies it, or a mean is made of it. */
enum accord_status accordi_try_stored_sum(accordi_search *s, const accord_arithmetic *found)
{
    accord_arithmetic *made = NULL;
    accordi_asker *asker = s->asker;
    uint32_t dot = dot_node(s), n = s->tree->leaves;
    bool factor = asker->alpha != 1 || asker->scale != 1;
    if (!found || !factor || s->e->agreed == s->replays->rows || dot < n ||
        accordi_operation_of(found, dot - n)->format == found->output ||
        accordi_operation_of(found, dot - n)->fused == ACCORD_STEP)
        return asker->status;
    accord_operation *of_node = accordi_search_operations(s, found);
    if (!of_node)
        return asker->status;
    of_node[dot - n].stored = found->output;
    if (!accordi_search_with(s, found, of_node, &made))
        accordi_try_finishes(s, *made, false);
    free(of_node);
    accord_arithmetic_free(made);
    return asker->status;
}

enum accord_status accordi_explain_alpha(accordi_asker *asker, const accord_tree *tree,
                                         const accordi_replays *replays, accordi_explanation *e)
{
    accordi_search s = {asker, tree, replays, e};
    return accordi_try_asked_alpha(&s, e->found);
}

/* ---- the ways of a mean, and of a norm ---- */

void accordi_set_factors(const accordi_asker *asker, const accordi_explanation *e,
                         accord_arithmetic *a)
{
    a->negative_zero = e->negative_zero || e->zero_last;
    a->zero_last = e->zero_last;
    a->alpha = asker->alpha;
    a->beta = asker->beta;
    a->alpha_at = a->alpha == 1 ? ACCORD_ALPHA_ONE : ACCORD_ALPHA_SUM;
    a->alpha_node = 0;
    a->finish = asker->scale == 1 ? ACCORD_FINISH_NONE : ACCORD_FINISH_TIMES;
    a->factor = asker->scale;
}

/* A root may be taken of what is a result already: a sum or a mean in the output's format. */
static enum accord_status try_ending(accordi_search *s, accord_arithmetic *a,
                                     enum accord_finish finish, double factor, bool whole)
{
    accord_arithmetic with = *a;
    with.finish = finish;
    with.factor = factor;
    try_alphas(s, with, whole);
    with.radicand = with.output;
    if (finish >= ACCORD_FINISH_ROOT && with.operations > 0 &&
        with.operation->format != with.output)
        try_alphas(s, with, whole);
    return s->asker->status;
}

/* Times what the probes saw, times the inverse of a whole number as a format has it, or divided by
 * that number. Divided by 1 is no division, and a factor near 1 is not a rounded 1. */
static enum accord_status try_factors(accordi_search *s, accord_arithmetic a, double scale,
                                      bool root, bool whole)
{
    const enum accord_format formats[] = {a.output, ACCORD_F32,
                                          a.operations ? a.operation->format : a.output};
    enum accord_finish times = root ? ACCORD_FINISH_ROOT_TIMES : ACCORD_FINISH_TIMES;
    enum accord_finish over = root ? ACCORD_FINISH_ROOT_OVER : ACCORD_FINISH_OVER;
    double inverse = rint(1 / scale), near = inverse > 1 ? 1 / inverse : scale;
    try_ending(s, &a, times, scale, whole);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        double factor = accord_format_round(formats[f], ACCORD_NEAREST_EVEN, near);
        bool old = factor == scale;
        for (size_t i = 0; i < f; i++)
            old = old || factor == accord_format_round(formats[i], ACCORD_NEAREST_EVEN, near);
        if (!old)
            try_ending(s, &a, times, factor, whole);
    }
    return inverse > 1 ? try_ending(s, &a, over, inverse, whole) : s->asker->status;
}

/* A negative alpha turns the sign of the zero that was asked for, unless +0 is added last. */
static enum accord_status try_zeros(accordi_search *s, accord_arithmetic a, bool whole)
{
    try_alphas(s, a, whole);
    for (int zero = 0; zero < 3 && !s->asker->status; zero++) {
        a.zero_last = zero == 1;
        a.negative_zero = zero > 0;
        try_alphas(s, a, false);
    }
    return s->asker->status;
}

/* The same where a negative factor ends the sum. */
static enum accord_status try_turned(accordi_search *s, accord_arithmetic a, double scale,
                                     bool whole)
{
    try_factors(s, a, scale, false, whole);
    for (int zero = 0; zero < 3 && !s->asker->status; zero++) {
        a.zero_last = zero == 1;
        a.negative_zero = zero > 0;
        try_factors(s, a, scale, false, false);
    }
    return s->asker->status;
}

/* Of squares the result may be a root; then the scale that probes see is one too. */
enum accord_status accordi_try_finishes(accordi_search *s, accord_arithmetic a, bool whole)
{
    double scale = s->asker->scale;
    bool square = a.term == ACCORD_TERM_SQUARE;
    accordi_set_factors(s->asker, s->e, &a);
    if (scale == 1 && a.alpha < 0)
        return try_zeros(s, a, whole);
    if (scale < 0)
        return try_turned(s, a, scale, whole);
    if (scale == 1 && !try_ending(s, &a, ACCORD_FINISH_NONE, a.factor, whole) && square)
        try_ending(s, &a, ACCORD_FINISH_ROOT, a.factor, whole);
    if (scale != 1 && !try_factors(s, a, scale, false, whole) && square)
        try_factors(s, a, scale * scale, true, whole);
    /* Where a sum starts at 0, and a mean is added to 0 too, no sum of -0 tells. */
    a.zero_last = a.negative_zero = !a.zero_last;
    if (scale != 1 && !s->e->negative_zero)
        try_factors(s, a, scale, false, whole);
    return s->asker->status;
}
