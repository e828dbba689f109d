// A build with SN_VALIDATE asserts the invariants of a world after each step; other builds do not.
#include "all_kinds.h"
#include "base/assert.h"
#include "couplings/joint/joint.h"
#include "world/world_validate.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef SN_VALIDATE
#define ABORTED SIGABRT
#else
#define ABORTED 0 // nothing is asserted
#endif

// How a child ended: a signal, or its exit code.
static int signal_of(pid_t child) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

// How a child ended that steps a world after 'corrupt' has changed it.
static int signal_of_child(void (*corrupt)(all_kinds *all)) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        all_kinds all;
        const sn_world_def def = sn_world_def_default();
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        if (!all_kinds_begin(&all, &def)) _exit(1);
        corrupt(&all);
        sn_world_step(all.world, R(1.0 / 60), 1);
        _exit(0);
    }
    return signal_of(child);
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
    CHECK_INT(signal_of_child(change_nothing), 0);
    CHECK_INT(signal_of_child(clear_generation), ABORTED);
    CHECK_INT(signal_of_child(add_living_slot_to_free_list), ABORTED);
}

// ---- contacts and joints
// A step finds them anew, so these are changed after it, and asserted once more.

enum { NOT_THERE = 2 }; // exit code of a child whose world lacks what it should change

// How a child ended that changes a pile of rods with contacts and joints.
static int signal_of_pile(void (*corrupt)(sn_contacts *contacts, sn_joints *joints)) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const sn_world_def def = sn_world_def_default();
        sn_world *world = make_world(&def);
        if (!freopen("/dev/null", "w", stderr) || !world) _exit(1);
        const pile rods = pile_build(world);
        sn_joint_def joint = sn_joint_def_default();
        joint.body_a = rods.rod[3], joint.body_b = rods.rod[4], joint.segment_a = joint.segment_b = 2;
        sn_joint out;
        if (sn_joint_create(world, &joint, &out) != SN_OK) _exit(1);
        pile_run(world, &rods, 0, 30);
        corrupt(sn_world_contacts(world), sn_world_joints(world));
#ifdef SN_VALIDATE
        sn_world_validate(world);
#endif
        _exit(0);
    }
    return signal_of(child);
}

static void leave_pile(sn_contacts *contacts, sn_joints *joints) {
    if (contacts->block_count < 2 || !joints->filter) _exit(NOT_THERE);
}
static void lengthen_normal(sn_contacts *contacts, sn_joints *joints) {
    (void)joints;
    for (int i = 0; i < 3; i++) contacts->blocks[0].n[i][0] *= R(1.001);
}
static void clear_normal(sn_contacts *contacts, sn_joints *joints) {
    (void)joints;
    for (int i = 0; i < 3; i++) contacts->blocks[0].n[i][0] = 0;
}

static void leave_node_space(sn_contacts *contacts, sn_joints *joints) {
    (void)joints;
    contacts->blocks[0].slot[1][0] = -1;
}

// Moves the last block of the only busy group to a second group of the same phase.
static void share_node_between_groups(sn_contacts *contacts, sn_joints *joints) {
    (void)joints;
    sn_contact_group *groups = contacts->groups;
    if (contacts->split.strips != 1 || groups[0].count < 2 || groups[1].count != 0) _exit(NOT_THERE);
    contacts->split.strips = 2;
    groups[1] = (sn_contact_group){.first = --groups[0].count, .count = 1};
    contacts->blocks[groups[1].first].slot[0][0] = contacts->blocks[0].slot[0][0];
}

// The last joint is the one that excludes pairs.
static void let_joint_collide(sn_contacts *contacts, sn_joints *joints) {
    (void)contacts;
    joints->items[joints->count - 1].def.collide = true;
}
static void forget_filter(sn_contacts *contacts, sn_joints *joints) {
    (void)contacts;
    joints->filter = NULL;
}
static void replace_joint(sn_contacts *contacts, sn_joints *joints) {
    (void)contacts;
    joints->items[joints->count - 1].gen++;
}
// A pair of the two pills of a joint.
static void add_excluded_pair(sn_contacts *contacts, sn_joints *joints) {
    const sn_joint_body *joint = &joints->items[joints->count - 1];
    if (contacts->pair_count == 0) _exit(NOT_THERE);
    contacts->pairs[0] = (sn_pair){joint->pill_a, joint->pill_b};
}

TEST(assertions_of_contacts_fire) {
    CHECK_INT(signal_of_pile(leave_pile), 0);
    CHECK_INT(signal_of_pile(lengthen_normal), ABORTED);
    CHECK_INT(signal_of_pile(clear_normal), ABORTED);
    CHECK_INT(signal_of_pile(leave_node_space), ABORTED);
    CHECK_INT(signal_of_pile(share_node_between_groups), ABORTED);
}

TEST(assertions_of_joint_filter_fire) {
    CHECK_INT(signal_of_pile(leave_pile), 0);
    CHECK_INT(signal_of_pile(let_joint_collide), ABORTED);
    CHECK_INT(signal_of_pile(forget_filter), ABORTED);
    CHECK_INT(signal_of_pile(replace_joint), ABORTED);
    CHECK_INT(signal_of_pile(add_excluded_pair), ABORTED);
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
