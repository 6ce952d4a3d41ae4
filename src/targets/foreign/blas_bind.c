/* Which entry of a library a BLAS routine is, and which call goes with it. */
#include "targets/foreign/foreign.h"
#include <dlfcn.h>

/* How libraries spell their entries; the first that is there is taken. Complex results are not
 * returned by CBLAS, whose names then end in _sub. */
static const struct {
    const char *spelling;
    bool cblas, pair;
} entries[] = {
    {"cblas_%s", true, false},
    {"cblas_%s_sub", true, true},
    {"%s_", false, false},
    {"%s_", false, true},
    {"scipy_cblas_%s", true, false}, /* the wheels of scipy-openblas32 */
    {"scipy_cblas_%s_sub", true, true},
    {"scipy_%s_", false, false},
    {"scipy_%s_", false, true},
};

static void choose_call(accordi_foreign *f, bool cblas, const accordi_blas_row *rows, size_t count)
{
    const accordi_question *q = &f->question;
    for (size_t i = 0; i < count; i++)
        if (rows[i].family == q->family && rows[i].storage == q->storage &&
            rows[i].output == q->output && rows[i].complex == q->complex) {
            f->call = rows[i].call[cblas];
            f->product = rows[i].product[cblas];
        }
}

enum accord_status accordi_blas_bind(accordi_foreign *f, char *entry, accord_error *error)
{
    const accordi_question *q = &f->question;
    bool pair = accordi_has_complex_result(q);
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        char symbol[64];
        const char *at = strstr(entries[i].spelling, "%s");
        snprintf(symbol, sizeof symbol, "%.*s%.30s%s", (int)(at - entries[i].spelling),
                 entries[i].spelling, q->symbol, at + 2);
        void *address = entries[i].pair == pair ? dlsym(f->handle, symbol) : NULL;
        if (!address)
            continue;
        memcpy(&f->function, &address, sizeof address);
        choose_call(f, entries[i].cblas, accordi_blas_products, accordi_blas_product_count);
        choose_call(f, entries[i].cblas, accordi_blas_vectors, accordi_blas_vector_count);
        if (pair && !entries[i].cblas)
            f->call = accordi_fortran_pair(f);
        memcpy(entry, symbol, sizeof symbol);
        return ACCORD_OK;
    }
    return accordi_fail(error, ACCORD_TARGET,
                        "%.200s has neither cblas_%.24s%s nor %.24s_: give a BLAS library that has "
                        "it after @, e.g. blas:%.24s@libopenblas.so.0",
                        q->library, q->symbol, pair ? "_sub" : "", q->symbol, q->symbol);
}
