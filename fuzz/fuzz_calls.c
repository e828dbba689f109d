// Fuzzes the calls on a world: the bytes say which are made, with which arguments, numbers taken from them bit by bit.
// Whatever they say, the library must not crash, leak, or hand out anything that is not a number. See README.md for how
// to build and run it.
#include "mixed_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

bool sn_test_check(bool good, const char *file, int line, const char *text) {
    if (good) return true;
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    abort();
}
bool sn_test_int(long long a, long long b, const char *file, int line, const char *text) {
    return sn_test_check(a == b, file, line, text);
}

typedef struct {
    const uint8_t *data;
    size_t left;
} feed;

static uint32_t byte(feed *f) {
    if (f->left == 0) return 0;
    f->left -= 1;
    return *f->data++;
}

// A number: often an ordinary one, else one of the strange ones, else any bits at all.
static sn_real number(feed *f) {
    static const double strange[] = {0,    1,    -1,   1e-7, 1e-3,  0.02, 1000,     1e6,
                                     1e13, 1e20, 1e30, 3e38, -3e38, NAN,  INFINITY, -INFINITY};
    uint32_t kind = byte(f);
    if (kind < 200) return R(((double)byte(f) - 128) / 64);
    if (kind < 240) return R(strange[byte(f) % 16]);
    uint32_t bits = byte(f) | byte(f) << 8 | byte(f) << 16 | byte(f) << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return R(value);
}
static sn_vec3 vector(feed *f) {
    sn_real x = number(f), y = number(f);
    return (sn_vec3){x, y, number(f)};
}
static sn_quat turn(feed *f) {
    sn_vec3 v = vector(f);
    return (sn_quat){v.x, v.y, v.z, number(f)};
}
static sn_rod pick(const sn_world *world, feed *f) {
    uint32_t i = byte(f);
    if (i > 250) return (sn_rod){i - 250, byte(f)};
    int count = sn_world_rod_count(world);
    return sn_world_rod_at(world, count ? (int)i % count : 0);
}
static int index_of(feed *f) {
    return (int)(byte(f) % 12) - 1;
}

static void create(sn_world *world, feed *f) {
    mixed_rod rod;
    sn_rod id;
    memset(&rod, 0, sizeof rod);
    mixed_fill(&rod, (mixed_kind)(byte(f) % MIXED_KINDS), 1 + byte(f) % 8);
    for (uint32_t k = byte(f) % 4; k > 0; --k) { // and some of it goes wrong
        int i = (int)(byte(f) % MIXED_POINTS_MOST);
        switch (byte(f) % 10) {
        case 0:
            rod.points[i] = vector(f);
            break;
        case 1:
            rod.parents[i] = (int)byte(f) - 2, rod.def.parents = rod.parents;
            break;
        case 2:
            rod.def.radius = number(f);
            break;
        case 3:
            rod.def.material.young = number(f), rod.def.material.volume = number(f);
            break;
        case 4:
            rod.def.material.density = number(f), rod.def.material.scale_bend = number(f);
            break;
        case 5:
            rod.def.point_count = (int)(byte(f) % MIXED_POINTS_MOST);
            break;
        case 6:
            rod.def.closed = byte(f) & 1, rod.def.clamp_first = byte(f) & 1, rod.def.clamp_last = byte(f) & 1;
            break;
        case 7:
            rod.def.velocity = vector(f);
            break;
        case 8:
            rod.def.rest_twist = number(f);
            break;
        default:
            rod.def.touches_itself = true;
        }
    }
    sn_rod_create(world, &rod.def, &id);
}

