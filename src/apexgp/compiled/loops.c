/* The inner loops of the integration, compiled. The package works without them, with the same numbers, several times
   slower: see loaded.py. Buffers of doubles in, buffers of doubles out; nothing of NumPy is needed to build this. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERFACE 5 /* counted up where functions take other arguments: loaded.py refuses a build of other sources */
#define MOST_LANES 8 /* nodes at a time: their number is a multiple of it */
#define MOST_SIZES 24
#define MOST_FAR 3
#define MOST_DIMENSIONS 16
#define MOST_COORDINATES 8
#define MOST_PRODUCTS (MOST_DIMENSIONS * (MOST_DIMENSIONS + 1) / 2)
#define MOST_FITTED 9 /* proposals at a time */

#ifdef __GNUC__
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

/* What the likelihood needs of a curve, laid out as `_layout` in inference/fused.py has it. */
struct curve {
    int sizes, far, draws, patterns;
    double count, log_count, root_count, averaged, root_averaged, stay, resolution, log_base;
    double ceiling, log_range, a, b, log_beta, logistic, well, closest, far_log_size, far_runs, floor, held_log_size;
    const double *log_size, *step, *mean, *repeats, *spread_freedom, *spread_squares, *within_freedom, *within_squares;
    const double *early;
    const double *scatter, *pattern_row, *pattern_repeats, *pattern_count, *pattern_mean, *pattern_squares, *clock;
    const double *dense; /* patterns of any kind, one behind the other: NULL where the others say it all */
};

/* The standard normal distribution cut to [low, high]: the quantile at p, and the logarithm of its mass. As in
   numerics/truncated_normal.py: on the side of the mean on which masses are small, no digits are lost. */
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

/* Weighted sums over nodes; products of coordinates are those of the lower triangle, row by row. */
struct moments {
    double mass, squares, mean[MOST_DIMENSIONS], products[MOST_PRODUCTS];
};

/* What proposals are fitted by: as in inference/adaptation.py, which says why. */
struct settings {
    double in_parts, least_part, straighter, narrowest, least_effective, above, scale, normaliser;
    int row;
};

/* A proposal, as a row of the table of `Proposals` in inference/proposals.py: the location comes first. */
#define ROOT(row, dimensions) ((row) + (dimensions))
#define INVERSE(row, dimensions) ((row) + (dimensions) * (1 + (dimensions)))
#define CENTRE(row, dimensions) ((row) + (dimensions) * (1 + 2 * (dimensions)))
#define TOP(row, dimensions) ((row) + 2 * (dimensions) * (1 + (dimensions)))
#define WIDTH(dimensions) (2 * (dimensions) * (1 + (dimensions)) + 1)

/* The proposal with the moments of weighted nodes. */
static void fit_proposal(const struct moments *of, const struct settings *by, double *location, int dimensions) {
    double *root = ROOT(location, dimensions), *inverse = INVERSE(location, dimensions);
    double *centre = CENTRE(location, dimensions);
    double product = 1.0;
    for (int d = 0; d < dimensions; d++) location[d] = of->mean[d] / of->mass;
    for (int d = 0, k = 0; d < dimensions; d++)
        for (int e = 0; e <= d; e++, k++) {
            double value = of->products[k] / of->mass - location[d] * location[e];
            if (e == d) value = value * (1.0 + by->straighter) + by->narrowest;
            for (int c = 0; c < e; c++) value -= root[d * dimensions + c] * root[e * dimensions + c];
            if (e == d)
                product *= root[d * dimensions + d] = sqrt(value > 1e-16 ? value : 1e-16);
            else {
                root[d * dimensions + e] = value / root[e * dimensions + e];
                root[e * dimensions + d] = inverse[e * dimensions + d] = 0.0;
            }
        }
    *TOP(location, dimensions) = by->normaliser / product;
    for (int e = 0; e < dimensions; e++)
        for (int d = e; d < dimensions; d++) {
            double value = d == e ? by->scale : 0.0;
            for (int c = e; c < d; c++) value -= root[d * dimensions + c] * inverse[c * dimensions + e];
            inverse[d * dimensions + e] = value / root[d * dimensions + d];
        }
    for (int d = 0; d < dimensions; d++) {
        centre[d] = 0.0;
        for (int e = 0; e <= d; e++) centre[d] += inverse[d * dimensions + e] * location[e];
    }
}

/* Mixtures of cut normal distributions, one for each column; rows of lower tails come first, those of upper tails follow:
   see `_Tails` in numerics/truncated_mixture.py. */
struct mixtures {
    Py_ssize_t columns, components;
    const double *location, *rate, *step, *height, *beyond;
};

