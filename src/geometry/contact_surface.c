// Checks of contact surfaces. See contact_surface.h.
#include "geometry/contact_surface.h"

static int wrong_unless(bool good, const sn_log *log, const char *field,
                        const char *text) { // NaN is not good
    return good ? 0 : sn_def_error(log, field, "%s", text);
}

int sn_surface_errors(const sn_log *log, const sn_surface *s) {
    return wrong_unless(s->friction_static >= 0 && s->friction_static <= 100, log, "surface.friction_static",
                        "must be from 0 to 100") +
           wrong_unless(s->friction_dynamic >= 0 && s->friction_dynamic <= s->friction_static, log,
                        "surface.friction_dynamic", "must be from 0 to friction_static") +
           wrong_unless(s->restitution >= 0 && s->restitution <= 1, log, "surface.restitution", "must be from 0 to 1") +
           wrong_unless(s->rolling >= 0 && s->rolling <= 1e6, log, "surface.rolling", "must be from 0 to 1e6 m") +
           wrong_unless(s->torsion >= 0 && s->torsion <= 1e6, log, "surface.torsion", "must be from 0 to 1e6 m") +
           wrong_unless(s->compliance >= 0 && s->compliance <= 1, log, "surface.compliance", "must be from 0 to 1 m/N");
}

bool sn_surface_is_fine(const sn_surface *s) {
    static const sn_log silent = {0};
    return sn_surface_errors(&silent, s) == 0;
}

sn_surface sn_surface_default(void) {
    return (sn_surface){
        .friction_static = (sn_real)0.5, .friction_dynamic = (sn_real)0.4, .group = 1, .mask = UINT32_MAX};
}
