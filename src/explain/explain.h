/* What the files of room explain share. Internal.
 *
 * One implementation is judged at a time. Its inputs are drawn chunk by chunk, so that n may be
 * large; what is kept of an input (struct accordi_input) is a few numbers, and of the terms of all
 * inputs two sums for each (errors.c). */
#ifndef ACCORDI_EXPLAIN_H
#define ACCORDI_EXPLAIN_H

#include "base/base.h"
#include <accord/explain.h>
#include <accord/model.h>

/* In what a right implementation may accumulate (accumulator.c). */
typedef struct accordi_accumulator {
    enum accord_format format;
    const accord_fused *machine; /* or NULL */
    char name[80];
} accordi_accumulator;

/* The question, as the target puts it. */
typedef struct accordi_sums {
    accord_target *target;
    size_t n, factors; /* leaves; those of them that are terms and not the start value */
    bool products, is_f32, has_start;
    enum accord_format input, output;
    double alpha, beta;
} accordi_sums;
/* Bytes of a number of x or y. */
static inline size_t accordi_width_of(const accordi_sums *sums)
{
    return sums->is_f32 ? sizeof(float) : sizeof(double);
}
enum accord_status accordi_sums_of(accord_target *target, accordi_sums *out, accord_error *error);
/* Does a call give several results? */
bool accordi_has_elements(const accordi_sums *sums);

/* Some inputs, row by row as the target takes them: n values each of x, and of y with products
 * (else NULL). With a start value it is the last of x. */
typedef struct accordi_chunk {
    size_t rows;
    void *x, *y;
} accordi_chunk;

/* What is kept of an input: the exact result as an unevaluated sum of two numbers, the sum of the
 * magnitudes of the terms, how far an implementation may be off (INFINITY: no bound), a unit in the
 * last place of the result, and the deviation that rounding predicts, by which errors are
 * weighted. */
typedef struct accordi_input {
    double high, low, mass, envelope, ulp, sigma;
} accordi_input;

/* ---- accumulator.c ---- */

/* Reads the option; where it is NULL the record (NULL: nothing was revealed) decides. */
enum accord_status accordi_accumulator_choose(const char *option, const accordi_sums *sums,
                                              const accord_record *record, accordi_accumulator *out,
                                              accord_error *error);
/* A bound of |result - exact| / mass before the result is rounded; INFINITY where there is none. */
double accordi_accumulator_error(const accordi_accumulator *in, size_t n, bool scaled);
/* The least magnitude of partial sums that keep their relative precision. */
double accordi_accumulator_least(const accordi_accumulator *in);

/* ---- rows.c ---- */

enum accord_status accordi_chunk_new(const accordi_sums *sums, size_t rows, accordi_chunk *out,
                                     accord_error *error);
void accordi_chunk_free(accordi_chunk *chunk);
/* Kinds that are not drawn as others are: what the caller gives, and all elements of a matrix. */
enum { ACCORDI_GIVEN = -1, ACCORDI_ELEMENTS = -2 };
/* The kind of that name, in text .. text + length; below 0 if there is none. */
int accordi_kind_by_name(const char *text, size_t length);
const char *accordi_kind_name(int kind);
/* Are the terms of such an input drawn alike and independently, without values that repeat? */
bool accordi_kind_is_random(int kind);
/* Draws chunk->rows inputs of a kind, the first of which has the number `first` < `most`. */
void accordi_draw_chunk(const accordi_sums *sums, uint64_t seed, int kind, size_t most,
                        size_t first, accordi_chunk *chunk);
enum accord_status accordi_ask_chunk(const accordi_sums *sums, const accordi_chunk *chunk,
                                     double *result, accord_error *error);
/* Term k of row r: the operands' product, with alpha or beta, rounded to double. */
double accordi_term(const accordi_sums *sums, const accordi_chunk *chunk, size_t row, size_t k);
/* Measures one row against the accumulator. */
void accordi_measure(const accordi_sums *sums, const accordi_accumulator *accumulator,
                     const accordi_chunk *chunk, size_t row, accordi_input *out);
/* result - exact, rounded at most once; NaN where the result is not finite. */
static inline double accordi_error_of(const accordi_input *input, double result)
{
    return (result - input->high) - input->low;
}
/* What the results would be if the operands were rounded to another format first, minus what they
 * are. */
double accordi_cut_shift(const accordi_sums *sums, const accordi_chunk *chunk, size_t row,
                         enum accord_format format, enum accord_rounding rounding);

/* ---- given.c ---- */

