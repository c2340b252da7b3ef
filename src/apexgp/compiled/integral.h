/* The integration, whole: what inference/integral.py does in NumPy, which says why, with the same numbers to rounding. */

#define DRAWS 4
#define FAR 3
#define ENDS (2 * FAR)
#define ROWS (6 * DRAWS + 2 * FAR * DRAWS + 1) /* what `evaluate` knows of a node */
#define MOST_WIDE 8
#define ONSET 6 /* the coordinate that tells two families of curves apart, where there are two */
#define MOST_STENCIL 80
#define TAKING_OFF 128
#define SAMPLE 1024
#define HEAVIEST 50

/* As `_list_options` in inference/compiled_integral.py has them. */
struct options {
    double dimensions, burr, ceiling;
    double location[MOST_COORDINATES], spread[MOST_COORDINATES]; /* of the variable behind each prior, for a deviate */
    double window, most_kappa, most_tail, divide_row, above, below, steep[3];
    double precision, roughly;
    double first, searching, found, most_searching, soon, least, least_where_hard, least_where_uneven, most, step, growth, enough;
    double rough, more_where_hard, wide, first_worth, late, steady;
    double for_posterior, bulk, in_parts, least_part, straighter, narrowest, least_effective, least_share;
    double normaliser, degrees, bend[5], least_mass, components;
};

/* What of the curve, the priors and the nodes every step needs. */
struct problem {
    const struct curve *curve;
    const struct options *by;
    const double *log_size; /* over the largest, of the pilot's sizes and of the far ones */
    int dimensions, onset;  /* whether nodes have onset coordinates */
    int wides;
    double wide_table[MOST_WIDE * WIDTH(MOST_COORDINATES)], wide_share[MOST_WIDE];
    double centre[MOST_COORDINATES];
    double *scratch, *answered; /* room for what a round of nodes needs on the way */
    Py_ssize_t room;
};

/* Nodes, in columns; those before `from` do not count. */
struct pool {
    Py_ssize_t count, from, vectors;
    double worth; /* how many nodes of full weight those are that count */
    double *z, *rows, *proposed, *share, *beyond, *targets, sums[2 + 10 * FAR];
    const double *t, *levels, *shares, *arcsine;
};

/* How well the ends of far forecasts are known. */
struct judgement {
    int known;
    double values[ENDS], found[ENDS], squares[ENDS], errors[ENDS], total[ENDS], mean[FAR], error, effective, log_evidence;
};

struct peak {
    double place[MOST_COORDINATES], root[MOST_COORDINATES * MOST_COORDINATES], log_mass; /* root: lower triangular */
};

/* The nearest number between bounds; the lower one for what is no number. */
static double bounded(double x, double low, double high) { return x > low ? x < high ? x : high : low; }

/* A whole number of nodes, of so many. */
static long long round_nodes(double x, Py_ssize_t most) { return (long long)bounded(nearbyint(x), 0.0, (double)most); }

/* Eigenvalues of a symmetric matrix, on its diagonal in the end, and eigenvectors in columns: Jacobi's rotations. They
   come in rising order, each vector with a positive largest component. */
static void diagonalise(double *a, double *vectors, int n) {
    for (int i = 0; i < n * n; i++) vectors[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 40; sweep++) {
        double off = 0.0, whole = 0.0;
        for (int i = 0; i < n * n; i++) {
            whole += a[i] * a[i];
            if (i % (n + 1)) off += a[i] * a[i];
        }
        if (!(off > 1e-30 * whole)) break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (a[p * n + q] == 0.0) continue;
                double theta = 0.5 * (a[q * n + q] - a[p * n + p]) / a[p * n + q];
                double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = vectors[k * n + p], y = vectors[k * n + q];
                    vectors[k * n + p] = c * x - s * y;
                    vectors[k * n + q] = s * x + c * y;
                }
            }
    }
    for (int p = 0; p < n; p++) {
        int least = p, largest = 0;
        for (int q = p + 1; q < n; q++)
            if (a[q * n + q] < a[least * n + least]) least = q;
        double value = a[p * n + p];
        a[p * n + p] = a[least * n + least];
        a[least * n + least] = value;
        for (int k = 0; k < n; k++) {
            value = vectors[k * n + p];
            vectors[k * n + p] = vectors[k * n + least];
            vectors[k * n + least] = value;
            if (fabs(vectors[k * n + p]) > fabs(vectors[largest * n + p])) largest = k;
        }
        if (vectors[largest * n + p] < 0.0)
            for (int k = 0; k < n; k++) vectors[k * n + p] = -vectors[k * n + p];
    }
}

/* Lower root of a positive definite matrix. */
static void factor(const double *matrix, double *root, int n) {
    memset(root, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double value = matrix[i * n + j];
            for (int k = 0; k < j; k++) value -= root[i * n + k] * root[j * n + k];
            root[i * n + j] = i == j ? sqrt(value > 1e-300 ? value : 1e-300) : value / root[j * n + j];
        }
}

/* A proposal with a location and a lower root. */
static void make_proposal(const double *location, const double *root, const struct options *by, int n, double *out) {
    memcpy(out, location, (size_t)n * sizeof(double));
    memcpy(ROOT(out, n), root, (size_t)(n * n) * sizeof(double));
    complete_proposal(out, by->normaliser, 1.0 / sqrt(by->degrees), n);
}

/* Gradient and minus the Hessian from values on `step` times the stencil: the centre, steps along each axis, there and
   back, and along each pair of axes, there and back. */
static void differentiate(const double *values, int n, double step, double *gradient, double *curvature) {
    const double *there = values + 1, *back = there + n, *one_way = back + n, *other_way = one_way + n * (n - 1) / 2;
    double own[MOST_COORDINATES], square = step * step;
    for (int d = 0; d < n; d++) {
        gradient[d] = (there[d] - back[d]) / (2.0 * step);
        own[d] = (there[d] + back[d] - 2.0 * values[0]) / square;
        curvature[d * n + d] = -own[d];
    }
    for (int d = 1, p = 0; d < n; d++)
        for (int e = 0; e < d; e++, p++) {
            double both = (one_way[p] + other_way[p] - 2.0 * values[0]) / square;
            curvature[d * n + e] = curvature[e * n + d] = -0.5 * (both - own[d] - own[e]);
        }
}

