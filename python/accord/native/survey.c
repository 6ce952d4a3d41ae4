/* The same answer? Questions, keys, verdicts, files of records, groups (accord/survey.h). */
#include "native/native.h"

static const accord_record *record_of(PyObject *object)
{
    return ((native_record *)object)->record;
}

static bool read_pair(PyObject *module, PyObject *args, const accord_record *out[2])
{
    const native_state *state = PyModule_GetState(module);
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "O!O!", state->record, &a, state->record, &b))
        return false;
    out[0] = record_of(a);
    out[1] = record_of(b);
    return true;
}

static PyObject *decode(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* ---- questions and verdicts ---- */

PyObject *native_same_question(PyObject *module, PyObject *args)
{
    const accord_record *pair[2];
    if (!read_pair(module, args, pair))
        return NULL;
    return PyBool_FromLong(accord_record_same_question(pair[0], pair[1]));
}

PyObject *native_has_answer(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *record;
    if (!PyArg_ParseTuple(args, "O!", state->record, &record))
        return NULL;
    return PyBool_FromLong(accord_record_has_answer(record_of(record)));
}

PyObject *native_key(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *record;
    char key[ACCORD_KEY_SIZE];
    accord_error error;
    if (!PyArg_ParseTuple(args, "O!", state->record, &record))
        return NULL;
    if (accord_record_key(record_of(record), key, &error))
        return native_raise(state, &error);
    return PyUnicode_FromString(key);
}

PyObject *native_verdict(PyObject *module, PyObject *args)
{
    const accord_record *pair[2];
    accord_verdict found;
    if (!read_pair(module, args, pair))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    accord_verdict_judge(pair[0], pair[1], &found);
    Py_END_ALLOW_THREADS;
    PyObject *names = PyTuple_New((Py_ssize_t)found.moved);
    for (size_t i = 0; names && i < found.moved; i++) {
        PyObject *name = PyUnicode_FromString(found.circumstance[i].name);
        if (!name || PyTuple_SetItem(names, (Py_ssize_t)i, name) < 0)
            Py_CLEAR(names);
    }
    return names ? Py_BuildValue("(sN)", accord_verdict_name(&found), names) : NULL;
}

/* ---- files ---- */

/* The file's records are written and read once more: each Record owns what it holds. */
static PyObject *copy_of(const native_state *state, const accord_record *from)
{
    accord_error error;
    accord_record *record = native_record_empty();
    if (!record)
        return NULL;
    enum accord_status status = native_record_copy(from, "json", record, &error);
    return native_record_made(state, record, status, &error);
}

PyObject *native_load(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    const char *path, *name, *key;
    accord_error error;
    enum accord_status status;
    if (!PyArg_ParseTuple(args, "sss", &path, &name, &key))
        return NULL;
    accord_folder *folder = accord_folder_new(path);
    if (!folder)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS;
    status = accord_folder_read_file(folder, name, key, &error);
    Py_END_ALLOW_THREADS;
    const accord_folder_file *file = accord_folder_file_at(folder, 0);
    PyObject *list = status ? native_raise(state, &error) : PyList_New(0);
    for (size_t i = 0; list && file && i < file->records.count; i++) {
        PyObject *record = copy_of(state, file->records.list[i]);
        if (!record || PyList_Append(list, record) < 0)
            Py_CLEAR(list);
        Py_XDECREF(record);
    }
    accord_folder_free(folder);
    return list;
}

/* ---- groups ---- */

/* The records that the library borrows are kept in a list. */
typedef struct survey {
    PyObject_HEAD accord_survey *groups;
    PyObject *kept;
} survey;

PyObject *native_survey(PyObject *module, PyObject *nothing)
{
    const native_state *state = PyModule_GetState(module);
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->survey, Py_tp_alloc);
    survey *made = (survey *)allocate(state->survey, 0);
    (void)nothing;
    if (!made)
        return NULL;
    made->groups = accord_survey_new();
    made->kept = PyList_New(0);
    if (made->groups && made->kept)
        return (PyObject *)made;
    Py_DECREF(made);
    return PyErr_NoMemory();
}

static void dealloc(PyObject *self)
{
    survey *s = (survey *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    accord_survey_free(s->groups);
    Py_XDECREF(s->kept);
    release(self);
    Py_DECREF(type);
}

/* What an exception said: the names of its status and reason. */
static accord_error error_of(const char *status, const char *reason, const char *text)
{
    accord_error error = {.status = ACCORD_TARGET};
    for (int s = ACCORD_NOMEM; status && s <= ACCORD_UNABLE; s++)
        if (strcmp(status, accord_status_name((enum accord_status)s)) == 0)
            error.status = (enum accord_status)s;
    for (int r = 0; reason && r < ACCORD_REASON_COUNT; r++)
        if (strcmp(reason, accord_reason_name((enum accord_reason)r)) == 0)
            error.reason = (enum accord_reason)r;
    snprintf(error.text, sizeof error.text, "%s", text);
    return error;
}

static PyObject *add(PyObject *self, PyObject *args)
{
    const native_state *state = native_state_of(self);
    survey *s = (survey *)self;
    PyObject *record;
    Py_ssize_t terms;
    const char *status = NULL, *reason = NULL, *text = NULL;
    size_t group;
    accord_error failure;
    if (!PyArg_ParseTuple(args, "nO|zzz", &terms, &record, &status, &reason, &text))
        return NULL;
    if (record != Py_None && !PyObject_TypeCheck(record, state->record))
        return native_wrong(state, "give a Record or None");
    accord_error why = error_of(status, reason, text ? text : "");
    const accord_record *answer = record == Py_None ? NULL : record_of(record);
    if (PyList_Append(s->kept, record) < 0)
        return NULL;
    if (accord_survey_add(s->groups, (size_t)terms, answer, text ? &why : NULL, &group, &failure))
        return native_raise(state, &failure);
    Py_ssize_t last = PyList_Size(s->kept) - 1;
    if (accord_survey_group(s->groups, group)->members > 1)
        PyList_SetSlice(s->kept, last, last + 1, NULL);
    return PyLong_FromSize_t(group);
}

static PyObject *letter(PyObject *self, PyObject *args)
{
    Py_ssize_t which;
    if (!PyArg_ParseTuple(args, "n", &which))
        return NULL;
    const accord_group *group = accord_survey_group(((survey *)self)->groups, (size_t)which);
    if (!group)
        return native_wrong(native_state_of(self), "there is no group %zd", which);
    return PyUnicode_FromString(group->letter);
}

static PyObject *judge(PyObject *self, PyObject *nothing)
{
    accord_survey_verdict found;
    (void)nothing;
    accord_survey_judge(((survey *)self)->groups, &found);
    return Py_BuildValue("(sN)", accord_sameness_name(found.sameness), decode(found.text));
}

static PyMethodDef methods[] = {
    {"add", add, METH_VARARGS,
     "add(n, record, status=None, reason=None, text=None) -> int: the group of an answer; record "
     "None: the target failed; status, reason, text: of the exception"},
    {"letter", letter, METH_VARARGS, "letter(group) -> str"},
    {"verdict", judge, METH_NOARGS, "verdict() -> (sameness, what it rests on)"},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Groups of the answers to one question under several settings."},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec native_survey_spec = {
    .name = "accord._accord.Survey",
    .basicsize = sizeof(survey),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
