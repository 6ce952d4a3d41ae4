/* The arithmetic as a list, found by probes: parameters of matrix accelerators, and what becomes
 * of special values. */
#include "native/native.h"
#include "reveal/arithmetic/special_values.h"
#include "reveal/machine/parameters.h"

static const char *const roundings[] = {"to nearest, ties to even", "toward zero", "down", "up"};
static const char *const schemes[] = {"chain of multiply-adds", "pairwise", "aligned with c",
                                      "aligned, then c"};

static PyObject *value_of(enum accordi_feature feature, int value)
{
    switch (accordi_feature_get(feature)->kind) {
    case ACCORDI_FEATURE_YES_NO:
        return PyBool_FromLong(value);
    case ACCORDI_FEATURE_OF_FORMAT:
        return PyUnicode_FromString(accord_format_get((enum accord_format)value)->name);
    case ACCORDI_FEATURE_OF_ROUNDING:
        return PyUnicode_FromString(roundings[value]);
    case ACCORDI_FEATURE_OF_SCHEME:
        return PyUnicode_FromString(schemes[value]);
    default:
        return PyLong_FromLong(value);
    }
}

static bool may_be(const accordi_features_report *r, enum accordi_feature f, int value)
{
    return (r->range[f].beyond_least || value >= r->range[f].least) &&
           (r->range[f].beyond_most || value <= r->range[f].most);
}

/* Whether a row of the table agrees in all that can be seen. */
static bool agrees(const accordi_features_report *r, const accord_fused *row)
{
    if (row->scale_block || row->block || row->scheme != r->machine.scheme)
        return false;
    for (int f = 0; f < ACCORDI_FEATURES; f++)
        if (accordi_feature_applies(row, (enum accordi_feature)f) &&
            !may_be(r, (enum accordi_feature)f,
                    accordi_feature_value(row, (enum accordi_feature)f)))
            return false;
    return true;
}

static PyObject *machines(const accordi_features_report *r)
{
    PyObject *list = PyList_New(0);
    const accord_fused *row;
    for (size_t i = 0; list && (row = accord_fused_at(i)); i++) {
        PyObject *name = agrees(r, row) ? PyUnicode_FromString(row->name) : NULL;
        if (name && PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* (name, value, least, most, open below, open above, about, how) of each that applies. */
static PyObject *parameters(const accordi_features_report *r)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < ACCORDI_FEATURES; i++) {
        enum accordi_feature f = (enum accordi_feature)i;
        const accordi_feature_info *info = accordi_feature_get(f);
        if (!accordi_feature_applies(&r->machine, f))
            continue;
        PyObject *row = Py_BuildValue(
            "(sNNNNNss)", info->name, value_of(f, accordi_feature_value(&r->machine, f)),
            value_of(f, r->range[f].least), value_of(f, r->range[f].most),
            PyBool_FromLong(r->range[f].beyond_least), PyBool_FromLong(r->range[f].beyond_most),
            info->about, info->how);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *specials_of(const accordi_specials_report *r)
{
    PyObject *all = PyDict_New();
    for (int s = 0; all && s < ACCORDI_SPECIALS; s++) {
        const char *about;
        PyObject *word = PyUnicode_FromString(accordi_seen_words(r->seen[s]));
        if (!word || PyDict_SetItemString(
                         all, accordi_special_name((enum accordi_special)s, &about), word) < 0)
            Py_CLEAR(all);
        Py_XDECREF(word);
    }
    return all;
}

typedef struct found {
    accordi_features_report machine;
    accordi_specials_report specials;
    bool fused;
    accord_error why;
} found;

/* Without the interpreter. */
static enum accord_status look(native_target *t, const accord_tree *tree, uint64_t seed, found *out,
                               accord_error *error)
{
    accordi_asker asker;
    accord_arithmetic *arithmetic = NULL;
    accordi_ask_init(&asker, t->target, seed, &out->why);
    asker.progress = native_talk_progress;
    asker.progress_context = &t->talk;
    enum accord_status status = accordi_features_find(&asker, tree, &arithmetic, &out->machine);
    out->fused = status == ACCORD_OK;
    if (status == ACCORD_UNSUPPORTED || status == ACCORD_UNABLE)
        status = asker.status = ACCORD_OK;
    else if (status)
        *error = out->why;
    asker.error = error;
    if (!status)
        status = accordi_specials_find(&asker, tree, &out->specials);
    accord_arithmetic_free(arithmetic);
    accordi_ask_clear(&asker);
    return status;
}

static PyObject *tell(const found *f)
{
    PyObject *specials = specials_of(&f->specials);
    if (!f->fused)
        return Py_BuildValue("{s:O, s:s, s:N}", "machine", Py_None, "why", f->why.text, "specials",
                             specials);
    return Py_BuildValue("{s:N, s:N, s:n, s:n, s:n, s:N}", "machine", parameters(&f->machine),
                         "machines", machines(&f->machine), "probes", (Py_ssize_t)f->machine.probes,
                         "replays", (Py_ssize_t)f->machine.replays, "replays_agreed",
                         (Py_ssize_t)f->machine.agreed, "specials", specials);
}

PyObject *native_features(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"target", "record", "seed", "progress",
                                        "row",    "column", NULL};
    const native_state *state = PyModule_GetState(module);
    PyObject *target, *record, *progress = NULL;
    unsigned long long seed = 0;
    Py_ssize_t row = 0, column = 0;
    accord_error error = {.status = ACCORD_OK};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!|KOnn", (char **)(uintptr_t)names,
                                     state->target, &target, state->record, &record, &seed,
                                     &progress, &row, &column))
        return NULL;
    native_target *t = (native_target *)target;
    const accord_tree *tree = ((native_record *)record)->record->tree;
    if (!tree || tree->leaves != t->target->n)
        return native_wrong(state, "features need the order of the target");
    if (!native_target_take_at(state, t, row, column))
        return NULL;
    found *f = accordi_calloc(1, sizeof *f);
    PyObject *made = NULL;
    if (!f) {
        t->busy = false;
        return PyErr_NoMemory();
    }
    native_talk_begin(&t->talk, progress);
    enum accord_status status = look(t, tree, seed, f, &error);
    if (native_target_end(state, t, status, &error) == NATIVE_FINE)
        made = tell(f);
    free(f);
    return made;
}
