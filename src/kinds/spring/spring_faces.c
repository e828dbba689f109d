// Finds edges and faces by sorting: into small buckets by their lowest point, then by insertion.
#include "kinds/spring/spring_faces.h"
#include <string.h>

// Starts of the buckets of 'lowest[i]', i < n, into first (points + 1 long); ends become starts as they are filled.
static void count_buckets(int *first, int points, const int *lowest, size_t n, size_t stride) {
    memset(first, 0, ((size_t)points + 1) * sizeof *first);
    for (size_t i = 0; i < n; i++) ++first[lowest[i * stride]];
    for (int i = 0, sum = 0; i <= points; i++) first[i] = sum += first[i];
}

static bool edge_after(const sn_edge_use *x, const sn_edge_use *y) {
    return x->b != y->b ? x->b > y->b : x->element > y->element;
}

sn_edge_use *sn_edge_uses(sn_memory *memory, int points, const int *elements, int corners, int count, int *use_count) {
    const int per = corners * (corners - 1) / 2;
    const size_t n = (size_t)count * (size_t)per;
    *use_count = (int)n;
    sn_edge_use *uses = sn_alloc(memory, n, sizeof *uses), *made = sn_alloc(memory, n, sizeof *made);
    int *first = sn_alloc(memory, (size_t)points + 1, sizeof *first);
    if (uses && made && first) {
        size_t next = 0;
        for (int e = 0; e < count; e++) {
            const int *corner = elements + (size_t)e * (size_t)corners;
            for (int i = 0; i < corners; i++)
                for (int j = i + 1; j < corners; j++) {
                    int k = 0;
                    while (k == i || k == j) k++;
                    const int a = corner[i], b = corner[j];
                    made[next++] = (sn_edge_use){a < b ? a : b, a < b ? b : a, e, corner[k]};
                }
        }
        count_buckets(first, points, &made[0].a, n, sizeof *made / sizeof(int));
        for (size_t i = n; i-- > 0;) uses[--first[made[i].a]] = made[i];
        for (int p = 0; p < points; p++)
            for (int i = first[p] + 1; i < first[p + 1]; i++) {
                const sn_edge_use use = uses[i];
                int k = i;
                for (; k > first[p] && edge_after(&uses[k - 1], &use); --k) uses[k] = uses[k - 1];
                uses[k] = use;
            }
    } else {
        sn_free(memory, uses, n, sizeof *uses);
        uses = NULL;
    }
    sn_free(memory, made, n, sizeof *made);
    sn_free(memory, first, (size_t)points + 1, sizeof *first);
    return uses;
}

// A face with sorted corners.
typedef struct {
    int key[3];
    int number; // 4 * tet + the corner opposite
} face_use;

static bool face_after(const face_use *x, const face_use *y) {
    if (x->key[1] != y->key[1]) return x->key[1] > y->key[1];
    return x->key[2] > y->key[2];
}

static bool same_face(const face_use *x, const face_use *y) {
    return memcmp(x->key, y->key, sizeof x->key) == 0;
}

static void swap_if_after(int *a, int *b) {
    if (*a > *b) {
        const int t = *a;
        *a = *b, *b = t;
    }
}

sn_tet_face *sn_tet_faces(sn_memory *memory, int points, const int (*tets)[4], int count, int *face_count) {
    static const int around[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}; // outward, opposite to each corner
    const size_t n = 4 * (size_t)count;
    *face_count = 0;
    sn_tet_face *faces = sn_alloc(memory, n, sizeof *faces);
    face_use *uses = sn_alloc(memory, n, sizeof *uses), *made = sn_alloc(memory, n, sizeof *made);
    bool *shared = sn_alloc(memory, n, sizeof *shared);
    int *first = sn_alloc(memory, (size_t)points + 1, sizeof *first);
    if (faces && uses && made && shared && first) {
        for (size_t i = 0; i < n; i++) {
            int *key = made[i].key;
            for (int k = 0; k < 3; k++) key[k] = tets[i / 4][around[i % 4][k]];
            swap_if_after(&key[0], &key[1]);
            swap_if_after(&key[1], &key[2]);
            swap_if_after(&key[0], &key[1]);
            made[i].number = (int)i;
        }
        count_buckets(first, points, &made[0].key[0], n, sizeof *made / sizeof(int));
        for (size_t i = n; i-- > 0;) uses[--first[made[i].key[0]]] = made[i];
        for (int p = 0; p < points; p++)
            for (int i = first[p] + 1; i < first[p + 1]; i++) {
                const face_use use = uses[i];
                int k = i;
                for (; k > first[p] && face_after(&uses[k - 1], &use); --k) uses[k] = uses[k - 1];
                uses[k] = use;
            }
        for (size_t i = 0; i + 1 < n; i++)
            if (same_face(&uses[i], &uses[i + 1])) shared[uses[i].number] = shared[uses[i + 1].number] = true;
        for (size_t i = 0; i < n; i++) {
            if (shared[i]) continue;
            sn_tet_face *face = &faces[(*face_count)++];
            for (int k = 0; k < 3; k++) face->corner[k] = tets[i / 4][around[i % 4][k]];
            face->tet = (int)(i / 4);
        }
    } else {
        sn_free(memory, faces, n, sizeof *faces);
        faces = NULL;
    }
    sn_free(memory, uses, n, sizeof *uses);
    sn_free(memory, made, n, sizeof *made);
    sn_free(memory, shared, n, sizeof *shared);
    sn_free(memory, first, (size_t)points + 1, sizeof *first);
    return faces;
}
