/* Shared by the files that find the parameters of a machine: questions to the target, and the
 * machines that explain the answers so far. Internal. */
#ifndef ACCORDI_FEATURES_SPACE_H
#define ACCORDI_FEATURES_SPACE_H

#include "fused/fused.h"
#include "reveal/machine/parameters.h"

/* Which terms make which step. */
typedef struct accordi_steps {
    enum accord_fused_scheme scheme; /* THEN_C stands for both aligned ones */
    size_t n, terms, count;          /* terms in all, of a step; steps */
    uint32_t *leaf;                  /* n entries: leaf[i] is product i % terms of step i / terms */
    bool more_terms;                 /* a step may take more: there is but one */
    bool joined; /* other chains of steps, whose terms are zero, are added to this one */
} accordi_steps;

/* joins[k] of each inner node: 1 if it adds two sums, which no step of a machine does, or a term to
 * such a sum. */
void accordi_find_joins(const accord_tree *tree, uint8_t *joins);
/* The i-th way to read the tree as steps; false when there are no more. Of several chains that are
 * added up, as those of interleaved accumulators are, the longest stands for all. After a lack of
 * memory, leaf is NULL. The caller frees steps->leaf. */
bool accordi_steps_read(const accord_tree *tree, size_t i, accordi_steps *steps);

enum { ACCORDI_ENTRIES = 3 * ACCORDI_FUSED_MOST, ACCORDI_TAIL = 12, ACCORDI_BLOCKS = 96 };

/* A probe: products at places of the last steps, zero elsewhere. */
typedef struct accordi_entry {
    uint32_t place; /* in steps->leaf */
    double a, b;
} accordi_entry;

typedef struct accordi_question {
    size_t entries;
    accordi_entry entry[ACCORDI_ENTRIES]; /* ascending places once asked */
    double answer;
    /* Of first and second factors, a block after the other from the first step that is used on; 0:
     * not chosen, which is asked as the least normal scale. */
    double scale[2][ACCORDI_BLOCKS];
} accordi_question;

/* All that is known: what was asked, and the machines that explain every answer. */
typedef struct accordi_space {
    accordi_asker *asker;
    const accordi_steps *steps;
    bool products;             /* there are second factors */
    enum accord_format result; /* what a machine's result is rounded into at the end */
    size_t first, test;        /* the first step that is used; the one that is tested */
    size_t places;             /* terms of that step */
    bool has_c;                /* test has a step before it */

    int top, bottom, grain; /* products: greatest and least exponent of normal operands, and the
                               finest bit */
    int high;               /* an exponent from where sums do not overflow */
    size_t share;           /* products that share a pair of scales; 0: there are no scales */
    enum accord_format scale;
    double least_scale;                             /* normal */
    int element_top, element_bottom, element_grain; /* the same without scales */
    int lowest; /* exponent of the least product that is a power of two */
    bool whole; /* while a question is drawn: a scale is as great as the first product it scales */
    int kept, c_kept;      /* bits kept beside a larger product: of products, of c */
    bool capped, c_capped; /* products, or c, reach no further down than that */

    int subnormals; /* percent of products that get a subnormal factor */

    accord_fused *machine;
    size_t machines, machine_capacity;
    accordi_question *question;
    size_t questions, question_capacity, answered;
    size_t refuter; /* the question that contradicted a machine last */
    bool beyond;    /* what explains the target is no machine of the space; that was said */
    uint64_t simulations;
} accordi_space;

/* A last step of a few terms is tested only if `short_last`: else the one before it is, whose
 * result it passes on. */
enum accord_status accordi_space_init(accordi_space *space, accordi_asker *asker,
                                      const accordi_steps *steps, bool short_last);
/* Makes this step the one that is tested by the questions drawn from now on. */
void accordi_space_test(accordi_space *space, size_t step);
void accordi_space_clear(accordi_space *space);

/* ---- questions ---- */

/* A new, empty question; NULL without memory (the asker's status is set). Valid until the next. */
accordi_question *accordi_question_new(accordi_space *space);
/* Chooses scales for the block of a slot, if there are scales and it has none yet, with which
 * products of 2^exponent are as great as elements can be: others of the block then lie as far below
 * them as possible, and scales alone below both. */
void accordi_question_lift(accordi_space *space, accordi_question *question, size_t step,
                           size_t slot, int exponent);
/* Adds a product of about 2^exponent at a place that is free; out of range it comes as near as it
 * can. `rough`: with a random significand. False when the question is full. */
bool accordi_question_put(accordi_space *space, accordi_question *question, size_t step,
                          size_t slot, int exponent, bool rough, bool negative);
