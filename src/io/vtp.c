// VTK's XML format with inline arrays: base64 of a 64-bit byte count and the numbers, little-endian, 32-bit.
#include "io/vtp.h"
#include "io/base64.h"
#include <stdlib.h>
#include <string.h>

// All rods of a world side by side. Lines are runs of 'connectivity' that end at 'offsets'.
typedef struct {
    float *points, *velocities, *radii, *scales;
    int32_t *connectivity, *offsets, *bodies;
    int point_count, line_count, connectivity_count;
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
}

// Every point is in one line, and once more as the start of each branch that hangs on it or as the end of a loop.
static bool poly_take(poly_data *poly, size_t points) {
    size_t n = points + 1;
    poly->points = malloc(n * 3 * sizeof(float));
    poly->velocities = malloc(n * 3 * sizeof(float));
    poly->radii = malloc(n * sizeof(float));
    poly->scales = malloc(n * sizeof(float));
    poly->connectivity = malloc(2 * n * sizeof(int32_t));
    poly->offsets = malloc(n * sizeof(int32_t));
    poly->bodies = malloc(n * sizeof(int32_t));
    return poly->points && poly->velocities && poly->radii && poly->scales && poly->connectivity && poly->offsets &&
           poly->bodies;
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

static bool gather(poly_data *poly, const sn_world *world) {
    int rods = sn_world_rod_count(world), most = 1;
    size_t points = 0;
    for (int i = 0; i < rods; i++) {
        int n = sn_rod_point_count(world, sn_world_rod_at(world, i));
        points += (size_t)n;
        most = n > most ? n : most;
    }
    rod_view view = {0};
    bool good = poly_take(poly, points) && view_take(&view, (size_t)most);
    for (int i = 0; good && i < rods; i++) {
        sn_rod rod = sn_world_rod_at(world, i);
        int at = poly->point_count, n = sn_rod_get_centres(world, rod, view.vectors, most);
        add_vectors(poly->points + 3 * (size_t)at, view.vectors, n);
        sn_rod_get_velocities(world, rod, view.vectors, most);
        add_vectors(poly->velocities + 3 * (size_t)at, view.vectors, n);
        sn_rod_get_radii(world, rod, view.numbers, most);
        add_numbers(poly->radii + at, view.numbers, n);
        sn_rod_get_scales(world, rod, view.numbers, most);
        add_numbers(poly->scales + at, view.numbers, n);
        sn_rod_get_parents(world, rod, view.parents, most);
        add_lines(poly, &view, n, at, i);
        poly->point_count += n;
    }
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
        size_t n = (size_t)poly.point_count, lines = (size_t)poly.line_count;
        fprintf(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                     "header_type=\"UInt64\">\n  <PolyData>\n");
        fprintf(out,
                "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"%zu\" NumberOfStrips=\"0\" "
                "NumberOfPolys=\"0\">\n",
                n, lines);
        fprintf(out, "      <PointData Scalars=\"radius\" Vectors=\"velocity\">\n");
        write_array(out, "Float32", "radius", 1, poly.radii, n);
        write_array(out, "Float32", "scale", 1, poly.scales, n);
        write_array(out, "Float32", "velocity", 3, poly.velocities, 3 * n);
        fprintf(out, "      </PointData>\n      <CellData Scalars=\"body\">\n");
        write_array(out, "Int32", "body", 1, poly.bodies, lines);
        fprintf(out, "      </CellData>\n      <Points>\n");
        write_array(out, "Float32", "Points", 3, poly.points, 3 * n);
        fprintf(out, "      </Points>\n      <Lines>\n");
        write_array(out, "Int32", "connectivity", 1, poly.connectivity, (size_t)poly.connectivity_count);
        write_array(out, "Int32", "offsets", 1, poly.offsets, lines);
        fprintf(out, "      </Lines>\n    </Piece>\n  </PolyData>\n</VTKFile>\n");
    }
    poly_free(&poly);
    return good;
}