/* Points of the stencil, in columns. */
static int fill_stencil(int n, double *points, int columns) {
    memset(points, 0, (size_t)(n * columns) * sizeof(double));
    for (int d = 0; d < n; d++) {
        points[d * columns + 1 + d] = 1.0;
        points[d * columns + 1 + n + d] = -1.0;
    }
    for (int d = 1, p = 0, pairs = n * (n - 1) / 2; d < n; d++)
        for (int e = 0; e < d; e++, p++) {
            int at = 1 + 2 * n + p;
            points[d * columns + at] = points[e * columns + at] = 1.0;
            points[d * columns + at + pairs] = points[e * columns + at + pairs] = -1.0;
        }
    return 1 + n + n * n;
}

/* What prior and replicates make of the three coordinates of the noise, on the stencil around a place. */
static void log_noise(const struct problem *p, const double *place, double *values) {
    const struct options *by = p->by;
    double points[3 * 16], te[16], tb[16], ka[16], deviate[3];
    fill_stencil(3, points, 16);
    for (int k = 0; k < 16; k++) {
        for (int d = 0; d < 3; d++) deviate[d] = place[d] + 1e-2 * points[d * 16 + k];
        te[k] = fmin(exp(by->location[0] + by->spread[0] * deviate[0]), 1.0);
        tb[k] = fmin(te[k] * exp(by->location[1] + by->spread[1] * deviate[1]), 1.0);
        ka[k] = by->most_kappa / (1.0 + exp(-(by->location[2] + by->spread[2] * deviate[2])));
    }
    CALL(log_rest, p->curve, te, tb, ka, values, 16);
    for (int k = 0; k < 13; k++)
        for (int d = 0; d < 3; d++) {
            double at = place[d] + 1e-2 * points[d * 16 + k];
            values[k] -= 0.5 * at * at;
        }
}

static double to_four_digits(double x) {
    double unit = pow(10.0, floor(log10(fmax(fabs(x), 1e-9))) - 3.0);
    return nearbyint(x / unit) * unit;
}