/* What a target of results holds; NULL for other targets. */
const accord_explain_results *accordi_results_of(const accord_target *target);
/* Do the inputs of the caller (NULL: none) fit the target? */
enum accord_status accordi_given_check(const accordi_sums *sums, const accord_explain_inputs *given,
                                       accord_error *error);
/* The rows from `first` on. */
void accordi_given_chunk(const accordi_sums *sums, const accord_explain_inputs *given, size_t first,
                         accordi_chunk *chunk);

/* ---- references.c ---- */

/* Right implementations, as models: orders with and without fused products, in the accumulator. */
enum accordi_sorting { ACCORDI_AS_GIVEN, ACCORDI_BY_SIZE, ACCORDI_BY_VALUE, ACCORDI_SORTINGS };
typedef struct accordi_reference {
    const char *name;
    accord_tree *tree;
    accord_arithmetic *arithmetic;
    enum accordi_sorting sorting; /* of the terms of each row, ascending, before they are added */
} accordi_reference;
typedef struct accordi_references {
    accordi_reference *list;
    size_t count;
} accordi_references;
enum accord_status accordi_references_make(const accordi_sums *sums,
                                           const accordi_accumulator *accumulator, uint64_t seed,
                                           accordi_references *out, accord_error *error);
void accordi_references_clear(accordi_references *references);
/* The chunk with the terms of each row sorted; memory as for accordi_chunk_new. */
enum accord_status accordi_sort_chunk(const accordi_sums *sums, enum accordi_sorting sorting,
                                      const accordi_chunk *chunk, accordi_chunk *out,
                                      accord_error *error);
enum accord_status accordi_replay_chunk(const accordi_sums *sums, const accord_model *model,
                                        const accordi_chunk *chunk, double *result,
                                        accord_error *error);

/* ---- errors.c ---- */

/* The errors of implementations on the inputs of one kind: the target's first, then those of the
 * references. */
typedef struct accordi_errors {
    const accordi_sums *sums;
    const char *kind;
    bool random; /* all statistics apply, not those of terms alone */
    bool given;  /* by the caller: rows may repeat */
    size_t rows, filled, implementations, terms, followed; /* followed: by the sums of terms */
    accordi_input *input;
    double *error;     /* [implementation][row] */
    double *result;    /* of the target */
    double *direction; /* [direction][row]: what a fault of a known kind would add */
    /* Sums over the rows that count, with d = term / sigma, and e = error kept within the envelope
     * / sigma: of d e, d^2 e^2 and d e^2; of d and d^2; of e and e^2. For the words, with
     * errors as they are, and terms and errors divided by the sum of magnitudes of their row, sums
     * of their products, and of the squares of terms. */
    size_t counted;
    double *slope, *square, *cross; /* [implementation][k] */
    double *middle, *weight;        /* [k] */
    double *whole, *share;          /* [k] */
    double *sum, *power;            /* [implementation] */
    double *scaled;                 /* [k]: d of the row at hand */
    double rounding;                /* a bound of all roundings of one term, relative to it */
    size_t thinned; /* rows that are asked with a quarter of their terms, too (thin.c) */
    double *thin;   /* [implementation][row < thinned]: |error| / sigma of these; NAN: none */
    uint64_t *seen; /* a hash table of given rows, but for their scale; NULL: they are drawn */
    size_t room;    /* in it, a power of two */
} accordi_errors;
enum accord_status accordi_errors_new(const accordi_sums *sums, int kind, bool given, size_t rows,
                                      size_t thinned, size_t implementations, accordi_errors *out,
                                      accord_error *error);
void accordi_errors_clear(accordi_errors *errors);
/* Enters a chunk whose inputs are measured: results[implementation] has chunk->rows numbers. */
void accordi_errors_add(accordi_errors *errors, const accordi_chunk *chunk,
                        const accordi_input *input, double *const *results);

/* ---- statistics.c ---- */

/* How many standard errors a test of that level allows. */
double accordi_z_of(double level);
/* How many tests there are with these errors. */
size_t accordi_errors_tests(const accordi_errors *errors);
/* Runs the tests, each at `level`, and appends them to the side. */
enum accord_status accordi_errors_test(const accordi_errors *errors, double level,
                                       accord_explain_side *side, accord_error *error);
/* The root of the mean square of error / sigma, of one implementation. */
double accordi_errors_size(const accordi_errors *errors, size_t implementation);

/* ---- words.c ---- */

/* What the errors of the target look like, where a test or the envelope is broken. */
void accordi_errors_words(const accordi_errors *errors, char *text, size_t size);

