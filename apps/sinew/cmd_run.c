// sinew run: simulates a scene, writes frames and a report.
//
// An interrupt (Ctrl-C, SIGTERM) ends the run after the current step: complete files of the run so far are written, and
// the exit code is 1. A second interrupt stops drawing a film, or else ends the program at once.
#include "capture/capture.h"
#include "capture/elastic_bound_check.h"
#include "capture/plot_scene.h"
#include "command.h"
#include "formats/atomic_file.h"
#include "formats/file_text.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "recorder.h"
#include "render/render.h"
#include "report.h"
#include "scene/scene.h"
#include "scene/scene_skin.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>

#define DEFAULT_FPS 30
// Energy that rises without work by this many times all that the scene has, had or was given is not a matter of exactness.
#define RUNAWAY 100

static const char *const glb_joint_choices[] = {"each", "shared", NULL};

typedef struct {
    const char *scene_file, *report_file, *plot_file, *record_file, *replay_file, *camera;
    text_list outputs;
    run_overrides changes;
    double fps, min_realtime; // 0: default
    int threads, lanes, samples;
    picture_size size; // zeros: default
    int glb_joints;    // which of glb_joint_choices
    bool pills, check_bounds, check_energy, quiet;
} run_options;

typedef struct {
    const run_options *options;
    sn_scene *scene;
    sn_world *world;
    run_report report;
    scene_plot *plot;            // on request
    elastic_bound_check *bounds; // on request
    atomic_file report_file, plot_file;
    export_options export_options;
    capture *capture; // the outputs
    progress drawing; // of a film
    bool is_drawing;
    run_recorder recorder;
    int frame;
} simulation;

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    interrupted = 1;
    signal(number, SIG_DFL);
}

static bool was_interrupted(void) {
    return interrupted;
}

static void print_log(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user;
    if (code == SN_WARN_ENERGY || code == SN_WARN_DIVERGED) return; // said with the body's name
    static const char *const names[] = {"error", "warning", "note"};
    fprintf(stderr, "sinew run: %s: %s%s%s\n", names[level], field, *field ? ": " : "", text);
}

static int failed(const char *error) {
    return fail(EXIT_RUN_FAILED, "%s", error);
}

// A scene or a recording; the latter has its own overrides.
static bool one_source(const run_options *options, int words) {
    const run_overrides *changes = &options->changes;
    const bool changed =
        changes->solver >= 0 || changes->iterations || changes->substeps || changes->step > 0 || changes->seconds > 0;
    const char *wrong = NULL;
    if (words == 0 && !options->replay_file) wrong = "missing SCENE or --replay FILE; see 'sinew run --help'";
    if (words == 1 && options->replay_file) wrong = "SCENE and --replay exclude each other";
    if (changed && options->replay_file)
        wrong = "--replay excludes --seconds, --step, --substeps, --iterations and --solver, which the recording has";
    if (options->record_file && options->replay_file) wrong = "--record and --replay exclude each other";
    if (wrong) fail(EXIT_BAD_INPUT, "%s", wrong);
    return !wrong;
}

