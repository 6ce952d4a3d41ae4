/* Whether answers are the same. These functions compare two records, compare a record with today's
 * answer, keep folders of records for the machines of one CI, and group the answers to one question
 * under many settings. The command and the Python package leave all such decisions to them. */
#ifndef ACCORD_SURVEY_H
#define ACCORD_SURVEY_H

#include <accord/family.h>
#include <accord/record.h>
#include <accord/reveal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- two records ---- */

enum accord_sameness {
    ACCORD_SAME,           /* the same order and arithmetic, and no answer contradicts it */
    ACCORD_SAME_ON_INPUTS, /* no model explains them, but the answers on all inputs are the same */
    ACCORD_DIFFERS,        /* the order, the arithmetic or the answers differ */
    ACCORD_CANNOT_TELL     /* nothing shows whether they are the same */
};

/* What a verdict rests on. */
enum accord_ground {
    ACCORD_GROUND_MODEL,       /* the order and the arithmetic, as far as both records state them */
    ACCORD_GROUND_ANSWERS,     /* the answers */
    ACCORD_GROUND_COUNT,       /* the numbers of terms differ */
    ACCORD_GROUND_ORDER,       /* the orders differ, or only one record has a fixed order */
    ACCORD_GROUND_ARITHMETIC,  /* the orders are the same, the arithmetic differs */
    ACCORD_GROUND_VARIES,      /* the answers of one or both vary from run to run */
    ACCORD_GROUND_QUESTION,    /* the answers belong to different questions */
    ACCORD_GROUND_NOT_RECORDED /* a record has no answers */
};

/* The verdict is in `sameness`; `text` gives the reason in one line without a full stop, in which
 * the records are called "A" and "B". Answers are compared if both records have them, if their
 * questions are equal, and if neither's answers vary. Then `inputs` is the number of inputs on
 * which they agree, or 0 if they differ on any. `input` is the first input on which they differ,
 * with the bits of both (as in accord_answers). It is -1 if they agree, or if they differ only on
 * inputs whose bits are not kept. Fixed layout. */
typedef struct accord_comparison {
    enum accord_sameness sameness;
    enum accord_ground ground;
    int64_t inputs, input;
    uint64_t bits_a, bits_b;
    /* The answers of A, or of B, vary from run to run, or depend on more than the operands. */
    bool varies_a, varies_b;
    char text[400];
} accord_comparison;

/* Two questions are equal if they agree in the version of the inputs, the number of terms, their
 * format and kind, the format of the result, alpha and beta, and also in shape, element,
 * transposes, strides, signature and alignment. With this flag those after "and also" may differ,
 * since the element that is asked for still has the same terms. Surveys, which vary them, use the
 * flag. If one record has more answers than the other, the inputs whose bits both keep are
 * compared. */
enum { ACCORD_COMPARE_TERMS = 1 };

/* Compares the answers of two records, and nothing else. The verdict is ACCORD_SAME_ON_INPUTS,
 * ACCORD_DIFFERS or ACCORD_CANNOT_TELL, on the ground ANSWERS, VARIES, QUESTION or NOT_RECORDED.
 * Returns out->sameness; `out` may be NULL. Thread-safe; allocates nothing. */
ACCORD_API enum accord_sameness accord_answers_compare(const accord_record *a,
                                                       const accord_record *b, unsigned flags,
                                                       accord_comparison *out);

/* Compares two records as a whole: order, arithmetic and answers. A is the reference. The rules:
 *   - If the answers of A vary from run to run, the verdict is ACCORD_CANNOT_TELL. If only those of
 *     B vary, and A has an order or answers, they differ.
 *   - If both have a proven order, they differ if the orders or the arithmetic differ. Equal models
 *     are the same, unless their answers can be compared and differ. What a record does not state
 *     about its arithmetic (as a file of brackets) does not count as a difference.
 *   - If only one has a proven order, they differ.
 *   - If a model explains only one of them, they differ if their answers differ or cannot be
 *     compared. Equal answers do not make them the same: the verdict is ACCORD_CANNOT_TELL.
 *   - Otherwise (the orders are not explained, or there are none) the answers decide. If these
 *     cannot be compared, the verdict is ACCORD_CANNOT_TELL.
 *   - The answers also decide if something was left out of a record (record->left_out), except that
 *     different orders differ if every node of both was confirmed.
 * Returns out->sameness; `out` may be NULL. Thread-safe. */