/* How many results are infinite or NaN although none should be. */
void accordi_infinite_words(const accordi_errors *errors, char *text, size_t size);
/* The same from one test that is outside. */
void accordi_test_words(const accordi_sums *sums, const accord_explain_test *test, char *text,
                        size_t size);

/* ---- precision.c ---- */

/* What partial sums look like, if they are narrower than the accumulator; else "". */
enum accord_status accordi_precision_words(const accordi_sums *sums,
                                           const accordi_accumulator *accumulator, uint64_t seed,
                                           char *text, size_t size, accord_error *error);

/* ---- order.c ---- */

enum accord_status accordi_explain_reveal(const accordi_sums *sums,
                                          const accord_explain_options *options,
                                          accord_explain_side *side, accord_error *error);
/* Of results in a file, which have no order that could be revealed. */
enum accord_status accordi_explain_unrevealed(const accordi_sums *sums, accord_explain_side *side,
                                              accord_error *error);
/* Why a model that gives the target's bits is no right implementation; "" if it is one. */
void accordi_explain_faults(const accord_record *record, const accordi_accumulator *accumulator,
                            char *text, size_t size);

/* ---- fault.c ---- */

/* Makes the input of a row, which gave `result`, smaller as long as the error stays outside the
 * envelope, and keeps it in the side; as it is unless the target may be asked. */
enum accord_status accordi_fault_shrink(const accordi_sums *sums,
                                        const accordi_accumulator *accumulator,
                                        const accordi_chunk *chunk, size_t row, double result,
                                        bool ask, accord_explain_side *side, accord_error *error);

/* ---- elements.c ---- */

typedef struct accordi_elements accordi_elements;
/* The sums and the options are borrowed. Of a matrix that the caller gives at most `most` elements
 * are rows. */
enum accord_status accordi_elements_new(const accordi_sums *sums,
                                        const accord_explain_options *options, size_t most,
                                        accordi_elements **out, accord_error *error);
void accordi_elements_free(accordi_elements *elements); /* NULL is fine */
/* Fills a chunk with rows from number `first` on, and their results, asked twice. */
enum accord_status accordi_elements_chunk(accordi_elements *in, size_t first,
                                          const accordi_chunk *chunk, double *result, double *again,
                                          accord_error *error);
/* Which element, row by row of the result, the row of that number is. */
size_t accordi_element_at(const accordi_elements *in, size_t number);
/* Its row or its column. */
typedef enum accordi_axis { ACCORDI_ROWS, ACCORDI_COLUMNS, ACCORDI_AXES } accordi_axis;
size_t accordi_element_line(const accordi_elements *in, size_t number, accordi_axis axis);
/* Rows or columns in bands of `size` lines, so that each has enough of `asked` elements; false if
 * there is only one band. */
typedef struct accordi_bands {
    size_t lines, size, count;
} accordi_bands;
bool accordi_element_bands(const accordi_elements *in, size_t asked, accordi_axis axis,
                           accordi_bands *out);
/* Holds all elements of a grid against their envelopes; *text says which are outside, and *place
 * whether these are one place. */
enum accord_status accordi_elements_check(accordi_elements *in,
                                          const accordi_accumulator *accumulator,
                                          accord_explain_side *side, char *text, size_t size,
                                          bool *place, accord_error *error);

/* ---- places.c ---- */

typedef struct accordi_places {
    size_t count, checked, top, bottom, left, right; /* the least box around those that are wrong */
} accordi_places;
/* One more that is wrong; who checks counts `checked`. */
void accordi_places_add(accordi_places *found, size_t r, size_t c);
/* There is at least one. False: they are no place, but all over the matrix. */
bool accordi_places_words(const accordi_places *found, size_t rows, size_t columns, char *text,
                          size_t size);

/* ---- bands.c ---- */

/* How many tests there are of rows and columns, if so many elements are asked. */
size_t accordi_bands_tests(const accordi_elements *elements, size_t asked);
/* Tests the size of the errors in each band of rows and of columns, appends two tests to the side,
 * and says which band stands out most: "" if none does, or all do. */
enum accord_status accordi_bands_test(const accordi_elements *elements,
                                      const accordi_errors *errors, double level,
                                      accord_explain_side *side, char *text, size_t size,
                                      accord_error *error);

/* ---- judge.c ---- */

/* Judges one target; `result` gets its results on all inputs, kind by kind. */
enum accord_status accordi_judge_target(accord_target *target,
                                        const accord_explain_options *options,
                                        accord_explain_side *side, double **result, size_t *results,
                                        accord_error *error);
void accordi_side_clear(accord_explain_side *side);

#endif
