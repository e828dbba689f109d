// See picture.h.
#include "render/picture.h"
#include "base/math/vec.h"
#include "formats/atomic_file.h"
#include "formats/glb_write.h"
#include "render/png.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A frame with all joints at rest.
static bool rest_frame(const view_model *model, view_frame *out) {
    if (!view_frame_alloc(out, model)) return false;
    for (int b = 0; b < model->body_count; b++) {
        const view_mesh *mesh = &model->meshes[model->bodies[b].mesh];
        for (int k = 0; k < mesh->joint_count; k++) out->poses[model->bodies[b].first + k] = mesh->rest[k];
    }
    return true;
}

typedef struct {
    const view_model *picture;
    const view_spool *frames;
    const char *title;
} titled_picture;

static bool write_glb(FILE *out, const void *what, tool_error *error) {
    const titled_picture *of = what;
    return glb_write(out, of->picture, of->frames, of->title, GLB_TOLERANCE, false, error);
}

bool picture_write_glb(const char *name, const view_model *picture, const char *title, tool_error *error) {
    view_frame frame = {0};
    view_spool *frames = view_spool_create(picture, name);
    bool good = frames && rest_frame(picture, &frame) && view_spool_write(frames, &frame);
    if (!good) tool_error_set(error, "cannot write %s: %s", name, strerror(errno));
    const titled_picture of = {picture, frames, title};
    good = good && atomic_file_write(name, write_glb, &of, error);
    view_frame_free(&frame);
    view_spool_free(frames);
    return good;
}

typedef struct {
    const unsigned char *pixels;
    int width, height;
} pixel_picture;

static bool write_png(FILE *out, const void *what, tool_error *error) {
    const pixel_picture *of = what;
    return png_write(out, of->pixels, of->width, of->height) || tool_error_out_of_memory(error);
}

bool picture_write_png(const char *name, const view_model *picture, const render_settings *settings,
                       tool_error *error) {
    view_frame frame;
    render_extent extent = {.any = false};
    if (!rest_frame(picture, &frame)) return tool_error_out_of_memory(error);
    render_extent_add(&extent, picture, &frame);
    renderer *r = renderer_new(picture, &extent, settings, error);
    const pixel_picture of = {r ? renderer_draw(r, &frame, error) : NULL, settings->width, settings->height};
    const bool good = of.pixels && atomic_file_write(name, write_png, &of, error);
    renderer_free(r);
    view_frame_free(&frame);
    return good;
}

render_camera picture_camera(const view_model *picture, int width,
                             int height) { // from slightly above and to the side
    return picture_camera_from(picture, sn_v3((sn_real)0.12, (sn_real)0.28, 1), 26, width, height);
}

render_camera picture_camera_from(const view_model *picture, sn_vec3 direction, double degrees, int width, int height) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int b = 0; b < picture->body_count; b++) {
        const sn_mesh *mesh = &picture->meshes[picture->bodies[b].mesh].mesh;
        for (int v = 0; v < mesh->vertex_count; v++)
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], (double)mesh->position[v][k]);
                high[k] = fmax(high[k], (double)mesh->position[v][k]);
            }
    }
    const sn_vec3 centre = sn_v3((sn_real)(0.5 * (low[0] + high[0])), (sn_real)(0.5 * (low[1] + high[1])),
                                 (sn_real)(0.5 * (low[2] + high[2])));
    // Every corner of the box must be in view.
    const sn_vec3 back = sn_normalize(direction, sn_v3(0, 0, 1));
    const sn_vec3 right = sn_normalize(sn_cross(sn_v3(0, 1, 0), back), sn_v3(1, 0, 0)), up = sn_cross(back, right);
    const double tan_y = tan(degrees * 3.141592653589793 / 360), tan_x = tan_y * width / height;
    double distance = 0;
    for (int corner = 0; corner < 8; corner++) {
        const sn_vec3 at = sn_v3((sn_real)(corner & 1 ? high[0] : low[0]), (sn_real)(corner & 2 ? high[1] : low[1]),
                                 (sn_real)(corner & 4 ? high[2] : low[2]));
        const sn_vec3 d = sn_sub(at, centre);
        const double forward = (double)sn_dot(d, back);
        distance = fmax(distance, forward + fabs((double)sn_dot(d, right)) / tan_x);
        distance = fmax(distance, forward + fabs((double)sn_dot(d, up)) / tan_y);
    }
    return (render_camera){sn_mul_add(centre, (sn_real)(1.04 * distance), back), centre, sn_v3(0, 1, 0), degrees};
}