/* Between the files that make questions: numbers drawn from a range, a chance in percent, places
 * and what stands there. */
int accordi_drawn(accordi_space *space, int least, int most);
bool accordi_chance(accordi_space *space, int percent);
uint32_t accordi_question_place(accordi_space *space, size_t step);
bool accordi_question_is_free(const accordi_question *question, uint32_t place);
void accordi_question_insert(accordi_question *question, accordi_entry entry);
bool accordi_question_put_in(accordi_space *space, accordi_question *question, size_t step,
                             int exponent, bool rough, bool negative);
/* ---- scales of blocks in questions (scales.c) ---- */

size_t accordi_question_block(const accordi_space *space, size_t place);
/* As it is asked. */
static inline double accordi_question_scale(const accordi_space *space,
                                            const accordi_question *question, int which,
                                            size_t block)
{
    double scale = question->scale[which][block];
    return scale != 0 ? scale : space->least_scale;
}
/* Scales whose product is about 2^exponent, as near as there are any. */
void accordi_question_set_scales(accordi_space *space, accordi_question *question, size_t block,
                                 int exponent, bool rough);
/* Whether a product at the place can have that exponent, with normal operands. */
bool accordi_question_reaches(const accordi_space *space, const accordi_question *question,
                              size_t place, int exponent);
/* The exponent that the product of two operands there has to have; chooses the scales if they are
 * not yet. */
int accordi_question_unscale(accordi_space *space, accordi_question *question, size_t place,
                             int exponent, bool rough);
/* The same product, times `sign`, at another place; false where that is taken or the scales there
 * are others. */
bool accordi_question_repeat(const accordi_space *space, accordi_question *question,
                             accordi_entry entry, uint32_t place, double sign);
/* A slot of the step that is tested which shares no scale with the first; `slot` where there is
 * none, and without scales. */
size_t accordi_space_apart(const accordi_space *space, size_t slot);

/* Asks what has not been asked yet. */
enum accord_status accordi_space_ask(accordi_space *space);
/* A sum of steps as the target's result. */
double accordi_space_result(const accordi_space *space, double sum);
/* What a machine answers. */
double accordi_space_simulate(accordi_space *space, const accord_fused *machine,
                              const accordi_question *question);
/* The same number, or both NaN; of aligned sums zeros have the same sign. */
bool accordi_same(const accordi_space *space, double a, double b);

/* How random questions are drawn. */
typedef struct accordi_regime {
    int low, high; /* range of the anchor, the greatest exponent */
    int window;    /* all terms lie so close below the anchor; 0: anywhere */
    bool c;        /* sometimes with a sum so far */
    bool safe_c;   /* both anchors are far from the ends of the range, and c is made exactly */
    bool edge;     /* other questions: about the last bit of the least results, */
    bool joint;    /* or about a term half a last bit below the greatest, */
    bool dense;    /* or all places taken, */
    bool heap;     /* or many great products of one sign beside a few at the last bit kept, */
    bool great_c;  /* or products that cancel a sum so far which none of them exceeds */
} accordi_regime;
/* Draws a random question into `question`, without asking it. */
void accordi_question_draw(accordi_space *space, const accordi_regime *regime,
                           accordi_question *question);
/* The regime that covers everything a target can be asked; `which` counts several of them. */
enum { ACCORDI_REGIMES = 12 };
accordi_regime accordi_regime_any(const accordi_space *space, size_t which);

/* ---- machines ---- */

/* Leaves out what cannot be simulated. False when there is no room. */
bool accordi_space_add(accordi_space *space, const accord_fused *machine);
/* Drops those that contradict an answer from question `from` on. */
void accordi_space_filter(accordi_space *space, size_t from);
/* Whether a machine explains every answer. */
bool accordi_space_explains(accordi_space *space, const accord_fused *machine);
/* Of a machine that explains everything: the value of a feature farthest toward `to` with which it
 * still does; what explains is taken to lie together. */
int accordi_space_farthest(accordi_space *space, accord_fused machine, enum accordi_feature feature,
                           int to);
/* Asks `count` random questions of a regime and drops what contradicts them. */
enum accord_status accordi_space_sift(accordi_space *space, const accordi_regime *regime,
                                      size_t count);
/* Looks for questions on which two of the machines differ, until none is found, of one regime or
 * (NULL) of all. */
enum accord_status accordi_space_tell_apart(accordi_space *space, const accordi_regime *regime,
                                            size_t draws);
/* Adds the machine with the least and the greatest exponent where alignment may stop with which it
 * explains everything, if there are any. */
