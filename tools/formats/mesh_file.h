// Meshes and rigs from files: OBJ, PLY, STL, OFF and glTF 2 (.glb, .gltf). The readers are our own because files are
// untrusted. Whatever the bytes, reading returns a mesh_file or an error with its place, in time proportional to the
// size of the file and with at most 50 times its size in memory (files shorter than 128 bytes count as 128).
#ifndef SN_FORMATS_MESH_FILE_H
#define SN_FORMATS_MESH_FILE_H

#include "formats/file_text.h"
#include "mesh/mesh.h"

// Longer names are truncated.
#define MESH_NAME_SIZE 64

typedef enum { MESH_OBJ, MESH_PLY, MESH_STL, MESH_OFF, MESH_GLTF } mesh_format;

// One mesh of the file. Without a skin it is placed in the world by its node. With one it is in the space of its
// inverse bind matrices, and mesh_pose.h places it.
typedef struct {
    sn_mesh mesh;
    int skin;   // -1: none
    int node;   // that has it; -1: none
    int source; // the mesh of a glTF file with these vertices in this order; -1: none, or its node has moved them
    // Vertices of a skinned mesh whose weights are all 0, in order. They were bound to the first joint.
    int *bare;
    int bare_count;
} mesh_item;

// A node of the hierarchy, which may be a joint. Only glTF files have nodes.
typedef struct {
    char name[MESH_NAME_SIZE];
    int parent; // always smaller than the node's own index; -1: none
    // From the node to its parent, at rest; column-major as in glTF: x' = local[0] x + local[4] y + local[8] z +
    // local[12].
    float local[16];
    float translation[3], rotation[4], scale[3]; // the same in parts; rotation: a unit quaternion, w last
} mesh_node;

typedef struct {
    char name[MESH_NAME_SIZE];
    int joint_count;
    int *joint;                // nodes; sn_mesh.joint counts in this list
    float (*inverse_bind)[16]; // from the mesh's space to the joint's, at the pose the weights were painted in
} mesh_skin;

typedef enum { MESH_TRANSLATION, MESH_ROTATION, MESH_SCALE } mesh_path;
typedef enum { MESH_STEP, MESH_LINEAR, MESH_CUBIC } mesh_interpolation;

// Keys of one property of one node: 3 numbers each, 4 for rotations. Cubic keys have three times as many: in-tangent,
// value, out-tangent.
typedef struct {
    int node;
    mesh_path path;
    mesh_interpolation interpolation;
    int key_count;
    float *time, *value; // seconds, not decreasing
} mesh_channel;

typedef struct {
    char name[MESH_NAME_SIZE];
    double duration; // the last key of all, seconds
    int channel_count;
    mesh_channel *channel; // in the order of nodes
} mesh_clip;

typedef struct {
    mesh_format format;
    const char *words; // what the format is called: "STL, binary"
    size_t size;       // bytes read
    int mesh_count;
    mesh_item *mesh;
    int node_count;
    mesh_node *node; // parents before their children
    int skin_count;
    mesh_skin *skin;
    int clip_count;
    mesh_clip *clip;
    int skipped; // points, lines and morph targets, which are not read
    // Used while reading.
    int mesh_capacity;
} mesh_file;

// Whether the ending of a file's name is that of a format that can be read.
bool mesh_name_is_known(const char *file);

// Reads a file; the ending of its name says the format. False: nothing was read; the error is
// "file:line:column: error: ..." or, for binary files, "file:offset N: error: ...".
bool mesh_read(const char *file, const file_source *files, mesh_file *out, tool_error *error);

// The same for bytes in memory. `files` has the buffers of a .gltf text that are in other files; null refuses them.
bool mesh_parse(const char *name, const void *bytes, size_t size, const file_source *files, mesh_file *out,
                tool_error *error);

// Leaves the file empty. An empty one is fine.
void mesh_file_free(mesh_file *file);

// Merges all meshes, with vertices and triangles in the order of the file. Keeps attributes that all meshes have, and
// weights if all meshes have the same skin. False: out of memory.
bool mesh_file_merge(const mesh_file *file, sn_mesh *out);

#endif
