// USD 1.0 in text. Metres, y up, a time code a frame.
//
//     Scope "materials"            a UsdPreviewSurface for each body, with its name
//     Scope "simulation"
//         Xform NAME               a body
//             SkelRoot "skin"      with joints:       Mesh "mesh", Skeleton "skeleton", SkelAnimation "animation"
//             Mesh "mesh"          without joints:    points in every frame if it deforms
//
// Skinning is that of view_model.h: no joint is the child of another, but of a body whose joints flatten each lies in one along its axes
// (joint_pose_outer). Scales are halfs, as USD has them: 11 bits.
#include "formats/usd_write.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    FILE *out;
    const view_model *model;
    const view_spool *frames;
    char (*names)[80]; // of the bodies: identifiers, each once
    joint_pose *poses; // of one body in one frame
    float (*vertices)[3];
} usd;

// --- names ---

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Identifiers of the bodies: what is no letter or digit becomes '_'; of equal names all get their index.
static bool make_names(usd *u) {
    const int count = u->model->body_count;
    u->names = calloc((size_t)count + 1, sizeof *u->names);
    char **sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    bool good = u->names && sorted;
    for (int i = 0; good && i < count; i++) {
        const char *from = u->model->bodies[i].name;
        int n = 0;
        if (!is_letter(from[0])) u->names[i][n++] = '_';
        for (; *from && n < 64; from++)
            u->names[i][n++] = is_letter(*from) || (*from >= '0' && *from <= '9') ? *from : '_';
        sorted[i] = u->names[i];
    }
    if (good) qsort(sorted, (size_t)count, sizeof *sorted, compare_names);
    for (int i = 0; good && i < count;) {
        int end = i + 1;
        while (end < count && strcmp(sorted[end], sorted[i]) == 0) end++;
        for (int k = i; end - i > 1 && k < end; k++) {
            const int body = (int)((char(*)[80])sorted[k] - u->names);
            snprintf(sorted[k] + strlen(sorted[k]), 16, "__%d", body); // no other name ends so
        }
        i = end;
    }
    free(sorted);
    return good;
}

// --- numbers ---

static void write_vectors(FILE *out, const float (*v)[3], int count) {
    for (int i = 0; i < count; i++)
        fprintf(out, "%s(%.9g, %.9g, %.9g)", i ? ", " : "", (double)v[i][0], (double)v[i][1], (double)v[i][2]);
}

// x -> position + rotation (scale x), for row vectors.
static void write_matrix(FILE *out, const joint_pose *pose) {
    const sn_quat q = pose->rotation;
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
                               {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
                               {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    const double scale[3] = {(double)pose->scale.x, (double)pose->scale.y, (double)pose->scale.z};
    fputs("(", out);
    for (int i = 0; i < 3; i++)
        fprintf(out, "(%.9g, %.9g, %.9g, 0), ", scale[i] * rows[i][0], scale[i] * rows[i][1], scale[i] * rows[i][2]);
    fprintf(out, "(%.9g, %.9g, %.9g, 1))", (double)pose->position.x, (double)pose->position.y,
            (double)pose->position.z);
}

// --- meshes ---

static void write_corners(FILE *out, const sn_mesh *mesh) {
    fputs("int[] faceVertexCounts = [", out);
    for (int t = 0; t < mesh->triangle_count; t++) fputs(t ? ", 3" : "3", out);
    fputs("]\nint[] faceVertexIndices = [", out);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangle[t];
        fprintf(out, "%s%d, %d, %d", t ? ", " : "", c[0], c[1], c[2]);
    }
    fputs("]\nuniform token subdivisionScheme = \"none\"\n", out);
    if (!mesh->uv) return;
    fputs("texCoord2f[] primvars:st = [", out);
    for (int v = 0; v < mesh->vertex_count; v++)
        fprintf(out, "%s(%.9g, %.9g)", v ? ", " : "", (double)mesh->uv[v][0], 1 - (double)mesh->uv[v][1]);
    fputs("] (\ninterpolation = \"vertex\"\n)\n", out);
}

static void write_points(FILE *out, const sn_mesh *mesh, const float (*normals)[3]) {
    fputs("point3f[] points = [", out);
    write_vectors(out, mesh->position, mesh->vertex_count);
    fputs("]\n", out);
    if (!normals) return;
    fputs("normal3f[] normals = [", out);
    write_vectors(out, normals, mesh->vertex_count);
    fputs("] (\ninterpolation = \"vertex\"\n)\n", out);
}

static void write_binding(FILE *out, const sn_mesh *mesh, int first) {
    fputs("int[] primvars:skel:jointIndices = [", out);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const int *j = mesh->joint[v];
        fprintf(out, "%s%d, %d, %d, %d", v ? ", " : "", first + j[0], first + j[1], first + j[2], first + j[3]);
    }
    fputs("] (\nelementSize = 4\ninterpolation = \"vertex\"\n)\nfloat[] primvars:skel:jointWeights = [", out);
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 4; k++) fprintf(out, "%s%.9g", v || k ? ", " : "", (double)mesh->weight[v][k]);
    fputs("] (\nelementSize = 4\ninterpolation = \"vertex\"\n)\n", out);
}

