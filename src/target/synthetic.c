/* The table of synthetic orders, their notation, and the kind.
 *
 *     NAME[:PARAMETER][,acc=FORMAT][,out=FORMAT][,fold=halves|pairwise|sequential]
 *     machine:NAME or NAME    a machine of the fused table
 *     tree:FILE               the order in a file (no comma in its name) */
#include "target/synthetic.h"
#include <ctype.h>
#include <limits.h>

enum parameter {
    NONE,
    COUNT, /* >= least, with a default */
    TERM,  /* an index below n, by default the middle one */
};

typedef struct order_row {
    const char *name, *about;
    bool plain;
    accordi_order_maker *make;  /* or, for what is no tree, */
    accordi_synthetic_sum *sum; /* this one */
    enum parameter kind;
    size_t least, usual;
    bool mean, wider;
} order_row;

static const order_row rows[] = {
    {.name = "sequential",
     .about = "one after the other",
     .plain = true,
     .make = accordi_order_sequential},
    {.name = "reverse",
     .about = "one after the other, from the last to the first",
     .plain = true,
     .make = accordi_order_reverse},
    {.name = "pairwise",
     .about = "the sum of two halves, the first of floor(n/2) terms",
     .plain = true,
     .make = accordi_order_pairwise},
    {.name = "adjacent",
     .about = "neighbours, then neighbouring sums; an odd one waits",
     .plain = true,
     .make = accordi_order_adjacent},
    {.name = "lanes",
     .about = "strided lanes, folded (,fold=halves|pairwise|sequential)",
     .plain = true,
     .make = accordi_order_lanes,
     .kind = COUNT,
     .least = 1,
     .usual = 8},
    {.name = "blocks",
     .about = "blocks summed one after the other, then their sums",
     .plain = true,
     .make = accordi_order_blocks,
     .kind = COUNT,
     .least = 1,
     .usual = 128},
    {.name = "numpy",
     .about = "NumPy's pairwise sum: halves down to 128, eight lanes below",
     .plain = true,
     .make = accordi_order_numpy},
    {.name = "caterpillar",
     .about = "one after the other in a random order (seeded)",
     .plain = true,
     .make = accordi_order_caterpillar},
    {.name = "yule",
     .about = "a random tree: a random order cut at random places (seeded)",
     .plain = true,
     .make = accordi_order_yule},
    {.name = "uniform",
     .about = "a random tree, each equally likely (seeded)",
     .plain = true,
     .make = accordi_order_uniform},
    {.name = "multiway",
     .about = "a random tree of fused sums of 2 … W children (seeded)",
     .plain = true,
     .make = accordi_order_multiway,
     .kind = COUNT,
     .least = 2,
     .usual = 8},
    {.name = "fused",
     .about = "a chain of fused sums: W terms and the sum so far",
     .plain = true,
     .make = accordi_order_fused,
     .kind = COUNT,
     .least = 1,
     .usual = 16},
    {.name = "star",
     .about = "one fused sum of all terms",
     .plain = true,
     .make = accordi_order_star},
    {.name = "wide",
     .about = "one after the other in a wider accumulator, then rounded",
     .plain = true,
     .make = accordi_order_sequential,
     .wider = true},
    {.name = "mean",
     .about = "one after the other, then divided by n",
     .plain = true,
     .make = accordi_order_sequential,
     .mean = true},
    {.name = "kahan", .about = "compensated (Kahan)", .sum = accordi_sum_kahan},
    {.name = "neumaier", .about = "compensated (Neumaier)", .sum = accordi_sum_neumaier},
    {.name = "exact", .about = "the exact sum, rounded once", .sum = accordi_sum_exact},
    {.name = "sorted", .about = "ascending by value", .sum = accordi_sum_sorted},
    {.name = "sorted-magnitude",
     .about = "ascending by magnitude",
     .sum = accordi_sum_sorted_magnitude},
    {.name = "shuffled", .about = "a new random order at each call", .sum = accordi_sum_shuffled},
    {.name = "lost",
     .about = "one after the other, but term K is lost",
     .sum = accordi_sum_lost,
     .kind = TERM},
    {.name = "twice",
     .about = "one after the other, but term K counts twice",
     .sum = accordi_sum_twice,
     .kind = TERM},
    {.name = "nan", .about = "always NaN", .sum = accordi_sum_nan},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const order_row *row_by_name(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* What a notation says. Text is cut into a copy that the request owns. */
typedef struct request {
    char *text;
    const char *name, *parameter, *fold;
    bool has_accumulator, has_output;
    enum accord_format accumulator, output;
} request;

static enum accord_status read_format(const char *name, const char *text, bool *has,
                                      enum accord_format *format, accord_error *error)
{
    *has = accord_format_by_name(text, format);
    return *has ? ACCORD_OK
                : accordi_fail(error, ACCORD_ARG,
                               "synthetic:%.60s: no format '%.20s'; choose f64, f32, f16, bf16, "
                               "tf32, e4m3 or e5m2",
                               name, text);
}

static enum accord_status read_setting(request *r, char *word, accord_error *error)
{
    char *equals = strchr(word, '=');
    if (equals) {
        *equals++ = '\0';
        if (strcmp(word, "acc") == 0)
            return read_format(r->name, equals, &r->has_accumulator, &r->accumulator, error);
        if (strcmp(word, "out") == 0)
            return read_format(r->name, equals, &r->has_output, &r->output, error);
        if (strcmp(word, "fold") == 0 &&
            (strcmp(equals, "halves") == 0 || strcmp(equals, "pairwise") == 0 ||
             strcmp(equals, "sequential") == 0)) {
            r->fold = equals;
            return ACCORD_OK;
        }
    }
    return accordi_fail(error, ACCORD_ARG,
                        "synthetic:%.60s: cannot read the setting '%.60s'; known are acc=FORMAT, "
                        "out=FORMAT and fold=halves|pairwise|sequential",
                        r->name, word);
}

/* Cuts r->text, which the caller frees, at its commas and the first colon. */
static enum accord_status read_request(request *r, accord_error *error)
{
    r->name = r->text;
    char *comma = strchr(r->text, ',');
    char *colon = memchr(r->text, ':', comma ? (size_t)(comma - r->text) : strlen(r->text));
    if (colon) {
        *colon = '\0';
        r->parameter = colon + 1;
    }
    enum accord_status status = ACCORD_OK;
    while (comma && status == ACCORD_OK) {
        *comma = '\0';
        char *word = comma + 1;
        comma = strchr(word, ',');
        if (comma)
            *comma = '\0';
        status = read_setting(r, word, error);
    }
    return status;
}

static enum accord_status read_count(const char *name, const char *text, size_t least, size_t most,
                                     size_t *out, accord_error *error)
{
    unsigned long long value = 0;
    bool good = *text != '\0' && strlen(text) <= 10;
    for (const char *c = text; good && *c; c++) {
        good = isdigit((unsigned char)*c) != 0;
        value = 10 * value + (unsigned)(*c - '0');
    }
    if (!good || value < least || value > most)
        return accordi_fail(error, ACCORD_ARG,
                            "synthetic:%.60s:%.40s: give a whole number from %zu to %zu after the "
                            "colon",
                            name, text, least, most);
    *out = (size_t)value;
    return ACCORD_OK;
}

static enum accord_status read_parameter(const order_row *row, const request *r, size_t n,
                                         size_t *out, accord_error *error)
{
    if (r->parameter && row->kind == NONE)
        return accordi_fail(error, ACCORD_ARG, "synthetic:%s takes nothing after a colon",
                            row->name);
    *out = row->kind == TERM ? n / 2 : row->usual;
    if (!r->parameter)
        return ACCORD_OK;
    return row->kind == TERM ? read_count(row->name, r->parameter, 0, n - 1, out, error)
                             : read_count(row->name, r->parameter, row->least,
                                          ACCORD_TREE_MAX_LEAVES, out, error);
}

/* ---- making ---- */

static void synthetic_free(accordi_synthetic *s)
{
    if (!s)
        return;
    accordi_lanes_free(s->lanes);
    accord_tree_free(s->tree);
    free(s->x);
    free(s->scratch);
    free(s);
}

/* An empty state for n terms; NULL without memory. */
static accordi_synthetic *synthetic_new(size_t n)
{
    accordi_synthetic *s = accordi_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->n = n;
    s->x = accordi_calloc(2 * n, sizeof *s->x);
    s->scratch = accordi_alloc(2 * n, sizeof *s->scratch);
    if (s->x && s->scratch)
        return s;
    synthetic_free(s);
    return NULL;
}

static void settle(accord_target *target, accordi_synthetic *s)
{
    target->kind = &accordi_synthetic_kind;
    target->state = s;
    target->format = s->terms;
    target->storage_f32 = s->terms != ACCORD_F64 && !s->machine;
    target->wide_terms = s->machine != NULL;
    target->output = s->output;
}

/* The formats of a row: the accumulator is that of the terms, or a wider one, or as asked. */
static enum accord_status choose_formats(accordi_synthetic *s, const order_row *row,
                                         const request *r, const accord_target_options *options,
                                         accord_error *error)
{
    s->terms = options && options->has_format ? options->format : ACCORD_F32;
    if (row->wider && s->terms == ACCORD_F64 && !r->has_accumulator)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "synthetic:wide: no accumulator is wider than f64; choose a narrower "
                            "--format");
    enum accord_format wider = s->terms == ACCORD_F32 ? ACCORD_F64 : ACCORD_F32;
    enum accord_format usual = row->wider ? wider : s->terms;
    s->accumulator = r->has_accumulator ? r->accumulator : usual;
    s->output = r->has_output ? r->output : row->wider ? s->terms : s->accumulator;
    return ACCORD_OK;
}

static enum accord_status fill_row(accordi_synthetic *s, const order_row *row, const request *r,
                                   const accord_target_options *options, accord_error *error)
{
    enum accord_status status = read_parameter(row, r, s->n, &s->parameter, error);
    if (status == ACCORD_OK)
        status = choose_formats(s, row, r, options, error);
    if (status != ACCORD_OK)
        return status;
    s->sum = row->sum;
    s->mean = row->mean;
    accordi_rng_init(&s->rng, options ? options->seed : 0);
    return row->make ? accordi_order_make(row->make, s->n, s->parameter, r->fold, &s->rng, &s->tree,
                                          error)
                     : ACCORD_OK;
}

/* Scales are the caller's business: machines whose rows need them are no targets. */
static const accord_fused *machine_by_name(const request *r)
{
    bool prefixed = strcmp(r->name, "machine") == 0 && r->parameter;
    const accord_fused *machine = accord_fused_by_name(prefixed       ? r->parameter
                                                       : r->parameter ? ""
                                                                      : r->name);
    return machine && !machine->scale_block ? machine : NULL;
}

static enum accord_status fill_machine(accordi_synthetic *s, const accord_fused *machine,
                                       const request *r, const accord_target_options *options,
                                       accord_error *error)
{
    if (r->has_accumulator || r->has_output || r->fold)
        return accordi_fail(error, ACCORD_ARG,
                            "synthetic:%s has formats of its own; leave out what follows the comma",
                            machine->name);
    if (options && options->has_format && options->format != machine->input)
        return accordi_fail(error, ACCORD_UNSUPPORTED, "synthetic:%s takes %s; choose that format",
                            machine->name, accord_format_get(machine->input)->name);
    s->terms = machine->input;
    s->accumulator = s->output = machine->output;
    s->machine = machine;
    s->sum = accordi_sum_machine;
    return accordi_machine_tree(machine, s->n, &s->tree, error);
}

/* The order that a file holds, in any form that is read. */
static enum accord_status fill_file(accordi_synthetic *s, const request *r,
                                    const accord_target_options *options, accord_error *error)
{
    static const order_row plain = {.name = "tree", .plain = true};
    accord_record record;
    accord_record_init(&record);
    enum accord_status status = accord_record_load(r->parameter, &record, error);
    if (status == ACCORD_OK && (!record.tree || record.tree->leaves != s->n))
        status = accordi_fail(error, ACCORD_ARG,
                              "synthetic:tree:%.200s holds no order of %zu "
                              "terms; pass -n the number of its leaves",
                              r->parameter, s->n);
    if (status == ACCORD_OK)
        status = choose_formats(s, &plain, r, options, error);
    if (status == ACCORD_OK) {
        s->tree = record.tree;
        record.tree = NULL;
    }
    accord_record_clear(&record);
    return status;
}

static enum accord_status fill(accordi_synthetic *s, const request *r,
                               const accord_target_options *options, accord_error *error)
{
    const order_row *row = row_by_name(r->name);
    if (row)
        return fill_row(s, row, r, options, error);
    if (strcmp(r->name, "tree") == 0 && r->parameter)
        return fill_file(s, r, options, error);
    const accord_fused *machine = machine_by_name(r);
    if (machine)
        return fill_machine(s, machine, r, options, error);
    return accordi_fail(error, ACCORD_ARG,
                        "no synthetic order is called '%.60s'; `accord targets` lists them",
                        r->name);
}

enum accord_status accordi_synthetic_open(accord_target *target, const char *name,
                                          const accord_target_options *options, accord_error *error)
{
    request r = {.text = accordi_strdup(name)};
    accordi_synthetic *s = r.text ? synthetic_new(target->n) : NULL;
    enum accord_status status = s ? read_request(&r, error) : accordi_nomem(error);
    if (status == ACCORD_OK)
        status = fill(s, &r, options, error);
    if (status == ACCORD_OK)
        settle(target, s);
    else
        synthetic_free(s);
    free(r.text);
    return status;
}

enum accord_status accordi_synthetic_from_tree(const accord_tree *tree, enum accord_format terms,
                                               enum accord_format accumulator, accord_target **out,
                                               accord_error *error)
{
    uint32_t *parent = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *parent);
    accord_target *target = accordi_calloc(1, sizeof *target);
    accordi_synthetic *s = synthetic_new(tree->leaves);
    char *notation = accordi_strdup("synthetic:tree");
    enum accord_status status = ACCORD_NOMEM;
    if (parent && target && s && notation) {
        accord_tree_parents(tree, parent);
        status = accord_tree_from_parents(tree->leaves, tree->inner, parent, &s->tree, error);
    } else {
        accordi_nomem(error);
    }
    free(parent);
    if (status != ACCORD_OK) {
        synthetic_free(s);
        free(target);
        free(notation);
        return status;
    }
    s->terms = terms;
    s->accumulator = s->output = accumulator;
    target->n = tree->leaves;
    target->notation = notation;
    settle(target, s);
    *out = target;
    return ACCORD_OK;
}

