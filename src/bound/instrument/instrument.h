/* accord-instrument: adds shadow calls to a program in LLVM bitcode. What its files share.
 *
 * In: the bitcode of a whole program, compiled at -O0 with contraction off, and that of the
 * runtime. Out: a program that does the same and, beside each floating-point number, computes its
 * shadow
 * (../runtime/shadow.h). Read main.c first, then function.c, which walks over the instructions of a
 * function; each kind of instruction has a file. */
#ifndef ACCORDI_INSTRUMENT_H
#define ACCORDI_INSTRUMENT_H

#include <accord/bound.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

/* A table from addresses to addresses. */
typedef struct table {
    void **key, **value;
    size_t count, capacity;
} table;
void *table_get(const table *t, const void *key);
void table_put(table *t, const void *key, void *value);
void table_clear(table *t);

typedef struct list {
    LLVMValueRef *item;
    size_t count, capacity;
} list;
void list_add(list *l, LLVMValueRef item);
/* The instructions of a function, and the functions of a module that have a body. */
void list_instructions(list *l, LLVMValueRef function);
void list_functions(list *l, LLVMModuleRef module);

typedef struct source_site {
    char *kind, *file;
    unsigned line, column;
} source_site;

/* A number of the program that gets another value, or several: "a[3]", "main:b", "ray.c:5:b". */
typedef struct program_input {
    const char *name;
    bool range;
} program_input;

typedef struct instrumenter {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef build;
    LLVMTargetDataRef layout;
    LLVMTypeRef shadow, list, mark;
    unsigned model;
    const char **pin; /* lines that are computed as written, "FILE:LINE" */
    size_t pins;
    const program_input *input;
    size_t inputs;
    bool longs;   /* has long double on x86 shadows? Not where sums may be reordered. */
    bool tape;    /* are marks added too? */
    bool both;    /* may decisions take a turn? */
    bool margins; /* do comparisons say how near to a tie they come? */
    source_site *sites;
    size_t site_count, site_capacity;
    table defined; /* functions that are instrumented */
    bool puns;     /* somewhere numbers are given away as integers or bytes */
    bool mixed;    /* memory holds floats and doubles */
    /* of the function at hand */
    LLVMValueRef function, start; /* code for the whole function is put before `start` */
    table shadows, incoming, marks;
    table outer;          /* instructions inside of groups; the next one outward */
    table copied;         /* from arguments that are structs in memory to what is loaded there */
    LLVMValueRef no_mark; /* of constants */
    table merged;         /* from sums to the product that shares their node */
    bool gives_floats;
    LLVMValueRef variadic; /* its accordi_list */
} instrumenter;

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same where the user asked for what is not there: status 2. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- strip.c ---- */
/* Takes off fast-math flags, parentheses and what keeps the optimiser away. Where `marks` says so,
 * calls of accordi_assigned and accordi_parentheses remain, until marks are removed. */
enum { MARK_ASSIGNMENTS = 1, MARK_PARENTHESES = 2 };
void strip_module(LLVMModuleRef module, unsigned marks);
void remove_marks(LLVMModuleRef module);

/* ---- sites.c ---- */
LLVMValueRef site_of(instrumenter *p, LLVMValueRef instruction, const char *kind);
/* The path of the file of a place, to be freed. */
char *file_of(LLVMMetadataRef location);
void write_sites(instrumenter *p);
/* Is it in a line that is pinned? Its operations are computed as written: their operands enter
 * rounded, and so do their results wherever they are used. */
bool is_pinned(const instrumenter *p, LLVMValueRef instruction);
LLVMValueRef text_of(instrumenter *p, const char *text);

/* ---- shadows.c: where the shadow of a value is ---- */

/* A number inside a type. */
typedef struct lane {
    bool narrow, longer;
    uint64_t offset;
} lane;
enum { MOST_LANES = 64 };
/* The numbers in a type, in order, 0 if there are none; and whether it has numbers without shadows
 * (long double where it has none, half). */
unsigned lanes_of(instrumenter *p, LLVMTypeRef type, lane lanes[MOST_LANES]);
bool has_foreign_floats(const instrumenter *p, LLVMTypeRef type);
bool is_float(LLVMTypeRef type); /* float or double */
/* long double on x86, with shadows; and any of the three. */
bool is_long(const instrumenter *p, LLVMTypeRef type);
bool is_number(const instrumenter *p, LLVMTypeRef type);
bool is_narrow(LLVMValueRef value);
/* The address of the shadow of lane i of a value. */
LLVMValueRef shadow_lane(instrumenter *p, LLVMValueRef value, unsigned i);
static inline LLVMValueRef shadow_at(instrumenter *p, LLVMValueRef value)
{
    return shadow_lane(p, value, 0);
}
LLVMValueRef new_shadow(instrumenter *p, LLVMTypeRef type, unsigned count);
/* Calls a function of the runtime; addresses are converted to what it takes. */
LLVMValueRef emit(instrumenter *p, const char *name, unsigned n, LLVMValueRef *argument);
#define EMIT(p, name, ...)                                                                         \
    emit(p, name, sizeof(LLVMValueRef[]){__VA_ARGS__} / sizeof(LLVMValueRef),                      \
         (LLVMValueRef[]){__VA_ARGS__})
/* name_f32 or name_f64; and for long double name_long */
const char *suffixed(const char *name, bool narrow);
const char *of_lane(const char *name, lane l);
/* An accordi_slow_operation on up to three numbers in long double; NULL: there are not as many. */
void operate_long(instrumenter *p, LLVMValueRef out, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c,
                  unsigned operation, LLVMValueRef site);
