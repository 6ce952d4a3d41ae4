/* C that computes what a model does: what can be said, the head of the file, whole functions.
 *
 * No flag of the compiler may change a bit: contraction into fma is switched off for the functions
 * emitted (gcc does it even across statements), fast-math and excess precision are refused. */
#include "model/emit/emit.h"
#include "model/scaling.h"
#include "model/words.h"
#include <math.h>

/* ---- what can be said in C ---- */

static bool is_plain_format(enum accord_format format)
{
    return format == ACCORD_F32 || format == ACCORD_F64;
}

static enum accord_status no(accord_error *error, const char *what)
{
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "accord cannot write C for %s; use accord replay instead", what);
}

static enum accord_status check_operation(const accord_arithmetic *how, const accord_operation *op,
                                          accord_error *error)
{
    bool product = how->term == ACCORD_TERM_PRODUCT || how->term == ACCORD_TERM_SQUARE;
    if (!is_plain_format(op->format) || !is_plain_format(op->product))
        return no(error, "sums in formats other than f32 and f64");
    if (how->alpha_at >= ACCORD_ALPHA_SUM && op->product != op->format)
        return no(error, "alpha times sums whose products have another format");
    if (op->fused == ACCORD_STEP)
        return no(error, "steps of a machine");
    if (op->rounding != ACCORD_NEAREST_EVEN)
        return no(error, "a rounding other than to nearest");
    uint8_t input = accordi_emit_input(how);
    if (product && input == ACCORD_F64 && op->product == ACCORD_F32)
        return no(error, "products of f64 rounded directly to f32");
    if (op->fused >= 0 && input == ACCORD_F64 && op->format == ACCORD_F32)
        return no(error, "products of f64 fused into a sum in f32");
    return ACCORD_OK;
}

static bool holds(const accord_arithmetic *how, double x)
{
    return isfinite(x) && (how->input == ACCORD_F64 || (double)(float)x == x);
}

/* The inverse of alpha is a constant of the output's format. */
static bool retakes_otherwise(const accord_arithmetic *how)
{
    bool retakes = false, otherwise = false;
    for (size_t i = 0; i < how->alpha_nodes; i++)
        retakes = retakes || how->alpha_of[i] == ACCORD_SCALED_RETAKEN;
    for (size_t i = 0; i < how->operations; i++)
        otherwise = otherwise || how->operation[i].format != how->output;
    return retakes && otherwise;
}

static enum accord_status check_rest(const accord_arithmetic *how, accord_error *error)
{
    if (how->extended)
        return no(error, "sums in x87's format");
    if (!is_plain_format(how->input) || !is_plain_format(how->output))
        return no(error, "operands or results in formats other than f32 and f64");
    bool directed = how->operand_rounding == ACCORD_DOWN || how->operand_rounding == ACCORD_UP;
    if (how->output_rounding != ACCORD_NEAREST_EVEN || (how->operand != ACCORD_F64 && directed))
        return no(error, "a rounding other than to nearest");
    bool factors = how->beta != 0 || how->alpha_at != ACCORD_ALPHA_ONE;
    if (how->operand != ACCORD_F64 && how->input != ACCORD_F32 && factors)
        return no(error, "an alpha or a beta in another format than the rounded operands");
    if (how->operand != ACCORD_F64 &&
        (how->alpha_at == ACCORD_ALPHA_X || how->alpha_at == ACCORD_ALPHA_Y))
        return no(error, "rounded operands times alpha");
    if (how->flush)
        return no(error, "subnormals that count as zero");
    if (how->skips_zero)
        return no(error, "sums that skip products with zeros");
    if (!holds(how, how->alpha) || !holds(how, how->beta))
        return no(error, "an alpha or a beta that the format of the operands cannot represent");
    if (retakes_otherwise(how))
        return no(error, "sums in another format than the results as which they are stored");
    if (how->beta != 0 && how->input != how->output)
        return no(error, "a start value in another format than the operands");
    return ACCORD_OK;
}

