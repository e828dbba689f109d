// Creates a rig: validates the definition, sorts vertices into rows, and evaluates their values at rest.
//
// Rows are built by recursively splitting the vertices of an owner along the longest side of their box, such that one
// side fills whole rows: 16 vertices close to each other.
#include "skin/implicit/implicit_internal.h"
#include <string.h>

enum { ROW = SN_IMPLICIT_ROW, INFLUENCES = SN_IMPLICIT_INFLUENCES };

void *sn_blocks_alloc(sn_blocks *blocks, size_t count, size_t size) {
    if (blocks->count == (int)(sizeof blocks->block / sizeof blocks->block[0])) blocks->failed = true;
    void *at = blocks->failed ? NULL : sn_alloc(blocks->memory, count, size);
    if (!at) {
        blocks->failed = true;
        return NULL;
    }
    blocks->block[blocks->count].at = at;
    blocks->block[blocks->count].count = count;
    blocks->block[blocks->count].size = size;
    blocks->count += 1;
    return at;
}

void sn_blocks_free(sn_blocks *blocks) {
    while (blocks->count > 0) {
        blocks->count -= 1;
        sn_free(blocks->memory, blocks->block[blocks->count].at, blocks->block[blocks->count].count,
                blocks->block[blocks->count].size);
    }
}

// ---- validation

// Logs an error; at most ten of a kind.
typedef struct {
    const sn_log *log;
    int errors, lines;
} checker;

#define WRONG(c, field, ...)                                                                                           \
    do {                                                                                                               \
        (c)->errors += 1;                                                                                              \
        if ((c)->lines++ < 10) sn_log_line((c)->log, SN_LOG_ERROR, SN_ERR_DEF, field, __VA_ARGS__);                    \
    } while (0)

static bool is_rotation(sn_quat q) {
    const sn_real size2 = sn_q_dot(q, q);
    return sn_q_finite(q) && size2 > (sn_real)0.98 && size2 < (sn_real)1.02;
}

static void check_bones(checker *c, const sn_implicit_def *def) {
    for (int b = 0; b < def->bone_count; b++) {
        const sn_implicit_bone *bone = &def->bones[b];
        if (bone->parent < -1 || bone->parent >= b)
            WRONG(c, "bones", "bone %d has the parent %d; parents come before their children, -1 is none", b,
                  bone->parent);
        if ((int)bone->kind < 0 || bone->kind >= SN_FOLD_KINDS) WRONG(c, "bones", "bone %d has no kind of joint", b);
        if (!sn_finite3(bone->rest.position) || !is_rotation(bone->rest.rotation))
            WRONG(c, "bones", "bone %d: its rest pose must be a finite position and a unit quaternion", b);
        if (bone->centre_count < 0 || bone->first_centre < 0 ||
            bone->first_centre > def->centre_count - bone->centre_count) {
            WRONG(c, "bones", "bone %d has centres %d to %d; there are %d", b, bone->first_centre,
                  bone->first_centre + bone->centre_count - 1, def->centre_count);
            continue;
        }
        if (bone->centre_count == 0) continue;
        if (!(bone->reach > 0 && sn_finite(bone->reach)) || !(bone->radius > 0 && sn_finite(bone->radius)))
            WRONG(c, "bones", "bone %d: reach (%g) and radius (%g) must be above 0", b, (double)bone->reach,
                  (double)bone->radius);
        if (!sn_finite3(bone->low) || !sn_finite3(bone->high) || !(bone->low.x < bone->high.x) ||
            !(bone->low.y < bone->high.y) || !(bone->low.z < bone->high.z))
            WRONG(c, "bones", "bone %d: the box of its field must be finite and not empty", b);
    }
    for (int i = 0; i < def->centre_count; i++)
        if (!sn_finite3(def->centres[i]) || !sn_finite(def->alphas[i]) || !sn_finite3(def->betas[i]))
            WRONG(c, "centres", "centre %d is not finite", i);
}

