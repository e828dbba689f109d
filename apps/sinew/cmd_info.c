// sinew info: prints the contents of a scene, a mesh with its rig, or a file of tetrahedra.
#include "command.h"
#include "elastic_asset_commands.h"
#include "formats/elastic_file.h"
#include "formats/medial_file.h"
#include "formats/mesh_file.h"
#include "formats/mesh_pose.h"
#include "formats/quote.h"
#include "formats/tet_file.h"
#include "mesh/mesh_repair.h"
#include "mesh/polygon.h"
#include "mesh/self_intersection.h"
#include "mesh_files.h"
#include "messages.h"
#include "options.h"
#include "scene/scene.h"
#include "scene/scene_kinds.h"
#include "scene/scene_material.h"
#include "scene/scene_spring.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- scenes ----------------------------------------------------------------------------------------------------------

static void print_settings(const sn_scene *scene) {
    static const char *const solvers[] = {"direct", "xpbd", "jacobi"}; // as sn_solver
    const scene_spec *spec = &scene->spec;
    if (spec->title) printf("%s\n", spec->title);
    if (spec->description) printf("%s\n", spec->description);
    printf("\n%-12s %.6g s in %" PRId64 " steps of %.6g s, ", "time", spec->duration,
           scene_step_count(scene, spec->duration), spec->step);
    if (spec->substeps > 0)
        printf("%d substep%s each\n", spec->substeps, plural(spec->substeps));
    else
        printf("as many substeps as they need\n");
    printf("%-12s %s, %d iteration%s\n", "solver", solvers[spec->solver], spec->iterations, plural(spec->iterations));
    printf("%-12s %.6g %.6g %.6g m/s^2\n", "gravity", spec->gravity[0], spec->gravity[1], spec->gravity[2]);
}

static void print_materials(const sn_scene *scene) {
    const material_spec *materials = scene->spec.materials.items;
    for (int i = 0; i < scene->spec.materials.count; i++) {
        sn_material m = scene_material(scene, materials[i].head.key);
        printf("%-12s %s: density %.6g kg/m^3, young %.4g Pa, shear %.4g Pa, volume %.4g Pa\n",
               i == 0 ? "materials" : "", materials[i].head.key, (double)m.density, (double)m.young, (double)m.shear,
               (double)m.volume);
    }
}

static void print_bodies(const sn_scene *scene, const sn_world *world) {
    for (int i = 0; i < scene->spec.bodies.count; i++) {
        const scene_body *body = &scene->bodies[i];
        printf("%-12s %s: %d %s", i == 0 ? "bodies" : "", body->spec->name ? body->spec->name : "(no name)",
               body->copies, body->copies == 1 ? body->kind->table->name : body->kind->many);
        if (body->kind->tracks) printf(" of %d point%s", body->points_per_copy, plural(body->points_per_copy));
        if (body->kind->describe) {
            char text[200] = "";
            body->kind->describe(scene, world, body, text, sizeof text);
            printf(", %s%s", text, body->copies == 1 ? "" : " each");
        }
        printf("\n");
    }
    printf("%-12s %d bod%s, %" PRId64 " points, %" PRId64 " unknowns\n", "in all", scene->body_count,
           scene->body_count == 1 ? "y" : "ies", scene->point_count, sn_world_dof_count(world));
    printf("%-12s %d motions, %d loads, %d activations, %d releases\n", "in time", scene->spec.motion.count,
           scene->spec.loads.count, scene->spec.activation.count, scene->spec.release.count);
}

static json_t *scene_object(const sn_scene *scene, const sn_world *world) {
    json_t *object = json_object();
    if (scene->spec.title) json_object_set_new(object, "title", json_string(scene->spec.title));
    json_object_set_new(object, "seconds", json_real(scene->spec.duration));
    json_object_set_new(object, "step", json_real(scene->spec.step));
    json_object_set_new(object, "steps", json_integer(scene_step_count(scene, scene->spec.duration)));
    json_object_set_new(object, "bodies", json_integer(scene->body_count));
    json_object_set_new(object, "points", json_integer(scene->point_count));
    json_object_set_new(object, "dofs", json_integer(sn_world_dof_count(world)));
    return object;
}