// --- bodies with joints ---

typedef enum { TRANSLATIONS, ROTATIONS, SCALES } usd_part;

static void write_part(FILE *out, const joint_pose *pose, usd_part part) {
    const sn_quat q = pose->rotation;
    const sn_vec3 v = part == SCALES ? pose->scale : pose->position;
    if (part == ROTATIONS)
        fprintf(out, "(%.9g, %.9g, %.9g, %.9g)", (double)q.w, (double)q.x, (double)q.y, (double)q.z);
    else
        fprintf(out, part == SCALES ? "(%.5g, %.5g, %.5g)" : "(%.9g, %.9g, %.9g)", (double)v.x, (double)v.y,
                (double)v.z);
}

// Of a body that flattens the outer joints come first.
static joint_pose pose_of(const joint_pose *poses, int count, bool flattens, int joint) {
    if (!flattens) return poses[joint];
    return joint < count ? joint_pose_outer(&poses[joint]) : joint_pose_inner(&poses[joint - count]);
}

static bool write_tracks(usd *u, const view_body *body, int count) {
    const bool flattens = u->model->meshes[body->mesh].flattens;
    static const char *const heads[] = {"float3[] translations", "quatf[] rotations", "half3[] scales"};
    bool good = true;
    for (usd_part part = TRANSLATIONS; part <= SCALES; part++) {
        fprintf(u->out, "%s.timeSamples = {\n", heads[part]);
        for (int f = 0; good && f < view_spool_count(u->frames); f++) {
            good = view_spool_read_poses(u->frames, f, body->first, count, u->poses);
            fprintf(u->out, "%d: [", f);
            for (int j = 0; good && j < (flattens ? 2 : 1) * count; j++) {
                const joint_pose pose = pose_of(u->poses, count, flattens, j);
                if (j) fputs(", ", u->out);
                write_part(u->out, &pose, part);
            }
            fputs("],\n", u->out);
        }
        fputs("}\n", u->out);
    }
    return good;
}

// Programs take joints for nodes of a scene: no two in the file have the same name.
static void write_joints(FILE *out, const char *body, int count, bool flattens) {
    fputs("uniform token[] joints = [", out);
    for (int j = 0; flattens && j < count; j++) fprintf(out, "\"%s_axes_%d\", ", body, j);
    for (int j = 0; j < count; j++) {
        fputs(j ? ", \"" : "\"", out);
        if (flattens) fprintf(out, "%s_axes_%d/", body, j);
        fprintf(out, "%s_joint_%d\"", body, j);
    }
    fputs("]\n", out);
}

static bool write_skinned(usd *u, int index) {
    const view_body *body = &u->model->bodies[index];
    const view_mesh *mesh = &u->model->meshes[body->mesh];
    const int count = mesh->joint_count;
    FILE *out = u->out;
    fputs("def SkelRoot \"skin\" (\nprepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{\n", out);
    fputs("def Mesh \"mesh\" (\nprepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{\n", out);
    write_points(out, &mesh->mesh, mesh->mesh.normal);
    write_corners(out, &mesh->mesh);
    write_binding(out, &mesh->mesh, mesh->flattens ? count : 0);
    fprintf(out, "rel skel:skeleton = </simulation/%s/skin/skeleton>\n}\n", u->names[index]);
    fputs("def Skeleton \"skeleton\" (\nprepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{\n", out);
    write_joints(out, u->names[index], count, mesh->flattens);
    if (!view_spool_read_poses(u->frames, 0, body->first, count, u->poses)) return false;
    for (int rest = 0; rest < 2; rest++) {
        fputs(rest ? "uniform matrix4d[] restTransforms = [" : "uniform matrix4d[] bindTransforms = [", out);
        for (int j = 0; j < (mesh->flattens ? 2 : 1) * count; j++) {
            const joint_pose pose = pose_of(u->poses, count, mesh->flattens, j);
            if (j) fputs(", ", out);
            write_matrix(out, rest ? &pose : &mesh->rest[j % count]);
        }
        fputs("]\n", out);
    }
    fprintf(out, "rel skel:animationSource = </simulation/%s/skin/skeleton/animation>\n", u->names[index]);
    fputs("def SkelAnimation \"animation\"\n{\n", out);
    write_joints(out, u->names[index], count, mesh->flattens);
    const bool good = write_tracks(u, body, count);
    fputs("}\n}\n}\n", out);
    return good;
}

