// The same in double precision, and small strains.
#include "test_known_stretch.c"

// Row 12: for small strains E_eff = kz + K kv / (K + 4 kv) and Poisson's ratio is 2 kv / (K + 4 kv). To 1e-5.
TEST(small_strains_have_the_effective_young_and_poisson) {
    static const double ratio[4] = {0, 0.25, 2, 100};
    for (int k = 0; k < 4; k++) {
        double kv = ratio[k] * K, young = KZ + K * kv / (K + 4 * kv), poisson = 2 * kv / (K + 4 * kv), strain = 1e-6;
        bench b = drawn(strain * young * AREA, kv);
        double found = tip_of(b.world, b.rod).x - 1, thinner = 1 - scale_of(b.world, b.rod, SEGMENTS / 2);
        CHECK_NEAR(found, strain, 1e-5 * strain);
        CHECK_NEAR(thinner / found, poisson, 1e-5);
        sn_world_destroy(b.world);
    }
}