static void check_vertices(checker *c, const sn_implicit_def *def) {
    for (int v = 0; v < def->count; v++) {
        sn_real sum = 0;
        bool good = true;
        if (!sn_finite3(def->points[v])) WRONG(c, "points", "vertex %d is not finite", v);
        if (def->owners[v] < -1 || def->owners[v] >= def->bone_count)
            WRONG(c, "owners", "vertex %d belongs to bone %d; there are %d, -1 is none", v, def->owners[v],
                  def->bone_count);
        for (int k = 0; k < INFLUENCES; k++) {
            const int bone = def->influences[v][k];
            const sn_real weight = def->weights[v][k];
            good = good && weight >= 0 && sn_finite(weight) && bone >= 0 && bone < def->bone_count;
            sum += weight;
        }
        if (!good)
            WRONG(c, "weights", "vertex %d: bones must be 0 to %d and weights at least 0", v, def->bone_count - 1);
        else if (!(sn_abs(sum - 1) < (sn_real)0.01))
            WRONG(c, "weights", "vertex %d: its weights add up to %g; they must be 1", v, (double)sum);
        const int first = def->first_other[v], last = def->first_other[v + 1];
        if (first < 0 || last < first || (v == 0 && first != 0)) {
            WRONG(c, "first_other", "vertex %d: its neighbours are %d to %d; lists start at 0 and follow each other", v,
                  first, last - 1);
            return;
        }
        for (int k = first; k < last; k++) {
            if (def->others[k] < 0 || def->others[k] >= def->count || def->others[k] == v)
                WRONG(c, "others", "vertex %d has the neighbour %d; there are %d vertices", v, def->others[k],
                      def->count);
            if (!(def->cotangents[k] > 0 && sn_finite(def->cotangents[k])) || !sn_finite(def->mean_values[k]))
                WRONG(c, "cotangents", "vertex %d: weights of edges must be finite, cotangents above 0", v);
        }
    }
}

static bool check(const sn_log *log, const sn_implicit_def *def) {
    checker c = {log, 0, 0};
    if (def->bone_count < 1 || def->bone_count > SN_IMPLICIT_MAX_BONES)
        WRONG(&c, "bone_count", "there are %d bones; 1 to %d are possible", def->bone_count, SN_IMPLICIT_MAX_BONES);
    if (def->count < 1 || def->count > (1 << 26))
        WRONG(&c, "count", "there are %d vertices; 1 to %d are possible", def->count, 1 << 26);
    if (def->centre_count < 0) WRONG(&c, "centre_count", "there are %d centres", def->centre_count);
    if (!def->bones || (def->centre_count > 0 && (!def->centres || !def->alphas || !def->betas)))
        WRONG(&c, "bones", "bones or their centres are null");
    if (!def->points || !def->owners || !def->influences || !def->weights || !def->first_other)
        WRONG(&c, "points", "arrays of vertices are null");
    else if (def->count > 0 && def->count <= (1 << 26) && def->first_other[def->count] > 0 &&
             (!def->others || !def->cotangents || !def->mean_values))
        WRONG(&c, "others", "arrays of neighbours are null");
    if (!sn_implicit_kernels_for(def->lanes))
        WRONG(&c, "lanes", "%d lanes: this build or machine has none; 0 takes the widest", def->lanes);
    if (c.errors) return false;
    check_bones(&c, def);
    check_vertices(&c, def);
    if (c.lines > 10) sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "", "%d more errors", c.lines - 10);
    return c.errors == 0;
}

// ---- rows

