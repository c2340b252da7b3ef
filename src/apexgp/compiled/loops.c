/* The inner loops of the integration, compiled. The package works without them, with the same numbers, several times
   slower: see loaded.py. Buffers of doubles in, buffers of doubles out; nothing of NumPy is needed to build this. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
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
#define DIGITS 14 /* binary ones, to which fitted proposals are rounded */

#ifdef __GNUC__
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

/* What the likelihood needs of a curve, laid out as `_lay_out` in inference/compiled_integral.py has it. */
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

/* What proposals are fitted by: as `Fitting` in inference/proposals.py, which says why. */
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

/* What follows from the location and the lower root of a proposal. */
static void complete_proposal(double *location, double normaliser, double scale, int dimensions) {
    const double *root = ROOT(location, dimensions);
    double *inverse = INVERSE(location, dimensions), *centre = CENTRE(location, dimensions), product = 1.0;
    memset(inverse, 0, (size_t)(dimensions * dimensions) * sizeof(double));
    for (int e = 0; e < dimensions; e++) {
        product *= root[e * dimensions + e];
        for (int d = e; d < dimensions; d++) {
            double value = d == e ? scale : 0.0;
            for (int c = e; c < d; c++) value -= root[d * dimensions + c] * inverse[c * dimensions + e];
            inverse[d * dimensions + e] = value / root[d * dimensions + d];
        }
    }
    *TOP(location, dimensions) = normaliser / product;
    for (int d = 0; d < dimensions; d++) {
        centre[d] = 0.0;
        for (int e = 0; e <= d; e++) centre[d] += inverse[d * dimensions + e] * location[e];
    }
}

/* The proposal with the moments of weighted nodes around an origin, rounded as `_rounded` in inference/proposals.py. */
static void fit_proposal(const struct moments *of, const double *origin, const struct settings *by, double *location,
                         int dimensions) {
    double *root = ROOT(location, dimensions);
    memset(root, 0, (size_t)(dimensions * dimensions) * sizeof(double));
    for (int d = 0; d < dimensions; d++) location[d] = of->mean[d] / of->mass;
    for (int d = 0, k = 0; d < dimensions; d++)
        for (int e = 0; e <= d; e++, k++) {
            double value = of->products[k] / of->mass - location[d] * location[e];
            if (e == d) value = value * (1.0 + by->straighter) + by->narrowest;
            for (int c = 0; c < e; c++) value -= root[d * dimensions + c] * root[e * dimensions + c];
            root[d * dimensions + e] = e == d ? sqrt(value > 1e-16 ? value : 1e-16) : value / root[e * dimensions + e];
        }
    for (int d = 0; d < dimensions; d++) {
        int power;
        frexp(root[d * dimensions + d], &power);
        double unit = ldexp(1.0, power - DIGITS);
        for (int e = 0; e <= d; e++) root[d * dimensions + e] = nearbyint(root[d * dimensions + e] / unit) * unit;
        location[d] = nearbyint((location[d] + origin[d]) / unit) * unit;
    }
    complete_proposal(location, by->normaliser, by->scale, dimensions);
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
    unsigned long long first, last; /* so that no difference overflows */
    memcpy(&first, &low, sizeof first);
    memcpy(&last, &high, sizeof last);
    first += (last - first) / 2;
    memcpy(&low, &first, sizeof first);
    return low;
}

#ifdef LANES /* given to the compiler: these kernels alone, as tests/sanitised has them */
#define ALONE 1
#else
#define LANES 4
#endif
#define NAME(x) plain_##x
#include "loops.h"
#undef NAME

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ALONE)
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

#include "integral.h"

/* The arrays that an entry was given: acquired, checked and released in one place. None of their numbers is trusted as an
   index or a count unless it was checked where nobody else can change it any more: arrays may overlap, and other threads
   may write to them. */
#define MOST_ARRAYS 14

struct arrays {
    const char *const *names; /* for errors */
    int count;
    Py_buffer views[MOST_ARRAYS];
};

