/* Rivals: models that random inputs leave open. np.mean of ten f32 is the sum divided by 10; times
 * 0.1, in f64 and then rounded to f32, is the same but where the quotient is a tie of f32, which
 * only subnormal numbers come to. A sum of -0 alone is -0 or +0; a product is rounded once or
 * twice, fused or not; alpha enters here or there.
 *
 * Idea: every model that differs in one parameter from the one that was found (rivals_table.c) is
 * compared with it. A rival that contradicts an existing answer is dropped; these answers are the
 * replays, and inputs about zeros and of few bits (rivals_hard.c) that are always asked for. For
 * each of the others, inputs that are drawn for the purpose (rivals_inputs.c) are searched for one
 * on which the two models differ, without a call of the target. Only such inputs are put to the
 * target, and its answers decide.
 *
 * Invariant: the current model agrees with all replays. A rival that agrees with these and with
 * more of the later answers takes its place, so the search ends. If the model still contradicts an
 * answer at the end, it is refuted; rivals that no input distinguishes from it are named. */
#include "model/words.h"
#include "reveal/arithmetic/contest.h"
#include "reveal/arithmetic/flushing.h"
#include "reveal/arithmetic/zero_signs.h"
#include <math.h>

enum {
    QUESTIONS = 4, /* inputs that part two models, put to the target */
    MOST = 256,    /* inputs put to it in all; of longer sums: */
    MOST_LONG = 72,
    LANES = 16,           /* inputs that are replayed side by side */
    KEPT_BYTES = 1 << 18, /* of inputs of searches, as new memory is slower than drawing anew */
    SEARCHED = 4096,      /* inputs of a search at most; in all: */
    LEAST = 256,          /* that many, and more of short sums */
    HARD = 1024,          /* inputs of few bits at most */
    EDGES = 512,          /* inputs at the ends of the range at most; of long sums fewer: */
    FEWEST_EDGES = 8,
    ADOPTED = 8 /* models at most that take the place of others */
};

/* ---- the search ---- */

static bool has_room(const accordi_contest *c, size_t first)
{
    return c->asked.rows < c->asked.room && c->asked.rows - first < QUESTIONS;
}

/* Of `count` inputs that are drawn and replayed, keeps those on which the rival parts from the
 * model. */
static enum accord_status part_drawn(accordi_contest *c, const accordi_rival *rival, size_t at,
                                     size_t count, size_t first)
{
    accordi_dense *in = &c->drawn;
    const void *row[2 * LANES];
    size_t place[LANES], places = 0;
    double other[LANES];
    for (size_t r = at; r < at + count; r++)
        if (in->due[r] == 0 || !rival->of_zeros) {
            row[places] = in->row[r];
            row[LANES + places] = in->row[in->room + r];
            place[places++] = r;
        }
    accordi_dense some = *in;
    some.room = LANES;
    some.row = row;
    if (places == 0 || accordi_contest_replay(c, &some, 0, places, rival->how, other))
        return c->asker->status;
    for (size_t i = 0; i < places && has_room(c, first); i++)
        if (!accordi_same_bits(in->due[place[i]], other[i]))
            accordi_contest_keep(c, row[i], accordi_dense_second(in, place[i]));
    return ACCORD_OK;
}

/* Inputs that are kept packed. */
static bool is_long(const accordi_contest *c)
{
    return c->draw.n > ACCORDI_LONG_ROW;
}

/* How many inputs are drawn at a time: of very long ones one. They have room behind those that are
 * kept. */
static size_t drawn_together(const accordi_contest *c)
{
    return c->asked.room < LANES ? 1 : LANES;
}

static size_t behind_kept(const accordi_contest *c)
{
    return c->drawn.room - drawn_together(c);
}

/* Where a search finds its next inputs, of which `done` came before: they are drawn and replayed
 * unless they were for another rival. */
static size_t next_drawn(accordi_contest *c, size_t done)
{
    accordi_dense *in = &c->drawn;
    size_t count = drawn_together(c);
    if (done < in->rows)
        return done;
    bool keeps = done + count <= behind_kept(c);
    size_t at = keeps ? done : behind_kept(c);
    for (size_t i = 0; i < count; i++)
        accordi_rival_input(&c->purpose, ACCORDI_RIVAL_ALWAYS + done + i,
                            accordi_dense_first(in, at + i), accordi_dense_second(in, at + i));
    accordi_contest_replay(c, in, at, count, c->held, in->due + at);
    in->rows = keeps ? done + count : in->rows;
    return at;
}

