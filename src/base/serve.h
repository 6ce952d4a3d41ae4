/* The other side of the protocol of programs (doc/command-protocol.md), over standard input and
 * output, for accord's own workers. Internal. Not thread-safe. */
#ifndef ACCORDI_SERVE_H
#define ACCORDI_SERVE_H

#include "base/base.h"

/* Numbers in their order, of which those that follow each other with the same bits are one run. */
typedef struct accordi_runs {
    accordi_buffer length, value; /* uint32_t and double */
    size_t runs, numbers;
} accordi_runs;
/* Adds `count` times the value. */
void accordi_runs_put(accordi_runs *runs, size_t count, double value);

typedef struct accordi_server {
    size_t n;       /* terms of a sum */
    size_t rows;    /* of a grid whose rows may have terms of their own; 1: there is none */
    size_t results; /* of each sum */
    size_t window;  /* bytes of a request after which more has to be asked for; 0: none */
    bool f64;       /* terms are double, else float */
    void *terms;    /* rows x n; those of the sum that is to be taken */
    void *second;   /* n second factors, of sums of products that were announced; else NULL */
    void *context;
    /* A request for so many sums begins; with `grid`, each row has terms of its own. May be NULL.
     */
    bool (*begin)(void *context, size_t sums, bool grid);
    /* Takes the terms of sum `which`; its results may be put here or in `finish`. */
    bool (*take)(void *context, size_t which, double *result);
    /* All sums have been taken: sums x results. May be NULL. */
    bool (*finish)(void *context, size_t sums, double *result);
    /* The same for many results, most of which are equal; then `take` puts none. May be NULL. */
    bool (*finish_runs)(void *context, size_t sums, accordi_runs *runs);
} accordi_server;

/* Hears the greeting: the number of terms and the name of their format, of at most 15 bytes. */
bool accordi_serve_hear_greeting(size_t *n, char format[16]);
/* Answers it with one line: `how`, such as "1 binary" or "1 refused", and what there is to say. */
void accordi_serve_say(const char *how, const char *words);
/* In place of an answer: why there is none. Nothing may be said after it. */
void accordi_serve_say_failure(const char *words);
/* Answers until the input ends, or a request of 24 bytes of zero comes; false if a request was not
 * understood, or if a function failed. */
bool accordi_serve(const accordi_server *server);

#endif
