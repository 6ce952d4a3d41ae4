/* Status, reasons and error text shared by every room of accord. */
#ifndef ACCORD_BASE_H
#define ACCORD_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined _WIN32
#define ACCORD_API
#else
#define ACCORD_API __attribute__((visibility("default")))
#endif

/* What functions that can fail return. If it is not ACCORD_OK, output arguments are unchanged. */
enum accord_status {
    ACCORD_OK = 0,
    ACCORD_NOMEM,       /* out of memory */
    ACCORD_ARG,         /* an argument violates the contract of the function */
    ACCORD_PARSE,       /* malformed text or file; the error text names the position */
    ACCORD_IO,          /* the operating system refused to read or write */
    ACCORD_TARGET,      /* the black box failed: it is missing, crashed, timed out or refused */
    ACCORD_UNSUPPORTED, /* a valid request that this build or machine cannot serve */
    ACCORD_UNABLE       /* the question has no answer; accord_error.reason says why */
};

/* Why a question has no answer (status ACCORD_UNABLE). A row for each reason: ROW(NAME, name, what
 * it means), where the constant is ACCORD_REASON_NAME. Names are stable. The rows from CONSTANT on
 * say what the target computes instead of a plain sum; such a reason is given only if every answer
 * agrees with it. */
#define ACCORD_REASONS(ROW)                                                                        \
    ROW(NONE, "none", "the question has an answer")                                                \
    ROW(EXACT, "exact", "the sum is exact, or its result does not depend on the order")            \
    ROW(COMPENSATED, "compensated", "rounding errors are carried along and added back")            \
    ROW(DATA_DEPENDENT, "data-dependent", "the order depends on the values")                       \
    ROW(NONDETERMINISTIC, "nondeterministic", "the same input gave different results")             \
    ROW(TERM_LOST, "term-lost", "a term does not reach the result")                                \
    ROW(TERM_TWICE, "term-twice", "a term reaches the result more than once")                      \
    ROW(NOT_FINITE, "not-finite", "harmless input gives NaN or infinity")                          \
    ROW(OUT_OF_RANGE, "out-of-range", "the format cannot hold both a mask and a unit")             \
    ROW(NOT_A_TREE, "not-a-tree", "the answers contradict every fixed tree of additions")          \
    ROW(NOT_PLAIN, "not-plain",                                                                    \
        "probes show an order, but replays of random inputs contradict it")                        \
    ROW(BUDGET, "budget", "the budget was spent before an order was found")                        \
    ROW(CONSTANT, "constant", "the result is the same whatever the terms are")                     \
    ROW(ONE_TERM, "one-term", "the result is one of the terms")                                    \
    ROW(MAXIMUM, "maximum", "the result is the greatest term")                                     \
    ROW(MINIMUM, "minimum", "the result is the least term")                                        \
    ROW(MAGNITUDE, "magnitude", "the result is the greatest or the least magnitude of a term")     \
    ROW(RANGE, "range", "the result is the greatest term minus the least")                         \
    ROW(PRODUCT, "product", "the result is the product of the terms")                              \
    ROW(MEDIAN, "median",                                                                          \
        "the result is a median of the terms, perhaps the lower or the upper one")                 \
    ROW(COUNT_OF, "count",                                                                         \
        "the result is the number of terms that are not 0, or of those above 0")                   \
    ROW(LOGICAL, "logical", "the result says whether any term, or each, meets a condition")        \
    ROW(INDEX, "index", "the result is the position of a term")                                    \
    ROW(MEAN, "mean", "the result is a mean other than the arithmetic one")                        \
    ROW(VARIANCE, "variance",                                                                      \
        "the result is a variance, or the sum of squared distances from the mean")                 \
    ROW(DEVIATION, "deviation", "the result is the square root of a variance")                     \
    ROW(NORM, "norm", "the result is a norm other than the 1-norm and the 2-norm")                 \
    ROW(EXPONENTIALS, "exponentials", "the result is a sum of exponentials")                       \
    ROW(LOGSUMEXP, "logsumexp", "the result is the logarithm of a sum of exponentials")            \
    ROW(SOFTMAX, "softmax", "the result is the share of a term in a sum of exponentials")          \
    ROW(BIAS, "bias", "the result is the sum plus a constant")                                     \
    ROW(WEIGHTED, "weighted", "the terms have different weights")                                  \
    ROW(GEOMETRIC, "geometric",                                                                    \
        "the weights of the terms are powers of one number, as in a decay or a polynomial")        \
    ROW(ALTERNATING, "alternating", "every other term is subtracted")                              \
    ROW(OF_TERMS, "of-terms", "a function of each term is added, not the term")                    \
    ROW(OF_THE_SUM, "of-the-sum", "the result is a function of the sum")                           \
    ROW(ABSOLUTE_RESULT, "absolute-result", "the result is the magnitude of the sum")              \
    ROW(RECTIFIED, "rectified", "the result is the sum, or 0 where the sum is negative")           \
    ROW(CLAMPED_RESULT, "clamped-result", "the result is kept within bounds")                      \
    ROW(CLAMPED_TERMS, "clamped-terms", "each term is kept within bounds")                         \
    ROW(SATURATING, "saturating", "the running sum is kept within bounds")                         \
    ROW(MODULO, "modulo", "the result is the remainder of the sum")                                \
    ROW(FIXED_POINT, "fixed-point", "the terms are rounded to multiples of a fixed number")        \
    ROW(INTEGER_TERMS, "integer-terms", "the terms are rounded to whole numbers")                  \
    ROW(ROUNDED_RESULT, "rounded-result", "the result is rounded to a multiple of a fixed number") \
    ROW(THRESHOLD, "threshold", "small terms, or small results, count as 0")                       \
    ROW(LIMITED, "limited", "large terms count as 0")                                              \
    ROW(OTHER_BITS, "other-bits", "the result holds the bits of a sum in another type")            \
    ROW(KEEPS_STATE, "keeps-state", "an answer depends on the questions before it")                \
    ROW(WRITES_INPUT, "writes-input", "operands that should only be read are changed")             \
    ROW(READS_OUTSIDE, "reads-outside", "the result depends on memory outside the operands")       \
    ROW(WRITES_OUTSIDE, "writes-outside", "memory outside the operands is changed")                \
    ROW(READS_OTHERS, "reads-others", "the result depends on the operands of other elements")      \
    ROW(POSITION, "position",                                                                      \
        "the result depends on the place of a sum among those that are asked for together")        \
    ROW(COPIES, "copies", "copies of one result, such as those of all ranks, are not the same")

