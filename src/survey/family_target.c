/* A target that is asked for the orders of many numbers of terms. What takes long is to start a
 * process and to load a library, so that is done once where the kind of target can do so.
 *
 * Most orders are only discovered. What is no plain sum, such as a compensated one, can look like
 * one to the probes, so one order of some is proven; after one that is no order all are, until one
 * is proven again, and random inputs must bear them out. A proof takes as long as a hundred orders
 * that are discovered, so of many orders fewer are proven, but about one between two powers of two.
 */
#include "survey/survey.h"
#include <accord/reveal.h>
#include <accord/target.h>

enum { SHAPE = 64 };

struct accord_family_target {
    char *notation;
    char *shape; /* with n in place of the number of terms, "16x16xn"; NULL: of none, or derived */
    bool began;
    accord_target_options question;
    accord_family_options limits;
    accord_target *target;
    accord_record *about;
    uint64_t calls; /* of targets that were closed */
    double start;
    uint64_t asked, proven;
    bool doubt; /* the last order that was to be proven was none */
};

enum accord_status accord_family_target_new(const char *notation,
                                            const accord_target_options *options,
                                            const accord_family_options *limits,
                                            accord_family_target **out, accord_error *error)
{
    accord_family_target own = {.start = accordi_now()}, *t = NULL;
    enum accord_status status =
        ACCORDI_TAKE(accord_target_options, alignment, &own.question, options, error);
    if (!status)
        status = ACCORDI_TAKE(accord_family_options, progress_context, &own.limits, limits, error);
    if (status)
        return status;
    own.notation = accordi_strdup(notation);
    own.shape = own.question.shape ? accordi_strdup(own.question.shape) : NULL;
    own.about = accord_record_new();
    bool good = own.notation && own.about && (own.shape || !own.question.shape);
    if (good && (t = accordi_alloc(1, sizeof *t))) {
        *t = own;
        *out = t;
        return ACCORD_OK;
    }
    free(own.notation);
    free(own.shape);
    accord_record_free(own.about);
    return accordi_nomem(error);
}

static void close_target(accord_family_target *t)
{
    t->calls += t->target ? t->target->calls : 0;
    accord_target_close(t->target);
    t->target = NULL;
}

void accord_family_target_free(accord_family_target *t)
{
    if (!t)
        return;
    close_target(t);
    accord_record_free(t->about);
    free(t->notation);
    free(t->shape);
    free(t);
}

const accord_record *accord_family_target_about(const accord_family_target *t)
{
    return t->about;
}

uint64_t accord_family_target_proven(const accord_family_target *t)
{
    return t->proven;
}

uint64_t accord_family_target_calls(const accord_family_target *t)
{
    return t->calls + (t->target ? t->target->calls : 0);
}

/* ---- shapes ---- */

/* The shape at a number of terms; false where there is no room for it. A start value is a term that
 * no column of an operand stands for. */
static bool put_shape(const accord_family_target *t, char *text, size_t size)
{
    size_t used = 0, n = t->question.n - (t->question.beta != 0 && t->question.n > 0);
    for (const char *at = t->shape; *at && used < size; at++)
        used += (size_t)(*at == 'n' ? snprintf(text + used, size - used, "%zu", n)
                                    : snprintf(text + used, size - used, "%c", *at));
    return used < size;
}

/* Goes on with n terms, or opens the target. */
static enum accord_status open_shaped(accord_family_target *t, accord_error *error)
{
    char shape[SHAPE];
    accord_target_options question = t->question;
    question.shape = t->shape ? shape : NULL;
    if (t->shape && !put_shape(t, shape, sizeof shape))
        return accordi_fail(error, ACCORD_ARG, "the shape '%.40s' is too long", t->shape);
    if (t->target) {
        enum accord_status status = accord_target_resize(t->target, &question, error);
        if (!status)
            return status;
        close_target(t);
        if (status != ACCORD_UNSUPPORTED)
            return status;
    }
    return accord_target_open(t->notation, &question, &t->target, error);
}

/* The strides that were asked for. All others may depend on n, as the distance of rows does, and
 * are chosen anew. */
