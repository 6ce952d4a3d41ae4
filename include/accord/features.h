/* The arithmetic of a target as a list, found by probes alone: the parameters of a matrix
 * accelerator, and what becomes of zeros, subnormal numbers, infinities and NaN. */
#ifndef ACCORD_FEATURES_H
#define ACCORD_FEATURES_H

#include <accord/fused.h>
#include <accord/reveal.h>

#ifdef __cplusplus
extern "C" {
#endif

enum accord_feature_kind { ACCORD_FEATURE_NUMBER, ACCORD_FEATURE_YES_NO, ACCORD_FEATURE_WORD };

/* A parameter of accord_fused. Values from `least` to `most` cannot be told apart through the
 * target; then `value` is the one that means least. To be read only. */
typedef struct accord_feature {
    const char *name;  /* "fraction", as in accord_fused; this and all other text is static */
    const char *about; /* what it means, a few words */
    const char *how;   /* how it was seen */
    enum accord_feature_kind kind;
    int value, least, most;
    bool open_below, open_above; /* values beyond make no difference either */
    /* Of ACCORD_FEATURE_WORD the values in words ("toward zero"); else NULL. */
    const char *word, *least_word, *most_word;
} accord_feature;

/* Is there but one value that explains the answers? */
ACCORD_API bool accord_feature_observable(const accord_feature *feature);
/* The value in words, or that it is not observable and between which values it lies; at most `size`
 * bytes with the final zero. */
ACCORD_API void accord_feature_describe(const accord_feature *feature, char *text, size_t size);

/* To be read only; static text. */
typedef struct accord_special {
    const char *name;  /* "negative_zero" */
    const char *about; /* "a sum of -0 alone is -0" */
    const char *seen;  /* "yes", "no", "at some nodes", "not observable" */
} accord_special;

typedef struct accord_features accord_features;
ACCORD_API void accord_features_free(accord_features *features); /* NULL is fine */

/* All bytes zero stands for the defaults. */
typedef struct accord_features_options {
    uint64_t seed;
    accord_progress *progress;
    void *progress_context;
} accord_features_options;

/* Finds them for a target of which `tree` is the order (accord_reveal). A machine's parameters are
 * confirmed by 2000 random inputs. It is ACCORD_OK, too, where no machine explains the sums:
 * accord_features_why says why. ACCORD_ARG: the tree has not as many leaves as the target has
 * terms; ACCORD_TARGET (also where the progress callback returns false), ACCORD_NOMEM. `options`
 * may be NULL. The target is used as by accord_reveal. */
ACCORD_API enum accord_status accord_features_find(accord_target *target, const accord_tree *tree,
                                                   const accord_features_options *options,
                                                   accord_features **out, accord_error *error);

/* Why the sums are not those of a machine; NULL where they are. */
ACCORD_API const char *accord_features_why(const accord_features *features);
/* The i-th parameter of the machine that was found, NULL past the end and where none was. */
ACCORD_API const accord_feature *accord_features_at(const accord_features *features, size_t i);
/* The i-th row of accord_fused_at that agrees in all that can be seen, NULL past the end. */
ACCORD_API const accord_fused *accord_features_machine(const accord_features *features, size_t i);
/* The i-th special, NULL past the end; every target has them. */
ACCORD_API const accord_special *accord_features_special(const accord_features *features, size_t i);
/* The probes that found the machine, the random inputs that were replayed, and how many of those
 * agreed. */
ACCORD_API void accord_features_evidence(const accord_features *features, uint64_t *probes,
                                         uint64_t *replays, uint64_t *agreed);

#ifdef __cplusplus
}
#endif
#endif
