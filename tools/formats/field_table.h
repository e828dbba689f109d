// Field tables: JSON objects read into C structs. A table lists the keys of an object, what each may hold and where the
// value is stored. The same table reads and checks a file, suggests the right spelling of a wrong key, and writes the
// JSON schema, so these cannot disagree.
#ifndef SN_FORMATS_FIELD_TABLE_H
#define SN_FORMATS_FIELD_TABLE_H

#include "base/memory.h"
#include "formats/error_list.h"
#include <jansson.h>

// A key for comments that every object may have. It is not read.
#define FIELD_COMMENT "comment"

typedef struct field_table field_table;

// Every struct that a table fills starts with this.
typedef struct {
    const field_table *type;
    const char *key; // in a map: its name
    uint64_t given;  // bit i: the file has field i of the table
    bool bad;        // reading it found errors
} fields_head;

// What lists become.
typedef struct {
    void *items; // structs of one table; for FIELD_KINDS: pointers to structs, null where the kind is wrong
    int count;
} fields_list;
typedef struct {
    int *items;
    int count;
} int_list;
typedef struct {
    double *items;
    int count;
} number_list;
typedef struct {
    double (*items)[3];
    int count;
} vec_list;

typedef enum {
    FIELD_TEXT,    // const char *
    FIELD_BOOL,    // bool
    FIELD_INT,     // int
    FIELD_SEED,    // uint64_t
    FIELD_NUMBER,  // double
    FIELD_VEC3,    // double[3]: an array of three numbers
    FIELD_CHOICE,  // int: which of 'choices'
    FIELD_CHOICES, // int: bit i for each of 'choices' in the array
    FIELD_INTS,    // int_list
    FIELD_NUMBERS, // number_list
    FIELD_VECS,    // vec_list
    FIELD_OBJECT,  // the object itself
    FIELD_LIST,    // fields_list: an array of objects
    FIELD_MAP,     // fields_list: an object whose members are objects
    FIELD_KINDS,   // fields_list: an array of objects; their key "kind" selects the table
} field_type;

enum {
    FIELD_REQUIRED = 1,  // the file must have it
    FIELD_ABOVE_MIN = 2, // a number must be greater than min, not equal
};

// One key of an object. min and max bound a number, and each number of a list (both 0: -1e9 to 1e9); min_count and
// max_count bound the length of a list (max_count 0: one million).
typedef struct {
    const char *name;
    field_type type;
    size_t offset;
    const char *help; // for the schema, with unit
    const char *old;  // its name in version 0.1: accepted with a warning; or null
    unsigned flags;
    double min, max;
    int min_count, max_count;
    const char *const *choices;      // ends with null
    const char *const *old_choices;  // names of the choices in version 0.1, null where unchanged; or null
    const field_table *table;        // of FIELD_OBJECT, FIELD_LIST, FIELD_MAP
    const field_table *const *kinds; // of FIELD_KINDS; ends with null
} field_row;

struct field_table {
    const char *name; // of FIELD_KINDS: the value of "kind"
    const char *help;
    size_t size;
    const field_row *fields;        // ends with a null name
    void (*defaults)(void *object); // fills a zeroed struct; or null
    const char *old;                // of FIELD_KINDS: the value of "kind" in version 0.1; or null
};

// What reading needs: memory that lives as long as the structs, and a list for errors.
typedef struct {
    sn_arena *memory;
    error_list *errors;
} fields_reader;

// Fills a struct (zeroed by the caller) from a JSON value. All errors are listed; fields with errors keep defaults.
void fields_read(fields_reader *reader, const field_table *type, const json_path *path, const json_t *value,
                 void *object);

// Whether the file had a key; false for keys the type does not have.
bool fields_has(const void *object, const char *key);

// Describes a JSON value for messages: a number as it is, short text in quotes, else its type.
const char *json_words(const json_t *value, char out[128]);

#endif
