// Makers of nets. See spring_topology.h.
#include "kinds/spring/spring_topology.h"
#include "kinds/spring/spring_faces.h"
#include "kinds/spring/spring_volume.h"

// The net's allocator as an sn_memory.
static sn_memory memory_of(const sn_spring_net *net) {
    sn_memory memory;
    sn_memory_init(&memory, &net->allocator);
    return memory;
}

void sn_spring_net_init(sn_spring_net *net, const sn_allocator *allocator) {
    *net = (sn_spring_net){.allocator = allocator ? *allocator : (sn_allocator){0}};
}

void sn_spring_net_free(sn_spring_net *net) {
    if (!net) return;
    sn_memory memory = memory_of(net);
    sn_free(&memory, net->points, (size_t)net->point_capacity, sizeof *net->points);
    sn_free(&memory, net->masses, (size_t)net->mass_capacity, sizeof *net->masses);
    sn_free(&memory, net->springs, (size_t)net->spring_capacity, sizeof *net->springs);
    sn_free(&memory, net->tets, (size_t)net->tet_capacity, sizeof *net->tets);
    sn_free(&memory, net->triangles, (size_t)net->triangle_capacity, sizeof *net->triangles);
    *net = (sn_spring_net){.allocator = net->allocator};
}

sn_spring_def sn_spring_net_def(const sn_spring_net *net) {
    return (sn_spring_def){.points = net->points,
                           .masses = net->masses,
                           .count = net->count,
                           .springs = net->springs,
                           .spring_count = net->spring_count,
                           .tets = (const int(*)[4])(const void *)net->tets,
                           .tet_count = net->tet_count};
}

int sn_spring_net_point(sn_spring_net *net, sn_vec3 point, sn_real mass) {
    sn_memory memory = memory_of(net);
    if (!sn_reserve(&memory, (void **)&net->points, &net->point_capacity, net->count + 1, sizeof *net->points) ||
        !sn_reserve(&memory, (void **)&net->masses, &net->mass_capacity, net->count + 1, sizeof *net->masses))
        return -1;
    net->points[net->count] = point;
    net->masses[net->count] = mass;
    return net->count++;
}

bool sn_spring_net_spring(sn_spring_net *net, int a, int b, sn_spring_params params) {
    sn_memory memory = memory_of(net);
    if (params.stiffness == 0 && params.damping == 0) return true;
    if (!sn_reserve(&memory, (void **)&net->springs, &net->spring_capacity, net->spring_count + 1,
                    sizeof *net->springs))
        return false;
    const sn_real rest = sn_length(sn_sub(net->points[b], net->points[a]));
    net->springs[net->spring_count++] = (sn_spring){a, b, params.stiffness, params.damping, rest};
    return true;
}

bool sn_spring_net_triangle(sn_spring_net *net, int a, int b, int c) {
    sn_memory memory = memory_of(net);
    if (!sn_reserve(&memory, (void **)&net->triangles, &net->triangle_capacity, 3 * (net->triangle_count + 1),
                    sizeof *net->triangles))
        return false;
    int32_t *corner = net->triangles + 3 * (size_t)net->triangle_count++;
    corner[0] = a, corner[1] = b, corner[2] = c;
    return true;
}

int sn_spring_net_chain(sn_spring_net *net, const sn_spring_chain *chain) {
    const int first = net->count, count = chain->count;
    const sn_real each = chain->mass / (sn_real)(count - 1);
    for (int i = 0; i < count; i++) {
        const sn_vec3 point = sn_lerp(chain->from, chain->to, (sn_real)i / (sn_real)(count - 1));
        if (sn_spring_net_point(net, point, i == 0 || i == count - 1 ? each / 2 : each) < 0) return -1;
        if (i > 0 && !sn_spring_net_spring(net, first + i - 1, first + i, chain->params)) return -1;
    }
    return first;
}

