// The families of cases.
#include "coupling_cases.h"
#include <stdio.h>
#include <string.h>

static const coupling_family *const families[] = {
    &coupling_ropes, &coupling_structures, &coupling_heaps,   &coupling_stacks, &coupling_conflicts,
    &coupling_rods,  &coupling_frictions,  &coupling_muscles, &coupling_scenes,
};

int coupling_family_count(void) {
    return (int)(sizeof families / sizeof *families);
}

const coupling_family *coupling_family_at(int i) {
    return i >= 0 && i < coupling_family_count() ? families[i] : NULL;
}

void coupling_name(const coupling_family *family, int i, char *out, size_t capacity) {
    char rest[24];
    family->title(i, rest, sizeof rest);
    snprintf(out, capacity, "%s%s%s", family->name, family->name[0] && rest[0] ? "." : "", rest);
}

void coupling_measure(const coupling_family *family, int i, const coupling_settings *settings, coupling_result *out) {
    memset(out, 0, sizeof *out);
    coupling_name(family, i, out->name, sizeof out->name);
    family->run(i, settings, out);
}

bool coupling_measure_named(const char *name, const coupling_settings *settings, coupling_result *out) {
    for (int f = 0; f < coupling_family_count(); f++) {
        for (int i = 0; i < families[f]->count; i++) {
            char other[COUPLING_NAME];
            coupling_name(families[f], i, other, sizeof other);
            if (strcmp(name, other) != 0) continue;
            coupling_measure(families[f], i, settings, out);
            return true;
        }
    }
    return false;
}
