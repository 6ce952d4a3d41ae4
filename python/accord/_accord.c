/* accord._accord: the C library for the Python package. Python code of the package builds on this
 * interface; users see accord/__init__.py. Functions raise accord.Error (a subclass for each
 * status, below UnableError one for each reason) with the library's text.
 *
 *   callable(function, n, operands, make, *, …) -> Target
 *       A callable as a black box. `operands`: a tuple of one to three pairs (shape, straight);
 *       memory for numbers of `format` in C order of that shape. make(buffers) turns a tuple of
 *       Buffers (aligned memory with the buffer protocol) into the tuple of arguments for
 *       `function`. Keywords:
 *         format="f32"     of the terms, accord's name: f64 f32 f16 bf16 tf32 e4m3 e5m2
 *         output="f32"     of results; may be set later (Target.output)
 *         products=False   terms are products: operands are x and y
 *         mode=0           0 shared: arguments are made once, what they hold changes (and made anew
 *                          if the callable keeps one); 1 converted: make is called before each
 * call; 2 fresh: new memory and new arguments for each call collect=None     collect(result) ->
 * what a number, or a buffer, can be had from result=()        shape of the result; () is one sum,
 * then n numbers an operand rows=1, columns=1  of grids: result (r, c) is the sum over k of a[r][k]
 * * b[c][k]. Operand 0 holds a: `straight` if number r * n + k of its memory is a[r][k], else
 * number k * rows + r. Operand 1 holds b likewise (straight: c * n + k). The result is read in C
 * order start=False      operand 2 holds start values (rows x columns); they are the last of the n
 *                          terms (a and b then hold n - 1)
 *         notation, library, version, signature, shape, transpose: words for the record
 *   open(notation, n, *, format=None, seed, alpha, beta, timeout, no_fork, signature, shape,
 *        element, transpose, incx, incy, lda, ldb, ldc, alignment) -> Target
 *       What the notation names: "blas:sdot", "synthetic:pairwise", …
 *   Target: notation, n, rows, columns, format, output, products, calls, seconds, many;
 *       sample() -> what the callable returns for ones; ask(x, y=None, row=0, column=0) -> list
 *       of float;
 *       write(probes, fill, value, index, start) -> bytes (for accord.serve)
 *
 *   reveal(target, *, algorithm=None, seed=0, certificate=True, loose=False, progress=None,
 *          row=-1, column=0) -> Record
 *       With row >= 0 of that element; elements that add like it answer along, in few calls.
 *       UnableError has the attribute `record`. progress(stage, done, total) may raise to stop.
 *   reveal_map(target, *, the same) -> Map
 *   family(name, first, last, ask, *, seed=0, checks=0, budget=0, progress=None)
 *       -> (JSON, list of the notation at each n, or None): accord/family.h; ask(n) -> Record, or
 * why there is no order features(target, record, *, seed=0, progress=None, row=0, column=0) -> dict
 *   read(text) -> Record of JSON or brackets; read_map(text) -> Map
 *   synthetic(notation, n, seed=0) -> Record, the true tree and arithmetic of a synthetic order
 *   from_parents(leaves, parents) -> Record; None is the parent of the root
 *   Record (immutable): leaves, inner, has_arithmetic, output, answers;
 *       write(form, columns, color, utf8),
 *       emit_c(name), describe(), fields(), parents(), fingerprint(model=False), order_words(),
 *       plain(input, accumulator, output, products), replay(x, y, start) -> bytes of float64
 *   Map (immutable): write(form, …), emit_c(name), class_of() -> bytes of uint16, classes(),
 *       fields()
 *   compare(a, b, terms=False) -> (sameness, inputs, input, text): accord/survey.h; terms:
 *       surroundings of the element may differ
 *   answer(a, b, row) -> (x, y, a, b): an input of the answers of both, and the bits of both
 *   diff(a, b) -> (node, arithmetic): node None or (of, node, size, smallest, other) by
 *       accord/tree.h, of being "a" or "b"; arithmetic None or words
 *   witness(a, b) -> (x, y, terms, a, b), x and y bytes of float64; None where none was found
 *   same_question(a, b), has_answer(record), key(record) -> str, load(folder, name, key) -> Records
 *       of FOLDER/NAME/KEY.json, [] where there is none
 *   verdict(recorded, now) -> (word, names): names of the circumstances that have changed
 *   survey() -> Survey: add(n, record or None, status, reason, text) -> number of its group,
 *       letter(group), verdict() -> (sameness, what it rests on)
 *   exact_sum(buffer, format, output, rounding, threads), exact_dot(x, y, rounding, threads),
 *       fsum(iterable) -> float
 *   exact_device(name) -> device, device_sum(device, buffer, output, rounding) -> float,
 *       device_dot(device, x, y, rounding) -> float: accord/exact_device.h
 *   exact_new(wide) -> accumulator, a bytearray that only these functions read: exact_feed(a,
 *       buffer, format, negate), exact_feed_items(a, iterable, negate), exact_feed_term(a,
 *       floats, negate), exact_feed_products(a, x, y, negate), exact_merge(a, other, negate,
 *       count=True),
 *       exact_finish(name, output, rounding, a), exact_scaled(a, number, rounding),
 *       exact_finish_two(name, output, rounding, a, b), exact_covariance(root, output, rounding,
 *       x, y, products, less), exact_expansion(a) -> list, exact_decimal(a) -> str,
 *       exact_counts(a) -> tuple, exact_save(a, compact) -> bytes, exact_load(bytes, wide) ->
 *       accumulator: accord/exact_finish.h
 *   exact_rows(name, x, format, output, rounding, threads, less) and exact_row_dots(x, y, format,
 *       output, rounding) -> bytearray of float64; exact_complex_dot(x, y, conjugate, rounding)
 *       -> complex, of rows of pairs; exact_cumsum(x, out, rounding, threads),
 *       exact_narrow(low, high, format, rounding),
 *       exact_groups(x, keys, groups, out, rounding, threads)
 *   bound(expression, format, models, values, symbols, function_ulp, reciprocal_ulp) -> dict:
 *       accord/bound.h; values: name -> (low, high); 0 for the library's defaults
 *   explain(a, b or None, (row, column, row, column), *, seed, samples, kinds, accumulator,
 *           allow_nondeterministic, budget, progress) -> dict: accord/explain.h; row -1: there is
 *       one result
 *   tolerance(target, row, column, *, limits, nonnegative, normal, inputs, elements, level,
 *             samples, accumulator, question_only, seed, budget, progress)
 *       -> dict: accord/tolerance.h
 *   vary(iterable of (name, target, row, column), places, *, runs, seed, kinds, load, proof,
 *        budget, progress, inputs) -> dict: accord/vary.h; all targets have one question
 *   vary_method(method, n, inputs or None, *, runs, block, grid, threads, seed, device, schedule,
 *               distribution, amplitude, center, deviation) -> dict: accord/methods.h
 *   variability(results, reference) -> (Vermv, Vc, how many elements Vermv leaves out)
 *   info() -> dict
 *
 * While the library works the interpreter is released; it is held during calls of the callable.
 * Ctrl-C is looked for after each call and in between. An exception of the callable ends the
 * question and comes through. A Target is for one question at a time, but a callable may ask
 * others. */