static int print_json(json_t *object) {
    const bool good = object && json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(object);
    printf("\n");
    return good ? EXIT_DONE : fail(EXIT_RUN_FAILED, "cannot write");
}

static int scene_info(const char *file, bool json) {
    int code = EXIT_DONE;
    sn_scene *scene = scene_read(file, &disk_files);
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    sn_status status = scene ? scene_build(scene, &def, &world) : SN_ERR_MEMORY;
    if (scene) warnings_print(&scene->errors, stderr);
    if (scene && scene->errors.count > 0) {
        errors_print(&scene->errors, stderr);
        code = EXIT_BAD_INPUT;
    } else if (status != SN_OK) {
        code = fail(EXIT_RUN_FAILED, "%s: %s", file, sn_status_name(status));
    } else if (json) {
        code = print_json(scene_object(scene, world));
    } else {
        print_settings(scene);
        print_materials(scene);
        print_bodies(scene, world);
    }
    sn_world_destroy(world);
    scene_free(scene);
    return code;
}

// --- meshes ----------------------------------------------------------------------------------------------------------

enum { MAX_SHOWN = 20 }; // entries of a list; the JSON has all

// The meshes of a file (skins at rest), with a report of each and of all together.
typedef struct {
    mesh_file file;
    mesh_repair_report *report; // of each mesh
    mesh_repair_report all;
    mesh_unit unit;
    double longest;                 // side of the box
    sn_self_intersections crossing; // of all
    bool looked_for_crossing;       // not of huge meshes
    double edge;                    // mean length
} mesh_facts;

enum { MAX_CROSSING_TRIANGLES = 2000000 }; // triangles

static double mean_edge(const sn_mesh *mesh) {
    double sum = 0;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const float *a = mesh->position[mesh->triangle[i / 3][i % 3]],
                    *b = mesh->position[mesh->triangle[i / 3][(i + 1) % 3]];
        double square = 0;
        for (int k = 0; k < 3; k++) square += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
        sum += sqrt(square);
    }
    return mesh->triangle_count ? sum / (3.0 * mesh->triangle_count) : 0;
}

// Facts about the repaired surface of all meshes together.
static bool look_at_surface(const sn_mesh *repaired, mesh_facts *facts) {
    facts->edge = mean_edge(repaired);
    facts->looked_for_crossing = repaired->triangle_count <= MAX_CROSSING_TRIANGLES;
    return !facts->looked_for_crossing || sn_self_intersection_find(repaired, &facts->crossing, NULL);
}

static bool look_at_meshes(mesh_facts *facts) {
    const mesh_repair_options options = mesh_repair_options_default();
    sn_mesh whole = {0}, repaired = {0};
    facts->report = calloc((size_t)facts->file.mesh_count + 1, sizeof *facts->report);
    if (!facts->report || !mesh_show_at_rest(&facts->file)) return false;
    for (int i = 0; i < facts->file.mesh_count; i++) {
        if (!mesh_repair(&facts->file.mesh[i].mesh, &options, &repaired, NULL, &facts->report[i])) return false;
        const bool looked = facts->file.mesh_count > 1 || look_at_surface(&repaired, facts);
        sn_mesh_free(&repaired);
        if (!looked) return false;
    }
    if (facts->file.mesh_count == 1) facts->all = facts->report[0];
    const bool good = facts->file.mesh_count == 1 || (mesh_file_merge(&facts->file, &whole) &&
                                                      mesh_repair(&whole, &options, &repaired, NULL, &facts->all) &&
                                                      look_at_surface(&repaired, facts));
    sn_mesh_free(&whole);
    sn_mesh_free(&repaired);
    for (int k = 0; k < 3 && good; k++) {
        const double side = (double)facts->all.high[k] - facts->all.low[k];
        if (side > facts->longest) facts->longest = side;
    }
    facts->unit = facts->file.format == MESH_GLTF ? (mesh_unit){"metres", 1}
                                                  : mesh_unit_guess(facts->longest, facts->file.format == MESH_STL);
    return good;
}

