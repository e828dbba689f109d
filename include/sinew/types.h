// Types shared by every header: numbers, vectors, status codes, and the hooks for memory, logging and threads.
#ifndef SINEW_TYPES_H
#define SINEW_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define SN_EXPORT __declspec(dllexport)
#else
#define SN_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define SN_API extern "C" SN_EXPORT
#else
#define SN_API extern SN_EXPORT
#endif

// Version of these headers, to compare with sn_version() of the library that was linked.
#define SN_VERSION_MAJOR 0
#define SN_VERSION_MINOR 1
#define SN_VERSION_PATCH 0

// The number type of the whole API: float, or double when the library and its user are both built with SN_DOUBLE.
#ifdef SN_DOUBLE
typedef double sn_real;
#else
typedef float sn_real;
#endif

// A point (metres) or a vector.
typedef struct {
    sn_real x, y, z;
} sn_vec3;

// A unit quaternion, w last. It rotates material axes to the world; the third axis (z) of a rod's frame points along it.
typedef struct {
    sn_real x, y, z, w;
} sn_quat;

// A rigid transform: x -> position + rotation x.
typedef struct {
    sn_vec3 position; // m
    sn_quat rotation; // unit
} sn_transform;

// An axis-aligned box.
typedef struct {
    sn_vec3 min, max; // m
} sn_box3;

// The result of a call. Anything but SN_OK, SN_WARN_DIVERGED and SN_WARN_ENERGY means that nothing was changed.
typedef enum {
    SN_OK = 0,            // success
    SN_ERR_DEF = 1,       // a definition has errors; one log line for each bad field
    SN_ERR_RANGE = 2,     // an argument is out of range, not finite, or a needed pointer is null
    SN_ERR_STALE_ID = 3,  // the handle is stale, or of another world
    SN_ERR_BUSY = 4,      // the world is stepping: the call came from a callback
    SN_ERR_MEMORY = 5,    // the allocator returned null
    SN_ERR_FORMAT = 6,    // the bytes are not a saved world, or are damaged
    SN_ERR_KIND = 7,      // the body is of another kind than the call is for
    SN_WARN_DIVERGED = 8, // the step is done, but a body diverged and was reset; see sn_world_diverged
    SN_ERR_FILE = 9,      // a file cannot be read or written; only the tools (sinew/tools) return this
    SN_WARN_ENERGY = 10,  // the step is done, but energy rose without work from outside; see sn_world_set_energy_check
    SN_ERR_PAIRS = 11,    // more pairs may touch than sn_world_def.max_pairs; the step did not happen
} sn_status;

// Returns a short English name of a status, such as "stale id"; never null.
SN_API const char *sn_status_name(sn_status status);

// Returns the version of the linked library as major * 10000 + minor * 100 + patch.
SN_API int sn_version(void);

// The severity of a log line.
typedef enum {
    SN_LOG_ERROR = 0,
    SN_LOG_WARNING = 1,
    SN_LOG_INFO = 2,
} sn_log_level;

// Receives one line of text. 'field' is the name of the bad field of a definition, or "". Called on the thread that made
// the API call.
typedef void sn_log_fn(void *user, sn_log_level level, sn_status code, const char *field, const char *text);

// The geometry of a rigid body; its fields are those of sn_rigid_def.
typedef enum {
    SN_GEOMETRY_PLANE = 0,  // solid below: the plane through 'position' with the body's y axis as its normal
    SN_GEOMETRY_SPHERE = 1, // radii[0]
    SN_GEOMETRY_PILL = 2,   // from ends[0] to ends[1] with radii[0] and radii[1]
    SN_GEOMETRY_BOX = 3,    // solid, half[] from its centre
    SN_GEOMETRY_MESH = 4,   // triangles, two-sided; of a dynamic body closed and solid, in contact by their convex hull
    SN_GEOMETRY_HULL = 5,   // solid: the convex hull of 'vertices'
} sn_geometry_kind;

// The memory hook. All null: malloc and free. 'allocate' returns 'size' bytes aligned to 'alignment' (a power of two of
// at least 64), or null. 'release' is called with the same size and alignment. Both must be thread-safe if several
// threads read a world at the same time.
typedef struct {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory, size_t size, size_t alignment);
    void *user;
} sn_allocator;

// A task for a worker thread.
typedef void sn_task_fn(void *task);

// The threading hook. All null: the library's own pool of worker_count - 1 threads beside the caller.
// 'enqueue' starts fn(task) on some thread and returns a handle, or runs it at once and returns null; 'finish' waits for the
// task of a non-null handle. Each task must run exactly once. Results never depend on how tasks are scheduled.
typedef struct {
    void *(*enqueue)(void *user, sn_task_fn *fn, void *task);
    void (*finish)(void *user, void *handle);
    void *user;
} sn_tasks;

#endif
