// Materials of rods, in physical units.
#ifndef SINEW_MATERIAL_H
#define SINEW_MATERIAL_H

#include "types.h"

// Stiffnesses of a rod's material. The names in brackets are those of the VIPER paper.
typedef struct {
    sn_real density;     // kg/m^3
    sn_real young;       // stretch and bending, Pa [k^z]
    sn_real shear;       // twist and cross-section, Pa [k^x = k^y]
    sn_real transverse;  // shear of the cross-section against the centreline, Pa
    sn_real volume;      // resistance to a change of volume, Pa [k_v]; 0 = a standard rod of constant radius
    sn_real scale_bend;  // resistance to a radius that varies along the rod, N [k_b^x + k_b^y]
    sn_real damping;     // velocities decay as exp(-damping t), 1/s
    bool volume_in_bend; // also preserve the volume of bent segments (stiffens bending by volume / young)
} sn_material;

// Common materials.
typedef enum {
    SN_PRESET_MUSCLE = 0, // passive skeletal muscle across everyday strains
    SN_PRESET_TENDON = 1,
    SN_PRESET_FAT = 2,
    SN_PRESET_SKIN = 3,
    SN_PRESET_CARTILAGE = 4,
    SN_PRESET_RUBBER = 5,
    SN_PRESET_SILICONE = 6,
    SN_PRESET_JELLY = 7,
    SN_PRESET_ROPE = 8,
    SN_PRESET_STEEL = 9,
    SN_PRESET_COUNT = 10,
} sn_preset;

// Returns an isotropic material of Young's modulus (Pa), Poisson's ratio (0 to 0.4999; 0.4999 is nearly incompressible) and
// density (kg/m^3). Under a small stretch with free sides the cross-section shrinks by that ratio.
SN_API sn_material sn_material_make(sn_real young, sn_real poisson, sn_real density);

// Returns a preset material; SN_PRESET_RUBBER for a value outside the list.
SN_API sn_material sn_material_preset(sn_preset preset);

// Returns the name of a preset, such as "muscle"; null outside the list.
SN_API const char *sn_preset_name(sn_preset preset);

#endif
