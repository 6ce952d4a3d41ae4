/* The arithmetic as a list, found by probes: parameters of matrix accelerators, and what becomes
 * of special values. */
#include "native/native.h"

static PyObject *value_of(const accord_feature *f, int value, const char *word)
{
    return f->kind == ACCORD_FEATURE_YES_NO   ? PyBool_FromLong(value)
           : f->kind == ACCORD_FEATURE_NUMBER ? PyLong_FromLong(value)
                                              : PyUnicode_FromString(word);
}

static PyObject *machines(const accord_features *found)
{
    PyObject *list = PyList_New(0);
    const accord_fused *row;
    for (size_t i = 0; list && (row = accord_features_machine(found, i)); i++) {
        PyObject *name = PyUnicode_FromString(row->name);
        if (!name || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* (name, value, least, most, open below, open above, about, how) of each that applies. */
static PyObject *parameters(const accord_features *found)
{
    PyObject *list = PyList_New(0);
    const accord_feature *f;
    for (size_t i = 0; list && (f = accord_features_at(found, i)); i++) {
        PyObject *row = Py_BuildValue(
            "(sNNNNNss)", f->name, value_of(f, f->value, f->word),
            value_of(f, f->least, f->least_word), value_of(f, f->most, f->most_word),
            PyBool_FromLong(f->open_below), PyBool_FromLong(f->open_above), f->about, f->how);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *specials_of(const accord_features *found)
{
    PyObject *all = PyDict_New();
    const accord_special *special;
    for (size_t i = 0; all && (special = accord_features_special(found, i)); i++) {
        PyObject *word = PyUnicode_FromString(special->seen);
        if (!word || PyDict_SetItemString(all, special->name, word) < 0)
            Py_CLEAR(all);
        Py_XDECREF(word);
    }
    return all;
}

static PyObject *tell(const accord_features *found)
{
    PyObject *specials = specials_of(found);
    const char *why = accord_features_why(found);
    uint64_t probes, replays, agreed;
    if (why)
        return Py_BuildValue("{s:O, s:s, s:N}", "machine", Py_None, "why", why, "specials",
                             specials);
    accord_features_evidence(found, &probes, &replays, &agreed);
    return Py_BuildValue("{s:N, s:N, s:K, s:K, s:K, s:N}", "machine", parameters(found), "machines",
                         machines(found), "probes", (unsigned long long)probes, "replays",
                         (unsigned long long)replays, "replays_agreed", (unsigned long long)agreed,
                         "specials", specials);
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
        return native_wrong(state, "features need the order of the target: reveal it first");
    if (!native_target_take_at(state, t, row, column))
        return NULL;
    accord_features *found = NULL;
    PyObject *made = NULL;
    native_talk_begin(&t->talk, progress);
    const accord_features_options options = {
        .seed = seed, .progress = native_talk_progress, .progress_context = &t->talk};
    enum accord_status status = accord_features_find(t->target, tree, &options, &found, &error);
    if (native_target_end(state, t, status, &error) == NATIVE_FINE)
        made = tell(found);
    accord_features_free(found);
    return made;
}