/* Alpha times the root is rounded into the root's format, unless it goes to the output at once. */
static enum accord_status check_root(const accord_model *model, accord_error *error)
{
    const accord_arithmetic *how = model->arithmetic;
    const accord_tree *tree = model->tree;
    enum accord_format format = how->operations ? how->operation[0].format : how->output;
    if (tree->inner && how->of_node)
        format = how->operation[how->of_node[tree->inner - 1]].format;
    enum accord_scaling way = accordi_scaling_root(model);
    bool scaled = how->alpha != 1 && way != ACCORD_SCALED_NOT;
    if (scaled && way == ACCORD_SCALED_FUSED && format != how->output)
        return no(error, "a sum in f64 times alpha rounded directly to f32");
    if (accordi_takes_root(how->finish) && !is_plain_format(how->radicand))
        return no(error, "a root of a sum that is rounded to a format other than f32 and f64");
    bool factor = accordi_multiplies(how->finish) || accordi_divides(how->finish);
    if (factor && (!isfinite(how->factor) ||
                   (format == ACCORD_F32 && (double)(float)how->factor != how->factor)))
        return no(error, "a factor that the format of the sum cannot represent");
    bool narrows =
        accordi_emit_input(how) == ACCORD_F64 && format == ACCORD_F32 && how->output == ACCORD_F64;
    if (tree->inner == 0 && how->operations && how->operation[0].stored != ACCORD_F64)
        return no(error, "a single term that is stored in a narrower format");
    if (tree->inner == 0 && narrows)
        return no(error, "a single f64 that is first rounded to f32");
    if (tree->inner == 0 && scaled && how->beta != 0)
        return no(error, "alpha without a product");
    return ACCORD_OK;
}

/* One fused multiply-add has one product. */
static enum accord_status check_scaled(const accordi_shapes *s, accord_error *error)
{
    for (uint32_t i = 0; i < s->count; i++)
        for (int side = 0; side < 2; side++) {
            const accordi_shape *shape = &s->shape[i];
            if (shape->kind != ACCORDI_NODE || !shape->scaled[side])
                continue;
            const accordi_shape *other = &s->shape[shape->child[!side]];
            bool exact = shape->scaled[!side] == ACCORDI_SCALED_FUSED ||
                         other->kind == ACCORDI_EXACT || other->kind == ACCORDI_START_EXACT;
            if (shape->scaled[side] == ACCORDI_SCALED_FUSED && exact)
                return no(error, "two products that are added unrounded");
        }
    return ACCORD_OK;
}

static enum accord_status check(const accord_model *model, accord_error *error)
{
    const accord_tree *tree = model->tree;
    const accord_arithmetic *how = model->arithmetic;
    if (tree->inner > 0 && tree->inner + 1 < tree->leaves)
        return no(error, "fused sums of more than two values");
    enum accord_status status = accord_model_check(model, error);
    if (status == ACCORD_OK)
        status = check_rest(how, error);
    for (size_t i = 0; status == ACCORD_OK && i < how->operations; i++)
        status = check_operation(how, &how->operation[i], error);
    return status == ACCORD_OK ? check_root(model, error) : status;
}

/* ---- functions ---- */

/* alpha, where it multiplies the whole. */
static void scale_root(accordi_writer *w, accordi_value *value)
{
    const accord_arithmetic *how = w->model->arithmetic;
    if (how->alpha != 1 && accordi_scaling_root(w->model) >= ACCORD_SCALED_ROUNDED)
        *value = accordi_times_alpha(w, ACCORDI_SCALED, value->format, value);
}

static void finish_root(accordi_writer *w, accordi_value *value)
{
    const accord_arithmetic *how = w->model->arithmetic;
    const char *f = value->format == ACCORD_F32 ? "f" : "";
    bool over = accordi_divides(how->finish), times = accordi_multiplies(how->finish);
    if (over || times) {
        accordi_value made = {.format = value->format, .level = 1};
        accordi_buffer_printf(&made.text, value->level ? "(%s) %c " : "%s %c ",
                              accordi_text(w, value), over ? '/' : '*');
        accordi_put_constant(value->format, how->factor, &made.text);
        accordi_value_clear(value);
        *value = made;
    }
    if (accordi_takes_root(how->finish)) {
        accordi_value made = {.format = value->format, .level = 1};
        bool narrow = value->format == ACCORD_F64 && how->radicand == ACCORD_F32;
        accordi_buffer_printf(&made.text, narrow ? "sqrt%s((float)(%s))" : "sqrt%s(%s)", f,
                              accordi_text(w, value));
        accordi_value_clear(value);
        *value = made;
    }
}

static void add_zero(accordi_writer *w, accordi_value *value)
{
    accordi_value zero =
        accordi_named(value->format, "0.0%s", value->format == ACCORD_F32 ? "f" : "");
    *value = accordi_sum(w, value->format, value, &zero);
}

