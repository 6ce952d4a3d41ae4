/* The verdict on one implementation, and its words. */
#include "explain/judge.h"
#include <math.h>

/* With `elements` among those of all elements only. */
static bool any_outside(const accord_explain_side *side, bool elements)
{
    for (size_t i = 0; i < side->tests; i++)
        if (side->test[i].outside &&
            (!elements || strcmp(side->test[i].kind, accordi_kind_name(ACCORDI_ELEMENTS)) == 0))
            return true;
    return false;
}

/* The first kind in which a fault has a clear look gives the words; else the bits that partial sums
 * keep; else the test that is farthest outside. */
static enum accord_status find_words(const accordi_judging *in, const accord_explain_side *side,
                                     char *text, size_t size, accord_error *error)
{
    const accord_explain_test *worst = NULL;
    enum accord_status status = ACCORD_OK;
    text[0] = '\0';
    for (size_t k = 0; k < in->kinds && !text[0]; k++)
        accordi_errors_words(&in->errors[k], text, size);
    if (!text[0])
        status = accordi_precision_words(&in->sums, &in->accumulator, in->options->seed, text, size,
                                         error);
    for (size_t k = 0; k < in->kinds && !text[0]; k++)
        accordi_infinite_words(&in->errors[k], text, size);
    for (size_t i = 0; i < side->tests && !text[0]; i++) {
        const accord_explain_test *test = &side->test[i];
        if (test->outside &&
            (!worst || fabs(test->value) / test->limit > fabs(worst->value) / worst->limit))
            worst = test;
    }
    if (worst)
        accordi_test_words(&in->sums, worst, text, size);
    return status;
}

static void say(accord_explain_side *side, enum accord_explained verdict, const char *words)
{
    side->verdict = verdict;
    snprintf(side->words, sizeof side->words, "%s", words);
}

/* How large the error is, or that results are infinite. */
static void say_error(const accordi_judging *in, const accord_explain_side *side, const char *words,
                      char *text, size_t size)
{
    char infinite[200] = "";
    bool said = false; /* of the kind that the words are about */
    for (size_t k = 0; k < in->kinds && !said; k++) {
        char here[sizeof infinite] = "";
        accordi_infinite_words(&in->errors[k], here, sizeof here);
        said = here[0] && strcmp(words, here) == 0;
        if (!infinite[0])
            memcpy(infinite, here, sizeof here);
    }
    if (isfinite(side->worst))
        snprintf(text, size,
                 "the error reaches %.3g times what any order, any fusing and any accumulator at "
                 "least as wide as %s can cause",
                 side->worst, side->accumulator);
    else if (said)
        snprintf(text, size, "no order of finite terms can cause that");
    else
        snprintf(text, size, "%s, which no order of finite terms can cause",
                 infinite[0] ? infinite : "results are infinite or NaN");
}

static enum accord_status say_bug(const accordi_judging *in, accord_explain_side *side,
                                  accord_error *error)
{
    char words[200], reaches[200];
    enum accord_status status = ACCORD_OK;
    if (in->place)
        snprintf(words, sizeof words, "%s", in->where);
    else
        status = find_words(in, side, words, sizeof words, error);
    side->verdict = ACCORD_EXPLAINED_BUG;
    say_error(in, side, words, reaches, sizeof reaches);
    snprintf(side->words, sizeof side->words, "%s%s%s%s%s", words, words[0] ? "; " : "", reaches,
             !in->place && in->where[0] ? "; " : "", in->place ? "" : in->where);
    return status;
}

static enum accord_status say_suspect(const accordi_judging *in, accord_explain_side *side,
                                      accord_error *error)
{
    char words[200];
    enum accord_status status = ACCORD_OK;
    if (in->band[0])
        snprintf(words, sizeof words, "%s", in->band);
    else
        status = find_words(in, side, words, sizeof words, error);
    say(side, ACCORD_EXPLAINED_SUSPECT, words);
    return status;
}

static bool any_decides(const accord_explain_side *side)
{
    for (size_t i = 0; i < side->tests; i++)
        if (side->test[i].decides)
            return true;
    return false;
}

/* The least effect that a test of that name would have found; INFINITY if none could. */
static double least_effect(const accord_explain_side *side, const char *name)
{
    double least = INFINITY;
    for (size_t i = 0; i < side->tests; i++)
        if (strcmp(side->test[i].name, name) == 0 && side->test[i].decides)
            least = fmin(least, side->test[i].limit);
    return least;
}

/* How sure it is: what these inputs would have shown. */
static void say_noise(accord_explain_side *side)
{
    double factor = least_effect(side, "factor"), bias = least_effect(side, "truncation");
    char shown[3][80];
    size_t count = 0;
    if (least_effect(side, "term") < 1)
        snprintf(shown[count++], sizeof *shown, "a term that is missing");
    if (factor < INFINITY)
        snprintf(shown[count++], sizeof *shown, "a factor of 1 ± %.2g", factor);
    if (bias < INFINITY)
        snprintf(shown[count++], sizeof *shown, "a bias of %.2g units in the last place", bias);
    say(side, ACCORD_EXPLAINED_NOISE,
        "the errors are those of right implementations that add in other orders");
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(side->words);
        snprintf(side->words + length, sizeof side->words - length, "%s%s%s",
                 i == 0           ? "; "
                 : i + 1 == count ? " or "
                                  : ", ",
                 shown[i], i + 1 == count ? " would have shown" : "");
    }
}

static void say_cannot_tell(const accordi_judging *in, accord_explain_side *side)
{
    const char *words =
        "no input has a finite envelope: the sums overflow, hold NaN or infinities, "
        "or have too many terms for this accumulator";
    if (side->bounded)
        words = in->options->given
                    ? "no error is too large, but there are too few inputs that differ for any "
                      "statistic to decide; give more rows"
                    : "nothing was found, but there are too few inputs for any statistic to "
                      "decide; give more with --samples";
    say(side, ACCORD_EXPLAINED_CANNOT_TELL, words);
}

enum accord_status accordi_explain_verdict(const accordi_judging *in, accord_explain_side *side,
                                           accord_error *error)
{
    char faults[200] = "";
    if (side->replays)
        accordi_explain_faults(side->record, &in->accumulator, faults, sizeof faults);
    if (side->worst > 1 && !(side->replays && faults[0]))
        return say_bug(in, side, error);
    else if (faults[0])
        say(side, ACCORD_EXPLAINED_SUSPECT, faults);
    else if (side->replays && !any_outside(side, true))
        say(side, ACCORD_EXPLAINED_ORDER, "the order explains every result");
    else if (side->varied && !in->options->allow_nondeterministic)
        say(side, ACCORD_EXPLAINED_SUSPECT,
            "the results are nondeterministic: equal inputs gave unequal results");
    else if (any_outside(side, false))
        return say_suspect(in, side, error);
    else if (!side->bounded || !any_decides(side))
        say_cannot_tell(in, side);
    else
        say_noise(side);
    return ACCORD_OK;
}
