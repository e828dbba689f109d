// Materials. The paper's rod has an effective Young's modulus and Poisson's ratio under a small stretch with free sides
//     E_eff = kz + K kv / (K + 4 kv),   nu = 2 kv / (K + 4 kv),   K = kx + ky = 2 G,
// so a ratio nu is met by kv = nu K / (2 (1 - 2 nu)). Bending and twist follow EI = 1/4 pi r^4 kz and GJ = 1/4 pi r^4 K.
#include "base/math/real.h"
#include "sinew/material.h"

sn_material sn_material_make(sn_real young, sn_real poisson, sn_real density) {
    sn_material m = {0};
    poisson = sn_clamp(poisson, 0, (sn_real)0.4999);
    m.density = density;
    m.young = young;
    m.shear = young / (2 * (1 + poisson));
    m.transverse = young; // as in the paper: softer, and frames tip over in rods stretched by half their length
    m.volume = poisson * 2 * m.shear / (2 * (1 - 2 * poisson));
    m.damping = (sn_real)0.1;
    return m;
}

// Young's modulus (Pa), Poisson's ratio, density (kg/m^3), damping (1/s). Tissue values are the order of magnitude of
// published quasi-static tests; living tissue varies by more than a factor of two.
static const struct {
    const char *name;
    double young, poisson, density, damping;
} presets[SN_PRESET_COUNT] = {
    {"muscle", 5e4, 0.495, 1060, 2.0},  {"tendon", 5e8, 0.45, 1120, 1.0},    {"fat", 5e3, 0.495, 920, 4.0},
    {"skin", 2e5, 0.48, 1100, 3.0},     {"cartilage", 5e6, 0.45, 1100, 1.0}, {"rubber", 2e6, 0.49, 1100, 0.5},
    {"silicone", 2e5, 0.49, 1070, 0.5}, {"jelly", 5e3, 0.49, 1000, 0.3},     {"rope", 2e8, 0.3, 1150, 1.0},
    {"steel", 2e11, 0.3, 7850, 0.05},
};

sn_material sn_material_preset(sn_preset preset) {
    int i = (int)preset >= 0 && (int)preset < SN_PRESET_COUNT ? (int)preset : SN_PRESET_RUBBER;
    sn_material m =
        sn_material_make((sn_real)presets[i].young, (sn_real)presets[i].poisson, (sn_real)presets[i].density);
    m.damping = (sn_real)presets[i].damping;
    return m;
}

const char *sn_preset_name(sn_preset preset) {
    return (int)preset >= 0 && (int)preset < SN_PRESET_COUNT ? presets[preset].name : NULL;
}