static enum accord_status keep_strides(const accord_family_target *t, accord_record *record,
                                       accord_error *error)
{
    const accord_target_options *q = &t->question;
    const struct {
        const char *name;
        int64_t value;
    } all[] = {
        {"incx", q->incx}, {"incy", q->incy}, {"lda", q->lda}, {"ldb", q->ldb}, {"ldc", q->ldc}};
    accordi_buffer text = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value)
            accordi_buffer_printf(&text, "%s%s=%lld", text.length ? " " : "", all[i].name,
                                  (long long)all[i].value);
    enum accord_status status =
        text.failed ? accordi_nomem(error) : accord_record_set(&record->strides, text.data, error);
    accordi_buffer_clear(&text);
    return status;
}

/* "16x16x16" becomes "16x16xn". */
static char *general_shape(const char *shape)
{
    const char *x = shape ? strrchr(shape, 'x') : NULL;
    char *general = x ? accordi_strdup(shape) : NULL;
    if (general)
        memcpy(general + (x - shape), "xn", sizeof "xn");
    return general;
}

/* Matrices that are as large as they have terms take too long: where no shape is given, those of 16
 * terms keep all else of theirs, if the target has a shape and can do so. */
static void choose_shape(accord_family_target *t)
{
    enum { SMALL = 16 };
    accord_record *about = accord_record_new();
    t->began = true;
    t->question.n = SMALL + (t->question.beta != 0);
    if (about && !t->shape && !open_shaped(t, NULL) &&
        !accord_target_describe(t->target, about, NULL) &&
        (t->shape = general_shape(about->shape)) != NULL) {
        t->question.n++;
        if (open_shaped(t, NULL)) {
            free(t->shape);
            t->shape = NULL;
        }
    }
    accord_record_free(about);
}

static enum accord_status open_at(accord_family_target *t, uint32_t n, accord_error *error)
{
    if (!t->began)
        choose_shape(t);
    t->question.n = n;
    return open_shaped(t, error);
}

static bool set_limits(accord_family_target *t, accord_reveal_options *o)
{
    double left = t->limits.budget_seconds - (accordi_now() - t->start);
    uint64_t calls = accord_family_target_calls(t);
    accord_reveal_options_init(o);
    o->seed = t->question.seed;
    o->budget_seconds = t->limits.budget_seconds > 0 ? left : 0;
    o->budget_calls = t->limits.budget_calls > calls ? t->limits.budget_calls - calls : 0;
    o->progress = t->limits.progress;
    o->progress_context = t->limits.progress_context;
    return !(t->limits.budget_seconds > 0 && left <= 0) &&
           !(t->limits.budget_calls > 0 && t->limits.budget_calls <= calls);
}

/* Whether the next order is one of those to be proven. */
static bool takes_proof(accord_family_target *t)
{
    enum { FEW = 256, OF_FEW = 32, OF_MANY = 128 };
    uint64_t asked = t->asked++;
    return asked % (asked < FEW ? OF_FEW : OF_MANY) == 0;
}

enum accord_status accord_family_target_ask(void *context, uint32_t n, const accord_tree *expected,
                                            accord_tree **tree, accord_error *error)
{
    enum { TRIVIAL = 2 };
    accord_family_target *t = context;
    accord_reveal_options options;
    if (!set_limits(t, &options))
        return accordi_unable(error, ACCORD_REASON_BUDGET, "the budget is spent");
    bool proves = n > TRIVIAL && (t->doubt || takes_proof(t));
    options.loose = !t->doubt;
    options.expected = expected;
    accord_record *record = accord_record_new();
    enum accord_status status = record ? open_at(t, n, error) : accordi_nomem(error);
    if (!status) {
        options.no_certificate = !proves;
        options.replays = proves ? 0 : 1;
        status = accord_reveal(t->target, &options, record, error);
    }
    if (!status && t->shape)
        status = accord_record_set(&record->shape, t->shape, error);
    if (!status)
        status = keep_strides(t, record, error);
    if (proves && (status == ACCORD_UNABLE || (!status && record->proven)))
        t->doubt = status == ACCORD_UNABLE;
    t->proven += !status && proves && record->proven;
    if (status) {
        accord_record_free(record);
        return status;
    }
    *tree = record->tree;
    record->tree = NULL;
    accord_record_free(t->about);
    t->about = record;
    return ACCORD_OK;
}
