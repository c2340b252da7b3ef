/* The kernels, several nodes at a time. Included once for each set of instructions, with NAME(x) to tell them apart.

   Each does what a function of the package does in NumPy, which says why: `Density.evaluate` (noise, pseudo-scores,
   filter, draws), `mixture_density`, `weighed` with `FarForecast.ends`, `_moments`, `CutMixture._tail_and_slopes`.
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

static void NAME(evaluate)(const struct curve *c, const double *tau_e, const double *tau_b, const double *kappa,
                           const double *sigma, const double *lam, const double *rise, const double *levels,
                           const double *shares, const double *arcsine, double *out, Py_ssize_t n) {
    const int sizes = c->sizes, far = c->far, draws = c->draws, half = draws / 2;
    const double log_2pi = 1.8378770664093453;
    const double per_score = 1.0 / c->averaged, per_root = 1.0 / c->root_averaged, per_split = 1.0 / c->count;
    double *log_weight = out, *level = log_weight + draws * n, *spread = level + draws * n;
    double *drop_out = spread + draws * n, *departure = drop_out + draws * n, *lean_out = departure + draws * n;
    double *location = lean_out + draws * n, *variance_out = location + far * draws * n;
    double *explained_out = variance_out + far * draws * n;
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V own[MOST_SIZES], common[MOST_SIZES], score[MOST_SIZES], variance[MOST_SIZES], carried[MOST_SIZES];
        const V none = NAME(all)(0.0);
        V te = NAME(load)(tau_e + i), tb = NAME(load)(tau_b + i), ka = NAME(load)(kappa + i);
        V signal = NAME(load)(sigma + i);
        signal *= signal;
        V rate = -1.0 / (c->log_base * NAME(load)(lam + i));
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
        int linked = c->patterns == 1;
        if (linked) { /* every split was measured at every size */
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
        /* the filter: columns are the pseudo-scores, what the level and the drop multiply, and the common effect */
        V sy = none, sp = none, sq = none, sc = none, known = signal;
        V yy = none, yp = none, yq = none, pp = none, pq = none, qq = none, yc = none, pc = none, qc = none, cc = none;
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
        V log_total = NAME(total)(totals), explained = signal - known;
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
            V odds = low + NAME(load)(shares + j * n + i) * (high - low);
            V share = inside + width * NAME(log)(odds / (1.0 - odds));
            share = NAME(least)(NAME(most)(share, NAME(all)(c->closest)), NAME(all)(1.0 - c->closest));
            if (j >= half) share = NAME(pick)(off_poles, share, NAME(load)(arcsine + (j - half) * n + i));
            V above = NAME(expit)((share - inside) / width);
            V proposed = above * (1.0 - above) / (width * (high - low));
            V mixed = 0.5 * (proposed + 1.0 / (3.141592653589793 * NAME(root)(share * (1.0 - share))));
            V weight = (c->a - 1.0) * NAME(log)(share) + (c->b - 1.0) * NAME(log)(1.0 - share) - c->log_beta;
            weight -= NAME(log)(NAME(pick)(off_poles, proposed, mixed));
            V sure = pp - share * (2.0 * pq - share * qq);
            V excess = best_drop - share * (top - best_level);
            V squares = least + excess * excess * (precision * pp / sure);
            V at = best_level - excess * (share * qq - pq) / sure;
            weight -= 0.5 * (squares + NAME(log)(sure) - log_2pi) + c->log_range;
            V by = 1.0 / NAME(root)(sure);
            weight += rest;
            I near = NAME(least)(at - c->floor, top - at) < c->well * by;
            if (NAME(any)(near)) {
                for (int lane = 0; lane < LANES; lane++) {
                    if (!near[lane]) continue;
                    double low_end = (c->floor - at[lane]) / by[lane], high_end = (top - at[lane]) / by[lane], log_mass;
                    double drawn = at[lane] + by[lane] * cut_quantile(low_end, high_end, levels[j * n + i + lane], &log_mass);
                    at[lane] = drawn < top - c->closest ? drawn : top - c->closest;
                    by[lane] = 0.0;
                    weight[lane] += log_mass;
                }
            }
            V drop = share * (top - at);
            V gone = sy - sp * at - sq * drop, leaning = sq * share - sp;
            Py_ssize_t place = j * n + i;
            NAME(store)(log_weight + place, weight);
            NAME(store)(level + place, at);
            NAME(store)(spread + place, by);
            NAME(store)(drop_out + place, drop);
            NAME(store)(departure + place, gone);
            NAME(store)(lean_out + place, leaning);
            for (int h = 0; h < far; h++) {
                V tilt = 1.0 - far_rise[h] * share + left[h] * leaning, swing = tilt * by;
                Py_ssize_t where = (h * draws + j) * n + i;
                NAME(store)(location + where, at + far_rise[h] * drop + left[h] * gone);
                NAME(store)(variance_out + where, far_known[h] + swing * swing);
            }
        }
    }
}

