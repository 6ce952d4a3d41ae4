/* What the files of the extension share. How Python sees all of this: ../_accord.c. Internal.
 *
 * Who holds the interpreter: functions of this header are called with it held, unless their
 * comment says otherwise. The library runs without it; the callbacks that it makes into Python
 * take it back for as long as a batch of calls takes (talk.c). */
#ifndef ACCORD_PYTHON_NATIVE_H
#define ACCORD_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/base.h"
#include <accord/accord.h>
#include <stdatomic.h>

typedef struct native_state {
    PyObject *status[ACCORD_UNABLE + 1];   /* an exception class for each; [ACCORD_OK]: the base */
    PyObject *reason[ACCORD_REASON_COUNT]; /* for each reason of ACCORD_UNABLE; [0]: NULL */
    PyTypeObject *buffer, *target, *record, *map, *survey;
} native_state;

/* The state of the module that an object's type belongs to. */
static inline const native_state *native_state_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

/* ---- errors.c ---- */

/* Makes the classes of exceptions and puts them into the module; false with an exception set. */
bool native_errors_init(PyObject *module, native_state *state);
void native_errors_clear(native_state *state);
/* Raises what `error` says; returns NULL. */
PyObject *native_raise(const native_state *state, const accord_error *error);
/* Raises ArgumentError; returns NULL. */
PyObject *native_wrong(const native_state *state, const char *format, ...) ACCORDI_PRINTF(2, 3);

/* ---- talk.c: between the library, which runs without the interpreter, and Python ---- */

typedef struct native_talk {
    PyObject *progress;    /* progress(stage, done, total), borrowed; NULL or None: none */
    PyThreadState *thread; /* not NULL: the interpreter is released */
    PyObject *type, *value, *traceback; /* what was raised while the library ran */
} native_talk;

/* Around a call of the library. end raises what was kept, and then returns false. */
void native_talk_begin(native_talk *talk, PyObject *progress);
bool native_talk_end(native_talk *talk);
/* Raises what was kept; false where nothing was. */
bool native_talk_raise(native_talk *talk);
/* Around what a callback does with Python. */
void native_talk_hold(native_talk *talk);
void native_talk_release(native_talk *talk);
/* Keeps the exception that is set (the first one is what counts), for the end. */
enum accord_status native_talk_keep(native_talk *talk, accord_error *error);
bool native_talk_failed(const native_talk *talk);
/* An accord_progress for context `talk`; called without the interpreter. Notices Ctrl-C. */
bool native_talk_progress(void *talk, const char *stage, uint64_t done, uint64_t total);

/* ---- buffer.c: aligned memory that Python may look at and write to ---- */

extern PyType_Spec native_buffer_spec;
/* Zeroed memory for the product of `shape` (a tuple) numbers. */
PyObject *native_buffer_new(const native_state *state, enum accord_format format, PyObject *shape);
void *native_buffer_memory(PyObject *buffer);

/* Reads the numbers of any object with a buffer of C-contiguous numbers. */
typedef struct native_numbers {
    Py_buffer view;
    enum native_kind { NATIVE_F64, NATIVE_F32, NATIVE_F16 } kind;
    size_t count;
} native_numbers;
/* False with ArgumentError: `what` is its subject. release ends it. */
bool native_numbers_get(const native_state *state, PyObject *object, const char *what,
                        native_numbers *out);
void native_numbers_release(native_numbers *numbers);
double native_number(const native_numbers *numbers, size_t i);
/* All of them as doubles, which the caller frees; NULL with an exception set. */
double *native_doubles(const native_state *state, PyObject *object, const char *what,
                       size_t *count);

/* ---- call.c: calling the callable ---- */

enum native_mode {
    NATIVE_SHARED,    /* the arguments stay, what they hold changes; new ones if they were kept */
    NATIVE_CONVERTED, /* made anew of the same memory for each call */
    NATIVE_FRESH      /* memory of its own for each call */
};

/* What the callable gets, and beside it what it should hold, to notice when it is changed. */
/* Most arrays of a callable: two vectors with their scales, or three matrices. */
enum { NATIVE_OPERANDS = 4 };

typedef struct native_operand {
    enum accord_format format;
    size_t size, count; /* bytes of a number; numbers */
    PyObject *shape, *buffer;
    void *memory; /* the buffer's */
    void *truth;
    const void *due; /* what memory should hold: the truth, or a row of a batch that is asked for */
} native_operand;

typedef struct native_call {
    const native_state *state;
    native_talk *talk;
    PyObject *function, *make, *collect, *arguments;
    PyTypeObject *number; /* a type of results of which one was a number and had no shape */
    Py_ssize_t references[2 * NATIVE_OPERANDS];
    enum native_mode mode;
    bool doubt; /* the callable may have kept what it was given */
    int operands;
    native_operand operand[NATIVE_OPERANDS];
    uint64_t calls;
    double seconds;
} native_call;

