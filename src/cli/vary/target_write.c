/* What accord vary TARGET found, in words, as JSON and as CSV. */
#include "cli/vary/vary.h"
#include <jansson.h>
#include <math.h>

enum { SHOWN_OUTCOMES = 20, SHOWN_LETTERS = 6 };

/* 0: A, 25: Z, 26: AA. */
static void letter_of(size_t number, char text[16])
{
    char back[16];
    size_t length = 0, i = 0;
    do {
        back[length++] = (char)('A' + number % 26);
        number = number / 26;
    } while (number-- > 0);
    while (length)
        text[i++] = back[--length];
    text[i] = '\0';
}

static const char *name_of(const accord_vary_setting *s)
{
    return *s->name ? s->name : "runs";
}

/* printf writes it, and it says nothing. */
static double without_sign_of_nan(double x)
{
    return isnan(x) ? fabs(x) : x;
}

static double error_of(const accord_variation *in, double value)
{
    const accord_vary_expectation *e = &in->expected;
    return (value - e->exact - e->rest) / accord_vary_unit(in->output, e->exact);
}

/* How often a setting gave each outcome. */
static size_t *counts_of(const accord_variation *in, const accord_vary_setting *s)
{
    size_t *count = cli_need(accordi_calloc(in->outcomes, sizeof *count));
    for (size_t run = 0; run < s->runs; run++)
        count[s->outcome[run]]++;
    return count;
}

/* Compares a setting with the first one; false where both gave one and the same result. */
static bool compare(const accord_variation *in, size_t i, accord_vary_comparison *out)
{
    const accord_vary_summary *a = in->setting[0]->summary, *b = in->setting[i]->summary;
    return i > 0 && a->distinct + b->distinct > 2 &&
           accord_vary_compare(a, b, 0, out, NULL) == ACCORD_OK;
}

static double normal_divergence_of(const accord_vary_summary *s)
{
    accord_vary_histogram *histogram = NULL;
    if (s->distinct < 2 || accord_vary_histogram_make(s, 0, &histogram, NULL) != ACCORD_OK)
        return NAN;
    double divergence = accord_vary_normal_divergence(histogram);
    accord_vary_histogram_free(histogram);
    return divergence;
}

/* ---- text ---- */

/* "A (990), B (10)" */
static void put_letters(cli_table *table, const accord_variation *in, const accord_vary_setting *s)
{
    size_t *count = counts_of(in, s), shown = 0;
    accordi_buffer text = {0};
    char letter[16];
    for (size_t i = 0; i < in->outcomes && shown <= SHOWN_LETTERS; i++) {
        if (!count[i])
            continue;
        letter_of(i, letter);
        if (shown++ == SHOWN_LETTERS)
            accordi_buffer_printf(&text, ", and %zu more", s->distinct - SHOWN_LETTERS);
        else if (s->distinct == 1)
            accordi_buffer_puts(&text, letter);
        else
            accordi_buffer_printf(&text, "%s%s (%zu)", shown > 1 ? ", " : "", letter, count[i]);
    }
    cli_table_put(table, text.data ? text.data : "");
    accordi_buffer_clear(&text);
    free(count);
}

static void put_settings(accordi_buffer *out, const accord_variation *in)
{
    static const char *const head[] = {"setting", "runs", "results", "spread", "entropy", "which"};
    cli_table *table = cli_table_new(6);
    for (size_t i = 0; i < 6; i++)
        cli_table_put(table, head[i]);
    for (size_t i = 0; i < in->settings; i++) {
        const accord_vary_setting *s = in->setting[i];
        cli_table_put(table, name_of(s));
        cli_table_printf(table, "%zu", s->runs);
        cli_table_printf(table, "%zu", s->distinct);
        cli_table_printf(table, isnan(s->summary->spread) ? "-" : "%.4g ulp", s->summary->spread);
        cli_table_printf(table, "%.3f bit", s->summary->entropy);
        put_letters(table, in, s);
    }
    cli_table_write(table, "report", out);
    cli_table_free(table);
}

static void put_outcomes(accordi_buffer *out, const accord_variation *in)
{
    bool arrays = in->elements > 1;
    cli_table *table = cli_table_new(arrays ? 7 : 5);
    static const char *const head[] = {"result", "value", "error", "runs", "first", "Vermv", "Vc"};
    for (size_t i = 0; i < (arrays ? 7u : 5u); i++)
        cli_table_put(table, head[i]);
    for (size_t i = 0; i < in->outcomes && i < SHOWN_OUTCOMES; i++) {
        const accord_vary_outcome *o = &in->outcome[i];
        const accord_vary_setting *s = in->setting[o->setting];
        char letter[16];
        letter_of(i, letter);
        cli_table_put(table, letter);
        cli_table_printf(table, "%.17g", without_sign_of_nan(o->value));
        if (isnan(in->expected.exact) || isnan(o->value))
            cli_table_put(table, "");
        else
            cli_table_printf(table, "%+.3g ulp", error_of(in, o->value));
        cli_table_printf(table, "%zu", o->count);
        cli_table_printf(table, "%s%srun %zu", s->name, *s->name ? ", " : "", o->first + 1);
        if (arrays) {
            cli_table_printf(table, "%.3g", o->vermv);
            cli_table_printf(table, "%.3g", o->vc);
        }
    }
    cli_table_write(table, "report", out);
    cli_table_free(table);
    if (in->outcomes > SHOWN_OUTCOMES)
        accordi_buffer_printf(out, "and %zu more; --json writes them all\n",
                              in->outcomes - SHOWN_OUTCOMES);
}

