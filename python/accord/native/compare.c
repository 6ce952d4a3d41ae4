/* Two orders beside each other. */
#include "native/native.h"

PyObject *native_compare(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *a, *b;
    int terms = 0;
    accord_comparison found;
    if (!PyArg_ParseTuple(args, "O!O!|p", state->record, &a, state->record, &b, &terms))
        return NULL;
    const accord_record *one = ((native_record *)a)->record, *two = ((native_record *)b)->record;
    Py_BEGIN_ALLOW_THREADS;
    accord_record_compare(one, two, terms ? ACCORD_COMPARE_TERMS : 0, &found);
    Py_END_ALLOW_THREADS;
    return Py_BuildValue("(sLLs)", accord_sameness_name(found.sameness), (long long)found.inputs,
                         (long long)found.input, found.text);
}

/* Input `row` of the answers of both, as a witness: the operands, and the bits that were kept. */
PyObject *native_answer(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *a, *b, *made = NULL;
    long long row;
    accord_error error;
    if (!PyArg_ParseTuple(args, "O!O!L", state->record, &a, state->record, &b, &row))
        return NULL;
    const accord_record *one = ((native_record *)a)->record, *two = ((native_record *)b)->record;
    if (row < 0 || row >= ACCORD_ANSWERS_KEPT || row >= one->answers.inputs ||
        row >= two->answers.inputs)
        return native_wrong(state, "the bits of input %lld are not recorded", row);
    size_t n = (size_t)one->n, bytes = n * sizeof(double);
    double *x = accordi_alloc(n + 1, sizeof *x), *y = accordi_alloc(n + 1, sizeof *y);
    double result[2];
    memcpy(&result[0], &one->answers.bits[row], sizeof *result);
    memcpy(&result[1], &two->answers.bits[row], sizeof *result);
    enum accord_status status = ACCORD_NOMEM;
    if (!x || !y)
        PyErr_NoMemory();
    else if ((status = accord_answers_input(one, row, x, y, &error)) != ACCORD_OK)
        native_raise(state, &error);
    if (!status)
        made = Py_BuildValue("(y#y#dd)", (char *)x, (Py_ssize_t)bytes, (char *)y, (Py_ssize_t)bytes,
                             result[0], result[1]);
    free(x);
    free(y);
    return made;
}

static bool read_pair(const native_state *state, PyObject *args, const accord_record *out[2])
{
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "O!O!", state->record, &a, state->record, &b))
        return false;
    out[0] = ((native_record *)a)->record;
    out[1] = ((native_record *)b)->record;
    if (!out[0]->tree || !out[1]->tree)
        native_wrong(state, "an order without a tree cannot be compared");
    else if (out[0]->tree->leaves != out[1]->tree->leaves)
        native_wrong(state, "an order of %u terms cannot be compared with one of %u",
                     out[0]->tree->leaves, out[1]->tree->leaves);
    return !PyErr_Occurred();
}

PyObject *native_diff(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    const accord_record *pair[2];
    accord_tree_difference d;
    accord_error error;
    bool differ = false, swapped = false;
    char words[ACCORD_DESCRIPTION_SIZE] = "";
    if (!read_pair(state, args, pair))
        return NULL;
    const accord_model a = {pair[0]->tree, pair[0]->arithmetic},
                       b = {pair[1]->tree, pair[1]->arithmetic};
    if (accord_tree_diff(a.tree, b.tree, &differ, &swapped, &d, &error))
        return native_raise(state, &error);
    if (!differ && a.arithmetic && b.arithmetic &&
        !accord_model_differ(&a, &b, words, sizeof words))
        words[0] = 0;
    PyObject *node =
        differ ? Py_BuildValue("(sIIII)", swapped ? "b" : "a", d.node, d.size, d.smallest, d.other)
               : Py_NewRef(Py_None);
    PyObject *arithmetic = *words
                               ? PyUnicode_DecodeUTF8(words, (Py_ssize_t)strlen(words), "replace")
                               : Py_NewRef(Py_None);
    return Py_BuildValue("(NN)", node, arithmetic);
}

/* Of two of different counts: what they do with the terms that both have. */
PyObject *native_common(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *a, *b;
    accord_common found;
    accord_record *induced;
    accord_error error;
    char enter[400];
    if (!PyArg_ParseTuple(args, "O!O!", state->record, &a, state->record, &b))
        return NULL;
    const accord_record *one = ((native_record *)a)->record, *two = ((native_record *)b)->record;
    if (accord_common_compare(one, two, &found, &error))
        return native_raise(state, &error);
    accord_common_describe(&found, enter, sizeof enter);
    if (!(induced = native_record_empty())) {
        accord_common_clear(&found);
        return NULL;
    }
    induced->tree = found.induced;
    induced->n = found.common;
    found.induced = NULL;
    PyObject *node = found.has_node
                         ? Py_BuildValue("(sIIII)", found.swapped ? "b" : "a", found.node.node,
                                         found.node.size, found.node.smallest, found.node.other)
                         : Py_NewRef(Py_None);
    PyObject *order = native_record_new(state, induced);
    return Py_BuildValue("(ssNINOOIIIIs)", accord_sameness_name(found.sameness), found.text, node,
                         found.common, order, found.same_order ? Py_True : Py_False,
                         found.other_arithmetic ? Py_True : Py_False, found.after, found.within,
                         found.beside_terms, found.entries, enter);
}

/* Records that do not tell their arithmetic are taken for plain sums in the format of the terms. */
static enum accord_status find(const accord_record *a, const accord_record *b,
                               accord_witness_input *w, accord_error *error)
{
    const accord_model one = {a->tree, a->arithmetic}, two = {b->tree, b->arithmetic};
    enum accord_format format = ACCORD_F32;
    if (a->arithmetic && b->arithmetic)
        return accord_witness_models(&one, &two, w, error);
    if (b->format)
        accord_format_by_name(b->format, &format);
    if (a->format)
        accord_format_by_name(a->format, &format);
    for (uint32_t i = 0; i < a->tree->leaves; i++)
        w->y[i] = 1;
    enum accord_status status =
        accord_witness(a->tree, b->tree, format, w->x, &w->result_a, &w->result_b, error);
    for (uint32_t i = 0; !status && i < a->tree->leaves; i++)
        w->terms += w->x[i] != 0;
    return status;
}

PyObject *native_witness(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    const accord_record *pair[2];
    accord_error error;
    enum accord_status status;
    PyObject *made = NULL;
    if (!read_pair(state, args, pair))
        return NULL;
    size_t n = pair[0]->tree->leaves, bytes = n * sizeof(double);
    accord_witness_input w = {.x = accordi_calloc(n, sizeof(double)),
                              .y = accordi_calloc(n, sizeof(double))};
    if (w.x && w.y) {
        Py_BEGIN_ALLOW_THREADS;
        status = find(pair[0], pair[1], &w, &error);
        Py_END_ALLOW_THREADS;
        if (status == ACCORD_UNABLE)
            made = Py_NewRef(Py_None);
        else if (status)
            native_raise(state, &error);
        else
            made = Py_BuildValue("(y#y#Idd)", w.x, (Py_ssize_t)bytes, w.y, (Py_ssize_t)bytes,
                                 w.terms, w.result_a, w.result_b);
    } else {
        PyErr_NoMemory();
    }
    free(w.x);
    free(w.y);
    return made;
}
