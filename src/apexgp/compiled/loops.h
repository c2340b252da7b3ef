/* The kernels, several nodes at a time. Included once for each set of instructions, with NAME(x) to tell them apart and
   LANES nodes at a time.

   Each does what a function of the package does in NumPy, which says why: `Density.evaluate` (noise, pseudo-scores,
   filter, draws), `Proposals.nodes` and `mixed_density`, `weigh` in inference/ends.py, `fit_proposals`,
   `OnsetCoordinates`, `TruncatedMixture._tail_and_slopes`.
   Arrays end on the nodes. */

typedef double NAME(doubles) __attribute__((vector_size(8 * LANES), aligned(8)));
typedef long long NAME(longs) __attribute__((vector_size(8 * LANES), aligned(8)));
typedef unsigned long long NAME(bits) __attribute__((vector_size(8 * LANES), aligned(8)));
#define V NAME(doubles)
#define I NAME(longs)

static inline V NAME(load)(const double *p) { return *(const V *)p; }
static inline void NAME(store)(double *p, V x) { *(V *)p = x; }
static inline V NAME(all)(double x) { return (V){0} + x; }
static inline V NAME(pick)(I mask, V yes, V no) { return (V)((mask & (I)yes) | (~mask & (I)no)); }
static inline V NAME(least)(V a, V b) { return NAME(pick)(a < b, a, b); }
static inline V NAME(most)(V a, V b) { return NAME(pick)(a > b, a, b); }
static inline V NAME(root)(V x) {
    V y;
    for (int lane = 0; lane < LANES; lane++) y[lane] = __builtin_sqrt(x[lane]);
    return y;
}
static inline double NAME(sum)(V x) {
    double sum = 0.0;
    for (int lane = 0; lane < LANES; lane++) sum += x[lane];
    return sum;
}
static inline int NAME(any)(I mask) {
    long long found = 0;
    for (int lane = 0; lane < LANES; lane++) found |= mask[lane];
    return found != 0;
}

/* e^x: 2^k e^r with |r| <= log(2) / 2, and the series of e^r. */
static inline V NAME(exp)(V x) {
    const double shift = 6755399441055744.0; /* 1.5 2^52: adding it rounds to a whole number, kept in the low bits */
    x = NAME(least)(NAME(most)(x, NAME(all)(-708.0)), NAME(all)(709.0));
    V moved = x * 1.4426950408889634 + shift;
    V k = moved - shift;
    V r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    V p = NAME(all)(1.6059043836821613e-10);
    p = p * r + 2.08767569878681e-09;
    p = p * r + 2.505210838544172e-08;
    p = p * r + 2.755731922398589e-07;
    p = p * r + 2.7557319223985893e-06;
    p = p * r + 2.48015873015873e-05;
    p = p * r + 0.0001984126984126984;
    p = p * r + 0.001388888888888889;
    p = p * r + 0.008333333333333333;
    p = p * r + 0.041666666666666664;
    p = p * r + 0.16666666666666666;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    return (V)((I)p + ((I)moved << 52));
}

/* log x for finite x > 0: that of the power of two, and the series of atanh for the rest. */
static inline V NAME(log)(V x) {
    const long long mantissa = 0xfffffffffffffLL, one = 0x3ff0000000000000LL, magic = 0x4330000000000000LL;
    x = NAME(most)(x, NAME(all)(2.2250738585072014e-308));
    I bits = (I)x;
    V k = (V)((I)((NAME(bits))bits >> 52) | magic) - (4503599627370496.0 + 1023.0);
    V m = (V)((bits & mantissa) | one);
    I large = m > 1.4142135623730951;
    m = NAME(pick)(large, m * 0.5, m);
    k = NAME(pick)(large, k + 1.0, k);
    V f = m - 1.0;
    V s = f / (f + 2.0), z = s * s;
    V p = NAME(all)(1.479819860511658591e-01);
    p = p * z + 1.531383769920937332e-01;
    p = p * z + 1.818357216161805012e-01;
    p = p * z + 2.222219843214978396e-01;
    p = p * z + 2.857142874366239149e-01;
    p = p * z + 3.999999999940941908e-01;
    p = p * z + 6.666666666666735130e-01;
    V square = 0.5 * f * f;
    V rest = s * (square + z * p);
    return k * 6.93147180369123816490e-01 - ((square - (rest + k * 1.90821492927058770002e-10)) - f);
}

static inline V NAME(expit)(V x) { return 1.0 / (1.0 + NAME(exp)(-x)); }

/* Sum of logarithms of products of four, which do not underflow. */
typedef struct {
    V sum, product;
    int factors;
} NAME(logs);
static inline void NAME(times)(NAME(logs) * logs, V x) {
    logs->product *= x;
    if (++logs->factors == 4) {
        logs->sum += NAME(log)(logs->product);
        logs->product = NAME(all)(1.0);
        logs->factors = 0;
    }
}
static inline V NAME(total)(NAME(logs) logs) { return logs.sum + NAME(log)(logs.product); }

static inline V NAME(bell)(V z) {
    V exponent = -0.5 * z * z;
    return NAME(pick)(exponent < -707.0, NAME(all)(0.0), NAME(exp)(exponent));
}

/* Phi(z): W. J. Cody's rational approximations of erfc (1969). */
static inline V NAME(normal_below)(V z, V bell) {
    V x = NAME(most)(z, -z) * 0.7071067811865476, square = x * x;
    V small = NAME(all)(1.85777706184603153e-1), below = square + 2.36012909523441209e1;
    small = small * square + 3.16112374387056560e0;
    small = small * square + 1.13864154151050156e2;
    small = small * square + 3.77485237685302021e2;
    small = small * square + 3.20937758913846947e3;
    below = below * square + 2.44024637934444173e2;
    below = below * square + 1.28261652607737228e3;
    below = below * square + 2.84423683343917062e3;
    small = 1.0 - x * small / below;
    V y = NAME(least)(x, NAME(all)(4.0)), middle = NAME(all)(2.15311535474403846e-8), under = y + 1.57449261107098347e1;
    middle = middle * y + 5.64188496988670089e-1;
    middle = middle * y + 8.88314979438837594e0;
    middle = middle * y + 6.61191906371416295e1;
    middle = middle * y + 2.98635138197400131e2;
    middle = middle * y + 8.81952221241769090e2;
    middle = middle * y + 1.71204761263407058e3;
    middle = middle * y + 2.05107837782607147e3;
    middle = middle * y + 1.23033935479799725e3;
    under = under * y + 1.17693950891312499e2;
    under = under * y + 5.37181101862009858e2;
    under = under * y + 1.62138957456669019e3;
    under = under * y + 3.29079923573345963e3;
    under = under * y + 4.36261909014324716e3;
    under = under * y + 3.43936767414372164e3;
    under = under * y + 1.23033935480374942e3;
    middle = middle / under;
    V r = 1.0 / NAME(most)(square, NAME(all)(16.0)), large = NAME(all)(1.63153871373020978e-2), over = r + 2.56852019228982242e0;
    large = large * r + 3.05326634961232344e-1;
    large = large * r + 3.60344899949804439e-1;
    large = large * r + 1.25781726111229246e-1;
    large = large * r + 1.60837851487422766e-2;
    large = large * r + 6.58749161529837803e-4;
    over = over * r + 1.87295284992346725e0;
    over = over * r + 5.27905102951428412e-1;
    over = over * r + 6.05183413124413191e-2;
    over = over * r + 2.33520497626869185e-3;
    large = (0.5641895835477563 - r * large / over) / NAME(most)(x, NAME(all)(4.0));
    V erfc = NAME(pick)(x <= 0.46875, small, bell * NAME(pick)(x <= 4.0, middle, large));
    return NAME(pick)(z < 0.0, 0.5 * erfc, 1.0 - 0.5 * erfc);
}

