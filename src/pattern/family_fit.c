/* From orders to forms.
 *
 * Idea: a sample that no form fits becomes a seed. Its steps are a form already, of one n; each of
 * its numbers is replaced by the simplest expression that also explains this number in as many
 * other samples with the same steps as any. What results is a conjecture, which is tried with every
 * sample: a form may fit where the canonical notation has other steps, since a step that finds
 * nothing to do does nothing. So a kernel with many tails is mostly one form.
 *
 * Of two ways to guess, from all samples with the same steps and from those nearest to the seed
 * alone, both are tried. A form stays if it fits three samples, and if no other one fits all that
 * it does in as few words. Forms are bits of 64; what they do not fit stays alone. */
#include "pattern/family.h"

enum { MOST_NUMBERS = 48, MOST_PAIRS = 128, NEAR_PAIRS = 12, FEWEST_SAMPLES = 3 };

/* Other samples of the same kind, spread over all of them; or, `near`, those nearest to the seed.
 */
static size_t choose_samples(const accord_family *f, size_t seed, bool near,
                             const accordi_sample **chosen)
{
    size_t of_kind = 0, count = 0, most = near ? NEAR_PAIRS : MOST_PAIRS;
    chosen[count++] = &f->sample[seed];
    for (size_t i = 0; i < f->samples; i++)
        of_kind += f->sample[i].parent && f->sample[i].kind == f->sample[seed].kind;
    size_t each = near ? 1 : (of_kind + most - 1) / most, met = 0;
    for (size_t i = 1; i <= f->samples && count < most; i++) {
        size_t at = i;
        if (near) { /* seed + 1, seed - 1, seed + 2, … */
            size_t by = (i + 1) / 2;
            at = i % 2 ? seed + by : seed >= by ? seed - by : f->samples;
        } else {
            at = (seed + i) % f->samples;
        }
        const accordi_sample *s = at < f->samples ? &f->sample[at] : NULL;
        if (s && at != seed && s->parent && s->kind == f->sample[seed].kind && met++ % each == 0)
            chosen[count++] = s;
    }
    return count;
}

enum { GUESSES = 3 };

/* The forms that are guessed from a seed, to be freed; NULL where it has too many numbers. */
static void guess_forms(const accord_family *f, size_t seed, bool near, char *form[GUESSES])
{
    const accordi_sample *chosen[MOST_PAIRS + 1];
    uint32_t number[MOST_PAIRS + 1][MOST_NUMBERS];
    accordi_pair pair[MOST_PAIRS + 1];
    accordi_guess guess[GUESSES][MOST_NUMBERS];
    size_t count = choose_samples(f, seed, near, chosen), numbers = 0;
    for (size_t i = 0; i < count; i++)
        numbers = accordi_form_numbers(chosen[i]->steps, number[i], MOST_NUMBERS);
    for (size_t k = 0; k < numbers && numbers <= MOST_NUMBERS; k++) {
        for (size_t i = 0; i < count; i++)
            pair[i] = (accordi_pair){chosen[i]->n, number[i][k]};
        guess[0][k] = accordi_guess_best(pair, count, number[0], numbers);
        guess[1][k] = accordi_guess_other(&guess[0][k], pair, count, false);
        guess[2][k] = accordi_guess_other(&guess[0][k], pair, count, true);
    }
    for (size_t i = 0; i < GUESSES; i++) {
        accordi_buffer out = {0};
        if (numbers <= MOST_NUMBERS)
            accordi_form_replace(&out, f->sample[seed].steps, guess[i]);
        form[i] = out.failed ? NULL : out.data;
        if (out.failed)
            accordi_buffer_clear(&out);
    }
}

static bool is_known(const accord_family *f, const char *form)
{
    for (size_t k = 0; k < f->forms; k++)
        if (strcmp(f->form[k], form) == 0)
            return true;
    return false;
}

/* Where a form goes: in the place of one that fits no more than it does, with no fewer words;
 * behind all others; or, if another one says as much, ACCORDI_MOST_FORMS, nowhere. What is said
 * with fewer words is kept, as long as there is room. */
static size_t place_for(const accord_family *f, const char *form, const uint8_t *fits)
{
    size_t place = f->forms;
    for (size_t k = 0; k < f->forms; k++) {
        bool adds = false, lacks = false, longer = strlen(form) > strlen(f->form[k]);
        for (size_t i = 0; i < f->samples; i++) {
            bool old = f->sample[i].fits >> k & 1;
            adds = adds || (fits[i] && !old);
            lacks = lacks || (old && !fits[i]);
        }
        if (!adds && (lacks || strlen(form) >= strlen(f->form[k])))
            return ACCORDI_MOST_FORMS;
        bool replaces = !lacks && (!longer || f->forms == ACCORDI_MOST_FORMS);
        if (replaces && k > 0 && place == f->forms) /* form 0 is for no order */
            place = k;
    }
    return place;
}

