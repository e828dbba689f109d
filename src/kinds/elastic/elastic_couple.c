// Elastic bodies in the common solve (base/solve.h). The potential of a substep is that of elastic_body.h,
//
//     E(q) = 1/(2h^2) |Û q - x*|^2_M + sum over tetrahedra of W(F)
//
// and its matrix M the one of the body's own solver, A (reduced.h), but for rotations of the whole body. A resists them as if they
// were strains; E does not. With A = A_m + A_s, inertia and stiffness, and Z the three rotations of the body as it is,
//
//     M = A - A_s Z (Z^T A_s Z)^-1 Z^T A_s         M^-1 = A^-1 + Y S^-1 Y^T,   Y = Z - W,  W = A^-1 A_m Z,  S = (A_m Z)^T Y
//
// M is still above the tangents of E wherever A is: x^T M x is the smallest of (x + Z y)^T A (x + Z y), without the inertia of Z y, and a
// tangent does not see Z y. So a Newton step of the common solve never overshoots, and bodies roll and tumble in one.
//
// Rows of a map move one coordinate each: Z_k = e_k x y with y the state less its centre of mass, and only A_s y, A_m y and A^-1 A_m y
// are computed, once for each coordinate.
//
// A contact moves a point of the material (medial_spheres.c), by all columns of its handles: it pushes, turns and squeezes the body.
// Contacts stand in M too, as rows j with stiffness k (Woodbury): with J of all rows and K of all stiffnesses,
//
//     (M + J^T K J)^-1 = M^-1 - M^-1 J^T (K^-1 + J M^-1 J^T)^-1 J M^-1
//
// With l what that gives contacts to bear, K J z, the product of z with M alone is r - J^T l: couplings are asked for the rest, so that a stiff
// contact that opens leaves no difference of large numbers behind. J M^-1 J^T needs A^-1 for each contact only once, since all three coordinates have the same A. All this is cheap: only the gradient,
// once a Newton step, and energies visit tetrahedra.
//
// Bodies in contact begin where the substep starts: contacts hold there. The first step is of the model whose minimum is where the body's
// own solver came to without couplings, q': its gradient is M (q - q'). Later ones are of E. Bodies in joints begin at q'.
#include "kinds/elastic/elastic_couple.h"
#include "base/math/double3.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_system.h"
#include <math.h>
#include <string.h>

enum { R, R_OLD, Z, P, MP, D, TRIAL, ROTATION, FORCE, FREE, OWN };
_Static_assert((int)OWN + 1 == (int)SN_ELASTIC_COUPLE_VECTORS, "the body has all vectors");

typedef struct {
    sn_elastic_item *item;
    sn_elastic_body *b;
    sn_elastic_coupling *c;
    const sn_solve *solve;
    sn_pool *pool;
    int number, slot, island; // slot: of its first sphere
} job;

sn_elastic_coupling *sn_elastic_coupling_create(sn_memory *memory, const sn_elastic_space *s) {
    sn_elastic_coupling *c = sn_alloc(memory, 1, sizeof *c);
    if (!c) return NULL;
    *c = (sn_elastic_coupling){0};
    c->vectors = sn_alloc(memory, SN_ELASTIC_COUPLE_VECTORS * 3 * (size_t)s->columns, sizeof *c->vectors);
    c->stiff_rotation = sn_alloc(memory, 3 * (size_t)s->columns, sizeof *c->stiff_rotation);
    if (c->vectors && c->stiff_rotation) return c;
    sn_elastic_coupling_free(memory, s, c);
    return NULL;
}

void sn_elastic_coupling_free(sn_memory *memory, const sn_elastic_space *s, sn_elastic_coupling *c) {
    if (!c) return;
    sn_free(memory, c->vectors, SN_ELASTIC_COUPLE_VECTORS * 3 * (size_t)s->columns, sizeof *c->vectors);
    sn_free(memory, c->stiff_rotation, 3 * (size_t)s->columns, sizeof *c->stiff_rotation);
    sn_free(memory, c->stiff, (size_t)c->stiff_capacity, sizeof *c->stiff);
    sn_free(memory, c->half, (size_t)c->half_capacity, sizeof *c->half);
    sn_free(memory, c->compliance, (size_t)c->compliance_capacity, sizeof *c->compliance);
    sn_free(memory, c->factor, (size_t)c->factor_capacity, sizeof *c->factor);
    sn_free(memory, c->row_end, (size_t)c->row_capacity, sizeof *c->row_end);
    sn_free(memory, c->half_row, (size_t)c->half_row_capacity, sizeof *c->half_row);
    sn_free(memory, c->half_of, (size_t)c->half_of_capacity, sizeof *c->half_of);
    sn_free(memory, c->entries.column, (size_t)c->column_capacity, sizeof *c->entries.column);
    sn_free(memory, c->entries.value, (size_t)c->value_capacity, sizeof *c->entries.value);
    sn_free(memory, c, 1, sizeof *c);
}

