/* One try: replays with an arithmetic, and keeps the best. */
#include "reveal/arithmetic/search_tries.h"
#include "model/operation.h"
#include "model/words.h"
#include "reveal/arithmetic/node_arithmetic.h"

enum accord_status accordi_search_copy(const accordi_search *s, const accord_arithmetic *a,
                                       accord_arithmetic **out)
{
    uint32_t nodes = a->of_node ? s->tree->inner : 0;
    return s->asker->status = accord_arithmetic_copy(a, nodes, out, s->asker->error);
}

enum accord_status accordi_search_plain(const accordi_search *s, enum accord_term term,
                                        enum accord_format format, accord_arithmetic **out)
{
    const accord_target *target = s->asker->target;
    s->asker->status =
        accord_arithmetic_plain(term, target->format, format, target->output, out, s->asker->error);
    if (!s->asker->status && s->asker->toward_zero)
        (*out)->operation->rounding = (*out)->output_rounding = ACCORD_TOWARD_ZERO;
    return s->asker->status;
}

enum accord_status accordi_search_with(const accordi_search *s, const accord_arithmetic *a,
                                       const accord_operation *of_node, accord_arithmetic **out)
{
    s->asker->status = accord_arithmetic_copy(a, 0, out, s->asker->error);
    return s->asker->status ? s->asker->status
                            : accordi_arithmetic_tabulate(s->asker, s->tree, of_node, *out);
}

accord_operation *accordi_search_operations(const accordi_search *s, const accord_arithmetic *a)
{
    accord_operation *of_node = accordi_ask_alloc(s->asker, s->tree->inner + 1, sizeof *of_node);
    for (uint32_t k = 0; of_node && k < s->tree->inner; k++)
        of_node[k] = *accordi_operation_of(a, k);
    return of_node;
}

static enum accord_status keep_best(accordi_search *s, const accord_arithmetic *a, size_t agreed)
{
    accord_arithmetic *copy = NULL;
    accordi_asker *asker = s->asker;
    if (accordi_search_copy(s, a, &copy))
        return asker->status;
    accord_arithmetic_free(s->e->best);
    s->e->best = copy;
    s->e->agreed = agreed;
    return ACCORD_OK;
}

/* A few rows first: most tries fail there. */
static enum accord_status try_as_it_is(accordi_search *s, const accord_arithmetic *a, bool whole)
{
    size_t rows = s->replays->rows, more = s->e->agreed + 1,
           few = ACCORDI_FIRST_KINDS * s->replays->draw.block, agree = 0;
    const accord_model model = {s->tree, a};
    if (s->e->agreed == rows)
        return s->asker->status;
    if (!whole && rows > few) {
        if (accordi_replays_agree(s->asker, s->replays, &model, few, few, &agree) || agree < few)
            return s->asker->status;
    }
    if (!accordi_replays_agree(s->asker, s->replays, &model, rows, more, &agree) && agree >= more)
        keep_best(s, a, agree);
    return s->asker->status;
}

/* With what is known of subnormals. */
enum accord_status accordi_try(accordi_search *s, const accord_arithmetic *a, bool whole)
{
    accord_arithmetic *flushed = NULL;
    accordi_asker *asker = s->asker;
    if (!s->e->flushes || a->extended || s->e->agreed == s->replays->rows)
        return try_as_it_is(s, a, whole);
    accordi_search_copy(s, a, &flushed);
    if (!asker->status && !accordi_flushes_apply(asker, s->tree, s->e->flushes, flushed))
        try_as_it_is(s, flushed, whole);
    if (!asker->status && flushed->zero_last) { /* +0 and the first value may be flushed too */
        flushed->negative_zero = false;
        if (accordi_twice_zero(flushed))
            try_as_it_is(s, flushed, whole);
    }
    accord_arithmetic_free(flushed);
    return asker->status;
}

bool accordi_nearly_explained(const accordi_search *s)
{
    size_t rows = s->replays->rows;
    return !s->asker->status && s->e->agreed < rows && s->e->agreed >= rows - rows / 6;
}
