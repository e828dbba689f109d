// sinew zoo: writes a procedural model.
#include "command.h"
#include "formats/atomic_file.h"
#include "formats/body_glb.h"
#include "formats/quote.h"
#include "mesh_files.h"
#include "messages.h"
#include "options.h"
#include "zoo/body.h"
#include "zoo/bones.h"
#include "zoo/damage.h"
#include "zoo/muscles.h"
#include "zoo/octopus.h"
#include "zoo/surfaces.h"
#include "zoo/tube.h"
#include <stdio.h>
#include <string.h>

// The creature with one kind of damage, "dirty-holes" and so on, and with all kinds, "dirty".
#define DIRTY "dirty"

enum {
    ROUND_MODELS = 4,
    MAX_MODELS =
        ROUND_MODELS + ZOO_SURFACE_KINDS + ZOO_MUSCLE_KINDS + ZOO_BONE_KINDS + ZOO_BODY_KINDS + ZOO_DAMAGE_KINDS
};

typedef struct {
    char name[MAX_MODELS][24];
    const char *list[MAX_MODELS + 1]; // of the names; null-terminated
} model_names;

static void list_models(model_names *names) {
    static const char *const round[ROUND_MODELS] = {"octopus", "band", "muscle", "cylinder"};
    int count = 0;
    for (int i = 0; i < ROUND_MODELS; i++) snprintf(names->name[count++], sizeof *names->name, "%s", round[i]);
    for (int i = 0; i < ZOO_SURFACE_KINDS; i++)
        snprintf(names->name[count++], sizeof *names->name, "%s", zoo_surface_name(i));
    for (int i = 0; i < ZOO_MUSCLE_KINDS; i++)
        snprintf(names->name[count++], sizeof *names->name, "%s", zoo_muscle_name(i));
    for (int i = 0; i < ZOO_BONE_KINDS; i++)
        snprintf(names->name[count++], sizeof *names->name, "%s", zoo_bone_name(i));
    for (int i = 0; i < ZOO_BODY_KINDS; i++)
        snprintf(names->name[count++], sizeof *names->name, "%s", zoo_body_name(i));
    for (int i = 0; i < ZOO_DAMAGE_KINDS; i++) {
        if (i == ZOO_EVERYTHING)
            snprintf(names->name[count++], sizeof *names->name, DIRTY);
        else
            snprintf(names->name[count++], sizeof *names->name, DIRTY "-%s", zoo_damage_name(i));
    }
    for (int i = 0; i < count; i++) names->list[i] = names->name[i];
    names->list[count] = NULL;
}

// The kind of a model. Those with a surface have any resolution.
typedef struct {
    int surface; // a zoo_surface_kind, -1: none
    int damage;  // a zoo_damage_kind, -1: none
    int muscle;  // a zoo_muscle_kind, -1: none
    int bone;    // a zoo_bone_kind, -1: none
    int body;    // a zoo_body_kind, -1: none
} model_kind;

static model_kind find_kind(const char *name) {
    model_kind kind = {-1, -1, -1, -1, zoo_body_find(name)};
    for (int i = 0; i < ZOO_SURFACE_KINDS; i++)
        if (strcmp(name, zoo_surface_name(i)) == 0) kind.surface = i;
    for (int i = 0; i < ZOO_MUSCLE_KINDS; i++)
        if (strcmp(name, zoo_muscle_name(i)) == 0) kind.muscle = i;
    for (int i = 0; i < ZOO_BONE_KINDS; i++)
        if (strcmp(name, zoo_bone_name(i)) == 0) kind.bone = i;
    if (strncmp(name, DIRTY, strlen(DIRTY)) != 0) return kind;
    kind = (model_kind){ZOO_CREATURE, ZOO_EVERYTHING, -1, -1, -1};
    const char *rest = name + strlen(DIRTY);
    for (int i = 0; i < ZOO_DAMAGE_KINDS && *rest == '-'; i++)
        if (strcmp(rest + 1, zoo_damage_name(i)) == 0) kind.damage = i;
    return kind;
}

static bool make(const char *name, int triangles, sn_mesh *mesh) {
    const model_kind kind = find_kind(name);
    if (kind.surface >= 0) {
        if (!zoo_surface((zoo_surface_kind)kind.surface, triangles, mesh)) return false;
        if (kind.damage < 0 || zoo_damage(mesh, (zoo_damage_kind)kind.damage, 1)) return true;
        sn_mesh_free(mesh);
        return false;
    }
    if (kind.muscle >= 0) return zoo_muscle((zoo_muscle_kind)kind.muscle, triangles, mesh);
    if (kind.bone >= 0) return zoo_bone((zoo_bone_kind)kind.bone, triangles, mesh);
    if (kind.body >= 0) {
        zoo_body body;
        if (!zoo_body_make((zoo_body_kind)kind.body, triangles / 2, &body)) return false;
        *mesh = body.mesh; // which is all that an .obj can hold
        body.mesh = (sn_mesh){0};
        zoo_body_free(&body);
        return true;
    }
    if (strcmp(name, "octopus") == 0) {
        zoo_octopus octopus = zoo_octopus_default();
        return zoo_octopus_skin(&octopus, mesh);
    }
    zoo_tube tube = zoo_tube_default(strcmp(name, "band") == 0     ? ZOO_BAND
                                     : strcmp(name, "muscle") == 0 ? ZOO_MUSCLE
                                                                   : ZOO_CYLINDER);
    return zoo_tube_skin(&tube, mesh);
}

static bool known(const model_names *names, const char *name) {
    for (int i = 0; names->list[i]; i++) {
        if (strcmp(name, names->list[i]) == 0) return true;
    }
    return false;
}

