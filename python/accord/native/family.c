/* How the order depends on the number of terms: accord/family.h and accord/survey.h. */
#include "native/native.h"

typedef struct learner {
    native_talk talk;
    PyObject *ask; /* ask(n) -> Record, or why there is no order */
    PyTypeObject *record;
} learner;

/* A copy of the tree of a Record. */
static enum accord_status copy_tree(const accord_tree *tree, accord_tree **out, accord_error *error)
{
    uint32_t *parent = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *parent);
    if (!parent)
        return accordi_nomem(error);
    accord_tree_parents(tree, parent);
    enum accord_status status =
        accord_tree_from_parents(tree->leaves, tree->inner, parent, out, error);
    free(parent);
    return status;
}

static enum accord_status take_answer(learner *l, PyObject *said, accord_tree **tree,
                                      accord_error *error)
{
    if (said && PyUnicode_Check(said)) {
        PyObject *bytes = PyUnicode_AsUTF8String(said);
        if (bytes)
            accordi_fail(error, ACCORD_UNABLE, "%s", PyBytes_AsString(bytes));
        Py_XDECREF(bytes);
        return bytes ? ACCORD_UNABLE : native_talk_keep(&l->talk, error);
    }
    if (said && Py_TYPE(said) == l->record && ((native_record *)said)->record->tree)
        return copy_tree(((native_record *)said)->record->tree, tree, error);
    if (said)
        PyErr_SetString(PyExc_TypeError, "an order is a Record with a tree, or says why not");
    return native_talk_keep(&l->talk, error);
}

static enum accord_status ask(void *context, uint32_t n, const accord_tree *expected,
                              accord_tree **tree, accord_error *error)
{
    learner *l = context;
    (void)expected;
    native_talk_hold(&l->talk);
    PyObject *said = PyObject_CallFunction(l->ask, "I", (unsigned)n);
    enum accord_status status = take_answer(l, said, tree, error);
    Py_XDECREF(said);
    native_talk_release(&l->talk);
    return status;
}

static PyObject *orders_of(const accord_family *f)
{
    PyObject *list = PyList_New(0);
    for (uint64_t n = accord_family_from(f); list && n <= accord_family_to(f); n++) {
        char *notation = NULL;
        accord_family_notation(f, (uint32_t)n, &notation, NULL);
        PyObject *text = Py_BuildValue("z", notation);
        accord_notation_free(notation);
        if (!text || PyList_Append(list, text) < 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

/* The family as JSON, and the notation at each n. */
static PyObject *family_of(const native_state *state, const accord_family *f, const char *name,
                           const accord_family_account *account)
{
    char *text = NULL;
    accord_error error = {.status = ACCORD_OK};
    accord_record *about = native_record_empty();
    if (!about)
        return NULL;
    PyObject *made = NULL;
    if (accord_record_set(&about->target, name, &error) == ACCORD_OK &&
        accord_family_write(f, about, account, &text, &error) == ACCORD_OK)
        made = Py_BuildValue("(sN)", text, orders_of(f));
    else
        native_raise(state, &error);
    free(text);
    accord_record_free(about);
    return made;
}

PyObject *native_family(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"name",   "first",  "last",     "ask", "seed",
                                        "checks", "budget", "progress", NULL};
    const native_state *state = PyModule_GetState(module);
    learner l = {.record = state->record};
    accord_family_options options;
    accord_family_account account;
    accord_family *family = NULL;
    accord_error error = {.status = ACCORD_OK};
    PyObject *progress = NULL, *made = NULL;
    const char *name;
    unsigned first, last, checks = 0;
    unsigned long long seed = 0;
    double budget = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sIIO|$KIdO", (char **)(uintptr_t)names, &name,
                                     &first, &last, &l.ask, &seed, &checks, &budget, &progress))
        return NULL;
    accord_family_options_init(&options);
    options.seed = seed;
    options.checks = checks;
    options.budget_seconds = budget;
    options.progress = native_talk_progress;
    options.progress_context = &l.talk;
    native_talk_begin(&l.talk, progress);
    enum accord_status status =
        accord_family_learn(first, last, &options, ask, &l, &family, &account, &error);
    if (native_talk_end(&l.talk) && !native_talk_raise(&l.talk)) {
        if (status)
            native_raise(state, &error);
        else
            made = family_of(state, family, name, &account);
    }
    accord_family_free(family);
    return made;
}