static int count_of(const job *j) {
    return 3 * j->b->space->columns;
}
static sn_real *vector(const job *j, int which) {
    return j->c->vectors + (size_t)which * (size_t)count_of(j);
}
// Sums of products, in eight chains: always the same ones.
enum { CHAINS = 8 };
static double sum_of(const double chain[CHAINS]) {
    return ((chain[0] + chain[1]) + (chain[2] + chain[3])) + ((chain[4] + chain[5]) + (chain[6] + chain[7]));
}
static double dot_reals(const sn_real *a, const sn_real *b, int count) {
    double chain[CHAINS] = {0};
    int i = 0;
    for (; i + (int)CHAINS <= count; i += CHAINS)
        for (int k = 0; k < (int)CHAINS; k++) chain[k] += (double)a[i + k] * (double)b[i + k];
    for (; i < count; i++) chain[0] += (double)a[i] * (double)b[i];
    return sum_of(chain);
}
static double dot_rows(const double *a, const double *b, int count) {
    double chain[CHAINS] = {0};
    int i = 0;
    for (; i + (int)CHAINS <= count; i += CHAINS)
        for (int k = 0; k < (int)CHAINS; k++) chain[k] += a[i + k] * b[i + k];
    for (; i < count; i++) chain[0] += a[i] * b[i];
    return sum_of(chain);
}
static double dot(const job *j, int a, int b) {
    return dot_reals(vector(j, a), vector(j, b), count_of(j));
}
static void clear(const job *j, int which) {
    memset(vector(j, which), 0, (size_t)count_of(j) * sizeof(sn_real));
}

// ---- node space

static int first_contact(const job *j) {
    return j->solve->contact_node_first[j->number];
}

// The material points of contacts, as rows; 'reserve' made room for them.
static void list_rows(const job *j) {
    sn_elastic_coupling *c = j->c;
    const sn_solve *solve = j->solve;
    const int first = first_contact(j), count = solve->contact_node_first[j->number + 1] - first;
    const int first_node = j->item->first_node;
    c->row_count = count, c->entries.count = 0;
    for (int i = 0; i < count; i++) {
        const sn_contact_node *node = &solve->contact_nodes[solve->contact_node_list[first + i]];
        sn_vec3 point = node->arm;
        for (int k = 0; k < 3; k++) {
            const int sphere = node->node[k] - first_node;
            if (node->vertex < 0 && node->weight[k] != 0)
                sn_elastic_sphere_row(j->b->space, sphere, node->arm, node->weight[k], &c->entries);
            point = sn_mul_add(point, node->weight[k], j->b->space->asset->centre[sphere]);
        }
        if (node->vertex >= 0) sn_elastic_vertex_row(j->b->space, node->vertex, point, &c->entries);
        c->row_end[i] = c->entries.count;
    }
}

static void add_row(const job *j, int begin, int end, const sn_real *force, sn_real *to) {
    const sn_elastic_point_row *row = &j->c->entries;
    const int n = j->b->space->columns;
    for (int k = 0; k < 3; k++)
        for (int e = begin; e < end; e++) to[k * n + row->column[e]] += row->value[e] * force[k];
}

static void put_row(const job *j, int begin, int end, const sn_real *v, sn_real *step) {
    const sn_elastic_point_row *row = &j->c->entries;
    const int n = j->b->space->columns;
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int e = begin; e < end; e++) sum += (double)(row->value[e] * v[k * n + row->column[e]]);
        step[k] = (sn_real)sum;
    }
}

enum { SPHERE_ROW = 1024 }; // entries; no sphere has more handles (elastic_asset.c)

// Calls for each sphere that joints may hold: contacts do not act on spheres.
#define EACH_SPHERE(j, i)                                                                                              \
    for (int i = 0; (j)->solve->joined[(j)->number] && i < (j)->b->space->asset->sphere_count; i++)

static sn_elastic_point_row sphere_row(const job *j, int sphere, int *column, sn_real *value) {
    sn_elastic_point_row row = {column, value, 0};
    if (sn_elastic_sphere_row_size(j->b->space->asset, sphere) <= (int)SPHERE_ROW)
        sn_elastic_sphere_row(j->b->space, sphere, sn_v3(0, 0, 0), 1, &row);
    return row;
}

// Adds the forces on nodes to 'to'.
static void gather(const job *j, sn_real *to) {
    const sn_solve *s = j->solve;
    const int n = j->b->space->columns;
    int column[SPHERE_ROW];
    sn_real value[SPHERE_ROW];
    for (int i = 0, begin = 0; i < j->c->row_count; begin = j->c->row_end[i++]) {
        const int node = s->contact_node_list[first_contact(j) + i];
        add_row(j, begin, j->c->row_end[i], s->force + 4 * (size_t)(s->first_contact_node + node), to);
    }
    EACH_SPHERE(j, i) {
        const sn_real *f = s->force + 4 * (size_t)(j->slot + i);
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        const sn_elastic_point_row row = sphere_row(j, i, column, value);
        for (int k = 0; k < 3; k++)
            for (int e = 0; e < row.count; e++) to[k * n + row.column[e]] += row.value[e] * f[k];
    }
}

