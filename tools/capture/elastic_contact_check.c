// Other kinds are asked by a snapshot of their collision geometry; elastic surfaces by the detector, once for all bodies.
#include "capture/elastic_contact_check.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_system.h"
#include "medial/elastic_collide.h"
#include <math.h>
#include <stdlib.h>

// What all bodies of a model share.
typedef struct watched_model {
    const sn_elastic_model *model;
    sn_elastic_bounds bounds;
    sn_elastic_hull hull;
    elastic_contact_total total;
    int count; // surface vertices that are not anchored
    int *vertices;
    struct watched_model *next;
} watched_model;

typedef struct watched_body {
    sn_body id;
    watched_model *of;
    sn_elastic_bounds_state now;
    sn_vec3 *x;
    sn_real *start; // by surface vertex: depth at the start
    struct watched_body *next;
} watched_body;

struct elastic_contact_check {
    sn_memory memory;
    watched_model *models, **last_model;
    watched_body *bodies, **last_body;
    sn_snapshot *snapshot;
    sn_elastic_detector detector;
    sn_elastic_collider *colliders;
    watched_body **body_of; // by collider
    sn_probe *probes;
    sn_hit *hits;
    int capacity, probe_capacity;
};

elastic_contact_check *elastic_contact_check_new(void) {
    elastic_contact_check *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    sn_memory_init(&w->memory, NULL);
    sn_elastic_detector_init(&w->detector, &w->memory);
    w->last_model = &w->models, w->last_body = &w->bodies;
    return w;
}

static void free_model(elastic_contact_check *w, watched_model *m) {
    sn_elastic_hull_free(&w->memory, &m->hull);
    sn_elastic_bounds_free(&w->memory, &m->bounds);
    free(m->vertices);
    free(m);
}

static void free_body(elastic_contact_check *w, watched_body *b) {
    sn_elastic_bounds_state_free(&w->memory, &b->of->bounds, &b->now);
    free(b->x), free(b->start);
    free(b);
}

void elastic_contact_check_free(elastic_contact_check *w) {
    if (!w) return;
    for (watched_body *b = w->bodies, *next; b; b = next) next = b->next, free_body(w, b);
    for (watched_model *m = w->models, *next; m; m = next) next = m->next, free_model(w, m);
    sn_elastic_detector_free(&w->detector);
    sn_snapshot_destroy(w->snapshot);
    free(w->colliders), free(w->body_of), free(w->probes), free(w->hits);
    free(w);
}

static bool list_vertices(watched_model *m) {
    const sn_elastic_asset *a = &m->model->asset;
    bool *seen = calloc((size_t)a->vertex_count + 1, sizeof *seen);
    m->vertices = malloc(((size_t)a->vertex_count + 1) * sizeof *m->vertices);
    if (seen && m->vertices)
        for (int i = 0; i < 3 * a->triangle_count; i++) {
            const int v = a->triangles[i / 3][i % 3];
            if (!seen[v] && !(a->anchored && a->anchored[v])) m->vertices[m->count++] = v;
            seen[v] = true;
        }
    free(seen);
    return seen && m->vertices;
}

static watched_model *model_of(elastic_contact_check *w, const sn_elastic_model *model) {
    for (watched_model *m = w->models; m; m = m->next)
        if (m->model == model) return m;
    watched_model *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->model = model;
    if (!list_vertices(m) || sn_elastic_bounds_init(&w->memory, &model->asset, &m->bounds) != SN_OK ||
        sn_elastic_hull_init(&w->memory, &m->bounds, &m->hull) != SN_OK) {
        free_model(w, m);
        return NULL;
    }
    m->total.vertices = m->count, m->total.size = (double)m->bounds.size;
    *w->last_model = m, w->last_model = &m->next;
    return m;
}

static watched_body *body_of(elastic_contact_check *w, const sn_world *world, sn_body id) {
    for (watched_body *b = w->bodies; b; b = b->next)
        if (b->id.slot1 == id.slot1 && b->id.gen == id.gen) return b;
    watched_model *m = model_of(w, sn_elastic_get_model(world, id));
    watched_body *b = m ? calloc(1, sizeof *b) : NULL;
    if (!b) return NULL;
    b->id = id, b->of = m;
    b->x = malloc(((size_t)m->model->asset.vertex_count + 1) * sizeof *b->x);
    b->start = malloc(((size_t)m->count + 1) * sizeof *b->start);
    if (!b->x || !b->start || sn_elastic_bounds_state_init(&w->memory, &m->bounds, &b->now) != SN_OK) {
        free_body(w, b);
        return NULL;
    }
    for (int i = 0; i < m->count; i++) b->start[i] = -1;
    *w->last_body = b, w->last_body = &b->next;
    return b;
}

static bool reserve(elastic_contact_check *w, int bodies, int vertices) {
    if (bodies > w->capacity) {
        free(w->colliders), free(w->body_of);
        w->colliders = malloc((size_t)bodies * sizeof *w->colliders);
        w->body_of = malloc((size_t)bodies * sizeof(watched_body *));
        w->capacity = w->colliders && w->body_of ? bodies : 0;
    }
    if (vertices > w->probe_capacity) {
        free(w->probes), free(w->hits);
        w->probes = malloc((size_t)vertices * sizeof *w->probes), w->hits = malloc((size_t)vertices * sizeof *w->hits);
        w->probe_capacity = w->probes && w->hits ? vertices : 0;
    }
    return bodies <= w->capacity && vertices <= w->probe_capacity;
}

