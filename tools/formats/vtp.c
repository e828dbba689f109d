// VTK's XML format with inline arrays: base64 of a 64-bit byte count and the numbers, little-endian, 32-bit.
#include "formats/vtp.h"
#include "formats/base64.h"
#include "view/surfaces.h"
#include <stdlib.h>
#include <string.h>

// All bodies of a world side by side. Lines and triangles are runs of 'connectivity' that end at 'offsets'; first all
// lines, then all triangles.
typedef struct {
    float *points, *velocities, *radii, *scales;
    int32_t *connectivity, *offsets, *bodies;
    int point_count, line_count, connectivity_count;
    int32_t *corners, *corner_ends, *triangle_bodies;
    int triangle_count;
} poly_data;

// One rod as the API tells it.
typedef struct {
    sn_vec3 *vectors;
    sn_real *numbers;
    int *parents, *children, *line; // children: how many, -1 once a line has the point
} rod_view;

static void poly_free(poly_data *poly) {
    free(poly->points);
    free(poly->velocities);
    free(poly->radii);
    free(poly->scales);
    free(poly->connectivity);
    free(poly->offsets);
    free(poly->bodies);
    free(poly->corners);
    free(poly->corner_ends);
    free(poly->triangle_bodies);
}

// Every point of a rod is in one line, and once more as the start of each branch that hangs on it or as the end of a
// loop. 'lines' are those of other bodies, of two points each.
static bool poly_take(poly_data *poly, size_t points, size_t lines, size_t triangles) {
    size_t n = points + 1, m = triangles + 1;
    poly->points = malloc(n * 3 * sizeof(float));
    poly->velocities = malloc(n * 3 * sizeof(float));
    poly->radii = malloc(n * sizeof(float));
    poly->scales = malloc(n * sizeof(float));
    poly->connectivity = malloc(2 * (n + lines) * sizeof(int32_t));
    poly->offsets = malloc((n + lines) * sizeof(int32_t));
    poly->bodies = malloc((n + lines + m) * sizeof(int32_t));
    poly->corners = malloc(3 * m * sizeof(int32_t));
    poly->corner_ends = malloc(m * sizeof(int32_t));
    poly->triangle_bodies = malloc(m * sizeof(int32_t));
    return poly->points && poly->velocities && poly->radii && poly->scales && poly->connectivity && poly->offsets &&
           poly->bodies && poly->corners && poly->corner_ends && poly->triangle_bodies;
}

static void view_free(rod_view *view) {
    free(view->vectors);
    free(view->numbers);
    free(view->parents);
    free(view->children);
    free(view->line);
}

static bool view_take(rod_view *view, size_t n) {
    view->vectors = malloc(n * sizeof *view->vectors);
    view->numbers = malloc(n * sizeof *view->numbers);
    view->parents = malloc(n * sizeof *view->parents);
    view->children = malloc(n * sizeof *view->children);
    view->line = malloc((n + 1) * sizeof *view->line);
    return view->vectors && view->numbers && view->parents && view->children && view->line;
}

static void add_vectors(float *out, const sn_vec3 *in, int count) {
    for (int i = 0; i < count; i++) {
        out[3 * i] = (float)in[i].x;
        out[3 * i + 1] = (float)in[i].y;
        out[3 * i + 2] = (float)in[i].z;
    }
}

static void add_numbers(float *out, const sn_real *in, int count) {
    for (int i = 0; i < count; i++) out[i] = (float)in[i];
}

// Writes view->line[0..count) backwards: lines were collected from the tip up.
static void add_line(poly_data *poly, const rod_view *view, int count, int first, int body) {
    if (count < 2) return;
    for (int i = count - 1; i >= 0; i--) poly->connectivity[poly->connectivity_count++] = first + view->line[i];
    poly->offsets[poly->line_count] = poly->connectivity_count;
    poly->bodies[poly->line_count++] = body;
}

