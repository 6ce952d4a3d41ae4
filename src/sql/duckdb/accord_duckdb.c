/* DuckDB: aggregates whose results do not depend on the number of threads. The states are compact
 * accumulators (exact/compact/compact.h); this file carries vectors in and out.
 *
 * DuckDB keeps a state for each group, may move it, and combines states in any order; it computes
 * windows by combining, too, so a state that is combined stays as it is. */
#include "exact/compact/compact.h"
#include "sql/duckdb/api.h"

/* The functions of DuckDB, the same for all databases of a process. */
#define POINTER(name_, place_, result_, parameters_) result_(*name_) parameters_;
static struct {
    DUCKDB_FUNCTIONS(POINTER)
} duckdb;

/* A sum of a state lies in it while it is short: there DuckDB has just been when it found the
 * group, and no memory is asked for. Of a longer one the state has the place alone, and `limbs` is
 * 0. DuckDB may move states, so nothing points to one. Short states matter most: tables of groups
 * are large. */
typedef accordi_compact slot;

enum { VALUE_LIMBS = 4, PRODUCT_LIMBS = 6, HEAD = sizeof(accordi_compact), LIMB = sizeof(int64_t) };
enum { VALUE_BYTES = HEAD + VALUE_LIMBS * LIMB, PRODUCT_BYTES = HEAD + PRODUCT_LIMBS * LIMB };

static accordi_compact *sum_of(slot *s)
{
    accordi_compact *elsewhere;
    if (s->limbs)
        return s;
    memcpy(&elsewhere, s->word, sizeof elsewhere);
    return elsewhere;
}

/* After a function that may have moved it. */
static void keep(slot *s, accordi_compact *sum)
{
    if (sum == s)
        return;
    s->limbs = 0;
    memcpy(s->word, &sum, sizeof sum);
}

/* The context is the slot. */
static void *resize(void *context, void *block, size_t bytes)
{
    slot *s = context;
    if (s && block == s) {
        void *made = bytes ? malloc(bytes) : NULL;
        if (made)
            memcpy(made, s, accordi_compact_size(s->limbs, false));
        return made;
    }
    if (bytes)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

static __attribute__((noinline)) bool add_slowly(slot *s, double x)
{
    accordi_compact *sum = sum_of(s);
    bool good = accordi_compact_add(&sum, x, &(accordi_compact_memory){resize, s});
    keep(s, sum);
    return good;
}

static inline bool add(slot *s, double x)
{
    return accordi_compact_put_plain(sum_of(s), accordi_compact_bits(x), false) || add_slowly(s, x);
}

static bool add_all(slot *s, uint64_t n, const double *x)
{
    accordi_compact *sum = sum_of(s);
    bool good = accordi_compact_add_array(&sum, n, x, &(accordi_compact_memory){resize, s});
    keep(s, sum);
    return good;
}

static bool multiply(slot *s, double x, double y)
{
    accordi_compact *sum = sum_of(s);
    bool good = accordi_compact_multiply(&sum, x, y, false, &(accordi_compact_memory){resize, s});
    keep(s, sum);
    return good;
}

static bool merge(slot *s, const accordi_compact *other)
{
    accordi_compact *sum = sum_of(s);
    bool good = accordi_compact_merge(&sum, other, &(accordi_compact_memory){resize, s});
    keep(s, sum);
    return good;
}

/* A state has a slot for values, one for products, or both. */
enum { VALUES = 1, PRODUCTS = 2 };

static slot *products_of(void *state, int slots)
{
    return (slot *)((char *)state + (slots & VALUES ? VALUE_BYTES : 0));
}

static void init(void *state, int slots)
{
    if (slots & VALUES)
        accordi_compact_start(state, VALUE_LIMBS, false);
    if (slots & PRODUCTS)
        accordi_compact_start(products_of(state, slots), PRODUCT_LIMBS, true);
}

static void free_slot(slot *s)
{
    if (!s->limbs)
        free(sum_of(s));
    s->limbs = 1;
}

static void destroy(void **states, uint64_t count, int slots)
{
    for (uint64_t i = 0; i < count; i++) {
        if (slots & VALUES)
            free_slot(states[i]);
        if (slots & PRODUCTS)
            free_slot(products_of(states[i], slots));
    }
}

static void no_memory(duckdb_handle info)
{
    duckdb.aggregate_function_set_error(info, "accord: out of memory");
}

static void combine(duckdb_handle info, void **from, void **to, uint64_t count, int slots)
{
    bool good = true;
    for (uint64_t i = 0; i < count && good; i++) {
        if (slots & VALUES)
            good = merge(to[i], sum_of(from[i]));
        if (slots & PRODUCTS)
            good = good && merge(products_of(to[i], slots), sum_of(products_of(from[i], slots)));
    }
    if (!good)
        no_memory(info);
}

#define STATE(what_, slots_)                                                                       \
    static uint64_t size_##what_(duckdb_handle info)                                               \
    {                                                                                              \
        (void)info;                                                                                \
        return ((slots_)&VALUES ? VALUE_BYTES : 0) + ((slots_)&PRODUCTS ? PRODUCT_BYTES : 0);      \
    }                                                                                              \
    static void init_##what_(duckdb_handle info, void *at)                                         \
    {                                                                                              \
        (void)info;                                                                                \
        init(at, slots_);                                                                          \
    }                                                                                              \
    static void destroy_##what_(void **states, uint64_t count)                                     \
    {                                                                                              \
        destroy(states, count, slots_);                                                            \
    }                                                                                              \
    static void combine_##what_(duckdb_handle info, void **from, void **to, uint64_t count)        \
    {                                                                                              \
        combine(info, from, to, count, slots_);                                                    \
    }
STATE(values, VALUES)
STATE(products, PRODUCTS)
STATE(both, VALUES | PRODUCTS)

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

/* Without groups all rows have one state. */
static bool is_one(void **states, uint64_t n)
{
    return n > 0 && memcmp(states, states + 1, (n - 1) * sizeof *states) == 0;
}

static bool add_to_one(slot *to, column x, uint64_t n)
{
    enum { ROOM = 512 };
    double kept[ROOM];
    uint64_t filled = 0;
    if (!x.validity)
        return add_all(to, n, x.data);
    for (uint64_t i = 0; i < n; i++) {
        kept[filled] = number_at(x, i);
        filled += !is_null(x, i);
        if (filled == ROOM) {
            if (!add_all(to, filled, kept))
                return false;
            filled = 0;
        }
    }
    return add_all(to, filled, kept);
}

/* Groups lie anywhere: those that come are fetched while others are added to. */
static void fetch(void **states, uint64_t i, uint64_t n)
{
    enum { AHEAD = 8 };
    const slot *s = states[i + AHEAD < n ? i + AHEAD : i];
    __builtin_prefetch(s, 1);
    __builtin_prefetch(&s->word[VALUE_LIMBS - 1], 1);
}

static bool add_to_each(void **states, column x, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        fetch(states, i, n);
        if (!is_null(x, i) && !add(states[i], number_at(x, i)))
            return false;
    }
    return true;
}

