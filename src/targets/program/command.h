/* Programs as targets, spoken to over their standard input and output. The protocol is described
 * in doc/command-protocol.md. Internal. */
#ifndef ACCORDI_COMMAND_H
#define ACCORDI_COMMAND_H

#include "base/child.h"
#include "targets/target.h"
#include <sys/uio.h>

/* One result a sum, and programs of version 2 of the protocol with a grid of results. */
extern const accord_target_kind accordi_command_kind, accordi_command_grid_kind;
enum accord_status accordi_command_open(accord_target *target, const accordi_notation *notation,
                                        const accord_target_options *options, accord_error *error);

/* For kinds that are commands underneath. */
typedef struct accordi_program {
    const accord_target_kind *kind;
    const char *line; /* runs in a shell */
    const char *path; /* what goes into the record, as a shell would find it */
    bool tidies;      /* as in accordi_child_files */
    /* What to do if it does not answer the greeting, or a question; NULL: what any program should.
     */
    const char *hung[2];
    const accordi_child *like; /* it gets the environment that this was started with; NULL: ours */
    /* What its end means, once it has answered the greeting: "a rank died". NULL: nothing. */
    const char *died;
} accordi_program;
enum accord_status accordi_command_open_as(accord_target *target, const accordi_program *program,
                                           const accord_target_options *options,
                                           accord_error *error);
/* Greets the program again, with the number of terms that the target has now. */
enum accord_status accordi_command_greet_again(accord_target *target, accord_error *error);
enum accord_status accordi_command_run(accord_target *target, const accord_batch *batch,
                                       double *result, accord_error *error);
enum accord_status accordi_command_describe(accord_target *target, accord_record *record,
                                            accord_error *error);
enum accord_status accordi_command_run_grid(accord_target *target, const accord_grid *asked,
                                            double *result, accord_error *error);
void accordi_command_close(accord_target *target);
/* The options that open the same element of the same sum; the texts last while `element` does. */
void accordi_command_options(const accord_target *target, accord_target_options *options,
                             char element[48]);
/* In a new process of the same program, if it does not take long to start. */
bool accordi_command_elsewhere(const accord_target *target, const accordi_notation *notation,
                               size_t i, accordi_circumstance *out);
enum accord_status accordi_command_open_elsewhere(const accord_target *target,
                                                  const accordi_circumstance *how,
                                                  accord_target *out, accord_error *error);
/* The program that the first word of a line names, as the shell would find it. */
bool accordi_find_program(const char *line, char *real, size_t size);
/* The word in quotes, as a shell reads it. */
void accordi_put_shell_word(accordi_buffer *out, const char *word);

/* ---- the kind "python": python.c ---- */

extern const accord_target_kind accordi_python_kind;
enum accord_status accordi_python_open(accord_target *target, const accordi_notation *notation,
                                       const accord_target_options *options, accord_error *error);

enum accord_status accordi_python_resize(accord_target *target, const accordi_notation *notation,
                                         const accord_target_options *options, accord_error *error);

/* ---- the kind "mpi": mpi.c ---- */

extern const accord_target_kind accordi_mpi_kind;
bool accordi_mpi_elsewhere(const accord_target *target, const accordi_notation *notation, size_t i,
                           accordi_circumstance *out);
enum accord_status accordi_mpi_open(accord_target *target, const accordi_notation *notation,
                                    const accord_target_options *options, accord_error *error);

/* ---- the kind "opencl": opencl.c ---- */

extern const accord_target_kind accordi_opencl_kind;
enum accord_status accordi_opencl_open(accord_target *target, const accordi_notation *notation,
                                       const accord_target_options *options, accord_error *error);

/* ---- the conversation: pipes.c ---- */

typedef struct accordi_talk {
    accordi_child child;
    int to, from;      /* our ends of its pipes, -1 when closed */
    accordi_buffer in; /* what it said and nobody has taken yet */
    double timeout;
    size_t window;       /* bytes that are sent before more is asked for; 0: all */
    bool greeted;        /* only a greeting may come before it is asked for */
    bool failed;         /* it will not be spoken to again */
    char name[200];      /* for error texts */
    const char *hung[2]; /* as in accordi_program */
    const char *died;
    double patience; /* seconds that it has to end when its input does */
    bool farewell;   /* the end is said to it, too: launchers may not pass on that of the input */
} accordi_talk;

/* What is being waited for: the whole of it, not all of it yet, garbage, or why it does not come.
 */
enum accordi_heard {
    ACCORDI_HEARD_ALL,
    ACCORDI_HEARD_MORE,
    ACCORDI_HEARD_GARBAGE,
    ACCORDI_HEARD_FAILURE
};
typedef enum accordi_heard accordi_listener(void *context, accordi_buffer *in);