static bool is_other_kind(void *user, sn_body body) {
    (void)user;
    return body.kind != SN_KIND_ELASTIC;
}

static void note(watched_model *m, elastic_in in, double depth, double time) {
    elastic_contact_total *t = &m->total;
    depth /= t->size;
    t->end[in] = fmax(t->end[in], depth);
    if (depth > t->depth[in]) t->depth[in] = depth, t->time[in] = time;
}

static bool measure_others(elastic_contact_check *w, watched_body *b, double time) {
    const watched_model *m = b->of;
    sn_query_filter filter = sn_query_filter_default();
    filter.keep = is_other_kind;
    for (int i = 0; i < m->count; i++) w->probes[i] = sn_probe_sphere(b->x[m->vertices[i]], 0, (sn_vec3){0, 0, 0});
    if (sn_snapshot_nearest(w->snapshot, w->probes, m->count, 0, &filter, w->hits) != SN_OK) return false;
    for (int i = 0; i < m->count; i++) {
        const sn_real depth = w->hits[i].body.slot1 ? sn_max(-w->hits[i].distance, 0) : 0;
        if (b->start[i] < 0) b->start[i] = depth;
        note(b->of, ELASTIC_IN_OTHERS, (double)(depth - b->start[i]), time);
    }
    return true;
}

bool elastic_contact_check_update(elastic_contact_check *w, sn_world *world) {
    const sn_elastic_system *elastics = sn_world_elastics(world);
    const int count = sn_world_kind_count(world, SN_KIND_ELASTIC);
    const double time = sn_world_time(world);
    for (watched_model *m = w->models; m; m = m->next) {
        m->total.bodies = 0;
        for (int k = 0; k < (int)ELASTIC_IN_COUNT; k++) m->total.end[k] = 0;
    }
    if (count == 0) return true;
    const sn_status status =
        w->snapshot ? sn_snapshot_update(w->snapshot, world) : sn_snapshot_create(world, &w->snapshot);
    if (status != SN_OK || !reserve(w, count, 0)) return false;
    for (int i = 0; i < count; i++) {
        const sn_body id = sn_world_kind_at(world, SN_KIND_ELASTIC, i);
        const sn_elastic_item *item = sn_elastic_find(elastics, id);
        watched_body *b = body_of(w, world, id);
        if (!b || !reserve(w, count, b->of->count)) return false;
        const sn_elastic_asset *a = &b->of->model->asset;
        sn_elastic_get_vertices(world, id, b->x, a->vertex_count);
        sn_elastic_bounds_update(&b->of->bounds, sn_elastic_pose_of(item->body), SN_BOUNDS_DEFORMATION, NULL, &b->now);
        w->colliders[i] = (sn_elastic_collider){&b->of->hull, &b->now, b->x, true};
        w->body_of[i] = b, b->of->total.bodies++;
        if (!measure_others(w, b, time)) return false;
    }
    if (sn_elastic_detect(&w->detector, w->colliders, count, NULL) != SN_OK) return false;
    for (int i = 0; i < w->detector.contact_count; i++) {
        const sn_elastic_contact *c = &w->detector.contacts[i];
        watched_model *m = w->body_of[c->body]->of;
        const sn_elastic_asset *a = &m->model->asset;
        if (a->anchored && a->anchored[c->vertex]) continue;
        note(m, c->body == c->other ? ELASTIC_IN_ITSELF : ELASTIC_IN_ELASTIC, (double)c->depth, time);
    }
    return true;
}

bool elastic_contact_check_read(const elastic_contact_check *w, int model, elastic_contact_total *out) {
    const watched_model *m = w->models;
    for (; m && model > 0; --model) m = m->next;
    if (!m) return false;
    *out = m->total;
    return true;
}

double elastic_contact_check_depth(const elastic_contact_check *w) {
    double depth = 0;
    for (const watched_model *m = w->models; m; m = m->next)
        for (int k = 0; k < (int)ELASTIC_IN_COUNT; k++) depth = fmax(depth, m->total.depth[k]);
    return depth;
}

void elastic_contact_check_print(const elastic_contact_check *w, FILE *out) {
    fprintf(out, "depths of surfaces, in %% of the body's size (at the time; at the end):\n");
    fprintf(out, "  bodies   size                in others       in elastic bodies               in itself\n");
    for (const watched_model *m = w->models; m; m = m->next) {
        const elastic_contact_total *t = &m->total;
        fprintf(out, "  %6d %4.2f m", t->bodies, t->size);
        for (int k = 0; k < (int)ELASTIC_IN_COUNT; k++)
            fprintf(out, " %6.2f (%4.2f s; %5.2f)", 100 * t->depth[k], t->time[k], 100 * t->end[k]);
        fprintf(out, "\n");
    }
    if (!w->models) fprintf(out, "  no elastic bodies\n");
}