static bool parse_options(int count, char **arguments, run_options *out, int *code) {
    const option options[] = {
        option_outputs(&out->outputs, "OUT",
                       "write a file: .glb, .usda, .pc2, .mdd, .pvd (animations), .vtp, .obj (the end), .png, .mp4 "
                       "(pictures); may be given several times"),
        option_number("seconds", &out->changes.seconds, "T", 0, 1e6, "duration of the simulation; default the scene's"),
        option_threads(&out->threads),
        option_text("report", &out->report_file, "FILE", "write a report of the run, as JSON"),
        option_text("plot", &out->plot_file, "FILE.svg", "write a chart of energy, volume and penetration over time"),
        option_text("record", &out->record_file, "FILE",
                    "write a recording: the scene, its files and a hash for every second; attach it to bug reports"),
        option_text("replay", &out->replay_file, "FILE",
                    "run a recording instead of a scene and compare the hashes; exit with 1 if they differ"),
        option_number("fps", &out->fps, "F", 0, 1e6, "frames per simulated second, default 30"),
        option_choice("solver", &out->changes.solver, "S", run_solvers, "direct, xpbd or jacobi; default the scene's"),
        option_int("iterations", &out->changes.iterations, "N", 1, 1000,
                   "solver iterations per substep; default the scene's"),
        option_int("substeps", &out->changes.substeps, "N", 1, 1000, "substeps per step; default the scene's"),
        option_number("step", &out->changes.step, "H", 0.99999e-7, 1,
                      "length of a step in seconds; default the scene's"),
        option_int("lanes", &out->lanes, "N", 1, 16,
                   "SIMD lanes: 1, 4, 8 or 16; default the machine's best. Results do not depend on it"),
        option_size(&out->size, "pixels of pictures and films"),
        option_int("samples", &out->samples, "N", 1, RENDER_MAX_SAMPLES,
                   "rays per pixel; default 16 for a picture, 4 for a film"),
        option_text("camera", &out->camera, "N", "name or index, from 0, of a camera of the scene"),
        option_flag("pills", &out->pills, "export and draw the simulated pills instead of the skins"),
        option_choice("glb-joints", &out->glb_joints, "J", glb_joint_choices,
                      "of .glb: each (default), an armature for each body, or shared, one for all"),
        option_flag("check-bounds", &out->check_bounds,
                    "after each step, check every vertex of elastic bodies against the medial bounds"),
        option_flag("check-energy", &out->check_energy,
                    "exit with 1 if energy rises without work from outside; without it only if it runs away"),
        option_renamed("pace", option_number("min-realtime", &out->min_realtime, "X", 0, 1e6,
                                             "exit with 1 if the steps ran slower than X times real time")),
        option_quiet(&out->quiet),
        {.name = NULL},
    };
    const command_usage usage = {
        "run",
        "SCENE [-o OUT]... [--seconds T] [--threads N] [--report FILE] [--plot FILE.svg] [...]",
        "Simulates a scene, a JSON file, and prints a summary. The ending of OUT selects the format; without -o,\n"
        "--report or --plot nothing is written. For example: sinew run scenes/arm.json --seconds 1.5 -o arm.glb -o "
        "arm.png",
        options,
        0,
        1};
    int words;
    if (!options_parse(&usage, count, arguments, &out->scene_file, &words, code)) return false;
    if (!one_source(out, words)) *code = EXIT_BAD_INPUT;
    return *code == EXIT_DONE;
}

// The command line overrides the scene.
static void override(scene_spec *spec, const run_overrides *changes) {
    if (changes->solver >= 0) spec->solver = changes->solver;
    if (changes->iterations) spec->iterations = changes->iterations;
    if (changes->substeps) spec->substeps = changes->substeps;
    if (changes->step > 0) spec->step = changes->step;
    if (changes->seconds > 0) spec->duration = changes->seconds;
}

static int build(simulation *run) {
    const run_options *options = run->options;
    tool_error error;
    if (options->replay_file && !recorder_replay(&run->recorder, options->replay_file, &error)) {
        failed(error.text);
        return EXIT_BAD_INPUT;
    }
    if (options->record_file) recorder_listen(&run->recorder);
    run->report.scene = options->replay_file ? run->recorder.record.scene : options->scene_file;
    run->scene = scene_read(run->report.scene, &run->recorder.files);
    if (!run->scene) return out_of_memory();
    override(&run->scene->spec, options->replay_file ? &run->recorder.record.changes : &options->changes);
    const scene_spec *spec = &run->scene->spec;
    if (run->scene->errors.count == 0 && spec->duration / spec->step > SCENE_MAX_STEPS) {
        return fail(EXIT_BAD_INPUT, "%g s in steps of %g s are more than %d steps", spec->duration, spec->step,
                    SCENE_MAX_STEPS);
    }
    sn_world_def def = sn_world_def_default();
    def.worker_count = options->threads;
    def.lanes = options->lanes;
    def.log = print_log;
    sn_status status = scene_build(run->scene, &def, &run->world);
    warnings_print(&run->scene->errors, stderr);
    if (status == SN_OK) return EXIT_DONE;
    if (run->scene->errors.count > 0) {
        errors_print(&run->scene->errors, stderr);
        return EXIT_BAD_INPUT;
    }
    if (status == SN_ERR_DEF && options->lanes) {
        return fail(EXIT_BAD_INPUT, "this machine does not have %d lanes; its best are %d", options->lanes,
                    sn_best_lanes());
    }
    return fail(status == SN_ERR_MEMORY ? EXIT_RUN_FAILED : EXIT_BAD_INPUT, "cannot build the world: %s",
                sn_status_name(status));
}

