/* Finds, node by node, whether products are fused where results hardly show it.
 *
 * A product of two bf16 is exact in f32, so that it enters a sum of f32 the same way fused or
 * rounded first, unless it is too large or too small for f32.
 *
 * Idea: one that is too large is infinite once it is rounded; fused with a large one of the other
 * sign it is not. One that is too small makes half a unit of the least f32, and a result of few
 * bits shows that unit only beside a tie of its own: an input has a product of half a unit at one
 * leaf of the node, a unit below its sibling, and at another leaf, if the result is narrower than
 * the sum, a tie of the result; all other terms are 0. Everything but that product is exact, so the
 * input is decided by what the node does with that leaf. The model with all nodes fused and the one
 * with none are replayed on it; if they part, the target's answer is one of the two, and says
 * which. Where products are flushed to zero, one just below the least normal number takes the place
 * of the half unit; of squares, which have no halves of a unit beside a unit, that is all that is
 * asked. */
#include "model/operation.h"
#include "model/words.h"
#include "reveal/arithmetic/contest.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/zero_signs.h"
#include <math.h>

enum { MOST_VALUES = 1 << 20, NOT_LEAF = -2 };

/* What an input is about: a product that is too large; half a unit, where the sum holds the result;
 * the same where the result is narrower; products that are flushed. */
enum kind { LARGE, HALF, HALF_OF_TIE, FLUSHED, KINDS };

/* Is one leaf of one node fused? */
typedef struct question {
    uint32_t node; /* inner node */
    int child;
    bool drawn;         /* an input of the present kind */
    size_t row;         /* among the inputs that are asked */
    double none, fused; /* what the models give for it */
} question;

typedef struct survey {
    accordi_contest *c;
    uint32_t *below; /* of each inner node: a leaf, which is no child of it if that can be */
    int8_t *leaf[3]; /* of each node: what is fused: none, the first leaf that can be, the second */
    accord_arithmetic *how[3];
    question *posed; /* with inputs; behind the room for them those without */
    size_t questions;
    double *due[3];
} survey;

/* Is a product too large or too small for the format of the sum the only one that is not exact
 * there? */
static bool is_blind(const accordi_contest *c, uint32_t k)
{
    const accord_operation *op = accordi_operation_of(c->held, k);
    const accord_format_info *sum = accord_format_get(op->format);
    const accord_format_info *in = accord_format_get(accordi_operand_format(c->held));
    return op->fused != ACCORD_STEP && c->tree->first[k + 1] - c->tree->first[k] == 2 &&
           sum->precision >= 2 * in->precision && in->least * in->least < sum->least;
}

static bool is_term(const accordi_contest *c, uint32_t node)
{
    return node < c->tree->leaves && !(c->held->beta != 0 && node == c->tree->leaves - 1);
}

static size_t count_questions(const accordi_contest *c)
{
    size_t count = 0;
    const accord_arithmetic *a = c->held;
    if ((a->term != ACCORD_TERM_PRODUCT && a->term != ACCORD_TERM_SQUARE) || a->has_machine)
        return 0;
    for (uint32_t k = 0; k < c->tree->inner; k++)
        for (uint32_t i = 0; is_blind(c, k) && i < 2; i++)
            count += is_term(c, c->tree->child[c->tree->first[k] + i]);
    return count;
}

size_t accordi_rivals_fused_room(const accordi_contest *c)
{
    size_t count = count_questions(c), most = MOST_VALUES / c->draw.n;
    return count < most ? count : most;
}

/* ---- inputs ---- */

/* A product of this value, exactly, of factors in the middle of the range. */
static void put_product(const accordi_contest *c, void *x, void *y, uint32_t at, double value)
{
    int exponent = 0;
    frexp(value, &exponent);
    double factor = ldexp(1, exponent / 2);
    accordi_set_number(x, c->draw.is_f32, at, value / factor);
    accordi_set_number(y, c->draw.is_f32, at, factor);
}

/* A leaf that is neither of two. */
static uint32_t third_of(const accordi_contest *c, uint32_t p, uint32_t q)
{
    uint32_t at = 0;
    while (at < c->tree->leaves && (at == p || at == q || !is_term(c, at)))
        at++;
    return at;
}

