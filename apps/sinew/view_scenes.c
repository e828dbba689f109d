// See view_scenes.h.
#include "view_scenes.h"
#include "formats/quote.h"
#include "messages.h"
#include "session/page_pack.h"
#include <dirent.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_SCENES = 1000 };

typedef struct {
    char *name, *file;
    unsigned char *baked; // null until it is opened
    size_t size;
} entry;

struct view_scenes {
    pthread_mutex_t lock; // for `baked`
    entry *entries;
    int count;
    char *list;
};

static int by_name(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

// The name is that of the file, without folder and ending.
static bool add(view_scenes *scenes, const char *folder, const char *file) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    size_t length = strlen(base) - (ends_with(base, ".json") ? 5 : 0);
    size_t capacity = (folder ? strlen(folder) : 0) + strlen(file) + 2;
    entry *grown = realloc(scenes->entries, (size_t)(scenes->count + 1) * sizeof *grown);
    if (!grown) return false;
    scenes->entries = grown;
    entry *to = &scenes->entries[scenes->count];
    *to = (entry){.name = strndup(base, length), .file = malloc(capacity)};
    if (!to->name || !to->file) {
        free(to->name);
        free(to->file);
        return false;
    }
    snprintf(to->file, capacity, "%s%s%s", folder ? folder : "", folder ? "/" : "", file);
    scenes->count++;
    return true;
}

view_scenes *scenes_find(const char *folder) {
    view_scenes *scenes = calloc(1, sizeof *scenes);
    if (!scenes) return NULL;
    pthread_mutex_init(&scenes->lock, NULL);
    DIR *listing = folder ? opendir(folder) : NULL;
    bool good = true;
    for (struct dirent *at; listing && good && (at = readdir(listing));) {
        if (at->d_name[0] != '.' && ends_with(at->d_name, ".json") && scenes->count < MAX_SCENES)
            good = add(scenes, folder, at->d_name);
    }
    if (listing) closedir(listing);
    if (!good) {
        scenes_free(scenes);
        return NULL;
    }
    if (scenes->count > 0) qsort(scenes->entries, (size_t)scenes->count, sizeof *scenes->entries, by_name);
    return scenes;
}

void scenes_free(view_scenes *scenes) {
    if (!scenes) return;
    for (int i = 0; i < scenes->count; i++) {
        free(scenes->entries[i].name);
        free(scenes->entries[i].file);
        free(scenes->entries[i].baked);
    }
    pthread_mutex_destroy(&scenes->lock);
    free(scenes->entries);
    free(scenes->list);
    free(scenes);
}

static entry *find(const view_scenes *scenes, const char *name) {
    for (int i = 0; i < scenes->count; i++)
        if (strcmp(scenes->entries[i].name, name) == 0) return &scenes->entries[i];
    return NULL;
}

const char *scenes_add_file(view_scenes *scenes, const char *file) {
    if (!add(scenes, NULL, file)) return NULL;
    entry *added = &scenes->entries[scenes->count - 1], *before = find(scenes, added->name);
    if (before == added) return added->name;
    free(before->file); // it replaces the one of that name in the folder
    before->file = added->file;
    free(added->name);
    scenes->count--;
    return before->name;
}

int scenes_count(const view_scenes *scenes) {
    return scenes->count;
}

bool scenes_has(const view_scenes *scenes, const char *name) {
    return find(scenes, name) != NULL;
}

const char *scenes_near(const view_scenes *scenes, const char *name) {
    const char *near = NULL;
    int best = suggest_reach(name);
    for (int i = 0; i < scenes->count; i++)
        if (suggest_nearer(name, scenes->entries[i].name, &best)) near = scenes->entries[i].name;
    return near;
}

// Reads only the texts, as plain JSON; errors are reported when the scene is opened.
static json_t *describe(const entry *e) {
    json_t *file = json_load_file(e->file, 0, NULL);
    const char *title = json_string_value(json_object_get(file, "title"));
    const char *about = json_string_value(json_object_get(file, "description"));
    json_t *made =
        json_pack("{s:s, s:s, s:s}", "name", e->name, "title", title ? title : e->name, "about", about ? about : "");
    json_decref(file);
    return made;
}

const char *scenes_list(view_scenes *scenes) {
    if (scenes->list) return scenes->list;
    json_t *list = json_array();
    for (int i = 0; i < scenes->count; i++) json_array_append_new(list, describe(&scenes->entries[i]));
    scenes->list = list ? json_dumps(list, JSON_COMPACT) : NULL;
    json_decref(list);
    return scenes->list;
}

bool scenes_bake(view_scenes *scenes, const char *name, tool_error *error) {
    entry *e = find(scenes, name);
    if (!e) return tool_error_set(error, "there is no such scene");
    if (e->baked) return true;
    int all = 0;
    tool_error_out_of_memory(error);
    sn_scene *scene = page_read_scene(e->file, 0, &all);
    packed_page baked = {0};
    const bool good = scene && page_pack(scene, all, &baked, error);
    if (good) {
        pthread_mutex_lock(&scenes->lock);
        e->baked = baked.bytes;
        e->size = baked.size;
        pthread_mutex_unlock(&scenes->lock);
    } else if (scene && scene->errors.count > 0) {
        errors_print(&scene->errors, stderr);
        tool_error_set(error, "the file has errors; see 'sinew check'");
    }
    scene_free(scene);
    return good;
}

const void *scenes_baked(view_scenes *scenes, const char *name, size_t *size) {
    entry *e = find(scenes, name);
    if (!e) return NULL;
    pthread_mutex_lock(&scenes->lock);
    const void *baked = e->baked;
    *size = e->size;
    pthread_mutex_unlock(&scenes->lock);
    return baked;
}
