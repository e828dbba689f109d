// Meshes and rigs from files: OBJ, PLY, STL, OFF and glTF 2 (.glb, .gltf). The readers are our own, since files come
// from anywhere: whatever the bytes, reading ends with a mesh_file or with a sentence that says where and what, in time
// proportional to the file and in at most 50 times its size of memory (a file shorter than 128 bytes counts as that
// long).
#ifndef SN_FORMATS_MESH_FILE_H
#define SN_FORMATS_MESH_FILE_H

#include "formats/file_text.h"
#include "mesh/mesh.h"

// Everything of a name that does not fit is cut off.
#define MESH_NAME_SIZE 64

typedef enum { MESH_OBJ, MESH_PLY, MESH_STL, MESH_OFF, MESH_GLTF } mesh_format;

// One mesh as it stands in the file. Without a skin it is placed in the world by its node. With one it is in the space
// of its inverse bind matrices, and mesh_pose.h places it.
typedef struct {
    sn_mesh mesh;
    int skin; // -1: none
    int node; // that shows it; -1: none
    // Vertices of a skinned mesh whose weights are all 0, in order; they were hung on the first joint.
    int *bare;
    int bare_count;
} mesh_item;

// A node of the hierarchy, which may be a joint. Every file but glTF has none.
typedef struct {
    char name[MESH_NAME_SIZE];
    int parent; // always smaller than the node's own index; -1: none
    // At rest, to the parent; columns as in glTF: x' = local[0] x + local[4] y + local[8] z + local[12].
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

// Keys of one part of one node's movement: 3 numbers each, rotations 4, and cubic ones three times as many: in-tangent,
// value, out-tangent.
typedef struct {
    int node;
    mesh_path path;
    mesh_interpolation interpolation;
    int key_count;
    float *time, *value; // seconds, never falling
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
    int skipped; // points, lines and shapes to morph to, which are not read
    // What lists have room for, while reading.
    int mesh_capacity;
} mesh_file;

// Whether a file's name ends like one of a format that is read here.
bool mesh_name_is_known(const char *file);

// Reads a file; the ending of its name says the format. False: nothing was read; the error is
// "file:line:column: error: ..." or, for binary files, "file:offset N: error: ...".
bool mesh_read(const char *file, const file_source *files, mesh_file *out, tool_error *error);

// The same for bytes in memory. `files` has the buffers of a .gltf text that are in other files; null refuses them.
bool mesh_parse(const char *name, const void *bytes, size_t size, const file_source *files, mesh_file *out,
                tool_error *error);

// Takes any file, also an empty one, and leaves it empty.
void mesh_file_free(mesh_file *file);

// All meshes in one, its vertices and triangles in the order of the file: parts that all meshes have are kept, skins
// when they are one and the same. False: no memory.
bool mesh_file_merge(const mesh_file *file, sn_mesh *out);

#endif