/* A power of two, 0.7 to 1.4 times as small as |x|. */
static double near(double x)
{
    int exponent = 0;
    return frexp(fabs(x), &exponent) < 0.7 ? ldexp(0.5, exponent) : ldexp(1, exponent);
}

/* A square just below the least normal number beside a power of four times that number which the
 * finish leaves normal. */
static bool draw_squares(const survey *s, const question *q, uint32_t p, uint32_t beside, void *x)
{
    const accordi_contest *c = s->c;
    const accord_arithmetic *how = c->held;
    int least = accord_format_get(accordi_operation_of(c->held, q->node)->format)->min_exponent / 2,
        above = 1;
    double over = accordi_divides(how->finish)      ? how->factor
                  : accordi_multiplies(how->finish) ? 1 / how->factor
                                                    : 1;
    while (above < 8 && ldexp(1, 2 * above) < 2 * fabs(over))
        above++;
    for (size_t i = 0; i < c->draw.n; i++)
        accordi_set_number(x, c->draw.is_f32, i, 0);
    accordi_set_number(x, c->draw.is_f32, p, ldexp(0.828125, least));
    accordi_set_number(x, c->draw.is_f32, beside, ldexp(1, least + above));
    return true;
}

/* A product that is too large beside one of the other sign that is not; false if the format of
 * terms has none. */
static bool draw_large(const accordi_contest *c, const accord_format_info *sum, uint32_t p,
                       uint32_t beside, void *x, void *y)
{
    double great = ldexp(1, sum->max_exponent + 1) / near(c->held->alpha);
    if (ilogb(great) / 2 + 1 > accord_format_get(accordi_operand_format(c->held))->max_exponent)
        return false;
    put_product(c, x, y, p, 1.25 * great);
    put_product(c, x, y, beside, -0.875 * great);
    return true;
}

static bool draw(const survey *s, const question *q, enum kind kind, void *x, void *y)
{
    const accordi_contest *c = s->c;
    const accord_tree *tree = c->tree;
    const uint32_t *child = tree->child + tree->first[q->node];
    uint32_t p = child[q->child], other = child[!q->child];
    uint32_t beside = other < tree->leaves ? other : s->below[other - tree->leaves];
    const accord_format_info *sum =
        accord_format_get(accordi_operation_of(c->held, q->node)->format);
    uint32_t third = third_of(c, p, beside);
    if (!is_term(c, beside) || (kind == HALF_OF_TIE && third == tree->leaves))
        return false;
    if (c->held->term == ACCORD_TERM_SQUARE)
        return kind == FLUSHED && sum->min_exponent % 2 == 0 && draw_squares(s, q, p, beside, x);
    for (size_t i = 0; i < c->draw.n; i++) {
        accordi_set_number(x, c->draw.is_f32, i, 0);
        accordi_set_number(y, c->draw.is_f32, i, 1);
    }
    if (kind == LARGE)
        return draw_large(c, sum, p, beside, x, y);
    bool half = kind == HALF || kind == HALF_OF_TIE;
    double least = half ? sum->least : ldexp(1, sum->min_exponent) / near(c->held->alpha);
    put_product(c, x, y, p, half ? least / 2 : least * 0.6875);
    put_product(c, x, y, beside, kind == HALF_OF_TIE ? -least : kind == HALF ? least : 2 * least);
    if (kind == HALF_OF_TIE)
        put_product(c, x, y, third, 1.5 * accord_format_get(c->held->output)->least);
    return true;
}

/* ---- models ---- */

/* A copy of the model that is held with these leaves fused; products that are not enter rounded
 * into the format of the sum, whatever wider one they were thought to be rounded into: that is the
 * same as fused where they are exact. */
static enum accord_status make_model(const accordi_contest *c, const int8_t *leaf,
                                     accord_arithmetic **out)
{
    accord_error *error = c->asker->error;
    enum accord_status status = accord_arithmetic_copy(c->held, c->tree->inner, out, error);
    int exact = 2 * accord_format_get(accordi_operand_format(c->held))->precision;
    for (size_t i = 0; !status && i < (*out)->operations; i++) {
        accord_operation *op = &(*out)->operation[i];
        if (op->fused != ACCORD_STEP && accord_format_get(op->format)->precision >= exact &&
            accord_format_get(op->product)->precision >= exact)
            op->product = op->format;
    }
    return status ? status : accordi_rival_fuse(c->tree, leaf, *out, error);
}

