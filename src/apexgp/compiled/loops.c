/* The inner loops of the integration, compiled. The package works without them, with the same numbers, several times
   slower: see loaded.py. Buffers of doubles in, buffers of doubles out; nothing of NumPy is needed to build this. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <math.h>

#define LANES 4 /* nodes at a time */
#define MOST_SIZES 24
#define MOST_FAR 3
#define MOST_DIMENSIONS 16

/* What the likelihood needs of a curve, laid out as `_layout` in inference/fused.py has it. */
struct curve {
    int sizes, far, draws, patterns;
    double count, log_count, root_count, averaged, root_averaged, stay, resolution, log_base;
    double ceiling, log_range, a, b, log_beta, logistic, well, closest, far_log_size, far_runs, floor, held_log_size;
    const double *log_size, *step, *mean, *repeats, *spread_freedom, *spread_squares, *within_freedom, *within_squares;
    const double *early;
    const double *scatter, *pattern_row, *pattern_repeats, *pattern_count, *pattern_mean, *pattern_squares, *clock;
};

/* The standard normal distribution cut to [low, high]: the quantile at p, and the logarithm of its mass. As in
   numerics/truncated.py: on the side of the mean on which masses are small, no digits are lost. */
static double normal_below(double z) { return 0.5 * erfc(-z * 0.7071067811865476); }

static double normal_quantile(double p) {
    /* Acklam's approximation for the lower half, then one of Halley's steps. */
    double upper = p > 0.5, q = upper ? 1 - p : p, z;
    if (q <= 0) return upper ? 1.0 / 0.0 : -1.0 / 0.0;
    if (q < 0.02425) {
        double r = sqrt(-2 * log(q));
        z = (((((-7.784894002430293e-03 * r - 3.223964580411365e-01) * r - 2.400758277161838e+00) * r -
               2.549732539343734e+00) * r + 4.374664141464968e+00) * r + 2.938163982698783e+00) /
            ((((7.784695709041462e-03 * r + 3.224671290700398e-01) * r + 2.445134137142996e+00) * r +
              3.754408661907416e+00) * r + 1);
    } else {
        double d = q - 0.5, r = d * d;
        z = (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
               1.383577518672690e+02) * r - 3.066479806614716e+01) * r + 2.506628277459239e+00) * d /
            (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
               6.680131188771972e+01) * r - 1.328068155288572e+01) * r + 1);
    }
    for (int k = 0; k < 1; k++) {
        double u = (normal_below(z) - q) * 2.5066282746310002 * exp(0.5 * z * z);
        z -= u / (1 + 0.5 * z * u);
    }
    return upper ? -z : z;
}

static double cut_quantile(double low, double high, double p, double *log_mass) {
    int mirrored = low + high > 0;
    double below = normal_below(mirrored ? -high : low), mass = normal_below(mirrored ? -low : high) - below, z;
    if (mass > 0) {
        *log_mass = log(mass);
        z = normal_quantile(below + (mirrored ? 1 - p : p) * mass);
        if (mirrored) z = -z;
    } else { /* so far out that nearly all the mass, phi(z) / |z|, lies at the near end */
        z = mirrored ? low : high;
        *log_mass = -0.5 * z * z - log(fabs(z) * 2.5066282746310002);
    }
    return z < low ? low : z > high ? high : z;
}

#define NAME(x) plain_##x
#include "loops.h"
#undef NAME

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WITH_AVX2 1
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define NAME(x) avx2_##x
#include "loops.h"
#undef NAME
#pragma GCC pop_options
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

/* The result, after all buffers were given back. */
static PyObject *released(PyObject *result, Py_buffer **buffers) {
    for (; *buffers; buffers++) PyBuffer_Release(*buffers);
    return result;
}

