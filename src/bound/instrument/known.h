/* What known.c does for calls of functions whose body is not in the program, and the table that
 * says so (known_table.c). Internal. */
#ifndef ACCORDI_BOUND_INSTRUMENT_KNOWN_H
#define ACCORDI_BOUND_INSTRUMENT_KNOWN_H

enum effect {
    FUNCTION,  /* an elementary function; what: accord_bound_operation */
    OPERATION, /* what: the runtime's operation, with name_f32 and name_f64 */
    LIBM,      /* what: accordi_libm_function */
    COMPLEX,   /* what: accordi_complex_function */
    SINE_COSINE,
    INTEGER,    /* to an integer */
    PART,       /* lane `what` of the argument */
    CONJUGATE,  /* the imaginary part is negated */
    INPUT,      /* the result is exact */
    READ,       /* the result was read from text */
    PRINT,      /* numbers behind the format leave */
    PRINT_TEXT, /* and can come back */
    PRINT_LIST, /* the same with a va_list; what: which argument is the format */
    WRITE,      /* (address, size, count, …) leave */
    MOVE,       /* llvm.memcpy, llvm.memmove */
    SET,        /* llvm.memset */
    START_LIST,
    ASSIGNED
};

typedef struct known {
    const char *name; /* without the f of float; a * at the end stands for anything */
    enum effect effect;
    int what;
    const char *operation;
} known;

/* The row of a function, whatever its suffix f or l; NULL if there is none. */
const known *find_known(const char *name);

#endif
