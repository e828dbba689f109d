// See characters.h. A skin is not part of the world, but its state depends on its past: it is saved with each state of
// the history.
#include "session/characters.h"
#include "view/view_kinds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sn_body id;
    sn_implicit_model *model;
    bool owns; // owns the model, which others share
    sn_implicit_skin *skin;
    uint32_t blend; // PAGE_IMPLICIT, PAGE_DUAL or PAGE_LINEAR
    int bones, muscles, vertices;
    const int32_t *bone_of;
    sn_transform *poses, *rig_poses;
    sn_vec3 *given;
    float (*start)[MUSCLE_ORIGIN]; // of each muscle: its numbers in the scene
} one_character;

struct session_characters {
    one_character *all;
    int count;
    session_edit *edits;
    int edit_count, edit_capacity;
};

// --- opening ---

static bool within(uint32_t offset, size_t size, page_part part) {
    return offset % 8 == 0 && offset <= part.size && size <= part.size - offset;
}

static sn_status find_model(session_characters *all, int i, const page_character *from, const unsigned char *models) {
    one_character *one = &all->all[i];
    const page_character *before = from - i;
    for (int k = 0; k < i; k++)
        if (before[k].model == from->model) one->model = all->all[k].model;
    if (one->model) return SN_OK;
    const sn_implicit_model_def def = sn_implicit_model_def_default();
    one->owns = true;
    return sn_implicit_model_restore(&def, models + from->model, from->model_size, &one->model);
}

static bool bones_fit(const one_character *one) {
    for (int b = 0; b < one->bones; b++)
        if (one->bone_of[b] < 0 || one->bone_of[b] >= one->bones) return false;
    return true;
}

static void follow(one_character *one, const sn_world *world) {
    if (sn_implicit_muscles_get_poses(world, one->id, one->poses, one->bones) != one->bones) return;
    for (int b = 0; b < one->bones; b++) one->rig_poses[one->bone_of[b]] = one->poses[b];
    if (one->blend == PAGE_IMPLICIT)
        sn_implicit_skin_update(one->skin, world, one->id, one->rig_poses, NULL, NULL);
    else
        sn_implicit_skin_place(one->skin, one->rig_poses, one->blend == PAGE_DUAL ? SN_BLEND_DUAL : SN_BLEND_LINEAR);
}

static sn_status open_character(session_characters *all, int i, const page_character *from, const unsigned char *models,
                                page_part part, sn_world *world) {
    one_character *one = &all->all[i];
    if (!within(from->model, from->model_size, part) || from->skin > PAGE_LINEAR || from->bones > 512 ||
        !within(from->bone_of, from->bones * sizeof(int32_t), part))
        return SN_ERR_FORMAT;
    sn_status status = find_model(all, i, from, models);
    if (status != SN_OK) return status;
    const sn_implicit_asset *asset = sn_implicit_model_asset(one->model);
    one->id = (sn_body){SN_KIND_IMPLICIT_MUSCLE, from->slot1, from->gen};
    one->blend = from->skin;
    one->bones = (int)from->bones, one->muscles = asset->muscle_count, one->vertices = asset->vertex_count;
    one->bone_of = (const int32_t *)(const void *)(models + from->bone_of);
    if (asset->bone_count != one->bones || sn_implicit_muscles_bone_count(world, one->id) != one->bones ||
        sn_implicit_muscles_count(world, one->id) != one->muscles || !bones_fit(one))
        return SN_ERR_FORMAT;
    one->poses = calloc((size_t)one->bones, sizeof *one->poses);
    one->rig_poses = calloc((size_t)one->bones, sizeof *one->rig_poses);
    one->given = calloc((size_t)one->vertices + 1, sizeof *one->given);
    one->start = calloc((size_t)one->muscles + 1, sizeof *one->start);
    if (!one->poses || !one->rig_poses || !one->given || !one->start) return SN_ERR_MEMORY;
    for (int m = 0; m < one->muscles; m++)
        for (int k = 0; k < MUSCLE_ORIGIN; k++) one->start[m][k] = muscle_number_get(world, one->id, m, k);
    status = sn_implicit_model_cover(one->model, world, one->id, (const int *)one->bone_of);
    if (status == SN_OK) status = sn_implicit_skin_create(one->model, &one->skin);
    if (status != SN_OK) return status;
    sn_implicit_muscles_get_poses(world, one->id, one->poses, one->bones);
    for (int b = 0; b < one->bones; b++) one->rig_poses[one->bone_of[b]] = one->poses[b];
    status = sn_implicit_skin_place(one->skin, one->rig_poses, SN_BLEND_DUAL);
    if (status == SN_OK) follow(one, world);
    return status;
}