static PyObject *release(struct arrays *a, PyObject *result) {
    while (a->count) PyBuffer_Release(a->views + --a->count);
    return result;
}

/* Acquire C-contiguous arrays, as many as there are kinds: 'd' doubles, 'w' doubles to write to, 'q' 64-bit integers. */
static int acquire(struct arrays *a, PyObject *const *given, Py_ssize_t count, const char *const *names, const char *kinds) {
    const Py_ssize_t wanted = (Py_ssize_t)strlen(kinds);
    a->names = names;
    a->count = 0;
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "wanted %zd arrays, got %zd", wanted, count);
        return 0;
    }
    while (a->count < wanted) {
        const char *name = names[a->count], kind = kinds[a->count];
        Py_buffer *view = a->views + a->count;
        if (PyObject_GetBuffer(given[a->count], view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (kind == 'w' ? PyBUF_WRITABLE : 0)) < 0) {
            PyObject *type, *value, *trace;
            PyErr_Fetch(&type, &value, &trace);
            PyErr_Format(PyExc_TypeError, "%s: %S", name, value ? value : Py_None);
            Py_XDECREF(type);
            Py_XDECREF(value);
            Py_XDECREF(trace);
            break;
        }
        a->count++;
        const char *format = view->format ? view->format : "B";
        int fits = kind == 'q' ? !strcmp(format, "q") || !strcmp(format, "l") : !strcmp(format, "d");
        if (!fits || view->itemsize != 8) {
            PyErr_Format(PyExc_TypeError, "%s: wanted %s, got the format '%s' of %zd bytes", name,
                         kind == 'q' ? "64-bit integers" : "doubles", format, view->itemsize);
            break;
        }
        if (view->len && (uintptr_t)view->buf % 8) {
            PyErr_Format(PyExc_TypeError, "%s: wanted an aligned array, got one that is not", name);
            break;
        }
        if (a->count == wanted) return 1;
    }
    release(a, NULL);
    return 0;
}

static Py_ssize_t length(const struct arrays *a, int which) { return a->views[which].len / 8; }

/* Check that each array has so many rows and columns; with one row, that it has so many numbers, in any shape. */
static int have_shapes(const struct arrays *a, const Py_ssize_t (*shapes)[2]) {
    for (int k = 0; k < a->count; k++) {
        const Py_ssize_t rows = shapes[k][0], columns = shapes[k][1], numbers = length(a, k);
        int fits = rows ? numbers % rows == 0 && numbers / rows == columns : !numbers;
        if (rows > 1) fits = fits && a->views[k].ndim > 1 && a->views[k].shape[0] == rows;
        if (fits) continue;
        PyErr_Format(PyExc_ValueError, "%s: wanted shape (%zd, %zd), got %zd numbers in %zd rows", a->names[k], rows, columns,
                     numbers, a->views[k].ndim > 1 ? a->views[k].shape[0] : 1);
        return 0;
    }
    return 1;
}

static PyObject *cut(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    static const char *const names[] = {"location", "scale", "out"};
    struct arrays a;
    if (!acquire(&a, given, count, names, "ddw")) return NULL;
    const Py_ssize_t n = length(&a, 0);
    if (n % MOST_LANES) {
        PyErr_Format(PyExc_ValueError, "location: wanted a multiple of %d numbers, got %zd", MOST_LANES, n);
        return release(&a, NULL);
    }
    if (!have_shapes(&a, (const Py_ssize_t[][2]){{1, n}, {1, n}, {10, n}})) return release(&a, NULL);
    Py_BEGIN_ALLOW_THREADS
    CALL(cut, a.views[0].buf, a.views[1].buf, a.views[2].buf, n);
    Py_END_ALLOW_THREADS
    return release(&a, Py_NewRef(Py_None));
}

/* Mixtures of the first five arrays, as far as these have the shapes that they are to have. */
static struct mixtures read_mixtures(const struct arrays *a) {
    const Py_ssize_t columns = length(a, 4) / 2, components = columns ? length(a, 0) / columns : 0;
    const Py_buffer *v = a->views;
    return (struct mixtures){columns, components, v[0].buf, v[1].buf, v[2].buf, v[3].buf, v[4].buf};
}

