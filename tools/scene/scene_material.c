// A material starts from a preset, whose stiffnesses "young" scales, or from Young's modulus and Poisson's ratio. Other
// keys replace single fields.
#include "scene/scene_material.h"
#include "formats/quote.h"
#include <string.h>

static bool find_preset(const char *name, sn_preset *out) {
    for (int i = 0; i < SN_PRESET_COUNT; i++) {
        if (strcmp(sn_preset_name((sn_preset)i), name) == 0) {
            *out = (sn_preset)i;
            return true;
        }
    }
    return false;
}

static const material_spec *find_named(const sn_scene *scene, const char *name) {
    const material_spec *materials = scene->spec.materials.items;
    for (int i = 0; i < scene->spec.materials.count; i++) {
        if (strcmp(materials[i].head.key, name) == 0) return &materials[i];
    }
    return NULL;
}

// The closest name, among the file's materials too if `named`.
static const char *nearest(const sn_scene *scene, const char *name, bool named) {
    if (error_list_full(&scene->errors)) return NULL;
    int best = suggest_reach(name);
    const char *near = NULL;
    const material_spec *materials = scene->spec.materials.items;
    for (int i = 0; named && i < scene->spec.materials.count; i++) {
        if (suggest_nearer(name, materials[i].head.key, &best)) near = materials[i].head.key;
    }
    for (int i = 0; i < SN_PRESET_COUNT; i++) {
        if (suggest_nearer(name, sn_preset_name((sn_preset)i), &best)) near = sn_preset_name((sn_preset)i);
    }
    return near;
}

static void unknown_name(sn_scene *scene, const char *name, bool named, const json_path *path) {
    char quoted[QUOTE_SIZE], near_quoted[QUOTE_SIZE];
    const char *near = nearest(scene, name, named);
    quote(name, quoted);
    const char *what = named ? "no material or preset" : "no preset";
    if (near) {
        error_at(&scene->errors, path, "%s is called %s; did you mean %s?", what, quoted, quote(near, near_quoted));
    } else {
        error_at(&scene->errors, path, "%s is called %s", what, quoted);
    }
}

void scene_materials_check(sn_scene *scene) {
    const material_spec *materials = scene->spec.materials.items;
    for (int i = 0; i < scene->spec.materials.count; i++) {
        const material_spec *material = &materials[i];
        json_path list = {NULL, "materials", 0}, path = {&list, material->head.key, 0}, at = {&path, "preset", 0};
        sn_preset preset;
        if (material->head.bad) continue;
        if (!material->preset && !fields_has(material, "young")) {
            error_at(&scene->errors, &path, "needs \"young\" or \"preset\"");
        } else if (material->preset && !find_preset(material->preset, &preset)) {
            unknown_name(scene, material->preset, false, &at);
        }
    }
}

bool scene_material_check(sn_scene *scene, const char *name, const json_path *path) {
    sn_preset preset;
    if (!name || find_named(scene, name) || find_preset(name, &preset)) return true;
    unknown_name(scene, name, true, path);
    return false;
}

static sn_material scaled(sn_material material, double young) {
    double by = young / (double)material.young;
    material.young = (sn_real)young;
    material.shear = (sn_real)(by * (double)material.shear);
    material.transverse = (sn_real)(by * (double)material.transverse);
    material.volume = (sn_real)(by * (double)material.volume);
    material.scale_bend = (sn_real)(by * (double)material.scale_bend);
    return material;
}

static sn_material starting_material(const material_spec *spec) {
    sn_preset preset;
    double poisson = fields_has(spec, "poisson") ? spec->poisson : 0.49;
    double density = fields_has(spec, "density") ? spec->density : 1000;
    if (!spec->preset || !find_preset(spec->preset, &preset)) {
        return sn_material_make((sn_real)spec->young, (sn_real)poisson, (sn_real)density);
    }
    sn_material material = sn_material_preset(preset);
    double young = fields_has(spec, "young") ? spec->young : (double)material.young;
    if (!fields_has(spec, "poisson")) return scaled(material, young);
    sn_material made = sn_material_make((sn_real)young, (sn_real)poisson, material.density);
    made.damping = material.damping;
    return made;
}

sn_material scene_material(const sn_scene *scene, const char *name) {
    sn_preset preset = SN_PRESET_RUBBER;
    const material_spec *spec = name ? find_named(scene, name) : NULL;
    if (!spec) {
        if (name) find_preset(name, &preset);
        return sn_material_preset(preset);
    }
    sn_material material = starting_material(spec);
    const struct {
        const char *key;
        double value;
        sn_real *out;
    } given[] = {
        {"density", spec->density, &material.density},          {"shear", spec->shear, &material.shear},
        {"transverse", spec->transverse, &material.transverse}, {"volume", spec->volume, &material.volume},
        {"scale_bend", spec->scale_bend, &material.scale_bend}, {"damping", spec->damping, &material.damping},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (fields_has(spec, given[i].key)) *given[i].out = (sn_real)given[i].value;
    }
    if (fields_has(spec, "volume_in_bend")) material.volume_in_bend = spec->volume_in_bend;
    return material;
}
