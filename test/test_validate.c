// A build with SN_VALIDATE asserts the invariants of a world after each step; other builds do not.
#include "all_kinds.h"
#include "base/assert.h"
#include "world/world.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// How a child ended that steps a world after 'corrupt' has changed it: a signal, or 0.
static int signal_of_child(void (*corrupt)(all_kinds *all)) {
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        all_kinds all;
        const sn_world_def def = sn_world_def_default();
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        if (!all_kinds_begin(&all, &def)) _exit(1);
        corrupt(&all);
        sn_world_step(all.world, R(1.0 / 60), 1);
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) return -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static sn_slots *rod_slots(const all_kinds *all) {
    const int row = sn_kind_row(SN_KIND_ROD);
    return sn_kinds[row]->slots(all->world->systems[row]);
}

static void change_nothing(all_kinds *all) {
    (void)all;
}
static void clear_generation(all_kinds *all) {
    rod_slots(all)->at[0].gen = 0;
}
static void add_living_slot_to_free_list(all_kinds *all) {
    rod_slots(all)->free = 0;
}

TEST(assertions_fire_only_in_their_build) {
#ifdef SN_VALIDATE
    const int expected = SIGABRT;
#else
    const int expected = 0;
#endif
    CHECK_INT(signal_of_child(change_nothing), 0);
    CHECK_INT(signal_of_child(clear_generation), expected);
    CHECK_INT(signal_of_child(add_living_slot_to_free_list), expected);
}

// Without SN_VALIDATE the condition is not even evaluated.
TEST(assertions_cost_nothing_otherwise) {
    int evaluated = 0;
    SN_ASSERT(++evaluated > 0);
#ifdef SN_VALIDATE
    CHECK_INT(evaluated, 1);
#else
    CHECK_INT(evaluated, 0);
#endif
}

// A world of all kinds that falls, sleeps and is changed holds its invariants.
TEST(worlds_hold_their_invariants) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    for (int step = 0; step < 60; step++) {
        if (step == 20) CHECK_INT(sn_body_destroy(all.world, all.rod), SN_OK);
        if (step == 30) CHECK_INT(sn_body_destroy(all.world, all.fibre[1]), SN_OK); // and its bundle
        CHECK_INT(sn_world_step(all.world, R(1.0 / 60), 2), SN_OK);
    }
    all_kinds_end(&all);
}
