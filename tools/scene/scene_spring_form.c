// Forms of spring bodies: chains, cloth, nets of surfaces, and solids of tetrahedra. Each is made once for all copies
// of an entry, scaled, in the body's coordinates.
#include "formats/quote.h"
#include "formats/tet_file.h"
#include "mesh/mesh_repair.h"
#include "scene/scene_material.h"
#include "scene/scene_mesh.h"
#include "scene/scene_spring.h"
#include "scene/selection.h"
#include "tets/tet_lattice.h"
#include "zoo/surfaces.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The form in progress, and the place of its errors.
typedef struct {
    sn_scene *scene;
    const springs_spec *spec;
    const json_path *path; // of the body
    spring_form *form;
} maker;

static bool no_memory(const maker *m) {
    error_at(&m->scene->errors, m->path, "does not fit into memory");
    return false;
}

static bool is_zero(const double v[3]) {
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static sn_vec3 scaled(const maker *m, const double v[3]) {
    const double s = m->spec->body.scale;
    return (sn_vec3){(sn_real)(s * v[0]), (sn_real)(s * v[1]), (sn_real)(s * v[2])};
}

// Whether a net was made; if not, lists the error.
static bool made(const maker *m, sn_status status) {
    if (status == SN_OK) return true;
    if (status == SN_ERR_MEMORY) return no_memory(m);
    const char *error = m->form->net.error;
    error_at(&m->scene->errors, m->path, "%s", error ? error : sn_status_name(status));
    return false;
}

// Refuses too many points before they are allocated.
static bool fits(const maker *m, double points) {
    if (points + (double)m->scene->point_count <= SCENE_MAX_POINTS) return true;
    error_at(&m->scene->errors, m->path, "has %.0f points; the limit of a scene is %d points", points,
             SCENE_MAX_POINTS);
    return false;
}

// --- chains and cloth ---

static bool make_chain(maker *m) {
    const chain_spec *spec = &m->spec->chain;
    const json_path chain = {m->path, "chain", 0}, at = {&chain, "to", 0};
    double direction[3], length = 0;
    for (int k = 0; k < 3; k++) {
        direction[k] = spec->to[k] - spec->from[k];
        length += direction[k] * direction[k];
    }
    if (!(length > 0)) {
        error_at(&m->scene->errors, &at, "must differ from \"from\"");
        return false;
    }
    sn_spring_chain def = sn_spring_chain_default();
    def.from = scaled(m, spec->from);
    def.to = scaled(m, spec->to);
    def.count = spec->points;
    def.mass = (sn_real)(spec->density * sqrt(length) * m->spec->body.scale);
    def.params = (sn_spring_params){1, 0};
    return fits(m, spec->points) && made(m, sn_springs_make_chain(&def, NULL, &m->form->net)) &&
           spring_stiffness_chain(&m->form->net, spec);
}

static bool make_cloth(maker *m) {
    const cloth_spec *spec = &m->spec->cloth;
    const json_path at = {m->path, "cloth", 0};
    const double *a = spec->across, *d = spec->down;
    const double normal[3] = {a[1] * d[2] - a[2] * d[1], a[2] * d[0] - a[0] * d[2], a[0] * d[1] - a[1] * d[0]};
    if (is_zero(normal)) {
        error_at(&m->scene->errors, &at, "\"across\" and \"down\" must have a length and different directions");
        return false;
    }
    double corner[3];
    for (int k = 0; k < 3; k++) corner[k] = -0.5 * (a[k] + d[k]);
    const double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    sn_spring_cloth def = sn_spring_cloth_default();
    def.corner = scaled(m, corner);
    def.across = scaled(m, a);
    def.down = scaled(m, d);
    def.columns = spec->columns;
    def.rows = spec->rows;
    def.mass = (sn_real)(m->spec->fabric.density * area * m->spec->body.scale * m->spec->body.scale);
    def.structural = (sn_spring_params){1, 0};
    def.shear = (sn_spring_params){m->spec->fabric.shear > 0 ? 2 : 0, 0};
    def.bend = (sn_spring_params){m->spec->fabric.bend > 0 ? 3 : 0, 0};
    return fits(m, (double)spec->columns * spec->rows) && made(m, sn_springs_make_cloth(&def, NULL, &m->form->net)) &&
           spring_stiffness_cloth(&m->form->net, &m->spec->fabric, spec);
}

// --- surfaces ---

// A surface of the zoo.
static bool zoo_mesh(const maker *m, const char *name, int triangles, const json_path *path, sn_mesh *out) {
    const json_path at = {path, "zoo", 0}, triangles_at = {path, "triangles", 0};
    char quoted[QUOTE_SIZE], words[200];
    for (int i = 0; i < ZOO_SURFACE_KINDS; i++) {
        const zoo_surface_kind kind = (zoo_surface_kind)i;
        if (strcmp(name, zoo_surface_name(kind)) != 0) continue;
        if (triangles && triangles < zoo_surface_min_triangles(kind)) {
            error_at(&m->scene->errors, &triangles_at, "must be at least %d for %s, is %d",
                     zoo_surface_min_triangles(kind), name, triangles);
            return false;
        }
        return zoo_surface(kind, triangles, out) || no_memory(m);
    }
    size_t used = 0;
    for (int i = 0; i < ZOO_SURFACE_KINDS && used < sizeof words; i++) {
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "",
                                 zoo_surface_name((zoo_surface_kind)i));
    }
    error_at(&m->scene->errors, &at, "the zoo has no surface %s; it has %s", quote(name, quoted), words);
    return false;
}

