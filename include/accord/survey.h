/* The same answer? Two records beside each other; a record beside today's answer; folders of
 * records for the machines of one CI; one question under many settings, and which of the answers
 * agree. The command and the Python package decide nothing of this themselves. */
#ifndef ACCORD_SURVEY_H
#define ACCORD_SURVEY_H

#include <accord/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- two records ---- */

enum accord_sameness {
    ACCORD_SAME,           /* the same order and arithmetic, and no answer contradicts it */
    ACCORD_SAME_ON_INPUTS, /* not explained by any model, but the same answers on all inputs */
    ACCORD_DIFFERS,        /* another order, other arithmetic, or other answers */
    ACCORD_CANNOT_TELL     /* nothing shows whether they are the same */
};

/* What a verdict rests on. */
enum accord_ground {
    ACCORD_GROUND_MODEL,       /* the order and the arithmetic, as far as both tell */
    ACCORD_GROUND_ANSWERS,     /* the answers */
    ACCORD_GROUND_COUNT,       /* other numbers of terms */
    ACCORD_GROUND_ORDER,       /* other orders, or only one is a fixed order */
    ACCORD_GROUND_ARITHMETIC,  /* the same order, other arithmetic */
    ACCORD_GROUND_VARIES,      /* the answers of one or both differ from run to run */
    ACCORD_GROUND_QUESTION,    /* the answers are to other questions */
    ACCORD_GROUND_NOT_RECORDED /* a record has no answers */
};

/* The verdict in `sameness`, and `text`: the reason in one line without a full stop, about "A" and
 * "B". Answers count as compared where both records have them, to equal questions, and neither's
 * varied: then `inputs` says on how many of them they agree, or is 0 where they differ, and `input`
 * is the first one on which they differ, with the bits of both (as in accord_answers); -1 where
 * none does, or none of those whose bits are kept. */
typedef struct accord_comparison {
    enum accord_sameness sameness;
    enum accord_ground ground;
    int64_t inputs, input;
    uint64_t bits_a, bits_b;
    /* Its answers differ from run to run, or depend on more than its own operands. */
    bool varies_a, varies_b;
    char text[400];
} accord_comparison;

/* Questions are equal when the version of the inputs, the number of terms, their format and
 * kind, the format of the result, alpha and beta are, and so are shape, element, transposes,
 * strides, signature and alignment. With this flag the latter may differ: what counts is that the
 * element asked for has the same terms. For surveys, which vary just that. Where one record has
 * more answers than the other, those compare whose bits both keep. */
enum { ACCORD_COMPARE_TERMS = 1 };

/* The answers of two records alone. ACCORD_SAME_ON_INPUTS, ACCORD_DIFFERS or ACCORD_CANNOT_TELL,
 * which is also returned; ground ANSWERS, VARIES, QUESTION or NOT_RECORDED. `out` may be NULL.
 * Thread-safe; allocates nothing. */
ACCORD_API enum accord_sameness accord_answers_compare(const accord_record *a,
                                                       const accord_record *b, unsigned flags,
                                                       accord_comparison *out);

/* The verdict of two records as a whole: order, arithmetic and answers. A is what B is held
 * against. The answers of A vary from run to run: nothing can be held against it. Those of B alone
 * do: they differ, if A has an order or answers. Both have a proven order: another order or other
 * arithmetic differs. Equal models are the same unless their answers can be compared and differ;
 * what a record does not tell of its arithmetic (a file of brackets) cannot differ. Only one has
 * one: they differ. Otherwise (an order without an explanation, or no order at all) the answers
 * decide; where they cannot be compared nothing does. So it is where a record has left something
 * out (record->left_out), but orders differ if every node of both was confirmed. Returns
 * out->sameness; `out` may be NULL. Thread-safe. */
ACCORD_API enum accord_sameness accord_record_compare(const accord_record *a,
                                                      const accord_record *b, unsigned flags,
                                                      accord_comparison *out);

/* "same", "same-on-inputs", "differs", "cannot-tell". */
ACCORD_API const char *accord_sameness_name(enum accord_sameness sameness);

/* ---- orders of different counts ---- */

/* Two orders of different counts, by the terms that both have: the first ones, and the start value
 * where both have one (it is the last leaf). */