static void close_all(session_characters *all) {
    if (!all) return;
    for (int i = 0; i < all->count; i++) {
        sn_implicit_skin_destroy(all->all[i].skin);
        free(all->all[i].poses);
        free(all->all[i].rig_poses);
        free(all->all[i].given);
        free(all->all[i].start);
    }
    for (int i = 0; i < all->count; i++)
        if (all->all[i].owns) sn_implicit_model_destroy(all->all[i].model);
    free(all->all);
    free(all->edits);
    free(all);
}

static sn_status open_all(const unsigned char *page, const page_header *header, sn_world *world,
                          session_characters **out) {
    const int count = (int)(header->characters.size / sizeof(page_character));
    *out = NULL;
    session_characters *all = calloc(1, sizeof *all);
    if (all) all->all = calloc((size_t)count, sizeof *all->all);
    sn_status status = all && all->all ? SN_OK : SN_ERR_MEMORY;
    const page_character *from = (const page_character *)(const void *)(page + header->characters.offset);
    for (int i = 0; i < count && status == SN_OK; i++) {
        all->count = i + 1;
        status = open_character(all, i, &from[i], page + header->models.offset, header->models, world);
    }
    if (status == SN_OK)
        *out = all;
    else
        close_all(all);
    return status;
}

static void follow_all(session_characters *all, const sn_world *world) {
    for (int i = 0; i < all->count; i++) follow(&all->all[i], world);
}

// --- reading ---

static bool fits(const session_characters *all, const sn_world *world, uint32_t character, int muscle, int count) {
    if (character >= (uint32_t)all->count || count < 0) return false;
    const one_character *one = &all->all[character];
    if (muscle < 0) return count == one->vertices;
    return sn_implicit_muscles_get_surface(world, one->id, muscle, VIEW_TUBE_SIDES, NULL, 0) == count;
}

static bool read_vertices(const session_characters *all, const sn_world *world, uint32_t character, int muscle,
                          float (*out)[3], int count) {
    if (!fits(all, world, character, muscle, count)) return false;
    const one_character *one = &all->all[character];
    sn_vec3 *points = one->given, *rings = NULL;
    if (muscle < 0) {
        const sn_implicit_output to = {.positions = &points[0].x, .position_stride = sizeof *points};
        sn_implicit_skin_read(one->skin, &to);
    } else {
        points = rings = malloc(((size_t)count + 1) * sizeof *rings);
        if (!rings) return false;
        sn_implicit_muscles_get_surface(world, one->id, muscle, VIEW_TUBE_SIDES, rings, count);
    }
    for (int v = 0; v < count; v++)
        out[v][0] = (float)points[v].x, out[v][1] = (float)points[v].y, out[v][2] = (float)points[v].z;
    free(rings);
    return true;
}

// --- changing muscles ---

static session_edit *find(const session_characters *all, uint32_t character, uint32_t muscle, uint32_t number) {
    for (int i = 0; i < all->edit_count; i++) {
        session_edit *edit = &all->edits[i];
        if (edit->character == character && edit->muscle == muscle && edit->number == number) return edit;
    }
    return NULL;
}

static sn_status put(const session_characters *all, sn_world *world, const session_edit *edit) {
    const float value[3] = {edit->value, 0, 0};
    return muscle_number_set(world, all->all[edit->character].id, (int)edit->muscle, (int)edit->number, value);
}

static sn_status edit_one(session_characters *all, sn_world *world, session_edit edit) {
    session_edit *known = find(all, edit.character, edit.muscle, edit.number);
    if (!known && all->edit_count >= SESSION_MAX_EDITS) return SN_ERR_RANGE;
    if (!known && all->edit_count == all->edit_capacity) {
        const int capacity = 2 * all->edit_capacity + 16;
        session_edit *more = realloc(all->edits, (size_t)capacity * sizeof *more);
        if (!more) return SN_ERR_MEMORY;
        all->edits = more, all->edit_capacity = capacity;
    }
    const sn_status status = put(all, world, &edit);
    if (status != SN_OK) return status;
    if (!known) known = &all->edits[all->edit_count++];
    *known = edit;
    return SN_OK;
}