#include "native/native.h"

static int fill_module(PyObject *module)
{
    native_state *state = PyModule_GetState(module);
    const struct {
        PyTypeObject **type;
        PyType_Spec *spec;
    } types[] = {{&state->buffer, &native_buffer_spec},
                 {&state->target, &native_target_spec},
                 {&state->record, &native_record_spec},
                 {&state->map, &native_map_spec},
                 {&state->survey, &native_survey_spec}};
    if (!native_errors_init(module, state))
        return -1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        *types[i].type = (PyTypeObject *)PyType_FromModuleAndSpec(module, types[i].spec, NULL);
        if (!*types[i].type || PyModule_AddType(module, *types[i].type) < 0)
            return -1;
    }
    return PyModule_AddStringConstant(module, "__version__", accord_version());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    const native_state *state = PyModule_GetState(module);
    for (int s = 0; s <= ACCORD_UNABLE; s++)
        Py_VISIT(state->status[s]);
    for (int r = 0; r < ACCORD_REASON_COUNT; r++)
        Py_VISIT(state->reason[r]);
    Py_VISIT(state->buffer);
    Py_VISIT(state->target);
    Py_VISIT(state->record);
    Py_VISIT(state->map);
    Py_VISIT(state->survey);
    return 0;
}

static int clear(PyObject *module)
{
    native_state *state = PyModule_GetState(module);
    native_errors_clear(state);
    Py_CLEAR(state->buffer);
    Py_CLEAR(state->target);
    Py_CLEAR(state->record);
    Py_CLEAR(state->map);
    Py_CLEAR(state->survey);
    return 0;
}

