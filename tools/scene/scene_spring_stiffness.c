// Stiffness of springs such that the body is as stiff as its material, whatever the resolution of the mesh.
//
// Springs in all directions resist a strain e with the energy density K/2 <(r . e r)^2>, where K is the sum of k l^2
// over the springs in a unit of volume (or area) and r their directions. With uniformly distributed directions,
//
//     in space    <(r . e r)^2> = (2 e:e + (tr e)^2)/15    so  mu = lambda = K/15,  Young's modulus  5/2 mu = K/6
//     in a plane  <(r . e r)^2> = (2 e:e + (tr e)^2)/8     so  mu = lambda = K/8,   stiffness        8/3 mu = K/3
//
// A tetrahedron of volume V divides K V among its six edges, a triangle of area A divides K A among its three:
//
//     k = 5/2 mu V / l^2  of each tetrahedron at the edge,    k = stretch A / l^2  of each triangle at the edge.
//
// Such a solid has Poisson's ratio 1/4. Volume springs with bulk = lambda - mu increase it; a smaller ratio is not
// possible.
//
// In a cloth's cell of width w and height h, a spring across represents the height h, and two diagonals d for the
// shear: energy k (g w h / d)^2 = shear/2 g^2 w h. So
//
//     k = stretch h / w  across,    k = shear d^2 / (2 w h)  diagonal,
//
// and springs along the border, with cells on one side only, have half as much.
#include "scene/scene_spring.h"
#include <math.h>
#include <stdlib.h>

// Placeholders for stiffnesses, which identify the kinds of springs.
enum { FIRST_KIND = 1, SECOND_KIND = 2, THIRD_KIND = 3, FOURTH_KIND = 4 };

static double distance2(const sn_spring_net *net, int a, int b) {
    const sn_vec3 p = net->points[a], q = net->points[b];
    const double x = (double)(p.x - q.x), y = (double)(p.y - q.y), z = (double)(p.z - q.z);
    return x * x + y * y + z * z;
}

static int kind_of(const sn_spring *spring) {
    return (int)((double)spring->stiffness + 0.5);
}

// --- what lies at each edge ---

typedef struct {
    int a, b; // a < b
    double amount;
} edge_share;

static int compare_edges(const void *left, const void *right) {
    const edge_share *x = left, *y = right;
    if (x->a != y->a) return (x->a > y->a) - (x->a < y->a);
    return (x->b > y->b) - (x->b < y->b);
}

static edge_share make_share(int a, int b, double amount) {
    return (edge_share){a < b ? a : b, a < b ? b : a, amount};
}

// Sorts shares and adds those of the same edge. Amounts are sorted as well, so that the order of sums is fixed.
static int compare_shares(const void *left, const void *right) {
    const int edges = compare_edges(left, right);
    const double x = ((const edge_share *)left)->amount, y = ((const edge_share *)right)->amount;
    return edges ? edges : (x > y) - (x < y);
}

static size_t merge_shares(edge_share *shares, size_t count) {
    size_t kept = 0;
    qsort(shares, count, sizeof *shares, compare_shares);
    for (size_t i = 0; i < count; i++) {
        if (kept && compare_edges(&shares[kept - 1], &shares[i]) == 0)
            shares[kept - 1].amount += shares[i].amount;
        else
            shares[kept++] = shares[i];
    }
    return kept;
}

static double share_of(const edge_share *shares, size_t count, int a, int b) {
    const edge_share wanted = make_share(a, b, 0);
    const edge_share *found = bsearch(&wanted, shares, count, sizeof *shares, compare_edges);
    return found ? found->amount : 0;
}

// --- chains and cloth ---

bool spring_stiffness_chain(sn_spring_net *net, const chain_spec *chain) {
    for (int i = 0; i < net->spring_count; i++) {
        sn_spring *spring = &net->springs[i];
        spring->stiffness = (sn_real)(chain->stretch / sqrt(distance2(net, spring->a, spring->b)));
    }
    return true;
}

