// Characters of a run that people watch: skins that follow the bones and muscles of the world, and muscles that are
// changed while it runs. Pages whose engine has no muscles do without this file (web/engine/absent.c).
#ifndef SN_SESSION_CHARACTERS_H
#define SN_SESSION_CHARACTERS_H

#include "scene/muscle_numbers.h"
#include "session/page_format.h"

typedef struct live_characters live_characters;

// A muscle of which a number is not what the scene says.
typedef struct {
    uint32_t character, muscle, number;
    float value;
} live_edit;
enum { LIVE_MOST_EDITS = 4096 };

// All characters of a bake; out is null if there are none.
sn_status live_characters_open(const unsigned char *baked, const bake_header *bake, sn_world *world,
                               live_characters **out);
void live_characters_close(live_characters *all); // after its world; null is fine

// Lets all skins follow; after each step.
void live_characters_follow(live_characters *all, const sn_world *world);

// Vertices of a skin, or of a muscle's surface (muscle from 0, -1: the skin). False: there is none of so many.
bool live_characters_fit(const live_characters *all, const sn_world *world, uint32_t character, int muscle, int count);
bool live_characters_read(const live_characters *all, const sn_world *world, uint32_t character, int muscle,
                          float (*out)[3], int count);

// Puts a number of a muscle, or of all of a character (muscle UINT32_MAX), to a value; forgets what was put.
sn_status live_characters_edit(live_characters *all, sn_world *world, uint32_t character, uint32_t muscle,
                               uint32_t number, float value);
void live_characters_undo(live_characters *all, sn_world *world, uint32_t character, uint32_t muscle);

// What was put. Once more, after the scene has made its calls of a step.
int live_characters_edits(const live_characters *all, const live_edit **out);
void live_characters_edit_again(live_characters *all, sn_world *world);

// Skins and edits as bytes, to be freed; and back, for another world. Edits are kept if 'edits' is false.
bool live_characters_save(const live_characters *all, unsigned char **bytes, size_t *size);
void live_characters_return(live_characters *all, sn_world *world, const unsigned char *bytes, size_t size, bool edits);

#endif
