// Path tracing with one bounce. The light at a point comes from the sun, unless blocked, and from the sky or the
// surface in a random direction:
//
//     pixel = mean over samples of  colour * (sun * cos + light from a random direction)  +  specular
//
// The samples of a pixel form a rank-1 lattice (multiples of irrational numbers), shifted per pixel so that neighbours
// never repeat each other; few samples then suffice for the filter in denoise.c. Light and colour are stored separately
// until the light is filtered. Pixels are independent, so the picture does not depend on the number of threads.
#include "render/render.h"
#include "base/math/vec.h"
#include "base/platform.h"
#include "render/denoise.h"
#include "render/style.h"
#include "render/tracer.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAND = 8, PASSES = 4, DIMENSIONS = 6 };

// A pixel's colour, and what is not filtered: specular light, haze and background.
typedef struct {
    float colour[3], extra[3];
} unfiltered_pixel;

struct renderer {
    const view_model *model;
    render_settings settings;
    tracer *rays;
    render_style style;
    sn_vec3 forward, right, up; // camera axes; right and up have half the picture's size at distance 1
    float footprint;            // size of a pixel at distance 1
    denoise_pixel *pixels, *filtered;
    unfiltered_pixel *unfiltered;
    unsigned char *bytes;
};

// ---- samples

// Multiples of the powers of the root of x^7 = x + 1 fill six dimensions evenly.
static const double lattice[DIMENSIONS] = {0.8986537126286993, 0.8075784952213448, 0.7257334129697598,
                                           0.6521830259439717, 0.5860866975779107, 0.5266889867007359};

static float fraction(double x) {
    float f = (float)(x - (double)(int)x); // x is not negative
    return f < 1 ? f : 0;
}

// The shift of a pixel: interleaved gradient noise, different in every dimension.
static double pixel_shift(int x, int y, int dimension) {
    double px = x + 5.588238 * dimension * 37, py = y + 5.588238 * dimension * 17;
    double inner = 0.06711056 * px + 0.00583715 * py;
    double v = 52.9829189 * (inner - floor(inner));
    return v - floor(v);
}

static void pixel_shifts(int x, int y, double out[DIMENSIONS]) {
    for (int d = 0; d < DIMENSIONS; d++) out[d] = pixel_shift(x, y, d);
}

static void sample_random(const double shifts[DIMENSIONS], int sample, float out[DIMENSIONS]) {
    for (int d = 0; d < DIMENSIONS; d++) out[d] = fraction(shifts[d] + (sample + 0.5) * lattice[d]);
}

// ---- light