/* The standard normal distribution's quantile at levels between 0 and 1: see `normal_quantile`. */
static inline V NAME(normal_quantile)(V p) {
    I upper = p > 0.5;
    V q = NAME(pick)(upper, 1.0 - p, p), r = NAME(root)(-2.0 * NAME(log)(q)), d = q - 0.5, x = d * d;
    V tail = (((((-7.784894002430293e-03 * r - 3.223964580411365e-01) * r - 2.400758277161838e+00) * r -
                2.549732539343734e+00) * r + 4.374664141464968e+00) * r + 2.938163982698783e+00) /
             ((((7.784695709041462e-03 * r + 3.224671290700398e-01) * r + 2.445134137142996e+00) * r +
               3.754408661907416e+00) * r + 1.0);
    V z = (((((-3.969683028665376e+01 * x + 2.209460984245205e+02) * x - 2.759285104469687e+02) * x +
             1.383577518672690e+02) * x - 3.066479806614716e+01) * x + 2.506628277459239e+00) * d /
          (((((-5.447609879822406e+01 * x + 1.615858368580409e+02) * x - 1.556989798598866e+02) * x +
             6.680131188771972e+01) * x - 1.328068155288572e+01) * x + 1.0);
    z = NAME(pick)(q < 0.02425, tail, z);
    V bell = NAME(exp)(-0.5 * z * z), u = (NAME(normal_below)(z, bell) - q) * 2.5066282746310002 / bell;
    z -= u / (1.0 + 0.5 * z * u);
    return NAME(pick)(upper, -z, z);
}

/* The same cut to [low, high], where `near` says so, with the logarithm of its mass: see `cut_quantile`. */
static inline V NAME(cut_quantile)(V low, V high, V p, I near, V *log_mass) {
    I mirrored = low + high > 0.0;
    V left = NAME(pick)(mirrored, -high, low), right = NAME(pick)(mirrored, -low, high);
    V below = NAME(normal_below)(left, NAME(bell)(left)), mass = NAME(normal_below)(right, NAME(bell)(right)) - below;
    V z = NAME(normal_quantile)(below + NAME(pick)(mirrored, 1.0 - p, p) * mass);
    z = NAME(pick)(mirrored, -z, z);
    z = NAME(pick)(z < low, low, NAME(pick)(z > high, high, z));
    *log_mass = NAME(log)(mass);
    I lost = near & ~(mass > 1e-300);
    if (NAME(any)(lost))
        for (int lane = 0; lane < LANES; lane++)
            if (lost[lane]) {
                double log_of_lane;
                z[lane] = cut_quantile(low[lane], high[lane], p[lane], &log_of_lane);
                (*log_mass)[lane] = log_of_lane;
            }
    return z;
}

/* Lower factor of a matrix of which the lower triangle is given, row by row, in place; gives the sum of the logarithms of
   its diagonal: see `cholesky` in inference/gaussian_algebra.py. */
static inline V NAME(factored)(V *matrix, int size) {
    NAME(logs) diagonal = {NAME(all)(0.0), NAME(all)(1.0), 0};
    for (int i = 0; i < size; i++) {
        V *row = matrix + i * (i + 1) / 2;
        for (int j = 0; j <= i; j++) {
            const V *other = matrix + j * (j + 1) / 2;
            V value = row[j];
            for (int k = 0; k < j; k++) value -= row[k] * other[k];
            row[j] = j == i ? NAME(root)(NAME(most)(value, NAME(all)(1e-16))) : value / other[j];
        }
        NAME(times)(&diagonal, row[i]);
    }
    return NAME(total)(diagonal);
}

/* Splits that were measured at various sizes: see `_of_many_patterns` in inference/statistics.py. The lower triangle of the
   pseudo-scores' covariance goes to `covariance`. */
static V NAME(many_patterns)(const struct curve *c, const V *variance, const V *carried, V *covariance, V *score) {
    const double log_2pi = 1.8378770664093453, *at = c->dense;
    const int sizes = c->sizes;
    const V none = NAME(all)(0.0);
    V factor[MOST_SIZES * (MOST_SIZES + 1) / 2], inverse[MOST_SIZES * (MOST_SIZES + 1) / 2], total[MOST_SIZES];
    V log_rest = none;
    for (int k = 0; k < sizes * (sizes + 1) / 2; k++) factor[k] = none;
    for (int r = 0; r < sizes; r++) total[r] = none;
    for (int p = 0; p < c->patterns; p++) {
        const double count = at[0], *index = at + 2, *repeats, *mean, *scatter;
        const int own = (int)at[1];
        repeats = index + own;
        mean = repeats + own;
        scatter = mean + own;
        at = scatter + own * own;
        V v[MOST_SIZES], e[MOST_SIZES], excess = NAME(all)(1.0), along = none, fit = none, crossed = none;
        NAME(logs) logs = {none, NAME(all)(1.0), 0};
        for (int k = 0; k < own; k++) {
            int r = (int)index[k];
            v[k] = repeats[k] / variance[r];
            e[k] = carried[r] * v[k];
            excess += carried[r] * e[k];
            along += mean[k] * e[k];
            NAME(times)(&logs, v[k]);
        }
        along /= excess;
        for (int k = 0; k < own; k++) {
            int r = (int)index[k];
            const double *row = scatter + k * own;
            V sum = none, weighted = mean[k] * v[k] - e[k] * along, share = count * e[k] / excess;
            V *line = factor + r * (r + 1) / 2;
            for (int l = 0; l < k; l++) {
                sum += row[l] * e[l];
                line[(int)index[l]] -= share * e[l];
            }
            line[r] += count * v[k] - share * e[k];
            crossed += e[k] * (2.0 * sum + row[k] * e[k]);
            fit += row[k] * v[k] + count * mean[k] * weighted;
            total[r] += count * weighted;
        }
        log_rest -= 0.5 * (count * (NAME(log)(excess) - NAME(total)(logs) + own * log_2pi) + fit - crossed / excess);
    }
    log_rest += 0.5 * sizes * log_2pi - NAME(factored)(factor, sizes);
    for (int j = 0; j < sizes; j++)
        for (int i = j; i < sizes; i++) {
            const V *row = factor + i * (i + 1) / 2;
            V value = NAME(all)(i == j);
            for (int k = j; k < i; k++) value -= row[k] * inverse[k * (k + 1) / 2 + j];
            inverse[i * (i + 1) / 2 + j] = value / row[i];
        }
    for (int r = 0; r < sizes; r++) score[r] = none;
    for (int k = 0; k < sizes; k++) {
        const V *row = inverse + k * (k + 1) / 2;
        V white = none;
        for (int j = 0; j <= k; j++) white += row[j] * total[j];
        log_rest += 0.5 * white * white;
        for (int j = 0; j <= k; j++) score[j] += row[j] * white;
    }
    for (int i = 0; i < sizes; i++)
        for (int j = 0; j <= i; j++) {
            V value = none;
            for (int k = i; k < sizes; k++) value += inverse[k * (k + 1) / 2 + i] * inverse[k * (k + 1) / 2 + j];
            covariance[i * (i + 1) / 2 + j] = value;
        }
    return log_rest;
}

