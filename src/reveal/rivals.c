/* Rivals: models that differ in how a factor enters at the end, and that random inputs do not tell
 * apart. np.mean of ten f32 is the sum divided by 10; times 0.1, in f64 and then rounded to f32, is
 * the same but where the quotient is a tie of f32, which only subnormal numbers come to.
 *
 * So inputs are searched for on which two rivals part: a single term that is not 0, of all small
 * multiples of the least number and of random ones. A sum of one term is that term in every order,
 * so the search needs no more than a tree of one leaf. What is found is put to the target with the
 * whole model's word for it, and the loser is dropped. */
#include "reveal/rivals.h"
#include "model/names.h"
#include <math.h>

enum { SMALL = 1024, RANDOM = 3072, INPUTS = SMALL + RANDOM, WAYS = 6, QUESTIONS = 8 };

typedef struct way {
    enum accord_finish finish;
    double factor;
} way;

typedef struct parting {
    accordi_asker *asker;
    const accord_tree *tree, *leaf;
    accord_arithmetic *best;
    double *input, *one, *two;
    const void **row;
} parting;

static bool same_bits(double a, double b)
{
    return a == b ? signbit(a) == signbit(b) : a != a && b != b;
}

/* Times 1/4 is divided by 4. */
static bool same_way(way a, way b)
{
    int exponent;
    if (a.finish == b.finish)
        return a.factor == b.factor;
    return frexp(a.factor, &exponent) == 0.5 && a.factor * b.factor == 1;
}

/* The other ways of the same factor. */
static size_t list_ways(const accordi_asker *asker, const accord_arithmetic *best, way *out)
{
    bool root = best->finish > ACCORD_FINISH_ROOT;
    enum accord_finish times = root ? ACCORD_FINISH_ROOT_TIMES : ACCORD_FINISH_TIMES;
    enum accord_finish over = root ? ACCORD_FINISH_ROOT_OVER : ACCORD_FINISH_OVER;
    double scale = root ? asker->scale * asker->scale : asker->scale;
    double inverse = rint(1 / scale), whole = inverse >= 1 ? 1 / inverse : scale;
    const way all[WAYS] = {{over, inverse},
                           {times, whole},
                           {times, scale},
                           {times, accord_format_round(ACCORD_F32, ACCORD_NEAREST_EVEN, whole)},
                           {times, accord_format_round(best->output, ACCORD_NEAREST_EVEN, whole)},
                           {times, accord_format_round(best->input, ACCORD_NEAREST_EVEN, whole)}};
    size_t count = 0;
    for (size_t i = 0; i < WAYS; i++) {
        bool old = same_way(all[i], (way){best->finish, best->factor});
        old = old || all[i].factor == 0 || (i == 0 && inverse < 1);
        for (size_t k = 0; k < count; k++)
            old = old || same_way(all[i], out[k]);
        if (!old)
            out[count++] = all[i];
    }
    return count;
}

static void draw_inputs(parting *p)
{
    const accord_format_info *in = accord_format_get(p->best->input);
    int spread = in->max_exponent - in->min_exponent;
    for (size_t i = 0; i < INPUTS; i++) {
        double x = (double)(i / 2 + 1) * in->least;
        if (i >= SMALL)
            x = ldexp(1 + (double)accordi_rng_below(&p->asker->rng, 1 << 30) * 0x1p-30,
                      in->min_exponent +
                          (int)accordi_rng_below(&p->asker->rng, (uint64_t)(i % 2 ? 4 : spread)));
        p->input[i] = accord_format_round(p->best->input, ACCORD_NEAREST_EVEN, i % 2 ? -x : x);
    }
}

/* What a lone term becomes. */
static enum accord_status end_of(parting *p, way w, double *result)
{
    accord_arithmetic how = *p->best;
    accord_operation op = how.operation[how.of_node ? how.of_node[p->tree->inner - 1] : 0];
    const accord_rows rows = {.rows = INPUTS, .x = p->row};
    const accord_model model = {p->leaf, &how};
    op.fused = -1;
    how.finish = w.finish;
    how.factor = w.factor;
    how.operations = 1;
    how.operation = &op;
    how.of_node = NULL;
    how.alpha = 1;
    how.beta = 0;
    how.alpha_at = ACCORD_ALPHA_ONE;
    return p->asker->status = accord_model_replay(&model, &rows, result, p->asker->error);
}

