/* SQLite: aggregates, also over windows, whose results do not depend on the order of rows. The
 * states are compact accumulators (exact/compact/compact.h); this file carries values in and out.
 *
 * As with sum(), NULL is skipped, text counts as the number that it begins with, and without values
 * the result is NULL; SQLite shows NaN as NULL. Integers are added exactly: all 64 bits. */
#include <sqlite3ext.h>

#include <math.h>

#include "exact/compact/compact.h"

SQLITE_EXTENSION_INIT1

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    return sqlite3_realloc64(block, bytes);
}

static const accordi_compact_memory memory = {resize, NULL};

/* What SQLite keeps for us, all zeros at first; which of the sums there are is said below. */
typedef struct state {
    accordi_compact *values, *products;
} state;

static state *state_of(sqlite3_context *context)
{
    return sqlite3_aggregate_context(context, sizeof(state));
}

#define MOST_WHOLE ((int64_t)1 << 53) /* up to here doubles hold all integers */

/* A number as one double or two, whose sum it is; the first has its sign. */
typedef struct number {
    double part[2];
    int parts;
    bool whole; /* an integer, which has no -0 */
} number;

static number number_of(sqlite3_value *value)
{
    if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER)
        return (number){{sqlite3_value_double(value), 0}, 1, false};
    int64_t i = sqlite3_value_int64(value);
    double high = (double)(i >> 32) * 4294967296.0, low = (double)(uint32_t)i;
    bool fits = (i >= -MOST_WHOLE && i <= MOST_WHOLE) || low == 0;
    return fits ? (number){{high + low, 0}, 1, true} : (number){{high, low}, 2, true};
}

/* Parts count as one term. If memory is short, the query ends, and with it the state. */
static void count_as_one(accordi_compact *sum, int parts, bool remove)
{
    sum->terms += remove ? parts - 1 : 1 - parts;
}

static bool put_value(accordi_compact **sum, number x, bool remove)
{
    if (!*sum && !(*sum = accordi_compact_new(false, &memory)))
        return false;
    count_as_one(*sum, x.parts, remove);
    for (int i = 0; i < x.parts; i++)
        if (!accordi_compact_put(sum, accordi_compact_bits(x.part[i]), remove, &memory))
            return false;
    return true;
}

static bool is_ordinary(number x)
{
    return isfinite(x.part[0]) && x.part[0] != 0;
}

static bool put_product(accordi_compact **sum, number x, number y, bool remove)
{
    if (!*sum && !(*sum = accordi_compact_new(true, &memory)))
        return false;
    if (!is_ordinary(x) || !is_ordinary(y)) { /* the first parts tell all */
        x.parts = y.parts = 1;
        if (x.whole && y.whole)
            x.part[0] = y.part[0] = 0;
    }
    count_as_one(*sum, x.parts * y.parts, remove);
    for (int i = 0; i < x.parts; i++)
        for (int j = 0; j < y.parts; j++)
            if (!accordi_compact_multiply(sum, x.part[i], y.part[j], remove, &memory))
                return false;
    return true;
}

typedef bool change(state *to, sqlite3_value **values, bool remove);

static bool change_sum(state *to, sqlite3_value **values, bool remove)
{
    return put_value(&to->values, number_of(values[0]), remove);
}

static bool change_dot(state *to, sqlite3_value **values, bool remove)
{
    return put_product(&to->products, number_of(values[0]), number_of(values[1]), remove);
}

static bool change_var(state *to, sqlite3_value **values, bool remove)
{
    number x = number_of(values[0]);
    return put_value(&to->values, x, remove) && put_product(&to->products, x, x, remove);
}

static void step(sqlite3_context *context, int count, sqlite3_value **values, bool remove,
                 change *how)
{
    state *to = state_of(context);
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(values[i]) == SQLITE_NULL)
            return;
    if (!to || !how(to, values, remove))
        sqlite3_result_error_nomem(context);
}

/* Stored sums. */
static void merge_stored(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    state *to = state_of(context);
    accordi_compact *other = NULL;
    accord_error error;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    if (!to) {
        sqlite3_result_error_nomem(context);
        return;
    }
    const void *bytes = sqlite3_value_blob(values[0]);
    size_t length = (size_t)sqlite3_value_bytes(values[0]);
    if (accordi_compact_read(&other, bytes, length, false, &memory, &error)) {
        sqlite3_result_error(context, error.text, -1);
        return;
    }
    if (!to->values) {
        to->values = other;
        return;
    }
    if (!accordi_compact_merge(&to->values, other, &memory))
        sqlite3_result_error(context, "the sum would outgrow its accumulator", -1);
    sqlite3_free(other);
}