/* What quantiles are looked for, one by one, and what is known of the mixtures, by column. */
struct search {
    const double *wanted, *tolerance, *low, *high, *mean, *std, *most_bent;
};

/* As in numerics/truncated_mixture.py, which says why. */
#define BY_SLOPES 5
#define BY_TURNS 16
#define BY_WIDTH 48
#define MOST_STEPS 112

static double search_step(const double *found, double wanted, double target, double side) {
    double tail = found[0] < 1e-300 ? 1e-300 : found[0] > 1 - 1e-16 ? 1 - 1e-16 : found[0];
    double score = normal_quantile(tail), scale = 2.5066282746310002 * exp(0.5 * score * score);
    double value = side * (score - target), slope = scale * found[1];
    double bend = 0.5 * value * (scale * found[2] / slope + side * score * slope), least = 0.5 * slope;
    double denominator = slope - (isfinite(bend) ? bend : 0.0);
    return -value / (denominator > least ? denominator : least);
}

static void last_step(const double *found, double surplus, double step, double most_bent, double *last, double *error) {
    double pdf = found[1], slope = found[2];
    *last = step - (surplus + step * (pdf + 0.5 * step * slope)) / (pdf + step * slope);
    *error = fabs(surplus + *last * (pdf + 0.5 * *last * slope)) + most_bent * fabs(*last * *last * *last) / 6;
}

/* Between two numbers from 0 to 1; at last so that as many floating-point numbers are below it as above. */
static double middle(double low, double high, int turn) {
    if (turn < BY_WIDTH) return 0.5 * (low + high);
    long long first, last;
    memcpy(&first, &low, sizeof first);
    memcpy(&last, &high, sizeof last);
    first += (last - first) / 2;
    memcpy(&low, &first, sizeof first);
    return low;
}

#define LANES 4
#define NAME(x) plain_##x
#include "loops.h"
#undef NAME

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_X86 1
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define NAME(x) avx2_##x
#include "loops.h"
#undef NAME
#pragma GCC pop_options
#undef LANES
#define LANES 8
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")
#define NAME(x) avx512_##x
#include "loops.h"
#undef NAME
#pragma GCC pop_options
#endif
#undef LANES