/* formats: of each operand. */
bool native_call_init(native_call *call, PyObject *shapes, const enum accord_format *formats);
void native_call_clear(native_call *call);
int native_call_traverse(native_call *call, visitproc visit, void *arg);
/* Before operands are written to: new ones, if a call was not settled. */
enum accord_status native_call_ready(native_call *call, accord_error *error);
/* Writes number i, in memory and truth. */
void native_put(native_operand *operand, size_t i, double value);
double native_get(const native_operand *operand, size_t i);
/* Calls it. ACCORD_TARGET: it raised (kept), or Ctrl-C. */
enum accord_status native_call_now(native_call *call, PyObject **result, accord_error *error);
/* The number that a result is; else ACCORD_TARGET with what it is. */
enum accord_status native_call_number(native_call *call, PyObject *result, double *out,
                                      accord_error *error);
/* The numbers of a result of `count` numbers and this shape. */
enum accord_status native_call_numbers(native_call *call, PyObject *result, PyObject *shape,
                                       size_t count, double *out, accord_error *error);
/* After the result was let go: what was kept is replaced; operands that were changed are
 * ACCORD_TARGET, if it `look`s or now and then. */
enum accord_status native_call_settle(native_call *call, bool look, accord_error *error);

/* ---- target.c, sum.c, grid.c: black boxes ---- */

typedef struct native_target {
    PyObject_HEAD accord_target *target;
    native_talk talk;
    native_call call;
    atomic_bool busy; /* threads may not hold one lock on the interpreter */
    bool callable;
    char *signature, *library, *version, *shape, *transpose;
    double seconds; /* of calls, when Python was entered */
    /* of sums */
    bool clean[NATIVE_OPERANDS]; /* all numbers of the operand are `fill` */
    double fill[NATIVE_OPERANDS];
    uint64_t *saved;
    size_t saved_capacity;
    /* of grids */
    PyObject *result; /* shape of the result; NULL: a sum */
    size_t inner, row, column;
    bool straight[NATIVE_OPERANDS]; /* terms of a line lie side by side, as in a grid of the library
                                     */
    void *source[3];                /* what was loaded last, as the library has it */
    bool loaded[3];
    void *own_grid[3]; /* for single probes */
    double *results;
} native_target;

extern PyType_Spec native_target_spec;
extern const accord_target_kind native_sum_kind, native_grid_kind;