enum accord_status accordi_talk_start(accordi_talk *talk, const accordi_program *program,
                                      double timeout, accord_error *error);
/* Says `words`, and hears until the listener has all. It takes what it understands out of `in`.
 * The limit of time starts anew whenever something is heard. */
enum accord_status accordi_talk_exchange(accordi_talk *talk, const struct iovec words[2],
                                         accordi_listener *listener, void *context,
                                         accord_error *error);
/* Closes its input, gives it a second to end, or some for launchers of ranks, then kills what is
 * left of it. */
void accordi_talk_end(accordi_talk *talk);

/* ---- what the program says of itself: greeting.c ---- */

/* In version 2 of the protocol each sum has a grid of results. */
typedef struct accordi_greeting {
    bool text, refused;
    size_t rows, columns;     /* 0: no size that can be read */
    bool shares;              /* each row of results may have terms of its own */
    bool copies;              /* the columns are copies of one result */
    bool limited;             /* requests are sent piece by piece, of `window` bytes */
    size_t window;            /* 0: no number that can be read */
    bool products;            /* of two factors each, both of which are asked for */
    bool scaled;              /* terms are products, and `block` of them share a pair of scales */
    size_t block;             /* 0: no number that can be read */
    enum accord_format scale; /* ACCORD_F64: none that is known */
    char version[320];        /* or the reason why it refused */
} accordi_greeting;
/* Hears it; the context is an accordi_greeting. */
accordi_listener accordi_hear_greeting;
/* ACCORD_TARGET where the grid has no size, or too large a one, or where there are no such blocks
 * of n products. */
enum accord_status accordi_greeting_check(const accordi_greeting *greeting, size_t n,
                                          accord_error *error);

/* ---- batches as bytes: protocol.c ---- */

/* Encodes a part of a batch at a time, as the sums so far took long or not. */
typedef struct accordi_speech {
    size_t n;
    bool text;        /* lines of numbers; else binary */
    bool f32;         /* dense rows are float */
    size_t results;   /* of each sum */
    double *standing; /* the terms without the writes of one probe alone, n entries */
    size_t step;      /* probes to ask next */
    accordi_buffer out;
    struct iovec words[2]; /* the last step: out, then dense rows where they lie */
} accordi_speech;

bool accordi_speech_init(accordi_speech *speech, size_t n, bool text, bool f32, size_t results);
void accordi_speech_clear(accordi_speech *speech);
void accordi_speech_begin(accordi_speech *speech, const accord_batch *batch);
/* Encodes probes first … into speech->words, which stand while the batch and the speech do;
 * returns how many, 0 when there is no memory. */
size_t accordi_speech_encode(accordi_speech *speech, const accord_batch *batch, size_t first);
/* How many numbers the answer to a step of a batch of so many probes has at most. */
size_t accordi_speech_most(const accordi_speech *speech, size_t probes);
/* Encodes one question for all results: `rows` rows of terms, as the target stores them. False when
 * there is no memory. */
bool accordi_speech_encode_grid(accordi_speech *speech, const void *terms, size_t rows);
/* Adapts the step to how long the last one took. */
void accordi_speech_pace(accordi_speech *speech, double seconds);

/* ---- products, whose blocks may share scales, as bytes: records.c ---- */

/* Sums of a batch, a record after the other, until they are said. */
typedef struct accordi_records {
    accordi_cells first, second; /* the factors, as the present sum has them */
    size_t blocks;               /* 0: no scales */
    bool f64;                    /* numbers are double, else float */
    accordi_buffer out;          /* the request */
    size_t held;                 /* sums in it */
} accordi_records;

/* n products in blocks of `share`, or, where that is 0, without scales. False when there is no
 * memory. */
bool accordi_records_init(accordi_records *records, size_t n, size_t share, bool f64);
void accordi_records_clear(accordi_records *records); /* zeros are fine */
/* Says the sums of a batch, of which `say` hears `sums` more at a time, whose request is
 * records->out, and writes their results. */
typedef enum accord_status accordi_say_records(void *context, size_t sums, double *result);
enum accord_status accordi_records_run(accordi_records *records, const accord_batch *batch,
                                       const size_t *step, accordi_say_records *say, void *context,
                                       double *result, accord_error *error);

/* Hears the answers of one step. */
typedef struct accordi_answers {
    bool text;
    enum accord_format output;  /* of the results, for text */
    size_t sums, wanted, heard; /* wanted: numbers, `wanted / sums` of each sum */
    double *result;
    char wrong[160]; /* where it follows the form, but not the question: "answered for …" */
    char why[501];   /* where the program says why it has no answer */
} accordi_answers;
accordi_listener accordi_hear_answers;

#endif