static sn_status edit_muscle(session_characters *all, sn_world *world, uint32_t character, uint32_t muscle,
                             uint32_t number, float value) {
    if (character >= (uint32_t)all->count || number >= MUSCLE_ORIGIN) return SN_ERR_RANGE;
    const uint32_t muscles = (uint32_t)all->all[character].muscles;
    if (muscle != UINT32_MAX && muscle >= muscles) return SN_ERR_RANGE;
    const char *name;
    float low, high;
    muscle_number_range((int)number, &name, &low, &high);
    value = value < low ? low : value > high ? high : value;
    sn_status worst = SN_OK;
    for (uint32_t m = muscle == UINT32_MAX ? 0 : muscle; m < (muscle == UINT32_MAX ? muscles : muscle + 1); m++) {
        const sn_status status = edit_one(all, world, (session_edit){character, m, number, value});
        if (status != SN_OK) worst = status;
    }
    return worst;
}

static void undo(session_characters *all, sn_world *world, uint32_t character, uint32_t muscle) {
    int left = 0;
    for (int i = 0; i < all->edit_count; i++) {
        session_edit edit = all->edits[i];
        if (edit.character != character || (muscle != UINT32_MAX && edit.muscle != muscle)) {
            all->edits[left++] = edit;
            continue;
        }
        edit.value = all->all[character].start[edit.muscle][edit.number];
        put(all, world, &edit);
    }
    all->edit_count = left;
}

static int get_edits(const session_characters *all, const session_edit **out) {
    *out = all->edits;
    return all->edit_count;
}

static void reapply(session_characters *all, sn_world *world) {
    for (int i = 0; i < all->edit_count; i++) put(all, world, &all->edits[i]);
}

// --- going back ---

static bool save(const session_characters *all, unsigned char **bytes, size_t *size) {
    *bytes = NULL, *size = 0;
    const size_t edits = (size_t)all->edit_count * sizeof *all->edits;
    size_t at = sizeof(uint32_t) + edits;
    for (int i = 0; i < all->count; i++) at += sn_implicit_skin_save(all->all[i].skin, NULL, 0);
    *bytes = malloc(at);
    if (!*bytes) return false;
    *size = at;
    const uint32_t count = (uint32_t)all->edit_count;
    memcpy(*bytes, &count, sizeof count);
    if (edits) memcpy(*bytes + sizeof count, all->edits, edits);
    at = sizeof count + edits;
    for (int i = 0; i < all->count; i++) at += sn_implicit_skin_save(all->all[i].skin, *bytes + at, *size - at);
    return true;
}

static void restore(session_characters *all, sn_world *world, const unsigned char *bytes, size_t size, bool edits) {
    uint32_t count;
    for (int i = 0; i < all->count; i++)
        sn_implicit_model_cover(all->all[i].model, world, all->all[i].id, (const int *)all->all[i].bone_of);
    if (size < sizeof count) return;
    memcpy(&count, bytes, sizeof count);
    size_t at = sizeof count + count * sizeof *all->edits;
    if (edits && count <= (uint32_t)all->edit_capacity) { // the capacity never shrinks
        if (count) memcpy(all->edits, bytes + sizeof count, count * sizeof *all->edits);
        all->edit_count = (int)count;
    }
    for (int i = 0; i < all->count; i++) {
        const size_t own = sn_implicit_skin_save(all->all[i].skin, NULL, 0);
        if (own <= size - at) sn_implicit_skin_restore(all->all[i].skin, bytes + at, own);
        at += own;
    }
}

const session_character_ops session_character_table = {
    .open = open_all,
    .close = close_all,
    .follow = follow_all,
    .fits = fits,
    .read = read_vertices,
    .edit = edit_muscle,
    .undo = undo,
    .get_edits = get_edits,
    .reapply = reapply,
    .save = save,
    .restore = restore,
};