/* What several nodes make of the scores: one pseudo-score per size, with its own noise and the common one (or, where
   splits were measured at various sizes, the lower triangle of its covariance), and the logarithm of the likelihood of
   the rest. */
static inline V NAME(noise)(const struct curve *c, V te, V tb, V ka, V *own, V *common, V *score) {
    const int sizes = c->sizes;
    const double log_2pi = 1.8378770664093453;
    const double per_score = 1.0 / c->averaged, per_root = 1.0 / c->root_averaged, per_split = 1.0 / c->count;
    const V none = NAME(all)(0.0);
    V variance[MOST_SIZES], carried[MOST_SIZES];
    V log_rest = none;
    /* luck that a split carries is held at that of this size; what it has more of it at smaller ones is noise */
    V held = tb * (c->stay + (1.0 - c->stay) * NAME(exp)(-ka * c->held_log_size));
    for (int r = 0; r < sizes; r++) {
        V w = c->stay + (1.0 - c->stay) * NAME(exp)(-ka * c->log_size[r]);
        V single = te * w, luck = tb * w, b = c->log_size[r] > c->held_log_size ? luck : held;
        V v = single * single + (luck * luck - b * b) + c->resolution;
        if (c->spread_freedom[r] > 0) {
            V single = v + b * b;
            log_rest -= 0.5 * (c->spread_freedom[r] * (NAME(log)(single) + log_2pi) + c->spread_squares[r] / single);
        }
        v *= per_score;
        b *= per_root;
        if (c->within_freedom[r] > 0)
            log_rest -= 0.5 * (c->within_freedom[r] * (NAME(log)(v) + log_2pi) + c->within_squares[r] / v);
        variance[r] = v;
        carried[r] = b;
    }
    if (c->dense) {
        log_rest += NAME(many_patterns)(c, variance, carried, own, score);
    } else if (c->patterns == 1) { /* every split was measured at every size */
        NAME(logs) noise = {none, NAME(all)(1.0), 0};
        V excess = NAME(all)(1.0), left_over = none, lever[MOST_SIZES], inverse[MOST_SIZES];
        for (int r = 0; r < sizes; r++) {
            own[r] = variance[r] * (1.0 / c->repeats[r]);
            inverse[r] = 1.0 / own[r];
            lever[r] = carried[r] * inverse[r];
            excess += carried[r] * lever[r];
            NAME(times)(&noise, own[r]);
        }
        if (c->count > 1) {
            V crossed = none;
            for (int r = 0; r < sizes; r++) {
                const double *row = c->scatter + r * sizes;
                V sum = none;
                for (int q = 0; q < r; q++) sum += row[q] * lever[q];
                crossed += lever[r] * (2.0 * sum + row[r] * lever[r]);
                left_over += row[r] * inverse[r];
            }
            left_over -= crossed / excess;
        }
        V log_noise = NAME(total)(noise) + NAME(log)(excess);
        log_rest -= 0.5 * ((c->count - 1) * (log_noise + sizes * log_2pi) + left_over + sizes * c->log_count);
        for (int r = 0; r < sizes; r++) {
            own[r] *= per_split;
            common[r] = carried[r] * (1.0 / c->root_count);
            score[r] = NAME(all)(c->mean[r]);
        }
    } else { /* every score is a split of its own */
        V precision[MOST_SIZES], sum[MOST_SIZES];
        for (int r = 0; r < sizes; r++) precision[r] = sum[r] = none;
        for (int k = 0; k < c->patterns; k++) {
            int r = (int)c->pattern_row[k];
            double count = c->pattern_count[k], mean = c->pattern_mean[k];
            V s = variance[r] / c->pattern_repeats[k] + carried[r] * carried[r];
            log_rest -= 0.5 * (count * (NAME(log)(s) + log_2pi) + c->pattern_squares[k] / s);
            precision[r] += count / s;
            sum[r] += count * mean / s;
        }
        NAME(logs) precise = {none, NAME(all)(1.0), 0};
        V fit = none;
        for (int r = 0; r < sizes; r++) {
            fit += sum[r] * sum[r] / precision[r];
            NAME(times)(&precise, precision[r]);
            score[r] = sum[r] / precision[r];
            own[r] = 1.0 / precision[r];
            common[r] = none;
        }
        log_rest += 0.5 * (fit + sizes * log_2pi - NAME(total)(precise));
    }
    return log_rest;
}

/* That logarithm alone, at n nodes. */
static void NAME(log_rest)(const struct curve *c, const double *tau_e, const double *tau_b, const double *kappa,
                           double *out, Py_ssize_t n) {
    V own[MOST_SIZES * (MOST_SIZES + 1) / 2], common[MOST_SIZES], score[MOST_SIZES];
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V te = NAME(load)(tau_e + i), tb = NAME(load)(tau_b + i), ka = NAME(load)(kappa + i);
        NAME(store)(out + i, NAME(noise)(c, te, tb, ka, own, common, score));
    }
}