static enum accord_status search_rows(accordi_contest *c, const accordi_rival *rival, size_t first)
{
    size_t most = c->left / 2 < SEARCHED ? c->left / 2 : SEARCHED, done = 0;
    while (done < most && has_room(c, first) && !c->asker->status) {
        size_t at = next_drawn(c, done), count = drawn_together(c);
        done += count;
        part_drawn(c, rival, at, count, first);
    }
    c->left -= done < c->left ? done : c->left;
    c->searched += done;
    return c->asker->status;
}

/* What becomes of a lone sum. */
static enum accord_status end_of(accordi_contest *c, const accord_arithmetic *whole,
                                 const void **row, double *result)
{
    accord_arithmetic how = *whole;
    accord_operation op = how.operation[how.of_node ? how.of_node[c->tree->inner - 1] : 0];
    const accord_rows rows = {.rows = SEARCHED, .x = row};
    const accord_model model = {c->leaf, &how};
    op.fused = -1;
    op.product = op.format;
    how.operations = 1;
    how.operation = &op;
    how.of_node = NULL;
    how.input = how.operand = ACCORD_F64;
    how.term = ACCORD_TERM_VALUE;
    return c->asker->status = accord_model_replay(&model, &rows, result, c->asker->error);
}

/* The parts of a sum at places of their own. */
static void draw_parts(accordi_contest *c, const double part[4], size_t parts)
{
    accordi_dense *in = &c->drawn;
    uint32_t at[4];
    size_t row = behind_kept(c);
    void *x = accordi_dense_first(in, row), *y = accordi_dense_second(in, row);
    for (size_t i = 0; i < c->draw.n; i++) {
        accordi_set_number(x, c->draw.is_f32, i, 0);
        if (y)
            accordi_set_number(y, c->draw.is_f32, i, 1);
    }
    accordi_ask_pick(c->asker, at, parts);
    for (size_t i = 0; i < parts; i++)
        accordi_set_number(x, c->draw.is_f32, at[i], part[i]);
    accordi_contest_replay(c, in, row, 1, c->held, in->due + row);
}

/* Rivals that do otherwise with the last sum alone: sums are searched, without a tree. */
static enum accord_status search_sums(accordi_contest *c, const accordi_rival *rival, size_t first)
{
    double *sum = accordi_ask_alloc(c->asker, 3 * (size_t)SEARCHED, sizeof *sum), part[4];
    const void **row = accordi_ask_alloc(c->asker, SEARCHED, sizeof *row);
    double *due = sum ? sum + SEARCHED : NULL, *other = sum ? due + SEARCHED : NULL;
    for (size_t i = 0; i < SEARCHED && !c->asker->status; i++) {
        accordi_rival_sum(&c->purpose, i, &sum[i], part);
        row[i] = &sum[i];
    }
    if (!c->asker->status && !end_of(c, c->held, row, due))
        end_of(c, rival->how, row, other);
    for (size_t i = 0; i < SEARCHED && !c->asker->status && has_room(c, first); i++) {
        size_t parts = accordi_rival_sum(&c->purpose, i, &sum[i], part);
        if (accordi_same_bits(due[i], other[i]) || parts > c->draw.n)
            continue;
        draw_parts(c, part, parts);
        part_drawn(c, rival, behind_kept(c), 1, first);
    }
    c->searched += SEARCHED;
    free(sum);
    free(row);
    return c->asker->status;
}

static bool ends_alone(const accordi_contest *c)
{
    return c->held->term != ACCORD_TERM_SQUARE && !c->asker->target->has_start &&
           c->held->alpha == 1 && c->held->operations > 0 && !c->held->has_machine;
}

/* ---- the contest ---- */

static void name_open(accordi_contest *c, accordi_rival *rival)
{
    accordi_rivals *out = c->out;
    /* What is open is called a division by a whole number, which is what most write. */
    if (accordi_divides(rival->how->finish) && !accordi_divides(c->held->finish)) {
        accord_arithmetic *swapped = c->held;
        c->held = rival->how;
        rival->how = swapped;
        c->drawn.rows = 0;
    }
    const accord_model made = {c->tree, rival->how};
    char words[160];
    for (size_t i = 0; i < out->opens; i++) {
        const accord_model old = {c->tree, out->open[i].arithmetic};
        if (!accord_model_differ(&old, &made, words, sizeof words))
            return;
    }
    if (out->opens < ACCORD_ALTERNATIVES_KEPT) {
        out->open[out->opens++] = (accord_alternative){rival->how, (int64_t)c->searched};
        rival->how = NULL;
    }
}

/* Adopts the rival if more answers agree with it: first of all their numbers, then the signs of
 * those that are zero. Such a sign says something about zeros only: it is no reason to let alpha, a
 * factor or a rounding enter elsewhere, or to flush subnormal numbers. Nor may it flush what sums
 * of subnormal numbers show to be kept. */