/* What an entry gives that may have met a row that mixtures do not have. */
static PyObject *to_none(int had_rows, const struct mixtures *m) {
    if (had_rows) return Py_NewRef(Py_None);
    PyErr_Format(PyExc_ValueError, "rows: wanted rows from 0 to %zd, got others", 2 * m->columns - 1);
    return NULL;
}

static PyObject *tails(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    static const char *const names[] = {"location", "rate", "step", "height", "beyond", "values", "rows", "out"};
    struct arrays a;
    if (!acquire(&a, given, count, names, "ddddddqw")) return NULL;
    const struct mixtures m = read_mixtures(&a);
    const Py_ssize_t q = m.columns, k = m.components, n = length(&a, 5);
    if (!have_shapes(&a, (const Py_ssize_t[][2]){{q, k}, {2 * q, k}, {2 * q, k}, {q, k}, {1, 2 * q}, {1, n}, {1, n}, {3, n}}))
        return release(&a, NULL);
    int had_rows;
    Py_BEGIN_ALLOW_THREADS
    had_rows = CALL(tails, &m, a.views[5].buf, a.views[6].buf, a.views[7].buf, n);
    Py_END_ALLOW_THREADS
    return release(&a, to_none(had_rows, &m));
}

static PyObject *search(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    static const char *const names[] = {"location",  "rate", "step",   "height",    "beyond", "mean", "std",
                                        "most_bent", "rows", "wanted", "tolerance", "low",    "high", "values"};
    struct arrays a;
    if (!acquire(&a, given, count, names, "ddddddddqddddw")) return NULL;
    const struct mixtures m = read_mixtures(&a);
    const Py_buffer *v = a.views;
    const Py_ssize_t q = m.columns, k = m.components, n = length(&a, 13);
    if (!have_shapes(&a, (const Py_ssize_t[][2]){{q, k}, {2 * q, k}, {2 * q, k}, {q, k}, {1, 2 * q}, {1, q}, {1, q}, {1, q},
                                                 {1, n}, {1, n}, {1, n}, {1, n}, {1, n}, {1, n}}))
        return release(&a, NULL);
    const struct search of = {v[9].buf, v[10].buf, v[11].buf, v[12].buf, v[5].buf, v[6].buf, v[7].buf};
    int had_rows;
    Py_BEGIN_ALLOW_THREADS
    had_rows = CALL(search, &m, &of, v[8].buf, v[13].buf, n);
    Py_END_ALLOW_THREADS
    return release(&a, to_none(had_rows, &m));
}

/* Check patterns of any kind, of so many numbers: for each, count and number of sizes, these with repeats and means, and
   the scatter. */
