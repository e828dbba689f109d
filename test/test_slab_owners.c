// Every corner and every edge of slabs has one owner.
#include "geometry/slab_owners.h"
#include "test.h"

static sn_memory memory_of(void) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    return memory;
}

TEST(corners_and_edges_of_a_grid_have_one_owner) {
    enum { N = 7, POINTS = N * N, COUNT = 2 * (N - 1) * (N - 1) };
    int32_t triangles[3 * COUNT];
    int at = 0;
    for (int y = 0; y + 1 < N; y++)
        for (int x = 0; x + 1 < N; x++) {
            const int32_t a = y * N + x, quad[6] = {a, a + 1, a + N, a + 1, a + N + 1, a + N};
            for (int k = 0; k < 6; k++) triangles[at++] = quad[k];
        }
    sn_memory memory = memory_of();
    uint32_t owns[COUNT];
    CHECK(sn_slab_owners(&memory, POINTS, triangles, COUNT, owns));
    int corner[POINTS] = {0}, edges = 0, most = 0;
    static int edge[POINTS][POINTS];
    for (int i = 0; i < COUNT; i++) {
        int mine = 0;
        for (int k = 0; k < 3; k++) {
            const int a = triangles[3 * i + k], b = triangles[3 * i + (k + 1) % 3];
            if (owns[i] >> k & 1) ++corner[a], ++mine;
            if (owns[i] >> (3 + k) & 1) ++edge[a < b ? a : b][a < b ? b : a], ++edges;
        }
        most = mine > most ? mine : most;
    }
    for (int p = 0; p < POINTS; p++) CHECK(corner[p] == 1);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 3; k++) {
            const int a = triangles[3 * i + k], b = triangles[3 * i + (k + 1) % 3];
            CHECK(edge[a < b ? a : b][a < b ? b : a] == 1);
        }
    CHECK(edges == POINTS + COUNT - 1); // Euler
    CHECK(most <= 2);
}

TEST(mere_edges_own_both_names_of_their_end) {
    const int32_t edges[] = {0, 1, 1, 1, 2, 2, 2, 0, 0};
    sn_memory memory = memory_of();
    uint32_t owns[3];
    CHECK(sn_slab_owners(&memory, 3, edges, 3, owns));
    int corners = 0;
    for (int i = 0; i < 3; i++) {
        CHECK((owns[i] >> 3) == 7);
        CHECK((owns[i] >> 1 & 1) == (owns[i] >> 2 & 1));
        corners += (int)(owns[i] & 1) + (int)(owns[i] >> 1 & 1);
    }
    CHECK(corners == 3);
}