static void print_bytes(size_t bytes) {
    if (bytes < 10000)
        printf("%zu bytes\n", bytes);
    else if (bytes < 10000000)
        printf("%.0f kB\n", (double)bytes / 1e3);
    else
        printf("%.1f MB\n", (double)bytes / 1e6);
}

static void print_shape(const mesh_facts *facts) {
    const mesh_repair_report *r = &facts->all;
    const sn_self_intersections *crossing = &facts->crossing;
    tool_error error;
    printf("%-12s %d vert%s, %d triangle%s, %d piece%s\n", "surface", r->vertices, r->vertices == 1 ? "ex" : "ices",
           r->triangles, plural(r->triangles), r->components, plural(r->components));
    if (mesh_is_solid(r, &error))
        printf("%-12s closed, volume %.6g", "", r->volume);
    else
        printf("%-12s not a solid: %s", "", error.text);
    if (r->cavities) printf(", %d cavit%s", r->cavities, r->cavities == 1 ? "y" : "ies");
    printf("\n%-12s area %.6g\n", "", r->area);
    if (r->holes)
        printf("%-12s %d, %.4g around the longest, %.4g around all\n", "holes", r->holes, r->longest_hole,
               r->boundary_length);
    if (r->non_manifold_edges)
        printf("%-12s %d edge%s of three triangles or more\n", "", r->non_manifold_edges,
               plural(r->non_manifold_edges));
    if (r->inconsistent_edges)
        printf("%-12s %d edge%s with inconsistently oriented triangles\n", "", r->inconsistent_edges,
               plural(r->inconsistent_edges));
    if (r->non_manifold_vertices)
        printf("%-12s %d vert%s where surfaces meet in a point\n", "", r->non_manifold_vertices,
               r->non_manifold_vertices == 1 ? "ex" : "ices");
    if (r->zero_area_triangles)
        printf("%-12s %d triangle%s without area\n", "", r->zero_area_triangles, plural(r->zero_area_triangles));
    if (crossing->pairs)
        printf("%-12s intersects itself: %s%lld pair%s of triangles, %d triangle%s\n", "",
               crossing->complete ? "" : "more than ", crossing->pairs, crossing->pairs == 1 ? "" : "s",
               crossing->triangles, plural(crossing->triangles));
    if (!facts->looked_for_crossing) printf("%-12s too large to test for self-intersection\n", "");
}

// Commands that fix the problems.
static void print_help_for(const char *name, const mesh_facts *facts) {
    const mesh_repair_report *r = &facts->all;
    const char *label = "help";
    char out[24] = "mended.obj";
    if (r->triangles == 0) return;
    const bool holes_only = r->holes && !r->non_manifold_edges && !r->inconsistent_edges;
    if (holes_only && r->hole_edges <= POLYGON_MAX) {
        printf("%-12s holes: sinew mesh %s -o %s --fill %d\n", label, name, out, r->hole_edges);
        label = "";
    }
    if (r->zero_area_triangles) {
        printf("%-12s flat triangles: sinew mesh %s -o %s --edge %.3g\n", label, name, out, facts->edge);
        label = "";
    }
    if (r->components > 1 && r->components > 8) {
        printf("%-12s many pieces: sinew mesh %s -o %s --largest\n", label, name, out);
        label = "";
    }
    if (r->holes || r->non_manifold_edges || r->inconsistent_edges || facts->crossing.pairs)
        printf("%-12s a solid in spite of %s: sinew tet %s -o body.msh\n", label,
               r->holes                ? "its holes"
               : r->non_manifold_edges ? "its walls"
               : facts->crossing.pairs ? "its crossings"
                                       : "its one side",
               name);
}