/* Mode of the noise, and the root of its inverse curvature: see `find_noise_mode` in inference/proposals.py. */
static void find_noise_mode(const struct problem *p, double *mode, double *root) {
    double step[3] = {0}, reached = -INFINITY, covariance[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, values[16];
    memset(mode, 0, 3 * sizeof(double));
    for (int turn = 0; turn < 40; turn++) {
        double tried[3], gradient[3], curvature[9], vectors[9], newton[3], promise = 0.0, along = 0.0, longest = 0.0;
        for (int d = 0; d < 3; d++) tried[d] = mode[d] + step[d];
        log_noise(p, tried, values);
        if (values[0] > reached) {
            differentiate(values, 3, 1e-2, gradient, curvature);
            diagonalise(curvature, vectors, 3);
            for (int i = 0; i < 9; i++) {
                covariance[i] = 0.0;
                for (int k = 0; k < 3; k++)
                    covariance[i] += vectors[i / 3 * 3 + k] * vectors[i % 3 * 3 + k] / fmax(fabs(curvature[k * 4]), 1.0);
            }
            memcpy(mode, tried, sizeof tried);
            reached = values[0];
            for (int d = 0; d < 3; d++) {
                newton[d] = 0.0;
                for (int e = 0; e < 3; e++) newton[d] += covariance[d * 3 + e] * gradient[e];
                promise += newton[d] * gradient[d];
                step[d] = bounded(newton[d], -2.0, 2.0);
                along += step[d] * gradient[d];
                longest = fmax(longest, fabs(newton[d]));
            }
            if (promise <= 0.5) break;
            if (along <= 0.0)
                for (int d = 0; d < 3; d++) step[d] = newton[d] * 2.0 / longest;
        } else {
            longest = 0.0;
            for (int d = 0; d < 3; d++) longest = fmax(longest, fabs(step[d] *= 0.25));
            if (longest < 1e-2) break;
        }
    }
    factor(covariance, root, 3);
    for (int d = 0; d < 3; d++) mode[d] = nearbyint(mode[d] * 1e4) / 1e4;
    for (int i = 0; i < 9; i++) root[i] = to_four_digits(root[i]);
}

/* The first proposals: the prior, with the noise where the replicates put it, and its part that wakes up late. */
static void make_wide(struct problem *p) {
    const struct options *by = p->by;
    const int n = p->dimensions;
    double mode[3], noise[9], location[MOST_COORDINATES] = {0}, root[MOST_COORDINATES * MOST_COORDINATES] = {0};
    find_noise_mode(p, mode, noise);
    for (int d = 0; d < n; d++) root[d * n + d] = 1.0;
    for (int d = 0; d < 3; d++) {
        location[d] = mode[d];
        for (int e = 0; e <= d; e++) root[d * n + e] = sqrt(2.0) * noise[d * 3 + e];
    }
    memcpy(p->centre, location, sizeof location);
    make_proposal(location, root, by, n, p->wide_table);
    p->wide_share[0] = 1.0;
    p->wides = 1;
    if (by->divide_row < 0) return;
    int row = (int)by->divide_row;
    for (int k = 0; k < 3; k++) location[5 + k] = by->steep[k];
    location[3] = by->steady;
    location[row] = 0.5 * (by->above + by->below);
    root[row * n + row] = (by->below - by->above) / 3.0;
    make_proposal(location, root, by, n, p->wide_table + WIDTH(n));
    p->wide_share[0] = 1.0 - by->late;
    p->wide_share[1] = by->late;
    p->wides = 2;
}

/* Evaluate nodes z (dimensions, room): rows as `evaluate` has them, log weights being log densities of the nodes. */
static void evaluate_nodes(const struct problem *p, const double *z, Py_ssize_t stride, const double *levels,
                           const double *shares, const double *arcsine, Py_ssize_t vectors, double *rows, Py_ssize_t count) {
    double *at[6], *rise = p->scratch + 6 * count;
    for (int k = 0; k < 6; k++) at[k] = p->scratch + k * count;
    CALL(transform, z, stride, p->by->location, p->by->spread, p->by->window, p->by->most_kappa, p->by->most_tail,
         p->log_size, p->curve->sizes + FAR, p->by->burr > 0, p->onset, at[0], at[1], at[2], at[3], at[4], rise, at[5], count);
    CALL(evaluate, p->curve, at[0], at[1], at[2], at[3], at[4], rise, levels, shares, arcsine, rows, count, stride, vectors);
    for (int j = 0; j < DRAWS; j++)
        for (Py_ssize_t i = 0; i < count; i++) {
            double value = rows[j * stride + i] - at[5][i];
            rows[j * stride + i] = value == value ? value : -INFINITY;
        }
}

/* More nodes, most of them from proposals that are fitted; each is to weigh its density over that of its own round. */
static void add_round(const struct problem *p, struct pool *h, const double *fitted, const double *share, int several,
                      Py_ssize_t count) {
    const int n = p->dimensions, width = WIDTH(n);
    double sources[(MOST_WIDE + MOST_FITTED) * WIDTH(MOST_COORDINATES)], weights[MOST_WIDE + MOST_FITTED];
    long long counts[MOST_WIDE + MOST_FITTED];
    Py_ssize_t start = h->count, left = count;
    int used = 0;
    for (int m = 0; m < several; m++)
        left -= counts[p->wides + m] = round_nodes((1.0 - p->by->wide) * (double)count * share[m] - 1e-7, left);
    counts[0] = left;
    for (int m = 1; m < p->wides; m++)
        counts[0] -= counts[m] = round_nodes(p->wide_share[m] * (double)left, (Py_ssize_t)counts[0]);
    for (int m = 0; m < p->wides + several; m++) {
        if (!counts[m]) continue;
        const double *own = m < p->wides ? p->wide_table + m * width : fitted + (m - p->wides) * width;
        memcpy(sources + used * width, own, (size_t)width * sizeof(double));
        weights[used] = (double)counts[m] / (double)count;
        counts[used++] = counts[m];
    }
    CALL(place, h->t + start, sources, counts, used, n, h->vectors, h->z + start, p->room);
    evaluate_nodes(p, h->z + start, p->room, h->levels + start, h->shares + start, h->arcsine + start, h->vectors,
                   h->rows + start, count);
    memset(h->proposed + start, 0, (size_t)count * sizeof(double));
    CALL(mixture_density, h->z + start, sources, weights, used, n, h->proposed + start, count, p->room);
    h->count += count;
    h->worth += (double)count;
}

/* Weigh the nodes that count, and judge the ends of far forecasts by them. */
static void judge(const struct problem *p, struct pool *h, struct judgement *j) {
    const double least_slope = 0.06, next = 1e-6, at[2] = {-1.959963984540054, 1.959963984540054};
    const double *rows = h->rows + h->from, *location = rows + 6 * DRAWS * p->room, *sums = h->sums + 2;
    const Py_ssize_t count = h->count - h->from;
    for (int turn = j->known ? 1 : 0; turn < 2; turn++) {
        CALL(weigh, p->by->bend, p->by->least_mass, rows, h->proposed + h->from, location, location + FAR * DRAWS * p->room,
             turn ? j->values : NULL, FAR, DRAWS, h->share, h->beyond, h->sums, count, p->room);
        j->effective = 1.0 / h->sums[0];
        j->log_evidence = h->sums[1] - log(h->worth * DRAWS);
        j->error = 0.0;
        for (int f = 0; f < FAR; f++) {
            double mean = sums[f], std = sqrt(fmax(sums[FAR + f] - mean * mean, 0.0)), better[2];
            double width = fmax(j->values[2 * f + 1] - j->values[2 * f], 1e-9);
            j->mean[f] = mean;
            for (int e = 0; e < 2; e++) {
                int i = 2 * f + e;
                better[e] = mean + (e ? 2.0 : -2.0) * std;
                if (!turn) continue;
                double slope = fmax(sums[2 * FAR + i], least_slope / width);
                j->found[i] = sums[2 * FAR + ENDS + i];
                j->squares[i] = sums[2 * FAR + 2 * ENDS + i];
                j->total[i] = sums[2 * FAR + 3 * ENDS + i];
                j->errors[i] = sqrt(j->squares[i]) / (width * slope);
                j->error = fmax(j->error, j->errors[i]);
                double score = normal_quantile(bounded(j->found[i], next, 1.0 - next)), missing = at[e] - score;
                if (fabs(missing) < 1.0)
                    better[e] = j->values[i] + missing * exp(-0.5 * score * score) / (2.5066282746310002 * slope);
            }
            for (int e = 0; e < 2; e++) j->values[2 * f + e] = bounded(better[e], next, 1.0 - next);
        }
        j->known = 1;
    }
}

/* Put shares to the power that leaves enough effective nodes. */
static void temper(double *row, Py_ssize_t n, double least, double *logs) {
    double squares = 0.0, top = 0.0, low = 0.0, high = 1.0, sum = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        squares += row[i] * row[i];
        top = fmax(top, row[i]);
    }
    if (squares <= 1.0 / least) return;
    for (Py_ssize_t i = 0; i < n; i++) logs[i] = row[i] > 1e-12 * top ? log(row[i] / top) : -INFINITY;
    for (int turn = 0; turn < 8; turn++) {
        double beta = turn < 7 ? 0.5 * (low + high) : low;
        sum = squares = 0.0;
        for (Py_ssize_t i = 0; i < n; i++) {
            double power = isfinite(logs[i]) ? exp(beta * logs[i]) : 0.0;
            sum += power;
            squares += power * power;
            if (turn == 7) row[i] = power;
        }
        if (sum * sum >= least * squares) low = beta;
        else high = beta;
    }
    for (Py_ssize_t i = 0; i < n; i++) row[i] /= sum;
}

