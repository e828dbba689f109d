// The skin of a character: the zero level of a field, the smooth union of pills of flesh and the muscles at rest. Skin
// weights follow from the distances to the flesh of each bone,
//
//     w_b = (d_b / r_b)^-6,     d_b the distance to the axis of its nearest pill, r_b that pill's radius there,
//
// smoothed over the surface.
#include "fields/smooth.h"
#include "zoo/body_internal.h"
#include "zoo/isosurface.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 256 }; // pills and muscles together

// Candidates of a block of space: the parts that may be nearest to some point in it.
typedef struct {
    uint8_t part[MAX_PARTS];
    int count; // -1: not computed yet
} block;

typedef struct {
    const body_plan *plan;
    const sn_muscle_system *muscles; // null: none
    zoo_pill *pill;                  // of the flesh, both sides
    int *bone;                       // of the flesh
    int count, muscle_count;
    block *blocks;
    double low[3];
    int size[3];
} flesh;

static const double block_edge = 0.05;

// k/4 e^2 below the smaller, e = 1 - |a - b|/k.
static double smooth_union(double a, double b, double k) {
    const double e = fmax(0, 1 - fabs(a - b) / k);
    return fmin(a, b) - 0.25 * k * e * e;
}

static double distance_to(const flesh *f, int part, const double p[3]) {
    if (part < f->count) return zoo_pill_distance(&f->pill[part], p);
    const sn_muscle_spindle *shape = sn_muscle_system_get_spindle(f->muscles, part - f->count);
    return (double)sn_muscle_field(shape, sn_v3((sn_real)p[0], (sn_real)p[1], (sn_real)p[2]), NULL, NULL);
}

static void find_candidates(const flesh *f, const double middle[3], block *out) {
    double distance[MAX_PARTS], nearest = INFINITY;
    const int parts = f->count + f->muscle_count;
    for (int i = 0; i < parts; i++) {
        distance[i] = distance_to(f, i, middle);
        nearest = fmin(nearest, distance[i]);
    }
    out->count = 0;
    for (int i = 0; i < parts; i++) // the block's diagonal, plus the blend width
        if (distance[i] < nearest + 1.9 * block_edge + 0.05) out->part[out->count++] = (uint8_t)i;
}

static double field(const void *context, const double p[3]) {
    const flesh *f = context;
    double d = 1e3, muscle = 1e3, middle[3];
    size_t at = 0;
    for (int k = 2; k >= 0; --k) {
        const int cell = (int)zoo_clamp(floor((p[k] - f->low[k]) / block_edge), 0, f->size[k] - 1);
        middle[k] = f->low[k] + (cell + 0.5) * block_edge;
        at = at * (size_t)f->size[k] + (size_t)cell;
    }
    block *candidates = &f->blocks[at];
    if (candidates->count < 0) find_candidates(f, middle, candidates);
    int i = 0;
    for (; i < candidates->count && candidates->part[i] < f->count; i++) // flesh comes first
        d = smooth_union(d, zoo_pill_distance(&f->pill[candidates->part[i]], p), 4 * f->plan->smooth);
    for (; i < candidates->count; i++) {
        // Skip muscles farther away than the nearest part by more than the blend width.
        const sn_muscle_spindle *shape = sn_muscle_system_get_spindle(f->muscles, candidates->part[i] - f->count);
        const zoo_pill around = {{(double)shape->bound_a.x, (double)shape->bound_a.y, (double)shape->bound_a.z},
                                 (double)shape->bound_radius,
                                 {(double)shape->bound_b.x, (double)shape->bound_b.y, (double)shape->bound_b.z},
                                 (double)shape->bound_radius};
        if (zoo_pill_distance(&around, p) > fmin(d, muscle) + 4 * f->plan->muscles) continue;
        muscle = smooth_union(muscle, distance_to(f, candidates->part[i], p), 2 * f->plan->muscles);
    }
    // A muscle's field may be slightly steeper than a distance.
    return 0.8 * smooth_union(d, muscle, 4 * f->plan->muscles);
}

// ---- flesh of both sides

