// Records: JSON objects read into C structs by tables. A table lists an object's keys, what each may hold and where it goes;
// the same table checks a file, suggests the right spelling of a wrong key, and writes the JSON schema, so that none of
// these can disagree.
#ifndef SN_FORMATS_FIELD_TABLE_H
#define SN_FORMATS_FIELD_TABLE_H

#include "base/memory.h"
#include "formats/error_list.h"
#include <jansson.h>

// A key that every object may have, for people; it is not read.
#define RECORD_COMMENT "comment"

typedef struct record_type record_type;

// Every record starts with this.
typedef struct {
    const record_type *type;
    const char *key; // in a map: the name it stands under
    uint64_t given;  // bit i: the file has field i of the table
    bool bad;        // reading it found mistakes
} record_head;

// What lists become.
typedef struct {
    void *items; // records of one type; for FIELD_KINDS: pointers to records, null where the kind is wrong
    int count;
} record_list;
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
    FIELD_RECORD,  // the record itself
    FIELD_LIST,    // record_list: an array of records
    FIELD_MAP,     // record_list: an object of named records
    FIELD_KINDS,   // record_list: an array of records whose type is told by their key "kind"
} field_type;

enum {
    FIELD_REQUIRED = 1,  // the file must have it
    FIELD_ABOVE_MIN = 2, // a number must be greater than min, not equal
};

// One key of an object. min and max bound numbers (both 0: any up to 1e9 either way) and each number of a list; least and
// most bound how many a list holds (0: no least; one million).
typedef struct {
    const char *name;
    field_type type;
    size_t offset;
    const char *help; // for the schema, with unit
    const char *old;  // its name in version 0.1: accepted with a warning; or null
    unsigned flags;
    double min, max;
    int least, most;
    const char *const *choices;      // ends with null
    const record_type *record;       // of FIELD_RECORD, FIELD_LIST, FIELD_MAP
    const record_type *const *kinds; // of FIELD_KINDS; ends with null
} record_field;

struct record_type {
    const char *name; // of FIELD_KINDS: the value of "kind"
    const char *help;
    size_t size;
    const record_field *fields;     // ends with a null name
    void (*defaults)(void *record); // fills a zeroed record; or null
};

// What reading needs: memory that lives as long as the records do, and a list for mistakes.
typedef struct {
    sn_arena *memory;
    mistake_list *mistakes;
} record_reader;

// Fills a record (zeroed by the caller) from a JSON value. All mistakes are listed; fields with mistakes keep defaults.
void record_read(record_reader *reader, const record_type *type, const json_path *path, const json_t *value,
                 void *record);

// Whether the file had a key; false for keys the type does not have.
bool record_given(const void *record, const char *key);

// Some text about a JSON value for messages: a number as it is, short text in quotes, else what it is.
const char *json_words(const json_t *value, char out[128]);

#endif