static sn_real coordinate(sn_vec3 p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static bool before(const sn_vec3 *points, int axis, int a, int b) {
    const sn_real x = coordinate(points[a], axis), y = coordinate(points[b], axis);
    return x < y || (x == y && a < b);
}

// Moves the `left` smallest of list[0 .. count) along an axis to the front (Hoare's selection).
static void select_smallest(const sn_vec3 *points, int axis, int *list, int count, int left) {
    int low = 0, high = count - 1;
    while (low < high) {
        const int pivot = list[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (before(points, axis, list[i], pivot)) i++;
            while (before(points, axis, pivot, list[j])) --j;
            if (i > j) break;
            const int swap = list[i];
            list[i++] = list[j], list[j--] = swap;
        }
        if (left <= j)
            high = j;
        else if (left >= i)
            low = i;
        else
            break;
    }
}

static void halve(const sn_vec3 *points, int *list, int count) {
    while (count > ROW) {
        sn_vec3 low = points[list[0]], high = low;
        for (int i = 1; i < count; i++) {
            const sn_vec3 p = points[list[i]];
            low = sn_v3(sn_min(low.x, p.x), sn_min(low.y, p.y), sn_min(low.z, p.z));
            high = sn_v3(sn_max(high.x, p.x), sn_max(high.y, p.y), sn_max(high.z, p.z));
        }
        const sn_vec3 size = sn_sub(high, low);
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
        const int left = (count / 2 + ROW - 1) / ROW * ROW;
        select_smallest(points, axis, list, count, left);
        halve(points, list, left);
        list += left, count -= left;
    }
}

// The bone whose field a vertex follows.
static int owner_of(const sn_implicit_def *def, int vertex) {
    const int bone = def->owners[vertex];
    return bone >= 0 && def->bones[bone].centre_count > 0 ? bone : -1;
}

// order: vertices by owner. Returns the number of rows; fills them if the rig's arrays are allocated.
static int make_rows(sn_implicit_rig *rig, const sn_implicit_def *def, int *order, bool fill) {
    int rows = 0, done = 0;
    for (int owner = -1; owner < def->bone_count; owner++) {
        int count = 0;
        while (done + count < def->count && owner_of(def, order[done + count]) == owner) count++;
        if (fill) {
            halve(def->points, order + done, count);
            for (int i = 0; i < (count + ROW - 1) / ROW; i++) {
                const int row = rows + i, filled = count - i * ROW < ROW ? count - i * ROW : ROW;
                rig->owner[row] = owner, rig->filled[row] = filled;
                for (int k = 0; k < ROW; k++) rig->vertex[row * ROW + k] = order[done + i * ROW + (k < filled ? k : 0)];
            }
        }
        rows += (count + ROW - 1) / ROW;
        done += count;
    }
    return rows;
}

static void sort_by_owner(const sn_implicit_def *def, int *order, int *first) {
    for (int v = 0; v < def->count; v++) first[owner_of(def, v) + 2] += 1;
    for (int b = 0; b < def->bone_count + 1; b++) first[b + 1] += first[b];
    for (int v = 0; v < def->count; v++) order[first[owner_of(def, v) + 1]++] = v;
}

static void fill_vertices(sn_implicit_rig *rig, const sn_implicit_def *def) {
    for (int slot = 0; slot < rig->slots; slot++) {
        const int v = rig->vertex[slot], row = slot / ROW, lane = slot % ROW;
        const sn_vec3 p = def->points[v];
        sn_real *to = rig->rest + (size_t)slot * 4;
        to[0] = p.x, to[1] = p.y, to[2] = p.z;
        // The heaviest first: it determines the signs of the others.
        int best = 0;
        sn_real sum = 0;
        for (int k = 0; k < INFLUENCES; k++) {
            if (def->weights[v][k] > def->weights[v][best]) best = k;
            sum += def->weights[v][k];
        }
        for (int k = 0; k < INFLUENCES; k++) {
            const int from = k == 0 ? best : (k <= best ? k - 1 : k);
            const size_t at = ((size_t)row * INFLUENCES + (size_t)k) * ROW + (size_t)lane;
            rig->weight[at] = def->weights[v][from] / sum;
            rig->influence[at] = def->influences[v][from];
        }
    }
}

// ---- edges

static int entries_of(const sn_implicit_def *def, const int *vertex) {
    int max = 0;
    for (int k = 0; k < ROW; k++) {
        const int count = def->first_other[vertex[k] + 1] - def->first_other[vertex[k]];
        if (count > max) max = count;
    }
    return max;
}

static void fill_edges(sn_implicit_rig *rig, const sn_implicit_def *def, const int *slot_of) {
    for (int slot = 0; slot < rig->slots; slot++) {
        const int row = slot / ROW, lane = slot % ROW, v = rig->vertex[slot], first = def->first_other[v];
        const int count = lane < rig->filled[row] ? def->first_other[v + 1] - first : 0;
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const int k = entry - rig->first_entry[row];
            const size_t at = (size_t)entry * ROW + (size_t)lane;
            rig->other[at] = slot;
            if (k >= count) continue;
            const int other = def->others[first + k];
            const sn_vec3 e = sn_sub(def->points[other], def->points[v]);
            rig->other[at] = slot_of[other];
            rig->stiff[at] = def->cotangents[first + k];
            rig->ring[at] = def->mean_values[first + k];
            rig->stiff_sum[slot] += rig->stiff[at];
            rig->area[slot] += rig->stiff[at] * sn_length2(e) / 4;
            sn_real *edge = rig->edge + (size_t)entry * 3 * ROW + lane;
            edge[0] = e.x, edge[ROW] = e.y, edge[2 * ROW] = e.z;
        }
        rig->uniform[slot] = count > 0 ? 1 / (sn_real)count : 0;
    }
}

