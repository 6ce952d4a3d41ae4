/* Inputs: between the names and the places where they are set. Internal. */
#ifndef ACCORDI_INSTRUMENT_INPUTS_H
#define ACCORDI_INSTRUMENT_INPUTS_H

#include "bound/instrument/instrument.h"

enum { MOST_DIMENSIONS = 8 };
#define WHOLE UINT64_MAX

/* A name as it was written. */
typedef struct wanted {
    const char *text;
    unsigned id;
    bool range; /* it gets more than one value */
    char name[256], function[256], file[1024];
    unsigned line; /* 0: none was given */
    uint64_t index[MOST_DIMENSIONS];
    unsigned indices;
} wanted;

typedef struct variable {
    LLVMValueRef at, function; /* function NULL: it is global */
    unsigned line;             /* of the declaration */
    bool parameter;
} variable;

typedef struct variables {
    variable *item;
    size_t count;
} variables;

typedef struct shape {
    LLVMTypeRef number;
    bool pointer;
    uint64_t first, count; /* the numbers that are wanted; count WHOLE: all that are assigned */
} shape;

/* Reads the text of a name: [FUNCTION:|FILE:LINE:|LINE:]NAME[INDEX]... */
void input_read(wanted *w);
/* All variables of this name, global ones first. */
void input_variables(instrumenter *p, const wanted *w, variables *v);
/* What the runtime calls this type of numbers; -1: it is none. */
int input_format(LLVMTypeRef type);
/* Goes from the type of the variable to that of its numbers, by the indices that are given. */
shape input_shape(const wanted *w, LLVMValueRef address);
const char *value_name(LLVMValueRef value);
/* Is it a call of a function whose name begins like this? */
bool is_call_of(LLVMValueRef i, const char *name);

#endif
