// The order of the joints' rows in their matrix W (joint_solve.c): reverse Cuthill-McKee. Joints that share a body are neighbours. A
// breadth-first walk from an end numbers them level by level; backwards, an elimination in that order stays within a narrow
// envelope: a chain of bodies has a band of two joints, a net one as wide as the net.
#include "base/union_find.h"
#include "couplings/joint/joint.h"

bool sn_joint_is_active(const sn_contacts *c, const sn_solve *solve, const sn_joint_body *joint) {
    if (!joint->alive || joint->pill_a < 0) return false;
    if (solve->coupled[c->proxies.pills[joint->pill_a].body]) return true;
    return joint->pill_b >= 0 && solve->coupled[c->proxies.pills[joint->pill_b].body];
}

static int rows_of(const sn_joint_body *joint) {
    return sn_joint_row_count(&joint->def);
}

// The coupled body of a side, or the first of those that are one with it; -1: none.
static int body_of(const sn_contacts *c, const sn_solve *solve, const sn_joint_body *joint, int side) {
    const int pill = side ? joint->pill_b : joint->pill_a;
    if (pill < 0) return -1;
    const int body = c->proxies.pills[pill].body;
    return solve->coupled[body] ? solve->unit[body] : -1;
}

typedef struct {
    const sn_contacts *c;
    const sn_solve *solve;
    const sn_joints *s;
    int *first, *list; // by body: its joints
    bool *seen, *body_seen;
    int *order; // joints in the order they were reached
    int count;
} walk;

static int degree(const walk *w, int joint) {
    int sum = 0;
    for (int side = 0; side < 2; side++) {
        const int body = body_of(w->c, w->solve, &w->s->items[joint], side);
        if (body >= 0) sum += w->first[body + 1] - w->first[body];
    }
    return sum;
}

static void reach(walk *w, int from) {
    int next = w->count;
    w->order[w->count++] = from;
    w->seen[from] = true;
    for (; next < w->count; next++)
        for (int side = 0; side < 2; side++) {
            const int body = body_of(w->c, w->solve, &w->s->items[w->order[next]], side);
            if (body < 0 || w->body_seen[body]) continue;
            w->body_seen[body] = true;
            for (int k = w->first[body]; k < w->first[body + 1]; k++) {
                if (w->seen[w->list[k]]) continue;
                w->seen[w->list[k]] = true;
                w->order[w->count++] = w->list[k];
            }
        }
}

// Places of rows: joints in reverse order of the walk, the rows of each together.
static void place_rows(const sn_joints *s, const walk *w, const int *first_row, int *place) {
    int at = 0;
    for (int k = w->count - 1; k >= 0; --k)
        for (int r = 0; r < rows_of(&s->items[w->order[k]]); r++) place[first_row[w->order[k]] + r] = at++;
}

static bool list_body_rows(sn_joints *s, sn_arena *arena, const walk *w, const int *first_row) {
    sn_joint_system *j = &s->system;
    const int bodies = w->solve->bodies;
    j->body_count = j->max_body_rows = 0;
    for (int b = 0; b < bodies; b++) j->body_count += w->first[b + 1] > w->first[b];
    j->bodies = sn_arena_alloc(arena, (size_t)j->body_count + 1, sizeof(int));
    j->body_first = sn_arena_alloc(arena, (size_t)j->body_count + 2, sizeof(int));
    j->body_rows = sn_arena_alloc(arena, 2 * (size_t)j->row_count + 1, sizeof(int));
    if (!j->bodies || !j->body_first || !j->body_rows) return false;
    int body = 0, at = 0;
    for (int b = 0; b < bodies; b++) {
        if (w->first[b + 1] == w->first[b]) continue;
        j->bodies[body] = b, j->body_first[body++] = at;
        const int start = at;
        for (int k = w->first[b]; k < w->first[b + 1]; k++) {
            if (k > w->first[b] && w->list[k] == w->list[k - 1]) continue; // both of its sides
            for (int r = 0; r < rows_of(&s->items[w->list[k]]); r++) j->body_rows[at++] = first_row[w->list[k]] + r;
        }
        if (at - start > j->max_body_rows) j->max_body_rows = at - start;
    }
    j->body_first[body] = at;
    return true;
}

// The envelope: a row starts at the first row that shares a body with it.
static bool make_envelope(sn_joint_system *j, sn_arena *arena) {
    int *first = sn_arena_alloc(arena, (size_t)j->row_count + 1, sizeof *first);
    size_t *start = sn_arena_alloc(arena, (size_t)j->row_count + 1, sizeof *start);
    if (!first || !start) return false;
    for (int i = 0; i < j->row_count; i++) first[i] = i;
    for (int b = 0; b < j->body_count; b++) {
        int smallest = j->row_count;
        for (int k = j->body_first[b]; k < j->body_first[b + 1]; k++)
            smallest = j->place[j->body_rows[k]] < smallest ? j->place[j->body_rows[k]] : smallest;
        for (int k = j->body_first[b]; k < j->body_first[b + 1]; k++) {
            const int row = j->place[j->body_rows[k]];
            first[row] = smallest < first[row] ? smallest : first[row];
        }
    }
    j->entries = 0;
    for (int i = 0; i < j->row_count; i++) {
        start[i] = j->entries;
        j->entries += (size_t)(i - first[i] + 1);
    }
    j->matrix = (sn_skyline){j->row_count, first, start, sn_arena_alloc(arena, j->entries + 1, sizeof(double))};
    return j->matrix.a != NULL;
}