static enum accord_status make_models(survey *s)
{
    accordi_contest *c = s->c;
    const accord_tree *tree = c->tree;
    for (int way = 0; way < 3; way++) {
        s->leaf[way] = accordi_ask_alloc(c->asker, tree->inner, 1);
        if (!s->leaf[way])
            return c->asker->status;
        for (uint32_t k = 0; k < tree->inner; k++) {
            int was = accordi_operation_of(c->held, k)->fused,
                leaf = accordi_leaf_to_fuse(tree, k, way - 1);
            s->leaf[way][k] = (int8_t)(!is_blind(c, k) ? (was < 0 ? -1 : was) : way ? leaf : -1);
        }
        if ((c->asker->status = make_model(c, s->leaf[way], &s->how[way])))
            return c->asker->status;
    }
    return ACCORD_OK;
}

static void find_leaves(survey *s)
{
    const accord_tree *tree = s->c->tree;
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t node = tree->child[tree->first[k]];
        s->below[k] = node < tree->leaves ? node : s->below[node - tree->leaves];
    }
}

/* The model that fuses this leaf. */
static int way_of(const survey *s, const question *q)
{
    return s->leaf[1][q->node] == q->child ? 1 : 2;
}

/* ---- asking ---- */

static void move_row(accordi_contest *c, size_t from)
{
    accordi_dense *in = &c->asked;
    if (from > in->rows)
        accordi_contest_keep(c, in->row[from], accordi_dense_second(in, from));
    else
        accordi_dense_add(in);
}

/* Gives an input of this kind to those questions without one whose models differ on it; the others
 * come first in `open`. Returns how many these are. */
static size_t pose(survey *s, enum kind kind, question *open, size_t opens)
{
    accordi_contest *c = s->c;
    accordi_dense *in = &c->asked;
    size_t first = in->rows, rows = 0, left = 0;
    for (size_t i = 0; i < opens; i++) {
        size_t at = first + rows;
        open[i].drawn =
            draw(s, &open[i], kind, accordi_dense_first(in, at), accordi_dense_second(in, at));
        rows += open[i].drawn;
    }
    for (int way = 0; way < 3; way++)
        if (accordi_contest_replay(c, in, first, rows, s->how[way], s->due[way]))
            return 0;
    for (size_t i = 0, at = 0; i < opens; i++) {
        double none = open[i].drawn ? s->due[0][at] : 0;
        double fused = open[i].drawn ? s->due[way_of(s, &open[i])][at] : 0;
        at += open[i].drawn;
        if (none == fused || isnan(none)) { /* the sign of a zero may have other reasons */
            open[left++] = open[i];
            continue;
        }
        s->posed[s->questions] = open[i];
        s->posed[s->questions].none = none;
        s->posed[s->questions].fused = fused;
        s->posed[s->questions++].row = in->rows;
        move_row(c, first + at - 1);
    }
    return left;
}

/* Where there is no room for all nodes, the first ones and the last ones: loops over what is left
 * of a vector are the last. */
static void pose_all(survey *s, size_t room)
{
    const accordi_contest *c = s->c;
    question *open = s->posed + room;
    size_t opens = 0, at = 0, left_out = count_questions(c) - room;
    for (uint32_t k = 0; k < c->tree->inner; k++)
        for (int i = 0; i < 2 && is_blind(c, k); i++) {
            if (!is_term(c, c->tree->child[c->tree->first[k] + (uint32_t)i]))
                continue;
            if (at < room / 2 || at >= room / 2 + left_out)
                open[opens++] = (question){.node = k, .child = i};
            at++;
        }
    for (enum kind kind = LARGE; kind < KINDS && opens > 0 && !c->asker->status; kind++)
        opens = pose(s, kind, open, opens);
}

/* Whether both children are leaves that can be fused: then it may be either, or neither. */
static bool is_pair(const survey *s, uint32_t k)
{
    return s->leaf[1][k] != s->leaf[2][k];
}