// The motion of nodes by a vector.
static void scatter(const job *j, const sn_real *v) {
    const sn_solve *s = j->solve;
    const int n = j->b->space->columns;
    int column[SPHERE_ROW];
    sn_real value[SPHERE_ROW];
    for (int i = 0, begin = 0; i < j->c->row_count; begin = j->c->row_end[i++]) {
        const int node = s->contact_node_list[first_contact(j) + i];
        put_row(j, begin, j->c->row_end[i], v, s->step + 4 * (size_t)(s->first_contact_node + node));
    }
    EACH_SPHERE(j, i) {
        const sn_elastic_point_row row = sphere_row(j, i, column, value);
        sn_real *step = s->step + 4 * (size_t)(j->slot + i);
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int e = 0; e < row.count; e++) sum += (double)(row.value[e] * v[k * n + row.column[e]]);
            step[k] = (sn_real)sum;
        }
    }
}

// ---- M

// Columns into the order of A, and back.
static void put_right(const job *j, const sn_real *r) {
    const sn_elastic_body *b = j->b;
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < s->columns; c++)
            b->right[k * b->row_stride + s->reduced.row_of_column[c]] = r[k * s->columns + c];
}
static void get_right(const job *j, sn_real *z) {
    const sn_elastic_body *b = j->b;
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < s->columns; c++)
            z[k * s->columns + c] = b->right[k * b->row_stride + s->reduced.row_of_column[c]];
}

// z = A^-1 r; z may be r.
static void solve_own(const job *j, const sn_real *r, sn_real *z) {
    put_right(j, r);
    sn_elastic_substitute(j->b);
    get_right(j, z);
}

// The inverse of a symmetric matrix; zero if it is singular.
static void invert(double a[3][3], double out[3][3]) {
    double c[3][3];
    for (int i = 0; i < 3; i++) {
        const double *p = a[(i + 1) % 3], *q = a[(i + 2) % 3];
        for (int k = 0; k < 3; k++) c[i][k] = p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
    }
    const double det = a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2];
    const double size = a[0][0] + a[1][1] + a[2][2];
    const bool regular = det > 1e-9 * size * size * size && size > 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[i][k] = regular ? 0.5 * (c[i][k] + c[k][i]) / det : 0;
}

// t = Y^T r from the products ur[l][i] = turn_l . r_i; and z += Y c.
static void rotation_part(double ur[3][3], double t[3]) {
    for (int k = 0; k < 3; k++) t[k] = ur[(k + 1) % 3][(k + 2) % 3] - ur[(k + 2) % 3][(k + 1) % 3];
}

// S is a little larger than it is, so that rounding leaves M above the tangents.
#define SAFETY 1e-4

// ROTATION = y - A^-1 A_m y, and S^-1. Anchored bodies do not turn.
static void find_rotations(const job *j) {
    const sn_elastic_body *b = j->b;
    const sn_elastic_space *s = b->space;
    const sn_reduced_coefficients *k = &b->factor->coefficients;
    const int n = s->columns;
    sn_real *rotation = vector(j, ROTATION), *w = vector(j, Z);
    double *y = b->rows, *inert = y + 3 * n, *stiff = j->c->stiff_rotation, centre[3], gram[3][3], matrix[3][3];
    memset(j->c->spin_inverse, 0, sizeof j->c->spin_inverse);
    memset(j->c->rotation_inverse, 0, sizeof j->c->rotation_inverse);
    clear(j, ROTATION);
    for (int i = 0; i < 3 * n; i++) stiff[i] = 0;
    if (s->anchor_weight) return;
    for (int i = 0; i < 3; i++) centre[i] = sn_elastic_first_moment(b, b->q, i) / s->volume;
    sn_elastic_rows(b, b->q, centre, y);
    for (int i = 0; i < 3; i++) {
        sn_reduced_multiply(&s->reduced, s->reduced.mass, y + i * n, inert + i * n);
        sn_reduced_multiply(&s->reduced, s->reduced.stiff, y + i * n, stiff + i * n);
        for (int c = 0; c < n; c++) stiff[i * n + c] *= k->stiff;
        for (int c = 0; c < n; c++) w[i * n + c] = (sn_real)(k->mass * inert[i * n + s->reduced.row_of_column[c]]);
    }
    solve_own(j, w, w);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < n; c++)
            rotation[i * n + c] = (sn_real)y[i * n + s->reduced.row_of_column[c]] - w[i * n + c];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++) {
            gram[i][l] = 0;
            for (int c = 0; c < n; c++)
                gram[i][l] += k->mass * inert[i * n + s->reduced.row_of_column[c]] * (double)rotation[l * n + c];
        }
    const double sum = (1 + SAFETY) * (gram[0][0] + gram[1][1] + gram[2][2]);
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++) matrix[i][l] = (i == l ? sum : 0) - 0.5 * (gram[i][l] + gram[l][i]);
    invert(matrix, j->c->spin_inverse);
    double whole = 0;
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++)
            gram[i][l] = dot_rows(stiff + i * n, y + l * n, n), whole += i == l ? gram[i][l] : 0;
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++) matrix[i][l] = (i == l ? whole : 0) - 0.5 * (gram[i][l] + gram[l][i]);
    invert(matrix, j->c->rotation_inverse);
}