static void release(void *module)
{
    clear(module);
}

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"callable", WITH_KEYWORDS(native_callable), "callable(function, n, operands, make, …)"},
    {"open", WITH_KEYWORDS(native_open), "open(notation, n, …) -> Target"},
    {"reveal", WITH_KEYWORDS(native_reveal), "reveal(target, …) -> Record"},
    {"reveal_map", WITH_KEYWORDS(native_reveal_map), "reveal_map(target, …) -> Map"},
    {"family", WITH_KEYWORDS(native_family),
     "family(name, first, last, ask, …) -> (JSON, notations)"},
    {"features", WITH_KEYWORDS(native_features), "features(target, record, …) -> dict"},
    {"read", native_record_read, METH_O, "read(text) -> Record"},
    {"read_map", native_map_read, METH_O, "read_map(text) -> Map"},
    {"synthetic", native_synthetic, METH_VARARGS, "synthetic(notation, n, seed=0) -> Record"},
    {"from_parents", native_from_parents, METH_VARARGS, "from_parents(leaves, parents) -> Record"},
    {"compare", native_compare, METH_VARARGS,
     "compare(a, b, terms=False) -> (sameness, inputs, input, text)"},
    {"answer", native_answer, METH_VARARGS, "answer(a, b, row) -> (x, y, a, b)"},
    {"diff", native_diff, METH_VARARGS, "diff(a, b) -> (node, arithmetic)"},
    {"common", native_common, METH_VARARGS,
     "common(a, b) -> (sameness, reason, node, terms, induced, same order, other arithmetic, "
     "after, "
     "within, beside terms, entries, words)"},
    {"witness", native_witness, METH_VARARGS, "witness(a, b) -> (x, y, terms, a, b) or None"},
    {"same_question", native_same_question, METH_VARARGS, "same_question(a, b) -> bool"},
    {"has_answer", native_has_answer, METH_VARARGS, "has_answer(record) -> bool"},
    {"key", native_key, METH_VARARGS, "key(record) -> str: where its answer holds"},
    {"verdict", native_verdict, METH_VARARGS,
     "verdict(recorded, now) -> (word, names of the circumstances that have changed)"},
    {"load", native_load, METH_VARARGS, "load(folder, name, key) -> list of Record"},
    {"survey", native_survey, METH_NOARGS, "survey() -> Survey"},
    {"exact_sum", native_exact_sum, METH_VARARGS,
     "exact_sum(buffer, format, output, rounding, threads) -> float"},
    {"exact_dot", native_exact_dot, METH_VARARGS, "exact_dot(x, y, rounding, threads) -> float"},
    {"fsum", native_fsum, METH_O, "fsum(iterable) -> float"},
    {"exact_device", native_exact_device, METH_O, "exact_device(name) -> device"},
    {"device_sum", native_device_sum, METH_VARARGS,
     "device_sum(device, buffer, output, rounding) -> float"},
    {"device_dot", native_device_dot, METH_VARARGS, "device_dot(device, x, y, rounding) -> float"},
    {"exact_new", native_exact_new, METH_O, "exact_new(wide) -> accumulator"},
    {"exact_feed", native_exact_feed, METH_VARARGS, "exact_feed(a, buffer, format, negate)"},
    {"exact_feed_items", native_exact_feed_items, METH_VARARGS,
     "exact_feed_items(a, iterable, negate)"},
    {"exact_feed_term", native_exact_feed_term, METH_VARARGS, "exact_feed_term(a, floats, negate)"},
    {"exact_feed_products", native_exact_feed_products, METH_VARARGS,
     "exact_feed_products(a, x, y, negate)"},
    {"exact_merge", native_exact_merge, METH_VARARGS, "exact_merge(a, other, negate, count=True)"},
    {"exact_finish", native_exact_finish, METH_VARARGS,
     "exact_finish(name, output, rounding, a) -> float"},
    {"exact_scaled", native_exact_scaled, METH_VARARGS,
     "exact_scaled(a, number, rounding) -> float"},
    {"exact_finish_two", native_exact_finish_two, METH_VARARGS,
     "exact_finish_two(name, output, rounding, a, b) -> number"},
    {"exact_covariance", native_exact_covariance, METH_VARARGS,
     "exact_covariance(root, output, rounding, x, y, products, less) -> float"},
    {"exact_expansion", native_exact_expansion, METH_O, "exact_expansion(a) -> list of float"},
    {"exact_decimal", native_exact_decimal, METH_O, "exact_decimal(a) -> str"},
    {"exact_counts", native_exact_counts, METH_O, "exact_counts(a) -> tuple of int"},
    {"exact_save", native_exact_save, METH_VARARGS, "exact_save(a, compact) -> bytes"},
    {"exact_load", native_exact_load, METH_VARARGS, "exact_load(bytes, wide) -> accumulator"},
    {"exact_rows", native_exact_rows, METH_VARARGS,
     "exact_rows(name, x, format, output, rounding, threads, less) -> bytearray"},
    {"exact_row_dots", native_exact_row_dots, METH_VARARGS,
     "exact_row_dots(x, y, format, output, rounding) -> bytearray"},
    {"exact_complex_dot", native_exact_complex_dot, METH_VARARGS,
     "exact_complex_dot(x, y, conjugate, rounding) -> complex"},
    {"exact_cumsum", native_exact_cumsum, METH_VARARGS, "exact_cumsum(x, out, rounding, threads)"},
    {"exact_narrow", native_exact_narrow, METH_VARARGS,
     "exact_narrow(low, high, format, rounding): low becomes sums rounded once to a narrower "
     "format, "
     "of which it held the float64 below or equal, and high that above or equal"},
    {"exact_groups", native_exact_groups, METH_VARARGS,
     "exact_groups(x, keys, groups, out, rounding, threads)"},
    {"bound", native_bound, METH_VARARGS,
     "bound(expression, format, models, values, symbols, function_ulp, reciprocal_ulp) -> dict"},
    {"explain", (PyCFunction)(void (*)(void))native_explain, METH_VARARGS | METH_KEYWORDS,
     "explain(a, b, elements, ...) -> dict"},
    {"tolerance", (PyCFunction)(void (*)(void))native_tolerance, METH_VARARGS | METH_KEYWORDS,
     "tolerance(target, row, column, ...) -> dict"},
    {"results", native_results, METH_VARARGS,
     "results(name, numbers, n, output, products) -> "
     "Target"},
    {"vary", (PyCFunction)(void (*)(void))native_vary, METH_VARARGS | METH_KEYWORDS,
     "vary(settings, places, ...) -> dict"},
    {"vary_method", (PyCFunction)(void (*)(void))native_vary_method, METH_VARARGS | METH_KEYWORDS,
     "vary_method(method, n, inputs, ...) -> dict"},
    {"variability", native_variability, METH_VARARGS,
     "variability(results, reference) -> (Vermv, Vc, left out)"},
    {"info", native_info, METH_NOARGS, "info() -> dict"},
    {0},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)fill_module},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "accord._accord",
    .m_doc = "The C library, for the Python package: see the comment in _accord.c.",
    .m_size = sizeof(native_state),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__accord(void);
PyMODINIT_FUNC PyInit__accord(void)
{
    return PyModuleDef_Init(&definition);
}
