/* Sums as JSON: doc/json.md. */
#include "cli/sums/tally.h"
#include <jansson.h>
#include <math.h>

static void put_json_number(accordi_buffer *out, enum accord_format format, double x)
{
    if (!isfinite(x))
        accordi_buffer_puts(out, "null");
    else if (x == 0)
        accordi_buffer_puts(out, signbit(x) ? "-0.0" : "0");
    else
        cli_put_number(out, format, x);
}

static void put_json_error(accordi_buffer *out, const char *name, bool known, double x)
{
    accordi_buffer_printf(out, ", \"%s\": ", name);
    put_json_number(out, ACCORD_F64, known ? x : (double)NAN);
}

static void put_json_naive(accordi_buffer *out, const cli_result *r)
{
    accordi_buffer_puts(out, ", \"naive\": {\"sum\": ");
    put_json_number(out, r->format, r->naive_sum);
    accordi_buffer_puts(out, ", \"sum_hex\": \"");
    cli_put_hex(out, r->naive_sum);
    accordi_buffer_puts(out, "\"");
    put_json_error(out, "error", r->error_known, r->error);
    put_json_error(out, "relative_error", r->error_known, r->relative);
    put_json_error(out, "ulps", r->error_known, r->ulps);
    accordi_buffer_puts(out, "}");
}

/* Members of an object. */
static void put_json_result(accordi_buffer *out, const cli_result *r)
{
    static const char *const counts[] = {"terms", "nan", "plus_infinity", "minus_infinity"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        accordi_buffer_printf(out, "\"%s\": %lld, ", counts[i], (long long)r->count[i]);
    accordi_buffer_puts(out, "\"sum\": ");
    put_json_number(out, r->format, r->value);
    accordi_buffer_puts(out, ", \"sum_hex\": \"");
    cli_put_hex(out, r->value);
    accordi_buffer_printf(out, "\", \"exact\": %s", r->exact ? "true" : "false");
    if (r->decimal)
        accordi_buffer_printf(out, ", \"decimal\": \"%s\"", r->decimal);
    if (r->naive)
        put_json_naive(out, r);
}

static void put_json_group(accordi_buffer *out, const cli_result *r)
{
    json_t *key = cli_json_text(r->key);
    char *text = key ? json_dumps(key, JSON_ENCODE_ANY) : NULL;
    out->failed |= !text;
    if (text)
        accordi_buffer_printf(out, "{\"key\": %s, ", text);
    put_json_result(out, r);
    accordi_buffer_puts(out, "}");
    free(text);
    json_decref(key);
}

void cli_put_results_json(accordi_buffer *out, const cli_args *args, const cli_results *results,
                          int64_t skipped)
{
    bool keys = !results->one;
    accordi_buffer_printf(out,
                          "{\n  \"accord\": %d,\n  \"verb\": \"%s\",\n  \"format\": \"%s\",\n"
                          "  \"rounding\": \"%s\",\n",
                          CLI_SCHEMA, args->verb->name,
                          accord_format_get(results->how->format)->name,
                          cli_roundings[results->how->rounding]);
    if (skipped >= 0)
        accordi_buffer_printf(out, "  \"skipped\": %lld,\n", (long long)skipped);
    accordi_buffer_puts(out, keys ? "  \"groups\": [" : "  ");
    if (!keys)
        put_json_result(out, results->one);
    for (size_t i = 0; keys && i < cli_results_count(results); i++) {
        cli_result r;
        out->failed |= !cli_results_get(results, i, &r);
        if (out->failed)
            return;
        accordi_buffer_puts(out, i ? ",\n    " : "\n    ");
        put_json_group(out, &r);
        free(r.decimal);
        cli_results_flow(results, out);
    }
    accordi_buffer_puts(out, keys ? "\n  ]\n}\n" : "\n}\n");
}