// Structural springs are of the first kind, shear springs of the second, bend springs of the third.
bool spring_stiffness_cloth(sn_spring_net *net, const fabric_spec *fabric, const cloth_spec *cloth) {
    const double w = sqrt(distance2(net, 0, 1)), h = sqrt(distance2(net, 0, cloth->columns));
    for (int i = 0; i < net->spring_count; i++) {
        sn_spring *spring = &net->springs[i];
        const int row = spring->a / cloth->columns, column = spring->a % cloth->columns;
        const bool across = row == spring->b / cloth->columns;
        const bool border = across ? row == 0 || row == cloth->rows - 1 : column == 0 || column == cloth->columns - 1;
        const double aspect = (across ? h / w : w / h) * (border ? 0.5 : 1);
        switch (kind_of(spring)) {
        case FIRST_KIND:
            spring->stiffness = (sn_real)(fabric->stretch * aspect);
            break;
        case SECOND_KIND:
            spring->stiffness = (sn_real)(fabric->shear * distance2(net, spring->a, spring->b) / (2 * w * h));
            break;
        default:
            spring->stiffness = (sn_real)(fabric->bend * aspect);
        }
    }
    return true;
}

// --- surfaces ---

static double triangle_area(const sn_spring_net *net, const int32_t *corner) {
    const double a2 = distance2(net, corner[0], corner[1]), b2 = distance2(net, corner[1], corner[2]);
    const double c2 = distance2(net, corner[2], corner[0]),
                 s = a2 + b2 - c2; // 16 A^2 = 4 a^2 b^2 - (a^2 + b^2 - c^2)^2
    return 0.25 * sqrt(fmax(4 * a2 * b2 - s * s, 0));
}

// Edges are of the first kind, bend springs of the second, straight springs between shells of the third, diagonal ones
// of the fourth. Points of a shell are numbered like those of the surface. The stretch is that of all shells together.
bool spring_stiffness_net(sn_spring_net *net, const fabric_spec *fabric, int surface_points, int layers) {
    edge_share *shares = malloc((3 * (size_t)net->triangle_count + 1) * sizeof *shares);
    double *at_point = calloc((size_t)surface_points + 1, sizeof *at_point); // areas
    if (!shares || !at_point) {
        free(shares);
        free(at_point);
        return false;
    }
    size_t count = 0;
    for (int t = 0; t < net->triangle_count; t++) {
        const int32_t *corner = &net->triangles[3 * (size_t)t];
        if (corner[0] >= surface_points) continue; // of a shell
        const double area = triangle_area(net, corner);
        for (int k = 0; k < 3; k++) {
            shares[count++] = make_share(corner[k], corner[(k + 1) % 3], area);
            at_point[corner[k]] += area / 3;
        }
    }
    count = merge_shares(shares, count);
    for (int i = 0; i < net->spring_count; i++) {
        sn_spring *spring = &net->springs[i];
        const int a = spring->a % surface_points, b = spring->b % surface_points, kind = kind_of(spring);
        double area = 0.5 * (at_point[a] + at_point[b]); // of bend and straight springs
        if (kind == FIRST_KIND || kind == FOURTH_KIND) area = share_of(shares, count, a, b);
        if (kind == FOURTH_KIND) area *= 0.5; // there are two
        const double stiffness = (kind == SECOND_KIND ? fabric->bend : fabric->stretch) / layers;
        const double length2 = distance2(net, spring->a, spring->b);
        spring->stiffness = (sn_real)(length2 > 0 ? stiffness * area / length2 : 0);
    }
    free(shares);
    free(at_point);
    return true;
}

// --- solids ---

static double tet_volume(const sn_spring_net *net, const int32_t *corner) {
    const sn_vec3 o = net->points[corner[0]];
    double e[3][3];
    for (int k = 0; k < 3; k++) {
        const sn_vec3 p = net->points[corner[k + 1]];
        e[k][0] = (double)(p.x - o.x), e[k][1] = (double)(p.y - o.y), e[k][2] = (double)(p.z - o.z);
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

bool spring_stiffness_solid(sn_spring_net *net, double mu, double lambda, sn_real *bulk) {
    static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    edge_share *shares = malloc((6 * (size_t)net->tet_count + 1) * sizeof *shares);
    if (!shares) return false;
    size_t count = 0;
    for (int t = 0; t < net->tet_count; t++) {
        const int32_t *corner = &net->tets[4 * (size_t)t];
        const double volume = tet_volume(net, corner);
        for (int k = 0; k < 6; k++) shares[count++] = make_share(corner[edges[k][0]], corner[edges[k][1]], volume);
    }
    count = merge_shares(shares, count);
    for (int i = 0; i < net->spring_count; i++) {
        sn_spring *spring = &net->springs[i];
        const double volume = share_of(shares, count, spring->a, spring->b);
        const double length2 = distance2(net, spring->a, spring->b);
        spring->stiffness = (sn_real)(length2 > 0 ? 2.5 * mu * volume / length2 : 0);
    }
    *bulk = (sn_real)fmax(lambda - mu, 0);
    free(shares);
    return true;
}
