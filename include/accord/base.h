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
    ACCORD_REASON_BUDGET,           /* of the question's: the budget was spent before an order */
    /* from here on: functions that are no sum, each as all answers show it */
    ACCORD_REASON_CONSTANT,        /* the same whatever the terms are */
    ACCORD_REASON_ONE_TERM,        /* one of the terms alone */
    ACCORD_REASON_MAXIMUM,         /* the greatest term */
    ACCORD_REASON_MINIMUM,         /* the least term */
    ACCORD_REASON_MAGNITUDE,       /* the greatest or least magnitude of a term */
    ACCORD_REASON_RANGE,           /* the greatest term less the least */
    ACCORD_REASON_PRODUCT,         /* the product */
    ACCORD_REASON_MEDIAN,          /* the median, also the lower or upper one */
    ACCORD_REASON_COUNT_OF,        /* how many terms are not 0, or above it */
    ACCORD_REASON_INDEX,           /* the place of a term */
    ACCORD_REASON_MEAN,            /* a mean other than the arithmetic one */
    ACCORD_REASON_VARIANCE,        /* a variance, or the sum of squared distances from the mean */
    ACCORD_REASON_DEVIATION,       /* the root of one */
    ACCORD_REASON_NORM,            /* a norm other than the 1-norm and 2-norm */
    ACCORD_REASON_EXPONENTIALS,    /* a sum of exponentials */
    ACCORD_REASON_LOGSUMEXP,       /* the logarithm of one */
    ACCORD_REASON_SOFTMAX,         /* a term's share in one */
    ACCORD_REASON_BIAS,            /* a constant and a sum */
    ACCORD_REASON_WEIGHTED,        /* the terms have different weights */
    ACCORD_REASON_GEOMETRIC,       /* weights that are powers of one number: decay, polynomials */
    ACCORD_REASON_ALTERNATING,     /* every other term is subtracted */
    ACCORD_REASON_OF_TERMS,        /* a function of each term is added, not the term */
    ACCORD_REASON_OF_THE_SUM,      /* a function of the sum */
    ACCORD_REASON_ABSOLUTE_RESULT, /* the magnitude of the sum */
    ACCORD_REASON_RECTIFIED,       /* the sum, or 0 where that is negative */
    ACCORD_REASON_CLAMPED_RESULT,  /* the result is kept within bounds */
    ACCORD_REASON_CLAMPED_TERMS,   /* each term is */
    ACCORD_REASON_SATURATING,      /* the running sum is */
    ACCORD_REASON_MODULO,          /* the remainder of the sum */
    ACCORD_REASON_FIXED_POINT,     /* terms are rounded to multiples of a fixed number */
    ACCORD_REASON_INTEGER_TERMS,   /* to whole numbers */
    ACCORD_REASON_ROUNDED_RESULT,  /* the result is rounded to multiples of a fixed number */
    ACCORD_REASON_THRESHOLD,       /* small terms or results count as 0 */
    ACCORD_REASON_LIMITED,         /* large terms count as 0 */
    ACCORD_REASON_OTHER_BITS,      /* the result is a sum in another type */
    ACCORD_REASON_KEEPS_STATE,     /* an answer depends on the questions before */
    ACCORD_REASON_WRITES_INPUT,    /* operands that are only read change */
    ACCORD_REASON_READS_OUTSIDE,   /* the result depends on memory beside the operands */
    ACCORD_REASON_WRITES_OUTSIDE,  /* memory beside the operands changes */
    ACCORD_REASON_READS_OTHERS,    /* the result depends on operands of other elements */
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