static int are_patterns(const double *at, Py_ssize_t numbers, int patterns, int sizes) {
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

/* How many numbers the layout of a curve takes, with those of patterns of any kind; -1 where there is no such curve. */
static Py_ssize_t measure_layout(const struct curve *c, int dense) {
    const int most = INT_MAX / 16; /* no sum of these overflows */
    if (c->sizes < 1 || c->sizes > MOST_SIZES || c->far != FAR || c->draws != DRAWS || c->patterns < 1 || c->patterns > most ||
        dense < 0 || dense > most) {
        PyErr_Format(PyExc_ValueError,
                     "counts: wanted 1 to %d sizes, %d far ones, %d draws, 1 to %d patterns, 0 to %d numbers of them; "
                     "got %d, %d, %d, %d, %d",
                     MOST_SIZES, FAR, DRAWS, most, most, c->sizes, c->far, c->draws, c->patterns, dense);
        return -1;
    }
    return 20 + 9 * c->sizes + c->sizes * c->sizes + 5 * c->patterns + c->far + dense;
}

/* Read a curve from its layout, which has the length that was measured. */
static int read_curve(struct curve *c, const double *at, int dense) {
    const double **sized[] = {&c->log_size,       &c->step,           &c->mean,           &c->repeats,
                              &c->spread_freedom, &c->spread_squares, &c->within_freedom, &c->within_squares,
                              &c->early};
    const double **by_pattern[] = {&c->pattern_row, &c->pattern_repeats, &c->pattern_count, &c->pattern_mean,
                                   &c->pattern_squares};
    double *scalars[] = {&c->count,      &c->log_count, &c->root_count, &c->averaged,  &c->root_averaged, &c->stay,
                         &c->resolution, &c->log_base,  &c->ceiling,    &c->log_range, &c->a,             &c->b,
                         &c->log_beta,   &c->logistic,  &c->well,       &c->closest,   &c->far_log_size,  &c->far_runs,
                         &c->floor,      &c->held_log_size};
    for (int k = 0; k < 20; k++) *scalars[k] = *at++;
    for (int k = 0; k < 9; k++, at += c->sizes) *sized[k] = at;
    c->scatter = at;
    at += c->sizes * c->sizes;
    for (int k = 0; k < 5; k++, at += c->patterns) *by_pattern[k] = at;
    c->clock = at;
    c->dense = dense ? at + c->far : NULL;
    int sound = !c->dense || are_patterns(c->dense, dense, c->patterns, c->sizes);
    for (int k = 0; k < c->patterns; k++) sound = sound && c->pattern_row[k] >= 0 && c->pattern_row[k] < c->sizes;
    if (!sound) PyErr_Format(PyExc_ValueError, "layout: wanted patterns of the %d sizes, got others", c->sizes);
    return sound;
}

/* Check what numbers of nodes and places in memory hang on; `most`: how many components there is room for. */
static int are_options(const struct options *by, Py_ssize_t most) {
    const double dimensions = by->burr > 0 ? 8 : 6, most_nodes = 1 << 30;
    const struct {
        const char *name;
        double value, least, most, unit; /* whole units above the least; 0: any number */
    } bounds[] = {
        {"burr", by->burr, 0, 1, 1},
        {"dimensions", by->dimensions, dimensions, dimensions, 1},
        {"divide_row", by->divide_row, -1, by->burr > 0 ? ONSET : -1, ONSET + 1}, /* none, or the onset */
        {"first", by->first, 2 * MOST_LANES, most_nodes, 2 * MOST_LANES}, /* half of it is a round too */
        {"searching", by->searching, MOST_LANES, most_nodes, MOST_LANES},
        {"step", by->step, MOST_LANES, most_nodes, MOST_LANES},
        {"growth", by->growth, 0.01, 100, 0}, /* so that rounds are few */
        {"components", by->components, 1, (double)most - 1, 1},
    };
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        const double value = bounds[k].value, least = bounds[k].least, unit = bounds[k].unit;
        if (value >= least && value <= bounds[k].most && (unit == 0 || fmod(value - least, unit) == 0)) continue;
        char *words = PyOS_double_to_string(value, 'r', 0, 0, NULL);
        if (words) PyErr_Format(PyExc_ValueError, "options: wanted a possible %s, got %s", bounds[k].name, words);
        PyMem_Free(words);
        return 0;
    }
    const double *all = (const double *)by;
    for (size_t k = 0; k < sizeof *by / sizeof *all; k++)
        if (!isfinite(all[k])) {
            PyErr_Format(PyExc_ValueError, "options: wanted finite numbers, number %zu is none", k);
            return 0;
        }
    return 1;
}

