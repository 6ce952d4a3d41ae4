/* The names of statuses and of the reasons for a refusal, and how an error is filled.
 *
 * The reasons are rows of ACCORD_REASONS in accord/base.h. */
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

#define NAME(constant_, name_, about_) [ACCORD_REASON_##constant_] = name_,
#define ABOUT(constant_, name_, about_) [ACCORD_REASON_##constant_] = about_,
static const char *const reason_names[] = {ACCORD_REASONS(NAME)};
static const char *const reasons_about[] = {ACCORD_REASONS(ABOUT)};

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
    return name_at(reason_names, ACCORD_REASON_COUNT, (unsigned)reason);
}

const char *accord_reason_about(enum accord_reason reason)
{
    return name_at(reasons_about, ACCORD_REASON_COUNT, (unsigned)reason);
}

const char *accord_version(void)
{
    return ACCORD_VERSION;
}

/* The text is made aside first: an argument may point into *error itself. */
static void fill_error(accord_error *error, enum accord_status status, enum accord_reason reason,
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
    fill_error(error, status, ACCORD_REASON_NONE, format, arguments);
    va_end(arguments);
    return status;
}

enum accord_status accordi_unable(accord_error *error, enum accord_reason reason,
                                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill_error(error, ACCORD_UNABLE, reason, format, arguments);
    va_end(arguments);
    return ACCORD_UNABLE;
}

enum accord_status accordi_nomem(accord_error *error)
{
    return accordi_fail(error, ACCORD_NOMEM, "out of memory; try a smaller problem");
}