ACCORD_API enum accord_sameness accord_record_compare(const accord_record *a,
                                                      const accord_record *b, unsigned flags,
                                                      accord_comparison *out);

/* "same", "same-on-inputs", "differs", "cannot-tell". */
ACCORD_API const char *accord_sameness_name(enum accord_sameness sameness);

/* ---- orders of different counts ---- */

/* How two orders of different numbers of terms compare on the terms that both have. These are the
 * first terms, and the start value if both have one (it is the last leaf). Fixed layout. */
typedef struct accord_common {
    enum accord_sameness sameness; /* SAME, DIFFERS, or CANNOT_TELL if one is not proven */
    uint32_t common;               /* terms that both have */
    bool b_is_longer, start;       /* start: both have a start value */
    bool same_order;               /* on the common terms the longer order equals the shorter one */
    bool other_arithmetic;         /* the descriptions of the arithmetic differ */
    accord_tree *induced;          /* the longer order restricted to the common terms */
    /* Where the orders differ: the result of accord_tree_diff for A and B, with `induced` in the
     * place of the longer one. */
    bool has_node, swapped;
    accord_tree_difference node;
    /* How many of the terms that only the longer order has are added to the sum of all common terms
     * (after), to a sum of some of them (within), or to a single one (beside_terms); and at how
     * many nodes such terms are added (entries). */
    uint32_t after, within, beside_terms, entries;
    char text[100]; /* the verdict in one line, without a full stop */
} accord_common;

/* Compares what two orders do with the terms that both have; their numbers of terms may differ.
 * ACCORD_ARG if a record has no tree; ACCORD_NOMEM. `out` is untouched on failure.
 * accord_common_clear frees what it holds. Thread-safe. */
ACCORD_API enum accord_status accord_common_compare(const accord_record *a, const accord_record *b,
                                                    accord_common *out, accord_error *error);
ACCORD_API void accord_common_clear(accord_common *common);
/* Writes a sentence that says where the terms that only the longer order has are added; at most
 * `size` bytes, including the final zero. */
ACCORD_API void accord_common_describe(const accord_common *common, char *text, size_t size);

/* ---- a record and today's answer ---- */

/* Whether two records are answers to the same question to the same target. An alignment that is not
 * known counts as 0. (The answers of different targets can be compared, too, so
 * accord_answers_compare has a rule of its own.) Thread-safe. */
ACCORD_API bool accord_record_same_question(const accord_record *a, const accord_record *b);

/* Whether a record can be compared with another: it has an order, or the finding that there is
 * none. This is false if the target failed (accord_reveal leaves such a record without a reason),
 * or if the format was too narrow for any probe and no answers were recorded. */
ACCORD_API bool accord_record_has_answer(const accord_record *record);

/* Something besides the target on which an answer may depend and which has changed. Fixed layout.
 */
typedef struct accord_circumstance {
    const char *name;              /* "cpu_features", static text */
    const char *words;             /* "other CPU features", static text */
    const char *then, *now;        /* borrowed from the records; NULL if it is a number */
    int64_t count_then, count_now; /* the number before and now */
} accord_circumstance;
enum { ACCORD_CIRCUMSTANCES = 6 };

/* Writes the circumstances that differ and returns how many there are. One that a record does not
 * state does not count as different; every record that accord makes states its environment, if only
 * as "none". Thread-safe. */
ACCORD_API size_t accord_circumstances_compare(const accord_record *then, const accord_record *now,
                                               accord_circumstance out[ACCORD_CIRCUMSTANCES]);

/* Fixed layout. */
typedef struct accord_verdict {
    accord_comparison why; /* A is the recorded answer, B the current one */
    bool same;             /* they are the same, perhaps only on the inputs that were asked for */
    bool open;             /* it is not known whether they are the same */
    size_t moved;          /* the number of circumstances that are not as recorded */
    accord_circumstance circumstance[ACCORD_CIRCUMSTANCES];
} accord_verdict;

