/* DuckDB: aggregates whose results do not depend on the number of threads. The states are compact
 * accumulators (exact/compact/compact.h); this file carries vectors in and out.
 *
 * DuckDB keeps a struct of two pointers for each group, may move it, and combines states in any
 * order; it computes windows by combining, too, so a state that is combined stays as it is. */
#include "exact/compact/compact.h"
#include "sql/duckdb/api.h"

/* The functions of DuckDB, the same for all databases of a process. */
#define POINTER(name_, place_, result_, parameters_) result_(*name_) parameters_;
static struct {
    DUCKDB_FUNCTIONS(POINTER)
} duckdb;

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    if (bytes)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

static const accordi_compact_memory memory = {resize, NULL};

typedef struct state {
    accordi_compact *values, *products;
} state;

static uint64_t state_size(duckdb_handle info)
{
    (void)info;
    return sizeof(state);
}

static void state_init(duckdb_handle info, void *at)
{
    (void)info;
    memset(at, 0, sizeof(state));
}

static void state_destroy(void **states, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        state *s = states[i];
        free(s->values);
        free(s->products);
        memset(s, 0, sizeof *s);
    }
}

static bool make_sure(accordi_compact **sum, bool products)
{
    if (!*sum)
        *sum = accordi_compact_new(products, &memory);
    return *sum != NULL;
}

/* A column of a chunk; without NULL it has no validity. */
typedef struct column {
    const void *data;
    const uint64_t *validity;
} column;

static column column_of(duckdb_handle chunk, uint64_t which)
{
    duckdb_handle vector = duckdb.data_chunk_get_vector(chunk, which);
    return (column){duckdb.vector_get_data(vector), duckdb.vector_get_validity(vector)};
}

static bool is_null(column c, uint64_t row)
{
    return c.validity && !(c.validity[row / 64] >> (row % 64) & 1);
}

static double number_at(column c, uint64_t row)
{
    return ((const double *)c.data)[row];
}

static void no_memory(duckdb_handle info)
{
    duckdb.aggregate_function_set_error(info, "accord: out of memory");
}

/* Without groups, and without NULL, a column is an array. */
static bool is_array(column c, void **states, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++)
        if (states[i] != states[0])
            return false;
    return n && !c.validity;
}

static void add_sum(duckdb_handle info, duckdb_handle chunk, void **states)
{
    column x = column_of(chunk, 0);
    uint64_t n = duckdb.data_chunk_get_size(chunk);
    if (is_array(x, states, n)) {
        accordi_compact **sum = &((state *)states[0])->values;
        if (!make_sure(sum, false) || !accordi_compact_add_array(sum, n, x.data, &memory))
            no_memory(info);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        state *to = states[i];
        if (is_null(x, i))
            continue;
        if (!make_sure(&to->values, false) ||
            !accordi_compact_add(&to->values, number_at(x, i), &memory)) {
            no_memory(info);
            return;
        }
    }
}

static void add_dot(duckdb_handle info, duckdb_handle chunk, void **states)
{
    column x = column_of(chunk, 0), y = column_of(chunk, 1);
    for (uint64_t i = 0, n = duckdb.data_chunk_get_size(chunk); i < n; i++) {
        state *to = states[i];
        if (is_null(x, i) || is_null(y, i))
            continue;
        if (!make_sure(&to->products, true) ||
            !accordi_compact_multiply(&to->products, number_at(x, i), number_at(y, i), false,
                                      &memory)) {
            no_memory(info);
            return;
        }
    }
}

static void add_var(duckdb_handle info, duckdb_handle chunk, void **states)
{
    column c = column_of(chunk, 0);
    for (uint64_t i = 0, n = duckdb.data_chunk_get_size(chunk); i < n; i++) {
        state *to = states[i];
        if (is_null(c, i))
            continue;
        double x = number_at(c, i);
        if (!make_sure(&to->values, false) || !make_sure(&to->products, true) ||
            !accordi_compact_add(&to->values, x, &memory) ||
            !accordi_compact_multiply(&to->products, x, x, false, &memory)) {
            no_memory(info);
            return;
        }
    }
}

/* Stored sums. */
static void add_state(duckdb_handle info, duckdb_handle chunk, void **states)
{
    column c = column_of(chunk, 0);
    for (uint64_t i = 0, n = duckdb.data_chunk_get_size(chunk); i < n; i++) {
        state *to = states[i];
        const duckdb_bytes *b = (const duckdb_bytes *)c.data + i;
        accordi_compact *other = NULL;
        accord_error error;
        if (is_null(c, i))
            continue;
        if (accordi_compact_read(&other, duckdb_bytes_of(b), b->length, false, &memory, &error)) {
            duckdb.aggregate_function_set_error(info, error.text);
            return;
        }
        bool merged =
            make_sure(&to->values, false) && accordi_compact_merge(&to->values, other, &memory);
        free(other);
        if (!merged) {
            duckdb.aggregate_function_set_error(info, "the sum would outgrow its accumulator");
            return;
        }
    }
}

static bool merge_into(accordi_compact **to, const accordi_compact *from)
{
    return !from || (make_sure(to, from->products) && accordi_compact_merge(to, from, &memory));
}

static void combine(duckdb_handle info, void **from, void **to, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const state *source = from[i];
        state *target = to[i];
        if (!merge_into(&target->values, source->values) ||
            !merge_into(&target->products, source->products)) {
            no_memory(info);
            return;
        }
    }
}