static void call(sn_world *world, feed *f) {
    sn_rod rod = pick(world, f);
    sn_vec3 v[MIXED_POINTS_MOST];
    sn_real s[MIXED_POINTS_MOST];
    int n = sn_rod_point_count(world, rod);
    uint32_t what = byte(f) % 22;
    if (what < 5)
        for (int i = 0; i < n && i < MIXED_POINTS_MOST; ++i) v[i] = vector(f), s[i] = v[i].x;
    switch (what) {
    case 0:
        sn_rod_set_centres(world, rod, v, n);
        break;
    case 1:
        sn_rod_set_velocities(world, rod, v, n);
        break;
    case 2:
        sn_rod_set_scales(world, rod, s, n);
        break;
    case 3:
        sn_rod_set_scale_rates(world, rod, s, n);
        break;
    case 4:
        sn_rod_set_spins(world, rod, v, n);
        break;
    case 5:
        sn_rod_hold(world, rod, index_of(f), (int)(byte(f) % 17));
        break;
    case 6:
        sn_rod_move_centre(world, rod, index_of(f), vector(f));
        break;
    case 7:
        sn_rod_move_scale(world, rod, index_of(f), number(f));
        break;
    case 8:
        sn_rod_move_frame(world, rod, index_of(f), turn(f));
        break;
    case 9:
        sn_rod_move_clamp(world, rod, index_of(f), turn(f));
        break;
    case 10:
        sn_rod_set_force(world, rod, index_of(f), vector(f));
        break;
    case 11:
        sn_rod_set_torque(world, rod, index_of(f), vector(f));
        break;
    case 12:
        sn_rod_set_radial_force(world, rod, index_of(f), number(f));
        break;
    case 13:
        sn_rod_set_segment(world, rod, index_of(f), number(f), number(f));
        break;
    case 14:
        sn_rod_destroy(world, rod);
        break;
    case 15:
        sn_world_set_gravity(world, vector(f));
        break;
    case 16:
        sn_world_set_solver(world, (sn_solver)(byte(f) % 3), 1 + (int)(byte(f) % 3));
        break;
    case 17: {
        sn_shape_def def = sn_shape_def_default();
        sn_shape id;
        def.kind = (sn_shape_kind)(byte(f) % 4);
        def.position = vector(f), def.rotation = turn(f), def.half = vector(f);
        def.radii[0] = number(f), def.radii[1] = number(f), def.ends[0] = vector(f), def.ends[1] = vector(f);
        if (sn_shape_create(world, &def, &id) == SN_OK) sn_shape_move(world, id, vector(f), turn(f));
        break;
    }
    case 18: {
        sn_joint_def def = sn_joint_def_default();
        sn_joint id;
        def.rod_a = rod, def.segment_a = index_of(f), def.along_a = number(f), def.position = vector(f);
        if (byte(f) & 1) def.rod_b = pick(world, f), def.segment_b = index_of(f), def.along_b = number(f);
        def.keep_offset = byte(f) & 1, def.compliance = number(f), def.most_force = number(f);
        if (sn_joint_create(world, &def, &id) == SN_OK) sn_joint_move(world, id, vector(f));
        break;
    }
    default:
        create(world, f);
    }
}

static void check_sound(const sn_world *world) {
    for (int i = 0; i < sn_world_rod_count(world); ++i) {
        sn_rod id = sn_world_rod_at(world, i);
        sn_vec3 c[MIXED_POINTS_MOST], v[MIXED_POINTS_MOST];
        sn_real s[MIXED_POINTS_MOST];
        sn_quat q[MIXED_POINTS_MOST];
        int n = sn_rod_get_centres(world, id, c, MIXED_POINTS_MOST);
        sn_rod_get_velocities(world, id, v, n), sn_rod_get_scales(world, id, s, n), sn_rod_get_frames(world, id, q, n);
        for (int k = 0; k < n; ++k) {
            CHECK(isfinite(c[k].x) && isfinite(c[k].y) && isfinite(c[k].z) && isfinite(s[k]));
            CHECK(isfinite(v[k].x) && isfinite(v[k].y) && isfinite(v[k].z));
            CHECK(fabs((double)(q[k].x * q[k].x + q[k].y * q[k].y + q[k].z * q[k].z + q[k].w * q[k].w) - 1) < 0.01);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feed f = {data, size};
    counter memory = {0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&memory);
    def.lanes = byte(&f) % 2 ? 4 : 1;
    sn_world *world = make_world(&def);
    if (!world) return 0;
    for (int calls = 0; f.left > 0 && calls < 200 && sn_world_body_count(world) < 12; ++calls) {
        if (byte(&f) % 4 == 0) {
            sn_status status = sn_world_step(world, R(1.0 / 60), 1 + (int)(byte(&f) % 2));
            CHECK(status == SN_OK || status == SN_WARN_DIVERGED);
            check_sound(world);
        } else
            call(world, &f);
    }
    saved bytes = save_of(world); // whatever came of it can be saved and read again
    sn_world *copy = NULL;
    CHECK_INT(sn_world_restore(&def, bytes.bytes, bytes.size, &copy), SN_OK);
    CHECK(sn_world_hash(copy) == sn_world_hash(world));
    CHECK(unchanged(copy, bytes));
    sn_world_destroy(copy);
    sn_world_destroy(world);
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.wrong, 0);
    return 0;
}