static void add_sum(duckdb_handle info, duckdb_handle chunk, void **states)
{
    column x = column_of(chunk, 0);
    uint64_t n = duckdb.data_chunk_get_size(chunk);
    if (!(is_one(states, n) ? add_to_one(states[0], x, n) : add_to_each(states, x, n)))
        no_memory(info);
}

static void add_dot(duckdb_handle info, duckdb_handle chunk, void **states)
{
    column x = column_of(chunk, 0), y = column_of(chunk, 1);
    for (uint64_t i = 0, n = duckdb.data_chunk_get_size(chunk); i < n; i++)
        if (!is_null(x, i) && !is_null(y, i) &&
            !multiply(states[i], number_at(x, i), number_at(y, i))) {
            no_memory(info);
            return;
        }
}

static void add_var(duckdb_handle info, duckdb_handle chunk, void **states)
{
    column c = column_of(chunk, 0);
    for (uint64_t i = 0, n = duckdb.data_chunk_get_size(chunk); i < n; i++) {
        slot *to = states[i];
        double x = number_at(c, i);
        if (!is_null(c, i) && (!add(to, x) || !multiply(products_of(to, VALUES), x, x))) {
            no_memory(info);
            return;
        }
    }
}

/* Stored sums. */
static void add_state(duckdb_handle info, duckdb_handle chunk, void **states)
{
    const accordi_compact_memory memory = {resize, NULL};
    column c = column_of(chunk, 0);
    for (uint64_t i = 0, n = duckdb.data_chunk_get_size(chunk); i < n; i++) {
        const duckdb_bytes *b = (const duckdb_bytes *)c.data + i;
        accordi_compact *other = NULL;
        accord_error error;
        if (is_null(c, i))
            continue;
        if (accordi_compact_read(&other, duckdb_bytes_of(b), b->length, false, &memory, &error)) {
            duckdb.aggregate_function_set_error(info, error.text);
            return;
        }
        bool merged = merge(states[i], other);
        free(other);
        if (!merged) {
            duckdb.aggregate_function_set_error(info, "the sum would outgrow its accumulator");
            return;
        }
    }
}