// Skins are read only for drawing; the recording has them even if nothing is drawn.
static void read_skins(const sn_scene *scene) {
    for (int i = 0; i < scene->spec.bodies.count; i++) {
        const char *file = scene_skin_file(scene, i);
        char path[1024], *bytes;
        size_t size;
        if (!file || !scene_beside(scene, file, path, sizeof path)) continue;
        if (file_text_read(path, scene->files, (size_t)1 << 30, &bytes, &size, NULL)) free(bytes);
    }
}

static void show_drawing(void *user, double fraction, const char *text) {
    simulation *run = user;
    if (!run->is_drawing) progress_start(&run->drawing, run->options->quiet);
    run->is_drawing = text != NULL;
    if (text)
        progress_update(&run->drawing, fraction, text);
    else
        progress_end(&run->drawing);
}

// All files are opened before the run, so that a missing folder is reported at once.
static int open_outputs(simulation *run) {
    tool_error error;
    const run_options *options = run->options;
    run->export_options = (export_options){.scene = run->scene,
                                           .fps = options->fps > 0 ? options->fps : DEFAULT_FPS,
                                           .width = options->size.width,
                                           .height = options->size.height,
                                           .samples = options->samples,
                                           .threads = sn_world_workers(run->world),
                                           .camera = options->camera,
                                           .shared_joints = options->glb_joints == 1,
                                           .is_stopped = was_interrupted,
                                           .progress = show_drawing,
                                           .user = run};
    run->capture = capture_new(&run->export_options);
    if (!run->capture) return out_of_memory();
    for (int i = 0; i < options->outputs.count; i++) {
        bool bad_input = false;
        if (capture_add_file(run->capture, options->outputs.items[i], &bad_input, &error)) continue;
        failed(error.text);
        return bad_input ? EXIT_BAD_INPUT : EXIT_RUN_FAILED;
    }
    if (!capture_start(run->capture, run->world, !options->pills, &error)) return failed(error.text);
    const char *record = options->record_file;
    if (record) read_skins(run->scene);
    if (record && !recorder_start(&run->recorder, record, options->scene_file, &options->changes, run->world, &error))
        return failed(error.text);
    const char *report = run->options->report_file;
    if (report && !atomic_file_open(&run->report_file, report)) return failed(run->report_file.error.text);
    const char *plot = run->options->plot_file;
    if (check_ending(plot, ".svg") != EXIT_DONE) return EXIT_BAD_INPUT;
    if (plot && !atomic_file_open(&run->plot_file, plot)) return failed(run->plot_file.error.text);
    return EXIT_DONE;
}

static int write_frame(simulation *run, double t) {
    tool_error error;
    if (!capture_frame(run->capture, run->world, t, &error)) return failed(error.text);
    run->frame++;
    return EXIT_DONE;
}

// Reports the bodies that the step reset, the first few times.
static void report_diverged(const simulation *run, int64_t step, int *said) {
    uint64_t labels[4];
    int count = sn_world_diverged(run->world, labels, 4);
    for (int i = 0; i < count && i < 4 && *said < 10; i++, (*said)++) {
        char name[200];
        scene_label_text(run->scene, labels[i], name, sizeof name);
        fprintf(stderr, "sinew run: step %" PRId64 ": %s diverged and was put back to its last good state, at rest\n",
                step, name);
    }
}