/* Compares the recorded answer with the current one. Text in *out is borrowed from both records.
 * Thread-safe. */
ACCORD_API void accord_verdict_judge(const accord_record *then, const accord_record *now,
                                     accord_verdict *out);
/* The same as accord_sameness_name, except that "differs" is called "changed", or
 * "changed-elsewhere" if a circumstance has changed, too. */
ACCORD_API const char *accord_verdict_name(const accord_verdict *verdict);

/* ---- folders of records: FOLDER/NAME/KEY.json ----
 *
 * What a target does may depend on the CPU's features and on the version of its library, and the
 * machines of one CI differ in both. A key stands for these two. There is a file for each key, and
 * a machine uses only the files of its own key, so machines with different keys never write the
 * same file. A file is an array with one record for each question (accord_record_same_question).
 * These functions do not write to the disk; the caller does. */

enum { ACCORD_KEY_SIZE = 13 };
/* Writes the key of the machines on which an answer holds: the first twelve hexadecimal digits of
 * the SHA-256 of the record's cpu_features, a newline and its library_version, in UTF-8 (either may
 * be empty). ACCORD_NOMEM. Thread-safe. */
ACCORD_API enum accord_status accord_record_key(const accord_record *record,
                                                char key[ACCORD_KEY_SIZE], accord_error *error);

/* One file. Read only. */
typedef struct accord_folder_file {
    char *name, *path;
    char key[ACCORD_KEY_SIZE];
    accord_records records;
    bool changed; /* by accord_folder_put */
} accord_folder_file;

typedef struct accord_folder accord_folder;

/* A folder without files; nothing is read yet. NULL if there is no memory. free accepts NULL. */
ACCORD_API accord_folder *accord_folder_new(const char *path);
ACCORD_API void accord_folder_free(accord_folder *folder);

/* Reads all files, sorted by name and then by key, in the order of their bytes. ACCORD_IO: the
 * folder does not exist, or a file cannot be read. ACCORD_PARSE: a file is malformed, is not at a
 * path NAME/KEY.json, or holds a record of another key, a record without a target, or two records
 * of one question. Files that were read before an error stay in the folder. */
ACCORD_API enum accord_status accord_folder_read(accord_folder *folder, accord_error *error);
/* Reads only the file of that name and key. It is no error if that file does not exist. */
ACCORD_API enum accord_status accord_folder_read_file(accord_folder *folder, const char *name,
                                                      const char *key, accord_error *error);

/* The i-th file, NULL past the end. It lives as long as the folder, but accord_folder_put may move
 * its records. */
ACCORD_API const accord_folder_file *accord_folder_file_at(const accord_folder *folder, size_t i);
/* The record of that question under NAME with this key (key NULL: with the first key that has one);
 * NULL if there is none. *file (may be NULL) becomes the file that holds it. */
ACCORD_API const accord_record *accord_folder_find(const accord_folder *folder, const char *name,
                                                   const char *key, const accord_record *question,
                                                   const accord_folder_file **file);
/* The path FOLDER/NAME/KEY.json. The caller frees it with free(). NULL if there is no memory. */
ACCORD_API char *accord_folder_path(const accord_folder *folder, const char *name, const char *key);
/* Moves *record into the folder, where it replaces a record of the same question; *record is then
 * as after accord_record_new. ACCORD_NOMEM: nothing has changed. */
ACCORD_API enum accord_status accord_folder_put(accord_folder *folder, const char *name,
                                                const char *key, accord_record *record,
                                                accord_error *error);

/* ---- one question under several settings ---- */

/* A group of answers that are the same, or that cannot be compared for the same reason: each varies
 * from run to run, or each is unknown. Read only. */