/* ---- the kind ---- */

static enum accord_status run(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error)
{
    return accordi_synthetic_run(target->state, target->storage_f32, batch, result, error);
}

static void close_synthetic(accord_target *target)
{
    synthetic_free(target->state);
}

const accord_target_kind accordi_synthetic_kind = {
    .name = "synthetic",
    .notation = "synthetic:NAME[:PARAMETER][,acc=FORMAT]",
    .about = "sums of a known order, computed by accord itself",
    .run = run,
    .close = close_synthetic,
};

/* The i-th machine that is a target. */
static const accord_fused *machine_at(size_t i)
{
    const accord_fused *machine;
    for (size_t k = 0; (machine = accord_fused_at(k)); k++)
        if (!machine->scale_block && i-- == 0)
            return machine;
    return NULL;
}

const char *accord_synthetic_at(size_t i, bool *plain, const char **about)
{
    const accord_fused *machine = i < ROWS ? NULL : machine_at(i - ROWS);
    if (i >= ROWS && !machine)
        return NULL;
    if (plain)
        *plain = machine ? true : rows[i].plain;
    if (about)
        *about = machine ? "dot products by the model of this machine" : rows[i].about;
    return machine ? machine->name : rows[i].name;
}

enum accord_status accord_synthetic_tree(accord_target *target, accord_tree **out,
                                         accord_error *error)
{
    const accordi_synthetic *s = target->kind == &accordi_synthetic_kind ? target->state : NULL;
    if (!s || !s->tree)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "'%.200s' has no tree of its own; ask a synthetic order that is a "
                            "plain sum",
                            target->notation ? target->notation : "this target");
    uint32_t *parent = accordi_alloc((size_t)s->tree->leaves + s->tree->inner, sizeof *parent);
    if (!parent)
        return accordi_nomem(error);
    accord_tree_parents(s->tree, parent);
    enum accord_status status =
        accord_tree_from_parents(s->tree->leaves, s->tree->inner, parent, out, error);
    free(parent);
    return status;
}
