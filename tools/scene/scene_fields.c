// The keys of a scene file: what each may hold, its limits, and a line of explanation that goes into the schema.
#include "scene/scene_fields.h"
#include "scene/scene_kinds.h"
#include "sinew/sinew.h"

static const char *const solver_names[] = {"direct", "xpbd", "jacobi", NULL}; // as sn_solver
static const char *const motion_names[] = {"centre", "scale", "frame", "clamp", NULL};
static const char *const scatter_names[] = {"upright", "random", NULL};
static const char *const interpolation_names[] = {"linear", "smooth", NULL};
static const char *const solid_names[] = {"wood", "bone", "iron", "water-filled", "lead", NULL};
static const char *const joint_names[] = {"point", "direction", "weld", "slider", "distance", NULL}; // as sn_joint_kind

// --- parts that several objects share ---

static const field_row rotation_fields[] = {
    KEY("axis", FIELD_VEC3, AT(rotation_spec, axis), "axis of rotation; any length but 0", .flags = FIELD_REQUIRED),
    KEY("degrees", FIELD_NUMBER, AT(rotation_spec, degrees), "angle; may exceed 360 in keyframes",
        .flags = FIELD_REQUIRED),
    END,
};
const field_table scene_rotation_table = {.name = "rotation",
                                          .help = "A rotation about an axis, right-handed.",
                                          .size = sizeof(rotation_spec),
                                          .fields = rotation_fields};

// --- placement ---

static const field_row repeat_fields[] = {
    KEY("count", FIELD_INTS, AT(repeat_spec, count), "copies along x, y and z", .flags = FIELD_REQUIRED, .min = 1,
        .max = 1e9, .min_count = 3, .max_count = 3),
    KEY("spacing", FIELD_VEC3, AT(repeat_spec, spacing), "from copy to copy along x, y and z, m",
        .flags = FIELD_REQUIRED),
    KEY("centred", FIELD_BOOL, AT(repeat_spec, centred),
        "whether the centre of the grid, not its corner, is at position"),
    END,
};
const field_table scene_repeat_table = {
    .name = "repeat", .help = "Copies in a grid.", .size = sizeof(repeat_spec), .fields = repeat_fields};

static const field_row scatter_fields[] = {
    KEY("count", FIELD_INT, AT(scatter_spec, count), "how many copies", .flags = FIELD_REQUIRED, .min = 1, .max = 1e9),
    KEY("box", FIELD_VECS, AT(scatter_spec, box),
        "two opposite corners of a box for the copies, relative to position, m", .flags = FIELD_REQUIRED,
        .min_count = 2, .max_count = 2),
    KEY("rotation", FIELD_CHOICE, AT(scatter_spec, rotation), "whether copies have random rotations",
        .choices = scatter_names),
    KEY("avoid_overlap", FIELD_BOOL, AT(scatter_spec, avoid_overlap),
        "whether a copy of a rod that would overlap one before it is tried elsewhere; true: or is an error; default "
        "where there is room"),
    KEY("seed", FIELD_SEED, AT(scatter_spec, seed), "seed of the random numbers; default from the scene's seed"),
    END,
};
const field_table scene_scatter_table = {.name = "scatter",
                                         .help = "Copies at random places, the same in every run.",
                                         .size = sizeof(scatter_spec),
                                         .fields = scatter_fields};

// --- materials ---