/* Fit proposals to the nodes: see `fit_proposals` in inference/proposals.py. Gives their number. */
static int fit_proposals(const struct problem *p, struct pool *h, const struct judgement *j, double *fitted, double *share) {
    const struct options *by = p->by;
    const Py_ssize_t count = h->count - h->from;
    double worth[ENDS], blame[ENDS], shares[3], worst[2] = {1e-12, 1e-12}, whole[2] = {0}, most = 0.0, among = 1e-6, left = 0.0;
    for (int i = 0; i < ENDS; i++) {
        double square = j->errors[i] * j->errors[i];
        whole[i % 2] += square;
        most = fmax(most, square);
        worst[i % 2] = fmax(worst[i % 2], j->errors[i] + 1e-12);
    }
    for (int i = 0; i < ENDS; i++) {
        double level = i % 2 ? 1.0 - j->found[i] : j->found[i], relative = j->errors[i] / fmax(j->error, 1e-300);
        worth[i] = j->errors[i] * j->errors[i] / (fmax(fmax(whole[i % 2], 1e-3 * most), 1e-300) * fmax(j->total[i], 1e-6));
        blame[i] = relative * relative * relative / fmax(j->squares[i], 1e-300);
        among += blame[i] * level * level;
    }
    shares[0] = by->for_posterior;
    for (int e = 0; e < 2; e++) shares[1 + e] = (1.0 - by->for_posterior) * worst[e] / (worst[0] + worst[1]);
    CALL(targets, h->share, h->beyond, worth, blame, by->bulk, among, FAR, DRAWS, h->targets, count);
    for (int k = 0; k < 4; k++) {
        double sum = 0.0, *row = h->targets + k * count;
        for (Py_ssize_t i = 0; i < count; i++) sum += row[i];
        for (Py_ssize_t i = 0; i < count; i++) row[i] /= sum;
        if (k < 3) temper(row, count, by->least_effective, p->answered);
    }
    struct settings to = {by->in_parts, by->least_part, by->straighter, by->narrowest, by->least_effective,
                          p->onset ? 0.0 : by->above, 1.0 / sqrt(by->degrees), by->normaliser, (int)by->divide_row};
    int several = CALL(adapt, h->z + h->from, h->targets, shares, &to, p->answered, fitted, share, p->dimensions, count, p->room);
    for (int m = 0; m < several; m++) left += share[m] = share[m] < by->least_share ? 0.0 : share[m];
    for (int m = 0; m < several; m++) share[m] /= left;
    return several;
}

/* Another round, after which only its own nodes count, or those before as well; 0 where points have run out. */
static int go_on(const struct problem *p, struct pool *h, struct judgement *j, double count, int alone) {
    double fitted[MOST_FITTED * WIDTH(MOST_COORDINATES)], share[MOST_FITTED];
    if (!(count <= (double)(h->vectors - h->count))) return 0;
    int several = fit_proposals(p, h, j, fitted, share);
    if (alone) {
        h->from = h->count;
        h->worth = 0.0;
    }
    add_round(p, h, fitted, share, several, (Py_ssize_t)count);
    judge(p, h, j);
    return 1;
}

/* Rounds until the posterior has been found, or has not been for long. Gives their number; 0 where points ran out. */
static int look_for_posterior(const struct problem *p, struct pool *h, struct judgement *j, double first) {
    int rounds = 2;
    h->from = h->count;
    h->worth = 0.0;
    if (!(first <= (double)(h->vectors - h->count))) return 0;
    add_round(p, h, NULL, NULL, 0, (Py_ssize_t)first);
    j->known = 0;
    judge(p, h, j);
    if (!go_on(p, h, j, first, 1)) return 0;
    for (; j->effective < p->by->found && rounds < p->by->most_searching; rounds++)
        if (!go_on(p, h, j, fmax(0.5 * first, p->by->searching), 1)) return 0;
    return rounds;
}

/* Whether a few nodes weigh so much that errors computed from the weights are too small: Hill's index. */
static int are_uneven(const struct pool *h, double *heaviest_weight) {
    const Py_ssize_t count = h->count - h->from;
    double heaviest[HEAVIEST + 1] = {0}, sum = 0.0;
    int have = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        double weight = 0.0;
        int place = have;
        for (int d = 0; d < DRAWS; d++) weight += h->share[d * count + i];
        if (have > HEAVIEST) {
            if (weight <= heaviest[HEAVIEST]) continue;
            place = HEAVIEST;
        } else
            have++;
        for (; place > 0 && heaviest[place - 1] < weight; place--) heaviest[place] = heaviest[place - 1];
        heaviest[place] = weight;
    }
    *heaviest_weight = heaviest[0];
    double least = fmax(have ? heaviest[have - 1] : 0.0, 1e-300);
    for (int i = 0; i < have; i++) sum += log(fmax(heaviest[i], least) / least);
    return sum > 0.6 * HEAVIEST;
}

/* Rounds until the ends of far forecasts are known well enough; 0 where points ran out. */
static int refine(const struct problem *p, struct pool *h, struct judgement *j, double least) {
    const struct options *by = p->by;
    Py_ssize_t first = h->count;
    for (;;) {
        double have = (double)(h->count - h->from), ratio = j->error / by->precision, heaviest;
        double wanted = have * fmax(ratio * ratio, by->enough / j->effective);
        if (wanted <= have && are_uneven(h, &heaviest)) least = by->least_where_uneven;
        double limit = by->most * (j->error > by->rough * by->precision ? by->more_where_hard : 1.0);
        if (have >= limit || (wanted <= have && have >= least)) return 1;
        double more = fmin(fmin(fmax(wanted, least) - have, by->growth * have), limit - have);
        if (h->count == first) {
            for (Py_ssize_t i = h->from; i < first; i++) h->proposed[i] /= by->first_worth;
            h->worth *= by->first_worth;
        }
        if (!go_on(p, h, j, by->step * fmax(ceil(more / by->step), 1.0), 0)) return 0;
    }
}

