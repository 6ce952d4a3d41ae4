/* Asking for the sums of random inputs, and replaying them: a chunk of rows at a time, drawn where
 * the target takes them without a copy. */
#include "reveal/inputs/replays.h"
#include "exact/accumulator/exact.h"
#include "reveal/inputs/answer_inputs.h"
#include "reveal/probes/dense_rows.h"
#include <math.h>

/* Rows that are replayed side by side are of one kind: arithmetic on subnormals is slow, and would
 * hold up the other lanes. */
enum { SHARED_BYTES = 1 << 19, NEAR_BYTES = 3 << 15 };
/* Each row also takes some memory while it is replayed, so that two of many millions of terms would
 * take too much. */
enum { PAIR_BYTES = 1 << 27 };

static const double long_enough = 0.25; /* seconds that the target takes for a chunk */

static size_t row_bytes(const accordi_replays *replays)
{
    return replays->draw.n * (replays->draw.is_f32 ? sizeof(float) : sizeof(double));
}

/* `shared`: with the process in which the target runs. Each chunk takes messages to it and back, so
 * that larger ones pay; others stay in a near cache. */
static size_t chunk_rows(const accordi_asker *asker, const accordi_replays *replays, bool shared)
{
    const accord_target *target = asker->target;
    size_t rows = (shared ? SHARED_BYTES : NEAR_BYTES) / row_bytes(replays);
    size_t together = row_bytes(replays) < 1 << 22 ? 16 : 4; /* rows are replayed side by side */
    size_t least = accordi_dense_fitting(asker, together, replays->draw.products);
    size_t pair = 2 * row_bytes(replays) * (replays->draw.products ? 2 : 1);
    least = !shared && pair > PAIR_BYTES ? 1 : least;
    rows = rows < least ? least : rows;
    double each = target->calls ? target->seconds / (double)target->calls : 0;
    if (each * (double)rows > long_enough) /* people wait, and want to see how far it is */
        rows = long_enough / each > (double)least ? (size_t)(long_enough / each) : least;
    rows = rows < target->at_once ? target->at_once : rows;
    return rows < replays->rows ? rows : replays->rows;
}

/* `ask`: the rows will be sent to the target. */
static enum accord_status init_chunk(accordi_asker *asker, const accordi_replays *replays, bool ask,
                                     accordi_dense *chunk)
{
    bool shared = ask && asker->target->kind->arena;
    size_t rows = chunk_rows(asker, replays, shared);
    return asker->status ? asker->status
                         : (ask ? accordi_dense_share : accordi_dense_init)(chunk, asker, rows,
                                                                            replays->draw.products);
}

/* Rows but those at the ends of a narrow format. */
static size_t drawn(const accordi_replays *replays)
{
    return replays->rows - replays->ends;
}

/* Draws rows first … into the chunk, from its row `at` on. */
static void draw_rows(const accordi_replays *replays, size_t first, size_t rows,
                      accordi_dense *chunk, size_t at)
{
    size_t fresh = first >= replays->fresh         ? 0
                   : rows < replays->fresh - first ? rows
                                                   : replays->fresh - first;
    for (size_t r = 0; r < fresh; r++)
        accordi_replays_draw(replays, first + r, accordi_dense_first(chunk, at + r),
                             accordi_dense_second(chunk, at + r));
    for (size_t r = fresh; r < rows; r++) {
        void *x = accordi_dense_first(chunk, at + r), *y = accordi_dense_second(chunk, at + r);
        if (first + r < drawn(replays))
            accordi_answers_draw(&replays->draw, replays->input[first + r - replays->fresh], x, y);
        else
            accordi_ends_draw(&replays->draw, replays->kept, replays->squares, first + r, x, y);
    }
}

/* The kind of a row that is drawn. */
static enum accordi_draw_kind kind_of(const accordi_replays *replays, size_t row)
{
    return row < replays->fresh
               ? accordi_replays_fresh_kind(replays, row)
               : accordi_answers_kind_of(&replays->draw, replays->input[row - replays->fresh]);
}

uint64_t accordi_replays_kinds(const accordi_replays *replays)
{
    uint64_t kinds = 0;
    for (size_t r = 0; r < drawn(replays); r++)
        kinds |= UINT64_C(1) << kind_of(replays, r);
    return kinds;
}

/* Replays `rows` rows that are at hand, the first of them row `first`, and counts the agreeing. */
static enum accord_status replay_rows(const accordi_replays *replays, const accord_model *model,
                                      accordi_dense *chunk, size_t first, size_t rows,
                                      size_t *agree)
{
    accordi_dense_replay_some(chunk, 0, rows, model, chunk->due);
    for (size_t r = 0; r < rows && !chunk->asker->status; r++)
        *agree += accordi_same_bits(chunk->due[r], replays->result[first + r]);
    return chunk->asker->status;
}