void accordi_space_add_leasts(accordi_space *space, accord_fused machine);
/* Adds every machine that differs from the first in one feature and explains everything; *added
 * says how many were new. */
enum accord_status accordi_space_widen(accordi_space *space, size_t *added);

/* By the first feature in which they differ: below 0, above 0, or 0 where all are the same. */
int accordi_compare_machines(const accord_fused *a, const accord_fused *b);
/* Whether what is cut later is cut no finer than before, as accord_fused has it. */
bool accordi_space_sound(const accord_fused *machine);
/* Adds machines that differ from `base` in two features and explain everything. */
enum accord_status accordi_space_repair(accordi_space *space, const accord_fused *base);

/* Asks what tells the first machine from each of the others, and from those that differ from it in
 * two features; drops what answers contradict, perhaps all (rivals.c). */
enum accord_status accordi_space_part_rivals(accordi_space *space);

/* The values of a feature that are worth a try through this target; least > most: none. */
typedef struct accordi_domain {
    int least, most;
    bool beyond_least, beyond_most; /* values beyond the end are equal to it */
} accordi_domain;
accordi_domain accordi_feature_domain(const accordi_space *space, const accord_fused *machine,
                                      enum accordi_feature feature);

/* ---- stages: see stages.c ---- */

/* The least exponent of a product that operands and results hold. The bits kept beside terms that
 * cancel, -1 where this cannot be asked; *capped: all that could be asked are. The exponent
 * where alignment stops. */
int accordi_measure_floor(const accordi_space *space, bool flush);
int accordi_measure_kept(accordi_space *space, bool of_c, int floor, bool *capped);
/* The same where nothing can be made to cancel, of two terms at once: as far as results show it. */
int accordi_measure_pair(accordi_space *space, int floor, bool *capped);
int accordi_measure_least(accordi_space *space, bool flush);
/* ends.c: whether subnormal operands count as zero; zeros take part in alignment;
 * subnormal operands are aligned by their leading bit; negative sums are rounded to +0; products
 * of 2^128 are infinite. What sums become that are too large, of either sign. */
bool accordi_measure_flush(accordi_space *space);
/* measure.c: whether sums of products are aligned by the exponents of their scales alone: 1 or 0;
 * -1 where this cannot be asked. */
int accordi_measure_blocks(accordi_space *space, int floor);
/* Of a block alone: the bits kept below the exponent of its scales. */
int accordi_measure_below_scales(accordi_space *space, int floor, bool *capped);
bool accordi_measure_zeros(accordi_space *space, int floor);
bool accordi_measure_leading(accordi_space *space, int floor);
bool accordi_measure_positive_zero(accordi_space *space);
bool accordi_measure_infinite_products(accordi_space *space);
/* Asks for sums of two products that are just below the least normal number. */
enum accord_status accordi_ask_just_below(accordi_space *space);
void accordi_measure_overflow(accordi_space *space, double seen[2]);

/* Replaces the machines by all that come from them by giving a feature each of its values. */
enum accord_status accordi_space_vary(accordi_space *space, enum accordi_feature feature, int least,
                                      int most);
/* Adds `base` with all formats that operands and results may have. */
enum accord_status accordi_stage_start(accordi_space *space, const accord_fused *base);
enum accord_status accordi_stage_result(accordi_space *space, const accord_fused *base);
enum accord_status accordi_stage_products(accordi_space *space, const accord_fused *base);
/* In place of both where steps are of one or two products, so that what is cut and what is rounded
 * cannot be asked apart. */
enum accord_status accordi_stage_pair(accordi_space *space, const accord_fused *base);
enum accord_status accordi_stage_c(accordi_space *space);
enum accord_status accordi_stage_ends(accordi_space *space);

/* Whether models can have all its parameters; else *feature is one that they cannot. */
bool accordi_space_holds(const accord_fused *machine, enum accordi_feature *feature);

/* Finds the machines of the steps' schemes that explain the target. None left, or a replay that
 * disagrees: ACCORD_UNABLE. */
enum accord_status accordi_space_solve(accordi_space *space);

/* The same again after answers that contradict the first machine: tries those near it. No error
 * text is set when there are none. */
enum accord_status accordi_space_refine(accordi_space *space);

/* What the target does that no parameter describes: sets the reason and returns true if an
 * experiment of its own establishes it (oddities.c). */
bool accordi_space_name_oddity(accordi_space *space);

/* `count` dense random inputs: how many the first machine explains. What contradicts it becomes a
 * question where one can hold it. */
enum accord_status accordi_space_replay(accordi_space *space, size_t count, size_t *agreed);

#endif
