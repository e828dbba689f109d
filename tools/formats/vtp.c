// VTK's XML format with inline arrays: base64 of a 64-bit byte count and the numbers, little-endian, 32-bit.
#include "formats/vtp.h"
#include "base/math/vec.h"
#include "formats/base64.h"
#include "view/view_kinds.h"
#include <stdlib.h>
#include <string.h>

// All bodies of a world. Lines and triangles are runs of 'connectivity' that end at 'offsets'; first all lines, then
// all triangles.
typedef struct {
    float *points, *velocities, *radii, *scales;
    int32_t *connectivity, *offsets, *bodies;
    int point_count, line_count, connectivity_count;
    int32_t *corners, *corner_ends, *triangle_bodies;
    int triangle_count;
} poly_data;

// Buffers for one body.
typedef struct {
    sn_vec3 *vectors;
    sn_real *numbers;
    int *parents, *children, *line; // children: number of children, -1 once a line has the point
} body_buffer;

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

// Every point of a tree of pills is in one line, and once more as the start of each branch or as the end of a loop.
// `lines` are those of surfaces, with two points each.
static bool poly_alloc(poly_data *poly, size_t points, size_t lines, size_t triangles) {
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

static void buffer_free(body_buffer *buffer) {
    free(buffer->vectors);
    free(buffer->numbers);
    free(buffer->parents);
    free(buffer->children);
    free(buffer->line);
}

static bool buffer_alloc(body_buffer *buffer, size_t n) {
    buffer->vectors = malloc(n * sizeof *buffer->vectors);
    buffer->numbers = malloc(n * sizeof *buffer->numbers);
    buffer->parents = malloc(n * sizeof *buffer->parents);
    buffer->children = malloc(n * sizeof *buffer->children);
    buffer->line = malloc((n + 1) * sizeof *buffer->line);
    return buffer->vectors && buffer->numbers && buffer->parents && buffer->children && buffer->line;
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

// Writes buffer->line[0..count) backwards: lines were collected from the tip up.
static void add_line(poly_data *poly, const body_buffer *buffer, int count, int first, int body) {
    if (count < 2) return;
    for (int i = count - 1; i >= 0; i--) poly->connectivity[poly->connectivity_count++] = first + buffer->line[i];
    poly->offsets[poly->line_count] = poly->connectivity_count;
    poly->bodies[poly->line_count++] = body;
}

// The cycle through point 0, if there is one; its points count as seen.
static void add_loop(poly_data *poly, body_buffer *buffer, int n, int first, int body) {
    if (buffer->parents[0] < 0) return;
    int count = 0, k = 0;
    do {
        buffer->line[count++] = k;
        buffer->children[k] = -1;
        k = buffer->parents[k];
    } while (k > 0 && count < n);
    buffer->line[count++] = 0;
    add_line(poly, buffer, count, first, body);
}

// Lines of a tree of pills: from each tip up to the root or to a point that another line has.
static void add_lines(poly_data *poly, body_buffer *buffer, int n, int first, int body) {
    memset(buffer->children, 0, (size_t)n * sizeof *buffer->children);
    for (int i = 0; i < n; i++) {
        if (buffer->parents[i] >= 0) buffer->children[buffer->parents[i]]++;
    }
    add_loop(poly, buffer, n, first, body);
    for (int i = n; i-- > 0;) {
        if (buffer->children[i] != 0) continue;
        int count = 0;
        for (int k = i; k >= 0; k = buffer->parents[k]) {
            bool seen = buffer->children[k] < 0;
            buffer->line[count++] = k;
            buffer->children[k] = -1;
            if (seen) break;
        }
        add_line(poly, buffer, count, first, body);
    }
}

// A body and the sizes of its lists.
typedef struct {
    const view_kind *kind;
    sn_body id;
    int points, lines, triangles; // lines only if it has no triangles
} body_size;

// Tubes under a skin: rings, with two triangles between neighbouring points of neighbouring rings, and a fan over each end.
static int tube_triangles(int points) {
    const int rings = points / VIEW_TUBE_SIDES;
    return rings < 2 ? 0 : 2 * VIEW_TUBE_SIDES * (rings - 1) + 2 * (VIEW_TUBE_SIDES - 2);
}

static body_size measure_tubes(const sn_world *world, sn_body id) {
    body_size size = {.kind = view_kind_of(id), .id = id};
    for (int tube = 0; tube < size.kind->tube_count(world, id); tube++) {
        const int points = size.kind->tube_points(world, id, tube, NULL, 0);
        size.points += points, size.triangles += tube_triangles(points);
    }
    return size;
}

static body_size measure(const sn_world *world, sn_body id) {
    const view_kind *kind = view_kind_of(id);
    if (kind->form == VIEW_COVERED) return measure_tubes(world, id);
    body_size size = {.kind = kind, .id = id, .points = kind->points(world, id, NULL, 0)};
    if (kind->triangles) size.triangles = kind->triangles(world, id, NULL, 0);
    if (size.triangles == 0 && kind->lines) size.lines = kind->lines(world, id, NULL, 0);
    return size;
}

static void add_pairs(poly_data *poly, const sn_world *world, const body_size *size, int first, int body) {
    int32_t(*lines)[2] = size->lines ? malloc((size_t)size->lines * sizeof *lines) : NULL;
    const int got = lines ? size->kind->lines(world, size->id, lines, size->lines) : 0;
    for (int k = 0; k < got && k < size->lines; k++) {
        for (int end = 0; end < 2; end++) poly->connectivity[poly->connectivity_count++] = first + lines[k][end];
        poly->offsets[poly->line_count] = poly->connectivity_count;
        poly->bodies[poly->line_count++] = body;
    }
    free(lines);
}

static void add_triangles(poly_data *poly, const sn_world *world, const body_size *size, int first, int body) {
    if (size->triangles == 0) return;
    int32_t(*corners)[3] = (int32_t(*)[3])(void *)(poly->corners + 3 * (size_t)poly->triangle_count);
    size->kind->triangles(world, size->id, corners, size->triangles);
    for (int t = 0; t < size->triangles; t++) {
        for (int k = 0; k < 3; k++) corners[t][k] += first;
        poly->triangle_bodies[poly->triangle_count] = body;
        poly->corner_ends[poly->triangle_count] = 3 * (poly->triangle_count + 1);
        poly->triangle_count++;
    }
}

static void add_triangle(poly_data *poly, int a, int b, int c, int body) {
    int32_t *corner = poly->corners + 3 * (size_t)poly->triangle_count;
    corner[0] = a, corner[1] = b, corner[2] = c;
    poly->triangle_bodies[poly->triangle_count++] = body;
    poly->corner_ends[poly->triangle_count - 1] = 3 * poly->triangle_count;
}

// A tube of a character's muscle. The radius of a point is its distance from the middle of its ring.
static void add_tube(poly_data *poly, const sn_vec3 *points, int count, int body) {
    enum { SIDES = VIEW_TUBE_SIDES };
    const int first = poly->point_count, rings = count / SIDES;
    add_vectors(poly->points + 3 * (size_t)first, points, count);
    for (int i = 0; i < count; i++) {
        const sn_vec3 *ring = points + i / SIDES * SIDES;
        sn_vec3 sum = {0, 0, 0};
        for (int k = 0; k < SIDES; k++) sum = sn_add(sum, ring[k]);
        const size_t at = (size_t)(first + i);
        poly->radii[at] = (float)sn_length(sn_sub(points[i], sn_mul((sn_real)(1.0 / SIDES), sum)));
        poly->scales[at] = 1;
        memset(poly->velocities + 3 * at, 0,
               3 * sizeof(float)); // tubes are drawn where muscles are; their points do not move
    }
    for (int i = 0; i + SIDES < rings * SIDES; i++) {
        const int a = first + i, b = first + i / SIDES * SIDES + (i + 1) % SIDES;
        add_triangle(poly, a, b, a + SIDES, body);
        add_triangle(poly, b, b + SIDES, a + SIDES, body);
    }
    const int last = first + (rings - 1) * SIDES;
    for (int k = 1; rings > 1 && k + 1 < SIDES; k++) {
        add_triangle(poly, first, first + k + 1, first + k, body);
        add_triangle(poly, last, last + k, last + k + 1, body);
    }
    poly->point_count += count;
}

static void add_tubes(poly_data *poly, const sn_world *world, body_buffer *buffer, const body_size *size, int body) {
    for (int tube = 0; tube < size->kind->tube_count(world, size->id); tube++) {
        const int count = size->kind->tube_points(world, size->id, tube, buffer->vectors, size->points);
        add_tube(poly, buffer->vectors, count, body);
    }
}

static void add_body(poly_data *poly, const sn_world *world, body_buffer *buffer, const body_size *size, int body) {
    const view_kind *kind = size->kind;
    if (kind->form == VIEW_COVERED) {
        add_tubes(poly, world, buffer, size, body);
        return;
    }
    const int at = poly->point_count, n = size->points;
    kind->points(world, size->id, buffer->vectors, n);
    add_vectors(poly->points + 3 * (size_t)at, buffer->vectors, n);
    for (int k = 0; k < n; k++) buffer->vectors[k] = (sn_vec3){0, 0, 0};
    sn_body_get_velocities(world, size->id, buffer->vectors, n);
    add_vectors(poly->velocities + 3 * (size_t)at, buffer->vectors, n);
    kind->radii(world, size->id, buffer->numbers, n);
    add_numbers(poly->radii + at, buffer->numbers, n);
    for (int k = 0; k < n; k++) buffer->numbers[k] = 1;
    if (kind->scales) kind->scales(world, size->id, buffer->numbers, n);
    add_numbers(poly->scales + at, buffer->numbers, n);
    if (kind->parents) {
        kind->parents(world, size->id, buffer->parents, n);
        add_lines(poly, buffer, n, at, body);
    }
    add_triangles(poly, world, size, at, body);
    add_pairs(poly, world, size, at, body);
    poly->point_count += n;
}

// Bodies are in the order of these forms.
static const view_form forms[] = {VIEW_PILLS, VIEW_SURFACE, VIEW_COVERED};
enum { FORMS = sizeof forms / sizeof *forms };

static sn_body body_at(const sn_world *world, int i) {
    int form = 0;
    for (; form + 1 < FORMS && i >= view_count(world, forms[form]); form++) i -= view_count(world, forms[form]);
    return view_at(world, forms[form], i);
}

static bool gather(poly_data *poly, const sn_world *world) {
    int count = 0;
    for (int form = 0; form < FORMS; form++) count += view_count(world, forms[form]);
    size_t points = 0, lines = 0, triangles = 0, max = 1;
    for (int i = 0; i < count; i++) {
        const body_size size = measure(world, body_at(world, i));
        points += (size_t)size.points, lines += (size_t)size.lines, triangles += (size_t)size.triangles;
        max = (size_t)size.points > max ? (size_t)size.points : max;
    }
    body_buffer buffer = {0};
    const bool good = poly_alloc(poly, points, lines, triangles) && buffer_alloc(&buffer, max);
    for (int i = 0; good && i < count; i++) {
        const body_size size = measure(world, body_at(world, i));
        add_body(poly, world, &buffer, &size, i);
    }
    if (good && poly->triangle_count)
        memcpy(poly->bodies + poly->line_count, poly->triangle_bodies,
               (size_t)poly->triangle_count * sizeof *poly->bodies);
    buffer_free(&buffer);
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
