/* Asking for the sums of random inputs, and replaying them: a chunk of rows at a time, drawn where
 * the target takes them without a copy. */
#include "reveal/inputs/replays.h"
#include "exact/accumulator/exact.h"
#include "reveal/inputs/answer_inputs.h"

/* Rows that are replayed side by side are of one kind: arithmetic on subnormals is slow, and would
 * hold up the other lanes. */
enum { SHARED_BYTES = 1 << 19, NEAR_BYTES = 3 << 15 };

static const double long_enough = 0.25; /* seconds that the target takes for a chunk */

/* A chunk of operands, and where its rows begin. */
typedef struct chunk {
    size_t rows;      /* that fit */
    void *x, *y;      /* y: NULL unless terms are products */
    const void **row; /* of x, then of y */
    double *start, *sum;
    bool borrowed; /* x and y are the target's */
} chunk;

static size_t row_bytes(const accordi_replays *replays)
{
    return replays->draw.n * (replays->draw.is_f32 ? sizeof(float) : sizeof(double));
}

/* `shared`: with the process in which the target runs. Each chunk takes messages to it and back, so
 * that larger ones pay; others stay in a near cache. */
static size_t chunk_rows(const accord_target *target, const accordi_replays *replays, bool shared)
{
    size_t rows = (shared ? SHARED_BYTES : NEAR_BYTES) / row_bytes(replays);
    size_t least = row_bytes(replays) < 1 << 22 ? 16 : 4; /* rows are replayed side by side */
    rows = rows < least ? least : rows;
    double each = target->calls ? target->seconds / (double)target->calls : 0;
    if (each * (double)rows > long_enough) /* people wait, and want to see how far it is */
        rows = long_enough / each > (double)least ? (size_t)(long_enough / each) : least;
    rows = rows < target->at_once ? target->at_once : rows;
    return rows < replays->rows ? rows : replays->rows;
}

static void chunk_clear(chunk *c)
{
    if (!c->borrowed)
        free(c->x);
    free(c->row);
    free(c->start);
    free(c->sum);
}

/* `ask`: the rows will be sent to the target. */
static enum accord_status chunk_init(accordi_asker *asker, const accordi_replays *replays, bool ask,
                                     chunk *c)
{
    accord_target *target = asker->target;
    bool shared = ask && target->kind->arena;
    size_t rows = chunk_rows(target, replays, shared), half = rows * row_bytes(replays);
    size_t bytes = replays->draw.products ? 2 * half : half;
    void *arena = shared ? target->kind->arena(target, bytes) : NULL;
    *c = (chunk){.rows = rows, .borrowed = arena != NULL};
    c->x = arena ? arena : accordi_alloc(bytes, 1);
    c->row = accordi_alloc(2 * rows, sizeof *c->row);
    c->start = accordi_alloc(rows, sizeof *c->start);
    c->sum = accordi_alloc(rows, sizeof *c->sum);
    if (!c->x || !c->row || !c->start || !c->sum) {
        chunk_clear(c);
        return asker->status = accordi_nomem(asker->error);
    }
    c->y = replays->draw.products ? (char *)c->x + half : NULL;
    for (size_t r = 0; r < rows; r++) {
        c->row[r] = (char *)c->x + r * row_bytes(replays);
        c->row[rows + r] = (char *)c->x + half + r * row_bytes(replays);
    }
    return ACCORD_OK;
}

/* Rows but those at the ends of a narrow format. */
static size_t drawn(const accordi_replays *replays)
{
    return replays->rows - replays->ends;
}

/* Rows that are of one draw are drawn together. */
static void draw_rows(const accordi_replays *replays, size_t first, size_t rows, void *x, void *y)
{
    size_t fresh = first >= replays->fresh         ? 0
                   : rows < replays->fresh - first ? rows
                                                   : replays->fresh - first;
    accordi_draw_rows(&replays->draw, first, fresh, x, y);
    for (size_t r = fresh; r < rows; r++) {
        char *to = (char *)x + r * row_bytes(replays);
        char *second = y ? (char *)y + r * row_bytes(replays) : NULL;
        if (first + r < drawn(replays))
            accordi_answers_draw(&replays->draw, replays->input[first + r - replays->fresh], to,
                                 second);
        else
            accordi_ends_draw(&replays->draw, replays->kept, replays->squares, first + r, to,
                              second);
    }
}