/* Draws the first rows, a chunk at a time; with `result` asks for their sums, and with a model
 * replays them, as long as `least` of them can agree. */
static enum accord_status pass_rows(accordi_asker *asker, const accordi_replays *replays,
                                    size_t rows, double *result, const accord_model *model,
                                    size_t least, size_t *agree)
{
    accordi_dense c;
    if (init_chunk(asker, replays, result != NULL, &c))
        return asker->status;
    for (size_t at = 0; at < rows && !asker->status; at += c.room) {
        size_t count = rows - at < c.room ? rows - at : c.room;
        draw_rows(replays, at, count, &c, 0);
        if (result)
            accordi_dense_ask_some(&c, 0, count, result + at);
        if (model && !asker->status)
            replay_rows(replays, model, &c, at, count, agree);
        if (model && *agree + (rows - at - count) < least)
            break;
    }
    accordi_dense_clear(&c);
    return asker->status;
}

enum accord_status accordi_replays_again(accordi_asker *asker, const accordi_replays *replays,
                                         size_t rows, double *result)
{
    return pass_rows(asker, replays, rows, result, NULL, 0, NULL);
}

/* Of terms, before they are scaled. */
static double greatest_sum(const accordi_asker *asker)
{
    double factor = fmax(1, fabs(asker->scale));
    factor *= fmax(1, fabs(asker->alpha)) * fmax(1, fabs(asker->beta));
    return accord_format_get(asker->target->output)->greatest / factor;
}

enum accord_status accordi_replays_ask(accordi_asker *asker, size_t rows, size_t fresh, bool plain,
                                       const accord_model *model, accordi_replays *replays,
                                       size_t *agree)
{
    const accord_target *target = asker->target;
    size_t inputs = rows - fresh;
    bool one_sign = asker->term == ACCORD_TERM_SQUARE || asker->term == ACCORD_TERM_ABSOLUTE;
    bool narrows = asker->format != target->format || asker->scale != 1 || one_sign;
    size_t ends = plain || !narrows ? 0 : accordi_ends_rows(asker->n);
    rows += ends;
    *replays = (accordi_replays){
        .draw = {.n = asker->n,
                 .seed = accordi_rng_next(&asker->rng),
                 .format = target->format,
                 .is_f32 = target->storage_f32,
                 .products = !plain && asker->term == ACCORD_TERM_PRODUCT,
                 .plain = plain,
                 .block = accordi_draw_block(fresh)},
        .products = plain || asker->term != ACCORD_TERM_PRODUCT ? 0 : asker->n - target->has_start,
        .rows = rows,
        .fresh = fresh,
        .ends = ends,
        .kept = asker->format,
        .greatest = greatest_sum(asker),
        .output = target->output,
        .scale = plain || one_sign ? 0 : asker->scale * asker->alpha,
        .squares = asker->term == ACCORD_TERM_SQUARE};
    replays->result = accordi_ask_alloc(asker, rows, sizeof *replays->result);
    replays->input = accordi_ask_alloc(asker, inputs, sizeof *replays->input);
    if (!replays->result || !replays->input)
        return asker->status;
    accordi_answers_order(inputs, replays->input);
    if (model && !plain && accordi_replays_choose(asker, replays, model))
        return asker->status;
    if (model)
        *agree = 0;
    return pass_rows(asker, replays, rows, replays->result, model, 0, agree);
}

void accordi_replays_clear(accordi_replays *replays)
{
    free(replays->result);
    free(replays->input);
    free(replays->attempt);
    memset(replays, 0, sizeof *replays);
}

enum accord_status accordi_replays_agree(accordi_asker *asker, const accordi_replays *replays,
                                         const accord_model *model, size_t rows, size_t least,
                                         size_t *agree)
{
    *agree = 0;
    return pass_rows(asker, replays, rows, NULL, model, least, agree);
}

enum accord_status accordi_replays_sample(accordi_asker *asker, const accordi_replays *replays,
                                          const accord_model *model, bool *all)
{
    accordi_dense c;
    size_t step = replays->draw.block ? replays->draw.block : 1, row = 0;
    *all = true;
    if (init_chunk(asker, replays, false, &c))
        return asker->status;
    for (size_t left = ACCORDI_DRAW_KINDS; left > 0 && *all && !asker->status;) {
        size_t count = 0, agree = 0;
        double due[ACCORDI_DRAW_KINDS];
        for (; count < c.room && left > 0 && row < drawn(replays); count++, left--, row += step) {
            draw_rows(replays, row, 1, &c, count);
            due[count] = replays->result[row];
        }
        if (count == 0)
            break;
        accordi_replays rows = *replays;
        rows.result = due;
        *all = !replay_rows(&rows, model, &c, 0, count, &agree) && agree == count;
    }
    accordi_dense_clear(&c);
    return asker->status;
}