/* Log density at coordinates v (dimensions, count), with equal numbers for the draws at all of them. */
static void log_density_at(const struct problem *p, const double *v, Py_ssize_t count, double *rows, double *out) {
    double even[(2 * DRAWS + DRAWS / 2) * TAKING_OFF];
    const double turned[DRAWS] = {0.0, 0.5, 0.25, 0.75};
    for (Py_ssize_t i = 0; i < count; i++)
        for (int j = 0; j < DRAWS; j++) {
            double share = 0.125 + turned[j], half_pi = 1.5707963267948966;
            even[j * count + i] = 0.125 + 0.25 * j;
            even[(DRAWS + j) * count + i] = share;
            if (j >= DRAWS / 2) even[(2 * DRAWS + j - DRAWS / 2) * count + i] = sin(half_pi * share) * sin(half_pi * share);
        }
    evaluate_nodes(p, v, count, even, even + DRAWS * count, even + 2 * DRAWS * count, count, rows, count);
    for (Py_ssize_t i = 0; i < count; i++) {
        double top = -1e300, sum = 0.0;
        for (int j = 0; j < DRAWS; j++) top = fmax(top, rows[j * count + i]);
        for (int j = 0; j < DRAWS; j++) sum += exp(rows[j * count + i] - top);
        out[i] = top + log(sum / DRAWS);
    }
}

/* Climb to a peak by Newton's method: see `climb` in inference/peaks.py. */
static void climb(const struct problem *p, const double *start, double *rows, struct peak *peak) {
    const int n = p->dimensions;
    double points[MOST_COORDINATES * MOST_STENCIL], v[MOST_COORDINATES * MOST_STENCIL], values[MOST_STENCIL];
    double place[MOST_COORDINATES], root[MOST_COORDINATES * MOST_COORDINATES] = {0}, step[MOST_COORDINATES] = {0};
    double reached = -INFINITY, longest = 3.0;
    int used = fill_stencil(n, points, MOST_STENCIL);
    memcpy(place, start, (size_t)n * sizeof(double));
    for (int d = 0; d < n; d++) root[d * n + d] = 0.3;
    for (int turn = 0; turn < 40; turn++) {
        double at[MOST_COORDINATES], gradient[MOST_COORDINATES], curvature[MOST_COORDINATES * MOST_COORDINATES];
        double vectors[MOST_COORDINATES * MOST_COORDINATES], moved[MOST_COORDINATES * MOST_COORDINATES], most = 0.0;
        int finite = 1;
        for (int d = 0; d < n; d++) {
            at[d] = place[d];
            for (int e = 0; e < n; e++) at[d] += root[d * n + e] * step[e];
            for (int k = 0; k < MOST_STENCIL; k++) {
                double value = at[d];
                for (int e = 0; e < n; e++) value += 0.3 * root[d * n + e] * points[e * MOST_STENCIL + k];
                v[d * MOST_STENCIL + k] = value;
            }
        }
        log_density_at(p, v, MOST_STENCIL, rows, values);
        for (int k = 0; k < used; k++) finite &= isfinite(values[k]) != 0;
        if (finite && values[0] > reached) {
            double length = 0.0;
            int settled = 1;
            memcpy(place, at, (size_t)n * sizeof(double));
            reached = values[0];
            differentiate(values, n, 0.3, gradient, curvature);
            diagonalise(curvature, vectors, n);
            for (int k = 0; k < n; k++) {
                double size = fabs(curvature[k * n + k]), held = bounded(size, 1.0 / 16.0, 16.0), along = 0.0, width = 0.0;
                settled &= held == size;
                for (int d = 0; d < n; d++) {
                    double value = 0.0;
                    for (int e = 0; e < n; e++) value += root[d * n + e] * vectors[e * n + k];
                    moved[d * n + k] = value / sqrt(held);
                    width += moved[d * n + k] * moved[d * n + k];
                    along += vectors[d * n + k] * gradient[d];
                }
                double cut = fmin(1.0, 2.0 / sqrt(fmax(width, 1e-300)));
                for (int d = 0; d < n; d++) moved[d * n + k] *= cut;
                step[k] = along / sqrt(held) * cut;
                length += step[k] * step[k];
                most = fmax(most, fabs(step[k]));
            }
            memcpy(root, moved, sizeof moved);
            if (length < 1.0 && settled) break;
            for (int k = 0; k < n; k++) step[k] *= fmin(1.0, longest / fmax(most, 1e-300));
            longest *= 2.0;
        } else {
            for (int k = 0; k < n; k++) most = fmax(most, fabs(step[k] *= 0.25));
            longest = 3.0;
            if (most < 0.03) break;
        }
    }
    double covariance[MOST_COORDINATES * MOST_COORDINATES];
    for (int d = 0; d < n; d++)
        for (int e = 0; e < n; e++) {
            covariance[d * n + e] = 0.0;
            for (int k = 0; k < n; k++) covariance[d * n + e] += root[d * n + k] * root[e * n + k];
        }
    factor(covariance, peak->root, n);
    peak->log_mass = reached + 0.5 * n * 1.8378770664093453;
    for (int d = 0; d < n; d++) {
        peak->place[d] = nearbyint(place[d] * 1e4) / 1e4;
        peak->log_mass += log(peak->root[d * n + d]);
    }
    for (int i = 0; i < n * n; i++) peak->root[i] = to_four_digits(peak->root[i]);
}

/* Effective number of nodes within four standard deviations of a peak; v (dimensions, count) are their coordinates. */
static double count_near(const struct problem *p, const struct peak *peak, const double *v, const struct pool *h) {
    const int n = p->dimensions;
    const Py_ssize_t count = h->count - h->from;
    double sum = 0.0, squares = 0.0;
    for (Py_ssize_t i = 0; i < count; i++) {
        double away[MOST_COORDINATES], distance = 0.0, weight = 0.0;
        for (int d = 0; d < n && distance < 16.0; d++) {
            away[d] = v[d * count + i] - peak->place[d];
            for (int e = 0; e < d; e++) away[d] -= peak->root[d * n + e] * away[e];
            away[d] /= peak->root[d * n + d];
            distance += away[d] * away[d];
        }
        if (!(distance < 16.0)) continue;
        for (int d = 0; d < DRAWS; d++) weight += h->share[d * count + i];
        sum += weight;
        squares += weight * weight;
    }
    return sum * sum / fmax(squares, 1e-300);
}

