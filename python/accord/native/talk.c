/* The library runs without the interpreter. Where it calls back, the interpreter is taken for as
 * long as Python is needed; an exception is kept, the library is told that the target failed, and
 * when it has come to its end the exception is raised as if nothing had been in between. */
#include "native/native.h"

void native_talk_begin(native_talk *talk, PyObject *progress)
{
    talk->progress = progress;
    talk->type = talk->value = talk->traceback = NULL;
    talk->thread = PyEval_SaveThread();
}

void native_talk_hold(native_talk *talk)
{
    PyEval_RestoreThread(talk->thread);
    talk->thread = NULL;
}

void native_talk_release(native_talk *talk)
{
    talk->thread = PyEval_SaveThread();
}

bool native_talk_failed(const native_talk *talk)
{
    return talk->type != NULL;
}

bool native_talk_raise(native_talk *talk)
{
    if (!talk->type)
        return false;
    PyErr_Restore(talk->type, talk->value, talk->traceback);
    talk->type = talk->value = talk->traceback = NULL;
    return true;
}

bool native_talk_end(native_talk *talk)
{
    native_talk_hold(talk);
    talk->progress = NULL;
    return !native_talk_raise(talk);
}

enum accord_status native_talk_keep(native_talk *talk, accord_error *error)
{
    if (talk->type)
        PyErr_Clear();
    else
        PyErr_Fetch(&talk->type, &talk->value, &talk->traceback);
    return accordi_fail(error, ACCORD_TARGET, "the callable raised an exception");
}

bool native_talk_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    native_talk *talk = context;
    bool goes_on = !native_talk_failed(talk);
    native_talk_hold(talk);
    if (goes_on && PyErr_CheckSignals() < 0)
        goes_on = false;
    if (goes_on && talk->progress && talk->progress != Py_None) {
        PyObject *said = PyObject_CallFunction(talk->progress, "sKK", stage,
                                               (unsigned long long)done, (unsigned long long)total);
        goes_on = said != NULL;
        Py_XDECREF(said);
    }
    if (!goes_on && PyErr_Occurred())
        native_talk_keep(talk, NULL);
    native_talk_release(talk);
    return goes_on;
}