static void NAME(evaluate)(const struct curve *c, const double *tau_e, const double *tau_b, const double *kappa,
                           const double *sigma, const double *lam, const double *rise, const double *levels,
                           const double *shares, const double *arcsine, double *out, Py_ssize_t n, Py_ssize_t stride,
                           Py_ssize_t numbers) {
    const int sizes = c->sizes, far = c->far, draws = c->draws, half = draws / 2;
    const double log_2pi = 1.8378770664093453;
    /* rows have room for more than these nodes */
    double *log_weight = out, *level = log_weight + draws * stride, *spread = level + draws * stride;
    double *drop_out = spread + draws * stride, *departure = drop_out + draws * stride, *lean_out = departure + draws * stride;
    double *location = lean_out + draws * stride, *variance_out = location + far * draws * stride;
    double *explained_out = variance_out + far * draws * stride;
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V own[MOST_SIZES * (MOST_SIZES + 1) / 2], common[MOST_SIZES], score[MOST_SIZES];
        const V none = NAME(all)(0.0);
        V te = NAME(load)(tau_e + i), tb = NAME(load)(tau_b + i), ka = NAME(load)(kappa + i);
        V signal = NAME(load)(sigma + i);
        signal *= signal;
        V rate = -1.0 / (c->log_base * NAME(load)(lam + i));
        V log_rest = NAME(noise)(c, te, tb, ka, own, common, score);
        int linked = c->patterns == 1;
        /* the filter: columns are the pseudo-scores, what the level and the drop multiply, and the common effect */
        V sy = none, sp = none, sq = none, sc = none, known = signal;
        V yy = none, yp = none, yq = none, pp = none, pq = none, qq = none, yc = none, pc = none, qc = none, cc = none;
        V log_total, explained;
        if (c->dense) { /* no such structure: a factor, and what f at the largest size has to do with the scores */
            V kernel = signal, white[4][MOST_SIZES], kept[MOST_SIZES];
            for (int r = sizes - 1; r >= 0; r--) {
                kept[r] = NAME(exp)(c->step[r] * rate);
                white[0][r] = score[r];
                white[1][r] = NAME(all)(1.0);
                white[2][r] = NAME(load)(rise + r * n + i);
                white[3][r] = kernel;
                kernel *= kept[r];
            }
            for (int r = 0; r < sizes; r++) {
                V *row = own + r * (r + 1) / 2, past = signal;
                row[r] += (1.0 + 1e-10) * signal + c->early[r];
                for (int q = r - 1; q >= 0; q--) {
                    past *= kept[q + 1];
                    row[q] += past;
                }
            }
            log_total = 2.0 * NAME(factored)(own, sizes);
            explained = none;
            for (int r = 0; r < sizes; r++) {
                const V *row = own + r * (r + 1) / 2;
                V inverse = 1.0 / row[r];
                for (int k = 0; k < 4; k++) {
                    for (int q = 0; q < r; q++) white[k][r] -= row[q] * white[k][q];
                    white[k][r] *= inverse;
                }
                V y = white[0][r], p = white[1][r], q = white[2][r], k = white[3][r];
                yy += y * y;
                yp += y * p;
                yq += y * q;
                pp += p * p;
                pq += p * q;
                qq += q * q;
                sy += k * y;
                sp += k * p;
                sq += k * q;
                explained += k * k;
            }
        } else {
            NAME(logs) totals = {none, NAME(all)(1.0), 0};
            for (int r = 0; r < sizes; r++) {
                if (r) {
                    V kept = NAME(exp)(c->step[r] * rate);
                    sy *= kept;
                    sp *= kept;
                    sq *= kept;
                    sc *= kept;
                    known = signal - kept * kept * (signal - known);
                }
                own[r] += c->early[r];
                V total = known + own[r], inverse = 1.0 / total, gain = known * inverse;
                V y = score[r] - sy, p = 1.0 - sp, q = NAME(load)(rise + r * n + i) - sq, b = common[r] - sc;
                sy += gain * y;
                sp += gain * p;
                sq += gain * q;
                sc += gain * b;
                known = gain * own[r];
                V y1 = y * inverse, p1 = p * inverse, q1 = q * inverse, b1 = b * inverse;
                yy += y * y1;
                yp += y * p1;
                yq += y * q1;
                pp += p * p1;
                pq += p * q1;
                qq += q * q1;
                yc += y * b1;
                pc += p * b1;
                qc += q * b1;
                cc += b * b1;
                NAME(times)(&totals, total);
            }
            log_total = NAME(total)(totals);
            explained = signal - known;
            if (linked) { /* Sherman and Morrison's formula */
                V excess = 1.0 + cc, ly = yc / excess, lp = pc / excess, lq = qc / excess;
                log_total += NAME(log)(excess);
                yy -= yc * ly;
                yp -= yc * lp;
                yq -= yc * lq;
                pp -= pc * lp;
                pq -= pc * lq;
                qq -= qc * lq;
                explained -= sc * sc / excess;
                sy -= sc * ly;
                sp -= sc * lp;
                sq -= sc * lq;
            }
        }
        NAME(store)(explained_out + i, explained);
        V rest = log_rest - 0.5 * log_total - 0.5 * sizes * log_2pi;
        V left[MOST_FAR], far_known[MOST_FAR], far_rise[MOST_FAR];
        for (int h = 0; h < far; h++) {
            left[h] = NAME(exp)(c->clock[h] * rate);
            far_known[h] = NAME(most)(signal - left[h] * left[h] * explained, NAME(all)(1e-14));
            far_rise[h] = NAME(load)(rise + (sizes + h) * n + i);
        }
        V far_w = c->stay + (1.0 - c->stay) * NAME(exp)(-ka * c->far_log_size);
        far_known[0] += ((te * te + tb * tb) * far_w * far_w + c->resolution) / c->far_runs;
        /* shares, and the level given each */
        const double top = c->ceiling;
        V precision = NAME(most)(qq - pq * pq / pp, 1e-9 * qq + 1e-12 * pp);
        V best_drop = (yq - pq * yp / pp) / precision, best_level = (yp - pq * best_drop) / pp;
        V least = yy - yp * yp / pp - best_drop * best_drop * precision;
        V room = NAME(most)(top - best_level, NAME(all)(1e-3));
        V centre = best_drop / room, inside = NAME(least)(NAME(most)(centre, none), NAME(all)(1.0));
        V slanted = 1.0 - inside * pq / pp;
        V about = NAME(root)(slanted * slanted / precision + inside * inside / pp) / room;
        about = NAME(least)(NAME(most)(about, NAME(all)(1e-6)), NAME(all)(1e3));
        V outside = centre - inside;
        outside = NAME(most)(outside, -outside);
        V width = c->logistic * about / (1.0 + outside / about);
        I off_poles = (inside > c->well * about) & (1.0 - inside > c->well * about);
        V low = NAME(expit)(-inside / width), high = NAME(expit)((1.0 - inside) / width);
        for (int j = 0; j < draws; j++) {
            V odds = low + NAME(load)(shares + j * numbers + i) * (high - low);
            V share = inside + width * NAME(log)(odds / (1.0 - odds));
            share = NAME(least)(NAME(most)(share, NAME(all)(c->closest)), NAME(all)(1.0 - c->closest));
            if (j >= half) share = NAME(pick)(off_poles, share, NAME(load)(arcsine + (j - half) * numbers + i));
            V above = NAME(expit)((share - inside) / width);
            V proposed = above * (1.0 - above) / (width * (high - low));
            V mixed = 0.5 * (proposed + 1.0 / (3.141592653589793 * NAME(root)(share * (1.0 - share))));
            V weight = (c->a - 1.0) * NAME(log)(share) + (c->b - 1.0) * NAME(log)(1.0 - share) - c->log_beta;
            V sure = pp - share * (2.0 * pq - share * qq), density = NAME(pick)(off_poles, proposed, mixed);
            V excess = best_drop - share * (top - best_level);
            V squares = least + excess * excess * (precision * pp / sure);
            V at = best_level - excess * (share * qq - pq) / sure;
            weight -= 0.5 * (squares + NAME(log)(sure * density * density) - log_2pi) + c->log_range;
            V by = 1.0 / NAME(root)(sure);
            weight += rest;
            I near = NAME(least)(at - c->floor, top - at) < c->well * by;
            if (NAME(any)(near)) {
                V log_mass, u = NAME(load)(levels + j * numbers + i);
                V drawn = at + by * NAME(cut_quantile)((c->floor - at) / by, (top - at) / by, u, near, &log_mass);
                at = NAME(pick)(near, NAME(least)(drawn, NAME(all)(top - c->closest)), at);
                by = NAME(pick)(near, none, by);
                weight = NAME(pick)(near, weight + log_mass, weight);
            }
            V drop = share * (top - at);
            V gone = sy - sp * at - sq * drop, leaning = sq * share - sp;
            Py_ssize_t place = j * stride + i;
            NAME(store)(log_weight + place, weight);
            NAME(store)(level + place, at);
            NAME(store)(spread + place, by);
            NAME(store)(drop_out + place, drop);
            NAME(store)(departure + place, gone);
            NAME(store)(lean_out + place, leaning);
            for (int h = 0; h < far; h++) {
                V tilt = 1.0 - far_rise[h] * share + left[h] * leaning, swing = tilt * by;
                Py_ssize_t where = (h * draws + j) * stride + i;
                NAME(store)(location + where, at + far_rise[h] * drop + left[h] * gone);
                NAME(store)(variance_out + where, far_known[h] + swing * swing);
            }
        }
    }
}