typedef struct accord_group {
    char letter[16]; /* "A" … "Z", "AA" … */
    size_t terms, members;
    const accord_record *record; /* of the first member, borrowed; NULL: the target failed */
    accord_error error;          /* of the first member; with status ACCORD_OK there is an order */
    int64_t inputs; /* without a model: the inputs on which all members are the same; else 0 */
    bool open;      /* it is not known whether the members are the same */
    /* Of order and arithmetic, or of the order alone if no arithmetic is known; "" without order.
     */
    char fingerprint[ACCORD_FINGERPRINT_SIZE];
} accord_group;

typedef struct accord_survey accord_survey;

/* A survey without answers. NULL if there is no memory. free accepts NULL. */
ACCORD_API accord_survey *accord_survey_new(void);
ACCORD_API void accord_survey_free(accord_survey *survey);

/* Adds the answer under one setting to its group, or to a new group. Only answers with the same
 * number of terms are compared, by accord_record_compare with ACCORD_COMPARE_TERMS.
 *   record: the answer, NULL if the target failed. The record of the first member of a group is
 *     borrowed until the survey is freed; other records are not used after the call.
 *   why: the error of accord_reveal if its status was not ACCORD_OK; else NULL.
 *   *group: becomes the number of the group; accord_survey_group(survey, *group)->members is 1 if
 *     the group is new.
 * ACCORD_ARG: both record and why are NULL; ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_survey_add(accord_survey *survey, size_t terms,
                                                const accord_record *record,
                                                const accord_error *why, size_t *group,
                                                accord_error *error);
/* The i-th group, NULL past the end. Valid until the survey is freed. */
ACCORD_API const accord_group *accord_survey_group(const accord_survey *survey, size_t i);

/* The verdict about all settings with the same number of terms. Fixed layout. */
typedef struct accord_survey_verdict {
    /* ACCORD_DIFFERS if any two answers differ; a target that fails under one setting and answers
     * under another differs. Otherwise ACCORD_CANNOT_TELL if any two answers cannot be compared, or
     * if one varies from run to run or is missing because the target failed. */
    enum accord_sameness sameness;
    /* ACCORD_OK, or the status of the first failure where every setting failed. */
    enum accord_status failure;
    /* The least number of inputs on which answers without a model are the same; 0: all have one. */
    int64_t inputs;
    char text[sizeof((accord_error *)0)->text]; /* what the verdict rests on, without a full stop */
} accord_survey_verdict;

/* Judges all answers that were added. */
ACCORD_API void accord_survey_judge(const accord_survey *survey, accord_survey_verdict *out);

/* ---- how the order depends on the number of terms ---- */

/* Says the order of n terms: *tree becomes the caller's, or NULL with ACCORD_UNABLE and the reason
 * in *error. `expected` is what other n let expect (accord_family_expect), or NULL: it may save
 * time to try that first. Any other status ends accord_family_learn with this status, but for
 * ACCORD_REASON_BUDGET, with which it ends with what is known. */
typedef enum accord_status accord_family_ask(void *context, uint32_t n, const accord_tree *expected,
                                             accord_tree **tree, accord_error *error);

typedef struct accord_family_options {
    size_t size;               /* see accord/base.h */
    uint64_t seed;             /* of the n that are asked */
    uint32_t checks;           /* predictions to check at the end; 0: 200 */
    double budget_seconds;     /* ask nothing more after so many seconds; 0: no limit */
    uint64_t budget_calls;     /* of accord_family_target: sums to ask for at most; 0: no limit */
    accord_progress *progress; /* a step is an order that is asked */
    void *progress_context;
} accord_family_options;
static inline void accord_family_options_init(accord_family_options *options)
{
    ACCORD_INIT(options);
}

/* How a family was made. Fixed layout. */
typedef struct accord_family_account {
    uint64_t asked, predicted, unknown; /* n of the family */
    uint64_t checks;  /* predictions that were checked since the rules last changed */
    uint64_t refuted; /* predictions that were wrong before, and changed the rules */
    bool complete;    /* the checks were all passed, and nothing is open */
    uint64_t proven;  /* of the orders that were asked; whoever asks fills in this … */
    uint64_t calls;   /* … and this: sums that the target was asked for */
    double seconds;
} accord_family_account;