// out = M (OWN - q) without contacts.
static void pull_to_own(const job *j, sn_real *out) {
    const sn_elastic_body *b = j->b;
    const sn_elastic_space *s = b->space;
    const sn_reduced_coefficients *k = &b->factor->coefficients;
    const int n = s->columns;
    static const double origin[3] = {0, 0, 0};
    double *v = b->rows, *inert = v + 3 * n, *stiff = inert + 3 * n, sv[3][3], t[3], c[3];
    const sn_real *own = vector(j, OWN);
    for (int i = 0; i < 3 * n; i++) out[i] = own[i] - b->q[i];
    sn_elastic_rows(b, out, origin, v);
    for (int i = 0; i < 3; i++) {
        sn_reduced_multiply(&s->reduced, s->reduced.mass, v + i * n, inert + i * n);
        sn_reduced_multiply(&s->reduced, s->reduced.stiff, v + i * n, stiff + i * n);
    }
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < 3; i++) sv[l][i] = dot_rows(j->c->stiff_rotation + l * n, v + i * n, n);
    rotation_part(sv, t);
    for (int i = 0; i < 3; i++) c[i] = d3_dot(j->c->rotation_inverse[i], t);
    for (int i = 0; i < 3; i++) {
        const double *x = j->c->stiff_rotation + (i + 2) % 3 * n, *y = j->c->stiff_rotation + (i + 1) % 3 * n;
        for (int m = 0; m < n; m++) {
            const int row = s->reduced.row_of_column[m];
            out[i * n + m] = (sn_real)(k->mass * inert[i * n + row] + k->stiff * stiff[i * n + row] -
                                       (c[(i + 1) % 3] * x[row] - c[(i + 2) % 3] * y[row]));
        }
    }
}

static int row_begin(const job *j, int node) {
    return node > 0 ? j->c->row_end[node - 1] : 0;
}

// L^-1 u of the contact nodes that are in M, without its zeros: of a body with many handles a contact moves few. Three of them are solved for
// at once.
static void find_halves(const job *j) {
    sn_elastic_coupling *c = j->c;
    sn_elastic_body *b = j->b;
    const int n = b->space->columns;
    int count = 0;
    for (int first = 0; first < c->half_count; first += 3) {
        const int here = c->half_count - first < 3 ? c->half_count - first : 3;
        memset(b->right, 0, 3 * (size_t)b->row_stride * sizeof *b->right);
        for (int k = 0; k < here; k++)
            for (int e = row_begin(j, c->half_node[first + k]); e < c->row_end[c->half_node[first + k]]; e++)
                b->right[k * b->row_stride + b->space->reduced.row_of_column[c->entries.column[e]]] +=
                    c->entries.value[e];
        sn_elastic_substitute_down(b);
        for (int k = 0; k < here; k++) {
            const sn_real *from = b->right + k * b->row_stride;
            for (int m = 0; m < n; m++)
                if (from[m] != 0) c->half_row[count] = m, c->half[count++] = from[m];
            c->half_end[first + k] = count;
        }
    }
}

static int half_begin(const sn_elastic_coupling *c, int half) {
    return half > 0 ? c->half_end[half - 1] : 0;
}

static double dot_half(const sn_elastic_coupling *c, int half, const sn_real *v) {
    double chain[4] = {0};
    int i = half_begin(c, half);
    const int end = c->half_end[half];
    for (; i + 4 <= end; i += 4)
        for (int k = 0; k < 4; k++) chain[k] += (double)c->half[i + k] * (double)v[c->half_row[i + k]];
    for (; i < end; i++) chain[0] += (double)c->half[i] * (double)v[c->half_row[i]];
    return (chain[0] + chain[1]) + (chain[2] + chain[3]);
}

// compliance = u_i A^-1 u_j, as products of L^-1 u: positive whatever rounding does.
static void find_compliance(const job *j) {
    sn_elastic_coupling *c = j->c;
    const int count = c->half_count;
    find_halves(j);
    sn_real *dense = vector(j, FORCE);
    for (int i = 0; i < count; i++) {
        clear(j, FORCE);
        for (int e = half_begin(c, i); e < c->half_end[i]; e++) dense[c->half_row[e]] = c->half[e];
        for (int k = 0; k <= i; k++)
            c->compliance[i * count + k] = c->compliance[k * count + i] = dot_half(c, k, dense);
    }
}

enum { MAX_ROWS = SN_ELASTIC_MAX_ROWS };