// Room for a second matrix, if some multiplier has bounds.
static bool reserve_bounds(sn_joints *s, sn_arena *arena) {
    sn_joint_system *j = &s->system;
    bool any = false;
    for (int i = 0; i < s->count && !any; i++) any = s->items[i].alive && sn_joint_has_coordinate(&s->items[i].def);
    j->whole = j->column = NULL;
    if (!any) return true;
    j->whole = sn_arena_alloc(arena, j->entries + 1, sizeof(double));
    j->column = sn_arena_alloc(arena, (size_t)j->row_count + 1, sizeof(double));
    return j->whole && j->column;
}

static void count_joints(const sn_joints *s, walk *w) {
    const int bodies = w->solve->bodies;
    for (int b = 0; b <= bodies; b++) w->first[b] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->count; i++) {
            if (!sn_joint_is_active(w->c, w->solve, &s->items[i])) continue;
            for (int side = 0; side < 2; side++) {
                const int body = body_of(w->c, w->solve, &s->items[i], side);
                if (body < 0) continue;
                if (pass == 0)
                    w->first[body + 1]++;
                else
                    w->list[w->first[body]++] = i;
            }
        }
        if (pass == 0)
            for (int b = 0; b < bodies; b++) w->first[b + 1] += w->first[b];
    }
    for (int b = bodies; b > 0; --b) w->first[b] = w->first[b - 1];
    w->first[0] = 0;
}

bool sn_joints_open(void *what, const sn_stage *stage, sn_solve *solve) {
    sn_joints *s = what;
    sn_joint_system *j = &s->system;
    sn_contacts *c = sn_world_contacts(s->world);
    (void)stage;
    *j = (sn_joint_system){0};
    if (!solve->coupled || s->alive == 0) return false;
    sn_arena *arena = &c->arena;
    const size_t joints = (size_t)s->count, bodies = (size_t)solve->bodies;
    int *first_row = sn_arena_alloc(arena, joints + 1, sizeof *first_row);
    walk w = {c,
              solve,
              s,
              sn_arena_alloc(arena, bodies + 2, sizeof(int)),
              sn_arena_alloc(arena, 2 * joints + 1, sizeof(int)),
              sn_arena_alloc(arena, joints + 1, sizeof(bool)),
              sn_arena_alloc(arena, bodies + 1, sizeof(bool)),
              sn_arena_alloc(arena, joints + 1, sizeof(int)),
              0};
    if (!first_row || !w.first || !w.list || !w.seen || !w.body_seen || !w.order) return false;
    int rows = 0;
    for (int i = 0; i < s->count; i++) {
        w.seen[i] = !sn_joint_is_active(c, solve, &s->items[i]);
        first_row[i] = rows;
        if (!w.seen[i]) rows += rows_of(&s->items[i]);
    }
    for (int b = 0; b < solve->bodies; b++) w.body_seen[b] = false;
    if (rows == 0) return false;
    j->rows = sn_arena_alloc(arena, (size_t)rows, sizeof *j->rows);
    j->place = sn_arena_alloc(arena, (size_t)rows, sizeof *j->place);
    j->change = sn_arena_alloc(arena, 4 * (size_t)rows, sizeof(double));
    if (!j->rows || !j->place || !j->change) return false;
    j->direction = j->change + rows, j->scratch = j->direction + rows, j->tiny = j->scratch + rows;
    for (int i = 0; i < rows; i++) j->direction[i] = 0;
    j->loads = sn_arena_alloc(arena, 4 * (size_t)rows, sizeof *j->loads);
    j->load_slot = sn_arena_alloc(arena, 4 * (size_t)rows, sizeof *j->load_slot);
    j->load_of = sn_arena_alloc(arena, (size_t)solve->slots + 1, sizeof *j->load_of);
    if (!j->loads || !j->load_slot || !j->load_of) return false;
    for (int i = 0; i <= solve->slots; i++) j->load_of[i] = -1;
    j->row_count = rows;
    count_joints(s, &w);
    // From the ends of chains (a joint and at most one neighbour: it counts once for each of its bodies), then from what has none.
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->count; i++)
            if (!w.seen[i] && (pass > 0 || degree(&w, i) <= 3)) reach(&w, i);
    place_rows(s, &w, first_row, j->place);
    for (int i = 0; i < s->count; i++) {
        if (!sn_joint_is_active(c, solve, &s->items[i])) continue;
        const int a = body_of(c, solve, &s->items[i], 0), b = body_of(c, solve, &s->items[i], 1);
        if (a >= 0) solve->joined[a] = true;
        if (b >= 0) solve->joined[b] = true;
        if (a >= 0 && b >= 0) sn_union(solve->island, a, b);
    }
    if (list_body_rows(s, arena, &w, first_row) && make_envelope(j, arena) && reserve_bounds(s, arena)) return true;
    j->row_count = 0;
    return false;
}