static bool gather(const zoo_body *body, const body_plan *plan, flesh *f) {
    static const char *const sides[2] = {"left", "right"};
    *f = (flesh){.plan = plan};
    f->pill = malloc(2 * (size_t)plan->flesh_count * sizeof *f->pill);
    f->bone = malloc(2 * (size_t)plan->flesh_count * sizeof *f->bone);
    if (!f->pill || !f->bone) return false;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < plan->flesh_count; i++) {
            const int bone = zoo_body_bone(body, plan->flesh[i].bone, sides[side]);
            const zoo_pill *p = &plan->flesh[i].pill;
            const bool middle = p->a[0] <= 0;
            if (bone < 0 || (side && (middle || plan->one_sided))) continue;
            f->pill[f->count] = *p;
            if (side) f->pill[f->count].a[0] *= -1, f->pill[f->count].b[0] *= -1;
            f->bone[f->count++] = bone;
        }
    return true;
}

// ---- the mesh

// Bounding box of everything, and its blocks. False: no memory.
static bool find_box(flesh *f, double high[3]) {
    const double margin = 0.08;
    for (int k = 0; k < 3; k++) f->low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < 3; k++) {
            const zoo_pill *p = &f->pill[i];
            f->low[k] = fmin(f->low[k], fmin(p->a[k] - p->ra, p->b[k] - p->rb) - margin);
            high[k] = fmax(high[k], fmax(p->a[k] + p->ra, p->b[k] + p->rb) + margin);
        }
    for (int m = 0; m < f->muscle_count; m++) {
        const sn_muscle_spindle *shape = sn_muscle_system_get_spindle(f->muscles, m);
        for (int i = 0; i < shape->points; i++) {
            const double at[3] = {(double)shape->axis[i].x, (double)shape->axis[i].y, (double)shape->axis[i].z};
            for (int k = 0; k < 3; k++) {
                f->low[k] = fmin(f->low[k], at[k] - (double)shape->max_radius - margin);
                high[k] = fmax(high[k], at[k] + (double)shape->max_radius + margin);
            }
        }
    }
    size_t count = 1;
    for (int k = 0; k < 3; k++) {
        f->size[k] = (int)ceil((high[k] - f->low[k]) / block_edge);
        count *= (size_t)f->size[k];
    }
    f->blocks = malloc(count * sizeof *f->blocks);
    for (size_t i = 0; f->blocks && i < count; i++) f->blocks[i].count = -1;
    return f->blocks != NULL;
}

// Tries a grid with this cell size, or slightly finer ones if two sheets of the surface share a cell.
static bool try_cell(const flesh *f, const double high[3], double *cell, int smoothing_passes, sn_mesh *out) {
    bool good = false;
    for (int attempt = 0; attempt < 6 && !good; attempt++) {
        zoo_iso iso = {.field = field, .context = f, .cell = *cell, .smoothing_passes = smoothing_passes};
        for (int k = 0; k < 3; k++) iso.low[k] = f->low[k], iso.high[k] = high[k];
        good = zoo_isosurface(&iso, out);
        if (!good) *cell *= 0.93;
    }
    return good;
}

// The number of vertices is proportional to the inverse square of the cell size, so a coarse attempt predicts the right
// size closely; a third one is rarely needed.
static bool make(flesh *f, double target, sn_mesh *out) {
    double cell = 0.020, high[3];
    bool good = find_box(f, high) && try_cell(f, high, &cell, 0, out);
    for (int attempt = 0; attempt < 3 && good; attempt++) {
        cell *= sqrt(out->vertex_count / target);
        sn_mesh_free(out);
        good = try_cell(f, high, &cell, 5, out);
        if (good && fabs(out->vertex_count / target - 1) < 0.03) break;
    }
    return good && sn_mesh_make_normals(out);
}

// ---- weights

static double nearness(const zoo_pill *pill, const float p[3]) {
    double l2 = 0, along = 0, distance2 = 0;
    for (int k = 0; k < 3; k++) {
        const double axis = pill->b[k] - pill->a[k];
        l2 += axis * axis, along += axis * ((double)p[k] - pill->a[k]);
    }
    const double t = l2 > 0 ? zoo_clamp(along / l2, 0, 1) : 0;
    for (int k = 0; k < 3; k++) {
        const double offset = (double)p[k] - pill->a[k] - t * (pill->b[k] - pill->a[k]);
        distance2 += offset * offset;
    }
    return sqrt(distance2) / (pill->ra + t * (pill->rb - pill->ra));
}