/* Results. */

static bool has(const accordi_compact *sum, int64_t terms)
{
    return sum && sum->terms >= terms;
}

static bool result_sum(const state *from, double *out)
{
    return has(from->values, 1) && (*out = accordi_compact_sum_f64(from->values), true);
}

static bool result_avg(const state *from, double *out)
{
    return has(from->values, 1) && (*out = accordi_compact_mean(from->values), true);
}

static bool result_dot(const state *from, double *out)
{
    return has(from->products, 1) && (*out = accordi_compact_sum_f64(from->products), true);
}

static bool result_var(const state *from, double *out)
{
    return has(from->values, 2) &&
           (*out = accordi_compact_variance(from->values, from->products, false), true);
}

static bool result_var_pop(const state *from, double *out)
{
    return has(from->values, 1) &&
           (*out = accordi_compact_variance(from->values, from->products, true), true);
}

static void set_null(duckdb_handle result, uint64_t row)
{
    duckdb.vector_ensure_validity_writable(result);
    duckdb.validity_set_row_invalid(duckdb.vector_get_validity(result), row);
}

static void finish(void **states, duckdb_handle result, uint64_t count, uint64_t offset,
                   bool (*result_of)(const state *from, double *out))
{
    double *out = duckdb.vector_get_data(result);
    for (uint64_t i = 0; i < count; i++)
        if (!result_of(states[i], &out[offset + i]))
            set_null(result, offset + i);
}

#define FINISH(what_)                                                                              \
    static void finish_##what_(duckdb_handle info, void **states, duckdb_handle result,            \
                               uint64_t count, uint64_t offset)                                    \
    {                                                                                              \
        (void)info;                                                                                \
        finish(states, result, count, offset, result_##what_);                                     \
    }
FINISH(sum)
FINISH(avg)
FINISH(dot)
FINISH(var)
FINISH(var_pop)

static void finish_state(duckdb_handle info, void **states, duckdb_handle result, uint64_t count,
                         uint64_t offset)
{
    (void)info;
    for (uint64_t i = 0; i < count; i++) {
        const state *from = states[i];
        unsigned char bytes[ACCORDI_COMPACT_BYTES];
        if (has(from->values, 1))
            duckdb.vector_assign_string_element_len(result, offset + i, (const char *)bytes,
                                                    accordi_compact_write(from->values, bytes));
        else
            set_null(result, offset + i);
    }
}

static const struct {
    const char *name;
    int parameters, type, result;
    void (*add)(duckdb_handle info, duckdb_handle chunk, void **states);
    void (*finish)(duckdb_handle info, void **states, duckdb_handle result, uint64_t count,
                   uint64_t offset);
} aggregates[] = {
    {"exact_sum", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, add_sum, finish_sum},
    {"exact_avg", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, add_sum, finish_avg},
    {"exact_dot", 2, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, add_dot, finish_dot},
    {"exact_var", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, add_var, finish_var},
    {"exact_var_samp", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, add_var, finish_var},
    {"exact_var_pop", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, add_var, finish_var_pop},
    {"exact_state", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_BLOB, add_sum, finish_state},
    {"exact_sum_of", 1, DUCKDB_TYPE_BLOB, DUCKDB_TYPE_DOUBLE, add_state, finish_sum},
    {"exact_avg_of", 1, DUCKDB_TYPE_BLOB, DUCKDB_TYPE_DOUBLE, add_state, finish_avg},
    {"exact_merge", 1, DUCKDB_TYPE_BLOB, DUCKDB_TYPE_BLOB, add_state, finish_state},
};

static bool register_one(duckdb_handle connection, size_t i)
{
    duckdb_handle function = duckdb.create_aggregate_function();
    duckdb_handle type = duckdb.create_logical_type(aggregates[i].type);
    duckdb_handle result = duckdb.create_logical_type(aggregates[i].result);
    duckdb.aggregate_function_set_name(function, aggregates[i].name);
    for (int k = 0; k < aggregates[i].parameters; k++)
        duckdb.aggregate_function_add_parameter(function, type);
    duckdb.aggregate_function_set_return_type(function, result);
    duckdb.aggregate_function_set_functions(function, state_size, state_init, aggregates[i].add,
                                            combine, aggregates[i].finish);
    duckdb.aggregate_function_set_destructor(function, state_destroy);
    bool done = duckdb.register_aggregate_function(connection, function) == 0;
    duckdb.destroy_logical_type(&type);
    duckdb.destroy_logical_type(&result);
    duckdb.destroy_aggregate_function(&function);
    return done;
}

ACCORD_API bool accord_init_c_api(duckdb_handle info, struct duckdb_extension_access *access);

bool accord_init_c_api(duckdb_handle info, struct duckdb_extension_access *access)
{
    duckdb_function *const *api = access->get_api(info, "v1.2.0");
    duckdb_handle connection;
    bool done = true;
    if (!api)
        return false; /* DuckDB has said why */
#define TAKE(name_, place_, result_, parameters_)                                                  \
    duckdb.name_ = (result_(*) parameters_)api[place_];
    DUCKDB_FUNCTIONS(TAKE)
    if (duckdb.connect(*access->get_database(info), &connection)) {
        access->set_error(info, "accord: no connection to the database");
        return false;
    }
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates && done; i++)
        done = register_one(connection, i);
    duckdb.disconnect(&connection);
    if (!done)
        access->set_error(info, "accord: the aggregates could not be registered");
    return done;
}
