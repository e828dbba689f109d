// Debug drawing: what the engine collides, holds and presses, as pills, triangles and lines.
//
// You give functions that draw, or take those that fill vertex buffers.
#ifndef SINEW_DRAW_H
#define SINEW_DRAW_H

#include "query.h"

// What to draw; add them.
typedef enum {
    SN_DRAW_GEOMETRY = 1, // pills and triangles that collide, by what they are: SN_COLOUR_*
    SN_DRAW_FRAMES = 2,   // axes of rigid bodies and of segments of rods: x red, y green, z blue
    SN_DRAW_CONTACTS = 4, // those that bore a force in the last substep: a line along the normal
    SN_DRAW_JOINTS = 8,   // a line between the two points that a joint holds together
    SN_DRAW_ALL = 15,
} sn_draw_what;

// Colours, as 0xRRGGBBAA.
#define SN_COLOUR_MOVES   0x4C9BE8FFu
#define SN_COLOUR_SLEEPS  0x7D8597FFu
#define SN_COLOUR_FIXED   0x9AA07AFFu
#define SN_COLOUR_CONTACT 0xF2C14EFFu
#define SN_COLOUR_JOINT   0xE36588FFu

// Functions that draw; those that are null are not called. Start from sn_debug_draw_default().
typedef struct {
    uint32_t what;        // sum of SN_DRAW_*; default all
    sn_real frame_length; // of axes, m; default 0.1
    sn_real force_length; // of a contact's line, m/N; default 0 = frame_length whatever the force
    sn_real plane_size;   // half the edge of the square that stands for a plane, m; default 10
    void (*pill)(void *user, sn_vec3 a, sn_vec3 b, sn_real radius_a, sn_real radius_b, uint32_t colour);
    void (*triangle)(void *user, sn_vec3 a, sn_vec3 b, sn_vec3 c, uint32_t colour);
    void (*line)(void *user, sn_vec3 a, sn_vec3 b, uint32_t colour);
    void *user; // passed to all
} sn_debug_draw;

// Returns the defaults named above, without functions.
SN_API sn_debug_draw sn_debug_draw_default(void);

// Draws the geometry of a snapshot.
SN_API void sn_snapshot_draw(const sn_snapshot *snapshot, const sn_debug_draw *draw);

// Draws frames, contacts and joints of a world.
SN_API void sn_world_draw(const sn_world *world, const sn_debug_draw *draw);

// A vertex: 28 bytes.
typedef struct {
    float position[3], normal[3]; // normal: unit; 0 of lines
    uint32_t colour;              // 0xRRGGBBAA
} sn_draw_vertex;

// Arrays of yours for vertices: three in a row are a triangle, two a line. Nothing is written behind the capacities; counts go on, so
// that a count above its capacity says how much is missing. Set counts to 0 before you draw.
typedef struct {
    sn_draw_vertex *triangles;
    int triangle_capacity, triangle_count; // vertices
    sn_draw_vertex *lines;
    int line_capacity, line_count; // vertices
    int sides;                     // of a pill, 3 to 64; else 8
} sn_draw_buffers;

// The defaults, with functions that fill the buffers, which must stay where they are.
SN_API sn_debug_draw sn_draw_into(sn_draw_buffers *buffers);

#endif