/* The result of the root's value: a zero made +0, alpha, the finish, and rounded. */
static void put_return(accordi_writer *w, accordi_value *value)
{
    const accord_arithmetic *how = w->model->arithmetic;
    bool plus = !how->negative_zero && !w->shapes->firsts && !value->no_minus;
    bool finishes = how->finish != ACCORD_FINISH_NONE;
    if (plus)
        add_zero(w, value);
    const accordi_shape *root = &w->shapes->shape[w->shapes->root];
    if (root->stored) /* what follows is done in the format of the sum */
        *value = accordi_converted(root->sum, value);
    scale_root(w, value);
    if (how->zero_last && !finishes)
        add_zero(w, value);
    finish_root(w, value);
    bool narrow = value->format == ACCORD_F64 && how->output == ACCORD_F32;
    if (how->zero_last && finishes) {
        if (narrow) {
            accordi_value made = {.format = ACCORD_F32, .level = 1};
            accordi_buffer_printf(&made.text, "(float)(%s)", accordi_text(w, value));
            accordi_value_clear(value);
            *value = made;
            narrow = false;
        }
        add_zero(w, value);
    }
    const char *form = !narrow        ? "return %s;%s"
                       : value->level ? "return (float)(%s);%s"
                                      : "return (float)%s;%s";
    accordi_line(w, form, accordi_text(w, value),
                 plus || how->zero_last ? " /* a zero is +0 */" : "");
    accordi_value_clear(value);
}

static enum accord_status put_function(accordi_writer *w, const accordi_emission *emission,
                                       bool regular, accord_error *error)
{
    accordi_buffer parameters = {0};
    const accord_arithmetic *how = w->model->arithmetic;
    accordi_value value = {0};
    enum accord_status status = ACCORD_OK;
    accordi_put_parameters(w, &parameters);
    if (w->operands->start)
        accordi_buffer_printf(&parameters, ", %s %s", accordi_type((uint8_t)how->input),
                              w->operands->start);
    accordi_line(w, "%s%s %s(%s)", emission->is_static ? "static " : "",
                 accordi_type((uint8_t)how->output), emission->name,
                 parameters.data ? parameters.data : "");
    w->out->failed |= parameters.failed;
    accordi_buffer_clear(&parameters);
    accordi_line(w, "{");
    w->indent++;
    if (regular)
        value = accordi_put_root(w);
    else
        status = accordi_put_table(w, &value, error);
    if (status == ACCORD_OK)
        put_return(w, &value);
    w->indent--;
    accordi_line(w, "}");
    return status;
}

/* A function that rounds into a format: on a grid of 2^q a magnitude is a whole number of steps.
 * All that is called is exact. */
static void put_rounding(accordi_writer *w, const char *name, enum accord_format from,
                         enum accord_format into, enum accord_rounding rounding)
{
    static const char *const steps[ACCORD_ROUNDING_COUNT] = {[ACCORD_NEAREST_EVEN] = "rint",
                                                             [ACCORD_TOWARD_ZERO] = "floor",
                                                             [ACCORD_NEAREST_AWAY] = "round"};
    const accord_format_info *row = accord_format_get(into);
    bool inward = rounding == ACCORD_TOWARD_ZERO;
    const char *past = inward ? "most" : row->has_infinity ? "HUGE_VAL" : "(double)NAN";
    accordi_line(w, "/* x as the nearest %s has it%s. */", row->name, inward ? " toward zero" : "");
    accordi_line(w, "static float %s_%s(%s x)", w->name, name, accordi_type((uint8_t)from));
    accordi_line(w, "{");
    w->indent++;
    accordi_line(w, "const double most = %.17g;", row->greatest);
    accordi_line(w, "double size = fabs((double)x);");
    accordi_line(w, "int e;");
    accordi_line(w, "if (!(size <= %s))", from == ACCORD_F32 ? "FLT_MAX" : "DBL_MAX");
    w->indent++;
    accordi_line(w, row->has_infinity ? "return (float)x;" : "return NAN;");
    w->indent--;
    accordi_line(w, "frexp(size, &e);");
    accordi_line(w, "e = (e < %d ? %d : e) - %d;", row->min_exponent + 1, row->min_exponent + 1,
                 row->precision);
    accordi_line(w, "size = ldexp(%s(ldexp(size, -e)), e);", steps[rounding]);
    accordi_line(w, "return (float)copysign(size > most ? %s : size, (double)x);", past);
    w->indent--;
    accordi_line(w, "}");
    accordi_buffer_puts(w->out, "\n");
}

static bool calls(const accordi_writer *w, const char *what, const accordi_buffer *function,
                  const accordi_buffer *parts)
{
    char called[96];
    snprintf(called, sizeof called, "%s_%s(", w->name, what);
    return (function->data && strstr(function->data, called)) ||
           (parts->data && strstr(parts->data, called));
}

/* -x. Of -fma(a, b, c) gcc 12 makes one instruction, and a zero of it has the other sign. */
static void put_negated(accordi_writer *w)
{
    accordi_line(w,
                 "/* -x: of -fma(a, b, c) gcc 12 makes one instruction, in which a zero gets the");
    accordi_line(w, " * other sign. */");
    accordi_line(w, "static double %s_negated(double x)", w->name);
    accordi_line(w, "{");
    w->indent++;
    accordi_line(w, "return copysign(x, signbit(x) ? 1.0 : -1.0);");
    w->indent--;
    accordi_line(w, "}");
    accordi_buffer_puts(w->out, "\n");
}

