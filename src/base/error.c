#include "base/base.h"

static const char *const status_names[] = {
    [ACCORD_OK] = "ok",
    [ACCORD_NOMEM] = "nomem",
    [ACCORD_ARG] = "arg",
    [ACCORD_PARSE] = "parse",
    [ACCORD_IO] = "io",
    [ACCORD_TARGET] = "target",
    [ACCORD_UNSUPPORTED] = "unsupported",
    [ACCORD_UNABLE] = "unable",
};

static const char *const reason_names[ACCORD_REASON_COUNT] = {
    [ACCORD_REASON_NONE] = "none",
    [ACCORD_REASON_EXACT] = "exact",
    [ACCORD_REASON_COMPENSATED] = "compensated",
    [ACCORD_REASON_DATA_DEPENDENT] = "data-dependent",
    [ACCORD_REASON_NONDETERMINISTIC] = "nondeterministic",
    [ACCORD_REASON_TERM_LOST] = "term-lost",
    [ACCORD_REASON_TERM_TWICE] = "term-twice",
    [ACCORD_REASON_NOT_FINITE] = "not-finite",
    [ACCORD_REASON_OUT_OF_RANGE] = "out-of-range",
    [ACCORD_REASON_NOT_A_TREE] = "not-a-tree",
    [ACCORD_REASON_NOT_PLAIN] = "not-plain",
    [ACCORD_REASON_BUDGET] = "budget",
    [ACCORD_REASON_CONSTANT] = "constant",
    [ACCORD_REASON_ONE_TERM] = "one-term",
    [ACCORD_REASON_MAXIMUM] = "maximum",
    [ACCORD_REASON_MINIMUM] = "minimum",
    [ACCORD_REASON_MAGNITUDE] = "magnitude",
    [ACCORD_REASON_RANGE] = "range",
    [ACCORD_REASON_PRODUCT] = "product",
    [ACCORD_REASON_MEDIAN] = "median",
    [ACCORD_REASON_COUNT_OF] = "count",
    [ACCORD_REASON_INDEX] = "index",
    [ACCORD_REASON_MEAN] = "mean",
    [ACCORD_REASON_VARIANCE] = "variance",
    [ACCORD_REASON_DEVIATION] = "deviation",
    [ACCORD_REASON_NORM] = "norm",
    [ACCORD_REASON_EXPONENTIALS] = "exponentials",
    [ACCORD_REASON_LOGSUMEXP] = "logsumexp",
    [ACCORD_REASON_SOFTMAX] = "softmax",
    [ACCORD_REASON_BIAS] = "bias",
    [ACCORD_REASON_WEIGHTED] = "weighted",
    [ACCORD_REASON_GEOMETRIC] = "geometric",
    [ACCORD_REASON_ALTERNATING] = "alternating",
    [ACCORD_REASON_OF_TERMS] = "of-terms",
    [ACCORD_REASON_OF_THE_SUM] = "of-the-sum",
    [ACCORD_REASON_ABSOLUTE_RESULT] = "absolute-result",
    [ACCORD_REASON_RECTIFIED] = "rectified",
    [ACCORD_REASON_CLAMPED_RESULT] = "clamped-result",
    [ACCORD_REASON_CLAMPED_TERMS] = "clamped-terms",
    [ACCORD_REASON_SATURATING] = "saturating",
    [ACCORD_REASON_MODULO] = "modulo",
    [ACCORD_REASON_FIXED_POINT] = "fixed-point",
    [ACCORD_REASON_INTEGER_TERMS] = "integer-terms",
    [ACCORD_REASON_ROUNDED_RESULT] = "rounded-result",
    [ACCORD_REASON_THRESHOLD] = "threshold",
    [ACCORD_REASON_LIMITED] = "limited",
    [ACCORD_REASON_OTHER_BITS] = "other-bits",
    [ACCORD_REASON_KEEPS_STATE] = "keeps-state",
    [ACCORD_REASON_WRITES_INPUT] = "writes-input",
    [ACCORD_REASON_READS_OUTSIDE] = "reads-outside",
    [ACCORD_REASON_WRITES_OUTSIDE] = "writes-outside",
    [ACCORD_REASON_READS_OTHERS] = "reads-others",
};

static const char *name_at(const char *const *names, size_t count, unsigned index)
{
    return index < count && names[index] ? names[index] : "unknown";
}

const char *accord_status_name(enum accord_status status)
{
    return name_at(status_names, sizeof status_names / sizeof *status_names, (unsigned)status);
}

const char *accord_reason_name(enum accord_reason reason)
{
    return name_at(reason_names, sizeof reason_names / sizeof *reason_names, (unsigned)reason);
}

const char *accord_version(void)
{
    return ACCORD_VERSION;
}

/* The text is made aside first: an argument may point into *error itself. */
static void fill(accord_error *error, enum accord_status status, enum accord_reason reason,
                 const char *format, va_list arguments)
{
    if (!error)
        return;
    char text[sizeof error->text];
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    error->status = status;
    error->reason = reason;
    strcpy(error->text, text);
}

enum accord_status accordi_fail(accord_error *error, enum accord_status status, const char *format,
                                ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, ACCORD_REASON_NONE, format, arguments);
    va_end(arguments);
    return status;
}

enum accord_status accordi_unable(accord_error *error, enum accord_reason reason,
                                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, ACCORD_UNABLE, reason, format, arguments);
    va_end(arguments);
    return ACCORD_UNABLE;
}

enum accord_status accordi_nomem(accord_error *error)
{
    return accordi_fail(error, ACCORD_NOMEM, "out of memory; try a smaller problem");
}
