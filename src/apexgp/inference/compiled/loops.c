/* The inner loops of the integration, compiled. The package works without them, with the same numbers, several times
   slower: see __init__.py. Buffers of doubles in, buffers of doubles out; nothing of NumPy is needed to build this. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#define MOST_SIZES 24
#define MOST_FAR 3
#define MOST_DIMENSIONS 16
#define MOST_VALUES 8

/* What the likelihood needs of a curve, laid out as `layout` in __init__.py has it. */
struct curve {
    int sizes, far, draws, patterns;
    double count, log_count, root_count, averaged, root_averaged, stay, resolution, log_base;
    double ceiling, log_range, a, b, log_beta, logistic, well, closest, far_log_size, far_runs;
    const double *log_size, *step, *mean, *repeats, *spread_freedom, *spread_squares, *within_freedom, *within_squares;
    const double *scatter, *pattern_row, *pattern_repeats, *pattern_count, *pattern_mean, *pattern_squares, *clock;
};

#define NAME(x) plain_##x
#include "loops.h"
#undef NAME

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define WITH_AVX2 1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define NAME(x) avx2_##x
#include "loops.h"
#undef NAME
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

static int with_avx2 = 0;
#ifdef WITH_AVX2
#define CALL(function, ...) (with_avx2 ? avx2_##function(__VA_ARGS__) : plain_##function(__VA_ARGS__))
#else
#define CALL(function, ...) plain_##function(__VA_ARGS__)
#endif

/* Check that a buffer holds so many doubles. */
static int holds(const Py_buffer *buffer, Py_ssize_t count, const char *name) {
    if (buffer->len == count * (Py_ssize_t)sizeof(double)) return 1;
    PyErr_Format(PyExc_ValueError, "%s holds %zd bytes, not %zd doubles", name, buffer->len, count);
    return 0;
}

static PyObject *evaluate(PyObject *self, PyObject *args) {
    Py_buffer layout, te, tb, ka, si, la, rise, shares, arcsine, out;
    struct curve c;
    Py_ssize_t n;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "iiiiy*y*y*y*y*y*y*y*y*w*", &c.sizes, &c.far, &c.draws, &c.patterns, &layout, &te, &tb,
                          &ka, &si, &la, &rise, &shares, &arcsine, &out))
        return NULL;
    n = te.len / (Py_ssize_t)sizeof(double);
    const double *at = layout.buf;
    const double **sized[] = {&c.log_size,       &c.step,           &c.mean,           &c.repeats,
                              &c.spread_freedom, &c.spread_squares, &c.within_freedom, &c.within_squares};
    const double **by_pattern[] = {&c.pattern_row, &c.pattern_repeats, &c.pattern_count, &c.pattern_mean,
                                   &c.pattern_squares};
    double *scalars[] = {&c.count,    &c.log_count,  &c.root_count, &c.averaged, &c.root_averaged, &c.stay,
                         &c.resolution, &c.log_base, &c.ceiling,    &c.log_range, &c.a,            &c.b,
                         &c.log_beta, &c.logistic,   &c.well,       &c.closest,  &c.far_log_size, &c.far_runs};
    Py_ssize_t whole = 18 + 8 * c.sizes + c.sizes * c.sizes + 5 * c.patterns + c.far;
    if (c.sizes < 1 || c.sizes > MOST_SIZES || c.far < 0 || c.far > MOST_FAR || c.draws < 2 || c.draws % 2 || c.patterns < 1 || n % 4) {
        PyErr_SetString(PyExc_ValueError, "sizes, draws or the number of nodes are out of range");
        goto done;
    }
    if (!holds(&layout, whole, "layout") || !holds(&tb, n, "tau_b") || !holds(&ka, n, "kappa") ||
        !holds(&si, n, "sigma") || !holds(&la, n, "lam") || !holds(&rise, (c.sizes + c.far) * n, "rise") ||
        !holds(&shares, c.draws * n, "shares") || !holds(&arcsine, c.draws / 2 * n, "arcsine") ||
        !holds(&out, (7 * c.draws + 3 * c.far * c.draws + 1) * n, "out"))
        goto done;
    for (int k = 0; k < 18; k++) *scalars[k] = *at++;
    for (int k = 0; k < 8; k++, at += c.sizes) *sized[k] = at;
    c.scatter = at;
    at += c.sizes * c.sizes;
    for (int k = 0; k < 5; k++, at += c.patterns) *by_pattern[k] = at;
    c.clock = at;
    for (int k = 0; k < c.patterns; k++)
        if (!(c.pattern_row[k] >= 0 && c.pattern_row[k] < c.sizes)) {
            PyErr_SetString(PyExc_ValueError, "a pattern has no such size");
            goto done;
        }
    Py_BEGIN_ALLOW_THREADS
    CALL(evaluate, &c, te.buf, tb.buf, ka.buf, si.buf, la.buf, rise.buf, shares.buf, arcsine.buf, out.buf, n);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    PyBuffer_Release(&layout);
    PyBuffer_Release(&te);
    PyBuffer_Release(&tb);
    PyBuffer_Release(&ka);
    PyBuffer_Release(&si);
    PyBuffer_Release(&la);
    PyBuffer_Release(&rise);
    PyBuffer_Release(&shares);
    PyBuffer_Release(&arcsine);
    PyBuffer_Release(&out);
    return result;
}