static PyObject *integrate(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    static const char *const names[] = {"layout", "options", "log_sizes", "t", "levels", "shares", "arcsine", "out", "told"};
    enum { LAYOUT, OPTIONS, LOG_SIZES, VECTORS, LEVELS, SHARES, ARCSINE, OUT, TOLD_OF_ALL };
    const Py_ssize_t numbers = sizeof(struct options) / sizeof(double);
    struct arrays a;
    struct curve c;
    struct options by;
    int dense;
    if (count < 1 || !PyTuple_Check(given[0])) {
        PyErr_SetString(PyExc_TypeError, "counts: wanted a tuple");
        return NULL;
    }
    if (!PyArg_ParseTuple(given[0], "iiiii;counts: wanted five integers", &c.sizes, &c.far, &c.draws, &c.patterns, &dense)) return NULL;
    const Py_ssize_t laid_out = measure_layout(&c, dense);
    if (laid_out < 0 || !acquire(&a, given + 1, count - 1, names, "dddddddww")) return NULL;
    const Py_buffer *v = a.views;
    if (length(&a, OPTIONS) == numbers) memcpy(&by, v[OPTIONS].buf, sizeof by);
    else by = (struct options){0}; /* refused by its shape */
    const int dimensions = by.burr > 0 ? 8 : 6;
    const Py_ssize_t vectors = length(&a, VECTORS) / dimensions, most = length(&a, OUT) / TOLD;
    if (!have_shapes(&a, (const Py_ssize_t[][2]){{1, laid_out}, {1, numbers}, {1, c.sizes + FAR}, {dimensions, vectors},
                                                 {DRAWS, vectors}, {DRAWS, vectors}, {DRAWS / 2, vectors}, {TOLD, most},
                                                 {1, 4 + ENDS}}) ||
        !are_options(&by, most))
        return release(&a, NULL);
    if (vectors < SAMPLE || vectors % MOST_LANES) {
        PyErr_Format(PyExc_ValueError, "t: wanted at least %d vectors, a multiple of %d, got %zd", SAMPLE, MOST_LANES, vectors);
        return release(&a, NULL);
    }
    const Py_ssize_t rows[] = {dimensions, ROWS, 1, DRAWS, ENDS * DRAWS, 4, 6 + c.sizes + FAR, 2 * MOST_COORDINATES + 1};
    Py_ssize_t of_all = 0;
    for (int k = 0; k < 8; k++) of_all += rows[k];
    const Py_ssize_t more = laid_out + ROWS * TAKING_OFF; /* the layout, and what lies behind the last of these */
    const Py_ssize_t room = vectors + 3 * MOST_LANES; /* rows a power of two apart would share lines of the cache */
    double *memory = room <= (PY_SSIZE_T_MAX / 8 - more) / of_all ? malloc((size_t)(of_all * room + more) * 8) : NULL, *at[8];
    if (!memory) return release(&a, PyErr_NoMemory());
    memcpy(memory, v[LAYOUT].buf, (size_t)laid_out * 8);
    if (!read_curve(&c, memory, dense)) {
        free(memory);
        return release(&a, NULL);
    }
    at[0] = memory + laid_out;
    for (int k = 1; k < 8; k++) at[k] = at[k - 1] + rows[k - 1] * room;
    struct problem p = {.curve = &c, .by = &by, .log_size = v[LOG_SIZES].buf, .dimensions = dimensions, .room = room,
                        .scratch = at[6], .answered = at[7]};
    struct pool h = {.vectors = vectors, .z = at[0], .rows = at[1], .proposed = at[2], .share = at[3], .beyond = at[4],
                     .targets = at[5], .t = v[VECTORS].buf, .levels = v[LEVELS].buf, .shares = v[SHARES].buf,
                     .arcsine = v[ARCSINE].buf};
    Py_ssize_t kept;
    Py_BEGIN_ALLOW_THREADS
    kept = integrate_curve(&p, &h, most, v[OUT].buf, v[TOLD_OF_ALL].buf);
    free(memory);
    Py_END_ALLOW_THREADS
    return release(&a, kept == -2 ? PyErr_NoMemory() : PyLong_FromSsize_t(kept));
}

#define ENTRY(function, what) {#function, (PyCFunction)(void (*)(void))function, METH_FASTCALL, what}
static PyMethodDef methods[] = {
    ENTRY(integrate, "Components of the posterior of a curve."),
    ENTRY(cut, "Normal distributions cut to [0, 1]."),
    ENTRY(search, "Quantiles of mixtures."),
    ENTRY(tails, "Tails, densities and their slopes of mixtures."),
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
