/* Records: an order with its question, its arithmetic and the evidence for it. How to write and
 * read them. */
#ifndef ACCORD_RECORD_H
#define ACCORD_RECORD_H

#include <accord/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The target's answers: the bits of its results on a fixed list of inputs, each of which it was
 * asked for twice. Every record of one question has the same inputs, whatever its seed. doc/json.md
 * specifies the inputs and the form of the bits; accord_answers_input (accord/reveal.h) makes an
 * input again. Fixed layout, as is that of accord_alternative. */
enum { ACCORD_ANSWERS_KEPT = 64 };
typedef struct accord_answers {
    int64_t generator; /* version of the inputs; 0: no answers are recorded */
    int64_t inputs;    /* how many inputs were asked for; above 0 if there are answers */
    int64_t varied;    /* how many of these gave other bits the second time */
    char *digest;      /* SHA-256 of the bits of all first results, 64 hexadecimal digits */
    /* The first results on the first inputs, as bits of f64; every NaN has the same bits. */
    uint64_t bits[ACCORD_ANSWERS_KEPT];
} accord_answers;

/* Another arithmetic on the same tree. No input was found on which it gives other bits than the
 * record's own arithmetic, so the target may compute in either way. */
typedef struct accord_alternative {
    accord_arithmetic *arithmetic; /* NULL: there is none */
    int64_t searched;              /* inputs on which the two were compared */
} accord_alternative;
enum { ACCORD_ALTERNATIVES_KEPT = 4 };

/* Everything that is needed to ask the same question again, the answer, and the evidence for it.
 * Text fields are owned by the record and NULL when unknown. accord_target_describe fills in the
 * question, accord_reveal everything. */
typedef struct accord_record {
    accord_tree *tree;             /* NULL when no order was established */
    accord_arithmetic *arithmetic; /* at its nodes; NULL when it is not known */
    accord_alternative alternatives[ACCORD_ALTERNATIVES_KEPT]; /* unused entries come last */

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
    int64_t alignment;     /* of the first term, bytes modulo 64; -1: unknown */
    int64_t threads;       /* as the library reports, else what the machine has; 0: unknown */
    int64_t seed;
    double alpha, beta; /* of GEMV and GEMM; 1 and 0 elsewhere */

    /* the answer */
    char *accord;             /* version of accord that asked */
    char *algorithm;          /* "auto", "fprev", … */
    char *status;             /* accord_status_name */
    char *reason;             /* accord_reason_name */
    char *verdict;            /* one paragraph in plain words */
    char *accumulator;        /* format of all sums: "f32", …, or "mixed"; NULL: not explained */
    int64_t accumulator_bits; /* precision found by probes at a node; 0: unknown */
    double scale;             /* result = scale * sum; 1 for a plain sum, or a root */
    /* True if every inner node was confirmed, none by a sample only, and every replay agrees. How
     * much the replays show about the arithmetic depends on their number (doc/orders.md). */
    bool proven;

    /* the evidence */
    int64_t discovery_calls, certificate_calls;
    double discovery_seconds, certificate_seconds, target_seconds;
    int64_t nodes_confirmed, nodes;  /* inner nodes, and those that the proof has confirmed */
    int64_t repeats, repeats_agreed; /* identical inputs asked again */
    int64_t replays, replays_agreed;
    int64_t arithmetic_calls; /* probes that found the arithmetic, a part of certificate_calls */
    int64_t nodes_probed;     /* inner nodes whose arithmetic was probed one by one */
    int64_t nodes_tested;     /* inner nodes that rounds tested all at once; see node_miss */
    int64_t node_rounds;      /* inputs of those rounds; one that differs refutes the arithmetic */
    double node_miss;         /* upper bound on the chance that they miss a node that differs */
    double mask, unit;        /* the values that calibration chose */
    /* Lists with one item in each line. */
    char *inputs;          /* the kinds of inputs that were replayed: "usual", … (doc/json.md) */
    char *inputs_refuting; /* the kinds with inputs whose replay gave other bits; NULL: none */
    char *assumes;         /* what `proven` rests on: "one fixed tree of additions, …" */
    /* If the order depends on the size of the terms: the orders that were proven, each with the
     * size of the masks that showed it, as in "2^126 ((0+1)+2)". */
    char *orders;
    /* Faults of the target that do not show in its result, such as "the target reads beyond its
     * operands …". NULL: none was seen. */
    char *warnings;
    /* Other circumstances under which sums had the same bits, such as "in the first calls
     * of a new run (5 sums)"; NULL: none was tried. */
    char *circumstances;
    /* What was not done because of a budget, a number of replays or no_certificate; the order is
     * not proven then. NULL: nothing. */
    char *left_out;
    accord_answers answers;
    /* How the order was proven: "nodes", one by one, or "probability", all at once; NULL: it was
     * not. */
    char *proof;
    int64_t proof_calls; /* of a proof by probability */
    double proof_error;  /* of such a proof: another order passes it with this probability at most,
                            under what `assumes` says */
    /* Of certificate_seconds: what random inputs took, those that are kept as answers included. */
    double replay_seconds;
} accord_record;

/* An empty record; NULL if there is no memory. _free frees it with all that it holds; NULL is fine.
 * Only the library makes records, so that members may be added at the end. */