/* What was not asked does what most nodes do that were: of pairs, and of others. */
static void follow_most(const survey *s, int8_t *leaf)
{
    enum { NONE, FIRST, SECOND, WAYS };
    const accord_tree *tree = s->c->tree;
    size_t pairs[WAYS] = {0}, others[WAYS] = {0};
    for (uint32_t k = 0; k < tree->inner; k++)
        if (leaf[k] != NOT_LEAF)
            (is_pair(s, k) ? pairs : others)[leaf[k] + 1]++;
    bool fused = others[FIRST] + others[SECOND] > others[NONE];
    int of_pairs = fused ? SECOND : NONE; /* where none was asked */
    for (int way = NONE; way < WAYS; way++)
        of_pairs = pairs[way] > pairs[of_pairs] ? way : of_pairs;
    for (uint32_t k = 0; k < tree->inner; k++)
        if (leaf[k] == NOT_LEAF)
            leaf[k] = s->leaf[is_pair(s, k) ? of_pairs : fused ? SECOND : NONE][k];
}

/* What each node fuses, by the answers. False if an answer is neither. */
static bool read_answers(const survey *s, int8_t *leaf)
{
    const accordi_contest *c = s->c;
    memset(leaf, NOT_LEAF, c->tree->inner);
    for (size_t i = 0; i < s->questions; i++) {
        const question *q = &s->posed[i];
        double answer = c->asked.seen[q->row];
        bool none = accordi_same_bits(answer, q->none);
        bool fused = accordi_same_bits(answer, q->fused);
        bool both_leaves = fused && leaf[q->node] >= 0;
        if ((!none && !fused) || both_leaves)
            return false;
        leaf[q->node] = (int8_t)(fused ? q->child : leaf[q->node] < 0 ? -1 : leaf[q->node]);
    }
    follow_most(s, leaf);
    return true;
}

/* Takes the model's place if it replays, perhaps with zeros added at other nodes: what a sum starts
 * from shows in the signs of zeros, and those were found for products that are rounded first. */
static void hold_if_it_replays(accordi_contest *c, accord_arithmetic **made)
{
    accordi_zero_answers zeros = {.made = NULL};
    if (accordi_contest_replays(c, *made)) {
        accordi_contest_hold(c, made);
        return;
    }
    if (c->asker->status || accordi_contest_score(c, *made, 0).numbers < c->score.numbers ||
        accordi_zero_signs(c->asker, c->tree, *made, &zeros) || !zeros.made)
        return;
    if (accordi_contest_replays(c, zeros.made))
        accordi_contest_hold(c, &zeros.made);
    accord_arithmetic_free(zeros.made);
}

static enum accord_status settle(survey *s)
{
    accordi_contest *c = s->c;
    accord_arithmetic *made = NULL;
    int8_t *leaf = accordi_ask_alloc(c->asker, c->tree->inner, 1);
    bool told = !c->asker->status && read_answers(s, leaf);
    c->out->small_products = c->out->small_products || !told;
    if (told) {
        c->asker->status = make_model(c, leaf, &made);
        if (!c->asker->status)
            hold_if_it_replays(c, &made);
    }
    accord_arithmetic_free(made);
    free(leaf);
    return c->asker->status;
}

static void survey_clear(survey *s)
{
    for (int way = 0; way < 3; way++) {
        free(s->leaf[way]);
        accord_arithmetic_free(s->how[way]);
        free(s->due[way]);
    }
    free(s->below);
    free(s->posed);
}

enum accord_status accordi_rivals_fused(accordi_contest *c)
{
    size_t room = accordi_rivals_fused_room(c), first = c->asked.rows;
    if (c->asker->status || room == 0 || 3 * c->held->operations > 255)
        return c->asker->status;
    survey s = {.c = c,
                .below = accordi_ask_alloc(c->asker, c->tree->inner, sizeof *s.below),
                .posed = accordi_ask_alloc(c->asker, 2 * room, sizeof *s.posed)};
    for (int way = 0; way < 3; way++)
        s.due[way] = accordi_ask_alloc(c->asker, room, sizeof *s.due[way]);
    if (!c->asker->status && !make_models(&s)) {
        find_leaves(&s);
        pose_all(&s, room);
        if (!c->asker->status && !accordi_contest_ask(c, first)) {
            c->out->small_products = s.questions < count_questions(c);
            accordi_contest_count(c, first);
            if (accordi_contest_doubted(c))
                settle(&s);
        }
    }
    survey_clear(&s);
    return c->asker->status;
}