static PyObject *evaluate(PyObject *self, PyObject *args) {
    Py_buffer layout, te, tb, ka, si, la, rise, levels, shares, arcsine, out;
    struct curve c;
    Py_ssize_t n;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "iiiiy*y*y*y*y*y*y*y*y*y*w*", &c.sizes, &c.far, &c.draws, &c.patterns, &layout, &te, &tb,
                          &ka, &si, &la, &rise, &levels, &shares, &arcsine, &out))
        return NULL;
    n = te.len / (Py_ssize_t)sizeof(double);
    const double *at = layout.buf;
    const double **sized[] = {&c.log_size,       &c.step,           &c.mean,           &c.repeats,
                              &c.spread_freedom, &c.spread_squares, &c.within_freedom, &c.within_squares,
                              &c.early};
    const double **by_pattern[] = {&c.pattern_row, &c.pattern_repeats, &c.pattern_count, &c.pattern_mean,
                                   &c.pattern_squares};
    double *scalars[] = {&c.count,    &c.log_count,  &c.root_count, &c.averaged, &c.root_averaged, &c.stay,
                         &c.resolution, &c.log_base, &c.ceiling,    &c.log_range, &c.a,            &c.b,
                         &c.log_beta, &c.logistic,   &c.well,       &c.closest,  &c.far_log_size, &c.far_runs,
                         &c.floor,    &c.held_log_size};
    Py_ssize_t whole = 20 + 9 * c.sizes + c.sizes * c.sizes + 5 * c.patterns + c.far;
    if (c.sizes < 1 || c.sizes > MOST_SIZES || c.far < 0 || c.far > MOST_FAR || c.draws < 2 || c.draws % 2 || c.patterns < 1 || n % LANES) {
        PyErr_SetString(PyExc_ValueError, "sizes, draws or the number of nodes are out of range");
        goto done;
    }
    if (!holds(&layout, whole, "layout") || !holds(&tb, n, "tau_b") || !holds(&ka, n, "kappa") ||
        !holds(&si, n, "sigma") || !holds(&la, n, "lam") || !holds(&rise, (c.sizes + c.far) * n, "rise") ||
        !holds(&levels, c.draws * n, "levels") || !holds(&shares, c.draws * n, "shares") || !holds(&arcsine, c.draws / 2 * n, "arcsine") ||
        !holds(&out, (6 * c.draws + 2 * c.far * c.draws + 1) * n, "out"))
        goto done;
    for (int k = 0; k < 20; k++) *scalars[k] = *at++;
    for (int k = 0; k < 9; k++, at += c.sizes) *sized[k] = at;
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
    CALL(evaluate, &c, te.buf, tb.buf, ka.buf, si.buf, la.buf, rise.buf, levels.buf, shares.buf, arcsine.buf,
         out.buf, n);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    return released(result, (Py_buffer *[]){&layout, &te, &tb, &ka, &si, &la, &rise, &levels,
                                            &shares, &arcsine, &out, NULL});
}

static PyObject *mixture_density(PyObject *self, PyObject *args) {
    Py_buffer z, inverse, centre, tops, weights, out;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*w*", &z, &inverse, &centre, &tops, &weights, &out)) return NULL;
    Py_ssize_t members = tops.len / (Py_ssize_t)sizeof(double), n = out.len / (Py_ssize_t)sizeof(double) / 2;
    Py_ssize_t dimensions = members ? centre.len / (Py_ssize_t)sizeof(double) / members : 0;
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS || n % LANES) {
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
    return released(result, (Py_buffer *[]){&z, &inverse, &centre, &tops, &weights, &out, NULL});
}

static PyObject *weigh(PyObject *self, PyObject *args) {
    Py_buffer log_density, proposed, location, variance, values, log_weight, share, beyond, sums;
    double steepness, least_mass;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "ddy*y*y*y*y*w*w*w*w*", &steepness, &least_mass, &log_density, &proposed, &location,
                          &variance, &values, &log_weight, &share, &beyond, &sums))
        return NULL;
    Py_ssize_t n = proposed.len / (Py_ssize_t)sizeof(double), draws = n ? log_density.len / proposed.len : 0;
    Py_ssize_t far = draws ? location.len / log_density.len : 0, judged = values.len ? far : 0;
    if (draws < 1 || n % LANES) {
        PyErr_SetString(PyExc_ValueError, "the number of nodes is out of range");
        goto done;
    }
    if (!holds(&log_density, draws * n, "log_density") || !holds(&location, far * draws * n, "location") ||
        !holds(&variance, far * draws * n, "variance") || !holds(&values, 2 * judged, "values") ||
        !holds(&log_weight, draws * n, "log_weight") || !holds(&share, draws * n, "share") ||
        !holds(&beyond, 2 * judged * draws * n, "beyond") || !holds(&sums, 1 + 6 * far, "sums"))
        goto done;
    Py_BEGIN_ALLOW_THREADS
    CALL(weigh, log_density.buf, proposed.buf, location.buf, variance.buf, judged ? values.buf : NULL, (int)far,
         (int)draws, steepness, least_mass, log_weight.buf, share.buf, beyond.buf, sums.buf, n);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    return released(result, (Py_buffer *[]){&log_density, &proposed, &location, &variance, &values, &log_weight,
                                            &share, &beyond, &sums, NULL});
}