ACCORD_API accord_record *accord_record_new(void);
ACCORD_API void accord_record_free(accord_record *record);
/* Frees what the record holds and leaves it as after _new. */
ACCORD_API void accord_record_clear(accord_record *record);
/* Replaces a text field by a copy of `text` (NULL clears it). */
ACCORD_API enum accord_status accord_record_set(char **field, const char *text,
                                                accord_error *error);

/* The text and the numbers of a record, for code that treats them all alike: a row for each, in the
 * order of the JSON form. The kind says what type the member of the record has. */
enum accord_field_kind {
    ACCORD_FIELD_TEXT,        /* char *; left out of files when NULL */
    ACCORD_FIELD_LIST,        /* char *, an item in each line; an array in files */
    ACCORD_FIELD_ENVIRONMENT, /* char *, "NAME=VALUE" in each line; an object in files */
    ACCORD_FIELD_INTEGER,     /* int64_t */
    ACCORD_FIELD_REAL,        /* double; left out of files when not finite */
    ACCORD_FIELD_BOOL
};
typedef struct accord_field {
    const char *section; /* "question", "answer", "evidence" */
    const char *name;
    enum accord_field_kind kind;
    size_t offset; /* of the member in accord_record */
} accord_field;
/* The i-th row, NULL past the end. */
ACCORD_API const accord_field *accord_field_at(size_t i);
/* The address of that member of the record. */
ACCORD_API const void *accord_record_field(const accord_record *record, const accord_field *field);

/* The number of alternatives that the record holds. */
ACCORD_API size_t accord_record_alternatives(const accord_record *record);
/* Writes alternative i (from 0) in words: the different last step ("times 0.1") if that is all,
 * else the whole arithmetic. At most `size` bytes are written, including the final zero. The text
 * is empty if there is no such alternative. */
ACCORD_API void accord_alternative_words(const accord_record *record, size_t i, char *text,
                                         size_t size);
/* Exchanges the record's arithmetic and one of its alternatives. `which` is the number of the
 * alternative, counted from 1, or its words; "0" leaves the record as it is. ACCORD_ARG for
 * anything else; the error lists the choices. */
ACCORD_API enum accord_status accord_record_choose(accord_record *record, const char *which,
                                                   accord_error *error);

/* The fingerprint of order and arithmetic (accord_model_fingerprint), or of the order alone if no
 * arithmetic is known. ACCORD_ARG if the record has no tree; ACCORD_NOMEM. Thread-safe. */
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

typedef struct accord_write_options {
    size_t size; /* see accord/base.h */
    int columns; /* width of the terminal for `report`; 0: 80 */
    bool color;  /* `report` may use ANSI colors */
    bool ascii;  /* `report` uses ASCII alone; otherwise it draws with UTF-8 characters */
    int expand;  /* 1: `svg` draws every term of a large order, and what repeats in full; or 0 */
} accord_write_options;
static inline void accord_write_options_init(accord_write_options *options)
{
    ACCORD_INIT(options);
}

/* Writes the record. All writers are linear in the size of the tree and use no recursion.
 * ACCORD_UNSUPPORTED when the record lacks a tree that the writer needs; ACCORD_IO when the sink
 * refuses. options may be NULL. */
ACCORD_API enum accord_status accord_record_write(const accord_record *record,
                                                  const accord_writer *writer,
                                                  const accord_write_options *options,
                                                  accord_sink *sink, void *context,
                                                  accord_error *error);

/* The same, as a string with a final zero. The caller frees it with free(). *out is untouched on
 * failure. */
ACCORD_API enum accord_status accord_record_string(const accord_record *record,
                                                   const accord_writer *writer,
                                                   const accord_write_options *options, char **out,
                                                   accord_error *error);

/* Reads brackets (the record then holds nothing but tree and n) or JSON. Text is JSON if '{' is its
 * first character that is not white space. ACCORD_PARSE: the error names line and column, or the
 * byte. `record` is untouched on failure. */
ACCORD_API enum accord_status accord_record_read(const char *text, size_t length,
                                                 accord_record *record, accord_error *error);

/* The same from a file ("-" for standard input). ACCORD_IO: the error gives the path and the
 * message of the operating system. */
ACCORD_API enum accord_status accord_record_load(const char *path, accord_record *record,
                                                 accord_error *error);

/* Several records, as one file may hold them. Fixed layout. */
typedef struct accord_records {
    accord_record **list;
    size_t count;
} accord_records;

/* Reads one record, or a JSON array of at least one (text that begins with '['). Errors as above.
 * `out` is untouched on failure. accord_records_clear frees the records and leaves an empty list.
 */
ACCORD_API enum accord_status accord_records_read(const char *text, size_t length,
                                                  accord_records *out, accord_error *error);
ACCORD_API void accord_records_clear(accord_records *records);
/* Writes them as a JSON array. ACCORD_IO when the sink refuses. */
ACCORD_API enum accord_status accord_records_write(const accord_records *records, accord_sink *sink,
                                                   void *context, accord_error *error);

/* Reads a tree in brackets. Errors as above; ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_tree_read_brackets(const char *text, size_t length,
                                                        accord_tree **out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