// --- bodies without ---

static bool write_deforming(usd *u, const view_body *body, const sn_mesh *mesh) {
    bool good = view_spool_read_vertices(u->frames, 0, body->first, mesh->vertex_count, u->vertices);
    fputs("def Mesh \"mesh\"\n{\npoint3f[] points = [", u->out);
    if (good) write_vectors(u->out, (const float(*)[3])u->vertices, mesh->vertex_count);
    fputs("]\npoint3f[] points.timeSamples = {\n", u->out);
    for (int f = 0; good && f < view_spool_count(u->frames); f++) {
        good = view_spool_read_vertices(u->frames, f, body->first, mesh->vertex_count, u->vertices);
        fprintf(u->out, "%d: [", f);
        if (good) write_vectors(u->out, (const float(*)[3])u->vertices, mesh->vertex_count);
        fputs("],\n", u->out);
    }
    fputs("}\n", u->out);
    write_corners(u->out, mesh);
    fputs("}\n", u->out);
    return good;
}

static bool write_body(usd *u, int index) {
    const view_body *body = &u->model->bodies[index];
    const view_mesh *mesh = &u->model->meshes[body->mesh];
    bool good = true;
    fprintf(u->out, "def Xform \"%s\" (\nprepend apiSchemas = [\"MaterialBindingAPI\"]\n)\n{\n", u->names[index]);
    fprintf(u->out, "rel material:binding = </materials/%s>\n", u->names[index]);
    if (mesh->joint_count > 0) {
        good = write_skinned(u, index);
    } else if (mesh->deforming) {
        good = write_deforming(u, body, &mesh->mesh);
    } else {
        fputs("def Mesh \"mesh\"\n{\n", u->out);
        write_points(u->out, &mesh->mesh, mesh->mesh.normal);
        write_corners(u->out, &mesh->mesh);
        fputs("}\n", u->out);
    }
    fputs("}\n", u->out);
    return good;
}

static void write_material(usd *u, int index) {
    const float *c = u->model->bodies[index].colour;
    fprintf(u->out, "def Material \"%s\"\n{\n", u->names[index]);
    fprintf(u->out, "token outputs:surface.connect = </materials/%s/surface.outputs:surface>\n", u->names[index]);
    fputs("def Shader \"surface\"\n{\nuniform token info:id = \"UsdPreviewSurface\"\n", u->out);
    fprintf(u->out, "color3f inputs:diffuseColor = (%.4g, %.4g, %.4g)\n", (double)c[0], (double)c[1], (double)c[2]);
    fputs("float inputs:metallic = 0\nfloat inputs:roughness = 0.55\ntoken outputs:surface\n}\n}\n", u->out);
}

static void write_head(usd *u, double fps, const char *title) {
    fputs("#usda 1.0\n(\n", u->out);
    if (title) {
        fputs("doc = \"", u->out);
        for (const char *c = title; *c; c++)
            if ((unsigned char)*c >= ' ' && *c != '"' && *c != '\\') fputc(*c, u->out);
        fputs("\"\n", u->out);
    }
    fputs("defaultPrim = \"simulation\"\nmetersPerUnit = 1\nupAxis = \"Y\"\n", u->out);
    fprintf(u->out, "startTimeCode = 0\nendTimeCode = %d\ntimeCodesPerSecond = %.9g\nframesPerSecond = %.9g\n)\n",
            view_spool_count(u->frames) - 1, fps, fps);
}

bool usd_write(FILE *out, const view_model *model, const view_spool *frames, double fps, const char *title,
               tool_error *error) {
    usd u = {.out = out, .model = model, .frames = frames};
    int joints = 1, vertices = 1;
    for (int i = 0; i < model->mesh_count; i++) {
        const view_mesh *mesh = &model->meshes[i];
        if (mesh->joint_count > joints) joints = mesh->joint_count;
        if (mesh->deforming && mesh->mesh.vertex_count > vertices) vertices = mesh->mesh.vertex_count;
    }
    u.poses = malloc((size_t)joints * sizeof *u.poses);
    u.vertices = malloc((size_t)vertices * sizeof *u.vertices);
    bool good = u.poses && u.vertices && make_names(&u);
    if (!good) tool_error_out_of_memory(error);
    if (good) {
        write_head(&u, fps, title);
        fputs("def Scope \"materials\"\n{\n", out);
        for (int i = 0; i < model->body_count; i++) write_material(&u, i);
        fputs("}\ndef Scope \"simulation\"\n{\n", out);
        for (int i = 0; good && i < model->body_count && !ferror(out); i++) good = write_body(&u, i);
        fputs("}\n", out);
        if (!good) tool_error_set(error, "%s", strerror(errno));
    }
    free(u.names), free(u.poses), free(u.vertices);
    return good && !ferror(out);
}
