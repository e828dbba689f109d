// See recorder.h. The inputs are written atomically. After that each line is flushed, so a run that crashes leaves
// everything up to its last second.
#include "recorder.h"
#include "formats/atomic_file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void recorder_listen(run_recorder *recorder) {
    recorder->files.copies = &recorder->record.files;
}

bool recorder_start(run_recorder *recorder, const char *file, const char *scene, const run_overrides *changes,
                    const sn_world *world, tool_error *error) {
    atomic_file inputs;
    recorder->files.copies = NULL;
    recorder->name = file;
    recorder->record.changes = *changes;
    recorder->record.scene = malloc(strlen(scene) + 1);
    if (!recorder->record.scene) return tool_error_out_of_memory(error);
    strcpy(recorder->record.scene, scene);
    if (!atomic_file_open(&inputs, file)) return tool_error_set(error, "%s", inputs.error.text);
    if (!recording_write_inputs(inputs.out, &recorder->record, sn_world_workers(world), sn_world_lanes(world))) {
        atomic_file_abort(&inputs);
        return tool_error_set(error, "out of memory for the recording");
    }
    if (!atomic_file_commit(&inputs)) return tool_error_set(error, "%s", inputs.error.text);
    recorder->out = fopen(file, "ab");
    return recorder->out || tool_error_set(error, "cannot write %.150s: %s", file, strerror(errno));
}

bool recorder_replay(run_recorder *recorder, const char *file, tool_error *error) {
    tool_error reason;
    if (!recording_read(file, &recorder->record, &reason)) return tool_error_set(error, "%.50s: %s", file, reason.text);
    recorder->replaying = true;
    recorder->files.stored = &recorder->record.files;
    return true;
}

static void compare(run_recorder *recorder, const sn_world *world, int64_t steps) {
    const recording *record = &recorder->record;
    if (recorder->next >= record->mark_count || record->marks[recorder->next].step != steps) return;
    if (recorder->first_difference == 0 && sn_world_hash(world) != record->marks[recorder->next].hash)
        recorder->first_difference = steps;
    recorder->next++;
}

void recorder_step(run_recorder *recorder, const sn_world *world, int64_t steps, double t, bool last) {
    if (recorder->replaying) compare(recorder, world, steps);
    if (!recorder->out || (!last && t + 1e-9 < (double)(recorder->second + 1))) return;
    while (t + 1e-9 >= (double)(recorder->second + 1)) recorder->second++; // steps may be longer than a second
    recording_write_mark(recorder->out, &(recording_mark){steps, sn_world_hash(world)}, t);
}

bool recorder_finish(run_recorder *recorder, const char *how, tool_error *message) {
    message->text[0] = '\0';
    if (recorder->out) {
        recording_write_end(recorder->out, how);
        bool good = !ferror(recorder->out);
        good = fclose(recorder->out) == 0 && good;
        recorder->out = NULL;
        if (!good) tool_error_set(message, "cannot write %.150s: %s", recorder->name, strerror(errno));
        return good;
    }
    if (!recorder->replaying) return true;
    const recording *record = &recorder->record;
    if (recorder->first_difference) {
        int before = 0;
        while (record->marks[before].step != recorder->first_difference) before++;
        return tool_error_set(message,
                              "the run differs from the recording, first between step %" PRId64 " and step %" PRId64,
                              before > 0 ? record->marks[before - 1].step : 0, recorder->first_difference);
    }
    if (recorder->next < record->mark_count)
        return tool_error_set(message, "the run ended before step %" PRId64 " of the recording",
                              record->marks[recorder->next].step);
    tool_error_set(message, "same as the recording: %d hash%s%s", recorder->next, recorder->next == 1 ? "" : "es",
                   record->ended ? "" : " (the recorded run did not end normally)");
    return true;
}

void recorder_free(run_recorder *recorder) {
    if (recorder->out) fclose(recorder->out);
    recording_free(&recorder->record);
}