// The cycle through point 0, if there is one; its points count as seen.
static void add_loop(poly_data *poly, rod_view *view, int n, int first, int body) {
    if (view->parents[0] < 0) return;
    int count = 0, k = 0;
    do {
        view->line[count++] = k;
        view->children[k] = -1;
        k = view->parents[k];
    } while (k > 0 && count < n);
    view->line[count++] = 0;
    add_line(poly, view, count, first, body);
}

// Lines of one rod: from each tip up to the root or to a point that another line has.
static void add_lines(poly_data *poly, rod_view *view, int n, int first, int body) {
    memset(view->children, 0, (size_t)n * sizeof *view->children);
    for (int i = 0; i < n; i++) {
        if (view->parents[i] >= 0) view->children[view->parents[i]]++;
    }
    add_loop(poly, view, n, first, body);
    for (int i = n; i-- > 0;) {
        if (view->children[i] != 0) continue;
        int count = 0;
        for (int k = i; k >= 0; k = view->parents[k]) {
            bool seen = view->children[k] < 0;
            view->line[count++] = k;
            view->children[k] = -1;
            if (seen) break;
        }
        add_line(poly, view, count, first, body);
    }
}

// What a body of springs or the like has.
typedef struct {
    const surface_kind *kind;
    surface_body id;
    int points, lines, triangles; // lines only if it has no triangles
} soft_view;

static soft_view view_soft(const sn_world *world, int i) {
    const surface_body id = surface_at(world, i);
    const surface_kind *kind = surface_kind_of(id);
    soft_view made = {.kind = kind, .id = id};
    made.points = kind->points(world, id, NULL, 0);
    made.triangles = kind->triangles(world, id, NULL, 0);
    if (made.triangles == 0 && kind->lines) made.lines = kind->lines(world, id, NULL, 0);
    return made;
}

static void add_soft_lines(poly_data *poly, const sn_world *world, const soft_view *soft, int first, int body) {
    int32_t(*lines)[2] = malloc(((size_t)soft->lines + 1) * sizeof *lines);
    const int got = lines ? soft->kind->lines(world, soft->id, lines, soft->lines) : 0;
    for (int k = 0; k < got && k < soft->lines; k++) {
        for (int end = 0; end < 2; end++) poly->connectivity[poly->connectivity_count++] = first + lines[k][end];
        poly->offsets[poly->line_count] = poly->connectivity_count;
        poly->bodies[poly->line_count++] = body;
    }
    free(lines);
}

static void add_soft(poly_data *poly, const sn_world *world, const soft_view *soft, sn_vec3 *vectors, int body) {
    const int at = poly->point_count, n = soft->points;
    soft->kind->points(world, soft->id, vectors, n);
    add_vectors(poly->points + 3 * (size_t)at, vectors, n);
    for (int k = 0; k < n; k++) vectors[k] = (sn_vec3){0, 0, 0}; // of kinds that do not tell
    if (soft->kind->velocities) soft->kind->velocities(world, soft->id, vectors, n);
    add_vectors(poly->velocities + 3 * (size_t)at, vectors, n);
    for (int k = 0; k < n; k++)
        poly->radii[at + k] = (float)soft->kind->radius(world, soft->id), poly->scales[at + k] = 1;
    int32_t(*corners)[3] = (int32_t(*)[3])(void *)(poly->corners + 3 * (size_t)poly->triangle_count);
    soft->kind->triangles(world, soft->id, corners, soft->triangles);
    for (int t = 0; t < soft->triangles; t++) {
        for (int k = 0; k < 3; k++) corners[t][k] += at;
        poly->triangle_bodies[poly->triangle_count] = body;
        poly->corner_ends[poly->triangle_count] = 3 * (poly->triangle_count + 1);
        poly->triangle_count++;
    }
    add_soft_lines(poly, world, soft, at, body);
    poly->point_count += n;
}