#ifdef FOR_X86
static enum { PLAIN, AVX2, AVX512 } instructions = PLAIN; /* that this processor has */
#define CALL(function, ...)                                     \
    (instructions == AVX512 ? avx512_##function(__VA_ARGS__)    \
     : instructions == AVX2 ? avx2_##function(__VA_ARGS__)      \
                            : plain_##function(__VA_ARGS__))
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

/* Check patterns of any kind, of so many numbers: for each, count and number of sizes, these with repeats and means, and
   the scatter. */
static int are_patterns(const double *at, int numbers, int patterns, int sizes) {
    const double *end = at + numbers;
    for (; patterns > 0; patterns--) {
        if (end - at < 2 || !(at[1] >= 1 && at[1] <= sizes)) return 0;
        int own = (int)at[1], before = -1;
        if (end - at < 2 + 3 * own + own * own) return 0;
        for (int k = 0; k < own; k++) {
            double index = at[2 + k];
            if (!(index > before && index < sizes)) return 0;
            before = (int)index;
        }
        at += 2 + 3 * own + own * own;
    }
    return at == end;
}

/* Read a curve from its layout; the numbers of sizes, far ones, draws and patterns, and how many numbers patterns of any
   kind take, are known already. */
static int read_curve(struct curve *c, int numbers, const Py_buffer *layout) {
    const double *at = layout->buf;
    const double **sized[] = {&c->log_size,       &c->step,           &c->mean,           &c->repeats,
                              &c->spread_freedom, &c->spread_squares, &c->within_freedom, &c->within_squares,
                              &c->early};
    const double **by_pattern[] = {&c->pattern_row, &c->pattern_repeats, &c->pattern_count, &c->pattern_mean,
                                   &c->pattern_squares};
    double *scalars[] = {&c->count,      &c->log_count, &c->root_count, &c->averaged,  &c->root_averaged, &c->stay,
                         &c->resolution, &c->log_base,  &c->ceiling,    &c->log_range, &c->a,             &c->b,
                         &c->log_beta,   &c->logistic,  &c->well,       &c->closest,   &c->far_log_size,  &c->far_runs,
                         &c->floor,      &c->held_log_size};
    if (c->sizes < 1 || c->sizes > MOST_SIZES || c->far < 0 || c->far > MOST_FAR || c->draws < 2 || c->draws % 2 ||
        c->patterns < 1) {
        PyErr_SetString(PyExc_ValueError, "sizes, draws or patterns are out of range");
        return 0;
    }
    if (numbers < 0 ||
        !holds(layout, 20 + 9 * c->sizes + c->sizes * c->sizes + 5 * c->patterns + c->far + numbers, "layout"))
        return 0;
    for (int k = 0; k < 20; k++) *scalars[k] = *at++;
    for (int k = 0; k < 9; k++, at += c->sizes) *sized[k] = at;
    c->scatter = at;
    at += c->sizes * c->sizes;
    for (int k = 0; k < 5; k++, at += c->patterns) *by_pattern[k] = at;
    c->clock = at;
    c->dense = numbers ? at + c->far : NULL;
    if (c->dense && !are_patterns(c->dense, numbers, c->patterns, c->sizes)) {
        PyErr_SetString(PyExc_ValueError, "patterns are out of range");
        return 0;
    }
    for (int k = 0; k < c->patterns; k++)
        if (!(c->pattern_row[k] >= 0 && c->pattern_row[k] < c->sizes)) {
            PyErr_SetString(PyExc_ValueError, "a pattern has no such size");
            return 0;
        }
    return 1;
}

static PyObject *cut(PyObject *self, PyObject *args) {
    Py_buffer location, scale, out;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*w*", &location, &scale, &out)) return NULL;
    Py_ssize_t n = location.len / (Py_ssize_t)sizeof(double);
    if (n % MOST_LANES) {
        PyErr_SetString(PyExc_ValueError, "the number of distributions is out of range");
        goto done;
    }
    if (!holds(&scale, n, "scale") || !holds(&out, 10 * n, "out")) goto done;
    Py_BEGIN_ALLOW_THREADS
    CALL(cut, location.buf, scale.buf, out.buf, n);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    return released(result, (Py_buffer *[]){&location, &scale, &out, NULL});
}

/* Check mixtures and the rows that are asked for. */
static int read_mixtures(struct mixtures *m, const Py_buffer *location, const Py_buffer *rate, const Py_buffer *step,
                         const Py_buffer *height, const Py_buffer *beyond, const Py_buffer *rows, Py_ssize_t count) {
    Py_ssize_t columns = beyond->len / (Py_ssize_t)sizeof(double) / 2;
    Py_ssize_t components = columns ? location->len / (Py_ssize_t)sizeof(double) / columns : 0;
    if (!holds(rows, count, "rows") || !holds(location, columns * components, "location") ||
        !holds(rate, 2 * columns * components, "rate") || !holds(step, 2 * columns * components, "step") ||
        !holds(height, columns * components, "height") || !holds(beyond, 2 * columns, "beyond"))
        return 0;
    for (Py_ssize_t p = 0; p < count; p++) {
        long long row = ((const long long *)rows->buf)[p];
        if (row < 0 || row >= 2 * columns) {
            PyErr_SetString(PyExc_ValueError, "there is no such row");
            return 0;
        }
    }
    *m = (struct mixtures){columns, components, location->buf, rate->buf, step->buf, height->buf, beyond->buf};
    return 1;
}

static PyObject *tails(PyObject *self, PyObject *args) {
    Py_buffer location, rate, step, height, beyond, values, rows, out;
    struct mixtures m;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*w*", &location, &rate, &step, &height, &beyond, &values, &rows, &out))
        return NULL;
    Py_ssize_t count = values.len / (Py_ssize_t)sizeof(double);
    if (!read_mixtures(&m, &location, &rate, &step, &height, &beyond, &rows, count) || !holds(&out, 3 * count, "out"))
        goto done;
    Py_BEGIN_ALLOW_THREADS
    CALL(tails, &m, values.buf, rows.buf, out.buf, count);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    return released(result, (Py_buffer *[]){&location, &rate, &step, &height, &beyond, &values, &rows, &out, NULL});
}

static PyObject *search(PyObject *self, PyObject *args) {
    Py_buffer location, rate, step, height, beyond, mean, std, most_bent, rows, wanted, tolerance, low, high, values;
    struct mixtures m;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*y*y*y*y*y*w*", &location, &rate, &step, &height, &beyond, &mean, &std,
                          &most_bent, &rows, &wanted, &tolerance, &low, &high, &values))
        return NULL;
    Py_ssize_t count = values.len / (Py_ssize_t)sizeof(double);
    if (!read_mixtures(&m, &location, &rate, &step, &height, &beyond, &rows, count) || !holds(&mean, m.columns, "mean") ||
        !holds(&std, m.columns, "std") || !holds(&most_bent, m.columns, "most_bent") || !holds(&wanted, count, "wanted") ||
        !holds(&tolerance, count, "tolerance") || !holds(&low, count, "low") || !holds(&high, count, "high"))
        goto done;
    struct search given = {wanted.buf, tolerance.buf, low.buf, high.buf, mean.buf, std.buf, most_bent.buf};
    Py_BEGIN_ALLOW_THREADS
    CALL(search, &m, &given, rows.buf, values.buf, count);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    return released(result, (Py_buffer *[]){&location, &rate, &step, &height, &beyond, &mean, &std, &most_bent, &rows,
                                            &wanted, &tolerance, &low, &high, &values, NULL});
}