static void print_size(const mesh_facts *facts) {
    const mesh_repair_report *r = &facts->all;
    const double to = facts->unit.metres;
    double low[3], high[3], side[3];
    for (int k = 0; k < 3; k++) low[k] = (double)r->low[k], high[k] = (double)r->high[k], side[k] = high[k] - low[k];
    print_box(low, high);
    if (facts->file.format == MESH_GLTF)
        printf("%-12s metres, as in all glTF files\n", "unit");
    else
        printf("%-12s looks like %s: %.4g x %.4g x %.4g m\n", "unit", facts->unit.name, side[0] * to, side[1] * to,
               side[2] * to);
}

static void print_more(int count) {
    if (count > MAX_SHOWN) printf("%-12s and %d more\n", "", count - MAX_SHOWN);
}

static void print_meshes(const mesh_facts *facts) {
    const mesh_file *file = &facts->file;
    const int shown = file->mesh_count < MAX_SHOWN ? file->mesh_count : MAX_SHOWN;
    char quoted[QUOTE_SIZE];
    for (int i = 0; i < shown; i++) {
        const sn_mesh *mesh = &file->mesh[i].mesh;
        printf("%-12s %s: %d vertices, %d triangle%s", i == 0 ? "meshes" : "",
               mesh->name[0] ? quote(mesh->name, quoted) : "(no name)", mesh->vertex_count, mesh->triangle_count,
               plural(mesh->triangle_count));
        if (mesh->normal) printf(", normals");
        if (mesh->uv) printf(", texture coordinates");
        if (mesh->colour) printf(", colours");
        if (file->mesh[i].skin >= 0) printf(", skin %d", file->mesh[i].skin);
        if (file->mesh_count > 1) printf(", %s", facts->report[i].closed ? "closed" : "open");
        printf("\n");
    }
    print_more(file->mesh_count);
    if (file->skipped) printf("%-12s %d lines, points or morph targets are not read\n", "", file->skipped);
}

static void print_rig(const mesh_file *file) {
    char quoted[QUOTE_SIZE];
    for (int i = 0; i < file->skin_count && i < MAX_SHOWN; i++) {
        const mesh_skin *skin = &file->skin[i];
        printf("%-12s %s: %d joint%s:", i == 0 ? "skins" : "", skin->name[0] ? quote(skin->name, quoted) : "(no name)",
               skin->joint_count, plural(skin->joint_count));
        for (int k = 0; k < skin->joint_count && k < 8; k++) {
            const char *name = file->node[skin->joint[k]].name;
            printf(" %s", name[0] ? quote(name, quoted) : "(no name)");
        }
        printf("%s\n", skin->joint_count > 8 ? " ..." : "");
    }
    print_more(file->skin_count);
    if (file->node_count) printf("%-12s %d\n", "nodes", file->node_count);
    for (int i = 0; i < file->clip_count && i < MAX_SHOWN; i++) {
        const mesh_clip *clip = &file->clip[i];
        printf("%-12s %s: %.6g s, %d channel%s\n", i == 0 ? "clips" : "",
               clip->name[0] ? quote(clip->name, quoted) : "(no name)", clip->duration, clip->channel_count,
               plural(clip->channel_count));
    }
    print_more(file->clip_count);
}

static void print_mesh_facts(const char *name, const mesh_facts *facts) {
    printf("%-12s %s: %s, ", "file", name, facts->file.words);
    print_bytes(facts->file.size);
    print_meshes(facts);
    if (facts->file.mesh_count) {
        print_shape(facts);
        print_help_for(name, facts);
        print_repair("repair", &facts->all);
        print_size(facts);
    }
    print_rig(&facts->file);
}