static PyObject *mixture_density(PyObject *self, PyObject *args) {
    Py_buffer z, inverse, centre, tops, weights, out;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*w*", &z, &inverse, &centre, &tops, &weights, &out)) return NULL;
    Py_ssize_t members = tops.len / (Py_ssize_t)sizeof(double), n = out.len / (Py_ssize_t)sizeof(double) / 2;
    Py_ssize_t dimensions = members ? centre.len / (Py_ssize_t)sizeof(double) / members : 0;
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS || n % 4) {
        PyErr_SetString(PyExc_ValueError, "dimensions or the number of nodes are out of range");
        goto done;
    }
    if (!holds(&z, dimensions * n, "z") || !holds(&inverse, members * dimensions * dimensions, "inverse") ||
        !holds(&centre, members * dimensions, "centre") || !holds(&weights, members, "weights") ||
        !holds(&out, 2 * n, "out"))
        goto done;
    Py_BEGIN_ALLOW_THREADS
    CALL(mixture_density, z.buf, inverse.buf, centre.buf, tops.buf, weights.buf, (int)members, (int)dimensions, out.buf, n);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    PyBuffer_Release(&z);
    PyBuffer_Release(&inverse);
    PyBuffer_Release(&centre);
    PyBuffer_Release(&tops);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&out);
    return result;
}

static PyObject *below_values(PyObject *self, PyObject *args) {
    Py_buffer location, variance, weights, values, cdf, slopes, found;
    double steepness, least_mass;
    int draws;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "iddy*y*y*y*w*w*w*", &draws, &steepness, &least_mass, &location, &variance, &weights,
                          &values, &cdf, &slopes, &found))
        return NULL;
    Py_ssize_t total = weights.len / (Py_ssize_t)sizeof(double), n = draws > 0 ? total / draws : 0;
    Py_ssize_t far = total ? location.len / weights.len : 0;
    Py_ssize_t count = far ? values.len / (Py_ssize_t)sizeof(double) / far : 0;
    if (far < 1 || count < 1 || count > MOST_VALUES || n % 4) {
        PyErr_SetString(PyExc_ValueError, "values or the number of nodes are out of range");
        goto done;
    }
    if (!holds(&location, far * draws * n, "location") || !holds(&variance, far * draws * n, "variance") ||
        !holds(&weights, draws * n, "weights") || !holds(&values, far * count, "values") ||
        !holds(&cdf, far * count * draws * n, "cdf") || !holds(&slopes, far * count, "slopes") ||
        !holds(&found, far * count, "found"))
        goto done;
    Py_BEGIN_ALLOW_THREADS
    CALL(below_values, location.buf, variance.buf, weights.buf, values.buf, (int)far, (int)count, draws, steepness,
         least_mass, cdf.buf, slopes.buf, found.buf, n);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    PyBuffer_Release(&location);
    PyBuffer_Release(&variance);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&values);
    PyBuffer_Release(&cdf);
    PyBuffer_Release(&slopes);
    PyBuffer_Release(&found);
    return result;
}

static PyMethodDef methods[] = {
    {"evaluate", evaluate, METH_VARARGS, "Likelihood, shares and far forecasts at many nodes."},
    {"mixture_density", mixture_density, METH_VARARGS, "The first of several t densities, and their weighted sum."},
    {"below_values", below_values, METH_VARARGS, "Distribution functions of far forecasts."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "loops", "Inner loops.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_loops(void) {
#ifdef WITH_AVX2
    __builtin_cpu_init();
    with_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return PyModule_Create(&module);
}