typedef struct accord_common {
    enum accord_sameness sameness; /* SAME, DIFFERS, or CANNOT_TELL where one is not proven */
    uint32_t common;               /* terms that both have */
    bool b_is_longer, start;
    bool same_order;       /* the longer order is the shorter one on the common terms */
    bool other_arithmetic; /* as far as words tell */
    accord_tree *induced;  /* the longer order on those terms alone */
    /* Where orders differ, as accord_tree_diff of A and B, the longer of which is `induced`. */
    bool has_node, swapped;
    accord_tree_difference node;
    /* Of the terms that only the longer order has: how many enter where all common terms have been
     * added, at sums of some of them, beside a single one; and at how many nodes. */
    uint32_t after, within, beside_terms, entries;
    char text[100]; /* the verdict in one line, without a full stop */
} accord_common;

/* Compares what two orders, of different counts or not, do with the terms that both have.
 * ACCORD_ARG where a record has no tree; ACCORD_NOMEM. `out` is untouched on failure; clear frees
 * what it holds. Thread-safe. */
ACCORD_API enum accord_status accord_common_compare(const accord_record *a, const accord_record *b,
                                                    accord_common *out, accord_error *error);
ACCORD_API void accord_common_clear(accord_common *common);
/* Where the terms that only the longer order has enter, in a sentence. */
ACCORD_API void accord_common_describe(const accord_common *common, char *text, size_t size);

/* ---- a record beside today's answer ---- */

/* Of two records that were asked for: is it the same question to the same target? (Answers compare
 * across targets; accord_answers_compare has a rule of its own.) An alignment that is not known
 * counts as 0. Thread-safe. */
ACCORD_API bool accord_record_same_question(const accord_record *a, const accord_record *b);

/* Is there something to hold against another record: an order, or the finding that there is none?
 * Not so where the target failed (accord_reveal leaves such a record without a reason), nor where
 * the format was too narrow for any probe and no answers were recorded. */
ACCORD_API bool accord_record_has_answer(const accord_record *record);

/* Something besides the target that an answer may depend on, and that is not as it was. */
typedef struct accord_circumstance {
    const char *name;       /* "cpu_features", static text */
    const char *words;      /* "other CPU features", static text */
    const char *then, *now; /* borrowed from the records; NULL where it is a number: */
    int64_t count_then, count_now;
} accord_circumstance;
enum { ACCORD_CIRCUMSTANCES = 6 };

/* What differs of them, and how many do. Only what both records tell can differ; a record that
 * accord made tells its environment even where no setting was set ("none"). Thread-safe. */
ACCORD_API size_t accord_circumstances_compare(const accord_record *then, const accord_record *now,
                                               accord_circumstance out[ACCORD_CIRCUMSTANCES]);

typedef struct accord_verdict {
    accord_comparison why; /* A is what was recorded, B what is given now */
    bool same;             /* if only on the inputs that were asked */
    bool open;             /* it cannot be told */
    size_t moved;          /* so many circumstances are not as recorded: */
    accord_circumstance circumstance[ACCORD_CIRCUMSTANCES];
} accord_verdict;

/* Holds what was recorded against what is given now. Text of *out is borrowed from both records.
 * Thread-safe. */
ACCORD_API void accord_verdict_judge(const accord_record *then, const accord_record *now,
                                     accord_verdict *out);
/* accord_sameness_name, but for what differs "changed", or "changed-elsewhere" where a circumstance
 * has changed too. */
ACCORD_API const char *accord_verdict_name(const accord_verdict *verdict);

/* ---- folders of records: FOLDER/NAME/KEY.json ----
 *
 * What a target does may depend on the CPU's features and on the version of its library, and the
 * machines of one CI differ in both. So there is a file for each such key, and a machine looks at
 * those of its own: machines never write the same file. A file holds one record for each question
 * (accord_record_same_question), as an array. Writing to the disk is the caller's. */

enum { ACCORD_KEY_SIZE = 13 };
/* Where an answer holds: twelve digits of the SHA-256 of the record's cpu_features, a newline and
 * its library_version (either may be empty), as UTF-8. ACCORD_NOMEM. Thread-safe. */
ACCORD_API enum accord_status accord_record_key(const accord_record *record,
                                                char key[ACCORD_KEY_SIZE], accord_error *error);

/* One file, to be read only. */
typedef struct accord_folder_file {
    char *name, *path;
    char key[ACCORD_KEY_SIZE];
    accord_records records;
    bool changed; /* by accord_folder_put */
} accord_folder_file;

typedef struct accord_folder accord_folder;

