// See tape.h. The inputs are put in place whole; after that each line is flushed as it is written, so a run that crashes
// leaves everything up to its last second.
#include "recorder.h"
#include "formats/atomic_file.h"
#include "formats/file_text.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void tape_listen(run_tape *tape) {
    file_text_tap((file_tap){.kept = &tape->record.files});
}

bool tape_record(run_tape *tape, const char *file, const char *scene, const run_changes *changes, const sn_world *world,
                 char why[256]) {
    atomic_file inputs;
    file_text_tap((file_tap){0});
    tape->record.changes = *changes;
    tape->record.scene = malloc(strlen(scene) + 1);
    if (!tape->record.scene) {
        snprintf(why, 256, "out of memory");
        return false;
    }
    strcpy(tape->record.scene, scene);
    if (!atomic_file_open(&inputs, file)) {
        snprintf(why, 256, "%s", inputs.why);
        return false;
    }
    if (!run_record_write_inputs(inputs.out, &tape->record, sn_world_workers(world), sn_world_lanes(world))) {
        atomic_file_abort(&inputs);
        snprintf(why, 256, "out of memory for the record");
        return false;
    }
    if (!atomic_file_commit(&inputs)) {
        snprintf(why, 256, "%s", inputs.why);
        return false;
    }
    if (!(tape->out = fopen(file, "ab"))) snprintf(why, 256, "cannot write %.150s: %s", file, strerror(errno));
    return tape->out != NULL;
}

bool tape_replay(run_tape *tape, const char *file, char why[256]) {
    char words[200];
    if (!run_record_read(file, &tape->record, words, sizeof words)) {
        snprintf(why, 256, "%.50s: %s", file, words);
        return false;
    }
    tape->replaying = true;
    file_text_tap((file_tap){.served = &tape->record.files});
    return true;
}

static void compare(run_tape *tape, const sn_world *world, int64_t steps) {
    const run_record *record = &tape->record;
    if (tape->next >= record->mark_count || record->marks[tape->next].step != steps) return;
    if (tape->parted == 0 && sn_world_hash(world) != record->marks[tape->next].hash) tape->parted = steps;
    tape->next++;
}

void tape_step(run_tape *tape, const sn_world *world, int64_t steps, double t, bool last) {
    if (tape->replaying) compare(tape, world, steps);
    if (!tape->out || (!last && t + 1e-9 < (double)(tape->second + 1))) return;
    while (t + 1e-9 >= (double)(tape->second + 1)) tape->second++; // steps may be longer than a second
    run_record_write_mark(tape->out, &(run_mark){steps, sn_world_hash(world)}, t);
}

bool tape_finish(run_tape *tape, const char *how, char why[256]) {
    *why = '\0';
    if (tape->out) {
        run_record_write_end(tape->out, how);
        bool good = !ferror(tape->out);
        good = fclose(tape->out) == 0 && good;
        tape->out = NULL;
        if (!good) snprintf(why, 256, "cannot write the record: %s", strerror(errno));
        return good;
    }
    if (!tape->replaying) return true;
    const run_record *record = &tape->record;
    if (tape->parted) {
        int before = 0;
        while (record->marks[before].step != tape->parted) before++;
        snprintf(why, 256, "another run than the record's: they part between step %" PRId64 " and step %" PRId64,
                 before > 0 ? record->marks[before - 1].step : 0, tape->parted);
        return false;
    }
    if (tape->next < record->mark_count) {
        snprintf(why, 256, "ended before step %" PRId64 ", which the record has", record->marks[tape->next].step);
        return false;
    }
    snprintf(why, 256, "the same as the record: %d hash%s%s", tape->next, tape->next == 1 ? "" : "es",
             record->ended ? "" : " (the recorded run did not come to its end)");
    return true;
}

void tape_free(run_tape *tape) {
    file_text_tap((file_tap){0});
    if (tape->out) fclose(tape->out);
    run_record_free(&tape->record);
}