/* Methods of the module. */
PyObject *native_callable(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *native_open(PyObject *module, PyObject *args, PyObject *kwargs);

/* Takes over the target. */
PyObject *native_target_new(const native_state *state, accord_target *target);
/* Takes the target for one use; false with an exception set if it is in use. */
bool native_target_take(const native_state *state, native_target *target);
/* … and says which element of many is meant; false also where that lies outside. */
bool native_target_take_at(const native_state *state, native_target *target, Py_ssize_t row,
                           Py_ssize_t column);
/* ACCORD_TARGET if the callable changed its operands in the last calls. */
enum accord_status native_target_look(native_target *target, accord_error *error);
/* Around the answers to one request of the library, which are given with the interpreter held. */
enum accord_status native_target_enter(native_target *target, accord_error *error);
void native_target_leave(native_target *target);
enum accord_status native_target_describe(accord_target *target, accord_record *record,
                                          accord_error *error);

/* Room for what a grid needs; false with an exception set. */
bool native_grid_init(native_target *target);
/* Calls it with all operands 1 (start values 0). */
enum accord_status native_sum_ones(native_target *target, PyObject **result, accord_error *error);
enum accord_status native_grid_ones(native_target *target, PyObject **result, accord_error *error);

/* ---- ask.c, features.c: questions to targets; methods of the module ---- */

enum native_outcome { NATIVE_FINE, NATIVE_NO_ANSWER, NATIVE_FAILED };
/* Ends a use of a target, of which the library said `status` and *error, gives it back, and raises
 * what went wrong. NATIVE_NO_ANSWER: that was ACCORD_UNABLE, and no more. */
enum native_outcome native_target_end(const native_state *state, native_target *target,
                                      enum accord_status status, accord_error *error);

PyObject *native_reveal(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *native_reveal_map(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *native_family(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *native_features(PyObject *module, PyObject *args, PyObject *kwargs);
/* Methods of Target. */
PyObject *native_target_sample(PyObject *self, PyObject *nothing);
PyObject *native_target_ask(PyObject *self, PyObject *args);
PyObject *native_target_write(PyObject *self, PyObject *args);

/* ---- record.c, record_make.c, replay.c, map.c ---- */

typedef struct native_record {
    PyObject_HEAD accord_record *record; /* a part of `owner`, if there is one */
    PyObject *owner;
} native_record;

extern PyType_Spec native_record_spec, native_map_spec;
/* Takes over what *record holds. */
PyObject *native_record_new(const native_state *state, accord_record *record);
/* An empty record; NULL with an exception set. */
accord_record *native_record_empty(void);
/* A Record that takes over *record, which was filled with `status`. After a failure *record is
 * freed, and what *error says is raised. */
PyObject *native_record_made(const native_state *state, accord_record *record,
                             enum accord_status status, const accord_error *error);
/* Writes *from in this form and reads that into *to, which shares nothing with it. */
enum accord_status native_record_copy(const accord_record *from, const char *form,
                                      accord_record *to, accord_error *error);
PyObject *native_map_new(const native_state *state, accord_map *map);
PyObject *native_record_read(PyObject *module, PyObject *text);
/* What the record lacks for a replay, in words; NULL if it has a tree and its arithmetic. */
const char *native_record_lacks(const accord_record *record);
/* Record.replay(x, y, start): bytes of doubles, one for each sum; NULL with an exception. */
PyObject *native_replay(const native_state *state, const accord_record *r, PyObject *args);
PyObject *native_map_read(PyObject *module, PyObject *text);
PyObject *native_synthetic(PyObject *module, PyObject *args);
PyObject *native_from_parents(PyObject *module, PyObject *args);

/* ---- text.c: text that the library writes ---- */

/* The arguments of write(form, columns, color, utf8, expand); false with an exception set. */
bool native_write_options(PyObject *args, PyObject *kwargs, const char **form,
                          accord_write_options *options);
/* An accord_sink that gathers text in an accordi_buffer, and the text as a str, which releases
 * it. */
bool native_gather(void *buffer, const char *text, size_t length);
PyObject *native_text(const native_state *state, accordi_buffer *text, enum accord_status status,
                      const accord_error *error);

/* ---- compare.c ---- */

PyObject *native_compare(PyObject *module, PyObject *args);
PyObject *native_answer(PyObject *module, PyObject *args);
PyObject *native_diff(PyObject *module, PyObject *args);
PyObject *native_common(PyObject *module, PyObject *args);
PyObject *native_witness(PyObject *module, PyObject *args);

/* ---- survey.c ---- */

extern PyType_Spec native_survey_spec;
PyObject *native_same_question(PyObject *module, PyObject *args);
PyObject *native_has_answer(PyObject *module, PyObject *args);
PyObject *native_key(PyObject *module, PyObject *args);
PyObject *native_verdict(PyObject *module, PyObject *args);
PyObject *native_load(PyObject *module, PyObject *args);
PyObject *native_survey(PyObject *module, PyObject *nothing);

/* ---- exact.c ---- */

PyObject *native_exact_sum(PyObject *module, PyObject *args);
PyObject *native_exact_dot(PyObject *module, PyObject *args);
PyObject *native_fsum(PyObject *module, PyObject *iterable);
PyObject *native_exact_new(PyObject *module, PyObject *wide);
PyObject *native_exact_feed(PyObject *module, PyObject *args);
PyObject *native_exact_feed_items(PyObject *module, PyObject *args);
PyObject *native_exact_feed_term(PyObject *module, PyObject *args);
PyObject *native_exact_feed_products(PyObject *module, PyObject *args);
PyObject *native_exact_merge(PyObject *module, PyObject *args);
PyObject *native_exact_scaled(PyObject *module, PyObject *args);
PyObject *native_exact_device(PyObject *module, PyObject *name);
PyObject *native_device_sum(PyObject *module, PyObject *args);
PyObject *native_device_dot(PyObject *module, PyObject *args);
PyObject *native_exact_finish(PyObject *module, PyObject *args);
PyObject *native_exact_finish_two(PyObject *module, PyObject *args);
PyObject *native_exact_covariance(PyObject *module, PyObject *args);
PyObject *native_exact_expansion(PyObject *module, PyObject *object);
PyObject *native_exact_decimal(PyObject *module, PyObject *object);
PyObject *native_exact_counts(PyObject *module, PyObject *object);
PyObject *native_exact_save(PyObject *module, PyObject *args);
PyObject *native_exact_load(PyObject *module, PyObject *args);
PyObject *native_exact_rows(PyObject *module, PyObject *args);
PyObject *native_exact_row_dots(PyObject *module, PyObject *args);
PyObject *native_exact_complex_dot(PyObject *module, PyObject *args);
PyObject *native_exact_cumsum(PyObject *module, PyObject *args);
PyObject *native_exact_narrow(PyObject *module, PyObject *args);
PyObject *native_exact_groups(PyObject *module, PyObject *args);

/* ---- bound.c ---- */

PyObject *native_bound(PyObject *module, PyObject *args);

/* ---- explain.c ---- */

PyObject *native_explain(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *native_tolerance(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *native_results(PyObject *module, PyObject *args);

/* ---- vary.c, methods.c ---- */

PyObject *native_vary(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *native_variability(PyObject *module, PyObject *args);
PyObject *native_vary_method(PyObject *module, PyObject *args, PyObject *kwargs);

/* ---- info.c ---- */

/* Formats, algorithms, kinds, models, version … as a dict. */
PyObject *native_info(PyObject *module, PyObject *nothing);

#endif