static json_t *report_object(const mesh_repair_report *r) {
    tool_error error;
    const bool solid = mesh_is_solid(r, &error);
    json_t *object =
        json_pack("{s:i, s:i, s:i, s:b, s:b, s:i, s:f, s:f, s:i, s:i, s:i, s:i, s:i, s:f, s:[[f,f,f],[f,f,f]]}",
                  "vertices", r->vertices, "triangles", r->triangles, "components", r->components, "closed", r->closed,
                  "solid", solid, "holes", r->holes, "longest_hole", r->longest_hole, "boundary_length",
                  r->boundary_length, "non_manifold_edges", r->non_manifold_edges, "inconsistent_edges",
                  r->inconsistent_edges, "non_manifold_vertices", r->non_manifold_vertices, "zero_area_triangles",
                  r->zero_area_triangles, "cavities", r->cavities, "area", r->area, "box", (double)r->low[0],
                  (double)r->low[1], (double)r->low[2], (double)r->high[0], (double)r->high[1], (double)r->high[2]);
    json_object_set_new(object, "volume", r->closed ? json_real(r->volume) : json_null());
    if (!solid) json_object_set_new(object, "why_not_solid", json_string(error.text));
    json_object_set_new(object, "repair",
                        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "welded", r->welded, "unused", r->unused,
                                  "degenerate", r->degenerate, "duplicate", r->duplicate, "flipped", r->flipped,
                                  "filled", r->filled));
    return object;
}

// Names of a file that are not UTF-8 become null.
static json_t *name_value(const char *name) {
    json_t *value = json_string(name);
    return value ? value : json_null();
}

static json_t *mesh_object(const char *name, const mesh_facts *facts) {
    const mesh_file *file = &facts->file;
    json_t *object = json_object(), *meshes = json_array(), *skins = json_array(), *clips = json_array();
    for (int i = 0; i < file->mesh_count; i++) {
        const sn_mesh *mesh = &file->mesh[i].mesh;
        json_t *item = report_object(&facts->report[i]);
        json_object_set_new(item, "name", name_value(mesh->name));
        json_object_set_new(item, "skin", file->mesh[i].skin < 0 ? json_null() : json_integer(file->mesh[i].skin));
        json_object_set_new(item, "found",
                            json_pack("{s:i, s:i, s:b, s:b, s:b}", "vertices", mesh->vertex_count, "triangles",
                                      mesh->triangle_count, "normals", mesh->normal != NULL, "uv", mesh->uv != NULL,
                                      "colours", mesh->colour != NULL));
        json_array_append_new(meshes, item);
    }
    for (int i = 0; i < file->skin_count; i++) {
        json_t *joints = json_array();
        for (int k = 0; k < file->skin[i].joint_count; k++)
            json_array_append_new(joints, name_value(file->node[file->skin[i].joint[k]].name));
        json_array_append_new(skins, json_pack("{s:o, s:o}", "name", name_value(file->skin[i].name), "joints", joints));
    }
    for (int i = 0; i < file->clip_count; i++)
        json_array_append_new(clips, json_pack("{s:o, s:f, s:i}", "name", name_value(file->clip[i].name), "seconds",
                                               file->clip[i].duration, "channels", file->clip[i].channel_count));
    json_object_set_new(object, "file", name_value(name));
    json_object_set_new(object, "format", json_string(file->words));
    json_object_set_new(object, "bytes", json_integer((json_int_t)file->size));
    json_object_set_new(object, "unit",
                        json_pack("{s:s, s:f, s:b}", "name", facts->unit.name, "metres", facts->unit.metres, "guessed",
                                  file->format != MESH_GLTF));
    json_object_set_new(object, "nodes", json_integer(file->node_count));
    json_object_set_new(object, "skipped", json_integer(file->skipped));
    json_t *all = report_object(&facts->all);
    json_object_set_new(all, "crossing_pairs",
                        facts->looked_for_crossing ? json_integer(facts->crossing.pairs) : json_null());
    json_object_set_new(all, "crossing_triangles",
                        facts->looked_for_crossing ? json_integer(facts->crossing.triangles) : json_null());
    json_object_set_new(object, "all", all);
    json_object_set_new(object, "meshes", meshes);
    json_object_set_new(object, "skins", skins);
    json_object_set_new(object, "clips", clips);
    return object;
}