// Whether every edge belongs to two triangles.
static bool is_closed(const sn_mesh *mesh) {
    mesh_repair_report report;
    sn_mesh copy = {0};
    const mesh_repair_options options = {0};
    const bool good = mesh_repair(mesh, &options, &copy, NULL, &report);
    sn_mesh_free(&copy);
    return good && report.closed;
}

static sn_vec3 *mesh_points(const maker *m, const sn_mesh *mesh) {
    sn_vec3 *points = malloc(((size_t)mesh->vertex_count + 1) * sizeof *points);
    for (int i = 0; points && i < mesh->vertex_count; i++) {
        const double p[3] = {(double)mesh->position[i][0], (double)mesh->position[i][1], (double)mesh->position[i][2]};
        points[i] = scaled(m, p);
    }
    return points;
}

static bool net_of_mesh(maker *m, const sn_mesh *mesh) {
    const net_spec *spec = &m->spec->net;
    const fabric_spec *fabric = &m->spec->fabric;
    sn_vec3 *points = mesh_points(m, mesh);
    if (!points) return no_memory(m);
    sn_spring_surface def = sn_spring_surface_default();
    def.points = points;
    def.count = mesh->vertex_count;
    def.triangles = &mesh->triangle[0][0];
    def.triangle_count = mesh->triangle_count;
    def.density = (sn_real)fabric->density;
    def.edge = (sn_spring_params){1, 0};
    def.bend = (sn_spring_params){fabric->bend > 0 ? 2 : 0, 0};
    def.shells = spec->shells;
    def.spacing = (sn_real)(spec->spacing * m->spec->body.scale);
    def.straight = (sn_spring_params){3, 0};
    def.diagonal = (sn_spring_params){4, 0};
    const bool good = fits(m, (double)mesh->vertex_count * (spec->shells + 1)) &&
                      made(m, sn_springs_make_surface(&def, NULL, &m->form->net));
    free(points);
    if (!good) return false;
    m->form->encloses = is_closed(mesh);
    return spring_stiffness_net(&m->form->net, fabric, mesh->vertex_count, spec->shells + 1) || no_memory(m);
}

static bool make_net(maker *m) {
    const net_spec *spec = &m->spec->net;
    const json_path at = {m->path, "net", 0}, triangles = {&at, "triangles", 0};
    if (!spec->file == !spec->zoo) {
        error_at(&m->scene->errors, &at, "needs one of \"file\" and \"zoo\"");
        return false;
    }
    if (spec->file && spec->triangles) {
        error_at_key(&m->scene->errors, &triangles, "needs \"zoo\"");
        return false;
    }
    sn_mesh mesh = {0};
    if (!(spec->file ? scene_mesh_read(m->scene, spec->file, &at, &mesh)
                     : zoo_mesh(m, spec->zoo, spec->triangles, &at, &mesh)))
        return false;
    const bool good = net_of_mesh(m, &mesh);
    sn_mesh_free(&mesh);
    return good;
}