#define ACCORD_REASON_ENUM(constant_, name_, about_) ACCORD_REASON_##constant_,
enum accord_reason { ACCORD_REASONS(ACCORD_REASON_ENUM) ACCORD_REASON_COUNT };
#undef ACCORD_REASON_ENUM

/* Fixed layout. */
typedef struct accord_error {
    enum accord_status status;
    enum accord_reason reason;
    char text[480]; /* one line, says what to do next; never contains a newline */
} accord_error;

/* Stable lower-case names, e.g. "unable", "data-dependent"; never NULL. */
ACCORD_API const char *accord_status_name(enum accord_status status);
ACCORD_API const char *accord_reason_name(enum accord_reason reason);
/* What a reason means, as a clause without a full stop; never NULL. */
ACCORD_API const char *accord_reason_about(enum accord_reason reason);

/* How the public structs may grow. Within one soname, members are added only at the end, behind
 * the padding of the previous release. There are three kinds of structs, depending on who makes
 * them.
 *   - The caller fills it: options, and questions such as accord_rows. Its first member is `size`,
 *     the number of bytes of the struct that the caller was compiled with; _init functions and
 *     ACCORD_INIT set it. 0 stands for the struct of version 0.1, so that {0} holds the defaults
 *     and {.threads = 2} changes one of them; members that were added later then count as 0. So do
 *     the members that a smaller struct lacks. A larger struct than the library knows is accepted
 *     if its further bytes are 0; otherwise the status is ACCORD_ARG. In every such struct 0 means
 *     the default.
 *   - The library makes it: results and rows of tables, which functions return by pointer. Programs
 *     neither copy them nor place them in arrays. Opaque types belong here, too.
 *   - Both make it: a small value, such as accord_error, or a small result for which the caller
 *     provides the memory. Its layout is a contract: it does not change within one soname, and its
 *     header says "fixed layout". Anything new comes from a function of its own. */
#define ACCORD_INIT(options_)                                                                      \
    do {                                                                                           \
        memset((options_), 0, sizeof *(options_));                                                 \
        (options_)->size = sizeof *(options_);                                                     \
    } while (0)

/* The version of the library, "MAJOR.MINOR.PATCH". */
ACCORD_API const char *accord_version(void);

#ifdef __cplusplus
}
#endif
#endif
