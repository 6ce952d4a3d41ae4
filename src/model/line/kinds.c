/* What nodes do, and the labels for it: words such as "f64", "fma=first", "stored=f32". */
#include "model/line/line.h"
#include "model/words.h"

static const char *const fusings[] = {"none", "last", "first", "inner", "step"};

static int fused_child(enum accordi_fusing fusing, const accord_tree *tree, uint32_t k)
{
    const uint32_t *child = tree->child + tree->first[k];
    bool first = child[0] < tree->leaves, last = child[1] < tree->leaves;
    if (fusing == ACCORDI_FUSING_STEP)
        return ACCORD_STEP;
    if (fusing == ACCORDI_FUSING_NONE || tree->first[k + 1] - tree->first[k] != 2)
        return -1;
    if (first != last)
        return last;
    if (!first || fusing == ACCORDI_FUSING_INNER)
        return -1;
    return fusing == ACCORDI_FUSING_LAST;
}

accord_operation accordi_line_kind_at(const accordi_line_kind *kind, const accord_tree *tree,
                                      uint32_t k)
{
    accord_operation op = kind->operation;
    op.fused = fused_child(kind->fusing, tree, k);
    return op;
}

accordi_line_kind accordi_settings_kind(const accordi_settings *s)
{
    enum accord_format terms = s->has_terms ? s->terms : ACCORD_F32;
    const accord_fused *machine = s->machine ? accord_fused_by_name(s->machine) : NULL;
    enum accord_format usual = machine ? machine->output : terms;
    enum accord_format format = s->has_accumulator ? s->accumulator : usual;
    int rounding = s->rounding ? accordi_by_name(accordi_rounding_name, s->rounding)
                   : machine   ? (int)machine->rounding
                               : (int)ACCORD_NEAREST_EVEN;
    accordi_line_kind kind = {.fusing = machine ? ACCORDI_FUSING_STEP : ACCORDI_FUSING_NONE,
                              .operation = {.format = format,
                                            .rounding = (enum accord_rounding)rounding,
                                            .product = s->has_product ? s->product : format,
                                            .fused = -1,
                                            .stored = ACCORD_F64}};
    for (int i = 0; s->fma && i < ACCORDI_FUSING_STEP; i++)
        if (strcmp(fusings[i], s->fma) == 0)
            kind.fusing = (enum accordi_fusing)i;
    return kind;
}

/* Words that a label may have beside the name of a format. */
enum { FORMAT, FUSING, PRODUCT, STORED, ROUNDING, ZERO, KEEPS, NO_WORD };
static const struct {
    const char *word; /* with the equals sign, where a value follows */
    int what;
} words[] = {{"fma=", FUSING},        {"product=", PRODUCT}, {"stored=", STORED},
             {"rounding=", ROUNDING}, {"zero=", ZERO},       {"keeps", KEEPS}};

static const char *fusing_name(int i)
{
    return i >= 0 && i <= ACCORDI_FUSING_STEP ? fusings[i] : NULL;
}

static bool apply_value(int what, const char *value, accordi_line_kind *to)
{
    accord_operation *op = &to->operation;
    int i = 0;
    switch (what) {
    case PRODUCT:
        return accord_format_by_name(value, &op->product);
    case STORED:
        return accord_format_by_name(value, &op->stored);
    case FUSING:
        to->fusing =
            (i = accordi_by_name(fusing_name, value)) < 0 ? to->fusing : (enum accordi_fusing)i;
        return i >= 0;
    case ROUNDING:
        op->rounding = (i = accordi_by_name(accordi_rounding_name, value)) < 0
                           ? op->rounding
                           : (enum accord_rounding)i;
        return i >= 0;
    case ZERO:
        op->zero =
            (i = accordi_by_name(accordi_zero_name, value)) < 0 ? op->zero : (enum accord_zero)i;
        return i >= 0;
    default:
        op->keeps = 1;
        return *value == '\0';
    }
}

/* `seen`: a bit for each thing that the words before have said. Returns what this one says. */
static int apply_word(const char *word, unsigned seen, accordi_line_kind *to)
{
    enum accord_format format;
    if (accord_format_by_name(word, &format)) {
        to->operation.format = format;
        if (!(seen & 1U << PRODUCT))
            to->operation.product = format;
        return FORMAT;
    }
    if (strcmp(word, "fma") == 0 || strcmp(word, "step") == 0) {
        to->fusing = *word == 'f' ? ACCORDI_FUSING_LAST : ACCORDI_FUSING_STEP;
        return FUSING;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(word, words[i].word, strlen(words[i].word)) == 0)
            return apply_value(words[i].what, word + strlen(words[i].word), to) ? words[i].what
                                                                                : NO_WORD;
    return NO_WORD;
}

enum accord_status accordi_label_read(const char *text, size_t length,
                                      const accordi_line_kind *base, accordi_line_kind *out,
                                      size_t *wrong, accord_error *error)
{
    unsigned seen = 0;
    *out = *base;
    for (size_t at = 0, end; at < length; at = end + (end < length)) {
        char word[24] = "";
        for (end = at; end < length && text[end] != ' '; end++)
            ;
        if (end == at)
            continue;
        if (end - at < sizeof word)
            memcpy(word, text + at, end - at);
        int what = apply_word(word, seen, out);
        *wrong = at;
        if (what == NO_WORD)
            return accordi_fail(error, ACCORD_PARSE,
                                "a label says what nodes do with a format, fma[=last|first|inner|"
                                "none], step, product=FORMAT, stored=FORMAT, rounding=WORD, "
                                "zero=fused|rounded|added or keeps");
        if (seen & 1U << what)
            return accordi_fail(error, ACCORD_PARSE,
                                "the words before say this already; say it once");
        seen |= 1U << what;
    }
    *wrong = 0;
    return seen ? ACCORD_OK : accordi_fail(error, ACCORD_PARSE, "this label is empty");
}

static void put_word(accordi_buffer *out, const char *name, const char *value)
{
    if (out->length && out->data[out->length - 1] != '{')
        accordi_buffer_puts(out, " ");
    accordi_buffer_printf(out, "%s%s", name, value);
}

void accordi_label_write(accordi_buffer *out, const accordi_line_kind *kind,
                         const accordi_line_kind *base)
{
    const accord_operation *a = &kind->operation, *b = &base->operation;
    bool format = a->format != b->format;
    enum accord_format product = format ? a->format : b->product;
    if (format)
        put_word(out, "", accordi_format_name(a->format));
    if (kind->fusing != base->fusing) {
        bool bare = kind->fusing == ACCORDI_FUSING_LAST || kind->fusing == ACCORDI_FUSING_STEP;
        put_word(out,
                 kind->fusing == ACCORDI_FUSING_STEP ? "step"
                 : bare                              ? "fma"
                                                     : "fma=",
                 bare ? "" : fusings[kind->fusing]);
    }
    if (a->product != product)
        put_word(out, "product=", accordi_format_name(a->product));
    if (a->stored != b->stored)
        put_word(out, "stored=", accordi_format_name(a->stored));
    if (a->rounding != b->rounding)
        put_word(out, "rounding=", accordi_rounding_name((int)a->rounding));
    if (a->zero != b->zero)
        put_word(out, "zero=", accordi_zero_name((int)a->zero));
    if (a->keeps != b->keeps)
        put_word(out, "keeps", "");
}