// --- solids ---

// A box of cubes. Each has a point in its centre and twelve tetrahedra around it, two for each face. The diagonals of
// faces alternate, and cubes agree on those of shared faces, so that the stiffness is symmetric.
static bool box_tets(const maker *m, const solid_spec *spec, sn_tet_mesh *out) {
    int n[3];
    double size[3], tets = 12;
    for (int k = 0; k < 3; k++) {
        const double cells = 2 * spec->box.half[k] / spec->cell;
        if (!(cells < 1e4)) return fits(m, 1e12);
        n[k] = cells < 1.5 ? 1 : (int)(cells + 0.5);
        size[k] = 2 * spec->box.half[k] / n[k];
        tets *= n[k];
    }
    const int corners = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    if (!fits(m, (n[0] + 1.0) * (n[1] + 1.0) * (n[2] + 1.0) + tets / 12)) return false;
    if (!sn_tet_mesh_alloc(out, corners + (int)(tets / 12), (int)tets)) return no_memory(m);
    int at = 0, count = 0;
#define CORNER(i, j, k) (((k) * (n[1] + 1) + (j)) * (n[0] + 1) + (i))
    for (int middle = 0; middle < 2; middle++)
        for (int k = 0; k < n[2] + 1 - middle; k++)
            for (int j = 0; j < n[1] + 1 - middle; j++)
                for (int i = 0; i < n[0] + 1 - middle; i++, at++) {
                    const int index[3] = {i, j, k};
                    for (int c = 0; c < 3; c++)
                        out->position[at][c] = (index[c] + 0.5 * middle) * size[c] - spec->box.half[c];
                }
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const int centre = corners + (k * n[1] + j) * n[0] + i;
                for (int face = 0; face < 6; face++) {
                    const int axis = face / 2, side = face % 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
                    int corner[4], low[3] = {i, j, k};
                    low[axis] += side;
                    for (int q = 0; q < 4; q++) { // around the face: 00, 10, 11, 01
                        int p[3] = {low[0], low[1], low[2]};
                        p[u] += q == 1 || q == 2;
                        p[v] += q >= 2;
                        corner[q] = CORNER(p[0], p[1], p[2]);
                    }
                    const int diagonal = (low[0] + low[1] + low[2]) % 2; // which diagonal
                    for (int half = 0; half < 2; half++) {
                        const int first = corner[diagonal + 2 * half], last = corner[(diagonal + 2 * half + 2) % 4];
                        const int second = corner[(diagonal + 2 * half + 1) % 4];
                        const int tet[4] = {side ? first : last, second, side ? last : first, centre};
                        // Seen from the centre, the outer face is clockwise, so two of its corners are swapped.
                        out->tet[count][0] = tet[0], out->tet[count][1] = tet[2];
                        out->tet[count][2] = tet[1], out->tet[count++][3] = tet[3];
                    }
                }
            }
#undef CORNER
    return true;
}

// Fills a surface, which becomes the skin.
static bool fill_mesh(const maker *m, const solid_spec *spec, const json_path *path, sn_tet_mesh *out) {
    sn_mesh mesh = {0};
    if (!(spec->zoo ? zoo_mesh(m, spec->zoo, 0, path, &mesh) : scene_mesh_read(m->scene, spec->file, path, &mesh)))
        return false;
    float low[3], high[3];
    sn_mesh_box(&mesh, low, high);
    double longest = 0;
    for (int k = 0; k < 3; k++) longest = fmax(longest, (double)(high[k] - low[k]));
    sn_mesh_query *query = sn_mesh_query_build(&mesh);
    sn_winding *winding = sn_winding_make(&mesh);
    tool_error error = {.text = "out of memory"};
    sn_tet_lattice_report report;
    const sn_tet_lattice_options options = {.spacing = spec->cell > 0 ? spec->cell : longest / 8, .threads = 1};
    const bool good = query && winding && sn_tet_lattice(&mesh, query, winding, &options, out, &report, &error);
    if (!good) error_at(&m->scene->errors, path, "cannot be filled: %s", error.text);
    sn_mesh_query_free(query);
    sn_winding_free(winding);
    if (good && spec->skin) {
        m->form->skin = mesh;
        for (int i = 0; i < mesh.vertex_count; i++)
            for (int k = 0; k < 3; k++) mesh.position[i][k] *= (float)m->spec->body.scale;
    } else {
        sn_mesh_free(&mesh);
    }
    return good;
}