static void put_expectation(accordi_buffer *out, const accord_variation *in)
{
    const accord_vary_expectation *e = &in->expected;
    double unit = accord_vary_unit(in->output, e->exact);
    if (isnan(e->exact) || isnan(unit))
        return;
    accordi_buffer_printf(out, "exact: %.17g", e->exact);
    if (isfinite(e->bound))
        accordi_buffer_printf(
            out,
            "; no order in %s or wider is further from it than %.3g ulp, and random orders "
            "have a deviation of about %.3g ulp",
            accord_format_get(e->inside)->name, e->bound / unit, e->predicted / unit);
    accordi_buffer_puts(out, "\n");
}

static void put_proofs(accordi_buffer *out, const accord_variation *in)
{
    for (size_t i = 0; i < in->settings; i++) {
        const accord_vary_setting *s = in->setting[i];
        if (s->runs == 1)
            accordi_buffer_printf(out, "%s: one run cannot show whether results vary", name_of(s));
        else if (s->distinct == 1)
            accordi_buffer_printf(out, "%s: the same bits in all %zu runs", name_of(s), s->runs);
        if (s->distinct == 1)
            accordi_buffer_printf(out, "%s%s%s%s\n", *s->words ? "; " : "", s->words,
                                  *s->order ? ": " : "", s->order);
        else if (s->places > 1)
            accordi_buffer_printf(out, "%s: %s\n", name_of(s),
                                  s->varies ? "results vary from run to run at one place"
                                            : "the result depends on the place in the batch");
    }
}

static void put_statistics(accordi_buffer *out, const accord_variation *in)
{
    accord_vary_comparison c;
    for (size_t i = 0; i < in->settings; i++) {
        const accord_vary_setting *s = in->setting[i];
        if (s->distinct > 1 && s->summary->distinct > 1)
            accordi_buffer_printf(out,
                                  "%s: deviation %.4g ulp, median %.17g; divergence from the "
                                  "nearest normal distribution %.3g nat\n",
                                  name_of(s), s->summary->deviation,
                                  accord_vary_quantile(s->summary, .5),
                                  normal_divergence_of(s->summary));
        if (compare(in, i, &c))
            accordi_buffer_printf(out,
                                  "%s, compared with %s: %zu results shared, distance of the "
                                  "distributions %.3g (p = %.2g), Jensen-Shannon divergence %.3g "
                                  "nat\n",
                                  name_of(s), name_of(in->setting[0]), c.shared, c.distance, c.p,
                                  c.divergence_js);
    }
}

void cli_vary_report(accordi_buffer *out, const accord_variation *in)
{
    accordi_buffer_printf(out, "%s, n = %zu, %s: %zu distinct result%s in %zu run%s\n", in->target,
                          in->n, accord_format_get(in->format)->name, in->outcomes,
                          in->outcomes == 1 ? "" : "s", in->runs, in->runs == 1 ? "" : "s");
    if (in->elements > 1)
        accordi_buffer_printf(out, "a run gives %zu results, of which %zu vary", in->elements,
                              in->varying);
    if (in->elements > 1 && in->varying)
        accordi_buffer_printf(out, ", result %zu by %.4g ulp; result %zu is shown", in->widest,
                              in->spread, in->element);
    accordi_buffer_puts(out, in->elements > 1 ? "\n\n" : "\n");
    put_settings(out, in);
    accordi_buffer_puts(out, "\n");
    put_outcomes(out, in);
    accordi_buffer_puts(out, "\n");
    put_expectation(out, in);
    put_statistics(out, in);
    put_proofs(out, in);
}

/* ---- JSON ---- */

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *results_of(const accord_variation *in, const accord_vary_setting *s)
{
    size_t *count = counts_of(in, s);
    json_t *all = json_array();
    for (size_t k = 0; k < in->outcomes; k++)
        if (count[k])
            json_array_append_new(all, json_pack("{s:I, s:I}", "result", (json_int_t)k, "runs",
                                                 (json_int_t)count[k]));
    free(count);
    return all;
}

