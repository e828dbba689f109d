// A bundle of rods in the place of an implicit muscle: both then drive the same field.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SECTIONS_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SECTIONS_H

#include "kinds/implicit_muscle/muscle_shape.h"
#include "sinew/bundle.h"

// Shapes the muscle by a bundle's cross-sections as they are now (sn_bundle_get_sections). 'radii' are those of the
// sections when the bundle was made: sqrt(area / pi). 'normal' is the direction of the long half axis then, for
// sections that are not round; 0: none. SN_ERR_RANGE: fewer than two sections, or a number that is not finite; nothing
// is changed then.
sn_status sn_swept_form_sections(sn_swept *muscle, const sn_section *sections, int count, const sn_real *radii,
                                 sn_real eccentricity, sn_vec3 normal);

#endif
