/* Status, reasons and error text shared by every room of accord. */
#ifndef ACCORD_BASE_H
#define ACCORD_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined _WIN32
#define ACCORD_API
#else
#define ACCORD_API __attribute__((visibility("default")))
#endif

/* What a fallible function returns. On anything but ACCORD_OK no output argument is touched. */
enum accord_status {
    ACCORD_OK = 0,
    ACCORD_NOMEM,       /* out of memory */
    ACCORD_ARG,         /* an argument outside its contract */
    ACCORD_PARSE,       /* malformed text or file; the error text names the position */
    ACCORD_IO,          /* the operating system refused to read or write */
    ACCORD_TARGET,      /* the black box failed: missing, crashed, timed out, said no */
    ACCORD_UNSUPPORTED, /* a sound request that this build or machine cannot serve */
    ACCORD_UNABLE       /* the question has no answer; accord_error.reason says why */
};

/* Why a question has no answer (status ACCORD_UNABLE). Names are stable: accord_reason_name. */
enum accord_reason {
    ACCORD_REASON_NONE = 0,
    ACCORD_REASON_EXACT,            /* exact, or independent of the order */
    ACCORD_REASON_COMPENSATED,      /* the rounding errors are carried along and added back */
    ACCORD_REASON_DATA_DEPENDENT,   /* the order depends on the values */
    ACCORD_REASON_NONDETERMINISTIC, /* the same input gave different results */
    ACCORD_REASON_TERM_LOST,        /* a term does not reach the result */
    ACCORD_REASON_TERM_TWICE,       /* a term reaches the result more than once */
    ACCORD_REASON_NOT_FINITE,       /* NaN or infinity for harmless input */
    ACCORD_REASON_OUT_OF_RANGE,     /* the format cannot hold both a mask and a unit */
    ACCORD_REASON_NOT_A_TREE,       /* the answers contradict every fixed tree of additions */
    ACCORD_REASON_NOT_PLAIN,        /* probes show an order, but random inputs do not replay */
    ACCORD_REASON_COUNT
};

typedef struct accord_error {
    enum accord_status status;
    enum accord_reason reason;
    char text[480]; /* one line, says what to do next; never contains a newline */
} accord_error;

/* Stable lower-case names, e.g. "unable", "data-dependent"; never NULL. */
ACCORD_API const char *accord_status_name(enum accord_status status);
ACCORD_API const char *accord_reason_name(enum accord_reason reason);

/* The version of the library, "MAJOR.MINOR.PATCH". */
ACCORD_API const char *accord_version(void);

#ifdef __cplusplus
}
#endif
#endif
