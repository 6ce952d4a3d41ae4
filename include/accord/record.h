/* Writers and readers of orders: a tree with the plain record that goes with it. */
#ifndef ACCORD_RECORD_H
#define ACCORD_RECORD_H

#include <accord/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The target's answers: its results, bit by bit, on inputs that are the same for every record of
 * one question, whatever its seed, each of them asked for twice. The inputs and the form of the
 * bits are specified in doc/json.md; accord_answers_input (accord/reveal.h) makes an input again.
 */
enum { ACCORD_ANSWERS_KEPT = 64 };
typedef struct accord_answers {
    int64_t generator; /* version of the inputs; 0: no answers are recorded */
    int64_t inputs;    /* how many were asked; above 0 where there are answers */
    int64_t varied;    /* of them: inputs that gave other bits when they were asked again */
    char *digest;      /* SHA-256 of the bits of all first results, 64 hexadecimal digits */
    uint64_t bits[ACCORD_ANSWERS_KEPT]; /* of the first inputs, as f64; every NaN is one */
} accord_answers;

/* Another arithmetic on the same tree: no input was found on which it gives other bits than the
 * record's own, so that the target may compute either way. */
typedef struct accord_alternative {
    accord_arithmetic *arithmetic; /* NULL: there is none */
    int64_t searched;              /* inputs on which the two were compared */
} accord_alternative;
enum { ACCORD_ALTERNATIVES_KEPT = 4 };

/* Everything needed to ask the same question again, the answer, and what it rests on. Text
 * fields are owned by the record, NULL when unknown. Filled by the rooms target (the question)
 * and reveal (verdict, evidence); read and written by the table of fields in src/record. */
typedef struct accord_record {
    accord_tree *tree;             /* NULL when no order was established */
    accord_arithmetic *arithmetic; /* at its nodes; NULL when it is not known */
    accord_alternative alternatives[ACCORD_ALTERNATIVES_KEPT]; /* of that; those there are first */

    /* the question */
    char *target;          /* notation, e.g. "blas:sdot" */
    char *library;         /* resolved path of the shared object or program */
    char *library_version; /* as the library reports it */
    char *library_build;   /* build id, configuration or core type */
    char *cpu;             /* model name */
    char *cpu_features;    /* space separated */
    char *environment;     /* settings that matter, "NAME=VALUE" separated by newlines */
    char *shape;           /* "MxNxK", "MxK" or NULL */
    char *element;         /* "i,j", "i" or NULL */
    char *transpose;       /* "NN", "TN", … or NULL */
    char *strides;         /* "incx=1 incy=1 lda=…" or NULL */
    char *signature;       /* "sum", "dot", "rows", "columns" */
    char *format;          /* format of the terms: "f32" */
    char *output;          /* format of the result */
    char *term;            /* what a term is at the interface: "value", "product", … */
    int64_t n;             /* terms */
    int64_t alignment;     /* of the first term, bytes modulo 64; -1 unknown */
    int64_t threads;       /* as the library reports or the machine has; 0 unknown */
    int64_t seed;
    double alpha, beta; /* of GEMV and GEMM; 1 and 0 elsewhere */

    /* the answer */
    char *accord;             /* version of accord that asked */
    char *algorithm;          /* "auto", "fprev", … */
    char *status;             /* accord_status_name */
    char *reason;             /* accord_reason_name */
    char *verdict;            /* one paragraph of plain words */
    char *accumulator;        /* format of all sums: "f32", "mixed"; NULL: none explains */
    int64_t accumulator_bits; /* precision found by probes at a node; 0 unknown */
    double scale;             /* result = scale * sum; 1 for a plain sum */
    /* Every inner node confirmed, none by a sample, and every replay agrees; of the arithmetic
     * that shows as much as the number of replays does (doc/orders.md). */
    bool proven;

    /* the evidence */
    int64_t discovery_calls, certificate_calls;
    double discovery_seconds, certificate_seconds, target_seconds;
    int64_t nodes_confirmed, nodes;  /* inner nodes */
    int64_t repeats, repeats_agreed; /* identical inputs asked again */
    int64_t replays, replays_agreed;
    int64_t arithmetic_calls; /* probes that found the arithmetic; among the certificate's */
    int64_t nodes_probed;     /* inner nodes whose arithmetic was probed one by one */
    int64_t nodes_tested;     /* inner nodes tested by rounds, all at once; see node_miss */
    int64_t node_rounds;      /* inputs of those rounds; any that differs refutes the arithmetic */
    double node_miss;         /* at most: the chance that they miss one odd node */
    double mask, unit;        /* as calibrated */
    /* Lists, an item a line. */
    char *inputs;          /* the kinds of inputs that were replayed: "usual", … (doc/json.md) */
    char *inputs_refuting; /* those of them of which some did not replay; NULL: none */
    char *assumes;         /* what `proven` rests on: "one fixed tree of additions, …" */
    /* Where the order depends on the size of the terms: the orders that were proven, each as the
     * size of its masks and the order in brackets, "2^126 ((0+1)+2)". */
    char *orders;
    char *warnings; /* what is wrong with the target though its result does not show it: "the target
                       reads beyond its operands …"; NULL: nothing was seen */
    char *left_out; /* what a budget, a number of replays or no_certificate kept from being done;
                       then the order is not proven; NULL: nothing */
    accord_answers answers;
} accord_record;