/* Adds the weighted sum of several t densities at nodes z (dimensions, room), of which there are n. */
static ALWAYS_INLINE V NAME(t_density)(const V *at, const double *proposal, int dimensions) {
    const double *inverse = INVERSE(proposal, dimensions), *centre = CENTRE(proposal, dimensions);
    V base = NAME(all)(1.0);
    for (int d = 0; d < dimensions; d++) {
        V standard = NAME(all)(-centre[d]);
        for (int e = 0; e <= d; e++) standard += inverse[d * dimensions + e] * at[e];
        base += standard * standard;
    }
    V density = 1.0 / base;
    for (int k = 0; k < 4; k++) density *= density;
    return *TOP(proposal, dimensions) * density;
}

static ALWAYS_INLINE void NAME(mixture_density_in)(const double *z, const double *proposals, const double *weights,
                                                   int several, int dimensions, double *sums, Py_ssize_t n,
                                                   Py_ssize_t room) {
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V sum = NAME(load)(sums + i), at[MOST_DIMENSIONS];
        for (int d = 0; d < dimensions; d++) at[d] = NAME(load)(z + d * room + i);
        for (int m = 0; m < several; m++)
            sum += weights[m] * NAME(t_density)(at, proposals + m * WIDTH(dimensions), dimensions);
        NAME(store)(sums + i, sum);
    }
}

/* Loops over the coordinates unroll where their number is known: the default mean has 8. */
static void NAME(mixture_density)(const double *z, const double *proposals, const double *weights, int several,
                                  int dimensions, double *sums, Py_ssize_t n, Py_ssize_t room) {
    if (dimensions == 8)
        NAME(mixture_density_in)(z, proposals, weights, several, 8, sums, n, room);
    else
        NAME(mixture_density_in)(z, proposals, weights, several, dimensions, sums, n, room);
}

/* Nearly Phi(z), and its slope: a polynomial up to where it reaches 0 and 1, as `_nearly_normal` in inference/ends.py. */
static inline V NAME(nearly_normal)(V z, const double *bend, V *slope) {
    z = NAME(least)(NAME(most)(z, NAME(all)(-bend[0])), NAME(all)(bend[0]));
    V x = z * z;
    *slope = bend[1] + x * (3.0 * bend[2] + x * (5.0 * bend[3] + x * (7.0 * bend[4])));
    return 0.5 + z * (bend[1] + x * (bend[2] + x * (bend[3] + x * bend[4])));
}

/* Weights of all draws, and what of each lies beyond the ends of far forecasts: see `weigh` in inference/ends.py. */
static void NAME(weigh)(const double *bend, double least_mass, const double *log_density, const double *proposed,
                        const double *location, const double *variance, const double *values, int far, int draws,
                        double *share, double *beyond, double *sums, Py_ssize_t n, Py_ssize_t room) {
    const double nothing = 1e-9;
    V top = NAME(all)(-1.0 / 0.0), total = NAME(all)(0.0), squares = NAME(all)(0.0), unused;
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V log_proposed = NAME(log)(NAME(load)(proposed + i));
        for (int j = 0; j < draws; j++) {
            V weight = NAME(load)(log_density + j * room + i) - log_proposed;
            NAME(store)(share + j * n + i, weight);
            top = NAME(most)(weight, top);
        }
    }
    double highest = top[0];
    for (int lane = 1; lane < LANES; lane++) highest = top[lane] > highest ? top[lane] : highest;
    for (Py_ssize_t i = 0; i < draws * n; i += LANES) {
        V weight = NAME(load)(share + i) - highest;
        weight = NAME(pick)(weight > -700.0, NAME(exp)(weight), NAME(all)(0.0));
        NAME(store)(share + i, weight);
        total += weight;
    }
    double whole = NAME(sum)(total);
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V mass = NAME(all)(0.0);
        for (int j = 0; j < draws; j++) {
            V weight = NAME(load)(share + j * n + i) * (1.0 / whole);
            weight = NAME(pick)(weight > nothing, weight, NAME(all)(0.0));
            NAME(store)(share + j * n + i, weight);
            mass += weight;
        }
        squares += mass * mass;
    }
    sums[0] = NAME(sum)(squares);
    sums[1] = highest + log(whole);
    double *first = sums + 2, *second = first + far, *slopes = second + far, *found = slopes + 2 * far;
    double *errors = found + 2 * far, *totals = errors + 2 * far;
    for (int h = 0; h < far; h++) {
        V mean = NAME(all)(0.0), product = NAME(all)(0.0);
        V slope[2] = {NAME(all)(0.0), NAME(all)(0.0)}, sum[2] = {NAME(all)(0.0), NAME(all)(0.0)};
        for (int j = 0; j < draws; j++)
            for (Py_ssize_t i = 0; i < n; i += LANES) {
                Py_ssize_t place = (h * draws + j) * room + i;
                V weight = NAME(load)(share + j * n + i);
                double *low = beyond + ((2 * h) * draws + j) * n + i, *high = low + draws * n;
                if (!NAME(any)(weight > 0.0)) {
                    if (values) {
                        NAME(store)(low, NAME(all)(0.0));
                        NAME(store)(high, NAME(all)(0.0));
                    }
                    continue;
                }
                V at = NAME(load)(location + place), spread = NAME(load)(variance + place), steep[2];
                at = NAME(least)(NAME(most)(at, NAME(all)(-1e3)), NAME(all)(1e3));
                spread = NAME(least)(NAME(most)(spread, NAME(all)(1e-14)), NAME(all)(1e6));
                mean += weight * at;
                product += weight * (at * at + spread);
                if (!values) continue;
                V rate = 1.0 / NAME(root)(spread);
                V below = NAME(nearly_normal)(-at * rate, bend, &unused);
                V mass = NAME(nearly_normal)((1.0 - at) * rate, bend, &unused) - below;
                V inverse = 1.0 / NAME(most)(mass, NAME(all)(least_mass));
                for (int e = 0; e < 2; e++) {
                    V p = (NAME(nearly_normal)((values[2 * h + e] - at) * rate, bend, steep + e) - below) * inverse;
                    slope[e] += steep[e] * rate * inverse * weight;
                    sum[e] += p * weight;
                    NAME(store)(e ? high : low, p);
                }
            }
        first[h] = NAME(sum)(mean);
        second[h] = NAME(sum)(product);
        if (!values) continue;
        for (int e = 0; e < 2; e++) {
            slopes[2 * h + e] = NAME(sum)(slope[e]);
            double here = NAME(sum)(sum[e]);
            found[2 * h + e] = here;
            V error = NAME(all)(0.0), whole_beyond = NAME(all)(0.0);
            double *own = beyond + (2 * h + e) * draws * n;
            for (Py_ssize_t i = 0; i < n; i += LANES) {
                V of_node = NAME(all)(0.0);
                for (int j = 0; j < draws; j++) {
                    V influence = (NAME(load)(own + j * n + i) - here) * NAME(load)(share + j * n + i);
                    of_node += influence;
                    influence = NAME(most)(e ? -influence : influence, NAME(all)(0.0));
                    NAME(store)(own + j * n + i, influence);
                    whole_beyond += influence;
                }
                error += of_node * of_node;
            }
            errors[2 * h + e] = NAME(sum)(error);
            totals[2 * h + e] = NAME(sum)(whole_beyond);
        }
    }
}

