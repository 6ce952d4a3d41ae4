/* Inputs: between the names and the places where they are set. Internal. */
#ifndef ACCORDI_INSTRUMENT_INPUTS_H
#define ACCORDI_INSTRUMENT_INPUTS_H

#include "bound/instrument/instrument.h"

enum { MOST_STEPS = 16 };
#define WHOLE UINT64_MAX

/* What follows a name: .member or ->member, [index], [*]. */
typedef struct input_step {
    char member[128]; /* "": none */
    bool arrow, all;
    uint64_t index;
} input_step;

/* A name as it was written. */
typedef struct wanted {
    const char *text;
    unsigned id;
    bool range; /* it gets more than one value */
    char name[256], function[256], file[1024];
    unsigned line; /* 0: none was given */
    input_step step[MOST_STEPS];
    unsigned steps;
} wanted;

typedef struct variable {
    LLVMValueRef at, function; /* function NULL: it is global */
    LLVMValueRef type;         /* in the debug information; NULL: it has none */
    LLVMValueRef declared;     /* the call that declares it; NULL: it is global */
    unsigned line;             /* of the declaration */
    bool parameter;
} variable;

typedef struct variables {
    variable *item;
    size_t count;
} variables;

/* The numbers that are wanted: at `offset` bytes from where the variable begins, or from where it
 * points to, and so on by each dimension. */
typedef struct shape {
    LLVMTypeRef number;
    uint64_t size; /* of a number, in bytes */
    bool pointer;
    uint64_t offset;
    struct {
        uint64_t count, stride; /* count WHOLE: not known */
    } dimension[MOST_STEPS];
    unsigned dimensions;
    char path[512]; /* how C writes it, with # for the indices of the dimensions: a[1][#].x */
} shape;

/* Reads the text of a name: [FUNCTION:|FILE:LINE:|LINE:]NAME and steps. */
void input_read(wanted *w);
/* All variables of this name, global ones first. */
void input_variables(instrumenter *p, const wanted *w, variables *v);
/* What the runtime calls this type of numbers; -1: it is none. */
int input_format(LLVMTypeRef type);
/* Goes from the type of the variable to that of its numbers, by the steps that are given. */
shape input_shape(instrumenter *p, const wanted *w, const variable *v);
bool input_has_whole(const shape *s); /* one of its dimensions is not known */
/* Operand i of a node of the debug information; NULL: there is none. */
LLVMValueRef node_operand(LLVMValueRef node, unsigned i);
/* A text among them; "": there is none. */
const char *node_text(LLVMValueRef node, unsigned i);
const char *value_name(LLVMValueRef value);
/* Is it a call of a function whose name begins like this? */
bool is_call_of(LLVMValueRef i, const char *name);

/* The instructions that can name the variable. */
void input_instructions(instrumenter *p, const variable *v, list *l);

/* ---- input_uses.c ---- */

/* Where the address lies in the variable, or behind the pointer that it is: where that begins, and
 * whether the address is that of the beginning. */
LLVMValueRef input_base(LLVMValueRef address, const variable *v, const shape *s, bool *start);

/* An assignment: `bytes` from `at` on are in it; WHOLE: all from the base on. */
typedef struct assignment {
    LLVMValueRef base, at;
    uint64_t bytes;
} assignment;
/* inputs.c: a call of a function of the runtime (../runtime/inputs.h), where the builder stands. */
void call_for_input(instrumenter *p, const char *name, const wanted *w, const shape *s,
                    const assignment *a, LLVMValueRef place, const char *kind);
bool input_assigned(instrumenter *p, LLVMValueRef i, const variable *v, const shape *s,
                    assignment *a);
/* Adds calls that tell whether the program assigns a number anew before it reads what was set.
 * `setting`: the assignments whose numbers are replaced. */
void watch_input(instrumenter *p, const wanted *w, const variable *v, const shape *s,
                 const list *setting);

#endif