/* Peaks that matter and that the nodes hardly know: see `find_missed_peaks` in inference/peaks.py. Gives their number. */
static int find_missed_peaks(struct problem *p, const struct pool *h, const struct judgement *j, int everywhere, struct peak *peaks) {
    const int n = p->dimensions, row = (int)p->by->divide_row, as_before = p->onset;
    const Py_ssize_t count = h->count - h->from;
    double *v = p->answered, *slope = v + n * count, *rows = slope + count, starts[2][MOST_COORDINATES] = {{0}}, highest = -INFINITY;
    int many = 0, missed = 0;
    for (int d = 0; d < n; d++) memcpy(v + d * count, h->z + d * p->room + h->from, (size_t)count * sizeof(double));
    CALL(to_onset, v, count, p->by->location, p->by->spread, p->by->most_tail, row, slope, count);
    for (Py_ssize_t i = 0; i < count; i++) {
        double height = -INFINITY;
        for (int d = 0; d < DRAWS; d++) height = fmax(height, h->rows[d * p->room + h->from + i]);
        height += slope[i];
        if (height > highest) {
            highest = height;
            for (int d = 0; d < n; d++) starts[0][d] = v[d * count + i];
        }
    }
    many = everywhere ? 1 : 0;
    p->onset = row >= 0;
    if (row >= 0) {
        double others[MOST_COORDINATES * TAKING_OFF], found[TAKING_OFF];
        int best = 0;
        for (int i = 0; i < TAKING_OFF; i++) {
            /* as np.meshgrid has them: sharpness outermost, then how far they have come, sigma and noise */
            int sharp = i / 64, come = i / 4 % 16, steady = i / 2 % 2, quiet = i % 2;
            for (int d = 0; d < n; d++) others[d * TAKING_OFF + i] = p->centre[d];
            others[row * TAKING_OFF + i] = -2.5 + 8.5 * come / 15.0;
            others[7 * TAKING_OFF + i] = sharp ? -4.5 : -2.5;
            others[3 * TAKING_OFF + i] = steady ? -1.5 : -0.5;
            others[5 * TAKING_OFF + i] = 1.5;
            others[i] -= quiet ? 2.0 : 0.0;
        }
        log_density_at(p, others, TAKING_OFF, rows, found);
        for (int i = 1; i < TAKING_OFF; i++)
            if (found[i] > found[best]) best = i;
        if (everywhere || found[best] > highest - 25.0) {
            for (int d = 0; d < n; d++) starts[many][d] = others[d * TAKING_OFF + best];
            many++;
        }
    }
    for (int k = 0; k < many; k++) {
        climb(p, starts[k], rows, peaks + missed);
        if (peaks[missed].log_mass > j->log_evidence + log(0.01) &&
            count_near(p, peaks + missed, v, h) < 10.0)
            missed++;
    }
    p->onset = as_before;
    return missed;
}

/* Wide proposals in onset coordinates, and one around each peak: see `wide_around` in inference/peaks.py. */
static void widen_around(struct problem *p, const struct pool *h, const struct peak *peaks, int many) {
    const int n = p->dimensions, row = (int)p->by->divide_row, width = WIDTH(n);
    double *z = p->answered, *slope = z + n * SAMPLE, table[MOST_WIDE * WIDTH(MOST_COORDINATES)], share[MOST_WIDE], whole = 0.0;
    long long counts[MOST_WIDE];
    int wides = 0;
    counts[0] = SAMPLE;
    for (int m = 1; m < p->wides; m++) counts[0] -= counts[m] = round_nodes(p->wide_share[m] * SAMPLE, (Py_ssize_t)counts[0]);
    CALL(place, h->t, p->wide_table, counts, p->wides, n, h->vectors, z, SAMPLE);
    CALL(to_onset, z, SAMPLE, p->by->location, p->by->spread, p->by->most_tail, row, slope, SAMPLE);
    Py_ssize_t from = 0;
    for (int m = 0; m < p->wides; from += counts[m++])
        for (int late = 0; late < 2; late++) {
            double mean[MOST_COORDINATES] = {0}, covariance[MOST_COORDINATES * MOST_COORDINATES] = {0};
            double root[MOST_COORDINATES * MOST_COORDINATES], own = 0.0;
            for (int pass = 0; pass < 2; pass++) {
                for (Py_ssize_t i = from; i < from + counts[m]; i++) {
                    if ((row >= 0 && z[row * SAMPLE + i] > 0.0) != late) continue;
                    if (!pass) own += 1.0;
                    for (int d = 0; d < n; d++) {
                        if (!pass) mean[d] += z[d * SAMPLE + i];
                        else
                            for (int e = 0; e <= d; e++)
                                covariance[d * n + e] += (z[d * SAMPLE + i] - mean[d]) * (z[e * SAMPLE + i] - mean[e]);
                    }
                }
                if (!pass)
                    for (int d = 0; d < n; d++) mean[d] /= fmax(own, 1.0);
            }
            if (!(own > 4 * n)) continue;
            for (int d = 0; d < n * n; d++) covariance[d] /= own - 1.0;
            factor(covariance, root, n);
            make_proposal(mean, root, p->by, n, table + wides * width);
            share[wides++] = 0.6 * own / SAMPLE;
        }
    for (int k = 0; k < many; k++) {
        double root[MOST_COORDINATES * MOST_COORDINATES];
        for (int d = 0; d < n * n; d++) root[d] = sqrt(2.0) * peaks[k].root[d];
        make_proposal(peaks[k].place, root, p->by, n, table + wides * width);
        share[wides++] = 0.4 / many;
    }
    for (int m = 0; m < wides; m++) whole += share[m];
    for (int m = 0; m < wides; m++) p->wide_share[m] = share[m] / whole;
    memcpy(p->wide_table, table, (size_t)(wides * width) * sizeof(double));
    p->wides = wides;
    p->onset = row >= 0;
}

struct draw {
    Py_ssize_t node;
    int number;
    double weight, importance;
};