/* What proposals are fitted to, shape (4, n): weights of nodes; sums of what lies beyond lower and upper ends, with
   factors for each end, plus a part of the weights; and the root of what nodes add to the errors of the ends. */
static void NAME(targets)(const double *share, const double *beyond, const double *worth, const double *blame,
                          double part, double among, int far, int draws, double *out, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V weight = NAME(all)(0.0);
        for (int j = 0; j < draws; j++) weight += NAME(load)(share + j * n + i);
        NAME(store)(out + i, weight);
        V added = among * weight * weight;
        for (int e = 0; e < 2; e++) {
            V target = part * weight;
            for (int h = 0; h < far; h++) {
                V sum = NAME(all)(0.0);
                for (int j = 0; j < draws; j++) sum += NAME(load)(beyond + ((2 * h + e) * draws + j) * n + i);
                target += worth[2 * h + e] * sum;
                added += blame[2 * h + e] * sum * sum;
            }
            NAME(store)(out + (1 + e) * n + i, target);
        }
        NAME(store)(out + 3 * n + i, NAME(root)(added));
    }
}

/* Weighted sums over nodes z (dimensions, room), counted from an origin, of 1, the nodes and their products, and of the
   squared weights, for several weights (n). Three weights and a row of products at a time: these fit into registers. */
static ALWAYS_INLINE void NAME(moments)(const double *z, const double *origin, const double *weights, int several, int dimensions,
                                        struct moments *found, Py_ssize_t n, Py_ssize_t room) {
    for (int first = 0; first < several; first += 3) {
        const double *w[3];
        struct moments *out[3];
        V mass[3], squares[3];
        for (int m = 0; m < 3; m++) {
            int own = first + m < several ? first + m : several - 1; /* the last once more, where there are fewer */
            w[m] = weights + own * n;
            out[m] = found + own;
            mass[m] = squares[m] = NAME(all)(0.0);
        }
        for (Py_ssize_t i = 0; i < n; i += LANES)
            for (int m = 0; m < 3; m++) {
                V weight = NAME(load)(w[m] + i);
                mass[m] += weight;
                squares[m] += weight * weight;
            }
        for (int m = 0; m < 3; m++) {
            out[m]->mass = NAME(sum)(mass[m]);
            out[m]->squares = NAME(sum)(squares[m]);
        }
#pragma GCC unroll 8
        for (int d = 0; d < dimensions; d++) {
            V sum[3], products[3][MOST_DIMENSIONS];
            for (int m = 0; m < 3; m++) {
                sum[m] = NAME(all)(0.0);
                for (int e = 0; e <= d; e++) products[m][e] = NAME(all)(0.0);
            }
            for (Py_ssize_t i = 0; i < n; i += LANES) {
                V at = NAME(load)(z + d * room + i) - origin[d], weighted[3];
                for (int m = 0; m < 3; m++) sum[m] += weighted[m] = NAME(load)(w[m] + i) * at;
                for (int e = 0; e <= d; e++) {
                    V other = NAME(load)(z + e * room + i) - origin[e];
                    for (int m = 0; m < 3; m++) products[m][e] += weighted[m] * other;
                }
            }
            for (int m = 0; m < 3; m++) {
                out[m]->mean[d] = NAME(sum)(sum[m]);
                for (int e = 0; e <= d; e++) out[m]->products[d * (d + 1) / 2 + e] = NAME(sum)(products[m][e]);
            }
        }
    }
}

/* Proposals fitted to targets (4, n), the last of which they are moved towards: see `fit_proposals` in
   inference/proposals.py. Gives their number; `answered` has room for n numbers for each. */
static ALWAYS_INLINE int NAME(adapt_in)(const double *z, const double *targets, const double *shares, const struct settings *by,
                       double *answered, double *out, double *share, int dimensions, Py_ssize_t n,
                       Py_ssize_t room) {
    struct moments found[MOST_FITTED], late[3];
    double origin[MOST_DIMENSIONS], all = 0.0; /* the heaviest node: far from it, differences of squares would lose digits */
    Py_ssize_t heaviest = 0;
    int several = 3;
    for (Py_ssize_t i = 1; i < n; i++)
        if (targets[i] > targets[heaviest]) heaviest = i;
    for (int d = 0; d < dimensions; d++) origin[d] = z[d * room + heaviest];
    NAME(moments)(z, origin, targets, 3, dimensions, found, n, room);
    for (int k = 0; k < 3; k++) share[k] = shares[k];
    if (by->row >= 0) { /* parts in the first family, what is left by those in the second, and these */
        for (Py_ssize_t i = 0; i < n; i += LANES) {
            I above = NAME(load)(z + by->row * room + i) > by->above;
            for (int k = 0; k < 3; k++)
                NAME(store)(answered + k * n + i, NAME(pick)(above, NAME(load)(targets + k * n + i), NAME(all)(0.0)));
        }
        NAME(moments)(z, origin, answered, 3, dimensions, late, n, room);
        for (int k = 0; k < 3; k++) {
            struct moments early = found[k];
            early.mass -= late[k].mass;
            early.squares -= late[k].squares;
            for (int d = 0; d < dimensions; d++) early.mean[d] -= late[k].mean[d];
            for (int d = 0; d < dimensions * (dimensions + 1) / 2; d++) early.products[d] -= late[k].products[d];
            share[k] *= 1.0 - by->in_parts;
            for (int part = 0; part < 2; part++) {
                const struct moments *own = part ? late + k : &early;
                if (own->mass <= by->least_part || own->mass >= 1.0 - by->least_part) continue;
                if (own->mass * own->mass < by->least_effective * own->squares) continue;
                found[several] = *own;
                share[several++] = by->in_parts * shares[k] * own->mass;
            }
        }
    }
    for (int m = 0; m < several; m++) {
        all += share[m];
        fit_proposal(found + m, origin, by, out + m * WIDTH(dimensions), dimensions);
    }
    for (int m = 0; m < several; m++) share[m] /= all;
    /* which part of what is aimed at each answers for */
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V at[MOST_DIMENSIONS], own[MOST_FITTED], sum = NAME(all)(0.0);
        for (int d = 0; d < dimensions; d++) at[d] = NAME(load)(z + d * room + i);
        for (int m = 0; m < several; m++) {
            own[m] = share[m] * NAME(t_density)(at, out + m * WIDTH(dimensions), dimensions);
            sum += own[m];
        }
        V each = NAME(load)(targets + 3 * n + i) / NAME(most)(sum, NAME(all)(1e-300));
        for (int m = 0; m < several; m++) NAME(store)(answered + m * n + i, own[m] * each);
    }
    NAME(moments)(z, origin, answered, several, dimensions, found, n, room);
    all = 0.0;
    for (int m = 0; m < several; m++) {
        all += share[m] = found[m].mass;
        if (found[m].mass > 0.0 && found[m].mass * found[m].mass >= by->least_effective * found[m].squares)
            fit_proposal(found + m, origin, by, out + m * WIDTH(dimensions), dimensions);
    }
    for (int m = 0; m < several; m++) share[m] /= all;
    return several;
}