static bool paint(const flesh *f, zoo_body *body) {
    sn_mesh *mesh = &body->mesh;
    const int bones = body->bone_count;
    const size_t vertices = (size_t)mesh->vertex_count;
    double *weight = malloc(vertices * (size_t)bones * sizeof *weight);
    mesh->joint = calloc(vertices, sizeof *mesh->joint);
    mesh->weight = calloc(vertices, sizeof *mesh->weight);
    mesh->uv = calloc(vertices, sizeof *mesh->uv);
    bool good = weight && mesh->joint && mesh->weight && mesh->uv;
    for (int v = 0; good && v < mesh->vertex_count; v++) {
        double sum = 0;
        for (int b = 0; b < bones; b++) {
            double min_distance = INFINITY;
            for (int i = 0; i < f->count; i++)
                if (f->bone[i] == b) min_distance = fmin(min_distance, nearness(&f->pill[i], mesh->position[v]));
            const double d2 = fmax(min_distance * min_distance, 0.01),
                         w = min_distance < INFINITY ? 1 / (d2 * d2 * d2) : 0;
            weight[(size_t)b * vertices + (size_t)v] = w;
            sum += w;
        }
        for (int b = 0; b < bones; b++) weight[(size_t)b * vertices + (size_t)v] /= sum;
    }
    good = good && sn_smooth_surface(mesh, 0.05, weight, bones);
    for (int v = 0; good && v < mesh->vertex_count; v++) {
        double sum = 0;
        for (int slot = 0; slot < 4; slot++) {
            int best = -1;
            for (int b = 0; b < bones; b++) {
                const double w = weight[(size_t)b * vertices + (size_t)v];
                if (w > 0.01 && (best < 0 || w > weight[(size_t)best * vertices + (size_t)v])) best = b;
            }
            if (best < 0) break;
            double *w = &weight[(size_t)best * vertices + (size_t)v];
            mesh->joint[v][slot] = best;
            mesh->weight[v][slot] = (float)*w;
            sum += *w, *w = 0;
        }
        for (int slot = 0; slot < 4; slot++) mesh->weight[v][slot] /= (float)sum;
    }
    free(weight);
    return good;
}

// Assigns each muscle to the bone that moves most of the skin close to it.
static bool assign_muscles(const flesh *f, zoo_body *body) {
    const sn_mesh *mesh = &body->mesh;
    int *votes = malloc((size_t)body->bone_count * sizeof *votes);
    for (int m = 0; votes && m < f->muscle_count; m++) {
        const sn_muscle_spindle *shape = sn_muscle_system_get_spindle(f->muscles, m);
        const zoo_pill around = {{(double)shape->bound_a.x, (double)shape->bound_a.y, (double)shape->bound_a.z},
                                 (double)shape->bound_radius,
                                 {(double)shape->bound_b.x, (double)shape->bound_b.y, (double)shape->bound_b.z},
                                 (double)shape->bound_radius};
        const double close = 0.008;
        memset(votes, 0, (size_t)body->bone_count * sizeof *votes);
        for (int v = 0; v < mesh->vertex_count; v++) {
            const float *p = mesh->position[v];
            const double at[3] = {(double)p[0], (double)p[1], (double)p[2]};
            if (zoo_pill_distance(&around, at) > close || distance_to(f, f->count + m, at) > close) continue;
            ++votes[mesh->joint[v][0]];
        }
        int *skin_bone = &body->muscles[m].skin_bone;
        for (int b = 0; b < body->bone_count; b++)
            if (votes[b] > votes[*skin_bone]) *skin_bone = b;
    }
    const bool good = votes != NULL;
    free(votes);
    return good;
}

// Texture coordinates: projection from the front.
static void lay_texture(sn_mesh *mesh) {
    float low[3], high[3];
    sn_mesh_box(mesh, low, high);
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 2; k++) mesh->uv[v][k] = (mesh->position[v][k] - low[k]) / (high[k] - low[k]);
}

bool zoo_body_surface(const body_plan *plan, int vertices, zoo_body *body) {
    flesh f;
    sn_memory memory;
    sn_muscle_system *system = NULL;
    sn_memory_init(&memory, NULL);
    bool good = gather(body, plan, &f);
    if (good && body->muscle_count > 0) {
        const sn_status status = zoo_body_muscles(body, &memory, NULL, &system);
        good = status == SN_OK || status == SN_WARN_DIVERGED;
    }
    f.muscles = system;
    f.muscle_count = system ? sn_muscle_system_count(system) : 0;
    good = good && f.count + f.muscle_count <= MAX_PARTS;
    good = good && make(&f, vertices, &body->mesh) && paint(&f, body) && assign_muscles(&f, body);
    if (good) lay_texture(&body->mesh);
    sn_muscle_system_destroy(system);
    free(f.pill);
    free(f.bone);
    free(f.blocks);
    return good;
}