/* The first of several t densities, and their weighted sum, at nodes z (dimensions, n). */
static void NAME(mixture_density)(const double *z, const double *inverse, const double *centre, const double *tops,
                                  const double *weights, int members, int dimensions, double *out, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V sum = NAME(all)(0.0), at[MOST_DIMENSIONS];
        for (int d = 0; d < dimensions; d++) at[d] = NAME(load)(z + d * n + i);
        for (int m = 0; m < members; m++) {
            const double *matrix = inverse + m * dimensions * dimensions, *middle = centre + m * dimensions;
            V base = NAME(all)(1.0);
            for (int d = 0; d < dimensions; d++) {
                V standard = NAME(all)(-middle[d]);
                for (int e = 0; e <= d; e++) standard += matrix[d * dimensions + e] * at[e];
                base += standard * standard;
            }
            V density = 1.0 / base;
            density *= density;
            density *= density;
            density *= density;
            density *= tops[m];
            if (m == 0) NAME(store)(out + i, density);
            sum += weights[m] * density;
        }
        NAME(store)(out + n + i, sum);
    }
}

/* Weights of all draws, and what of each lies beyond the ends of far forecasts: see `weighed` and `FarForecast.ends`. */
static void NAME(weigh)(const double *log_density, const double *proposed, const double *location,
                        const double *variance, const double *values, int far, int draws, double steepness,
                        double least_mass, double *log_weight, double *share, double *beyond, double *sums, Py_ssize_t n) {
    const double nothing = 1e-30;
    V top = NAME(all)(-1.0 / 0.0), total = NAME(all)(0.0), squares = NAME(all)(0.0);
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V log_proposed = NAME(log)(NAME(load)(proposed + i) / (double)n);
        for (int j = 0; j < draws; j++) {
            V weight = NAME(load)(log_density + j * n + i) - log_proposed;
            NAME(store)(log_weight + j * n + i, weight);
            top = NAME(most)(weight, top);
        }
    }
    double highest = top[0];
    for (int lane = 1; lane < LANES; lane++) highest = top[lane] > highest ? top[lane] : highest;
    for (Py_ssize_t i = 0; i < draws * n; i += LANES) {
        V weight = NAME(load)(log_weight + i) - highest;
        weight = NAME(pick)(weight > -700.0, NAME(exp)(weight), NAME(all)(0.0));
        NAME(store)(share + i, weight);
        total += weight;
    }
    double whole = NAME(sum)(total);
    for (Py_ssize_t i = 0; i < n; i += LANES) {
        V mass = NAME(all)(0.0);
        for (int j = 0; j < draws; j++) {
            V weight = NAME(load)(share + j * n + i) / whole;
            NAME(store)(share + j * n + i, weight);
            mass += weight;
        }
        squares += mass * mass;
    }
    sums[0] = NAME(sum)(squares);
    if (!values) return;
    double *slopes = sums + 1, *found = slopes + 2 * far, *errors = found + 2 * far;
    for (int h = 0; h < far; h++) {
        V slope[2] = {NAME(all)(0.0), NAME(all)(0.0)}, sum[2] = {NAME(all)(0.0), NAME(all)(0.0)};
        for (int j = 0; j < draws; j++)
            for (Py_ssize_t i = 0; i < n; i += LANES) {
                Py_ssize_t place = (h * draws + j) * n + i;
                V weight = NAME(load)(share + j * n + i);
                I counts = weight > nothing;
                double *low = beyond + ((2 * h) * draws + j) * n + i, *high = low + draws * n;
                if (!NAME(any)(counts)) {
                    NAME(store)(low, NAME(all)(0.0));
                    NAME(store)(high, NAME(all)(0.0));
                    continue;
                }
                V at = NAME(load)(location + place);
                at = NAME(least)(NAME(most)(at, NAME(all)(-1e3)), NAME(all)(1e3));
                V spread = NAME(least)(NAME(most)(NAME(load)(variance + place), NAME(all)(1e-14)), NAME(all)(1e6));
                V rate = steepness / NAME(root)(spread);
                V below = NAME(expit)(-at * rate);
                V mass = NAME(most)(NAME(expit)((1.0 - at) * rate) - below, NAME(all)(least_mass));
                for (int e = 0; e < 2; e++) {
                    V p = NAME(expit)((values[2 * h + e] - at) * rate);
                    slope[e] += p * (1.0 - p) * rate / mass * weight;
                    p = (p - below) / mass;
                    sum[e] += p * weight;
                    NAME(store)(e ? high : low, p);
                }
            }
        for (int e = 0; e < 2; e++) {
            slopes[2 * h + e] = NAME(sum)(slope[e]);
            double here = NAME(sum)(sum[e]);
            found[2 * h + e] = here;
            V error = NAME(all)(0.0);
            double *own = beyond + (2 * h + e) * draws * n;
            for (Py_ssize_t i = 0; i < n; i += LANES) {
                V of_node = NAME(all)(0.0);
                for (int j = 0; j < draws; j++) {
                    V influence = (NAME(load)(own + j * n + i) - here) * NAME(load)(share + j * n + i);
                    of_node += influence;
                    if (e) influence = -influence;
                    NAME(store)(own + j * n + i, NAME(most)(influence, NAME(all)(0.0)));
                }
                error += of_node * of_node;
            }
            errors[2 * h + e] = NAME(sum)(error);
        }
    }
}