static int unknown(const model_names *names, const char *name) {
    unknown_name("model", name, names->list);
    fprintf(stderr, "Models:");
    for (int i = 0; names->list[i]; i++) fprintf(stderr, "%s %s", i ? "," : "", names->list[i]);
    fprintf(stderr, ".\n");
    return EXIT_BAD_INPUT;
}

static int check_triangles(const char *name, int triangles) {
    char quoted[QUOTE_SIZE];
    const model_kind kind = find_kind(name);
    if (triangles == 0) return EXIT_DONE;
    if (kind.surface < 0 && kind.muscle < 0 && kind.bone < 0 && kind.body < 0) {
        return fail(EXIT_BAD_INPUT, "%s has a fixed number of triangles; omit --triangles", quote(name, quoted));
    }
    const int min_triangles = kind.muscle >= 0 ? ZOO_MUSCLE_MIN_TRIANGLES
                              : kind.bone >= 0 ? ZOO_BONE_MIN_TRIANGLES
                              : kind.body >= 0 ? 2 * zoo_body_min_vertices((zoo_body_kind)kind.body)
                                               : zoo_surface_min_triangles((zoo_surface_kind)kind.surface);
    const int max_triangles = kind.muscle >= 0 ? ZOO_MUSCLE_MAX_TRIANGLES
                              : kind.bone >= 0 ? ZOO_BONE_MAX_TRIANGLES
                              : kind.body >= 0 ? 2 * ZOO_BODY_MAX_VERTICES
                                               : ZOO_SURFACE_MAX_TRIANGLES;
    if (triangles > max_triangles)
        return fail(EXIT_BAD_INPUT, "--triangles of %s must be at most %d, is %d", quote(name, quoted), max_triangles,
                    triangles);
    if (triangles >= min_triangles) return EXIT_DONE;
    return fail(EXIT_BAD_INPUT, "--triangles of %s must be at least %d, is %d; reduce them with 'sinew mesh'",
                quote(name, quoted), min_triangles, triangles);
}

typedef struct {
    const zoo_body *body;
    double size;
} sized_body;

static bool write_body(FILE *out, const void *what, tool_error *error) {
    const sized_body *of = what;
    return body_write_glb(out, of->body, of->size, error);
}

// Writes a character with its skeleton and motions.
static int write_glb(const char *file, zoo_body_kind kind, int vertices, double size) {
    zoo_body body;
    tool_error error;
    if (!zoo_body_make(kind, vertices, &body)) return out_of_memory();
    const sized_body of = {&body, size};
    const bool good = atomic_file_write(file, write_body, &of, &error);
    if (good)
        printf("%s: %d vertices, %d triangles, %d bones\n", file, body.mesh.vertex_count, body.mesh.triangle_count,
               body.bone_count);
    zoo_body_free(&body);
    return good ? EXIT_DONE : fail(EXIT_RUN_FAILED, "%s", error.text);
}

int command_zoo(int count, char **arguments) {
    const char *output = NULL, *name = NULL;
    double size = 1;
    int triangles = 0;
    model_names names;
    const option options[] = {
        option_output(&output, "OUT.obj", "the file to write; .glb for characters with skeleton and motions"),
        option_number("size", &size, "S", 0, 1e6, "scale factor for all lengths, default 1"),
        option_int("triangles", &triangles, "N", 1, ZOO_SURFACE_MAX_TRIANGLES,
                   "approximate number of triangles; not for octopus, band, muscle and cylinder"),
        {.name = NULL},
    };
    const command_usage usage = {
        "zoo",
        "NAME -o OUT.obj [--size S] [--triangles N]",
        "Writes a procedural model. octopus, band, muscle, cylinder: closed surfaces with normals and texture\n"
        "coordinates, around the rods that scenes use. creature, cactus, puffer, ship, marshmallow, torus: closed\n"
        "surfaces in any resolution, for tetrahedra and medial meshes. biceps-long, biceps-short, brachialis,\n"
        "triceps, deltoid, pectoral, bipennate: muscles, painted red and blue where their fibres begin and end;\n"
        "humerus, radius, ulna, femur, tibia: bones, all in anatomical position. body, limb, elbow: characters, as\n"
        "OUT.glb with skeleton and motions (jump, run, arm-shake, biceps-curl). dirty-holes, dirty-flipped,\n"
        "dirty-crossing, dirty-islands, dirty-slivers, dirty-duplicates, dirty-crowded and dirty (all of these): the\n"
        "creature with typical defects, to test mesh repair.",
        options,
        1,
        1};
    list_models(&names);
    int argument_count, code;
    if (!options_parse(&usage, count, arguments, &name, &argument_count, &code)) return code;
    if (!known(&names, name)) return unknown(&names, name);
    if (!output) return fail(EXIT_BAD_INPUT, "missing output: use -o OUT.obj");
    const int character = zoo_body_find(name);
    const bool glb = character >= 0 && ends_with(output, ".glb");
    if (!glb) code = check_ending(output, character >= 0 && !ends_with(output, ".obj") ? ".glb or .obj" : ".obj");
    if (code == EXIT_DONE) code = check_triangles(name, triangles);
    if (code != EXIT_DONE) return code;
    if (glb) return write_glb(output, (zoo_body_kind)character, triangles / 2, size);
    sn_mesh mesh;
    if (!make(name, triangles, &mesh)) return out_of_memory();
    for (int v = 0; v < mesh.vertex_count; v++) {
        for (int k = 0; k < 3; k++) mesh.position[v][k] *= (float)size;
    }
    code = write_obj(output, &mesh);
    if (code == EXIT_DONE) printf("%s: %d vertices, %d triangles\n", output, mesh.vertex_count, mesh.triangle_count);
    sn_mesh_free(&mesh);
    return code;
}