#define STIFFNESS(name, help) KEY(#name, FIELD_NUMBER, AT(material_spec, name), help, .max = 1e13)
static const field_row material_fields[] = {
    KEY("preset", FIELD_TEXT, AT(material_spec, preset), "a named material to start from, such as muscle or rubber"),
    KEY("young", FIELD_NUMBER, AT(material_spec, young), "Young's modulus, Pa; scales a preset",
        .flags = FIELD_ABOVE_MIN, .max = 1e13),
    KEY("poisson", FIELD_NUMBER, AT(material_spec, poisson), "Poisson's ratio, default 0.49", .max = 0.4999),
    KEY("density", FIELD_NUMBER, AT(material_spec, density), "kg/m^3, default 1000", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    STIFFNESS(shear, "of twist and cross-section, Pa"),
    STIFFNESS(transverse, "shear of the cross-section against the centreline, Pa"),
    STIFFNESS(volume, "stiffness of the volume, Pa; 0 is a standard rod of constant radius"),
    STIFFNESS(scale_bend, "smoothness of the radius along the rod, N"),
    KEY("damping", FIELD_NUMBER, AT(material_spec, damping), "velocities decay as exp(-damping t), 1/s", .max = 1e6),
    KEY("volume_in_bend", FIELD_BOOL, AT(material_spec, volume_in_bend), "also conserve the volume of bent segments"),
    END,
};
static const field_table material_table = {
    .name = "material", .help = "What bodies are made of.", .size = sizeof(material_spec), .fields = material_fields};

// --- contact ---

void scene_surface_defaults(void *object) {
    surface_spec *surface = object;
    sn_surface usual = sn_surface_default();
    surface->friction_static = (double)usual.friction_static;
    surface->friction_dynamic = (double)usual.friction_dynamic;
}
static const field_row surface_fields[] = {
    KEY("friction_static", FIELD_NUMBER, AT(surface_spec, friction_static),
        "coefficient of static friction; default 0.5", .max = 100),
    KEY("friction_dynamic", FIELD_NUMBER, AT(surface_spec, friction_dynamic),
        "coefficient of dynamic friction, at most friction_static; default 0.4", .max = 100),
    KEY("restitution", FIELD_NUMBER, AT(surface_spec, restitution),
        "fraction of the impact speed that is returned; default 0", .max = 1),
    KEY("compliance", FIELD_NUMBER, AT(surface_spec, compliance), "m/N; default 0", .max = 1),
    KEY("rolling", FIELD_NUMBER, AT(surface_spec, rolling),
        "of rigid bodies: torque that it takes to roll over the normal force, m; default 0", .max = 1e6),
    KEY("torsion", FIELD_NUMBER, AT(surface_spec, torsion),
        "of rigid bodies: torque that it takes to turn about the normal over the normal force, m; default 0",
        .max = 1e6),
    KEY("group", FIELD_INTS, AT(surface_spec, group), "groups it belongs to, 0 to 31; default [0]", .max = 31,
        .max_count = 32),
    KEY("mask", FIELD_INTS, AT(surface_spec, mask), "groups it collides with, if their mask has it too; default all",
        .max = 31, .max_count = 32),
    END,
};
const field_table scene_surface_table = {.name = "surface",
                                         .help = "How surfaces behave in contact.",
                                         .size = sizeof(surface_spec),
                                         .fields = surface_fields,
                                         .defaults = scene_surface_defaults};

static const field_row sphere_fields[] = {
    KEY("radius", FIELD_NUMBER, AT(sphere_spec, radius), "m", .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN, .max = 1e6),
    END,
};
static const field_table sphere_table = {.name = "sphere",
                                         .help = "A sphere around the body's position.",
                                         .size = sizeof(sphere_spec),
                                         .fields = sphere_fields};

static const field_row box_fields[] = {
    KEY("half", FIELD_VEC3, AT(box_spec, half), "half the lengths of its edges, m",
        .flags = FIELD_REQUIRED | FIELD_ABOVE_MIN, .max = 1e6),
    END,
};
const field_table scene_box_table = {
    .name = "box", .help = "A solid box around the body's position.", .size = sizeof(box_spec), .fields = box_fields};

static const field_row pill_fields[] = {
    KEY("from", FIELD_VEC3, AT(pill_spec, from), "one end in the body's axes, m; default the origin"),
    KEY("to", FIELD_VEC3, AT(pill_spec, to), "the other end, m", .flags = FIELD_REQUIRED),
    KEY("radius", FIELD_NUMBER, AT(pill_spec, radius), "m", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("radii", FIELD_NUMBERS, AT(pill_spec, radii), "instead of radius: one for each end, m",
        .flags = FIELD_ABOVE_MIN, .max = 1e6, .min_count = 2, .max_count = 2),
    END,
};
const field_table scene_pill_table = {
    .name = "pill", .help = "A capsule: a post, a bone.", .size = sizeof(pill_spec), .fields = pill_fields};

static void mesh_defaults(void *object) {
    ((mesh_spec *)object)->scale = 1;
}
static const field_row mesh_fields[] = {
    KEY("file", FIELD_TEXT, AT(mesh_spec, file), "a mesh beside the scene: .obj, .ply, .stl, .off, .gltf, .glb"),
    KEY("scale", FIELD_NUMBER, AT(mesh_spec, scale), "of a file: metres per unit, 0.001 for millimetres; default 1",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("origin", FIELD_VEC3, AT(mesh_spec, origin),
        "of a file: its point at the body's position, in its unit; for a bone, the joint"),
    KEY("vertices", FIELD_VECS, AT(mesh_spec, vertices), "instead of a file: positions in the body's axes, m",
        .min_count = 3),
    KEY("triangles", FIELD_VECS, AT(mesh_spec, triangles), "with vertices: three indices each, from 0", .min_count = 1),
    END,
};
static const field_table mesh_table = {.name = "mesh",
                                       .help = "Triangles, solid on both sides.",
                                       .size = sizeof(mesh_spec),
                                       .fields = mesh_fields,
                                       .defaults = mesh_defaults};

static const field_row hull_fields[] = {
    KEY("file", FIELD_TEXT, AT(mesh_spec, file), "a mesh beside the scene: .obj, .ply, .stl, .off, .gltf, .glb"),
    KEY("scale", FIELD_NUMBER, AT(mesh_spec, scale), "of a file: metres per unit; default 1", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    KEY("origin", FIELD_VEC3, AT(mesh_spec, origin), "of a file: its point at the body's position, in its unit"),
    KEY("vertices", FIELD_VECS, AT(mesh_spec, vertices), "instead of a file: positions in the body's axes, m",
        .min_count = 4),
    END,
};
static const field_table hull_table = {.name = "hull",
                                       .help = "The convex hull of points; of more than 64 the outermost.",
                                       .size = sizeof(mesh_spec),
                                       .fields = hull_fields,
                                       .defaults = mesh_defaults};

#define TIME(type, where) KEY("t", FIELD_NUMBER, AT(type, where), "time, s", .flags = FIELD_REQUIRED, .max = 1e6)

static const field_row pose_key_fields[] = {
    TIME(pose_key, at.t),
    KEY("position", FIELD_VEC3, AT(pose_key, position), "m"),
    KEY("offset", FIELD_VEC3, AT(pose_key, offset), "relative to the start, m"),
    KEY("rotation", FIELD_OBJECT, AT(pose_key, rotation), "relative to the start; 720 degrees are two revolutions",
        .table = &scene_rotation_table),
    END,
};
static const field_table pose_key_table = {
    .name = "pose_key", .help = "A pose at a time.", .size = sizeof(pose_key), .fields = pose_key_fields};
static const field_row pose_track_fields[] = {
    KEY("interpolation", FIELD_CHOICE, AT(pose_track_spec, interpolation), "between keys; default linear",
        .choices = interpolation_names),
    KEY("loop", FIELD_BOOL, AT(pose_track_spec, loop), "whether it repeats after the last key"),
    KEY("keys", FIELD_LIST, AT(pose_track_spec, keys), "poses in order of time", .flags = FIELD_REQUIRED,
        .min_count = 1, .table = &pose_key_table),
    END,
};
static const field_table pose_track_table = {.name = "pose_track",
                                             .help = "Motion of a rigid body, or of a joint's point of space.",
                                             .size = sizeof(pose_track_spec),
                                             .fields = pose_track_fields};

static void rigid_defaults(void *object) {
    ((rigid_spec *)object)->material = -1;
    scene_surface_defaults(&((rigid_spec *)object)->surface);
}
static const field_row part_fields[] = {
    KEY("position", FIELD_VEC3, AT(rigid_spec, position), "in the body's axes, m; default its origin"),
    KEY("rotation", FIELD_OBJECT, AT(rigid_spec, rotation), "rotation about that position",
        .table = &scene_rotation_table),
    KEY("sphere", FIELD_OBJECT, AT(rigid_spec, sphere), "a sphere", .table = &sphere_table),
    KEY("box", FIELD_OBJECT, AT(rigid_spec, box), "a box", .table = &scene_box_table),
    KEY("pill", FIELD_OBJECT, AT(rigid_spec, pill), "a capsule", .table = &scene_pill_table),
    KEY("hull", FIELD_OBJECT, AT(rigid_spec, hull), "a convex hull", .table = &hull_table),
    KEY("mesh", FIELD_OBJECT, AT(rigid_spec, mesh), "a closed mesh, in contact by its hull", .table = &mesh_table),
    KEY("material", FIELD_CHOICE, AT(rigid_spec, material), "its density by name; default the body's",
        .choices = solid_names),
    KEY("density", FIELD_NUMBER, AT(rigid_spec, density), "kg/m^3; default the body's", .flags = FIELD_ABOVE_MIN,
        .max = 1e6),
    END,
};
static const field_table part_table = {.name = "rigid_part",
                                       .help = "One geometry of several of a dynamic body.",
                                       .size = sizeof(rigid_spec),
                                       .fields = part_fields,
                                       .defaults = rigid_defaults};

static const field_row rigid_fields[] = {
    KEY("name", FIELD_TEXT, AT(rigid_spec, name), "a name that joints use"),
    KEY("position", FIELD_VEC3, AT(rigid_spec, position), "m; default the origin"),
    KEY("rotation", FIELD_OBJECT, AT(rigid_spec, rotation), "rotation about its position",
        .table = &scene_rotation_table),
    KEY("plane", FIELD_BOOL, AT(rigid_spec, plane), "true: solid below a plane, horizontal unless rotated"),
    KEY("sphere", FIELD_OBJECT, AT(rigid_spec, sphere), "a sphere", .old = "ball", .table = &sphere_table),
    KEY("box", FIELD_OBJECT, AT(rigid_spec, box), "a box", .table = &scene_box_table),
    KEY("pill", FIELD_OBJECT, AT(rigid_spec, pill), "a capsule", .table = &scene_pill_table),
    KEY("hull", FIELD_OBJECT, AT(rigid_spec, hull), "a convex hull", .table = &hull_table),
    KEY("mesh", FIELD_OBJECT, AT(rigid_spec, mesh), "triangles; of a dynamic body closed, in contact by their hull",
        .table = &mesh_table),
    KEY("parts", FIELD_LIST, AT(rigid_spec, parts), "of a dynamic body: several geometries", .table = &part_table,
        .max_count = 1024),
    KEY("repeat", FIELD_OBJECT, AT(rigid_spec, repeat), "copies in a grid", .table = &scene_repeat_table),
    KEY("motion", FIELD_OBJECT, AT(rigid_spec, motion), "its motion", .table = &pose_track_table),
    KEY("dynamic", FIELD_BOOL, AT(rigid_spec, dynamic), "true: forces, contacts and joints move it"),
    KEY("material", FIELD_CHOICE, AT(rigid_spec, material), "of a dynamic body: its density by name",
        .choices = solid_names),
    KEY("density", FIELD_NUMBER, AT(rigid_spec, density), "of a dynamic body, kg/m^3; default 1000",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("mass", FIELD_NUMBER, AT(rigid_spec, mass), "of a dynamic body, kg; default volume times density",
        .flags = FIELD_ABOVE_MIN, .max = 1e12),
    KEY("rounding", FIELD_NUMBER, AT(rigid_spec, rounding),
        "radius of the edges of dynamic boxes and hulls, m; default 2 % of half of what is thinnest",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("velocity", FIELD_VEC3, AT(rigid_spec, velocity), "of a dynamic body at the start, m/s"),
    KEY("angular_velocity", FIELD_VEC3, AT(rigid_spec, angular_velocity), "of a dynamic body at the start, rad/s"),
    KEY("surface", FIELD_OBJECT, AT(rigid_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    END,
};
static const field_table rigid_table = {.name = "rigid_body",
                                        .help = "A static or moving obstacle, or a dynamic body.",
                                        .size = sizeof(rigid_spec),
                                        .fields = rigid_fields,
                                        .defaults = rigid_defaults};

// --- skeletons ---

static void bone_defaults(void *object) {
    bone_spec *bone = object;
    bone->count = 1;
    scene_surface_defaults(&bone->surface);
}
static const field_row bone_fields[] = {
    KEY("joint", FIELD_TEXT, AT(bone_spec, joint), "name of a joint or node of the file", .flags = FIELD_REQUIRED),
    KEY("name", FIELD_TEXT, AT(bone_spec, name),
        "a name of the rigid body that muscles and joints use; default the joint's name"),
    KEY("pills", FIELD_LIST, AT(bone_spec, pills), "in the joint's axes", .table = &scene_pill_table, .min_count = 1,
        .max_count = 100),
    KEY("fit", FIELD_BOOL, AT(bone_spec, fit), "true: instead of pills, fits them to the mesh of the joint"),
    KEY("count", FIELD_INT, AT(bone_spec, count), "with fit: number of pills, end to end; default 1", .min = 1,
        .max = 8),
    KEY("surface", FIELD_OBJECT, AT(bone_spec, surface), "friction and other contact properties",
        .table = &scene_surface_table),
    END,
};
static const field_table bone_table = {.name = "bone",
                                       .help = "Pills that follow a joint.",
                                       .size = sizeof(bone_spec),
                                       .fields = bone_fields,
                                       .defaults = bone_defaults};

static void skeleton_defaults(void *object) {
    skeleton_spec *skeleton = object;
    skeleton->scale = 1;
    skeleton->speed = 1;
}
static const field_row skeleton_fields[] = {
    KEY("file", FIELD_TEXT, AT(skeleton_spec, file), "a glTF file with the joints, beside the scene",
        .flags = FIELD_REQUIRED),
    KEY("clip", FIELD_TEXT, AT(skeleton_spec, clip), "name of the animation; default the first, if the file has any"),
    KEY("position", FIELD_VEC3, AT(skeleton_spec, position), "position of the file's origin, m"),
    KEY("rotation", FIELD_OBJECT, AT(skeleton_spec, rotation), "rotation about the file's origin",
        .table = &scene_rotation_table),
    KEY("scale", FIELD_NUMBER, AT(skeleton_spec, scale), "metres per unit of the file; default 1",
        .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("start", FIELD_NUMBER, AT(skeleton_spec, start), "time at which the clip starts, s; default 0", .max = 1e6),
    KEY("speed", FIELD_NUMBER, AT(skeleton_spec, speed), "speed of the clip; default 1", .max = 1000),
    KEY("loop", FIELD_BOOL, AT(skeleton_spec, loop), "whether the clip repeats"),
    KEY("bones", FIELD_LIST, AT(skeleton_spec, bones), "joints with rigid bodies", .flags = FIELD_REQUIRED,
        .table = &bone_table, .min_count = 1, .max_count = 10000),
    END,
};
static const field_table skeleton_table = {.name = "skeleton",
                                           .help = "Rigid bodies that follow the joints of an animated file.",
                                           .size = sizeof(skeleton_spec),
                                           .fields = skeleton_fields,
                                           .defaults = skeleton_defaults};

// --- joints ---

static void joint_side_defaults(void *object) {
    ((joint_side_spec *)object)->along = 0.5;
}
static const field_row joint_side_fields[] = {
    KEY("body", FIELD_TEXT, AT(joint_side_spec, body), "name of a body"),
    KEY("rigid_body", FIELD_TEXT, AT(joint_side_spec, rigid_body),
        "or name of a rigid body; on side a of a dynamic one", .old = "shape"),
    KEY("copy", FIELD_INT, AT(joint_side_spec, copy),
        "which copy, from 0; default on side a every copy, on side b the only one or that of the same index",
        .max = 1e6),
    KEY("point", FIELD_INT, AT(joint_side_spec, point), "of the body; -1 is the last", .min = -4e6, .max = 4e6),
    KEY("segment", FIELD_INT, AT(joint_side_spec, segment), "or a segment of the body, by the point at its end",
        .min = -4e6, .max = 4e6),
    KEY("along", FIELD_NUMBER, AT(joint_side_spec, along), "where on the segment, 0 to 1; default 0.5", .max = 1),
    KEY("position", FIELD_VEC3, AT(joint_side_spec, position),
        "on a rigid body or in space: a position in the world, m; on side b default that of side a. On an elastic body "
        "or a "
        "character: the joint holds the point closest to it"),
    END,
};
static const field_table joint_side_table = {.name = "side",
                                             .help = "One side of a joint.",
                                             .size = sizeof(joint_side_spec),
                                             .fields = joint_side_fields,
                                             .defaults = joint_side_defaults};

#define MOTOR_NUMBERS(type)                                                                                            \
    KEY("stiffness", FIELD_NUMBER, AT(type, stiffness), "of a spring to its target, N m/rad or N/m", .max = 1e12),     \
        KEY("damping", FIELD_NUMBER, AT(type, damping), "or how hard it keeps its speed, N m s/rad or N s/m",          \
            .max = 1e12),                                                                                              \
        KEY("target", FIELD_NUMBER, AT(type, target), "degrees or m", .min = -1e6, .max = 1e6),                        \
        KEY("speed", FIELD_NUMBER, AT(type, speed), "degrees/s or m/s", .min = -1e6, .max = 1e6),                      \
        KEY("max_force", FIELD_NUMBER, AT(type, max_force), "N m or N; default no limit", .max = 1e12)

static const field_row motor_key_fields[] = {
    TIME(motor_key, t),
    MOTOR_NUMBERS(motor_key),
    END,
};
static const field_table motor_key_table = {
    .name = "motor_key", .help = "A motor at a time.", .size = sizeof(motor_key), .fields = motor_key_fields};
static const field_row motor_fields[] = {
    MOTOR_NUMBERS(motor_spec),
    KEY("keys", FIELD_LIST, AT(motor_spec, keys), "what changes, in order of time", .table = &motor_key_table),
    END,
};
static const field_table motor_table = {.name = "motor",
                                        .help = "A motor or spring on what a joint leaves free.",
                                        .size = sizeof(motor_spec),
                                        .fields = motor_fields};

static const field_row joint_fields[] = {
    KEY("kind", FIELD_CHOICE, AT(joint_spec, kind), "what the joint holds; default the point", .choices = joint_names),
    KEY("a", FIELD_OBJECT, AT(joint_spec, a), "a place on a body", .flags = FIELD_REQUIRED, .table = &joint_side_table),
    KEY("b", FIELD_OBJECT, AT(joint_spec, b), "a place on a body, a rigid body or in space; default in space at a",
        .table = &joint_side_table),
    KEY("keep_offset", FIELD_BOOL, AT(joint_spec, keep_offset),
        "keep the distance of the sides instead of pulling them together"),
    KEY("collide", FIELD_BOOL, AT(joint_spec, collide), "whether the two sides collide at the joint too; default false",
        .old = "touch"),
    KEY("compliance", FIELD_NUMBER, AT(joint_spec, compliance), "m/N; default 0", .max = 1000),
    KEY("axis", FIELD_VEC3, AT(joint_spec, axis),
        "in the world: of a direction, the axis of a hinge (default the direction of side a); of a slider; of a point, "
        "that of its swing and twist"),
    KEY("limits", FIELD_NUMBERS, AT(joint_spec, limits),
        "of the angle about the axis, degrees; of a slider's displacement, m; of a distance, m", .min = -1e6,
        .max = 1e6, .min_count = 2, .max_count = 2),
    KEY("swing", FIELD_NUMBER, AT(joint_spec, swing),
        "of a point with an axis: its largest angle, degrees; default any", .max = 180),
    KEY("motor", FIELD_OBJECT, AT(joint_spec, motor), "pulls at what has limits", .table = &motor_table),
    KEY("friction", FIELD_NUMBER, AT(joint_spec, friction), "what it takes to move that, N m or N; default 0",
        .max = 1e12),
    KEY("angular_compliance", FIELD_NUMBER, AT(joint_spec, angular_compliance),
        "of a direction or weld, rad/(N m); default 0", .old = "turn_compliance", .max = 1e6),
    KEY("max_force", FIELD_NUMBER, AT(joint_spec, max_force), "largest force of the joint, N; default no limit",
        .old = "most_force", .max = 1e12),
    KEY("break_force", FIELD_NUMBER, AT(joint_spec, break_force), "force at which it breaks, N; default never",
        .max = 1e12),
    KEY("break_torque", FIELD_NUMBER, AT(joint_spec, break_torque), "torque at which it breaks, N m; default never",
        .max = 1e12),
    KEY("until", FIELD_NUMBER, AT(joint_spec, until), "time at which it is removed, s; default never", .max = 1e6),
    KEY("motion", FIELD_OBJECT, AT(joint_spec, motion), "motion of the point of space", .table = &pose_track_table),
    END,
};
static const field_table joint_table = {.name = "joint",
                                        .help = "Connects a body to a body, a rigid body or a point of space.",
                                        .size = sizeof(joint_spec),
                                        .fields = joint_fields};

// --- what changes in time ---

#define BODY_OF(type)                                                                                                  \
    KEY("body", FIELD_TEXT, AT(type, body), "name of the body", .flags = FIELD_REQUIRED),                              \
        KEY("copy", FIELD_INT, AT(type, copy), "which copy, from 0; default all", .max = 1e6)

#define KEYS(key_table)                                                                                                \
    KEY("interpolation", FIELD_CHOICE, AT(track_spec, interpolation), "between keys; default linear",                  \
        .choices = interpolation_names),                                                                               \
        KEY("keys", FIELD_LIST, AT(track_spec, keys),                                                                  \
            "values in order of time; constant before the first and after the last", .flags = FIELD_REQUIRED,          \
            .min_count = 1, .table = &key_table)

static void motion_key_defaults(void *object) {
    ((motion_key *)object)->scale = 1;
}
static const field_row motion_key_fields[] = {
    TIME(motion_key, at.t),
    KEY("position", FIELD_VEC3, AT(motion_key, position), "of the points, m"),
    KEY("offset", FIELD_VEC3, AT(motion_key, offset), "of each point, relative to the start, m"),
    KEY("rotation", FIELD_OBJECT, AT(motion_key, rotation), "of each frame or clamp, relative to the start",
        .table = &scene_rotation_table),
    KEY("scale", FIELD_NUMBER, AT(motion_key, scale), "radius over rest radius", .flags = FIELD_ABOVE_MIN, .max = 100),
    END,
};
static const field_table motion_key_table = {.name = "motion_key",
                                             .help = "The state of held points at a time.",
                                             .size = sizeof(motion_key),
                                             .fields = motion_key_fields,
                                             .defaults = motion_key_defaults};

static const field_row motion_fields[] = {
    BODY_OF(track_spec),
    SELECTION(track_spec),
    KEY("what", FIELD_CHOICE, AT(track_spec, what), "what it moves; default the centre", .choices = motion_names),
    KEYS(motion_key_table),
    END,
};
static const field_table motion_table = {
    .name = "motion", .help = "Moves held points.", .size = sizeof(track_spec), .fields = motion_fields};

static const field_row load_key_fields[] = {
    TIME(load_key, at.t),
    KEY("force", FIELD_VEC3, AT(load_key, force), "on each point, N"),
    KEY("torque", FIELD_VEC3, AT(load_key, torque), "on each segment, N m"),
    KEY("radial", FIELD_NUMBER, AT(load_key, radial), "on each cross-section, outward, N m"),
    END,
};
static const field_table load_key_table = {
    .name = "load_key", .help = "A load at a time.", .size = sizeof(load_key), .fields = load_key_fields};

static const field_row load_fields[] = {BODY_OF(track_spec), SELECTION(track_spec), KEYS(load_key_table), END};
static const field_table load_table = {
    .name = "load", .help = "Forces and torques on points.", .size = sizeof(track_spec), .fields = load_fields};

static void activation_key_defaults(void *object) {
    activation_key *key = object;
    key->length = 1;
    key->stiffness = 1;
}
static const field_row activation_key_fields[] = {
    TIME(activation_key, at.t),
    KEY("length", FIELD_NUMBER, AT(activation_key, length), "factor on the rest length", .min = 0.01, .max = 100),
    KEY("stiffness", FIELD_NUMBER, AT(activation_key, stiffness), "factor on the stiffness", .max = 1000),
    KEY("bend", FIELD_VEC3, AT(activation_key, bend),
        "rest curvature, about an axis in the world at the start, which goes with the segment, rad/m"),
    KEY("value", FIELD_NUMBER, AT(activation_key, value), "of a muscle: activation, 0 to 1", .max = 1),
    END,
};
static const field_table activation_key_table = {.name = "activation_key",
                                                 .help = "Activation of segments, or of a muscle, at a time.",
                                                 .size = sizeof(activation_key),
                                                 .fields = activation_key_fields,
                                                 .defaults = activation_key_defaults};

static const field_row activation_fields[] = {BODY_OF(track_spec), SELECTION(track_spec), KEYS(activation_key_table),
                                              END};
static const field_table activation_table = {.name = "activation",
                                             .help = "Contracts segments or muscles.",
                                             .size = sizeof(track_spec),
                                             .fields = activation_fields};

static const field_row release_fields[] = {BODY_OF(release_spec), SELECTION(release_spec), TIME(release_spec, t), END};
static const field_table release_table = {
    .name = "release", .help = "Releases held points.", .size = sizeof(release_spec), .fields = release_fields};

// --- the file ---

static void camera_defaults(void *object) {
    camera_spec *camera = object;
    camera->up[1] = 1;
    camera->degrees = 40;
}
static const field_row camera_fields[] = {
    KEY("name", FIELD_TEXT, AT(camera_spec, name), "a name to choose it by"),
    KEY("position", FIELD_VEC3, AT(camera_spec, position), "of the eye, m", .flags = FIELD_REQUIRED),
    KEY("target", FIELD_VEC3, AT(camera_spec, target), "the point in the middle of the picture, m; default the origin"),
    KEY("up", FIELD_VEC3, AT(camera_spec, up), "up direction of the picture; default [0, 1, 0]"),
    KEY("degrees", FIELD_NUMBER, AT(camera_spec, degrees), "vertical field of view, default 40",
        .flags = FIELD_ABOVE_MIN, .max = 170),
    END,
};
static const field_table camera_table = {.name = "camera",
                                         .help = "A camera for pictures.",
                                         .size = sizeof(camera_spec),
                                         .fields = camera_fields,
                                         .defaults = camera_defaults};

static const field_row plot_fields[] = {
    KEY("bodies", FIELD_BOOL, AT(plot_spec, bodies), "one curve per body instead of sums"),
    KEY("logarithmic", FIELD_BOOL, AT(plot_spec, logarithmic), "energies of bodies on a logarithmic axis"),
    END,
};
static const field_table plot_table = {.name = "plot",
                                       .help = "Contents of the chart that 'sinew run --plot' writes.",
                                       .size = sizeof(plot_spec),
                                       .fields = plot_fields};

static void scene_defaults(void *object) {
    scene_spec *scene = object;
    scene->gravity[1] = -9.81;
    scene->step = 1.0 / 60;
    scene->duration = 5;
    scene->substeps = 0;
    scene->iterations = 1;
    scene->contact_sweeps = 20;
    scene->max_pairs = sn_world_def_default().max_pairs;
    scene->solver = SN_SOLVER_DIRECT;
}
static const field_row scene_fields[] = {
    KEY("$schema", FIELD_TEXT, AT(scene_spec, schema), "for editors; not read"),
    KEY("title", FIELD_TEXT, AT(scene_spec, title), "title of the scene"),
    KEY("description", FIELD_TEXT, AT(scene_spec, description), "what the scene shows"),
    KEY("gravity", FIELD_VEC3, AT(scene_spec, gravity), "m/s^2, default [0, -9.81, 0]"),
    KEY("step", FIELD_NUMBER, AT(scene_spec, step), "s, default 1/60", .min = 1e-7, .max = 1),
    KEY("duration", FIELD_NUMBER, AT(scene_spec, duration), "s, default 5", .flags = FIELD_ABOVE_MIN, .max = 1e6),
    KEY("substeps", FIELD_INT, AT(scene_spec, substeps),
        "substeps per step; default 0: as many as fast approaches need", .min = 0, .max = 1000),
    KEY("iterations", FIELD_INT, AT(scene_spec, iterations), "solver iterations per substep, default 1", .min = 1,
        .max = 1000),
    KEY("contact_sweeps", FIELD_INT, AT(scene_spec, contact_sweeps),
        "sweeps over all contacts per iteration, at most; default 20", .min = 1, .max = 100),
    KEY("max_pairs", FIELD_INT, AT(scene_spec, max_pairs),
        "pairs near enough to touch, of which a step with more fails; default 1048576", .min = 1, .max = 1e9),
    KEY("solver", FIELD_CHOICE, AT(scene_spec, solver), "default direct", .choices = solver_names),
    KEY("seed", FIELD_SEED, AT(scene_spec, seed), "seed of all random numbers, default 0"),
    KEY("plot", FIELD_OBJECT, AT(scene_spec, plot), "contents of the chart of a run", .table = &plot_table),
    KEY("cameras", FIELD_LIST, AT(scene_spec, cameras), "cameras for pictures", .table = &camera_table,
        .max_count = 1000),
    KEY("materials", FIELD_MAP, AT(scene_spec, materials), "materials by name", .table = &material_table,
        .max_count = 2000),
    KEY("bodies", FIELD_KINDS, AT(scene_spec, bodies), "the bodies", .kinds = scene_kind_tables, .max_count = 100000),
    KEY("rigid_bodies", FIELD_LIST, AT(scene_spec, rigid_bodies), "static, moving and dynamic rigid bodies",
        .old = "shapes", .table = &rigid_table, .max_count = 100000),
    KEY("motion", FIELD_LIST, AT(scene_spec, motion), "moves held points", .table = &motion_table, .max_count = 100000),
    KEY("loads", FIELD_LIST, AT(scene_spec, loads), "forces and torques on points", .table = &load_table,
        .max_count = 100000),
    KEY("activation", FIELD_LIST, AT(scene_spec, activation), "contracts segments and muscles",
        .table = &activation_table, .max_count = 100000),
    KEY("release", FIELD_LIST, AT(scene_spec, release), "releases held points", .table = &release_table,
        .max_count = 100000),
    KEY("joints", FIELD_LIST, AT(scene_spec, joints), "connections of bodies", .table = &joint_table,
        .max_count = 100000),
    KEY("skeletons", FIELD_LIST, AT(scene_spec, skeletons), "rigid bodies that follow animated joints",
        .table = &skeleton_table, .max_count = 1000),
    END,
};
const field_table scene_table = {.name = "scene",
                                 .help = "A scene for Sinew.",
                                 .size = sizeof(scene_spec),
                                 .fields = scene_fields,
                                 .defaults = scene_defaults};
