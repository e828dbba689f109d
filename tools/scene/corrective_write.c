// See corrective_write.h.
#include "scene/corrective_write.h"
#include "formats/atomic_file.h"
#include "formats/gltf_morph.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *input;
    const file_source *files;
    character *c;
    const corrective_bake *bake;
    sn_transform *poses;
    char (*names)[MESH_NAME_SIZE];
} writing;

// The name of the joint and a number: "forearm 1" is its most important shape.
static void name_targets(const writing *w) {
    const sn_correctives *set = &w->bake->set;
    for (int i = 0; i < set->target_count; i++) {
        int number = 1;
        for (int k = 0; k < i; k++) number += set->targets[k].joint == set->targets[i].joint;
        snprintf(w->names[i], sizeof w->names[i], "%.50s %d", w->c->bones[set->targets[i].joint].name, number);
    }
}

static bool weights_at(void *user, int clip, double seconds, float *weights, tool_error *error) {
    const writing *w = user;
    w->c->clip = clip < 0 ? NULL : &w->c->file.clip[clip];
    const bool posed = character_pose(w->c, seconds, false, w->poses, error);
    w->c->clip = NULL;
    if (!posed) return false;
    const sn_status status = sn_correctives_weights(&w->bake->set, w->poses, w->c->bone_count, weights);
    return status == SN_OK || tool_error_set(error, "a joint has no rotation at %.3f s", seconds);
}

static bool write_glb(FILE *out, const void *what, tool_error *error) {
    const writing *w = what;
    const gltf_targets targets = {&w->bake->set, (const char(*)[MESH_NAME_SIZE])w->names, weights_at,
                                  (void *)(uintptr_t)w, 30};
    return gltf_morph_write(w->input, w->files, &w->c->file, &targets, out, error);
}

static json_t *numbers(const float *values, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_real((double)values[i]));
    return list;
}

static bool write_json(FILE *out, const void *what, tool_error *error) {
    static const char *const terms[SN_CORRECTIVE_TERMS] = {"x",   "y",   "z",   "xx",  "yy",  "zz",  "xy",
                                                           "xz",  "yz",  "xxx", "yyy", "zzz", "xxy", "xxz",
                                                           "xyy", "yyz", "xzz", "yzz", "xyz"};
    const writing *w = what;
    json_t *list = json_array(), *names = json_array();
    for (int k = 0; k < SN_CORRECTIVE_TERMS; k++) json_array_append_new(names, json_string(terms[k]));
    for (int i = 0; i < w->bake->set.target_count; i++) {
        const sn_corrective_target *s = &w->bake->set.targets[i];
        json_t *target = json_object();
        json_object_set_new(target, "target", json_string(w->names[i]));
        json_object_set_new(target, "joint", json_string(w->c->bones[s->joint].name));
        json_object_set_new(target, "parent", json_string(w->c->bones[s->parent].name));
        json_object_set_new(target, "rest", numbers(s->rest, 4));
        json_object_set_new(target, "reach", json_real((double)s->reach));
        json_object_set_new(target, "coefficients", numbers(s->coefficients, SN_CORRECTIVE_TERMS));
        json_array_append_new(list, target);
    }
    json_t *all = json_object();
    json_object_set_new(all, "about",
                        json_string("weight of a target = sum of coefficients times terms; x, y, z: the vector part of "
                                    "conj(rest) conj(parent's rotation) (joint's rotation), with w >= 0, at most as "
                                    "long as reach"));
    json_object_set_new(all, "terms", names);
    json_object_set_new(all, "shapes", list);
    const bool good = json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(all);
    return good || tool_error_out_of_memory(error);
}

static bool write_bytes(const writing *w, const char *name, tool_error *error) {
    const size_t size = sn_correctives_save(&w->bake->set, NULL, 0);
    void *bytes = size ? malloc(size) : NULL;
    if (!bytes) return tool_error_out_of_memory(error);
    sn_correctives_save(&w->bake->set, bytes, size);
    const atomic_file_bytes all = {bytes, size};
    const bool good = atomic_file_write(name, atomic_file_write_bytes, &all, error);
    free(bytes);
    return good;
}

bool corrective_write(const char *input, const file_source *files, character *c, const corrective_bake *bake,
                      const char *output, char names[2][1024], tool_error *error) {
    writing w = {input, files, c, bake, NULL, NULL};
    const size_t stem = strlen(output) - strlen(".glb");
    if (stem > 900) return tool_error_set(error, "the name of the output is too long");
    snprintf(names[0], sizeof names[0], "%.*s.correctives", (int)stem, output);
    snprintf(names[1], sizeof names[1], "%.*s.correctives.json", (int)stem, output);
    w.poses = malloc((size_t)c->bone_count * sizeof *w.poses);
    w.names = malloc(((size_t)bake->set.target_count + 1) * sizeof *w.names);
    bool good = (w.poses && w.names) || tool_error_out_of_memory(error);
    if (good) name_targets(&w);
    good = good && atomic_file_write(output, write_glb, &w, error) &&
           atomic_file_write(names[1], write_json, &w, error) && write_bytes(&w, names[0], error);
    free(w.poses);
    free(w.names);
    return good;
}