/* Of a row that is drawn. */
static enum accordi_draw_kind kind_of(const accordi_replays *replays, size_t row)
{
    return row < replays->fresh
               ? accordi_draw_kind_of(&replays->draw, row)
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
static enum accord_status replay_rows(accordi_asker *asker, const accordi_replays *replays,
                                      const accord_model *model, const chunk *c, size_t first,
                                      size_t rows, size_t *agree)
{
    bool has_start = asker->target->has_start;
    for (size_t r = 0; has_start && r < rows; r++)
        c->start[r] = accordi_get_number(c->row[r], replays->draw.is_f32, replays->draw.n - 1);
    accord_rows at = {.rows = rows,
                      .x = c->row,
                      .y = c->y ? c->row + c->rows : NULL,
                      .start = has_start ? c->start : NULL,
                      .is_f32 = replays->draw.is_f32};
    asker->status = accord_model_replay(model, &at, c->sum, asker->error);
    for (size_t r = 0; r < rows && !asker->status; r++)
        *agree += accordi_same_bits(c->sum[r], replays->result[first + r]);
    return asker->status;
}

/* Asks for the sums of the first rows, a chunk at a time; with a model, replays them too. */
static enum accord_status ask_rows(accordi_asker *asker, const accordi_replays *replays,
                                   size_t rows, double *result, const accord_model *model,
                                   size_t *agree)
{
    chunk c;
    if (asker->status || chunk_init(asker, replays, true, &c))
        return asker->status;
    for (size_t at = 0; at < rows && !asker->status; at += c.rows) {
        size_t count = rows - at < c.rows ? rows - at : c.rows;
        draw_rows(replays, at, count, c.x, c.y);
        accord_batch batch = {.probes = count, .dense = c.x, .dense_second = c.y};
        if (!accordi_ask_goes_on(asker, count))
            break;
        asker->status = accord_target_run(asker->target, &batch, result + at, asker->error);
        if (model && !asker->status)
            replay_rows(asker, replays, model, &c, at, count, agree);
    }
    chunk_clear(&c);
    return asker->status;
}

enum accord_status accordi_replays_again(accordi_asker *asker, const accordi_replays *replays,
                                         size_t rows, double *result)
{
    return ask_rows(asker, replays, rows, result, NULL, NULL);
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
    *replays = (accordi_replays){.draw = {.n = asker->n,
                                          .seed = accordi_rng_next(&asker->rng),
                                          .format = target->format,
                                          .is_f32 = target->storage_f32,
                                          .products = !plain && asker->term == ACCORD_TERM_PRODUCT,
                                          .plain = plain,
                                          .block = accordi_draw_block(fresh)},
                                 .rows = rows,
                                 .fresh = fresh,
                                 .ends = ends,
                                 .kept = asker->format,
                                 .squares = asker->term == ACCORD_TERM_SQUARE};
    replays->result = accordi_alloc(rows, sizeof *replays->result);
    replays->input = accordi_alloc(inputs, sizeof *replays->input);
    if (!replays->result || !replays->input)
        return asker->status = accordi_nomem(asker->error);
    accordi_answers_order(inputs, replays->input);
    if (model)
        *agree = 0;
    return ask_rows(asker, replays, rows, replays->result, model, agree);
}

void accordi_replays_clear(accordi_replays *replays)
{
    free(replays->result);
    free(replays->input);
    memset(replays, 0, sizeof *replays);
}

enum accord_status accordi_replays_agree(accordi_asker *asker, const accordi_replays *replays,
                                         const accord_model *model, size_t rows, size_t *agree)
{
    chunk c;
    *agree = 0;
    if (asker->status || chunk_init(asker, replays, false, &c))
        return asker->status;
    for (size_t at = 0; at < rows && !asker->status; at += c.rows) {
        size_t now = rows - at < c.rows ? rows - at : c.rows;
        draw_rows(replays, at, now, c.x, c.y);
        replay_rows(asker, replays, model, &c, at, now, agree);
    }
    chunk_clear(&c);
    return asker->status;
}

enum accord_status accordi_replays_sample(accordi_asker *asker, const accordi_replays *replays,
                                          const accord_model *model, bool *all)
{
    chunk c;
    size_t step = replays->draw.block ? replays->draw.block : 1, row = 0;
    *all = true;
    if (asker->status || chunk_init(asker, replays, false, &c))
        return asker->status;
    for (size_t left = ACCORDI_DRAW_KINDS; left > 0 && *all && !asker->status;) {
        size_t count = 0, agree = 0;
        double due[ACCORDI_DRAW_KINDS];
        for (; count < c.rows && left > 0 && row < drawn(replays); count++, left--, row += step) {
            draw_rows(replays, row, 1, (char *)c.x + count * row_bytes(replays),
                      c.y ? (char *)c.y + count * row_bytes(replays) : NULL);
            due[count] = replays->result[row];
        }
        if (count == 0)
            break;
        accordi_replays rows = *replays;
        rows.result = due;
        *all = !replay_rows(asker, &rows, model, &c, 0, count, &agree) && agree == count;
    }
    chunk_clear(&c);
    return asker->status;
}

enum accord_status accordi_replays_differ(accordi_asker *asker, const accordi_replays *replays,
                                          const accord_model *model, accordi_disagreement *out)
{
    chunk c;
    memset(out, 0, sizeof *out);
    if (asker->status || chunk_init(asker, replays, false, &c))
        return asker->status;
    size_t enough = ((size_t)1 << 22) / replays->draw.n + 64; /* one by one is slow */
    for (size_t r = 0; r < drawn(replays) && r < enough && !asker->status; r++) {
        enum accordi_draw_kind kind = kind_of(replays, r);
        size_t agree = 0;
        draw_rows(replays, r, 1, c.x, c.y);
        if (replay_rows(asker, replays, model, &c, r, 1, &agree))
            break;
        out->rows[kind]++;
        out->other[kind] += !agree;
    }
    chunk_clear(&c);
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
    chunk c;
    accordi_replays one = *replays;
    one.rows = 1;
    *exact = *of = 0;
    if (asker->status || chunk_init(asker, &one, false, &c))
        return asker->status;
    for (size_t r = 0; r < drawn(replays); r++) {
        if (kind_of(replays, r) != ACCORDI_DRAW_USUAL)
            continue;
        draw_rows(replays, r, 1, c.x, c.y);
        *of += 1;
        *exact += accordi_same_bits(exact_sum(asker, replays, c.x, c.y), replays->result[r]);
    }
    chunk_clear(&c);
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