static accordi_failure *failure_of(const accord_family *f, const char *form)
{
    for (size_t i = 0; i < f->failures; i++)
        if (strcmp(f->failure[i].form, form) == 0)
            return &f->failure[i];
    return NULL;
}

/* Where there is no memory for it the form is only tried in vain once more. */
static void note_failure(accord_family *f, accordi_failure *known, char *form, size_t fitted)
{
    void *failures = f->failure;
    if (!known && accordi_grow(&failures, &f->failure_room, f->failures + 1, sizeof *f->failure)) {
        f->failure = failures;
        known = &f->failure[f->failures++];
        known->form = form;
        form = NULL;
    }
    if (known) {
        known->fitted = fitted;
        known->samples = f->samples;
    }
    free(form);
}

static void keep_form(accord_family *f, char *form, const uint8_t *fits)
{
    size_t k = place_for(f, form, fits);
    if (k >= ACCORDI_MOST_FORMS) {
        free(form);
        return;
    }
    if (k == f->forms)
        f->forms++;
    else
        free(f->form[k]);
    f->form[k] = form;
    for (size_t i = 0; i < f->samples; i++)
        f->sample[i].fits = (f->sample[i].fits & ~((uint64_t)1 << k)) | (uint64_t)fits[i] << k;
}

/* Tries a form with every sample, and keeps it if that is worth it. Takes the text over. One that
 * has failed before is tried only with samples that are new, until one of them fits. */
static void try_form(accord_family *f, char *form, bool regular, size_t kind, uint8_t *fits)
{
    if (!form || is_known(f, form)) {
        free(form);
        return;
    }
    accordi_failure *known = failure_of(f, form);
    size_t fitted = known ? known->fitted : 0, from = known ? known->samples : 0;
    uint64_t tried = 0;
    for (size_t i = 0; i < f->samples; i++) {
        const accordi_sample *s = &f->sample[i];
        bool asked = s->serial >= from && (regular || s->kind == kind);
        tried += asked ? s->n : 0;
        fits[i] = asked && accordi_form_fits(form, s);
        fitted += fits[i] && s->n > 2;
    }
    if (fitted < FEWEST_SAMPLES) {
        f->tried += tried;
        note_failure(f, known, form, fitted);
        return;
    }
    for (size_t i = 0; from && i < f->samples; i++) {
        const accordi_sample *s = &f->sample[i];
        if (s->serial < from)
            fits[i] = (regular || s->kind == kind) && accordi_form_fits(form, s);
    }
    keep_form(f, form, fits);
}

static void try_forms(accord_family *f, size_t seed, bool near, uint8_t *fits)
{
    const accordi_sample *s = &f->sample[seed];
    char *form[GUESSES];
    guess_forms(f, seed, near, form);
    for (size_t k = 0; k < GUESSES; k++)
        try_form(f, form[k], s->regular, s->kind, fits);
}

/* What was guessed when few samples were known may fit later ones by chance: it is guessed again
 * from all of them. */
static void guess_again(accord_family *f, uint8_t *fits)
{
    for (size_t k = 1; k < f->forms; k++) {
        size_t seed = f->samples;
        while (seed > 0 && !(f->sample[seed - 1].fits >> k & 1))
            seed--;
        if (seed > 0 && f->sample[seed - 1].parent)
            try_forms(f, seed - 1, false, fits);
    }
}

/* Seeds with the largest kinds first would need a sort; those of many terms have the most steps,
 * and so they come first. */
enum accord_status accordi_family_find_forms(accord_family *f, accord_error *error)
{
    enum { MOST_FAILURES = 200, FIRST_WORK = 400000000, WORK = 5000000 };
    uint8_t *fits = accordi_calloc(f->samples, 1);
    size_t failures = 0;
    if (!fits)
        return accordi_nomem(error);
    f->allowed += f->allowed ? WORK : FIRST_WORK; /* some orders have no forms */
    for (size_t i = f->samples; i-- > 0 && failures < MOST_FAILURES && f->tried < f->allowed;) {
        const accordi_sample *s = &f->sample[i];
        bool seed = s->parent && !s->fits;
        for (int near = 0; seed && near < 2; near++)
            try_forms(f, i, near, fits);
        failures += s->parent && !s->fits;
    }
    guess_again(f, fits);
    free(fits);
    return ACCORD_OK;
}