/* Learns how the order depends on the number of terms, for the n from `from` to `to`: asks for the
 * order at every n of a short range; of a long one at every n up to 128, and between powers of two
 * at one n of each residue modulo 128. Finds rules, and asks on where they change until it is known
 * to the n; then checks predictions at n that were drawn at random, half of them near changes, and
 * goes on where one is wrong. An order at one n alone, which no rule of others lets expect, is
 * found only if that n is asked. If the first n have no order, the status and the reason are
 * those of the first one; ACCORD_ARG: not 1 <= from <= to; ACCORD_NOMEM; what `ask` returns.
 * If options->progress returns false, or `ask` was stopped as accord_reveal is ("interrupted"), it
 * ends with what is known, like at the end of a budget; ACCORD_TARGET if nothing is. */
ACCORD_API enum accord_status
accord_family_learn(uint32_t from, uint32_t to, const accord_family_options *options,
                    accord_family_ask *ask, void *context, accord_family **out,
                    accord_family_account *account, accord_error *error);

/* A target that is opened once and then asked for the orders of many numbers of terms. Orders are
 * discovered as by accord_reveal; the first one, every 32nd of the first 256, and then every 128th
 * are also proven, where that is possible, and the others are not. */
typedef struct accord_family_target accord_family_target;
/* options->n is not used. In options->shape, n stands for the number of terms (without the start
 * value), as in "7x9xn"; NULL: that of 16 terms with n in the place of the last number, "16x16xn"
 * for a GEMM. Texts in the options are borrowed until the end. Of `limits` the budgets
 * count, for all orders together, and `progress`, which is called within each order. */
ACCORD_API enum accord_status accord_family_target_new(const char *notation,
                                                       const accord_target_options *options,
                                                       const accord_family_options *limits,
                                                       accord_family_target **out,
                                                       accord_error *error);
ACCORD_API void accord_family_target_free(accord_family_target *target); /* NULL is fine */
/* The accord_family_ask of it; context is the accord_family_target. */
ACCORD_API enum accord_status accord_family_target_ask(void *context, uint32_t n,
                                                       const accord_tree *expected,
                                                       accord_tree **tree, accord_error *error);
/* What is known of the question, from the last order that was asked: a record without a tree that
 * lives as long as the target. */
ACCORD_API const accord_record *accord_family_target_about(const accord_family_target *target);
/* How many of the orders were proven. */
ACCORD_API uint64_t accord_family_target_proven(const accord_family_target *target);
ACCORD_API uint64_t accord_family_target_calls(const accord_family_target *target);

/* Writes a family as JSON (doc/json.md), with what `about` says of the question (NULL: nothing) and
 * `account` of how it was made. *text is to be freed with free. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_family_write(const accord_family *family,
                                                  const accord_record *about,
                                                  const accord_family_account *account, char **text,
                                                  accord_error *error);
/* Reads the rules of such a text; in the result nothing counts as asked. *about (may be NULL) gets
 * what the text says of the question, to be freed with accord_record_free. ACCORD_PARSE,
 * ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_family_read(const char *text, size_t length,
                                                 accord_family **out, accord_record **about,
                                                 accord_error *error);

/* Whether what is asked is as a family says. Fixed layout. */
typedef struct accord_family_holding {
    bool holds;
    uint64_t asked;   /* n at which it was asked */
    uint32_t n;       /* the first one at which it differs; 0: none */
    char *then, *now; /* canonical notations there, or NULL where there is no order; to be freed
                         with accord_notation_free */
} accord_family_holding;

/* Asks at both ends of each rule and beside them, at one n of each residue modulo 128, and at n
 * drawn from each rule: options->checks in all, or as many as there are; in ascending order, until
 * one differs. Statuses as for accord_family_learn; with ACCORD_UNABLE the budget was spent before
 * the end, and with ACCORD_TARGET and "interrupted: ..." it was stopped. */
ACCORD_API enum accord_status accord_family_check(const accord_family *family,
                                                  const accord_family_options *options,
                                                  accord_family_ask *ask, void *context,
                                                  accord_family_holding *out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