static double far_of(const struct problem *p, const struct pool *h, const struct draw *d, int variance, int f) {
    return h->rows[(6 * DRAWS + (variance ? FAR * DRAWS : 0) + f * DRAWS + d->number) * p->room + h->from + d->node];
}

/* min(1, c importance), with c such that they sum to `count`. */
static void find_chances(const struct draw *draws, Py_ssize_t many, double count, double *chance) {
    Py_ssize_t sure = 0;
    double rest = 0.0;
    for (Py_ssize_t i = 0; i < many; i++) rest += draws[i].importance;
    for (;;) {
        Py_ssize_t now = 0;
        double others = 0.0;
        for (Py_ssize_t i = 0; i < many; i++) {
            chance[i] = (count - (double)sure) / rest * draws[i].importance;
            if (chance[i] > 1.0) now++;
            else others += draws[i].importance;
        }
        if (now <= sure) break;
        sure = now;
        rest = others;
    }
    for (Py_ssize_t i = 0; i < many; i++) chance[i] = fmin(chance[i], 1.0);
}

/* Like a logarithm to the base of 2: as high at its powers, and straight between them. */
static double log_like(double x) {
    int power;
    double part = frexp(x, &power);
    return 2.0 * part + power;
}

/* An order in which neighbours are alike: by classes of scale, and by location within them, to and fro. 0: no memory. */
static int order_alike(const struct problem *p, const struct pool *h, const struct draw *draws, Py_ssize_t many, Py_ssize_t *order,
                        unsigned short *cells) {
    enum { CLASSES = 16, CELLS = 4096, LAST = FAR - 1 };
    double low = INFINITY, high = -INFINITY, mean = 0.0, square = 0.0;
    Py_ssize_t *starts = calloc(CLASSES * CELLS + 1, sizeof(Py_ssize_t));
    double *scale = malloc((size_t)(2 * many) * sizeof(double)), *location = scale + many;
    if (!starts || !scale) {
        free(scale);
        free(starts);
        return 0;
    }
    for (Py_ssize_t i = 0; i < many; i++) {
        scale[i] = log_like(far_of(p, h, draws + i, 1, LAST));
        location[i] = far_of(p, h, draws + i, 0, LAST);
        low = fmin(low, scale[i]);
        high = fmax(high, scale[i]);
        mean += location[i];
    }
    mean /= (double)many;
    for (Py_ssize_t i = 0; i < many; i++) square += (location[i] - mean) * (location[i] - mean);
    double std = fmax(sqrt(square / (double)many), 1e-9), classes = (CLASSES - 1e-6) / fmax(high - low, 1e-9);
    for (Py_ssize_t i = 0; i < many; i++) {
        int class = (int)bounded(classes * (scale[i] - low), 0.0, CLASSES - 1.0);
        double within = (location[i] - mean) / std;
        within /= 1.0 + fabs(within);
        int cell = (int)bounded(CELLS / 2 * (1.0 + (class % 2 ? -within : within)), 0.0, CELLS - 1.0);
        cells[i] = (unsigned short)(cell + CELLS * class);
        starts[cells[i] + 1]++;
    }
    for (int k = 0; k < CLASSES * CELLS; k++) starts[k + 1] += starts[k];
    for (Py_ssize_t i = 0; i < many; i++) order[starts[cells[i]]++] = i;
    free(scale);
    free(starts);
    return 1;
}

/* Move weights as little as restores the totals that traits had before draws were left out. */
static void restore_totals(double *traits, const double *totals, double *weights, Py_ssize_t many) {
    enum { TRAITS = ENDS + FAR + 1 };
    double scale[TRAITS], missing[TRAITS], moment[TRAITS * TRAITS], root[TRAITS * TRAITS], whole = 0.0;
    for (int a = 0; a < TRAITS; a++) {
        scale[a] = 0.0;
        for (Py_ssize_t i = 0; i < many; i++) scale[a] += traits[a * many + i] * traits[a * many + i] * weights[i];
        scale[a] = fmax(sqrt(scale[a]), 1e-300);
    }
    for (int a = 0; a < TRAITS; a++) {
        missing[a] = totals[a] / scale[a];
        for (Py_ssize_t i = 0; i < many; i++) {
            traits[a * many + i] /= scale[a];
            missing[a] -= traits[a * many + i] * weights[i];
        }
        for (int b = 0; b <= a; b++) {
            double sum = a == b ? 1e-6 : 0.0;
            for (Py_ssize_t i = 0; i < many; i++) sum += traits[a * many + i] * traits[b * many + i] * weights[i];
            moment[a * TRAITS + b] = sum;
        }
    }
    factor(moment, root, TRAITS);
    for (int a = 0; a < TRAITS; a++) {
        for (int b = 0; b < a; b++) missing[a] -= root[a * TRAITS + b] * missing[b];
        missing[a] /= root[a * TRAITS + a];
    }
    for (int a = TRAITS - 1; a >= 0; a--) {
        for (int b = a + 1; b < TRAITS; b++) missing[a] -= root[b * TRAITS + a] * missing[b];
        missing[a] /= root[a * TRAITS + a];
    }
    for (Py_ssize_t i = 0; i < many; i++) {
        double by = 1.0;
        for (int a = 0; a < TRAITS; a++) by += missing[a] * traits[a * many + i];
        weights[i] *= bounded(by, 0.5, 1.5);
        whole += weights[i];
    }
    for (Py_ssize_t i = 0; i < many; i++) weights[i] /= whole;
}

/* Rows of what is told of the components that are kept. */
enum { TAU_E, TAU_B, KAPPA, SIGMA, LAMBDA, SHAPE, LEVEL = SHAPE + 3, SPREAD, DROP, DEPARTURE, LEAN, EXPLAINED, FAR_LOCATION,
       FAR_VARIANCE = FAR_LOCATION + FAR, WEIGHT = FAR_VARIANCE + FAR, MASS, TOLD };