/* Results. */

static bool result_sum(slot *from, double *out)
{
    const accordi_compact *sum = sum_of(from);
    return sum->terms > 0 && (*out = accordi_compact_sum_f64(sum), true);
}

static bool result_avg(slot *from, double *out)
{
    const accordi_compact *sum = sum_of(from);
    return sum->terms > 0 && (*out = accordi_compact_mean(sum), true);
}

static bool variance(slot *from, bool population, double *out)
{
    const accordi_compact *values = sum_of(from), *products = sum_of(products_of(from, VALUES));
    return values->terms > !population &&
           (*out = accordi_compact_variance(values, products, population), true);
}

static bool result_var(slot *from, double *out)
{
    return variance(from, false, out);
}

static bool result_var_pop(slot *from, double *out)
{
    return variance(from, true, out);
}

static void set_null(duckdb_handle result, uint64_t row)
{
    duckdb.vector_ensure_validity_writable(result);
    duckdb.validity_set_row_invalid(duckdb.vector_get_validity(result), row);
}

static void finish(void **states, duckdb_handle result, uint64_t count, uint64_t offset,
                   bool (*result_of)(slot *from, double *out))
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
FINISH(var)
FINISH(var_pop)

static void finish_state(duckdb_handle info, void **states, duckdb_handle result, uint64_t count,
                         uint64_t offset)
{
    (void)info;
    for (uint64_t i = 0; i < count; i++) {
        const accordi_compact *sum = sum_of(states[i]);
        unsigned char bytes[ACCORDI_COMPACT_BYTES];
        if (sum->terms > 0)
            duckdb.vector_assign_string_element_len(result, offset + i, (const char *)bytes,
                                                    accordi_compact_write(sum, bytes));
        else
            set_null(result, offset + i);
    }
}

typedef struct kind {
    uint64_t (*size)(duckdb_handle info);
    void (*init)(duckdb_handle info, void *state);
    void (*destroy)(void **states, uint64_t count);
    void (*combine)(duckdb_handle info, void **from, void **to, uint64_t count);
} kind;

static const kind values = {size_values, init_values, destroy_values, combine_values},
                  products = {size_products, init_products, destroy_products, combine_products},
                  both = {size_both, init_both, destroy_both, combine_both};

static const struct {
    const char *name;
    int parameters, type, result;
    const kind *state;
    void (*add)(duckdb_handle info, duckdb_handle chunk, void **states);
    void (*finish)(duckdb_handle info, void **states, duckdb_handle result, uint64_t count,
                   uint64_t offset);
} aggregates[] = {
    {"exact_sum", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, &values, add_sum, finish_sum},
    {"exact_avg", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, &values, add_sum, finish_avg},
    {"exact_dot", 2, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, &products, add_dot, finish_sum},
    {"exact_var", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, &both, add_var, finish_var},
    {"exact_var_samp", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, &both, add_var, finish_var},
    {"exact_var_pop", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, &both, add_var, finish_var_pop},
    {"exact_state", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_BLOB, &values, add_sum, finish_state},
    {"exact_sum_of", 1, DUCKDB_TYPE_BLOB, DUCKDB_TYPE_DOUBLE, &values, add_state, finish_sum},
    {"exact_avg_of", 1, DUCKDB_TYPE_BLOB, DUCKDB_TYPE_DOUBLE, &values, add_state, finish_avg},
    {"exact_merge", 1, DUCKDB_TYPE_BLOB, DUCKDB_TYPE_BLOB, &values, add_state, finish_state},
};

static bool register_one(duckdb_handle connection, size_t i)
{
    const kind *state = aggregates[i].state;
    duckdb_handle function = duckdb.create_aggregate_function();
    duckdb_handle type = duckdb.create_logical_type(aggregates[i].type);
    duckdb_handle result = duckdb.create_logical_type(aggregates[i].result);
    duckdb.aggregate_function_set_name(function, aggregates[i].name);
    for (int k = 0; k < aggregates[i].parameters; k++)
        duckdb.aggregate_function_add_parameter(function, type);
    duckdb.aggregate_function_set_return_type(function, result);
    duckdb.aggregate_function_set_functions(function, state->size, state->init, aggregates[i].add,
                                            state->combine, aggregates[i].finish);
    duckdb.aggregate_function_set_destructor(function, state->destroy);
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