ACCORD_API void accord_record_init(accord_record *record);
/* Frees the tree and all text and leaves the record as after _init. */
ACCORD_API void accord_record_clear(accord_record *record);
/* Replaces a text field by a copy of `text` (NULL clears it). */
ACCORD_API enum accord_status accord_record_set(char **field, const char *text,
                                                accord_error *error);

ACCORD_API size_t accord_record_alternatives(const accord_record *record);
/* Alternative i (from 0) in words: what it does otherwise at the end ("times 0.1"), else the whole
 * arithmetic; at most `size` bytes with the final zero. Empty where there is none. */
ACCORD_API void accord_alternative_words(const accord_record *record, size_t i, char *text,
                                         size_t size);
/* Exchanges the record's arithmetic and one of its alternatives, which is named by its number from
 * 1 or in those words; 0 leaves the record as it is. ACCORD_ARG, with what there is to choose from,
 * for anything else. */
ACCORD_API enum accord_status accord_record_choose(accord_record *record, const char *which,
                                                   accord_error *error);

/* The fingerprint of order and arithmetic (accord_model_fingerprint), of the order alone where no
 * arithmetic is known. ACCORD_ARG where there is no tree; ACCORD_NOMEM. Thread-safe. */
ACCORD_API enum accord_status accord_record_fingerprint(const accord_record *record,
                                                        char out[ACCORD_FINGERPRINT_SIZE],
                                                        accord_error *error);

/* One row per writer. */
typedef struct accord_writer {
    const char *name;  /* "report", "text", "json", "dot", "svg" */
    const char *about; /* one line for --help */
    bool needs_tree;
} accord_writer;

/* The i-th writer, NULL past the end. */
ACCORD_API const accord_writer *accord_writer_at(size_t i);
ACCORD_API const accord_writer *accord_writer_by_name(const char *name);

/* All bytes zero stands for the defaults, as _init and NULL do. */
typedef struct accord_write_options {
    int columns; /* width of the terminal for `report`; 0: 80 */
    bool color;  /* `report` may use ANSI colours */
    bool ascii;  /* `report` keeps to ASCII, else it draws with characters of UTF-8 */
} accord_write_options;
ACCORD_API void accord_write_options_init(accord_write_options *options);

/* Writes the record. All writers are linear in the size of the tree and use no recursion.
 * ACCORD_UNSUPPORTED when the record lacks a tree that the writer needs; ACCORD_IO when the sink
 * refuses. options may be NULL. */
ACCORD_API enum accord_status accord_record_write(const accord_record *record,
                                                  const accord_writer *writer,
                                                  const accord_write_options *options,
                                                  accord_sink *sink, void *context,
                                                  accord_error *error);

/* The same as a string with a final zero, the caller's to free; *out is untouched on failure. */
ACCORD_API enum accord_status accord_record_string(const accord_record *record,
                                                   const accord_writer *writer,
                                                   const accord_write_options *options, char **out,
                                                   accord_error *error);

/* Reads brackets (the record then holds nothing but tree and n) or JSON, told apart by the first
 * character that is not white space ('{' is JSON). Errors are ACCORD_PARSE with line and column
 * (or byte). `record` must be initialised; it is untouched on failure. */
ACCORD_API enum accord_status accord_record_read(const char *text, size_t length,
                                                 accord_record *record, accord_error *error);

/* The same from a file ("-" for standard input): ACCORD_IO, with the path and the system's word. */
ACCORD_API enum accord_status accord_record_load(const char *path, accord_record *record,
                                                 accord_error *error);

/* Several records, as one file may hold them. */
typedef struct accord_records {
    accord_record *list;
    size_t count;
} accord_records;

/* Reads one record, or a JSON array of at least one ('[' is an array). Errors as above. `out` is
 * untouched on failure; clear frees what it holds and leaves none. */
ACCORD_API enum accord_status accord_records_read(const char *text, size_t length,
                                                  accord_records *out, accord_error *error);
ACCORD_API void accord_records_clear(accord_records *records);
/* Writes them as a JSON array. ACCORD_IO when the sink refuses. */
ACCORD_API enum accord_status accord_records_write(const accord_records *records, accord_sink *sink,
                                                   void *context, accord_error *error);

/* Brackets alone. */
ACCORD_API enum accord_status accord_tree_read_brackets(const char *text, size_t length,
                                                        accord_tree **out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