// The stiffness rows of the body's contact nodes, as far as there is room: first along the normals of those that press, then across, then of
// those that may come to press. Of each node the row along its normal comes first.
typedef enum { PRESSING, ACROSS, NEAR, PASSES } pass;

static void add_rows(const job *j, int i, pass which) {
    sn_elastic_coupling *c = j->c;
    const sn_solve *solve = j->solve;
    const int slot = solve->first_contact_node + solve->contact_node_list[first_contact(j) + i];
    const sn_real *force = solve->force + 4 * (size_t)slot;
    const bool presses = force[0] != 0 || force[1] != 0 || force[2] != 0;
    const int first = solve->row_first[slot], end = solve->row_first[slot + 1], normal = (end - first) % 2;
    const int begin = which == ACROSS ? first + normal : first, stop = which == ACROSS ? end : first + normal;
    if (presses == (which == NEAR)) return;
    for (int n = begin; n < stop && c->stiff_count < (int)MAX_ROWS; n++) {
        const sn_stiffness_row *row = &solve->rows[n];
        sn_elastic_stiffness *to = &c->stiff[c->stiff_count++];
        if (c->half_of[i] < 0) c->half_of[i] = c->half_count, c->half_node[c->half_count++] = i;
        *to = (sn_elastic_stiffness){.node = i, .half = c->half_of[i], .k = (double)row->k};
        for (int k = 0; k < 3; k++) to->direction[k] = (double)row->a[k] + (double)row->b[k];
    }
}

static void list_stiffness(const job *j) {
    sn_elastic_coupling *c = j->c;
    c->stiff_count = c->half_count = 0;
    for (int i = 0; i < c->row_count; i++) c->half_of[i] = -1;
    for (int which = 0; which < (int)PASSES; which++)
        for (int i = 0; i < c->row_count; i++) add_rows(j, i, (pass)which);
}

// K^-1 + J M^-1 J^T, factored.
static void factor_contacts(const job *j) {
    sn_elastic_coupling *c = j->c;
    list_stiffness(j);
    const int n = j->b->space->columns, count = c->stiff_count;
    find_compliance(j);
    const sn_real *u = vector(j, ROTATION);
    for (int i = 0; i < count; i++) {
        sn_elastic_stiffness *row = &c->stiff[i];
        double at[3] = {0}; // turn_l . u_i
        for (int e = row_begin(j, row->node); e < c->row_end[row->node]; e++)
            for (int l = 0; l < 3; l++) at[l] += (double)c->entries.value[e] * (double)u[l * n + c->entries.column[e]];
        d3_cross(at, row->direction, row->rotation);
    }
    for (int i = 0; i < count; i++) {
        const sn_elastic_stiffness *a = &c->stiff[i];
        double rotated[3], *row = c->factor + (size_t)i * (size_t)count;
        for (int k = 0; k < 3; k++) rotated[k] = d3_dot(c->spin_inverse[k], a->rotation);
        for (int k = 0; k <= i; k++) {
            const sn_elastic_stiffness *b = &c->stiff[k];
            double sum = c->compliance[a->half * c->half_count + b->half] * d3_dot(a->direction, b->direction) +
                         d3_dot(rotated, b->rotation);
            if (i == k) sum += 1 / a->k;
            const double *other = c->factor + (size_t)k * (size_t)count;
            sum -= dot_rows(row, other, k);
            row[k] = i == k ? sqrt(fmax(sum, 0.1 / a->k)) : sum / other[k];
        }
    }
}

// Takes back what contacts in M resist, in the half of the solve after L^-1: 'right' is L^-1 r, t = Y^T r. There all products are those that
// were factored, so that rounding leaves M positive.
static void resist(const job *j, double t[3]) {
    sn_elastic_coupling *c = j->c;
    sn_elastic_body *b = j->b;
    const int count = c->stiff_count;
    double rotated[3], part[MAX_ROWS];
    for (int k = 0; k < 3; k++) rotated[k] = d3_dot(c->spin_inverse[k], t);
    for (int i = 0, node = -1; i < count; i++) { // down
        const double *row = c->factor + (size_t)i * (size_t)count;
        sn_elastic_stiffness *s = &c->stiff[i];
        if (s->half != node) {
            node = s->half;
            for (int k = 0; k < 3; k++) c->motion[k] = dot_half(c, node, b->right + k * b->row_stride);
        }
        part[i] = d3_dot(c->motion, s->direction) + d3_dot(s->rotation, rotated);
        part[i] = (part[i] - dot_rows(row, part, i)) / row[i];
    }
    for (int i = count - 1; i >= 0; --i) { // and up
        sn_elastic_stiffness *s = &c->stiff[i];
        const double *row = c->factor + (size_t)i * (size_t)count;
        s->part = part[i] / row[i];
        for (int m = 0; m < i; m++) part[m] -= row[m] * s->part;
        for (int k = 0; k < 3; k++) t[k] -= s->part * s->rotation[k];
        for (int k = 0; k < 3; k++) {
            const sn_real share = (sn_real)(s->part * s->direction[k]);
            sn_real *to = b->right + k * b->row_stride;
            for (int m = half_begin(c, s->half); share != 0 && m < c->half_end[s->half]; m++)
                to[c->half_row[m]] -= share * c->half[m];
        }
    }
}