/* Weighted means and products of nodes z (dimensions, n), for each of several weights that sum to 1. */
static void NAME(moments)(const double *z, const double *weights, int several, int dimensions, double *mean,
                          double *products, Py_ssize_t n) {
    for (int m = 0; m < several; m++) {
        V first[MOST_DIMENSIONS], second[MOST_DIMENSIONS * (MOST_DIMENSIONS + 1) / 2];
        for (int d = 0; d < dimensions; d++) first[d] = NAME(all)(0.0);
        for (int k = 0; k < dimensions * (dimensions + 1) / 2; k++) second[k] = NAME(all)(0.0);
        for (Py_ssize_t i = 0; i < n; i += LANES) {
            V weight = NAME(load)(weights + m * n + i), at[MOST_DIMENSIONS];
            I counts = weight > 0.0;
            if (!NAME(any)(counts)) continue;
            for (int d = 0, k = 0; d < dimensions; d++) {
                at[d] = NAME(load)(z + d * n + i);
                V weighted = weight * at[d];
                first[d] += weighted;
                for (int e = 0; e <= d; e++, k++) second[k] += weighted * at[e];
            }
        }
        for (int d = 0, k = 0; d < dimensions; d++) {
            mean[m * dimensions + d] = NAME(sum)(first[d]);
            for (int e = 0; e <= d; e++, k++) {
                double *matrix = products + m * dimensions * dimensions;
                matrix[d * dimensions + e] = matrix[e * dimensions + d] = NAME(sum)(second[k]);
            }
        }
    }
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

/* Tails, densities and their slopes of mixtures, at single values: see `CutMixture._tail_and_slopes`. */
static void NAME(tails)(const double *values, const long long *rows, const double *location, const double *rate,
                        const double *step, const double *height, const double *beyond, Py_ssize_t columns,
                        Py_ssize_t components, double *out, Py_ssize_t count) {
    for (Py_ssize_t p = 0; p < count; p++) {
        Py_ssize_t row = (Py_ssize_t)rows[p], column = row % columns;
        const double *at = location + column * components, *tops = height + column * components;
        const double *rates = rate + row * components, *steps = step + row * components;
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
            V z = (values[p] - l) * r, exponent = -0.5 * z * z;
            V bell = NAME(pick)(exponent < -707.0, NAME(all)(0.0), NAME(exp)(exponent));
            tail += s * NAME(normal_below)(z, bell);
            bell *= h;
            pdf += bell;
            slope -= bell * z * r;
        }
        out[p] = NAME(sum)(tail) - beyond[row];
        out[count + p] = NAME(sum)(pdf);
        out[2 * count + p] = NAME(sum)(slope);
    }
}

#undef V
#undef I
