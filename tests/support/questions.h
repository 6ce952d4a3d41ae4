/* Questions to BLAS routines drawn at random: shapes, elements, transpositions, strides, factors.
 */
#ifndef QUESTIONS_H
#define QUESTIONS_H

#include "base/base.h"
#include "targets/foreign/foreign.h"
#include <accord/target.h>
#include <stddef.h>

/* The i-th library to ask: NULL is what the loader finds as libblas.so.3; the last is what
 * ACCORD_TEST_BLAS names, for libraries in odd places. */
enum { library_count = 11 };
static inline const char *library_at(size_t i)
{
    static const char *const names[library_count - 1] = {
        NULL,
        "openblas-pthread",
        "openblas-serial",
        "openblas-openmp",
        "blis-pthread",
        "blis-serial",
        "atlas",
        "reference",
        "gsl",
        "mkl",
    };
    const char *named = getenv("ACCORD_TEST_BLAS");
    return i + 1 < library_count ? names[i] : named ? named : "$ACCORD_TEST_BLAS";
}

/* Options with the texts they point to. */
typedef struct question {
    accord_target_options options;
    char shape[64], element[48], transpose[4];
    char text[300]; /* all of it, for messages */
} question;

static inline int64_t below(accordi_rng *rng, int64_t bound)
{
    return (int64_t)accordi_rng_below(rng, (uint64_t)bound);
}

static inline int64_t random_stride(accordi_rng *rng)
{
    return below(rng, 7) - 3; /* 0 is the default */
}

/* ATLAS multiplies alpha into C * (beta / alpha) + A * B, which is exact for these. */
static inline double random_alpha(accordi_rng *rng)
{
    static const double all[] = {1, 1, 2, -1, -4};
    return all[below(rng, 5)];
}

/* Whether an operand of the family has that stride. */
static inline bool has_step(enum accordi_family family, size_t step)
{
    const accordi_operand *operand = accordi_families[family].operand;
    return operand[0].step == step || operand[1].step == step || operand[2].step == step;
}

static inline void draw_shape(accordi_rng *rng, enum accordi_family family, int64_t k, question *q)
{
    int64_t m = 1 + below(rng, 12), n = 1 + below(rng, 12);
    bool at = q->transpose[0] == 'T', bt = q->transpose[1] == 'T';
    accord_target_options *o = &q->options;
    q->transpose[accordi_family_letters(family)] = '\0';
    if (accordi_family_has_columns(family)) {
        snprintf(q->shape, sizeof q->shape, "%dx%dx%d", (int)m, (int)n, (int)k);
        snprintf(q->element, sizeof q->element, "%d,%d", (int)below(rng, m), (int)below(rng, n));
        o->ldb = below(rng, 2) ? 0 : (bt ? k : n) + below(rng, 5);
        o->ldc = below(rng, 2) ? 0 : n + below(rng, 5);
    } else {
        snprintf(q->shape, sizeof q->shape, "%dx%d", (int)m, (int)k);
        snprintf(q->element, sizeof q->element, "%d", (int)below(rng, m));
    }
    bool band = accordi_families[family].operand[0].lie == ACCORDI_BAND_A;
    o->lda = below(rng, 2) ? 0 : (band ? m + k - 1 : at ? m : k) + below(rng, 5);
    o->shape = q->shape;
    o->element = q->element;
    o->transpose = q->transpose;
}

static inline void draw(accordi_rng *rng, const accordi_routine *routine, question *q)
{
    enum accordi_family family = routine->family;
    int64_t k = 1 + below(rng, 70);
    accord_target_options *o = &q->options;
    memset(q, 0, sizeof *q);
    accord_target_options_init(o);
    for (size_t i = 0; i < 2; i++)
        q->transpose[i] = "NT"[below(rng, 2)];
    o->alignment = routine->complex ? 16 * below(rng, 4) : 8 * below(rng, 8);
    if (has_step(family, offsetof(accordi_question, incx)))
        o->incx = accordi_families[family].positive ? below(rng, 4) : random_stride(rng);
    if (has_step(family, offsetof(accordi_question, incy)))
        o->incy = random_stride(rng);
    if (accordi_family_is_grid(family)) {
        draw_shape(rng, family, k, q);
        o->alpha = random_alpha(rng);
        o->beta = (double)(below(rng, 2) * (below(rng, 5) - 2));
    }
    o->n = (size_t)(k * (routine->complex ? 2 : 1) + (o->beta != 0));
    if (routine->complex && accordi_families[family].term == ACCORD_TERM_PRODUCT) {
        snprintf(q->element, sizeof q->element, "%s", below(rng, 2) ? "re" : "im");
        o->element = q->element;
    }
    snprintf(q->text, sizeof q->text,
             "n=%zu shape %s element %s transpose %s strides %d %d %d %d %d alpha %g beta %g", o->n,
             q->shape, q->element, q->transpose, (int)o->incx, (int)o->incy, (int)o->lda,
             (int)o->ldb, (int)o->ldc, o->alpha, o->beta);
}

/* Whether a library has a routine ("sdot" says that it is here). */
static inline bool has_routine(const char *library, const char *routine)
{
    char notation[4400];
    accord_target *target;
    accord_target_options options = {.n = 2};
    snprintf(notation, sizeof notation, "blas:%s%s%s", routine, library ? "@" : "",
             library ? library : "");
    if (accord_target_open(notation, &options, &target, NULL) != ACCORD_OK)
        return false;
    accord_target_close(target);
    return true;
}

#endif