// z = M^-1 r; z may be r.
static void solve_matrix(const job *j, const sn_real *r, sn_real *z) {
    const int n = j->b->space->columns;
    const sn_real *u = vector(j, ROTATION);
    double ur[3][3], t[3], c[3];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++) ur[i][l] = dot_reals(u + i * n, r + l * n, n);
    rotation_part(ur, t);
    put_right(j, r);
    sn_elastic_substitute_down(j->b);
    resist(j, t);
    sn_elastic_substitute_up(j->b);
    get_right(j, z);
    for (int k = 0; k < 3; k++) c[k] = d3_dot(j->c->spin_inverse[k], t);
    for (int i = 0; i < 3; i++) {
        const sn_real a = (sn_real)c[(i + 1) % 3], b = (sn_real)c[(i + 2) % 3];
        const sn_real *x = u + (i + 2) % 3 * n, *y = u + (i + 1) % 3 * n;
        for (int k = 0; k < n; k++) z[i * n + k] += a * x[k] - b * y[k];
    }
}

// ---- energy

// What rounding of q by a digit makes of it: energy is off by about 2 sqrt(E N / n) + N, with N the sum of k e^2 over handles.
static void put_energy(const job *j, double energy) {
    const sn_elastic_body *b = j->b;
    const sn_reduced *r = &b->space->reduced;
    const sn_reduced_coefficients *k = &b->factor->coefficients;
    double stiff = 0, extent = 0;
    for (int i = 0; i < r->handle_count; i++) {
        const size_t at = r->pair_at[r->pair_first[i + 1] - 1];
        stiff += k->mass * r->mass[at] + k->stiff * r->stiff[at];
        for (int x = 0; x < 3; x++)
            extent = fmax(extent, fabs((double)b->q[x * b->space->columns + b->space->column[i]]));
    }
    const double digit = (double)SN_REAL_EPSILON * (extent + (double)j->item->radius[0]);
    const double noise = stiff * digit * digit;
    j->solve->energy[j->number] = (sn_real)energy;
    j->solve->noise[j->number] = (sn_real)(2 * sqrt(fabs(energy) * noise / r->handle_count) + noise);
}

static void evaluate(const job *j) {
    if (j->c->evaluated) return;
    j->c->energy = sn_elastic_evaluate(j->b, j->b->q, j->pool);
    j->c->evaluated = true;
}

// ---- operations

static bool is_first(const job *j) {
    return j->solve->iteration == 0 && !j->solve->joined[j->number];
}

static void linearise(const job *j) {
    sn_elastic_coupling *c = j->c;
    sn_real *r = vector(j, R);
    evaluate(j);
    list_rows(j);
    find_rotations(j);
    if (is_first(j))
        pull_to_own(j, r);
    else
        sn_elastic_reduced_force(j->b, r, j->pool);
    gather(j, r);
    factor_contacts(j);
    for (int k = R_OLD; k <= (int)D; k++) clear(j, k);
    c->trial_share = -1;
    put_energy(j, c->energy);
}

// Takes what contacts bore in the last solve.
static void subtract_borne(const job *j, sn_real *to) {
    for (int i = 0; i < j->c->stiff_count; i++) {
        const sn_elastic_stiffness *s = &j->c->stiff[i];
        sn_real force[3];
        for (int k = 0; k < 3; k++) force[k] = (sn_real)(-s->part * s->direction[k]);
        add_row(j, row_begin(j, s->node), j->c->row_end[s->node], force, to);
    }
}

static void precondition(const job *j, bool with_force) {
    sn_real *r = vector(j, R);
    if (with_force) {
        memcpy(vector(j, FORCE), r, (size_t)count_of(j) * sizeof *r);
        r = vector(j, FORCE);
        gather(j, r);
    }
    solve_matrix(j, r, vector(j, Z));
    memcpy(vector(j, FREE), vector(j, R), (size_t)count_of(j) * sizeof *r);
    subtract_borne(j, vector(j, FREE));
    scatter(j, vector(j, Z));
}

static void respond(const job *j, int which) {
    clear(j, FORCE);
    gather(j, vector(j, FORCE));
    solve_matrix(j, vector(j, FORCE), vector(j, which));
    scatter(j, vector(j, which));
}

static void direction(const job *j) {
    const sn_real beta = j->solve->beta[j->island];
    const sn_real *z = vector(j, Z), *mz = vector(j, FREE);
    sn_real *p = vector(j, P), *mp = vector(j, MP);
    for (int i = 0; i < count_of(j); i++) p[i] = z[i] + beta * p[i], mp[i] = mz[i] + beta * mp[i];
    j->solve->pmp[j->number] = (sn_real)dot(j, P, MP), j->solve->pr[j->number] = (sn_real)dot(j, P, R);
    scatter(j, p);
}