static PyObject *moments(PyObject *self, PyObject *args) {
    Py_buffer z, weights, mean, products;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*w*w*", &z, &weights, &mean, &products)) return NULL;
    Py_ssize_t dimensions = mean.len ? products.len / mean.len : 0;
    Py_ssize_t several = dimensions ? mean.len / (Py_ssize_t)sizeof(double) / dimensions : 0;
    Py_ssize_t n = several ? weights.len / (Py_ssize_t)sizeof(double) / several : 0;
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS || n % LANES) {
        PyErr_SetString(PyExc_ValueError, "dimensions or the number of nodes are out of range");
        goto done;
    }
    if (!holds(&z, dimensions * n, "z") || !holds(&weights, several * n, "weights") ||
        !holds(&mean, several * dimensions, "mean") || !holds(&products, several * dimensions * dimensions, "products"))
        goto done;
    Py_BEGIN_ALLOW_THREADS
    CALL(moments, z.buf, weights.buf, (int)several, (int)dimensions, mean.buf, products.buf, n);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    return released(result, (Py_buffer *[]){&z, &weights, &mean, &products, NULL});
}

static PyObject *tails(PyObject *self, PyObject *args) {
    Py_buffer values, rows, location, rate, step, height, beyond, out;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*w*", &values, &rows, &location, &rate, &step, &height, &beyond, &out))
        return NULL;
    Py_ssize_t count = values.len / (Py_ssize_t)sizeof(double), columns = beyond.len / (Py_ssize_t)sizeof(double) / 2;
    Py_ssize_t components = columns ? location.len / (Py_ssize_t)sizeof(double) / columns : 0;
    if (!holds(&rows, count, "rows") || !holds(&location, columns * components, "location") ||
        !holds(&rate, 2 * columns * components, "rate") || !holds(&step, 2 * columns * components, "step") ||
        !holds(&height, columns * components, "height") || !holds(&beyond, 2 * columns, "beyond") ||
        !holds(&out, 3 * count, "out"))
        goto done;
    for (Py_ssize_t p = 0; p < count; p++) {
        long long row = ((const long long *)rows.buf)[p];
        if (row < 0 || row >= 2 * columns) {
            PyErr_SetString(PyExc_ValueError, "there is no such row");
            goto done;
        }
    }
    Py_BEGIN_ALLOW_THREADS
    CALL(tails, values.buf, rows.buf, location.buf, rate.buf, step.buf, height.buf, beyond.buf, columns, components,
         out.buf, count);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    return released(result, (Py_buffer *[]){&values, &rows, &location, &rate, &step, &height, &beyond, &out, NULL});
}

static PyMethodDef methods[] = {
    {"evaluate", evaluate, METH_VARARGS, "Likelihood, shares and far forecasts at many nodes."},
    {"mixture_density", mixture_density, METH_VARARGS, "The first of several t densities, and their weighted sum."},
    {"weigh", weigh, METH_VARARGS, "Weights of draws, and what of them lies beyond the ends of far forecasts."},
    {"moments", moments, METH_VARARGS, "Weighted means and products of nodes."},
    {"tails", tails, METH_VARARGS, "Tails, densities and their slopes of mixtures."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "loops", "Inner loops.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_loops(void) {
#ifdef WITH_AVX2
    __builtin_cpu_init();
    with_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    PyObject *made = PyModule_Create(&module);
    if (made && (PyModule_AddIntMacro(made, LANES) < 0 || PyModule_AddIntMacro(made, MOST_SIZES) < 0)) Py_CLEAR(made);
    return made;
}