// The neighbouring rows of each row, each once. seen: marks, one per row.
static int find_beside(sn_implicit_rig *rig, int *seen, bool fill) {
    int count = 0;
    for (int row = 0; row < rig->rows; row++) seen[row] = -1;
    for (int row = 0; row < rig->rows; row++) {
        if (fill) rig->first_neighbour[row] = count;
        seen[row] = row;
        for (size_t at = (size_t)rig->first_entry[row] * ROW; at < (size_t)rig->first_entry[row + 1] * ROW; at++) {
            const int other = rig->other[at] / ROW;
            if (seen[other] == row) continue;
            seen[other] = row;
            if (fill) rig->neighbour[count] = other;
            count++;
        }
    }
    if (fill) rig->first_neighbour[rig->rows] = count;
    return count;
}

// ---- bones

// The next bone toward the root that has a field.
static int parent_field(const sn_implicit_rig *rig, int bone) {
    do bone = rig->bone[bone].parent;
    while (bone >= 0 && rig->bone[bone].centre_count == 0);
    return bone;
}

static void fill_bones(sn_implicit_rig *rig, const sn_implicit_def *def) {
    for (int b = 0; b < rig->bones; b++) {
        rig->bone[b] = def->bones[b];
        rig->bone[b].rest.rotation = sn_q_normalize(rig->bone[b].rest.rotation);
    }
    for (int i = 0; i < def->centre_count; i++) {
        sn_real *to = rig->centres + (size_t)i * SN_CENTRE_SIZE;
        const sn_vec3 c = def->centres[i], beta = def->betas[i];
        to[0] = c.x, to[1] = c.y, to[2] = c.z, to[3] = def->alphas[i];
        to[4] = 3 * beta.x, to[5] = 3 * beta.y, to[6] = 3 * beta.z, to[7] = 3 * def->alphas[i];
    }
    for (int o = 0; o < rig->bones; o++)
        for (int x = 0; x < rig->bones; x++) {
            const int above_o = parent_field(rig, o), above_x = parent_field(rig, x);
            int kind = SN_INTERACT_CONTACT;
            if (above_o == x)
                kind = (int)rig->bone[o].kind;
            else if (above_x == o)
                kind = (int)rig->bone[x].kind;
            else if (above_o >= 0 && above_o == above_x)
                kind = SN_INTERACT_UNION;
            rig->interaction[o * rig->bones + x] = (unsigned char)kind;
        }
}