static int NAME(adapt)(const double *z, const double *targets, const double *shares, const struct settings *by,
                       double *answered, double *out, double *share, int dimensions, Py_ssize_t n,
                       Py_ssize_t room) {
    if (dimensions == 8) return NAME(adapt_in)(z, targets, shares, by, answered, out, share, 8, n, room);
    return NAME(adapt_in)(z, targets, shares, by, answered, out, share, dimensions, n, room);
}

/* Nodes of proposals, as many of each as counted, made of standard t vectors (dimensions, vectors). */
static void NAME(place)(const double *t, const double *proposals, const long long *counts, int several, int dimensions,
                        Py_ssize_t vectors, double *z, Py_ssize_t room) {
    for (int m = 0; m < several; m++) {
        const double *location = proposals + m * WIDTH(dimensions), *root = ROOT(location, dimensions);
        Py_ssize_t own = (Py_ssize_t)counts[m];
        for (int d = 0; d < dimensions; d++, root += dimensions) {
            double *row = z + d * room;
            for (Py_ssize_t i = 0; i < own; i++) row[i] = location[d];
            for (int e = 0; e <= d; e++) {
                const double *from = t + e * vectors, by = root[e];
                for (Py_ssize_t i = 0; i < own; i++) row[i] += by * from[i];
            }
        }
        t += own;
        z += own;
    }
}

/* Normal distributions cut to [0, 1]: see `TruncatedNormal` in numerics/truncated_normal.py, whose arrays these are. */
static void NAME(cut)(const double *locations, const double *scales, double *out, Py_ssize_t n) {
    const double farthest = 30.0, flattest = 1e4, narrowest = 1e-30;
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V scale = NAME(load)(scales + i), at = NAME(load)(locations + i);
        scale = NAME(least)(NAME(most)(scale, NAME(all)(narrowest)), NAME(all)(flattest));
        at = NAME(least)(NAME(most)(at, -farthest * scale), 1.0 + farthest * scale);
        V precision = 1.0 / scale, low = -at * precision;
        V high = NAME(most)((1.0 - at) * precision, NAME(all)(-farthest));
        I before = at < 0.0, after = at > 1.0;
        V below = NAME(pick)(before, NAME(all)(-1.0), NAME(all)(1.0));
        V above = NAME(pick)(after, NAME(all)(1.0), NAME(all)(-1.0));
        V phi_below = NAME(normal_below)(below * low, NAME(bell)(low));
        V phi_above = NAME(normal_below)(above * high, NAME(bell)(high)), between = phi_below - phi_above;
        V mass = NAME(pick)(before | after, NAME(most)(between, -between), 1.0 - phi_below - phi_above);
        V found[] = {at, scale, precision, low, high, below, above, phi_below, phi_above, mass};
        for (int k = 0; k < 10; k++) NAME(store)(out + k * n + i, found[k]);
    }
}

/* Tail, density and its slope of a mixture at a value: see `TruncatedMixture._tail_and_slopes`. */
static inline void NAME(tail_at)(const struct mixtures *m, Py_ssize_t row, double value, double *found) {
    const Py_ssize_t column = row % m->columns, components = m->components;
    const double *at = m->location + column * components, *tops = m->height + column * components;
    const double *rates = m->rate + row * components, *steps = m->step + row * components;
    V tail = NAME(all)(0.0), pdf = NAME(all)(0.0), slope = NAME(all)(0.0);
    for (Py_ssize_t k = 0; k < components; k += LANES) {
        V r, l, s, h;
        if (k + LANES <= components) {
            r = NAME(load)(rates + k), l = NAME(load)(at + k), s = NAME(load)(steps + k), h = NAME(load)(tops + k);
        } else {
            r = l = s = h = NAME(all)(0.0);
            for (int lane = 0; k + lane < components; lane++)
                r[lane] = rates[k + lane], l[lane] = at[k + lane], s[lane] = steps[k + lane], h[lane] = tops[k + lane];
        }
        V z = (value - l) * r, bell = NAME(bell)(z);
        tail += s * NAME(normal_below)(z, bell);
        bell *= h;
        pdf += bell;
        slope -= bell * z * r;
    }
    found[0] = NAME(sum)(tail) - m->beyond[row];
    found[1] = NAME(sum)(pdf);
    found[2] = NAME(sum)(slope);
}

/* The same at so many values; gives 0 where there is no such row. */
static int NAME(tails)(const struct mixtures *m, const double *values, const long long *rows, double *out, Py_ssize_t count) {
    for (Py_ssize_t p = 0; p < count; p++) {
        const long long row = rows[p];
        double found[3];
        if (row < 0 || row >= 2 * m->columns) return 0;
        NAME(tail_at)(m, (Py_ssize_t)row, values[p], found);
        for (int k = 0; k < 3; k++) out[k * count + p] = found[k];
    }
    return 1;
}

/* Quantiles between bounds, from first guesses: see `TruncatedMixture._search`. Gives 0 where there is no such row. */
static int NAME(search)(const struct mixtures *m, const struct search *given, const long long *rows, double *values,
                         Py_ssize_t count) {
    for (Py_ssize_t p = 0; p < count; p++) {
        const long long asked = rows[p];
        if (asked < 0 || asked >= 2 * m->columns) return 0;
        Py_ssize_t row = (Py_ssize_t)asked, column = row % m->columns;
        double wanted = given->wanted[p], side = row < m->columns ? 1.0 : -1.0, enough = given->tolerance[p];
        double low = given->low[p], high = given->high[p], y = values[p], before = 1.0 / 0.0, found[3];
        if (!(wanted > 0)) continue;
        double target = normal_quantile(wanted);
        if (column > 0 && p > 0) { /* mixtures at neighbouring sizes are alike */
            const double *mean = given->mean + column, *std = given->std + column;
            double alike = mean[0] + std[0] * (values[p - 1] - mean[-1]) / std[-1];
            if (alike > low && alike < high) y = alike;
        }
        for (int turn = 0; turn < MOST_STEPS; turn++) {
            NAME(tail_at)(m, row, y, found);
            double surplus = side * (found[0] - wanted), last, error, step = search_step(found, wanted, target, side);
            if (surplus <= 0) low = y;
            if (surplus >= 0) high = y;
            if (fabs(surplus) <= enough) break;
            last_step(found, surplus, step, given->most_bent[column], &last, &error);
            int sure = error <= enough;
            double moved = y + (sure ? last : step);
            if (moved == y) moved = nextafter(y, surplus > 0 ? 0.0 : 1.0);
            int inside = moved >= low && moved <= high;
            if (sure && inside) {
                y = moved;
                break;
            }
            if (turn >= BY_TURNS || (turn >= BY_SLOPES && fabs(surplus) > before)) inside = 0;
            before = 0.25 * fabs(surplus);
            if (!inside) {
                moved = middle(low, high, turn);
                if (moved <= low || moved >= high) {
                    y = high;
                    break;
                }
            }
            y = moved;
        }
        values[p] = y;
    }
    return 1;
}