/* One of no files; nothing is read. NULL when there is no memory. free takes NULL. */
ACCORD_API accord_folder *accord_folder_new(const char *path);
ACCORD_API void accord_folder_free(accord_folder *folder);

/* Reads all files, by name, then by key, both in the order of their bytes. A folder that is not
 * there is ACCORD_IO, as are files that cannot be read. ACCORD_PARSE: a file that is malformed,
 * lies elsewhere than in NAME/KEY.json, or holds records of another key, without a target, or two
 * of one question. What was read before stays in the folder. */
ACCORD_API enum accord_status accord_folder_read(accord_folder *folder, accord_error *error);
/* Reads the file of that name and key alone; none is there where it does not exist. */
ACCORD_API enum accord_status accord_folder_read_file(accord_folder *folder, const char *name,
                                                      const char *key, accord_error *error);

/* The i-th file, NULL past the end. Until it is freed with the folder; its records move when some
 * are put. */
ACCORD_API const accord_folder_file *accord_folder_file_at(const accord_folder *folder, size_t i);
/* The record of that question under NAME, of this key (NULL: of the first that there is); NULL
 * where there is none. *file (may be NULL) is the one that it is in. */
ACCORD_API const accord_record *accord_folder_find(const accord_folder *folder, const char *name,
                                                   const char *key, const accord_record *question,
                                                   const accord_folder_file **file);
/* FOLDER/NAME/KEY.json, the caller's to free; NULL when there is no memory. */
ACCORD_API char *accord_folder_path(const accord_folder *folder, const char *name, const char *key);
/* Takes the record over, which is then as after _init, in place of that of the same question.
 * ACCORD_NOMEM: nothing has changed. */
ACCORD_API enum accord_status accord_folder_put(accord_folder *folder, const char *name,
                                                const char *key, accord_record *record,
                                                accord_error *error);

/* ---- one question under several settings ---- */

/* Answers that are the same, or of which nothing can be told for the same reason: each varies from
 * run to run, or is not known. To be read only. */
typedef struct accord_group {
    char letter[16]; /* "A" … "Z", "AA" … */
    size_t terms, members;
    const accord_record *record; /* borrowed, of the first member; NULL: the target failed */
    accord_error error;          /* of the first member; status ACCORD_OK: there is an order */
    int64_t inputs; /* no model explains it: on so many inputs all members are the same; else 0 */
    bool open;      /* whether the members are the same cannot be told */
    /* Of order and arithmetic, of the order alone where no arithmetic is known; "" without one. */
    char fingerprint[ACCORD_FINGERPRINT_SIZE];
} accord_group;

typedef struct accord_survey accord_survey;

/* NULL when there is no memory. free takes NULL. */
ACCORD_API accord_survey *accord_survey_new(void);
ACCORD_API void accord_survey_free(accord_survey *survey);

/* Adds the answer of one setting to its group, or makes a new one. Only answers of as many terms
 * are compared, by accord_record_compare with ACCORD_COMPARE_TERMS.
 *   record: the answer, NULL where the target failed. That of the first member of a group is
 *     borrowed until the survey is freed; others are not needed any more.
 *   why: what accord_reveal said where it was not ACCORD_OK; else NULL.
 *   *group: its number; accord_survey_group(survey, *group)->members is 1 where it is new.
 * ACCORD_ARG: neither a record nor an error; ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_survey_add(accord_survey *survey, size_t terms,
                                                const accord_record *record,
                                                const accord_error *why, size_t *group,
                                                accord_error *error);
/* The i-th group, NULL past the end. Valid until the survey is freed. */
ACCORD_API const accord_group *accord_survey_group(const accord_survey *survey, size_t i);

/* What holds of all settings with as many terms. */
typedef struct accord_survey_verdict {
    /* ACCORD_DIFFERS if any two differ (a target that fails under one setting and answers under
     * another differs), otherwise ACCORD_CANNOT_TELL if that of any two, or of one with itself,
     * cannot be told; of a target that fails nothing can. */
    enum accord_sameness sameness;
    /* ACCORD_OK, or the status of the first failure where every setting failed. */
    enum accord_status failure;
    int64_t
        inputs; /* the least number on which those without a model are the same; 0: all have one */
    char text[sizeof((accord_error *)0)->text]; /* what the verdict rests on, without a full stop */
} accord_survey_verdict;

ACCORD_API void accord_survey_judge(const accord_survey *survey, accord_survey_verdict *out);

#ifdef __cplusplus
}
#endif
#endif