// Bones that are not neighbours but overlap at rest, as in a spine of short bones, are united: contact between them is
// meaningless.
static void unite_overlapping(sn_implicit_rig *rig, const sn_implicit_frame *frame) {
    sn_real rows[7][SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    for (int row = 0; row < rig->rows; row++) {
        const int owner = rig->owner[row];
        if (owner < 0) continue;
        for (int k = 0; k < ROW; k++)
            for (int c = 0; c < 3; c++) rows[c][k] = rig->rest[((size_t)row * ROW + (size_t)k) * 4 + (size_t)c];
        for (int x = 0; x < rig->bones; x++) {
            const uint64_t near = frame->state->near_bones[(size_t)row * (size_t)rig->words + (size_t)(x / 64)];
            unsigned char *kind = &rig->interaction[owner * rig->bones + x];
            if (x == owner || *kind != SN_INTERACT_CONTACT || !(near >> (x % 64) & 1)) continue;
            rig->kernels->field(frame, x, (const sn_real *const[3]){rows[0], rows[1], rows[2]}, rows[3],
                                (sn_real *const[3]){rows[4], rows[5], rows[6]});
            for (int k = 0; k < ROW; k++)
                if (rows[3][k] > (sn_real)0.1) *kind = rig->interaction[x * rig->bones + owner] = SN_INTERACT_UNION;
        }
    }
}

// ---- overlap at rest

// How much of the contact with another bone counts for a vertex that has this value of its field at rest.
static sn_real separation(sn_real f) {
    const sn_real x = sn_clamp((f - (sn_real)0.05) / (sn_real)0.3, 0, 1);
    return 1 - x * x * (3 - 2 * x);
}

// Lists the bones that each row is inside of at rest; only counts them if `fill` is false. Returns their number.
static int find_inside(sn_implicit_rig *rig, const sn_implicit_frame *frame, bool fill) {
    sn_real rows[7][SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    int count = 0;
    for (int row = 0; row < rig->rows; row++) {
        const int owner = rig->owner[row];
        rig->first_inside[row] = count;
        for (int k = 0; k < ROW; k++)
            for (int c = 0; c < 3; c++) rows[c][k] = rig->rest[((size_t)row * ROW + (size_t)k) * 4 + (size_t)c];
        for (int x = 0; owner >= 0 && x < rig->bones; x++) {
            const uint64_t near = frame->state->near_bones[(size_t)row * (size_t)rig->words + (size_t)(x / 64)];
            const int kind = rig->interaction[owner * rig->bones + x];
            if (x == owner || kind == SN_FOLD_ELBOW || kind == SN_FOLD_FINGER || !(near >> (x % 64) & 1)) continue;
            rig->kernels->field(frame, x, (const sn_real *const[3]){rows[0], rows[1], rows[2]}, rows[3],
                                (sn_real *const[3]){rows[4], rows[5], rows[6]});
            bool any = false;
            for (int k = 0; k < ROW; k++) any = any || separation(rows[3][k]) < 1;
            if (!any) continue;
            for (int k = 0; fill && k < ROW; k++)
                rig->separation[(size_t)count * ROW + (size_t)k] = separation(rows[3][k]);
            if (fill) rig->inside_bone[count] = x;
            count++;
        }
    }
    rig->first_inside[rig->rows] = count;
    return count;
}

static bool make_inside(sn_implicit_rig *rig, const sn_implicit_frame *frame) {
    const size_t count = (size_t)find_inside(rig, frame, false);
    rig->inside_bone = sn_blocks_alloc(&rig->blocks, count, sizeof(int));
    rig->separation = sn_blocks_alloc(&rig->blocks, count * ROW, sizeof(sn_real));
    if (!rig->inside_bone || !rig->separation) return false;
    find_inside(rig, frame, true);
    return true;
}

// ---- mixing

// The mixing weight of an influence; 0 for small ones, to save the evaluation of the field.
static sn_real mixed_part(sn_real weight) {
    return sn_max(weight - (sn_real)0.04, 0);
}

static bool mixes(const sn_implicit_rig *rig, int owner, int bone) {
    return bone == owner ||
           (rig->interaction[owner * rig->bones + bone] == SN_INTERACT_UNION && rig->bone[bone].centre_count);
}

// Lists the bones mixed into each row; only counts them if `fill` is false. Returns their number.
static int find_mixes(sn_implicit_rig *rig, bool fill) {
    int count = 0;
    for (int row = 0; row < rig->rows; row++) {
        const size_t first = (size_t)row * INFLUENCES * ROW;
        const int owner = rig->owner[row], start = count;
        rig->first_mix[row] = count;
        if (owner < 0) continue;
        for (int lane = 0; lane < ROW; lane++) {
            sn_real sum = 0;
            for (int k = 0; k < INFLUENCES; k++)
                if (mixes(rig, owner, rig->influence[first + (size_t)(k * ROW + lane)]))
                    sum += mixed_part(rig->weight[first + (size_t)(k * ROW + lane)]);
            sn_real own = 1;
            for (int k = 0; k < INFLUENCES && sum > 0; k++) {
                const size_t at = first + (size_t)(k * ROW + lane);
                const int bone = rig->influence[at];
                const sn_real part = mixed_part(rig->weight[at]) / sum;
                if (bone == owner || !(part > 0) || !mixes(rig, owner, bone)) continue;
                int entry = start;
                while (entry < count && rig->mix_bone[entry] != bone) entry++;
                if (entry == count) {
                    rig->mix_bone[entry] = bone, ++count;
                    for (int i = 0; fill && i < ROW; i++) rig->mix[(size_t)entry * ROW + (size_t)i] = 0;
                }
                if (fill) rig->mix[(size_t)entry * ROW + (size_t)lane] = part;
                own -= part;
            }
            if (fill) rig->own[row * ROW + lane] = sn_max(own, 0);
        }
    }
    rig->first_mix[rig->rows] = count;
    return count;
}

static bool make_mixes(sn_implicit_rig *rig) {
    const int count = find_mixes(rig, false);
    rig->mix = sn_blocks_alloc(&rig->blocks, (size_t)count * ROW, sizeof(sn_real));
    if (!rig->mix) return false;
    find_mixes(rig, true);
    return true;
}

// ---- the rig

static bool alloc_all(sn_implicit_rig *rig) {
    sn_blocks *b = &rig->blocks;
    const size_t bones = (size_t)rig->bones, rows = (size_t)rig->rows, slots = (size_t)rig->slots;
    rig->bone = sn_blocks_alloc(b, bones, sizeof *rig->bone);
    rig->centres = sn_blocks_alloc(b, (size_t)rig->centre_count * SN_CENTRE_SIZE, sizeof(sn_real));
    rig->interaction = sn_blocks_alloc(b, bones * bones, 1);
    rig->tables = sn_blocks_alloc(b, 2 * (size_t)SN_TABLE_SIZE, sizeof(sn_real));
    rig->owner = sn_blocks_alloc(b, rows, sizeof(int));
    rig->filled = sn_blocks_alloc(b, rows, sizeof(int));
    rig->vertex = sn_blocks_alloc(b, slots, sizeof(int));
    rig->rest = sn_blocks_alloc(b, slots * 4, sizeof(sn_real));
    rig->influence = sn_blocks_alloc(b, slots * INFLUENCES, sizeof(int32_t));
    rig->weight = sn_blocks_alloc(b, slots * INFLUENCES, sizeof(sn_real));
    rig->level = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->flesh = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->residual = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->side = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->fold = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->contact = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->first_mix = sn_blocks_alloc(b, rows + 1, sizeof(int));
    rig->first_inside = sn_blocks_alloc(b, rows + 1, sizeof(int));
    rig->mix_bone = sn_blocks_alloc(b, slots * INFLUENCES, sizeof(int));
    rig->own = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->first_entry = sn_blocks_alloc(b, rows + 1, sizeof(int));
    rig->stiff_sum = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->uniform = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->area = sn_blocks_alloc(b, slots, sizeof(sn_real));
    rig->normal = sn_blocks_alloc(b, slots * 4, sizeof(sn_real));
    rig->first_neighbour = sn_blocks_alloc(b, rows + 1, sizeof(int));
    return !b->failed;
}

static bool alloc_edges(sn_implicit_rig *rig) {
    sn_blocks *b = &rig->blocks;
    const size_t entries = (size_t)rig->first_entry[rig->rows] * ROW;
    rig->other = sn_blocks_alloc(b, entries, sizeof(int32_t));
    rig->stiff = sn_blocks_alloc(b, entries, sizeof(sn_real));
    rig->ring = sn_blocks_alloc(b, entries, sizeof(sn_real));
    rig->edge = sn_blocks_alloc(b, entries * 3, sizeof(sn_real));
    return !b->failed;
}

static bool build(sn_implicit_rig *rig, const sn_implicit_def *def, sn_blocks *scratch) {
    int *order = sn_blocks_alloc(scratch, (size_t)def->count, sizeof(int));
    int *slot_of = sn_blocks_alloc(scratch, (size_t)def->count, sizeof(int));
    int *first = sn_blocks_alloc(scratch, (size_t)def->bone_count + 3, sizeof(int));
    if (scratch->failed) return false;
    sort_by_owner(def, order, first);
    rig->rows = make_rows(rig, def, order, false), rig->slots = rig->rows * ROW;
    int *seen = sn_blocks_alloc(scratch, (size_t)rig->rows, sizeof(int));
    if (!seen || !alloc_all(rig)) return false;
    make_rows(rig, def, order, true);
    for (int slot = rig->slots - 1; slot >= 0; --slot) slot_of[rig->vertex[slot]] = slot; // the first, not the padding
    for (int row = 0; row < rig->rows; row++)
        rig->first_entry[row + 1] = rig->first_entry[row] + entries_of(def, rig->vertex + row * ROW);
    if (!alloc_edges(rig)) return false;
    fill_bones(rig, def);
    if (!sn_implicit_build_grids(rig)) return false;
    fill_vertices(rig, def);
    fill_edges(rig, def, slot_of);
    rig->neighbour_count = find_beside(rig, seen, false);
    rig->neighbour = sn_blocks_alloc(&rig->blocks, (size_t)rig->neighbour_count, sizeof(int));
    if (!rig->neighbour) return false;
    find_beside(rig, seen, true);
    sn_fill_table(rig->tables, sn_clean_union);
    sn_fill_table(rig->tables + SN_TABLE_SIZE, sn_detail);
    return true;
}

// A state at rest with all nearby bones and muscles found, and a frame for it.
static sn_status rest_frame(sn_implicit_rig *rig, const sn_skin_muscle_table *muscles, sn_implicit_frame *out) {
    sn_implicit_state *state;
    sn_status status = sn_implicit_state_create(rig->blocks.memory, rig, &state);
    if (status != SN_OK) return status;
    *out = (sn_implicit_frame){rig, state, muscles, NULL};
    status = sn_implicit_reserve_muscles(state, muscles ? muscles->count : 0);
    if (status != SN_OK) {
        sn_implicit_state_destroy(state);
        return status;
    }
    sn_implicit_set_frames(state);
    for (int row = 0; row < rig->rows; row++) sn_implicit_find_near(out, row);
    return SN_OK;
}

sn_status sn_implicit_rig_bind(sn_implicit_rig *rig, const sn_skin_muscle_table *muscles) {
    sn_implicit_frame frame;
    const sn_status status = rest_frame(rig, muscles, &frame);
    if (status != SN_OK) return status;
    for (int row = 0; row < rig->rows; row++) rig->kernels->bind(&frame, rig, row);
    sn_implicit_state_destroy(frame.state);
    return SN_OK;
}

sn_status sn_implicit_rig_create(sn_memory *memory, const sn_log *log, const sn_implicit_def *def,
                                 sn_implicit_rig **out) {
    if (!check(log, def)) return SN_ERR_DEF;
    sn_implicit_rig *rig = sn_alloc(memory, 1, sizeof *rig);
    if (!rig) return SN_ERR_MEMORY;
    rig->blocks.memory = memory;
    rig->kernels = sn_implicit_kernels_for(def->lanes);
    rig->bones = def->bone_count, rig->centre_count = def->centre_count, rig->count = def->count;
    rig->words = (rig->bones + 63) / 64;
    sn_blocks scratch = {.memory = memory};
    sn_status status = build(rig, def, &scratch) ? SN_OK : SN_ERR_MEMORY;
    sn_blocks_free(&scratch);
    sn_implicit_frame frame;
    if (status == SN_OK) status = rest_frame(rig, NULL, &frame);
    if (status == SN_OK) {
        unite_overlapping(rig, &frame);
        const bool made = make_inside(rig, &frame);
        sn_implicit_state_destroy(frame.state);
        status = made && make_mixes(rig) ? sn_implicit_rig_bind(rig, NULL) : SN_ERR_MEMORY;
    }
    if (status != SN_OK) {
        sn_implicit_rig_destroy(rig);
        return status;
    }
    *out = rig;
    return SN_OK;
}

void sn_implicit_rig_destroy(sn_implicit_rig *rig) {
    if (!rig) return;
    sn_memory *memory = rig->blocks.memory;
    sn_blocks_free(&rig->blocks);
    sn_free(memory, rig, 1, sizeof *rig);
}

int sn_implicit_bones(const sn_implicit_rig *rig) {
    return rig->bones;
}
