// A spindle built from a bundle of rods: its axis passes through the centres of the cross-sections and has their radii.
// There is one section per point of the rods; the axis resamples the polyline through them in equal steps and
// interpolates the radii.
#include "kinds/implicit_muscle/muscle_spindle.h"

// The point of the polyline through the sections at arc length `at`: the index of the section before it, and the
// parameter t towards the next. `done` is the arc length of section `from`; updated.
static int find_segment(const sn_section *sections, int count, sn_real at, int from, sn_real *done, sn_real *t) {
    int i = from;
    for (; i + 2 < count; i++) {
        const sn_real step = sn_length(sn_sub(sections[i + 1].centre, sections[i].centre));
        if (*done + step >= at) break;
        *done += step;
    }
    const sn_real step = sn_length(sn_sub(sections[i + 1].centre, sections[i].centre));
    *t = step > 0 ? sn_clamp((at - *done) / step, 0, 1) : 0;
    return i;
}

sn_status sn_muscle_spindle_build_from_sections(sn_muscle_spindle *muscle, const sn_section *sections, int count,
                                                const sn_real *radii, sn_real eccentricity, sn_vec3 normal) {
    sn_real radius[SN_MUSCLE_MAX_POINTS], length = 0;
    if (count < 2 || !sections || !radii || !(eccentricity >= 0 && eccentricity <= SN_MUSCLE_MAX_ECCENTRICITY))
        return SN_ERR_RANGE;
    for (int i = 0; i < count; i++)
        if (!sn_valid3(sections[i].centre) || !sn_finite(sections[i].scale) || !(radii[i] >= 0) || !sn_finite(radii[i]))
            return SN_ERR_RANGE;
    for (int i = 0; i + 1 < count; i++) length += sn_length(sn_sub(sections[i + 1].centre, sections[i].centre));
    int from = 0;
    sn_real done = 0;
    for (int k = 0; k < muscle->points; k++) {
        sn_real t;
        from = find_segment(sections, count, length * (sn_real)k / (sn_real)(muscle->points - 1), from, &done, &t);
        const sn_section *a = &sections[from], *b = a + 1;
        const sn_real ra = sn_clamp(radii[from] * a->scale, 0, SN_MUSCLE_MAX_RADIUS),
                      rb = sn_clamp(radii[from + 1] * b->scale, 0, SN_MUSCLE_MAX_RADIUS);
        muscle->axis[k] = sn_lerp(a->centre, b->centre, t);
        radius[k] = sn_min(ra + t * (rb - ra), SN_MUSCLE_MAX_RADIUS); // rounding may exceed it
    }
    const sn_vec3 normals[2] = {sn_q_rotate(sections[0].rotation, normal),
                                sn_q_rotate(sections[count - 1].rotation, normal)};
    sn_muscle_spindle_build_from_radii(muscle, radius, eccentricity, sn_length2(normal) > 0 ? normals : NULL);
    return SN_OK;
}