/* log(1 + e^v), and 1 - e^-x for x > 0, exact where they are small. */
static inline V NAME(softplus)(V v) {
    V size = NAME(most)(v, -v), e = NAME(exp)(-size);
    V rest = NAME(pick)(e < 1e-5, e * (1.0 - e * (0.5 - e * (1.0 / 3.0))), NAME(log)(1.0 + e));
    return NAME(most)(v, NAME(all)(0.0)) + rest;
}
static inline V NAME(below_one)(V x) {
    V series = x * (1.0 - x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x * (1.0 / 120.0 - x * (1.0 / 720.0))))));
    return NAME(pick)(x < 0.03, series, 1.0 - NAME(exp)(-x));
}

/* The exponent of a curve's tail and theta4, of the variables behind their priors. */
static inline V NAME(tail_of)(V x, double most_tail) { return most_tail * NAME(expit)(x); }
static inline V NAME(theta4_of)(V x) { return NAME(exp)(NAME(least)(NAME(most)(x, NAME(all)(-4.0)), NAME(all)(4.0))); }

/* The deviate of the onset in place of its coordinate v, in row 6; gives log |dz / dv|: see `OnsetCoordinates`. */
static inline V NAME(from_onset)(V *z, const double *location, const double *spread, double most_tail) {
    V tail = NAME(most)(NAME(tail_of)(location[5] + spread[5] * z[5], most_tail), NAME(all)(1e-8));
    V theta4 = NAME(theta4_of)(location[7] + spread[7] * z[7]);
    V fall = NAME(exp)(NAME(least)(NAME(most)(-z[6], NAME(all)(-500.0)), NAME(all)(25.0)));
    V ratio = NAME(most)(fall / theta4, NAME(all)(1e-300)), left = NAME(below_one)(ratio);
    V offset = -(ratio + NAME(log)(left)) * theta4 / tail;
    z[6] = (offset - location[6]) / spread[6];
    return NAME(log)(fall / (tail * left)) - log(spread[6]);
}

/* Parameters of noise, process and shape at deviates z (row by row): tau_e, tau_b, kappa, sigma, lambda, and the shape. */
static inline void NAME(parameters_of)(const V *z, const double *location, const double *spread, double window,
                                       double most_kappa, double most_tail, int burr, V *told) {
    V x[8];
    for (int d = 0; d < (burr ? 8 : 6); d++) x[d] = location[d] + spread[d] * z[d];
    told[0] = NAME(least)(NAME(exp)(x[0]), NAME(all)(1.0));
    told[1] = NAME(least)(told[0] * NAME(exp)(x[1]), NAME(all)(1.0));
    told[2] = most_kappa * NAME(expit)(x[2]);
    told[3] = window * NAME(exp)(x[3]);
    told[4] = NAME(most)(NAME(exp)(x[4]), NAME(all)(1e-3));
    told[5] = NAME(tail_of)(x[5], most_tail);
    told[6] = burr ? x[6] : NAME(all)(0.0);
    told[7] = burr ? x[7] : NAME(all)(0.0);
}

/* Parameters at nodes z (dimensions, room), rises of a unit drop at so many log sizes, and minus the log density of z. */
static void NAME(transform)(const double *z, Py_ssize_t room, const double *location, const double *spread, double window,
                            double most_kappa, double most_tail, const double *log_size, int many, int burr, int onset,
                            double *te, double *tb, double *ka, double *si, double *la, double *rise, double *prior, Py_ssize_t n) {
    const int dimensions = burr ? 8 : 6;
    double *out[5] = {te, tb, ka, si, la};
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V at[8], told[8], squares = NAME(all)(0.0), slope = NAME(all)(0.0);
        for (int d = 0; d < dimensions; d++) at[d] = NAME(load)(z + d * room + i);
        if (onset) slope = NAME(from_onset)(at, location, spread, most_tail);
        for (int d = 0; d < dimensions; d++) squares += at[d] * at[d];
        NAME(store)(prior + i, 0.5 * (squares + dimensions * 1.8378770664093453) - slope);
        NAME(parameters_of)(at, location, spread, window, most_kappa, most_tail, burr, told);
        for (int k = 0; k < 5; k++) NAME(store)(out[k] + i, told[k]);
        if (burr) {
            V offset = NAME(least)(NAME(most)(told[6], NAME(all)(-150.0)), NAME(all)(150.0));
            V theta4 = NAME(theta4_of)(told[7]), theta3 = told[5] / theta4, end = NAME(softplus)(-theta3 * offset);
            for (int r = 0; r < many; r++)
                NAME(store)(rise + r * n + i, 1.0 - NAME(exp)(theta4 * (end - NAME(softplus)(theta3 * (log_size[r] - offset)))));
        } else
            for (int r = 0; r < many; r++) NAME(store)(rise + r * n + i, 1.0 - NAME(exp)(-told[5] * log_size[r]));
    }
}

static void NAME(tell_parameters)(const double *z, Py_ssize_t room, const double *location, const double *spread, double window,
                                  double most_kappa, double most_tail, int burr, int onset, double *out, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V at[8], told[8];
        for (int d = 0; d < (burr ? 8 : 6); d++) at[d] = NAME(load)(z + d * room + i);
        if (onset) NAME(from_onset)(at, location, spread, most_tail);
        NAME(parameters_of)(at, location, spread, window, most_kappa, most_tail, burr, told);
        for (int k = 0; k < 8; k++) NAME(store)(out + k * n + i, told[k]);
    }
}

/* The onset's coordinate in place of its deviate, where there is one, and log |dz / dv|. */
static void NAME(to_onset)(double *z, Py_ssize_t room, const double *location, const double *spread, double most_tail, int row,
                           double *slope, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V at[8], found = NAME(all)(0.0);
        if (row >= 0) {
            for (int d = 5; d < 8; d++) at[d] = NAME(load)(z + d * room + i);
            V tail = NAME(most)(NAME(tail_of)(location[5] + spread[5] * at[5], most_tail), NAME(all)(1e-8));
            V theta4 = NAME(theta4_of)(location[7] + spread[7] * at[7]), offset = location[6] + spread[6] * at[6];
            V fall = theta4 * NAME(softplus)(-tail / theta4 * offset);
            at[6] = -NAME(log)(NAME(most)(fall, NAME(all)(7.12e-218)));
            NAME(store)(z + row * room + i, at[6]);
            found = NAME(from_onset)(at, location, spread, most_tail);
        }
        NAME(store)(slope + i, found);
    }
}

#undef V
#undef I
