/* Exceptions: accord.Error, a class for each status below it, and one for each reason below
 * UnableError. The text is the library's. */
#include "native/native.h"

typedef struct class_row {
    const char *name, *about;
    PyObject **beside; /* the class of Python's own that it is too */
} class_row;

static const class_row statuses[] = {
    [ACCORD_OK] = {"Error", "Whatever accord raises. `status` is the library's word.", NULL},
    [ACCORD_NOMEM] = {"OutOfMemoryError", "Out of memory.", &PyExc_MemoryError},
    [ACCORD_ARG] = {"ArgumentError", "An argument outside its contract.", &PyExc_ValueError},
    [ACCORD_PARSE] = {"ParseError", "Malformed text; the message names the position.",
                      &PyExc_ValueError},
    [ACCORD_IO] = {"FileError", "The operating system refused to read or write.", &PyExc_OSError},
    [ACCORD_TARGET] = {"TargetError",
                       "What was asked failed: missing, crashed, timed out, or its answer is no "
                       "number.",
                       &PyExc_RuntimeError},
    [ACCORD_UNSUPPORTED] = {"UnsupportedError",
                            "A sound request that this build or machine cannot serve.",
                            &PyExc_NotImplementedError},
    [ACCORD_UNABLE] = {"UnableError",
                       "The question has no answer; `reason` says why. `order` is the Order "
                       "without a tree, with the evidence, where there is one.",
                       NULL},
};

/* All other reasons: `reason` of the instance tells which. */
static const class_row not_a_sum = {"NotASumError",
                                    "A function that is not a sum; `reason` says which.", NULL};

static PyObject *new_class(PyObject *module, const class_row *row, PyObject *base,
                           const char *status, const char *reason)
{
    char name[64];
    snprintf(name, sizeof name, "accord.%s", row->name);
    PyObject *bases = row->beside ? PyTuple_Pack(2, base, *row->beside) : PyTuple_Pack(1, base);
    PyObject *members =
        bases ? Py_BuildValue("{s:z, s:z}", "status", status, "reason", reason) : NULL;
    PyObject *class = members ? PyErr_NewExceptionWithDoc(name, row->about, bases, members) : NULL;
    Py_XDECREF(bases);
    Py_XDECREF(members);
    if (class && PyModule_AddObjectRef(module, row->name, class) < 0)
        Py_CLEAR(class);
    return class;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* "data-dependent" is DataDependentError. */
static PyObject *new_reason(PyObject *module, PyObject *base, enum accord_reason reason)
{
    const char *word = accord_reason_name(reason);
    char name[48], about[160];
    size_t length = 0;
    for (const char *c = word; *c && length + sizeof "Error" < sizeof name; c++)
        if (*c != '-')
            name[length++] = c == word || c[-1] == '-' ? upper(*c) : *c;
    memcpy(name + length, "Error", sizeof "Error");
    int written = snprintf(about, sizeof about, "%s.", accord_reason_about(reason));
    if (written > 0)
        about[0] = upper(about[0]);
    const class_row row = {name, about, NULL};
    return new_class(module, &row, base, accord_status_name(ACCORD_UNABLE), word);
}

bool native_errors_init(PyObject *module, native_state *state)
{
    for (int s = ACCORD_OK; s <= ACCORD_UNABLE; s++) {
        PyObject *base = s == ACCORD_OK ? PyExc_Exception : state->status[ACCORD_OK];
        const char *name = s == ACCORD_OK ? NULL : accord_status_name((enum accord_status)s);
        state->status[s] = new_class(module, &statuses[s], base, name, NULL);
        if (!state->status[s])
            return false;
    }
    enum { NAMED = ACCORD_REASON_CONSTANT }; /* the first function that is not a sum */
    for (int r = ACCORD_REASON_NONE + 1; r < NAMED; r++) {
        state->reason[r] = new_reason(module, state->status[ACCORD_UNABLE], (enum accord_reason)r);
        if (!state->reason[r])
            return false;
    }
    state->reason[NAMED] = new_class(module, &not_a_sum, state->status[ACCORD_UNABLE],
                                     accord_status_name(ACCORD_UNABLE), NULL);
    for (int r = NAMED + 1; state->reason[NAMED] && r < ACCORD_REASON_COUNT; r++)
        state->reason[r] = Py_NewRef(state->reason[NAMED]);
    return state->reason[NAMED] != NULL;
}

void native_errors_clear(native_state *state)
{
    for (int s = ACCORD_OK; s <= ACCORD_UNABLE; s++)
        Py_CLEAR(state->status[s]);
    for (int r = 0; r < ACCORD_REASON_COUNT; r++)
        Py_CLEAR(state->reason[r]);
}

PyObject *native_raise(const native_state *state, const accord_error *error)
{
    bool known = error->status > ACCORD_OK && error->status <= ACCORD_UNABLE;
    PyObject *class = state->status[known ? error->status : ACCORD_OK];
    if (error->status == ACCORD_UNABLE && error->reason > ACCORD_REASON_NONE &&
        error->reason < ACCORD_REASON_COUNT)
        class = state->reason[error->reason];
    /* Texts may hold what foreign code said, which need not be UTF-8. */
    PyObject *text = PyUnicode_DecodeUTF8(error->text, (Py_ssize_t)strlen(error->text), "replace");
    PyObject *exception = text ? PyObject_CallFunctionObjArgs(class, text, NULL) : NULL;
    PyObject *reason = exception && error->status == ACCORD_UNABLE
                           ? PyUnicode_FromString(accord_reason_name(error->reason))
                           : NULL;
    if (reason && error->reason != ACCORD_REASON_NONE)
        PyObject_SetAttrString(exception, "reason", reason);
    if (exception && !PyErr_Occurred())
        PyErr_SetObject(class, exception);
    Py_XDECREF(text);
    Py_XDECREF(reason);
    Py_XDECREF(exception);
    return NULL;
}

PyObject *native_wrong(const native_state *state, const char *format, ...)
{
    accord_error error = {.status = ACCORD_ARG};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    return native_raise(state, &error);
}