static bool holds(enum accord_format format, double result)
{
    return isnan(result) || accord_format_round(format, ACCORD_NEAREST_EVEN, result) == result;
}

static void find_outside(const accordi_asker *asker, const accordi_replays *replays,
                         accordi_disagreement *out)
{
    out->wider = ACCORD_F32;
    for (size_t r = 0; r < replays->rows; r++) {
        out->outside += !holds(asker->target->output, replays->result[r]);
        if (!holds(out->wider, replays->result[r]))
            out->wider = ACCORD_F64;
    }
}

enum accord_status accordi_replays_differ(accordi_asker *asker, const accordi_replays *replays,
                                          const accord_model *model, accordi_disagreement *out)
{
    accordi_dense c;
    memset(out, 0, sizeof *out);
    find_outside(asker, replays, out);
    if (init_chunk(asker, replays, false, &c))
        return asker->status;
    size_t enough = ((size_t)1 << 22) / replays->draw.n + 64; /* one by one is slow */
    for (size_t r = 0; r < drawn(replays) && r < enough && !asker->status; r++) {
        enum accordi_draw_kind kind = kind_of(replays, r);
        size_t agree = 0;
        draw_rows(replays, r, 1, &c, 0);
        if (replay_rows(replays, model, &c, r, 1, &agree))
            break;
        out->rows[kind]++;
        out->other[kind] += !agree;
    }
    accordi_dense_clear(&c);
    return asker->status;
}

/* The exact sum of a row, times the scale, as the target would store it. */
static double exact_sum(const accordi_asker *asker, const accordi_replays *replays, const void *x,
                        const void *y)
{
    static const double one = 1;
    static const float single = 1;
    size_t n = replays->draw.n;
    accord_exact_wide sum;
    accord_exact_wide_init(&sum);
    accordi_exact_view view = accordi_exact_of_wide(&sum);
    if (replays->draw.is_f32)
        accordi_exact_products_f32(view, n, x, 1, y ? y : &single, y != NULL);
    else
        accordi_exact_products_f64(view, n, x, 1, y ? y : &one, y != NULL);
    enum accord_format output = asker->target->output;
    if (asker->scale == 1)
        return accordi_exact_value(view, output, ACCORD_NEAREST_EVEN);
    double scaled = accordi_exact_value(view, ACCORD_F64, ACCORD_NEAREST_EVEN) * asker->scale;
    return accord_format_round(output, ACCORD_NEAREST_EVEN, scaled);
}

enum accord_status accordi_replays_exact(accordi_asker *asker, const accordi_replays *replays,
                                         size_t *exact, size_t *of)
{
    accordi_dense c;
    accordi_replays one = *replays;
    one.rows = 1;
    *exact = *of = 0;
    if (init_chunk(asker, &one, false, &c))
        return asker->status;
    for (size_t r = 0; r < drawn(replays); r++) {
        if (kind_of(replays, r) != ACCORDI_DRAW_USUAL)
            continue;
        draw_rows(replays, r, 1, &c, 0);
        *of += 1;
        *exact += accordi_same_bits(exact_sum(asker, replays, c.x, c.y), replays->result[r]);
    }
    accordi_dense_clear(&c);
    return asker->status;
}

size_t accordi_accumulators(const accordi_asker *asker,
                            enum accord_format out[ACCORDI_ACCUMULATORS])
{
    const accord_target *target = asker->target;
    const accord_format_info *kept = accord_format_get(asker->format);
    const enum accord_format wanted[ACCORDI_ACCUMULATORS] = {
        target->output, target->format, ACCORD_F32,  ACCORD_F64,
        ACCORD_TF32,    ACCORD_F16,     ACCORD_BF16, asker->format};
    size_t count = 0, likely = asker->format == target->format ? 4 : ACCORDI_ACCUMULATORS;
    for (size_t i = 0; i < likely; i++) {
        bool old = i >= 4 && accord_format_get(wanted[i])->precision < kept->precision;
        for (size_t k = 0; k < count; k++)
            old = old || out[k] == wanted[i];
        if (!old)
            out[count++] = wanted[i];
    }
    return count;
}