static bool read_tets(const maker *m, const char *file, const json_path *path, sn_tet_mesh *out) {
    const json_path at = {path, "file", 0};
    tool_error error;
    char name[1024];
    tet_file read;
    if (!scene_beside(m->scene, file, name, sizeof name)) {
        error_at(&m->scene->errors, &at, "the name is too long");
        return false;
    }
    if (!tet_read(name, m->scene->files, &read, &error)) {
        error_at(&m->scene->errors, &at, "cannot be read: %s", error.text);
        return false;
    }
    *out = read.mesh;
    read.mesh = (sn_tet_mesh){0};
    tet_file_free(&read);
    return true;
}

// Keeps one piece, without flat tetrahedra and unused vertices, which would have no mass.
static bool tidy(const maker *m, const json_path *path, sn_tet_mesh *mesh) {
    int *part = malloc(((size_t)mesh->tet_count + 1) * sizeof *part);
    bool *keep = malloc((size_t)mesh->tet_count + 1);
    bool good = part && keep && sn_tet_mesh_components(mesh, part) >= 0;
    for (int t = 0; good && t < mesh->tet_count; t++) {
        const int *c = mesh->tet[t];
        keep[t] = part[t] == 0 && sn_tet_quality(mesh->position[c[0]], mesh->position[c[1]], mesh->position[c[2]],
                                                 mesh->position[c[3]]) > 1e-6;
    }
    good = good && sn_tet_mesh_keep(mesh, keep);
    free(part);
    free(keep);
    if (!good) return no_memory(m);
    if (mesh->tet_count > 0) return true;
    error_at(&m->scene->errors, path, "has no tetrahedra with a volume");
    return false;
}

static bool solid_of_tets(maker *m, const sn_tet_mesh *mesh) {
    const sn_material material =
        m->spec->material ? scene_material(m->scene, m->spec->material) : sn_material_preset(SN_PRESET_JELLY);
    const json_path at = {m->path, "material", 0};
    // Lame's constants from the stiffnesses of a rod: see src/kinds/rod/rod_material.c.
    const double mu = (double)material.shear, lambda = 2 * (double)material.volume;
    const double poisson = lambda / (2 * (lambda + mu));
    if (!(mu > 0) || poisson < 0.2499) {
        error_at(&m->scene->errors, &at, "Poisson's ratio must be at least 0.25 for a solid of springs, is %.3g",
                 poisson);
        return false;
    }
    if (!fits(m, mesh->vertex_count)) return false;
    sn_vec3 *points = malloc(((size_t)mesh->vertex_count + 1) * sizeof *points);
    if (!points) return no_memory(m);
    for (int i = 0; i < mesh->vertex_count; i++) points[i] = scaled(m, mesh->position[i]);
    sn_spring_solid def = sn_spring_solid_default();
    def.points = points;
    def.count = mesh->vertex_count;
    def.tets = &mesh->tet[0][0];
    def.tet_count = mesh->tet_count;
    def.density = material.density;
    def.edge = (sn_spring_params){1, 0};
    def.volumes = true;
    const bool good = made(m, sn_springs_make_solid(&def, NULL, &m->form->net));
    free(points);
    if (!good) return false;
    m->form->encloses = true;
    m->form->drag = material.damping;
    return spring_stiffness_solid(&m->form->net, mu, lambda, &m->form->bulk) || no_memory(m);
}