/* Results; all values may have left the window again. */

typedef void show(sqlite3_context *context, const state *from);

static void show_sum(sqlite3_context *context, const state *from)
{
    if (from->values && from->values->terms)
        sqlite3_result_double(context, accordi_compact_sum_f64(from->values));
}

static void show_avg(sqlite3_context *context, const state *from)
{
    if (from->values && from->values->terms)
        sqlite3_result_double(context, accordi_compact_mean(from->values));
}

static void show_dot(sqlite3_context *context, const state *from)
{
    if (from->products && from->products->terms)
        sqlite3_result_double(context, accordi_compact_sum_f64(from->products));
}

static void show_var(sqlite3_context *context, const state *from)
{
    if (from->values && from->values->terms > 1)
        sqlite3_result_double(context,
                              accordi_compact_variance(from->values, from->products, false));
}

static void show_var_pop(sqlite3_context *context, const state *from)
{
    if (from->values && from->values->terms)
        sqlite3_result_double(context,
                              accordi_compact_variance(from->values, from->products, true));
}

static void show_state(sqlite3_context *context, const state *from)
{
    unsigned char bytes[ACCORDI_COMPACT_BYTES];
    if (from->values && from->values->terms)
        sqlite3_result_blob(context, bytes, (int)accordi_compact_write(from->values, bytes),
                            SQLITE_TRANSIENT);
}

static void value(sqlite3_context *context, show *what)
{
    state *from = state_of(context);
    if (from)
        what(context, from);
    else
        sqlite3_result_error_nomem(context);
}

/* SQLite calls this last, after errors too. Without a row there is no state: the result is NULL. */
static void finish(sqlite3_context *context, show *what)
{
    state *from = sqlite3_aggregate_context(context, 0);
    if (!from)
        return;
    what(context, from);
    sqlite3_free(from->values);
    sqlite3_free(from->products);
    from->values = from->products = NULL;
}

#define STEPS(what_)                                                                               \
    static void add_##what_(sqlite3_context *context, int count, sqlite3_value **values)           \
    {                                                                                              \
        step(context, count, values, false, change_##what_);                                       \
    }                                                                                              \
    static void remove_##what_(sqlite3_context *context, int count, sqlite3_value **values)        \
    {                                                                                              \
        step(context, count, values, true, change_##what_);                                        \
    }
#define RESULTS(what_)                                                                             \
    static void value_##what_(sqlite3_context *context)                                            \
    {                                                                                              \
        value(context, show_##what_);                                                              \
    }                                                                                              \
    static void finish_##what_(sqlite3_context *context)                                           \
    {                                                                                              \
        finish(context, show_##what_);                                                             \
    }
STEPS(sum)
STEPS(dot)
STEPS(var)
RESULTS(sum)
RESULTS(avg)
RESULTS(dot)
RESULTS(var)
RESULTS(var_pop)
RESULTS(state)

/* Without `remove` it is no function over windows that move. */
static const struct {
    const char *name;
    int count;
    void (*add)(sqlite3_context *context, int count, sqlite3_value **values);
    void (*remove)(sqlite3_context *context, int count, sqlite3_value **values);
    void (*finish)(sqlite3_context *context);
    void (*value)(sqlite3_context *context);
} aggregates[] = {
    {"exact_sum", 1, add_sum, remove_sum, finish_sum, value_sum},
    {"exact_avg", 1, add_sum, remove_sum, finish_avg, value_avg},
    {"exact_dot", 2, add_dot, remove_dot, finish_dot, value_dot},
    {"exact_var", 1, add_var, remove_var, finish_var, value_var},
    {"exact_var_samp", 1, add_var, remove_var, finish_var, value_var},
    {"exact_var_pop", 1, add_var, remove_var, finish_var_pop, value_var_pop},
    {"exact_state", 1, add_sum, remove_sum, finish_state, value_state},
    {"exact_sum_of", 1, merge_stored, NULL, finish_sum, NULL},
    {"exact_avg_of", 1, merge_stored, NULL, finish_avg, NULL},
    {"exact_merge", 1, merge_stored, NULL, finish_state, NULL},
};

ACCORD_API int sqlite3_accordsqlite_init(sqlite3 *db, char **error,
                                         const sqlite3_api_routines *api);

int sqlite3_accordsqlite_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    (void)error;
    SQLITE_EXTENSION_INIT2(api);
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++) {
        int status = sqlite3_create_window_function(
            db, aggregates[i].name, aggregates[i].count, flags, NULL, aggregates[i].add,
            aggregates[i].finish, aggregates[i].value, aggregates[i].remove, NULL);
        if (status != SQLITE_OK)
            return status;
    }
    return SQLITE_OK;
}