static sn_vec3 times(sn_vec3 a, sn_vec3 b) {
    return sn_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

// A cosine-weighted random direction around a normal.
static sn_vec3 around(sn_vec3 normal, float u, float v) {
    sn_vec3 x = sn_perpendicular(normal), y = sn_cross(normal, x);
    float r = sn_sqrt(u), angle = 2 * SN_PI * v;
    sn_vec3 flat = sn_add(sn_mul(r * cosf(angle), x), sn_mul(r * sinf(angle), y));
    return sn_normalize(sn_mul_add(flat, sn_sqrt(1 - u), normal), normal);
}

// Approximate light reflected by a surface hit by a bounced ray, taken as half in shadow.
static sn_vec3 bounced(const renderer *r, sn_vec3 normal, sn_vec3 colour) {
    float facing = sn_max(sn_dot(normal, r->style.to_sun), 0);
    sn_vec3 light = sn_add(sn_v3(0.36f, 0.37f, 0.40f), sn_mul(0.45f * facing, style_sun_light()));
    return times(colour, light);
}

static sn_vec3 light_from(const renderer *r, sn_vec3 from, sn_vec3 direction) {
    tracer_hit hit;
    if (tracer_first(r->rays, from, direction, 4 * r->style.size, &hit)) return bounced(r, hit.normal, hit.colour);
    float ground = style_ground_distance(&r->style, from, direction);
    if (ground < 0) return style_sky(direction);
    return sn_mul(0.9f, bounced(r, r->style.normal, style_ground_plain()));
}

static float fifth_power(float x) {
    return x * x * x * x * x;
}

// Specular light: GGX for the sun, and a rim that reflects the sky.
static sn_vec3 shine(const renderer *r, const tracer_hit *hit, sn_vec3 to_eye, float lit) {
    const float rough = 0.34f, a = rough * rough, normal_light = 0.045f;
    float nv = sn_max(sn_dot(hit->normal, to_eye), 0.03f), nl = sn_max(sn_dot(hit->normal, r->style.to_sun), 0);
    sn_vec3 half = sn_normalize(sn_add(to_eye, r->style.to_sun), hit->normal);
    float nh = sn_max(sn_dot(hit->normal, half), 0), vh = sn_max(sn_dot(to_eye, half), 0);
    float d = nh * nh * (a * a - 1) + 1, ggx = a * a / (SN_PI * d * d);
    float masking = 0.5f / (nl * (nv * (1 - a) + a) + nv * (nl * (1 - a) + a) + 1e-4f);
    float grazing = fifth_power(1 - vh), rim = fifth_power(1 - nv);
    float strength = (normal_light + (1 - normal_light) * grazing) * ggx * masking * nl * lit;
    sn_vec3 mirrored = sn_sub(sn_mul(2 * nv, hit->normal), to_eye);
    sn_vec3 sky = sn_mul(0.55f * (normal_light + 0.5f * rim), style_sky(mirrored));
    return sn_add(sn_mul(SN_PI * strength, style_sun_light()), sky);
}

typedef struct {
    sn_vec3 light, colour, extra, point, normal;
    float distance, lit;
    bool surface;
} sample_result;

// Whether two samples of a pixel are on the same smooth surface, so that they can share their light.
static bool same_surface(const renderer *r, const sample_result *before, const tracer_hit *hit) {
    float offset = sn_abs(sn_dot(sn_sub(before->point, hit->point), hit->normal));
    return before->surface && sn_dot(before->normal, hit->normal) > 0.96f && offset < r->footprint * hit->distance;
}

// 'before' is a sample of the same pixel whose light may be reused, or null.
static sample_result trace_sample(const renderer *r, sn_vec3 direction, const float *random,
                                  const sample_result *before) {
    sn_vec3 eye = r->settings.camera.eye;
    tracer_hit hit;
    sample_result out = {.extra = style_background(direction)};
    float ground = style_ground_distance(&r->style, eye, direction);
    bool body = tracer_first(r->rays, eye, direction, ground > 0 ? ground : INFINITY, &hit);
    if (!body && ground < 0) return out;
    if (!body) {
        hit.point = sn_mul_add(eye, ground, direction);
        hit.normal = hit.flat = r->style.normal;
        hit.distance = ground;
        float slant = sn_max(-sn_dot(direction, hit.normal), 0.02f);
        hit.colour = style_ground_colour(&r->style, hit.point, r->footprint * ground / slant);
    }
    float clear = body ? 1 : style_visibility(&r->style, hit.point);
    if (clear < 0.004f) return out;
    out.extra = sn_mul(1 - clear, out.extra);
    if (before && same_surface(r, before, &hit)) {
        out.light = before->light;
        out.lit = before->lit;
    } else {
        sn_vec3 from = sn_mul_add(hit.point, 1e-4f * hit.distance, hit.flat);
        sn_vec3 to_sun = style_sun_direction(&r->style, random[2], random[3]);
        float facing = sn_dot(hit.normal, to_sun);
        if (facing > 0 && sn_dot(hit.flat, to_sun) > 0) {
            out.lit = !tracer_blocked(r->rays, from, to_sun, 20 * r->style.size);
        }
        sn_vec3 to_sky = around(hit.normal, random[4], random[5]);
        if (sn_dot(to_sky, hit.flat) <= 0) to_sky = sn_mul_add(to_sky, -2 * sn_dot(to_sky, hit.flat), hit.flat);
        out.light = sn_mul_add(light_from(r, from, to_sky), out.lit * sn_max(facing, 0), style_sun_light());
    }
    out.colour = sn_mul(clear, hit.colour);
    if (body) out.extra = sn_add(out.extra, shine(r, &hit, sn_mul(-1, direction), out.lit));
    out.point = hit.point;
    out.normal = hit.normal;
    out.distance = hit.distance;
    out.surface = true;
    return out;
}

static void add(float to[3], sn_vec3 v) {
    to[0] += v.x, to[1] += v.y, to[2] += v.z;
}

static void draw_pixel(const renderer *r, int x, int y) {
    const render_settings *s = &r->settings;
    float all[3] = {0}, point[3] = {0}, normal[3] = {0}, distance = 0, sum = 0, squares = 0;
    int surfaces = 0;
    sample_result before = {.surface = false};
    unfiltered_pixel unfiltered = {{0}, {0}};
    double shifts[DIMENSIONS];
    pixel_shifts(x, y, shifts);
    for (int i = 0; i < s->samples; i++) {
        float random[DIMENSIONS];
        sample_random(shifts, i, random);
        float px = 2 * ((float)x + random[0]) / (float)s->width - 1,
              py = 1 - 2 * ((float)y + random[1]) / (float)s->height;
        sn_vec3 direction = sn_mul_add(sn_mul_add(r->forward, px, r->right), py, r->up);
        // Edges need more samples than light: every second sample reuses the light of the previous one.
        sample_result got = trace_sample(r, sn_normalize(direction, r->forward), random, i % 2 ? &before : NULL);
        before = got;
        add(unfiltered.extra, got.extra);
        if (!got.surface) continue;
        surfaces++;
        add(unfiltered.colour, got.colour);
        add(all, times(got.colour, got.light));
        add(point, got.point);
        add(normal, got.normal);
        distance += got.distance;
        float bright = 0.25f * got.light.x + 0.5f * got.light.y + 0.25f * got.light.z;
        sum += bright;
        squares += bright * bright;
    }
    denoise_pixel *pixel = &r->pixels[y * s->width + x];
    *pixel = (denoise_pixel){.distance = 0};
    float n = (float)s->samples, m = (float)surfaces;
    for (int k = 0; k < 3; k++) {
        unfiltered.colour[k] /= n;
        unfiltered.extra[k] /= n;
        if (!surfaces) continue;
        pixel->light[k] = unfiltered.colour[k] > 0 ? all[k] / n / unfiltered.colour[k] : 0;
        pixel->position[k] = point[k] / m;
    }
    r->unfiltered[y * s->width + x] = unfiltered;
    if (!surfaces) return;
    sn_vec3 mean = sn_normalize(sn_v3(normal[0], normal[1], normal[2]), sn_mul(-1, r->forward));
    pixel->normal[0] = mean.x, pixel->normal[1] = mean.y, pixel->normal[2] = mean.z;
    pixel->distance = distance / m;
    // With few samples their variance is unreliable, so a fraction of the light itself is used as a lower bound.
    float variance = sn_max(squares / m - sum / m * (sum / m), 0);
    pixel->variance = sn_max(variance, surfaces < 4 ? 0.15f * sum / m : 0) * 2 / m;
}

static void tone_map_row(const renderer *r, const denoise_pixel *from, int y) {
    for (int x = 0; x < r->settings.width; x++) {
        size_t i = (size_t)y * (size_t)r->settings.width + (size_t)x;
        float light[3];
        for (int k = 0; k < 3; k++)
            light[k] = r->unfiltered[i].colour[k] * from[i].light[k] + r->unfiltered[i].extra[k];
        style_tone_map(light, r->bytes + 3 * i);
    }
}

// ---- threads
// Each takes the next band of rows.

typedef struct {
    renderer *r;
    int stage; // 0: samples; 1 to PASSES: filter passes; then tone mapping
    atomic_int next;
} row_work;

static void work_rows(row_work *work, int first, int last) {
    renderer *r = work->r;
    const render_settings *s = &r->settings;
    bool swapped = work->stage % 2 == 0;
    denoise_pixel *in = swapped ? r->filtered : r->pixels, *out = swapped ? r->pixels : r->filtered;
    if (work->stage > 0 && work->stage <= PASSES) {
        denoise_pass(in, out, s->width, s->height, first, last, 1 << (work->stage - 1), r->footprint);
        return;
    }
    for (int y = first; y < last; y++) {
        if (work->stage > 0) tone_map_row(r, PASSES % 2 ? r->filtered : r->pixels, y);
        for (int x = 0; x < s->width && work->stage == 0; x++) draw_pixel(r, x, y);
    }
}

static void work_thread(void *argument) {
    row_work *work = argument;
    int height = work->r->settings.height;
    for (;;) {
        int first = BAND * atomic_fetch_add(&work->next, 1);
        if (first >= height) return;
        work_rows(work, first, first + BAND < height ? first + BAND : height);
    }
}

static void run_stage(renderer *r, int stage) {
    enum { MAX_THREADS = 64 };
    row_work work = {.r = r, .stage = stage};
    sn_thread threads[MAX_THREADS];
    int started = 0;
    for (int i = 1; i < r->settings.threads && i < MAX_THREADS; i++) {
        if (sn_thread_start(&threads[started], work_thread, &work)) started++;
    }
    work_thread(&work);
    for (int i = 0; i < started; i++) sn_thread_join(&threads[i]);
}

const unsigned char *renderer_draw(renderer *r, const view_frame *frame, tool_error *error) {
    if (!tracer_set_frame(r->rays, frame, error)) return NULL;
    for (int stage = 0; stage <= PASSES + 1; stage++) run_stage(r, stage);
    return r->bytes;
}

// ---- set-up

static void include(render_extent *box, sn_vec3 p, float radius) {
    const sn_vec3 a = box->low, b = box->high;
    box->low = box->any ? sn_v3(sn_min(a.x, p.x), sn_min(a.y, p.y), sn_min(a.z, p.z)) : p;
    box->high = box->any ? sn_v3(sn_max(b.x, p.x), sn_max(b.y, p.y), sn_max(b.z, p.z)) : p;
    box->lowest = box->any ? sn_min(box->lowest, p.y - radius) : p.y - radius;
    box->any = true;
}

void render_extent_add(render_extent *extent, const view_model *model, const view_frame *frame) {
    for (int b = 0; b < model->body_count; b++) {
        const view_mesh *mesh = &model->meshes[model->bodies[b].mesh];
        for (int k = 0; k < mesh->joint_count; k++) {
            const joint_pose *pose = &frame->poses[model->bodies[b].first + k];
            include(extent, pose->position, mesh->radii ? mesh->radii[k] * joint_pose_scale(pose) : 0);
        }
    }
    for (int v = 0; v < model->vertex_count; v++)
        include(extent, sn_v3(frame->vertices[v][0], frame->vertices[v][1], frame->vertices[v][2]), 0);
}

static void set_view(renderer *r, const render_extent *extent) {
    const render_settings *s = &r->settings;
    const render_camera *c = &s->camera;
    float half = tanf((float)c->degrees * SN_PI / 360), size = sn_length(sn_sub(extent->high, extent->low)) / 2;
    const sn_vec3 centre = sn_lerp(extent->low, extent->high, 0.5f);
    if (!(size > 0)) size = 1;
    r->forward = sn_normalize(sn_sub(c->target, c->eye), sn_v3(0, 0, -1));
    sn_vec3 right = sn_normalize(sn_cross(r->forward, c->up), sn_perpendicular(r->forward));
    r->right = sn_mul(half * (float)s->width / (float)s->height, right);
    r->up = sn_mul(half, sn_cross(right, r->forward));
    r->footprint = 2 * half / (float)s->height;
    r->style = style_make(centre, size, right, r->forward);
    // The first plane is the ground. Without planes the ground lies slightly below everything, unless the camera does
    // too.
    sn_vec3 below = sn_v3(centre.x, extent->lowest - 0.15f * size, centre.z);
    if (r->model->plane_count) {
        style_set_ground(&r->style, r->model->planes[0].point, r->model->planes[0].normal);
    } else if (c->eye.y > below.y + 0.02f * size) {
        style_set_ground(&r->style, below, sn_v3(0, 1, 0));
    }
}

renderer *renderer_new(const view_model *model, const render_extent *extent, const render_settings *settings,
                       tool_error *error) {
    renderer *r = calloc(1, sizeof *r);
    size_t pixels = (size_t)settings->width * (size_t)settings->height;
    if (r) {
        r->model = model;
        r->settings = *settings;
        r->pixels = calloc(pixels, sizeof *r->pixels);
        r->filtered = calloc(pixels, sizeof *r->filtered);
        r->unfiltered = calloc(pixels, sizeof *r->unfiltered);
        r->bytes = calloc(pixels, 3);
    }
    if (!r || !r->pixels || !r->filtered || !r->unfiltered || !r->bytes) {
        tool_error_out_of_memory(error);
        renderer_free(r);
        return NULL;
    }
    r->rays = tracer_new(model, settings->threads, error);
    if (!r->rays) {
        renderer_free(r);
        return NULL;
    }
    set_view(r, extent);
    return r;
}

void renderer_free(renderer *r) {
    if (!r) return;
    tracer_free(r->rays);
    free(r->pixels);
    free(r->filtered);
    free(r->unfiltered);
    free(r->bytes);
    free(r);
}