static bool make_solid(maker *m) {
    const solid_spec *spec = &m->spec->solid;
    const json_path at = {m->path, "solid", 0}, cell = {&at, "cell", 0};
    const bool box = spec->box.head.type != NULL;
    if ((spec->file != NULL) + (spec->zoo != NULL) + box != 1) {
        error_at(&m->scene->errors, &at, "needs exactly one of \"file\", \"zoo\" and \"box\"");
        return false;
    }
    if (box && !(spec->cell > 0)) {
        error_at(&m->scene->errors, &at, "a \"box\" needs \"cell\", the edge of the cubes it is cut into");
        return false;
    }
    const bool tets = spec->file && tet_name_is_known(spec->file);
    if (tets && spec->cell > 0) {
        error_at_key(&m->scene->errors, &cell, "cannot be combined with a file of tetrahedra");
        return false;
    }
    sn_tet_mesh mesh = {0};
    const bool good = (box    ? box_tets(m, spec, &mesh)
                       : tets ? read_tets(m, spec->file, &at, &mesh)
                              : fill_mesh(m, spec, &at, &mesh)) &&
                      tidy(m, &at, &mesh) && solid_of_tets(m, &mesh);
    sn_tet_mesh_free(&mesh);
    return good;
}

// --- what is held ---

static bool within(const maker *m, sn_vec3 point, const vec_list *box) {
    const double p[3] = {(double)point.x, (double)point.y, (double)point.z};
    for (int k = 0; k < 3; k++) {
        const double a = box->items[0][k], b = box->items[1][k], s = m->spec->body.scale, slack = 1e-6 * s;
        if (p[k] < s * fmin(a, b) - slack || p[k] > s * fmax(a, b) + slack) return false;
    }
    return true;
}

static bool hold_box(maker *m, const vec_list *box, const json_path *path) {
    const json_path at = {path, "box", 0};
    bool any = false;
    for (int i = 0; i < m->form->net.count; i++) {
        const bool inside = within(m, m->form->net.points[i], box);
        m->form->held[i] = m->form->held[i] || inside;
        any = any || inside;
    }
    if (!any) error_at(&m->scene->errors, &at, "no point of the body is in it");
    return any;
}

static bool hold(maker *m) {
    const spring_hold_spec *holds = m->spec->hold.items;
    const int n = m->form->net.count, columns = m->spec->cloth.columns;
    bool good = true;
    m->form->held = calloc((size_t)n + 1, sizeof *m->form->held);
    if (!m->form->held) return no_memory(m);
    for (int i = 0; i < m->spec->hold.count; i++) {
        const json_path list = {m->path, "hold", 0}, entry = {&list, NULL, (size_t)i}, corners = {&entry, "corners", 0};
        const bool box = holds[i].box.count > 0, other = box || holds[i].corners;
        if (box && !hold_box(m, &holds[i].box, &entry)) good = false;
        if (holds[i].corners && !m->spec->cloth.head.type) {
            error_at_key(&m->scene->errors, &corners, "needs \"cloth\"");
            good = false;
        } else if (holds[i].corners) {
            const int corner[4] = {0, columns - 1, n - columns, n - 1};
            for (int k = 0; k < 4; k++) m->form->held[corner[k]] = true;
        }
        if (!selection_check(&holds[i].select, &holds[i], n, !other, &m->scene->errors, &entry)) good = false;
        const bool named =
            fields_has(&holds[i], "point") || fields_has(&holds[i], "points") || fields_has(&holds[i], "range");
        if (!good || !named) continue;
        const selection points = selection_of(&holds[i].select, &holds[i], n);
        for (int k = 0; k < points.count; k++) m->form->held[selection_at(&points, k)] = true;
    }
    return good;
}

// --- all of it ---

spring_form *spring_form_make(sn_scene *scene, const springs_spec *spec, const json_path *path) {
    spring_form *form = calloc(1, sizeof *form);
    maker m = {scene, spec, path, form};
    if (!form) {
        no_memory(&m);
        return NULL;
    }
    bool good = false;
    if (spec->chain.head.type)
        good = make_chain(&m);
    else if (spec->cloth.head.type)
        good = make_cloth(&m);
    else if (spec->net.head.type)
        good = make_net(&m);
    else
        good = make_solid(&m);
    good = good && hold(&m);
    for (int i = 0; good && i < form->net.spring_count; i++) {
        sn_spring *spring = &form->net.springs[i];
        spring->damping = (sn_real)(spec->damping * (double)spring->stiffness);
    }
    if (good) return form;
    spring_form_free(form);
    return NULL;
}

void spring_form_free(spring_form *form) {
    if (!form) return;
    sn_spring_net_free(&form->net);
    sn_mesh_free(&form->skin);
    free(form->held);
    free(form);
}