static int mesh_info(const char *name, bool json) {
    mesh_facts facts = {0};
    int code = read_mesh_file(name, &facts.file);
    if (code != EXIT_DONE) return code;
    if (!look_at_meshes(&facts)) {
        code = out_of_memory();
    } else if (json) {
        code = print_json(mesh_object(name, &facts));
    } else {
        print_mesh_facts(name, &facts);
    }
    free(facts.report);
    mesh_file_free(&facts.file);
    return code;
}

// --- tetrahedra ------------------------------------------------------------------------------------------------------

static json_t *tet_object(const char *name, const tet_file *file, const sn_tet_report *r, int pieces,
                          const char *fault) {
    json_t *object = json_object();
    json_object_set_new(object, "file", name_value(name));
    json_object_set_new(object, "format", json_string(file->words));
    json_object_set_new(object, "bytes", json_integer((json_int_t)file->size));
    json_object_set_new(object, "vertices", json_integer(file->mesh.vertex_count));
    json_object_set_new(object, "tets", json_integer(file->mesh.tet_count));
    json_object_set_new(object, "components", json_integer(pieces));
    json_object_set_new(object, "volume", json_real(r->volume));
    json_object_set_new(object, "quality", json_pack("{s:f, s:f}", "worst", r->min_quality, "mean", r->mean_quality));
    json_object_set_new(object, "angles", json_pack("[f, f]", r->min_angle, r->max_angle));
    json_object_set_new(object, "flat", json_integer(r->inverted));
    json_object_set_new(object, "turned", json_integer(file->turned));
    json_object_set_new(object, "skipped", json_integer(file->skipped));
    json_object_set_new(
        object, "box",
        json_pack("[[f,f,f],[f,f,f]]", r->low[0], r->low[1], r->low[2], r->high[0], r->high[1], r->high[2]));
    json_object_set_new(object, "conforming", json_boolean(!fault[0]));
    if (fault[0]) json_object_set_new(object, "why_not_conforming", json_string(fault));
    return object;
}

static void print_tets(const char *name, const tet_file *file, const sn_tet_report *r, int pieces, const char *fault) {
    printf("%-12s %s: %s, ", "file", name, file->words);
    print_bytes(file->size);
    printf("%-12s %d vertices, %d tetrahedra, %d piece%s\n", "tetrahedra", file->mesh.vertex_count,
           file->mesh.tet_count, pieces, plural(pieces));
    if (fault[0]) printf("%-12s not conforming: %s\n", "", fault);
    if (r->inverted) printf("%-12s %d without volume\n", "", r->inverted);
    if (file->turned) printf("%-12s %d were inverted and were flipped\n", "", file->turned);
    if (file->skipped) printf("%-12s %d other elements are not read\n", "", file->skipped);
    printf("%-12s worst %.3g, mean %.3f (1: regular)\n", "quality", r->min_quality, r->mean_quality);
    printf("%-12s %.1f to %.1f degrees between faces\n", "angles", r->min_angle, r->max_angle);
    printf("%-12s %.6g\n", "volume", r->volume);
    print_box(r->low, r->high);
}

static int tet_info(const char *name, bool json) {
    tool_error error;
    tool_error problem = {.text = ""};
    tet_file file;
    if (!tet_read(name, &disk_files, &file, &error)) return bad_input(error.text);
    int code = EXIT_DONE, *part = malloc(((size_t)file.mesh.tet_count + 1) * sizeof *part);
    const int pieces = part ? sn_tet_mesh_components(&file.mesh, part) : -1;
    const sn_tet_report r = sn_tet_mesh_measure(&file.mesh);
    sn_tet_mesh_is_conforming(&file.mesh, &problem);
    if (pieces < 0) {
        code = out_of_memory();
    } else if (json) {
        code = print_json(tet_object(name, &file, &r, pieces, problem.text));
    } else {
        print_tets(name, &file, &r, pieces, problem.text);
    }
    free(part);
    tet_file_free(&file);
    return code;
}

