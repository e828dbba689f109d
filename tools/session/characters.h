// Characters of a session: skins that follow the bones and muscles of the world, and muscles that are edited while it
// runs. Only builds with implicit muscles have them (SN_KINDS); the session calls them through the table below.
#ifndef SN_SESSION_CHARACTERS_H
#define SN_SESSION_CHARACTERS_H

#include "scene/muscle_numbers.h"
#include "session/page_format.h"

typedef struct session_characters session_characters;

// A parameter of a muscle that differs from the scene's.
typedef struct {
    uint32_t character, muscle, number;
    float value;
} session_edit;
enum { SESSION_MAX_EDITS = 4096 };

typedef struct {
    // Opens all characters of a page, at least one.
    sn_status (*open)(const unsigned char *page, const page_header *header, sn_world *world, session_characters **out);
    void (*close)(session_characters *all); // after its world

    // Updates all skins; call it after each step.
    void (*follow)(session_characters *all, const sn_world *world);

    // Vertices of a skin (muscle -1) or of a muscle's surface. Both return false unless it has `count` vertices.
    bool (*fits)(const session_characters *all, const sn_world *world, uint32_t character, int muscle, int count);
    bool (*read)(const session_characters *all, const sn_world *world, uint32_t character, int muscle, float (*out)[3],
                 int count);

    // Sets a parameter of a muscle, or of all muscles of a character (UINT32_MAX); undoes all edits of it.
    sn_status (*edit)(session_characters *all, sn_world *world, uint32_t character, uint32_t muscle, uint32_t number,
                      float value);
    void (*undo)(session_characters *all, sn_world *world, uint32_t character, uint32_t muscle);

    // The edits; and applies them again, after the scene's calls of a step.
    int (*get_edits)(const session_characters *all, const session_edit **out);
    void (*reapply)(session_characters *all, sn_world *world);

    // Saves skins and edits as bytes, which the caller frees; and restores them for another world. Without `edits` the
    // present ones stay.
    bool (*save)(const session_characters *all, unsigned char **bytes, size_t *size);
    void (*restore)(session_characters *all, sn_world *world, const unsigned char *bytes, size_t size, bool edits);
} session_character_ops;

extern const session_character_ops session_character_table;

#endif