int sn_spring_net_cloth(sn_spring_net *net, const sn_spring_cloth *cloth) {
    const int first = net->count, columns = cloth->columns, rows = cloth->rows;
    const sn_real cell = cloth->mass / (sn_real)((columns - 1) * (rows - 1));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const sn_vec3 across = sn_mul((sn_real)c / (sn_real)(columns - 1), cloth->across);
            const sn_vec3 down = sn_mul((sn_real)r / (sn_real)(rows - 1), cloth->down);
            const int cells = (c > 0 && c < columns - 1 ? 2 : 1) * (r > 0 && r < rows - 1 ? 2 : 1);
            const sn_vec3 point = sn_add(cloth->corner, sn_add(across, down));
            if (sn_spring_net_point(net, point, cell * (sn_real)cells / 4) < 0) return -1;
        }
    // The springs that start at a point and go right or down, so that each occurs once.
    const struct {
        int c, r;
        sn_spring_params params;
    } reach[] = {{1, 0, cloth->structural}, {0, 1, cloth->structural}, {1, 1, cloth->shear},
                 {-1, 1, cloth->shear},     {2, 0, cloth->bend},       {0, 2, cloth->bend}};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            for (size_t k = 0; k < sizeof reach / sizeof reach[0]; k++) {
                const int c2 = c + reach[k].c, r2 = r + reach[k].r;
                if (c2 < 0 || c2 >= columns || r2 >= rows) continue;
                if (!sn_spring_net_spring(net, first + r * columns + c, first + r2 * columns + c2, reach[k].params))
                    return -1;
            }
    for (int r = 0; r + 1 < rows; r++)
        for (int c = 0; c + 1 < columns; c++) {
            const int a = first + r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            if (!sn_spring_net_triangle(net, a, d, b) || !sn_spring_net_triangle(net, b, d, e)) return -1;
        }
    return first;
}

// Whether the sorted uses hold the edge (a, b).
static bool has_edge(const sn_edge_use *uses, int count, int a, int b) {
    const int lo = a < b ? a : b, hi = a < b ? b : a;
    int from = 0, to = count;
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (uses[middle].a < lo || (uses[middle].a == lo && uses[middle].b < hi))
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && uses[from].a == lo && uses[from].b == hi;
}

static bool edge_springs(sn_spring_net *net, int first, const sn_edge_use *uses, int count, sn_spring_params edge,
                         sn_spring_params bend) {
    for (int i = 0; i < count; i++) {
        if (sn_edge_is_new(uses, i)) {
            if (!sn_spring_net_spring(net, first + uses[i].a, first + uses[i].b, edge)) return false;
            continue;
        }
        const int a = uses[i - 1].opposite, b = uses[i].opposite;
        if (a != b && !has_edge(uses, count, a, b) && !sn_spring_net_spring(net, first + a, first + b, bend))
            return false;
    }
    return true;
}

static bool add_shells(sn_spring_net *net, int first, const sn_spring_surface *s, const sn_edge_use *uses,
                       int use_count, const sn_vec3 *normal) {
    const int layers = s->shells + 1;
    for (int layer = 0; layer < layers; layer++) {
        const int here = first + layer * s->count, above = here - s->count;
        for (int i = 0; i < s->count; i++) {
            const sn_vec3 n = sn_normalize(normal[i], sn_v3(0, 0, 0));
            const sn_vec3 point = sn_mul_add(s->points[i], (sn_real)layer * s->spacing, n);
            if (sn_spring_net_point(net, point, 0) < 0) return false;
        }
        for (int t = 0; t < s->triangle_count; t++) {
            const int32_t *corner = s->triangles + 3 * (size_t)t;
            const sn_vec3 u = sn_sub(s->points[corner[1]], s->points[corner[0]]);
            const sn_vec3 v = sn_sub(s->points[corner[2]], s->points[corner[0]]);
            const sn_real third = sn_length(sn_cross(u, v)) / 6 * s->density / (sn_real)layers;
            for (int k = 0; k < 3; k++) net->masses[here + corner[k]] += third;
        }
        if (!edge_springs(net, here, uses, use_count, s->edge, s->bend)) return false;
        if (layer == 0) continue;
        for (int i = 0; i < s->count; i++)
            if (!sn_spring_net_spring(net, above + i, here + i, s->straight)) return false;
        for (int i = 0; i < use_count; i++)
            if (sn_edge_is_new(uses, i) &&
                (!sn_spring_net_spring(net, above + uses[i].a, here + uses[i].b, s->diagonal) ||
                 !sn_spring_net_spring(net, above + uses[i].b, here + uses[i].a, s->diagonal)))
                return false;
    }
    return true;
}

