/* The arithmetic of a target as a list, found by probes alone: the parameters of a matrix
 * accelerator, and how zeros, subnormal numbers, infinities and NaN are treated. */
#ifndef ACCORD_FEATURES_H
#define ACCORD_FEATURES_H

#include <accord/fused.h>
#include <accord/reveal.h>

#ifdef __cplusplus
extern "C" {
#endif

enum accord_feature_kind { ACCORD_FEATURE_NUMBER, ACCORD_FEATURE_YES_NO, ACCORD_FEATURE_WORD };

/* A parameter of accord_fused. If several values explain the target's answers, they range from
 * `least` to `most`, and `value` is the one that requires least of the machine. Read only.
 */
typedef struct accord_feature {
    const char *name;  /* "fraction", as in accord_fused; this and all other text is static */
    const char *about; /* what it means, a few words */
    const char *how;   /* how it was determined */
    enum accord_feature_kind kind;
    int value, least, most;
    /* Values below `least`, or above `most`, explain the answers, too. */
    bool open_below, open_above;
    /* With ACCORD_FEATURE_WORD: the three values in words ("toward zero"); else NULL. */
    const char *word, *least_word, *most_word;
} accord_feature;

/* Whether exactly one value explains the answers. */
ACCORD_API bool accord_feature_observable(const accord_feature *feature);
/* Writes the value in words; where it is not observable, the text says so and gives the range in
 * which it lies. At most `size` bytes are written, including the final zero. */
ACCORD_API void accord_feature_describe(const accord_feature *feature, char *text, size_t size);

/* How a special value is treated. Read only; all text is static. */
typedef struct accord_special {
    const char *name;  /* "negative_zero" */
    const char *about; /* "a sum of -0 alone is -0" */
    const char *seen;  /* "yes", "no", "at some nodes", "not observable" */
} accord_special;

typedef struct accord_features accord_features;
ACCORD_API void accord_features_free(accord_features *features); /* NULL is fine */

typedef struct accord_features_options {
    size_t size; /* see accord/base.h */
    uint64_t seed;
    accord_progress *progress;
    void *progress_context;
} accord_features_options;
static inline void accord_features_options_init(accord_features_options *options)
{
    ACCORD_INIT(options);
}

/* Finds the features of a target whose order, from accord_reveal, is `tree`. The parameters of a
 * machine are confirmed by 2000 random inputs. The status is ACCORD_OK even if no machine explains
 * the sums; accord_features_why then says why. ACCORD_ARG: the tree has another number of leaves
 * than the target has terms. ACCORD_TARGET: as for accord_reveal, including a progress
 * callback that returns false. ACCORD_NOMEM. `options` may be NULL. One thread at a time may use
 * the target. */
ACCORD_API enum accord_status accord_features_find(accord_target *target, const accord_tree *tree,
                                                   const accord_features_options *options,
                                                   accord_features **out, accord_error *error);

/* Why no machine explains the sums; NULL if one does. */
ACCORD_API const char *accord_features_why(const accord_features *features);
/* The i-th parameter of the machine that was found; NULL past the end, or if none was found. */
ACCORD_API const accord_feature *accord_features_at(const accord_features *features, size_t i);
/* The i-th known machine (row of accord_fused_at) that agrees in everything observable; NULL past
 * the end. */
ACCORD_API const accord_fused *accord_features_machine(const accord_features *features, size_t i);
/* The i-th special value, NULL past the end. Every target has them. */
ACCORD_API const accord_special *accord_features_special(const accord_features *features, size_t i);
/* Writes the number of probes that found the machine, of random inputs that were replayed, and of
 * those among them that agreed. */
ACCORD_API void accord_features_evidence(const accord_features *features, uint64_t *probes,
                                         uint64_t *replays, uint64_t *agreed);

#ifdef __cplusplus
}
#endif
#endif