/* Keep about so many draws: see inference/thinning.py. Gives their number, -2: no memory; `out` has room for `most`. */
static Py_ssize_t keep_some(const struct problem *p, const struct pool *h, const struct judgement *j, Py_ssize_t most, double *out) {
    Py_ssize_t n = h->count - h->from, all = DRAWS * n, many = 0, kept = 0;
    double alike[ENDS], next_to_nothing = 1e-4 / (double)all, whole = 0.0, count = p->by->components;
    double *chance = NULL, *traits = NULL, *z = NULL, totals[ENDS + FAR + 1];
    char *chosen = NULL;
    struct draw *draws = malloc((size_t)all * sizeof *draws);
    if (!draws) return -2;
    for (int i = 0; i < ENDS; i++) alike[i] = 1.0 / (ENDS * fmax(j->total[i], 1e-6));
    for (int number = 0; number < DRAWS; number++)
        for (Py_ssize_t node = 0; node < n; node++) {
            Py_ssize_t at = number * n + node;
            double weight = h->share[at], importance = weight;
            if (weight == 0.0) continue;
            for (int i = 0; i < ENDS; i++) importance += alike[i] * h->beyond[i * all + at];
            if (importance > next_to_nothing) draws[many++] = (struct draw){node, number, weight, importance};
        }
    if (!many) goto done;
    chance = malloc((size_t)many * (sizeof(double) + sizeof(Py_ssize_t) + sizeof(unsigned short)));
    chosen = malloc((size_t)many);
    if (!chance || !chosen) goto no_memory;
    Py_ssize_t *order = (Py_ssize_t *)(chance + many);
    memset(chosen, many <= count, (size_t)many);
    if (many <= count)
        for (Py_ssize_t i = 0; i < many; i++) chance[i] = 1.0;
    else {
        double passed = 0.0, before = 0.0;
        find_chances(draws, many, count, chance);
        if (!order_alike(p, h, draws, many, order, (unsigned short *)(order + many))) goto no_memory;
        for (Py_ssize_t i = 0; i < many; i++) {
            double now = floor((passed += chance[order[i]]) + 0.5);
            chosen[order[i]] = now > before;
            before = now;
        }
    }
    for (Py_ssize_t i = 0; i < many; i++)
        if (chosen[i] && kept < most) {
            draws[kept] = draws[i];
            whole += out[WEIGHT * most + kept] = draws[i].weight / chance[i];
            kept++;
        }
    if (!kept) goto done;
    const Py_ssize_t padded = (kept + MOST_LANES - 1) / MOST_LANES * MOST_LANES;
    traits = malloc((size_t)(kept * (ENDS + FAR + 1)) * sizeof(double));
    z = malloc((size_t)((p->dimensions + 10) * padded) * sizeof(double));
    if (!traits || !z) goto no_memory;
    for (Py_ssize_t i = 0; i < kept; i++) {
        const struct draw *d = draws + i;
        double mass = 0.0;
        out[WEIGHT * most + i] /= whole;
        for (int number = 0; number < DRAWS; number++) mass += h->share[number * n + d->node];
        out[MASS * most + i] = mass;
        for (int e = 0; e < ENDS; e++) traits[e * kept + i] = h->beyond[e * all + d->number * n + d->node] / d->weight;
        for (int f = 0; f < FAR; f++) {
            out[(FAR_LOCATION + f) * most + i] = traits[(ENDS + f) * kept + i] = far_of(p, h, d, 0, f);
            out[(FAR_VARIANCE + f) * most + i] = far_of(p, h, d, 1, f);
        }
        traits[(ENDS + FAR) * kept + i] = 1.0;
        for (int k = 0; k < 5; k++)
            out[(LEVEL + k) * most + i] = h->rows[((1 + k) * DRAWS + d->number) * p->room + h->from + d->node];
        out[EXPLAINED * most + i] = h->rows[(ROWS - 1) * p->room + h->from + d->node];
    }
    for (int e = 0; e < ENDS; e++) totals[e] = j->total[e];
    for (int f = 0; f < FAR; f++) totals[ENDS + f] = j->mean[f];
    totals[ENDS + FAR] = 1.0;
    restore_totals(traits, totals, out + WEIGHT * most, kept);
    /* parameters of the chosen nodes */
    double *told = z + p->dimensions * padded;
    for (int d = 0; d < p->dimensions; d++)
        for (Py_ssize_t i = 0; i < padded; i++) {
            const struct draw *own = draws + (i < kept ? i : kept - 1);
            z[d * padded + i] = h->z[d * p->room + h->from + own->node];
        }
    CALL(tell_parameters, z, padded, p->by->location, p->by->spread, p->by->window, p->by->most_kappa, p->by->most_tail, p->by->burr > 0, p->onset, told,
         padded);
    for (int k = 0; k < 8; k++) memcpy(out + k * most, told + k * padded, (size_t)kept * sizeof(double));
    goto done;
no_memory:
    kept = -2;
done:
    free(z);
    free(traits);
    free(chosen);
    free(chance);
    free(draws);
    return kept;
}

/* All of it. Gives the number of components that were kept; -1 where points ran out, -2 where there is no memory. */
static Py_ssize_t integrate_curve(struct problem *p, struct pool *h, Py_ssize_t most, double *out, double *told) {
    const struct options *by = p->by;
    struct judgement j = {0};
    struct peak peaks[2];
    double heaviest = 0.0;
    make_wide(p);
    int rounds = look_for_posterior(p, h, &j, by->first), hard = rounds > by->soon;
    if (!rounds) return -1;
    for (int turn = 0; turn < 2 && !by->roughly; turn++) {
        int missed = find_missed_peaks(p, h, &j, turn || hard, peaks);
        if (missed) {
            hard = 1;
            widen_around(p, h, peaks, missed);
            if (!look_for_posterior(p, h, &j, 2.0 * by->first)) return -1;
        }
        if (!refine(p, h, &j, hard ? by->least_where_hard : by->least)) return -1;
        if (missed || !are_uneven(h, &heaviest)) break;
    }
    int uneven = are_uneven(h, &heaviest);
    told[0] = j.log_evidence;
    told[1] = j.effective;
    told[2] = uneven ? heaviest : 0.0;
    told[3] = (double)h->count;
    memcpy(told + 4, j.squares, sizeof j.squares);
    return keep_some(p, h, &j, most, out);
}