static void add_rod(poly_data *poly, const sn_world *world, rod_view *view, int most, int i) {
    sn_body rod = sn_world_kind_at(world, SN_KIND_ROD, i);
    int at = poly->point_count, n = sn_body_get_points(world, rod, view->vectors, most);
    add_vectors(poly->points + 3 * (size_t)at, view->vectors, n);
    sn_body_get_velocities(world, rod, view->vectors, most);
    add_vectors(poly->velocities + 3 * (size_t)at, view->vectors, n);
    sn_rod_get_radii(world, rod, view->numbers, most);
    add_numbers(poly->radii + at, view->numbers, n);
    sn_rod_get_scales(world, rod, view->numbers, most);
    add_numbers(poly->scales + at, view->numbers, n);
    sn_rod_get_parents(world, rod, view->parents, most);
    add_lines(poly, view, n, at, i);
    poly->point_count += n;
}

static bool gather(poly_data *poly, const sn_world *world) {
    int rods = sn_world_kind_count(world, SN_KIND_ROD), softs = surface_count(world), most = 1;
    size_t points = 0, lines = 0, triangles = 0;
    for (int i = 0; i < rods; i++) {
        int n = sn_body_point_count(world, sn_world_kind_at(world, SN_KIND_ROD, i));
        points += (size_t)n;
        most = n > most ? n : most;
    }
    for (int i = 0; i < softs; i++) {
        const soft_view soft = view_soft(world, i);
        points += (size_t)soft.points, lines += (size_t)soft.lines, triangles += (size_t)soft.triangles;
        most = soft.points > most ? soft.points : most;
    }
    rod_view view = {0};
    bool good = poly_take(poly, points, lines, triangles) && view_take(&view, (size_t)most);
    for (int i = 0; good && i < rods; i++) add_rod(poly, world, &view, most, i);
    for (int i = 0; good && i < softs; i++) {
        const soft_view soft = view_soft(world, i);
        add_soft(poly, world, &soft, view.vectors, rods + i);
    }
    if (good && poly->triangle_count)
        memcpy(poly->bodies + poly->line_count, poly->triangle_bodies,
               (size_t)poly->triangle_count * sizeof *poly->bodies);
    view_free(&view);
    return good;
}

static void write_array(FILE *out, const char *type, const char *name, int components, const void *values,
                        size_t count) {
    fprintf(out, "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type,
            name, components);
    base64_write_counted(out, values, count, 4);
    fprintf(out, "\n        </DataArray>\n");
}

bool vtp_write(FILE *out, const sn_world *world) {
    poly_data poly = {0};
    bool good = gather(&poly, world);
    if (good) {
        size_t n = (size_t)poly.point_count, lines = (size_t)poly.line_count, triangles = (size_t)poly.triangle_count;
        fprintf(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                     "header_type=\"UInt64\">\n  <PolyData>\n");
        fprintf(out,
                "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"%zu\" NumberOfStrips=\"0\" "
                "NumberOfPolys=\"%zu\">\n",
                n, lines, triangles);
        fprintf(out, "      <PointData Scalars=\"radius\" Vectors=\"velocity\">\n");
        write_array(out, "Float32", "radius", 1, poly.radii, n);
        write_array(out, "Float32", "scale", 1, poly.scales, n);
        write_array(out, "Float32", "velocity", 3, poly.velocities, 3 * n);
        fprintf(out, "      </PointData>\n      <CellData Scalars=\"body\">\n");
        write_array(out, "Int32", "body", 1, poly.bodies, lines + triangles);
        fprintf(out, "      </CellData>\n      <Points>\n");
        write_array(out, "Float32", "Points", 3, poly.points, 3 * n);
        fprintf(out, "      </Points>\n      <Lines>\n");
        write_array(out, "Int32", "connectivity", 1, poly.connectivity, (size_t)poly.connectivity_count);
        write_array(out, "Int32", "offsets", 1, poly.offsets, lines);
        fprintf(out, "      </Lines>\n");
        if (triangles) {
            fprintf(out, "      <Polys>\n");
            write_array(out, "Int32", "connectivity", 1, poly.corners, 3 * triangles);
            write_array(out, "Int32", "offsets", 1, poly.corner_ends, triangles);
            fprintf(out, "      </Polys>\n");
        }
        fprintf(out, "    </Piece>\n  </PolyData>\n</VTKFile>\n");
    }
    poly_free(&poly);
    return good;
}