int sn_spring_net_surface(sn_spring_net *net, const sn_spring_surface *s) {
    const int first = net->count;
    int use_count = 0;
    sn_memory memory = memory_of(net);
    sn_edge_use *uses = sn_edge_uses(&memory, s->count, s->triangles, 3, s->triangle_count, &use_count);
    sn_vec3 *normal = sn_alloc(&memory, (size_t)s->count, sizeof *normal);
    bool good = uses && normal;
    if (good) {
        for (int t = 0; t < s->triangle_count; t++) {
            const int32_t *corner = s->triangles + 3 * (size_t)t;
            const sn_vec3 n = sn_cross(sn_sub(s->points[corner[1]], s->points[corner[0]]),
                                       sn_sub(s->points[corner[2]], s->points[corner[0]]));
            for (int k = 0; k < 3; k++) normal[corner[k]] = sn_add(normal[corner[k]], n);
        }
        good = add_shells(net, first, s, uses, use_count, normal);
        for (int t = 0; t < s->triangle_count && good; t++) {
            const int32_t *corner = s->triangles + 3 * (size_t)t;
            good = sn_spring_net_triangle(net, first + corner[0], first + corner[1], first + corner[2]);
        }
    }
    sn_free(&memory, normal, (size_t)s->count, sizeof *normal);
    sn_free(&memory, uses, (size_t)use_count, sizeof *uses);
    return good ? first : -1;
}

// Adds the tetrahedra to the net, and their boundary as its triangles.
static bool add_tets(sn_spring_net *net, int first, const sn_spring_solid *s) {
    sn_memory memory = memory_of(net);
    if (!sn_reserve(&memory, (void **)&net->tets, &net->tet_capacity, 4 * (net->tet_count + s->tet_count),
                    sizeof *net->tets))
        return false;
    for (size_t k = 0; k < 4 * (size_t)s->tet_count; k++)
        net->tets[4 * (size_t)net->tet_count + k] = first + s->tets[k];
    net->tet_count += s->tet_count;
    int count = 0;
    sn_tet_face *faces = sn_tet_faces(&memory, s->count, (const int(*)[4])(const void *)s->tets, s->tet_count, &count);
    bool good = faces != NULL;
    for (int f = 0; f < count && good; f++) {
        const int *corner = faces[f].corner;
        good = sn_spring_net_triangle(net, first + corner[0], first + corner[1], first + corner[2]);
    }
    sn_free(&memory, faces, 4 * (size_t)s->tet_count, sizeof *faces);
    return good;
}

int sn_spring_net_solid(sn_spring_net *net, const sn_spring_solid *s) {
    const int first = net->count;
    sn_memory memory = memory_of(net);
    for (int i = 0; i < s->count; i++)
        if (sn_spring_net_point(net, s->points[i], 0) < 0) return -1;
    for (int t = 0; t < s->tet_count; t++) {
        const int32_t *at = s->tets + 4 * (size_t)t;
        sn_vec3 corner[4];
        for (int k = 0; k < 4; k++) corner[k] = s->points[at[k]];
        const sn_real quarter = s->density * sn_abs(sn_spring_tet_volume(corner)) / 4;
        for (int k = 0; k < 4; k++) net->masses[first + at[k]] += quarter;
    }
    if (s->volumes && !add_tets(net, first, s)) return -1;
    int use_count = 0;
    sn_edge_use *uses = sn_edge_uses(&memory, s->count, s->tets, 4, s->tet_count, &use_count);
    bool good = uses != NULL;
    for (int i = 0; good && i < use_count; i++)
        if (sn_edge_is_new(uses, i)) good = sn_spring_net_spring(net, first + uses[i].a, first + uses[i].b, s->edge);
    sn_free(&memory, uses, (size_t)use_count, sizeof *uses);
    return good ? first : -1;
}
