// Bounds are made once per model. An update computes them for every body, both ways, and measures the error.
#include "capture/elastic_bound_check.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_system.h"
#include "medial/elastic_bounds.h"
#include <math.h>
#include <stdlib.h>

typedef struct watched {
    const sn_elastic_model *model;
    sn_elastic_bounds bounds;
    sn_elastic_bounds_state now;
    sn_vec3 *x;
    elastic_bound_check_total total;
    struct watched *next;
} watched;

struct elastic_bound_check {
    sn_memory memory;
    watched *first, **last;
};

elastic_bound_check *elastic_bound_check_new(void) {
    elastic_bound_check *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    sn_memory_init(&w->memory, NULL);
    w->last = &w->first;
    return w;
}

static void free_watched(elastic_bound_check *w, watched *m) {
    sn_elastic_bounds_state_free(&w->memory, &m->bounds, &m->now);
    sn_elastic_bounds_free(&w->memory, &m->bounds);
    free(m->x);
    free(m);
}

void elastic_bound_check_free(elastic_bound_check *w) {
    while (w && w->first) {
        watched *next = w->first->next;
        free_watched(w, w->first);
        w->first = next;
    }
    free(w);
}

static watched *watched_of(elastic_bound_check *w, const sn_elastic_model *model) {
    for (watched *m = w->first; m; m = m->next)
        if (m->model == model) return m;
    watched *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->model = model;
    m->x = malloc(((size_t)model->asset.vertex_count + 1) * sizeof *m->x);
    if (!m->x || sn_elastic_bounds_init(&w->memory, &model->asset, &m->bounds) != SN_OK ||
        sn_elastic_bounds_state_init(&w->memory, &m->bounds, &m->now) != SN_OK) {
        free_watched(w, m);
        return NULL;
    }
    m->total.primitives = m->bounds.primitive_count;
    *w->last = m, w->last = &m->next;
    return m;
}

// The mean over primitives of the distance of their outermost vertex inside the bound, over the size. `missed` and `worst`
// may be null.
static double error_of(const watched *m, int64_t *missed, double *worst) {
    const sn_elastic_bounds *b = &m->bounds;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < b->primitive_count; i++) {
        double outside = -HUGE_VAL;
        if (b->first_vertex[i] == b->first_vertex[i + 1]) continue;
        for (int k = b->first_vertex[i]; k < b->first_vertex[i + 1]; k++) {
            const double d = (double)sn_slab_distance(&m->now.slab[i], m->x[b->vertices[k]], NULL);
            outside = fmax(outside, d);
            if (missed) *missed += !(d <= 0); // NaN counts as outside
        }
        if (worst) *worst = fmax(*worst, outside / (double)b->size);
        sum -= outside, ++count;
    }
    return count && b->size > 0 ? sum / count / (double)b->size : 0;
}

bool elastic_bound_check_update(elastic_bound_check *w, const sn_world *world) {
    const sn_elastic_system *elastics = sn_world_elastics(world);
    for (watched *m = w->first; m; m = m->next) m->total.bodies = 0;
    for (int i = 0; i < sn_world_kind_count(world, SN_KIND_ELASTIC); i++) {
        const sn_body id = sn_world_kind_at(world, SN_KIND_ELASTIC, i);
        const sn_elastic_item *item = sn_elastic_find(elastics, id);
        watched *m = watched_of(w, sn_elastic_get_model(world, id));
        if (!m) return false;
        elastic_bound_check_total *t = &m->total;
        const sn_elastic_pose pose = sn_elastic_pose_of(item->body);
        sn_elastic_get_vertices(world, id, m->x, m->model->asset.vertex_count);
        sn_elastic_bounds_update(&m->bounds, pose, SN_BOUNDS_DISPLACEMENT, NULL, &m->now);
        const double displacement = error_of(m, NULL, NULL);
        sn_elastic_bounds_update(&m->bounds, pose, SN_BOUNDS_DEFORMATION, NULL, &m->now);
        const double deformation = error_of(m, &t->missed, &t->worst);
        ++t->bodies, ++t->updates;
        t->vertices += m->bounds.vertex_entries;
        t->deformation += (deformation - t->deformation) / t->updates;
        t->displacement += (displacement - t->displacement) / t->updates;
        t->deformation_max = fmax(t->deformation_max, deformation);
    }
    return true;
}

bool elastic_bound_check_read(const elastic_bound_check *w, int model, elastic_bound_check_total *out) {
    const watched *m = w->first;
    for (; m && model > 0; --model) m = m->next;
    if (!m) return false;
    *out = m->total;
    return true;
}

int64_t elastic_bound_check_missed(const elastic_bound_check *w) {
    int64_t missed = 0;
    for (const watched *m = w->first; m; m = m->next) missed += m->total.missed;
    return missed;
}

void elastic_bound_check_print(const elastic_bound_check *w, FILE *out) {
    fprintf(out, "bounds, in %% of the body's size:\n");
    fprintf(out, "  bodies primitives         vertices   outside   mean error   worst step   by displacement\n");
    for (const watched *m = w->first; m; m = m->next) {
        const elastic_bound_check_total *t = &m->total;
        fprintf(out, "  %6d %10d %16lld %9lld %10.2f %% %10.2f %% %10.2f %% (%.0f times)\n", t->bodies, t->primitives,
                (long long)t->vertices, (long long)t->missed, 100 * t->deformation, 100 * t->deformation_max,
                100 * t->displacement, t->deformation > 0 ? t->displacement / t->deformation : 0);
        if (t->missed > 0) fprintf(out, "         the worst is outside by %.2g %%\n", 100 * t->worst);
    }
    if (!w->first) fprintf(out, "  no elastic bodies\n");
}