/* Asks for inputs on which the two part: 1 if all go to the rival, -1 to the best, else 0. */
static enum accord_status ask(parting *p, way rival, accordi_rivals *out, int *verdict)
{
    accordi_asker *asker = p->asker;
    size_t found[QUESTIONS], count = 0, for_best = 0, for_rival = 0;
    *verdict = 0;
    if (end_of(p, (way){p->best->finish, p->best->factor}, p->one) || end_of(p, rival, p->two))
        return asker->status;
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i < INPUTS && count < QUESTIONS; i++) {
        if (same_bits(p->one[i], p->two[i]))
            continue;
        found[count++] = i;
        accordi_ask_own(asker, 0, p->input[i]);
        accordi_ask_end(asker);
    }
    if (count == 0 || accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < count; i++) {
        for_best += same_bits(asker->result[i], p->one[found[i]]);
        for_rival += same_bits(asker->result[i], p->two[found[i]]);
    }
    out->asked += count;
    *verdict = for_rival == count ? 1 : for_best > 0 || for_rival == 0 ? -1 : 0;
    if (for_best < count && for_rival < count)
        *verdict = -1; /* neither: other tests have the word */
    return asker->status;
}

static void tell_open(accordi_rivals *out, way w)
{
    size_t length = strlen(out->open);
    bool over = accordi_divides(w.finish);
    snprintf(out->open + length, sizeof out->open - length, "%s%s %.17g", length ? ", or " : "",
             over ? "divided by" : "times", w.factor);
    out->searched = INPUTS;
}

static enum accord_status part(parting *p, accordi_rivals *out)
{
    way ways[WAYS];
    size_t count = list_ways(p->asker, p->best, ways);
    for (size_t i = 0; i < count && !p->asker->status; i++) {
        int verdict = 0;
        way before = {p->best->finish, p->best->factor};
        if (ask(p, ways[i], out, &verdict))
            break;
        /* What is open is called a division by a whole number, which is what most write. */
        bool over = accordi_divides(ways[i].finish);
        if (verdict > 0 || (verdict == 0 && over)) {
            p->best->finish = ways[i].finish;
            p->best->factor = ways[i].factor;
        }
        if (verdict == 0)
            tell_open(out, over ? before : ways[i]);
    }
    return p->asker->status;
}

enum accord_status accordi_rivals_part(accordi_asker *asker, const accord_tree *tree,
                                       accord_arithmetic *inout, accordi_rivals *out)
{
    const uint32_t parent = ACCORD_TREE_NO_NODE;
    accord_tree *leaf = NULL;
    *out = (accordi_rivals){0};
    bool factor = accordi_multiplies(inout->finish) || accordi_divides(inout->finish);
    if (asker->status || !factor || inout->has_machine || inout->operations == 0)
        return asker->status;
    parting p = {asker,
                 tree,
                 NULL,
                 inout,
                 accordi_alloc(INPUTS, sizeof(double)),
                 accordi_alloc(INPUTS, sizeof(double)),
                 accordi_alloc(INPUTS, sizeof(double)),
                 accordi_alloc(INPUTS, sizeof(void *))};
    if (!p.input || !p.one || !p.two || !p.row)
        asker->status = accordi_nomem(asker->error);
    else if (!(asker->status = accord_tree_from_parents(1, 0, &parent, &leaf, asker->error))) {
        p.leaf = leaf;
        draw_inputs(&p);
        for (size_t i = 0; i < INPUTS; i++)
            p.row[i] = &p.input[i];
        part(&p, out);
    }
    accord_tree_free(leaf);
    free(p.input);
    free(p.one);
    free(p.two);
    free(p.row);
    return asker->status;
}
