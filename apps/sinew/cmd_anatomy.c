// sinew anatomy: a folder of bone and muscle surfaces becomes a scene that moves. The steps are in anatomy.h.
#include "anatomy.h"
#include "command.h"
#include "messages.h"
#include "options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const joint_names[] = {"fixed", "hinge", "ball"};

static void print_bones(const anatomy *a) {
    for (int i = 0; i < a->count; i++) {
        const anatomy_item *b = &a->item[i];
        if (b->kind != ANATOMY_BONE) continue;
        if (b->parent < 0)
            printf("%-12s %s: held by nothing\n", "bone", b->name);
        else if (b->joint == JOINT_FIXED)
            printf("%-12s %s: fixed to %s, by %s; gap %.1f mm\n", "bone", b->name, a->item[b->parent].name,
                   b->joint_from, 1000 * b->gap);
        else
            printf("%-12s %s: %s on %s, by %s; bends by %.0f degrees (room %.0f and -%.0f)%s; gap %.1f mm\n", "bone",
                   b->name, joint_names[b->joint], a->item[b->parent].name, b->joint_from, b->degrees, b->range[0],
                   b->range[1], b->phase < 0 ? ", no muscle moves it" : "", 1000 * b->gap);
    }
}

static void print_muscles(const anatomy *a) {
    for (int i = 0; i < a->count; i++) {
        const anatomy_item *m = &a->item[i];
        if (m->kind == ANATOMY_OTHER) printf("%-12s %s: left out\n", "other", m->name);
        if (m->kind != ANATOMY_MUSCLE || m->failed) continue;
        printf("%-12s %s:", "muscle", m->name);
        for (int end = 0; end < 2; end++)
            if (m->end_bone[end] >= 0)
                printf(" %s %s (%.0f mm)%s", end ? "to" : "from", a->item[m->end_bone[end]].name,
                       1000 * m->end_gap[end], m->end_gap[end] > 0.02 ? " FAR" : "");
        printf("; error %.2f, span %.0f %%, bends %.0f%s%s\n", m->quality.surface_95 / m->quality.radius,
               100 * m->quality.span, m->quality.bend, m->from_cache ? ", from before" : "",
               m->known ? "" : ", unknown name");
    }
}

static void print_report(const anatomy *a, double seconds) {
    int kinds[3] = {0}, cached = 0;
    char guesses[1400];
    for (int i = 0; i < a->count; i++) kinds[a->item[i].kind]++, cached += a->item[i].from_cache;
    printf("%-12s %d bones, %d muscles (%d from before), %d others\n", "surfaces", kinds[ANATOMY_BONE],
           kinds[ANATOMY_MUSCLE], cached, kinds[ANATOMY_OTHER]);
    printf("%-12s %g m: %s\n", "unit", a->unit, a->unit_from);
    print_bones(a);
    print_muscles(a);
    printf("%-12s %d joints, one after the other\n", "motion", a->phases);
    printf("%-12s %.1f s\n", "time", seconds);
    snprintf(guesses, sizeof guesses, "%s/%s.guesses.json", a->output_folder, a->base);
    const char *files[2] = {a->request->output, guesses};
    print_written(files, 2);
}

static int make(anatomy *a) {
    const double start = clock_seconds();
    progress_start(&a->bar, a->request->quiet);
    int code = anatomy_read_choices(a);
    if (code == EXIT_DONE) code = anatomy_read_surfaces(a);
    if (code == EXIT_DONE) code = anatomy_make_rigs(a);
    progress_update(&a->bar, 0.92, "joints");
    if (code == EXIT_DONE) code = anatomy_find_joints(a);
    if (code == EXIT_DONE) code = anatomy_attach(a);
    if (code == EXIT_DONE) code = anatomy_plan_motion(a);
    if (code == EXIT_DONE) code = anatomy_write(a);
    progress_end(&a->bar);
    if (code == EXIT_DONE && !a->request->quiet) print_report(a, clock_seconds() - start);
    return code;
}

static void free_items(anatomy *a) {
    for (int i = 0; i < a->count; i++) {
        sn_mesh_query_free((sn_mesh_query *)a->item[i].bone.query);
        sn_winding_free((sn_winding *)a->item[i].bone.winding);
        sn_mesh_free(&a->item[i].surface);
    }
    free(a->item), free(a->choices_text);
}

// The folder of a path, and its name without .scene.json or .json.
static void split_output(const char *output, anatomy *a) {
    const char *slash = strrchr(output, '/');
    snprintf(a->output_folder, sizeof a->output_folder, "%.*s", slash ? (int)(slash - output) : 1,
             slash ? output : ".");
    if (slash == output) strcpy(a->output_folder, "/");
    snprintf(a->base, sizeof a->base, "%.200s", slash ? slash + 1 : output);
    *strstr(a->base, ".json") = '\0';
    char *scene = strstr(a->base, ".scene");
    if (scene && scene[6] == '\0' && scene != a->base) *scene = '\0';
}

int command_anatomy(int count, char **arguments) {
    anatomy_request request = {.rods = 4, .slices = 10, .threads = processor_count(), .triangles = 800};
    const option options[] = {
        option_output(&request.output, "BODY.scene.json", "the scene"),
        option_text("with", &request.with, "CHOICES.json", "what to do other than guessed: as BODY.guesses.json is"),
        option_int("rods", &request.rods, "K", 1, VIPER_MAX_RODS, "rods of each muscle, default 4"),
        option_int("slices", &request.slices, "M", 2, VIPER_MAX_SLICES, "points per rod, default 10"),
        option_int("triangles", &request.triangles, "N", 100, 1000000,
                   "of each bone at most, and a quarter of a muscle's; default 800"),
        option_threads(&request.threads),
        option_quiet(&request.quiet),
        {.name = NULL},
    };
    const command_usage usage = {
        "anatomy",
        "FOLDER -o BODY.scene.json [--with CHOICES.json]",
        "Makes a scene of a folder of bone and muscle surfaces (.obj, .ply, .stl, .off, .glb, .gltf), all in one "
        "frame:\n"
        "their names say which are bones; muscles become rods and are attached to the nearest bones; bones that meet\n"
        "get joints, and each joint bends in turn. What was guessed is printed, and written beside the scene.",
        options,
        1,
        1};
    int argument_count, code;
    if (!options_parse(&usage, count, arguments, &request.folder, &argument_count, &code)) return code;
    if (!request.output) return fail(EXIT_BAD_INPUT, "missing output: use -o BODY.scene.json");
    code = check_ending(request.output, ".json");
    if (code != EXIT_DONE) return code;
    anatomy *a = calloc(1, sizeof *a);
    if (!a) return out_of_memory();
    a->request = &request;
    sn_memory_init(&a->memory, NULL);
    sn_arena_init(&a->arena, &a->memory);
    split_output(request.output, a);
    code = make(a);
    free_items(a);
    sn_arena_free(&a->arena);
    free(a);
    return code;
}