static bool adopt(accordi_contest *c, accordi_rival *rival)
{
    bool flushes_agree = true;
    bool only_signs = c->score.numbers == c->asked.rows;
    if ((only_signs && !rival->zeros) || !accordi_contest_beats(c, rival->how, c->score) ||
        !accordi_contest_replays(c, rival->how))
        return false;
    if (rival->how->flush != c->held->flush) {
        accordi_ask_factors(c->asker, false);
        accordi_flushes_agree(c->asker, c->tree, rival->how, &flushes_agree);
        accordi_ask_factors(c->asker, true);
    }
    if (!flushes_agree || c->asker->status)
        return false;
    accordi_contest_hold(c, &rival->how);
    return true;
}

static enum accord_status search(accordi_contest *c, const accordi_rival *rival)
{
    size_t first = c->asked.rows;
    c->purpose.how = c->held;
    c->searched = 0;
    if (!c->drawn.x &&
        accordi_dense_init(&c->drawn, c->asker, drawn_together(c) + KEPT_BYTES / c->asked.bytes,
                           c->draw.products))
        return c->asker->status;
    if (rival->end && ends_alone(c))
        search_sums(c, rival, first);
    if (c->asked.rows == first)
        search_rows(c, rival, first);
    if (is_long(c)) /* none of them is kept, and replays need the memory */
        accordi_dense_clear(&c->drawn);
    return c->asker->status;
}

/* Is there an input on which the two part? Asks the target for such. True if the rival wins. */
static bool meet(accordi_contest *c, accordi_rival *rival)
{
    size_t first = c->asked.rows;
    if (!accordi_contest_agrees(c, rival->how) || !accordi_contest_sample(c, rival->how))
        return false;
    if (c->asker->status || search(c, rival))
        return false;
    if (c->asked.rows == first) {
        bool untried = c->searched == 0 || first == c->asked.room;
        if ((rival->named || untried) && accordi_contest_replays(c, rival->how)) {
            if (rival->named)
                name_open(c, rival);
            else
                c->out->unasked++;
        }
        return false;
    }
    if (accordi_contest_ask(c, first))
        return false;
    accordi_contest_count(c, first);
    return accordi_contest_doubted(c) && adopt(c, rival);
}

/* All rivals of the model that is held; true when one took its place. */
static bool challenge(accordi_contest *c)
{
    size_t at = 0;
    bool won = false;
    accordi_rival rival = {0};
    c->out->unasked = 0;
    while (!won && !c->asker->status &&
           !accordi_rival_next(c->asker, c->tree, c->held, &at, &rival) && rival.how) {
        won = accordi_contest_doubted(c) ? adopt(c, &rival) : !rival.late && meet(c, &rival);
        accord_arithmetic_free(rival.how);
        rival.how = NULL;
    }
    accord_arithmetic_free(rival.how);
    return won && !c->asker->status;
}

/* Other models that add zeros at some nodes; true if one takes the place of the model that is held.
 * Both agree with the inputs that were asked before but for the signs of zeros. */
static bool mend_zeros(accordi_contest *c)
{
    accordi_zero_answers zeros;
    if (c->asker->status || c->zeros_done || c->score.numbers < c->asked.rows ||
        accordi_zero_signs(c->asker, c->tree, c->held, &zeros))
        return false;
    c->zeros_done = !zeros.made || accordi_contest_score(c, zeros.made, 0).bits < c->score.bits ||
                    !accordi_contest_replays(c, zeros.made);
    if (!c->zeros_done)
        accordi_contest_hold(c, &zeros.made);
    accord_arithmetic_free(zeros.made);
    c->out->other_zero |= c->zeros_done && zeros.signs && !zeros.numbers;
    c->out->zeros_sampled = zeros.sampled;
    c->out->refuted += zeros.numbers;
    return !c->zeros_done;
}

/* Inputs that are always asked: of few bits, at the ends of the range, and about the signs of
 * zeros. A quarter of the former show the order of wide sums in a narrow result, where there is
 * one; and where products may be flushed, another quarter are about those next to the least normal
 * number. */
static void draw_always(accordi_contest *c, size_t hard, size_t edges, size_t zeros)
{
    enum { PURPOSES = 4, NEAR_LEAST = 0, HIDDEN };
    accordi_dense *in = &c->asked;
    bool flushes = c->held->flush && c->draw.products;
    accordi_rival_gaps(&c->purpose);
    for (; in->rows < hard + edges + zeros && !c->asker->status; accordi_dense_add(in)) {
        void *x = accordi_dense_first(in, in->rows), *y = accordi_dense_second(in, in->rows);
        if (in->rows < hard && flushes && in->rows % PURPOSES == NEAR_LEAST)
            accordi_rival_least(&c->purpose, in->rows, x, y);
        else if (in->rows < hard && in->rows % PURPOSES == HIDDEN &&
                 accordi_rival_hidden(&c->purpose, in->rows, x, y))
            continue;
        else if (in->rows < hard)
            accordi_rival_hard(&c->purpose, in->rows, x, y);
        else if (in->rows < hard + edges)
            accordi_rival_edge(&c->purpose, in->rows, x, y);
        else
            accordi_rival_input(&c->purpose, in->rows - hard - edges, x, y);
    }
}