LLVMValueRef number(instrumenter *p, unsigned x);
LLVMValueRef truth(instrumenter *p, bool x);
LLVMValueRef as_double(instrumenter *p, LLVMValueRef x);
/* Number i of a value, as a value. */
LLVMValueRef number_in(instrumenter *p, LLVMValueRef value, unsigned i);
/* All lanes of a value are lost. */
void lose_value(instrumenter *p, LLVMValueRef value, LLVMValueRef site, const char *what);
void place_after(instrumenter *p, LLVMValueRef instruction);

/* ---- groups.c: sums and products that the model may parenthesize anew ---- */
/* Notes the groups of a function before anything is added to it, for what is added uses the values
 * of the program, too. */
void find_groups(instrumenter *p, const list *l);
/* Is it part of a larger group, which needs no shadow of its own; or the whole of one? */
bool is_inside_group(const instrumenter *p, LLVMValueRef instruction);
bool is_group(const instrumenter *p, LLVMValueRef instruction);
void do_group(instrumenter *p, LLVMValueRef instruction);

/* ---- one file a kind of instruction ---- */
/* A constant 2^k or -2^k, -64 <= k <= 64; 0: it is none. */
double power_of_two(LLVMValueRef value);
void do_arithmetic(instrumenter *p, LLVMValueRef instruction);
/* If the operation is pinned, its result is rounded wherever it is used. */
void pin_result(instrumenter *p, LLVMValueRef operation);
void do_conversion(instrumenter *p, LLVMValueRef instruction);
void do_comparison(instrumenter *p, LLVMValueRef instruction);
void do_load(instrumenter *p, LLVMValueRef instruction);
void do_store(instrumenter *p, LLVMValueRef instruction);
void do_bits(instrumenter *p, LLVMValueRef instruction);
void do_merge(instrumenter *p, LLVMValueRef instruction);
void do_aggregate(instrumenter *p, LLVMValueRef instruction);
void do_call(instrumenter *p, LLVMValueRef instruction);
void do_return(instrumenter *p, LLVMValueRef instruction);
void do_arguments(instrumenter *p);
/* The argument with number *i of all numbers in the arguments, and which lane of it that is: a
 * complex number is two arguments, or a vector of two. NULL: there are not as many. */
LLVMValueRef argument_lane(instrumenter *p, LLVMValueRef call, unsigned *i);
/* The attribute of an argument of a call or function that is a struct passed by value, in memory;
 * NULL: it is none. And the bytes of that struct. */
LLVMAttributeRef by_value(LLVMValueRef call, unsigned argument);
LLVMValueRef size_copied(instrumenter *p, LLVMAttributeRef copied);
/* Calls of functions whose body is not in the program. */
void do_known_call(instrumenter *p, LLVMValueRef call, const char *name);

/* ---- foreign.c ---- */
/* Is it the name? A * at the end of the pattern stands for anything. */
bool matches_pattern(const char *pattern, const char *name);
bool is_harmless(const char *name);
void do_foreign(instrumenter *p, LLVMValueRef call, const char *name);
void do_assembly(instrumenter *p, LLVMValueRef call);

/* ---- tape.c: marks, beside the shadows; nothing without a tape ---- */

/* The address of the mark of lane i of a value. */
LLVMValueRef mark_lane(instrumenter *p, LLVMValueRef value, unsigned i);
static inline LLVMValueRef mark_at(instrumenter *p, LLVMValueRef value)
{
    return mark_lane(p, value, 0);
}
LLVMValueRef new_mark(instrumenter *p, unsigned count);
void tape_arithmetic(instrumenter *p, LLVMValueRef instruction);
/* A function by the table of known.c: elementary, or one of the runtime's operations. */
void tape_function(instrumenter *p, LLVMValueRef call, const char *name, unsigned function);
void tape_operation(instrumenter *p, LLVMValueRef call, const char *operation);
/* An accordi_complex_function of the runtime, of an accordi_width. */
void tape_complex(instrumenter *p, LLVMValueRef call, unsigned function, unsigned results,
                  unsigned width);
/* Shadows and marks go from one lane to another. */
void copy_lane(instrumenter *p, LLVMValueRef to, unsigned i, LLVMValueRef from, unsigned k);

void find_puns(instrumenter *p);
void instrument_function(instrumenter *p, LLVMValueRef function);
void rename_libc(instrumenter *p);

/* ---- extremes.c ---- */

/* Before variables become values: of two equal operands of fmax and fmin, the first is to be the
 * result. */
void order_extremes(LLVMModuleRef module);
/* When shadows have been added: it is. */
void lower_extremes(instrumenter *p);

/* ---- inputs.c ---- */

/* Before variables become values: calls of accordi_set_input. */
void set_inputs(instrumenter *p);

/* ---- unset.c ---- */

/* Before variables become values: those that a path may use before it sets them are unknown. */
void set_unset(instrumenter *p);
/* After that: where no path does, nothing is left. */
void drop_settled(instrumenter *p);

/* ---- unset_memory.c ---- */

/* After variables have become values: the memory of the others counts as not set. */
void mark_unset_memory(instrumenter *p);
/* The variable whose declaration a call of llvm.dbg.declare stands for; NULL: it is no such call.
 */
LLVMValueRef declared_by(LLVMValueRef call);
/* Is it stored in this block before its declaration? That is so for parameters. */
bool is_stored_before(LLVMValueRef declaration, LLVMValueRef memory);
/* May numbers stand in the memory that this call of malloc gives? */
bool needs_marks(LLVMValueRef call);
void wrap_addresses(instrumenter *p);

#endif
