// Rods shown to contacts, in lanes: from the rows of a packet to a record a node (see proxy.c).
#include "base/simd/lane_gather.h"
#include "geometry/proxy.h"
#include "kinds/rod/rod_lanes.h"
#include <stddef.h>

void SN_LANE_NAME(sn_rod_update_nodes)(const sn_packet *packet, const sn_real *state, const int32_t *first,
                                       const sn_proxies *proxies, bool frames);

// Writes the quads of lanes whose rod is shown; their records are 'stride' numbers apart.
SN_INLINE void write_quads(sn_real *base, int stride, const int32_t *index, const vreal row[4]) {
#if SN_LANES == 1
    if (index[0] >= 0) scatter_quads(base, stride, index, 1, row);
#else
    vreal quads[4] = {row[0], row[1], row[2], row[3]};
    transpose_quads(quads);
    SN_UNROLL
    for (int lane = 0; lane < SN_LANES; lane++)
        if (index[lane] >= 0)
            __builtin_memcpy(base + (ptrdiff_t)index[lane] * stride,
                             (const char *)&quads[lane % 4] + (size_t)(lane / 4) * 4 * sizeof(sn_real),
                             4 * sizeof(sn_real));
#endif
}

// first[lane]: the node of block 0 of the lane's rod, -1: not shown. 'frames': also how the pills' axes stand, and how far they
// have turned about them since the start of the substep.
void SN_LANE_NAME(sn_rod_update_nodes)(const sn_packet *packet, const sn_real *state, const int32_t *first,
                                       const sn_proxies *proxies, bool frames) {
    enum {
        NODE = sizeof(sn_node) / sizeof(sn_real),
        START = offsetof(sn_node, c0) / sizeof(sn_real),
        SQUEEZE = offsetof(sn_node, squeeze) / sizeof(sn_real),
        PILL = sizeof(sn_node_pill) / sizeof(sn_real),
        AXIS = offsetof(sn_node_pill, axis) / sizeof(sn_real),
    };
    const sn_topology *t = packet->topology;
    sn_real *nodes = &proxies->nodes->c.x, *pills = (sn_real *)proxies->pills + AXIS;
    for (int i = 0; i < t->blocks; i++) {
        int32_t index[SN_LANES];
        for (int lane = 0; lane < SN_LANES; lane++) index[lane] = first[lane] < 0 ? -1 : first[lane] + i;
        block_state x = load_state(state, i), x0 = load_state(packet->x0, i);
        write_quads(nodes, NODE, index, (vreal[4]){x.c.x, x.c.y, x.c.z, x.s});
        write_quads(nodes + START, NODE, index, (vreal[4]){x0.c.x, x0.c.y, x0.c.z, x0.s});
        if (!frames) continue;
        write_quads(nodes + SQUEEZE, NODE, index, (vreal[4]){v_set(0), x.low.x, x.low.y, x.low.z});
        if (t->parent[i] < 0) {
            write_quads(pills + 4, PILL, index, (vreal[4]){v_set(0), x0.low.x, x0.low.y, x0.low.z});
            continue;
        }
        vq rotation = vq_mul(x.q, vq_conj(x0.q));
        v3 axis = vq_axis_z(x.q);
        vreal inertia = param(packet, i, P_INERTIA_W);
        vreal mean = K(0.5) * (x.s + v_load(ROW(state, X_ROWS, t->parent[i], X_S)));
        vreal w = v_select(v_less(inertia, v_set(SN_IS_HELD)), K(1) / (inertia * mean * mean), v_set(0));
        vreal angle = v3_dot(vq_log(rotation), axis);
        write_quads(pills, PILL, index, (vreal[4]){axis.x, axis.y, axis.z, w});
        write_quads(pills + 4, PILL, index, (vreal[4]){angle, x0.low.x, x0.low.y, x0.low.z});
    }
}