/* Near the ends of the range, steps of machines may differ from what their parameters say, as
 * records state. */
static size_t edges_of(const accordi_contest *c)
{
    size_t edges = ((size_t)3 << 12) / c->draw.n;
    return c->held->has_machine   ? 0
           : edges > EDGES        ? EDGES
           : edges < FEWEST_EDGES ? FEWEST_EDGES
                                  : edges;
}

/* Whether every answer that contradicts the model is to an input at the ends of the range. */
static bool contradicted_at_ends(accordi_contest *c, size_t hard, size_t edges)
{
    bool all = c->score.bits < c->asked.rows;
    accordi_contest_score(c, c->held, 0);
    for (size_t i = 0; i < c->asked.rows && all; i++)
        all =
            (i >= hard && i < hard + edges) || accordi_same_bits(c->asked.due[i], c->asked.seen[i]);
    return all;
}

static void drop_open(accordi_rivals *rivals)
{
    for (size_t i = 0; i < rivals->opens; i++)
        accord_arithmetic_free(rivals->open[i].arithmetic);
    memset(rivals->open, 0, sizeof rivals->open);
    rivals->opens = 0;
}

static enum accord_status hold(accordi_contest *c)
{
    accordi_dense *in = &c->asked;
    size_t room = ((size_t)1 << 23) / c->draw.n;
    size_t zeros = c->draw.products ? ACCORDI_RIVAL_ALWAYS : ACCORDI_RIVAL_ZEROS;
    size_t most = ((size_t)1 << 20) / c->draw.n;
    /* Long sums repeat the operations of short ones, and cost more. */
    size_t hard = ((size_t)1 << (c->draw.n < 64 ? 16 : 14)) / c->draw.n;
    hard = hard > HARD ? HARD : hard;
    size_t edges = edges_of(c);
    most = most > MOST ? MOST : most < MOST_LONG ? MOST_LONG : most;
    room = room > most ? most : room < 4 ? 4 : room;
    zeros = zeros < room - 2 ? zeros : room - 2;
    c->left = ((size_t)3 << 17) / c->draw.n;
    c->left = c->left > 2 * SEARCHED ? 2 * SEARCHED : c->left < LEAST ? LEAST : c->left;
    size_t all = room + hard + edges + accordi_rivals_fused_room(c);
    if ((is_long(c) ? accordi_dense_share_packed : accordi_dense_share)(in, c->asker, all,
                                                                        c->draw.products))
        return c->asker->status;
    draw_always(c, hard, edges, zeros);
    if (accordi_contest_ask(c, 0))
        return c->asker->status;
    accordi_contest_count(c, 0);
    accordi_rivals_fused(c);
    for (int round = 0;
         round < ADOPTED && (challenge(c) || mend_zeros(c) || accordi_rivals_forgive(c)); round++)
        drop_open(c->out);
    c->out->at_ends = c->out->refuted == 0 && contradicted_at_ends(c, hard, edges);
    c->out->refuted += in->rows - c->score.bits;
    return c->asker->status;
}

enum accord_status accordi_rivals_part(accordi_asker *asker, const accord_tree *tree,
                                       const accordi_replays *replays, accord_arithmetic **inout,
                                       accordi_rivals *out)
{
    const uint32_t parent = ACCORD_TREE_NO_NODE;
    accord_tree *leaf = NULL;
    accordi_contest c = {
        .asker = asker, .tree = tree, .replays = replays, .held = *inout, .out = out};
    accordi_rivals_clear(out);
    if (asker->status ||
        (asker->status = accord_tree_from_parents(1, 0, &parent, &leaf, asker->error)))
        return asker->status;
    c.leaf = leaf;
    accordi_rival_settle(asker, tree, c.held);
    c.draw = replays->draw;
    c.draw.block = 1;
    c.draw.seed = accordi_rng_next(&asker->rng);
    c.purpose = (accordi_purpose){
        .draw = &c.draw, .how = *inout, .tree = tree, .has_start = asker->target->has_start};
    accordi_ask_factors(asker, true);
    hold(&c);
    accordi_ask_factors(asker, false);
    *inout = c.held;
    accordi_dense_clear(&c.asked);
    accordi_dense_clear(&c.drawn);
    accord_tree_free(leaf);
    return asker->status;
}

void accordi_rivals_clear(accordi_rivals *rivals)
{
    drop_open(rivals);
    *rivals = (accordi_rivals){0};
}
