/* A file of C: the headers, a guard, the functions.
 *
 * No flag of the compiler may change a bit: contraction into fma is switched off for the functions
 * emitted (gcc does it even across statements), fast-math and excess precision are refused. */
#include "model/emit/emit.h"

/* The headers that the functions need. */
static void put_includes(const char *functions, accordi_buffer *out)
{
    static const struct {
        const char *word, *header;
    } all[] = {{"fma", "math.h"},        {"copysign", "math.h"}, {"fabs", "math.h"},
               {"NAN", "math.h"},        {"sqrt", "math.h"},     {"size_t", "stddef.h"},
               {"ptrdiff_t", "stddef.h"}};
    const char *last = "";
    accordi_buffer_puts(out, "#include <float.h>\n"); /* for FLT_EVAL_METHOD, below */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(last, all[i].header) != 0 && strstr(functions, all[i].word)) {
            accordi_buffer_printf(out, "#include <%s>\n", all[i].header);
            last = all[i].header;
        }
}

/* gcc names AVX512-FP16 in FLT_EVAL_METHOD (16), which leaves float and double as they are. */
static const char guard[] =
    "\n"
    "/* The compiler must not change the order of the additions below, and must not fuse a\n"
    " * multiplication with an addition except where fma is written. */\n"
    "#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || \\\n"
    "    defined __NO_SIGNED_ZEROS__ || (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16)\n"
    "#error \"compile this file without -ffast-math and, on x86, with SSE2\"\n"
    "#endif\n"
    "#if defined __GNUC__ && !defined __clang__\n"
    "#pragma GCC push_options\n"
    "#pragma GCC optimize(\"fp-contract=off\")\n"
    "#else\n"
    "#pragma STDC FP_CONTRACT OFF\n"
    "#endif\n"
    "\n";

void accordi_emit_file(const accordi_buffer *functions, accordi_buffer *out)
{
    put_includes(functions->data ? functions->data : "", out);
    accordi_buffer_puts(out, guard);
    accordi_buffer_append(out, functions->data, functions->length);
    out->failed |= functions->failed;
    accordi_buffer_puts(out, "\n"
                             "#if defined __GNUC__ && !defined __clang__\n"
                             "#pragma GCC pop_options\n"
                             "#endif\n");
}

enum accord_status accordi_emit_name(const char *name, accord_error *error)
{
    static const char *const taken[] = {
        "auto",   "break",    "case",     "char",   "const",    "continue", "default",
        "do",     "double",   "else",     "enum",   "extern",   "float",    "for",
        "goto",   "if",       "inline",   "int",    "long",     "return",   "short",
        "signed", "register", "restrict", "sizeof", "static",   "struct",   "switch",
        "union",  "typedef",  "unsigned", "void",   "volatile", "while",    "fma",
        "fmaf",   "fabs",     "fabsf",    "sqrt",   "sqrtf",    "size_t",   "main",
    };
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    bool good = name && *name && strlen(name) <= 63 && strspn(name, letters) == strlen(name) &&
                !(*name >= '0' && *name <= '9');
    for (size_t i = 0; good && i < sizeof taken / sizeof *taken; i++)
        good = strcmp(name, taken[i]) != 0;
    return good ? ACCORD_OK
                : accordi_fail(error, ACCORD_ARG,
                               "\"%.80s\" cannot be the name of a C function; choose letters, "
                               "digits and _, at most 63",
                               name ? name : "");
}

/* What is computed, in the comment above the function. */
static enum accord_status put_comment(const accord_model *model, const char *name,
                                      accordi_buffer *out, accord_error *error)
{
    static const char *const terms[] = {"x[k]", "x[k] * y[k]", "|x[k]|", "x[k] * x[k]"};
    char fingerprint[ACCORD_FINGERPRINT_SIZE];
    const accord_arithmetic *how = model->arithmetic;
    enum accord_status status = accord_tree_fingerprint(model->tree, fingerprint, error);
    if (status != ACCORD_OK)
        return status;
    uint32_t terms_n = model->tree->leaves - (how->beta != 0);
    accordi_buffer_printf(out, "/* %s: the sum of %s over 0 <= k < %u", name, terms[how->term],
                          terms_n);
    if (how->operand != ACCORD_F64)
        accordi_buffer_printf(out, ", operands rounded to %s",
                              accord_format_get(how->operand)->name);
    if (how->alpha != 1)
        accordi_buffer_printf(out, ", times %.17g", how->alpha);
    if (how->beta != 0)
        accordi_buffer_printf(out, ", and %.17g * start", how->beta);
    accordi_buffer_printf(out, ".\n * Order %s. */\n", fingerprint);
    return ACCORD_OK;
}

enum accord_status accord_model_emit_c(const accord_model *model, const char *name,
                                       accord_sink *sink, void *context, accord_error *error)
{
    accordi_emission emission = {.name = name, .operands = {.x = "x", .y = "y"}};
    accordi_buffer text = {0}, functions = {0}, comment = {0};
    enum accord_status status = accordi_emit_name(name, error);
    if (status != ACCORD_OK)
        return status;
    if (model->arithmetic->beta != 0)
        emission.operands.start = "start";
    status = put_comment(model, name, &comment, error);
    emission.comment = comment.data;
    if (status == ACCORD_OK)
        status = accordi_emit_function(model, &emission, &functions, error);
    accordi_emit_file(&functions, &text);
    if (status == ACCORD_OK && (text.failed || comment.failed))
        status = accordi_nomem(error);
    accordi_buffer_clear(&comment);
    accordi_buffer_clear(&functions);
    if (status == ACCORD_OK && !sink(context, text.data, text.length))
        status = accordi_fail(error, ACCORD_IO, "the C function could not be written");
    accordi_buffer_clear(&text);
    return status;
}