static int simulate(simulation *run) {
    const scene_spec *spec = &run->scene->spec;
    int64_t steps = scene_step_count(run->scene, spec->duration);
    double fps = run->export_options.fps;
    int said = 0, code = EXIT_DONE;
    progress bar;
    run->report.dt = spec->step;
    if (sn_world_set_energy_check(run->world, true) != SN_OK) return out_of_memory();
    if (!report_start(&run->report, run->scene, run->world, steps)) return out_of_memory();
    if (run->options->plot_file && !(run->plot = scene_plot_new(run->scene, run->world, steps))) return out_of_memory();
    if (run->plot) scene_plot_add(run->plot, run->world, 0, run->report.penetration_end);
    if (run->options->check_bounds && !(run->bounds = elastic_bound_check_new())) return out_of_memory();
    progress_start(&bar, run->options->quiet);
    code = write_frame(run, 0);
    for (int64_t i = 0; i < steps && code == EXIT_DONE && !interrupted; i++) {
        double before = clock_seconds(), t = (double)i * spec->step, after_t = (double)(i + 1) * spec->step;
        sn_status driven = scene_drive(run->scene, run->world, t, spec->step);
        sn_status status = sn_world_step(run->world, (sn_real)spec->step, spec->substeps);
        const double checking =
            1e-3 * sn_world_profile(run->world).energy_check_ms; // the time of measuring is not counted
        report_step(&run->report, run->world, clock_seconds() - before - checking);
        run->report.simulated = after_t;
        if (run->plot) scene_plot_add(run->plot, run->world, after_t, run->report.penetration_end);
        if (run->bounds && !elastic_bound_check_update(run->bounds, run->world)) code = out_of_memory();
        if (status == SN_WARN_DIVERGED) report_diverged(run, i, &said);
        if ((status != SN_OK && status != SN_WARN_DIVERGED && status != SN_WARN_ENERGY) || driven != SN_OK) {
            code = fail(EXIT_RUN_FAILED, "step %" PRId64 " failed: %s", i,
                        sn_status_name(driven != SN_OK ? driven : status));
        }
        // Frame k belongs to the first step that ends at k / fps or later; the last step always makes one.
        bool due = after_t * fps > run->frame - 1e-6, last = i + 1 == steps || interrupted;
        recorder_step(&run->recorder, run->world, i + 1, after_t, last || code != EXIT_DONE);
        if (code == EXIT_DONE && (due || last)) code = write_frame(run, after_t);
        while (run->frame <= after_t * fps + 1e-6) run->frame++; // steps longer than a frame
        char words[64];
        snprintf(words, sizeof words, "%.2f s of %g s", after_t, spec->duration);
        progress_update(&bar, (double)(i + 1) / (double)steps, words);
    }
    progress_end(&bar);
    run->report.interrupted = interrupted;
    return code;
}

static int finish_plot(simulation *run) {
    if (!run->plot) return EXIT_DONE;
    scene_plot_write(run->plot_file.out, run->plot);
    if (!atomic_file_commit(&run->plot_file)) return failed(run->plot_file.error.text);
    if (!run->options->quiet) printf("wrote %s\n", run->options->plot_file);
    return EXIT_DONE;
}

// Puts all files in place. A failure of one does not affect the others.
static int finish_outputs(simulation *run) {
    tool_error error;
    int code = EXIT_DONE;
    if (interrupted) { // the next interrupt is for writing the files
        interrupted = 0;
        signal(SIGINT, on_interrupt);
        signal(SIGTERM, on_interrupt);
    }
    for (int i = 0; i < run->options->outputs.count; i++) {
        bool good = capture_finish_file(run->capture, i, run->world, &error);
        if (!good) code = failed(error.text);
        if (good && !run->options->quiet) {
            char *beside = capture_companion(run->capture, i);
            printf("wrote %s%s%s\n", run->options->outputs.items[i], beside ? " and " : "", beside ? beside : "");
            fflush(stdout);
            free(beside);
        }
    }
    const int plotted = finish_plot(run);
    if (plotted != EXIT_DONE) code = plotted;
    if (!recorder_finish(&run->recorder, run->report.interrupted ? "interrupted" : "done", &error)) {
        code = failed(error.text);
    } else if (error.text[0] && !run->options->quiet) {
        printf("%s\n", error.text);
    } else if (run->options->record_file && !run->options->quiet) {
        printf("wrote %s\n", run->options->record_file);
    }
    if (!run->options->report_file) return code;
    if (!report_write(run->report_file.out, &run->report, run->scene, run->world) && !ferror(run->report_file.out)) {
        code = failed("cannot write the report: out of memory");
    } else if (!atomic_file_commit(&run->report_file)) {
        code = failed(run->report_file.error.text);
    } else if (!run->options->quiet) {
        printf("wrote %s\n", run->options->report_file);
    }
    return code;
}

