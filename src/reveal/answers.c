/* Asks for the answers of a record: results on fixed inputs, by which two records are compared.
 *
 * The inputs (answer_inputs.c) do not depend on the seed, so that records of one question can be
 * compared whether or not a model explains them. All are asked in an order that puts equal kinds
 * together, which makes replaying fast, and once more shuffled: this reveals a target that
 * remembers what it was asked before, or is random. */
#include "reveal/answers.h"

uint64_t accordi_answer_bits(double result)
{
    uint64_t bits;
    memcpy(&bits, &result, sizeof bits);
    return result != result ? UINT64_C(0x7ff8000000000000) : bits;
}

/* The digest is of the bits one after the other, least significant byte first. */
static bool write_answers(const uint64_t *bits, size_t count, accord_answers *out)
{
    char digest[65];
    accordi_sha256 sha;
    accordi_sha256_init(&sha);
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[8];
        for (int b = 0; b < 8; b++)
            bytes[b] = (unsigned char)(bits[i] >> 8 * b);
        accordi_sha256_add(&sha, bytes, sizeof bytes);
        if (i < ACCORD_ANSWERS_KEPT)
            out->bits[i] = bits[i];
    }
    accordi_sha256_hex(&sha, digest);
    out->digest = accordi_strdup(digest);
    out->inputs = (int64_t)count;
    out->generator = ACCORDI_DRAW_VERSION;
    return out->digest != NULL;
}

/* How many inputs get other bits now. `bits` are those of before, by input. */
static enum accord_status ask_again(accordi_asker *asker, const accordi_replays *replays,
                                    const uint64_t *bits, int64_t *varied)
{
    accordi_replays again = *replays;
    again.rows -= replays->fresh + replays->ends;
    again.fresh = again.ends = 0;
    again.attempt = NULL;
    again.result = accordi_ask_alloc(asker, again.rows, sizeof *again.result);
    again.input = accordi_ask_alloc(asker, again.rows, sizeof *again.input);
    if (!asker->status) {
        memcpy(again.input, replays->input, again.rows * sizeof *again.input);
        accordi_rng_shuffle(&asker->rng, again.input, again.rows);
        accordi_replays_again(asker, &again, again.rows, again.result);
    }
    *varied = 0;
    for (size_t i = 0; i < again.rows && !asker->status; i++)
        *varied += accordi_answer_bits(again.result[i]) != bits[again.input[i]];
    accordi_replays_clear(&again);
    return asker->status;
}

enum accord_status accordi_answers_take(accordi_asker *asker, const accordi_replays *replays,
                                        accord_answers *out)
{
    size_t count = replays->rows - replays->fresh - replays->ends;
    accord_answers found = {0};
    uint64_t *bits = accordi_ask_alloc(asker, count, sizeof *bits);
    if (!bits)
        return asker->status;
    for (size_t i = 0; i < count; i++)
        bits[replays->input[i]] = accordi_answer_bits(replays->result[replays->fresh + i]);
    if (!ask_again(asker, replays, bits, &found.varied) && !write_answers(bits, count, &found))
        asker->status = accordi_nomem(asker->error);
    if (!asker->status)
        *out = found;
    free(bits);
    return asker->status;
}

enum accord_status accordi_answers_ask(accordi_asker *asker, accord_answers *out)
{
    accordi_replays replays = {0};
    size_t count = accordi_answers_count(asker->n), few = (size_t)(asker->replays + 1) / 2;
    count = accordi_budget_room(asker, asker->replays && few < count ? few : count, 2);
    if (!accordi_ask_goes_on(asker, count ? count : SIZE_MAX))
        return asker->status;
    accordi_ask_factors(asker, true);
    if (!accordi_replays_ask(asker, count, 0, false, NULL, &replays, NULL))
        accordi_answers_take(asker, &replays, out);
    accordi_ask_factors(asker, false);
    accordi_replays_clear(&replays);
    return asker->status;
}

void accordi_answers_clear(accord_answers *answers)
{
    free(answers->digest);
    memset(answers, 0, sizeof *answers);
}

/* ---- inputs made again from a record ---- */

static enum accord_status question_of(const accord_record *record, int64_t row, accordi_draw *draw,
                                      accord_error *error)
{
    enum accord_format format;
    if (record->answers.generator <= 0 || row < 0 || row >= record->answers.inputs)
        return accordi_fail(error, ACCORD_ARG,
                            "the record has no such answer; choose one of its inputs");
    if (record->answers.generator != ACCORDI_DRAW_VERSION)
        return accordi_fail(
            error, ACCORD_UNSUPPORTED,
            "the answers belong to version %lld of the inputs, not %d; record them again",
            (long long)record->answers.generator, ACCORDI_DRAW_VERSION);
    if (record->n < 1 || !record->format || !accord_format_by_name(record->format, &format))
        return accordi_fail(error, ACCORD_ARG,
                            "the record does not state the number of terms and their format");
    *draw = (accordi_draw){.n = (size_t)record->n,
                           .format = format,
                           .products = record->term && strcmp(record->term, "product") == 0};
    return ACCORD_OK;
}

enum accord_status accord_answers_input(const accord_record *record, int64_t row, double *x,
                                        double *y, accord_error *error)
{
    accordi_draw draw = {0};
    if (!record || !x || !y)
        return accordi_fail(error, ACCORD_ARG, "an input needs a record and room for its terms");
    enum accord_status status = question_of(record, row, &draw, error);
    if (status)
        return status;
    for (size_t i = 0; i < draw.n; i++)
        y[i] = 1;
    accordi_answers_draw(&draw, (size_t)row, x, draw.products ? y : NULL);
    return ACCORD_OK;
}

const char *accord_answers_kind(const accord_record *record, int64_t row)
{
    accordi_draw draw = {0};
    if (!record || question_of(record, row, &draw, NULL))
        return "";
    return accordi_draw_name(accordi_answers_kind_of(&draw, (size_t)row));
}