#include "integral.h"

static PyObject *integrate(PyObject *self, PyObject *args) {
    Py_buffer layout, options, log_sizes, t, levels, shares, arcsine, out, told;
    struct curve c;
    struct problem p = {0};
    int numbers;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "(iiiii)y*y*y*y*y*y*y*w*w*", &c.sizes, &c.far, &c.draws, &c.patterns, &numbers, &layout, &options,
                          &log_sizes, &t, &levels, &shares, &arcsine, &out, &told))
        return NULL;
    if (!read_curve(&c, numbers, &layout) || !holds(&options, sizeof(struct options) / sizeof(double), "options") ||
        !holds(&log_sizes, c.sizes + FAR, "log_sizes") || !holds(&told, 4 + ENDS, "told"))
        goto done;
    p.curve = &c;
    p.by = options.buf;
    p.log_size = log_sizes.buf;
    p.dimensions = p.by->burr > 0 ? 8 : 6;
    Py_ssize_t vectors = t.len / (Py_ssize_t)sizeof(double) / p.dimensions, most = out.len / (Py_ssize_t)sizeof(double) / TOLD;
    if (c.far != FAR || c.draws != DRAWS || vectors < SAMPLE || vectors % MOST_LANES || most < 1) {
        PyErr_SetString(PyExc_ValueError, "far sizes, draws or points are out of range");
        goto done;
    }
    if (!holds(&t, p.dimensions * vectors, "t") || !holds(&levels, DRAWS * vectors, "levels") ||
        !holds(&shares, DRAWS * vectors, "shares") || !holds(&arcsine, DRAWS / 2 * vectors, "arcsine") ||
        !holds(&out, TOLD * most, "out"))
        goto done;
    Py_ssize_t kept = -2;
    Py_BEGIN_ALLOW_THREADS
    const Py_ssize_t rows[] = {p.dimensions, ROWS, 1, DRAWS, ENDS * DRAWS, 4, 6 + c.sizes + FAR, 2 * MOST_COORDINATES + 1};
    Py_ssize_t all = ROWS * TAKING_OFF;
    for (int k = 0; k < 8; k++) all += rows[k] * vectors;
    double *memory = malloc((size_t)all * sizeof(double)), *at[8];
    if (memory) {
        at[0] = memory;
        for (int k = 1; k < 8; k++) at[k] = at[k - 1] + rows[k - 1] * vectors;
        struct pool h = {.vectors = vectors, .z = at[0], .rows = at[1], .proposed = at[2], .share = at[3], .beyond = at[4],
                         .targets = at[5], .t = t.buf, .levels = levels.buf, .shares = shares.buf, .arcsine = arcsine.buf};
        p.room = vectors;
        p.scratch = at[6];
        p.answered = at[7];
        kept = integrate_curve(&p, &h, most, out.buf, told.buf);
        free(memory);
    }
    Py_END_ALLOW_THREADS
    result = kept == -2 ? PyErr_NoMemory() : PyLong_FromSsize_t(kept);
done:
    return released(result, (Py_buffer *[]){&layout, &options, &log_sizes, &t, &levels, &shares, &arcsine, &out, &told, NULL});
}

static PyMethodDef methods[] = {
    {"integrate", integrate, METH_VARARGS, "Components of the posterior of a curve."},
    {"cut", cut, METH_VARARGS, "Normal distributions cut to [0, 1]."},
    {"search", search, METH_VARARGS, "Quantiles of mixtures."},
    {"tails", tails, METH_VARARGS, "Tails, densities and their slopes of mixtures."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "loops", "Inner loops.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_loops(void) {
#ifdef FOR_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) instructions = AVX2;
    if (instructions == AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        instructions = AVX512;
#endif
    PyObject *made = PyModule_Create(&module);
    if (made && (PyModule_AddIntMacro(made, INTERFACE) < 0 || PyModule_AddIntMacro(made, MOST_LANES) < 0 || PyModule_AddIntMacro(made, MOST_SIZES) < 0)) Py_CLEAR(made);
    return made;
}