static void print_summary(const simulation *run) {
    const run_report *report = &run->report;
    const sn_world *world = run->world;
    int bodies = sn_world_body_count(world);
    printf("%s: %g s in %" PRId64 " steps; %d bod%s, %" PRId64 " unknowns\n", report->scene, report->simulated,
           report->steps, bodies, bodies == 1 ? "y" : "ies", sn_world_dof_count(world));
    printf("%.3g s of computing, %.3g times real time (%d threads, %d lanes)\n", report->wall,
           report->simulated / report->wall, report->threads, report->lanes);
    printf("a step: %.3g ms (median), %.3g ms (99 %%), %.3g ms (longest)\n", report_percentile(report, 0.5),
           report_percentile(report, 0.99), report_percentile(report, 1));
    if (report->volume.min <= report->volume.max)
        printf("volume: %.4f to %.4f of that at rest; ", report->volume.min, report->volume.max);
    if (report->envelope.min <= report->envelope.max)
        printf("within skins of muscles: %.4f to %.4f; ", report->envelope.min, report->envelope.max);
    printf("energy: %.4g J to %.4g J\n", report->energy_start, report->energy_end);
}

// Prints the check of bounds; a vertex outside is a failure.
static int finish_bounds(const simulation *run) {
    if (!run->bounds) return EXIT_DONE;
    if (!run->options->quiet) elastic_bound_check_print(run->bounds, stdout);
    const int64_t missed = elastic_bound_check_missed(run->bounds);
    if (missed == 0) return EXIT_DONE;
    return fail(EXIT_RUN_FAILED, "%" PRId64 " times a vertex was outside its bound", missed);
}

// Whether the run was fast enough.
static int finish_realtime(const simulation *run) {
    const double simulated = run->report.simulated, wall = run->report.wall, asked = run->options->min_realtime;
    if (asked <= 0 || simulated >= asked * wall) return EXIT_DONE;
    return fail(EXIT_RUN_FAILED, "%.3g times real time is slower than the %g of --min-realtime", simulated / wall,
                asked);
}

// Energy comes from somewhere, or the run is wrong: said; on request, or if it ran away, a failure.
static int finish_energy(const simulation *run) {
    const sn_energy_balance balance = sn_world_energy_balance(run->world);
    if (balance.rise_time < 0) return EXIT_DONE;
    char name[200];
    scene_label_text(run->scene, balance.rise_label, name, sizeof name);
    char text[300];
    snprintf(text, sizeof text, "energy rose without work, at %g s first (%s gained most), by %.3g J in all",
             balance.rise_time, name, balance.climb);
    const bool ran_away = !(balance.climb <= RUNAWAY * balance.scale);
    if (run->options->check_energy || ran_away) return fail(EXIT_RUN_FAILED, "%s", text);
    if (!run->options->quiet) fprintf(stderr, "sinew run: warning: %s\n", text);
    return EXIT_DONE;
}

static int run_simulation(simulation *run) {
    int code = build(run);
    if (code == EXIT_DONE) code = open_outputs(run);
    if (code == EXIT_DONE) code = simulate(run);
    if (code != EXIT_DONE) return code;
    if (!run->options->quiet) print_summary(run);
    code = finish_outputs(run);
    if (finish_bounds(run) != EXIT_DONE || finish_realtime(run) != EXIT_DONE) code = EXIT_RUN_FAILED;
    if (finish_energy(run) != EXIT_DONE) code = EXIT_RUN_FAILED;
    if (!run->report.finite) code = failed("some bodies diverged; do not trust the result");
    if (run->report.interrupted)
        code = fail(EXIT_RUN_FAILED, "interrupted after %g s; the files end there", run->report.simulated);
    return code;
}

int command_run(int count, char **arguments) {
    run_options options = {.changes.solver = -1, .threads = processor_count()};
    int code;
    if (!parse_options(count, arguments, &options, &code)) return code;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    simulation run = {.options = &options};
    code = run_simulation(&run);
    capture_free(run.capture);
    atomic_file_abort(&run.report_file);
    atomic_file_abort(&run.plot_file);
    scene_plot_free(run.plot);
    elastic_bound_check_free(run.bounds);
    report_free(&run.report);
    sn_world_destroy(run.world);
    scene_free(run.scene);
    recorder_free(&run.recorder); // the scene reads its files
    return code;
}