// --- medial meshes ---------------------------------------------------------------------------------------------------

static void print_medial(const char *name, const sn_medial_mesh *mesh, int bodies, const double low[3],
                         const double high[3]) {
    double min = mesh->radius[0], max = mesh->radius[0];
    for (int i = 1; i < mesh->sphere_count; i++) {
        min = fmin(min, mesh->radius[i]);
        max = fmax(max, mesh->radius[i]);
    }
    printf("%-12s %s: medial mesh\n", "file", name);
    printf("%-12s %d sphere%s, %d cone%s (edges of slabs included), %d slab%s; %d bod%s\n", "mesh", mesh->sphere_count,
           plural(mesh->sphere_count), mesh->cone_count, plural(mesh->cone_count), mesh->slab_count,
           plural(mesh->slab_count), bodies, bodies == 1 ? "y" : "ies");
    printf("%-12s %.6g to %.6g\n", "radii", min, max);
    print_box(low, high);
}

static int medial_info(const char *name, bool json) {
    tool_error error;
    sn_medial_mesh mesh;
    if (!medial_file_read(name, &disk_files, &mesh, &error)) return bad_input(error.text);
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (int i = 0; i < mesh.sphere_count; i++) {
            low[k] = fmin(low[k], mesh.centre[i][k] - mesh.radius[i]);
            high[k] = fmax(high[k], mesh.centre[i][k] + mesh.radius[i]);
        }
    }
    int code = EXIT_DONE;
    const int bodies = sn_medial_mesh_components(&mesh, NULL);
    if (bodies < 0) {
        code = out_of_memory();
    } else if (json) {
        code = print_json(json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:[[f,f,f],[f,f,f]]}", "file", name_value(name),
                                    "format", "medial mesh", "spheres", mesh.sphere_count, "cones", mesh.cone_count,
                                    "slabs", mesh.slab_count, "bodies", bodies, "box", low[0], low[1], low[2], high[0],
                                    high[1], high[2]));
    } else {
        print_medial(name, &mesh, bodies, low, high);
    }
    sn_medial_mesh_free(&mesh);
    return code;
}

int command_info(int count, char **arguments) {
    bool json = false;
    const option options[] = {
        option_flag("json", &json, "print JSON"),
        {.name = NULL},
    };
    const command_usage usage = {
        "info",
        "FILE",
        "Prints the contents of a scene; or of a mesh with its rig (.obj, .ply, .stl, .off, .glb, "
        ".gltf): its size,\nwhether it is closed, repairs, skins and clips; or of "
        "tetrahedra (.msh, .mesh, .node, .ele, .vtk): their quality;\nor of a medial mesh (.ma) or a "
        "baked elastic body (.elastic).",
        options,
        1,
        1};
    const char *file = NULL;
    int words, code;
    if (!options_parse(&usage, count, arguments, &file, &words, &code)) return code;
    if (mesh_name_is_known(file)) return mesh_info(file, json);
    if (tet_name_is_known(file)) return tet_info(file, json);
    if (ends_with(file, ".json")) return scene_info(file, json);
    if (ends_with(file, ".ma")) return medial_info(file, json);
    if (elastic_name_is_known(file)) return elastic_info(file, json);
    return bad_file(file, "unknown file type; scenes end in .json, meshes in .obj, .ply, .stl, .off, .glb or .gltf, "
                          "tetrahedra in .msh, .mesh, .node, .ele or .vtk, medial meshes in .ma, "
                          "baked elastic bodies in .elastic");
}