static void advance(const job *j, sn_real alpha) {
    sn_real *r = vector(j, R), *d = vector(j, D);
    const sn_real *p = vector(j, P), *mp = vector(j, MP);
    memcpy(vector(j, R_OLD), r, (size_t)count_of(j) * sizeof *r);
    for (int i = 0; i < count_of(j); i++) d[i] += alpha * p[i], r[i] -= alpha * mp[i];
    gather(j, r);
}

static void move(const job *j) {
    const sn_elastic_space *s = j->b->space;
    const sn_real share = j->solve->share[j->island];
    const sn_real *d = vector(j, D);
    sn_real *trial = vector(j, TRIAL), *step = vector(j, FORCE), far = 0;
    for (int i = 0; i < count_of(j); i++) step[i] = share * d[i], trial[i] = j->b->q[i] + step[i];
    scatter(j, step);
    for (int i = 0; i < s->asset->handle_count; i++) {
        const sn_real *t = step + s->column[i];
        const sn_real radius = s->asset->radius[s->asset->handle_sphere[i]];
        const sn_real moved = sn_length(sn_v3(t[0], t[s->columns], t[2 * s->columns]));
        far = sn_max(far, moved / sn_max(radius, (sn_real)1e-9));
    }
    // A first step that comes to nothing tells that its model is not E, not that nothing moves: the next one is of E.
    j->solve->displacement[j->number] = share > 0 || !is_first(j) ? far : 1;
    if (share > 0 && share != j->c->trial_share) {
        j->c->trial_energy = sn_elastic_evaluate(j->b, trial, j->pool);
        j->c->trial_share = share, j->c->evaluated = false;
    }
    put_energy(j, share > 0 ? j->c->trial_energy : j->c->energy);
}

static void accept(const job *j) {
    const sn_real share = j->solve->share[j->island];
    if (!(share > 0) || share != j->c->trial_share) return;
    memcpy(j->b->q, vector(j, TRIAL), (size_t)count_of(j) * sizeof(sn_real));
    for (int k = 0; k < 3; k++) j->c->moved[k] += (double)share * sn_elastic_first_moment(j->b, vector(j, D), k);
    j->c->energy = j->c->trial_energy, j->c->evaluated = true, j->c->trial_share = -1;
}

static void measure_start(const job *j) {
    if (!j->solve->joined[j->number]) { // it is there
        put_energy(j, j->c->energy);
        return;
    }
    put_energy(j, sn_elastic_evaluate(j->b, j->b->start, j->pool));
    j->c->evaluated = false;
}

static void measure_received(const job *j) {
    double *out = j->solve->received + 4 * (size_t)j->number;
    const double density = (double)j->b->def.density;
    for (int k = 0; k < 3; k++) out[k] = density * j->c->moved[k];
    out[3] = j->b->space->anchor_weight ? INFINITY : density * j->b->space->volume;
}

static void end(const job *j) {
    sn_elastic_body *b = j->b;
    const sn_elastic_space *s = b->space;
    const double *balance = j->solve->balance + 3 * (size_t)j->island;
    b->history_count = 0;
    if (j->solve->failed[j->island]) { // it stays where it was, at rest
        if (!sn_elastic_body_is_valid(b)) return;
        memcpy(b->q, b->start, (size_t)count_of(j) * sizeof *b->q);
        for (int k = 0; k < 3; k++) b->free_motion[k] = 0;
        return;
    }
    for (int k = 0; k < 3; k++) {
        b->free_motion[k] += j->c->moved[k] + balance[k] * s->volume;
        for (int i = 0; i < s->asset->handle_count; i++) b->q[k * s->columns + s->column[i]] += (sn_real)balance[k];
    }
}

static void couple_body(const job *j, sn_couple_op op) {
    const bool iterating = j->solve->iterating[j->island];
    switch (op) {
    case SN_COUPLE_BEGIN:
        return;
    case SN_COUPLE_ENERGY:
        j->c->evaluated = false;
        for (int k = 0; k < 3; k++) j->c->moved[k] = 0;
        for (int k = 0; k < (int)SN_ELASTIC_COUPLE_VECTORS; k++) clear(j, k);
        if (!j->solve->joined[j->number]) {
            memcpy(vector(j, OWN), j->b->q, (size_t)count_of(j) * sizeof(sn_real));
            memcpy(j->b->q, j->b->start, (size_t)count_of(j) * sizeof(sn_real));
            for (int k = 0; k < 3; k++) j->c->moved[k] = -j->b->free_motion[k];
        }
        evaluate(j);
        put_energy(j, j->c->energy);
        return;
    case SN_COUPLE_START_ENERGY:
        measure_start(j);
        return;
    case SN_COUPLE_MOMENTUM:
        measure_received(j);
        return;
    case SN_COUPLE_END:
        end(j);
        return;
    default:
        break;
    }
    if (op == SN_COUPLE_ADVANCE) advance(j, iterating ? j->solve->alpha[j->island] : 0);
    if (op == SN_COUPLE_COLUMN) respond(j, Z);
    if (op == SN_COUPLE_SHIFT) respond(j, P), clear(j, MP), subtract_borne(j, vector(j, MP));
    if (!iterating) return;
    if (op == SN_COUPLE_LINEARISE) linearise(j);
    if (op == SN_COUPLE_PRECONDITION) precondition(j, false);
    if (op == SN_COUPLE_CORRECT) precondition(j, true);
    if (op == SN_COUPLE_DIRECTION) direction(j);
    if (op == SN_COUPLE_MOVE) move(j);
    if (op == SN_COUPLE_ACCEPT) accept(j);
    if (op == SN_COUPLE_PRODUCTS) {
        j->solve->rz[j->number] = (sn_real)dot(j, R, Z);
        j->solve->rz_old[j->number] = (sn_real)dot(j, R_OLD, Z);
    }
}

