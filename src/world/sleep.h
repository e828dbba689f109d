// Sleep: bodies that have come to rest together are left alone until something stirs them.
#ifndef SN_WORLD_SLEEP_H
#define SN_WORLD_SLEEP_H

#include "world/world.h"

void sn_sleep_stir(sn_world *world);               // wakes what a moving shape comes near, once pairs are known
void sn_sleep_settle(sn_world *world, sn_real dt); // at the end of a step: who falls asleep, who is woken
void sn_wake_all(sn_world *world);

#endif