/* Those that the function and its parts call. */
static void put_helpers(accordi_writer *w, const accordi_buffer *function,
                        const accordi_buffer *parts)
{
    const accord_arithmetic *how = w->model->arithmetic;
    if (how->operand != ACCORD_F64)
        put_rounding(w, "rounded", how->input, how->operand, how->operand_rounding);
    for (int f = 0; f < ACCORD_FORMAT_COUNT; f++) {
        const char *name = accord_format_get((enum accord_format)f)->name;
        if (calls(w, name, function, parts))
            put_rounding(w, name, ACCORD_F64, (enum accord_format)f, ACCORD_NEAREST_EVEN);
    }
    if (calls(w, "negated", function, parts))
        put_negated(w);
}

/* Helpers, parts, the function. */
static enum accord_status put_all(accordi_writer *w, const accordi_emission *emission, bool regular,
                                  accordi_buffer *out, accord_error *error)
{
    accordi_buffer function = {0}, parts = {0}, helpers = {0};
    w->out = &function;
    if (regular)
        accordi_learn_parts(w);
    enum accord_status status = put_function(w, emission, regular, error);
    w->out = &parts;
    w->indent = 0;
    if (status == ACCORD_OK && regular)
        accordi_put_parts(w);
    w->out = &helpers;
    put_helpers(w, &function, &parts);
    if (status == ACCORD_OK) {
        accordi_buffer_append(out, helpers.data, helpers.length);
        accordi_buffer_append(out, parts.data, parts.length);
        accordi_buffer_puts(out, emission->comment ? emission->comment : "");
        accordi_buffer_append(out, function.data, function.length);
        if (helpers.failed || parts.failed || function.failed || out->failed)
            status = accordi_nomem(error);
    }
    accordi_buffer_clear(&function);
    accordi_buffer_clear(&parts);
    accordi_buffer_clear(&helpers);
    return status;
}

static enum accord_status emit_shapes(const accord_model *model, const accordi_shapes *shapes,
                                      const accordi_emission *emission, accordi_buffer *out,
                                      accord_error *error)
{
    accordi_emit_plans plans;
    bool regular;
    const accord_arithmetic *how = model->arithmetic;
    enum accord_status status =
        accordi_emit_plans_make(shapes, how->term == ACCORD_TERM_PRODUCT, &plans, &regular, error);
    if (status != ACCORD_OK)
        return status;
    accordi_writer w = {.model = model,
                        .shapes = shapes,
                        .plans = &plans,
                        .operands = &emission->operands,
                        .name = emission->name,
                        .from_zero = !how->negative_zero,
                        .index = model->tree->leaves < 1u << 30 ? "int" : "ptrdiff_t"};
    status = put_all(&w, emission, regular, out, error);
    accordi_emit_plans_clear(shapes, &plans);
    return status;
}

enum accord_status accordi_emit_function(const accord_model *model,
                                         const accordi_emission *emission, accordi_buffer *out,
                                         accord_error *error)
{
    accordi_shapes shapes;
    enum accord_status status = check(model, error);
    if (status == ACCORD_OK)
        status = accordi_shapes_make(model, &shapes, error);
    if (status != ACCORD_OK)
        return status;
    status = check_scaled(&shapes, error);
    if (status == ACCORD_OK)
        status = emit_shapes(model, &shapes, emission, out, error);
    accordi_shapes_clear(&shapes);
    return status;
}

/* ---- files ---- */

/* The headers that the functions need. */
static void put_includes(const char *functions, accordi_buffer *out)
{
    static const struct {
        const char *word, *header;
    } all[] = {{"fma", "math.h"},        {"copysign", "math.h"}, {"fabs", "math.h"},
               {"NAN", "math.h"},        {"sqrt", "math.h"},     {"size_t", "stddef.h"},
               {"ptrdiff_t", "stddef.h"}};
    const char *last = "";
    accordi_buffer_puts(out, "#include <float.h>\n");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(last, all[i].header) != 0 && strstr(functions, all[i].word)) {
            accordi_buffer_printf(out, "#include <%s>\n", all[i].header);
            last = all[i].header;
        }
}

/* gcc names AVX512-FP16 in FLT_EVAL_METHOD (16), which leaves float and double as they are. */
static const char guard[] =
    "\n"
    "/* The order of the additions below is the point of this file: nothing may change it, and\n"
    " * no multiplication may be joined to an addition but where it says fma. */\n"
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

static enum accord_status check_name(const char *name, accord_error *error)
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

enum accord_status accordi_emit_name(const char *name, accord_error *error)
{
    return check_name(name, error);
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
    enum accord_status status = check_name(name, error);
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