typedef struct {
    const sn_solve *solve;
    int first_body, first_node;
    sn_couple_op op;
} all_job;

static void couple_one(void *context, int slot, sn_elastic_item *item, sn_pool *pool) {
    const all_job *a = context;
    const int number = a->first_body + slot;
    const job j = {.item = item,
                   .b = item->body,
                   .c = item->body->coupling,
                   .solve = a->solve,
                   .pool = pool,
                   .number = number,
                   .slot = a->first_node + item->first_node + a->solve->shift[number],
                   .island = a->solve->island[number]};
    if (j.c->active) couple_body(&j, a->op);
}

// Room for so many contacts of a body in contact: with more of them than ever before a step allocates.
enum { CONTACTS = 64 };

// Entries of the rows of a body's contacts.
static int count_entries(const sn_elastic_item *item, const sn_solve *solve, int number) {
    const sn_elastic_asset *a = item->body->space->asset;
    const int vertex_size = item->use->surface.max_handles * SN_ELASTIC_QUADRATIC;
    int count = 0;
    for (int i = solve->contact_node_first[number]; i < solve->contact_node_first[number + 1]; i++) {
        const sn_contact_node *node = &solve->contact_nodes[solve->contact_node_list[i]];
        int size = 0;
        for (int k = 0; k < 3; k++) size += sn_elastic_sphere_row_size(a, node->node[k] - item->first_node);
        count += size > vertex_size ? size : vertex_size;
    }
    return count;
}

// On the thread that steps: what follows runs on workers, and the user's allocator need not be safe there.
static bool reserve(const sn_elastic_item *item, const sn_solve *solve, int number) {
    sn_elastic_body *b = item->body;
    sn_elastic_coupling *c = b->coupling;
    const int contacts = solve->contact_node_first[number + 1] - solve->contact_node_first[number];
    const int nodes = contacts > (int)CONTACTS ? contacts : (int)CONTACTS;
    const int rows = 3 * nodes < (int)MAX_ROWS ? 3 * nodes : (int)MAX_ROWS;
    const int half = nodes < (int)MAX_ROWS ? nodes : (int)MAX_ROWS;
    const int entries = count_entries(item, solve, number);
    return sn_reserve(b->memory, (void **)&c->row_end, &c->row_capacity, nodes, sizeof *c->row_end) &&
           sn_reserve(b->memory, (void **)&c->half_of, &c->half_of_capacity, nodes, sizeof *c->half_of) &&
           sn_reserve(b->memory, (void **)&c->entries.column, &c->column_capacity, entries,
                      sizeof *c->entries.column) &&
           sn_reserve(b->memory, (void **)&c->entries.value, &c->value_capacity, entries, sizeof *c->entries.value) &&
           sn_reserve(b->memory, (void **)&c->stiff, &c->stiff_capacity, rows, sizeof *c->stiff) &&
           sn_reserve(b->memory, (void **)&c->half, &c->half_capacity, half * b->space->columns, sizeof *c->half) &&
           sn_reserve(b->memory, (void **)&c->half_row, &c->half_row_capacity, half * b->space->columns,
                      sizeof *c->half_row) &&
           sn_reserve(b->memory, (void **)&c->compliance, &c->compliance_capacity, half * half,
                      sizeof *c->compliance) &&
           sn_reserve(b->memory, (void **)&c->factor, &c->factor_capacity, rows * rows, sizeof *c->factor);
}

bool sn_elastic_couple(void *what, const sn_stage *stage, const sn_solve *solve, int first_body, int first_node,
                       int op) {
    sn_elastic_system *s = what;
    for (int i = 0; op == SN_COUPLE_BEGIN && i < s->slots.count; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i);
        if (!item) continue;
        item->body->coupling->active = solve->coupled[first_body + i] && !item->base.sleep.asleep;
        if (item->body->coupling->active && !reserve(item, solve, first_body + i)) return false;
    }
    all_job a = {solve, first_body, first_node, (sn_couple_op)op};
    sn_elastic_run(s, stage, couple_one, &a);
    return true;
}