static json_t *comparison_of(const accord_variation *in, size_t i)
{
    accord_vary_comparison c;
    if (!compare(in, i, &c))
        return json_null();
    return json_pack("{s:I, s:f, s:f, s:o, s:o, s:f}", "shared", (json_int_t)c.shared, "distance",
                     c.distance, "p", c.p, "divergence_from_this", real(c.divergence_ab),
                     "divergence_from_first", real(c.divergence_ba), "divergence_js",
                     c.divergence_js);
}

static json_t *statistics_of(const accord_vary_summary *m)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"q05", .05}, {"q25", .25}, {"q50", .5}, {"q75", .75}, {"q95", .95}};
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "least", real(m->least),
                            "greatest", real(m->greatest), "spread_ulp", real(m->spread), "mean",
                            real(m->mean), "deviation_ulp", real(m->deviation), "entropy",
                            real(m->entropy), "normal_divergence", real(normal_divergence_of(m)));
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        json_object_set_new(all, quantiles[i].name,
                            real(accord_vary_quantile(m, quantiles[i].share)));
    return all;
}

static json_t *settings_of(const accord_variation *in)
{
    json_t *all = json_array();
    for (size_t i = 0; i < in->settings; i++) {
        const accord_vary_setting *s = in->setting[i];
        json_array_append_new(
            all, json_pack("{s:o, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:b, s:b, s:s, s:o}", "name",
                           cli_json_text(s->name), "runs", (json_int_t)s->runs, "places",
                           (json_int_t)s->places, "distinct", (json_int_t)s->distinct, "varies",
                           s->varies, "results", results_of(in, s), "statistics",
                           statistics_of(s->summary), "compared", comparison_of(in, i), "replays",
                           s->replays, "proven", s->proven, "words", s->words, "order",
                           cli_json_text(s->order)));
    }
    return all;
}

static json_t *outcomes_of(const accord_variation *in)
{
    json_t *all = json_array();
    for (size_t i = 0; i < in->outcomes; i++) {
        const accord_vary_outcome *o = &in->outcome[i];
        char digest[65];
        for (size_t k = 0; k < 32; k++)
            snprintf(digest + 2 * k, 3, "%02x", o->digest[k]);
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:s}", "value",
                           cli_json_hexadecimal(o->value), "error_ulp",
                           real(error_of(in, o->value)), "runs", (json_int_t)o->count, "setting",
                           (json_int_t)o->setting, "first", (json_int_t)o->first, "vermv",
                           real(o->vermv), "vc", real(o->vc), "sha256", digest));
    }
    return all;
}

void cli_vary_json(accordi_buffer *out, const accord_variation *in)
{
    const accord_vary_expectation *e = &in->expected;
    json_t *expected =
        isnan(e->exact)
            ? json_null()
            : json_pack("{s:o, s:o, s:o, s:o, s:s}", "exact", cli_json_hexadecimal(e->exact),
                        "magnitude", real(e->magnitude), "bound", real(e->bound), "predicted",
                        real(e->predicted), "inside", accord_format_get(e->inside)->name);
    cli_put_json(
        out,
        json_pack("{s:i, s:s, s:o, s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, "
                  "s:o, s:o, s:o}",
                  "accord", CLI_SCHEMA, "verb", "vary", "target", cli_json_text(in->target), "n",
                  (json_int_t)in->n, "format", accord_format_get(in->format)->name, "result_format",
                  accord_format_get(in->output)->name, "inputs", (json_int_t)in->inputs, "elements",
                  (json_int_t)in->elements, "varying", (json_int_t)in->varying, "element",
                  (json_int_t)in->element, "runs", (json_int_t)in->runs, "distinct",
                  (json_int_t)in->outcomes, "largest_spread_ulp", real(in->spread), "expected",
                  expected, "settings", settings_of(in), "results", outcomes_of(in)));
}

/* ---- CSV: a row for each result of each setting ---- */

void cli_vary_csv(accordi_buffer *out, const accord_variation *in)
{
    static const char *const head[] = {"setting", "result",      "runs",
                                       "value",   "hexadecimal", "error_ulp"};
    cli_table *table = cli_table_new(6);
    for (size_t i = 0; i < 6; i++)
        cli_table_put(table, head[i]);
    for (size_t i = 0; i < in->settings; i++) {
        size_t *count = counts_of(in, in->setting[i]);
        for (size_t k = 0; k < in->outcomes; k++) {
            char letter[16];
            if (!count[k])
                continue;
            letter_of(k, letter);
            cli_table_put(table, in->setting[i]->name);
            cli_table_put(table, letter);
            cli_table_printf(table, "%zu", count[k]);
            double value = without_sign_of_nan(in->outcome[k].value);
            cli_table_printf(table, "%.17g", value);
            cli_table_printf(table, "%a", value);
            cli_table_printf(table, "%.17g", without_sign_of_nan(error_of(in, value)));
        }
        free(count);
    }
    cli_table_write(table, "csv", out);
    cli_table_free(table);
}
