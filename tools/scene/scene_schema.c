// The JSON schema of scene files, written from the tables that read them, so that it lists every key and no other. It is kept in
// docs/scene.schema.json; a test compares.
#include "scene/scene.h"
#include <string.h>

static json_t *ref_to(const record_type *type) {
    return json_sprintf("#/$defs/%s", type->name);
}

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

// A whole number without a decimal point looks better.
static json_t *number(double x) {
    return x == (double)(long long)x ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *number_schema(const record_field *f, const char *type) {
    json_t *schema = json_object();
    set(schema, "type", json_string(type));
    if (f->min != 0 || f->max != 0) {
        set(schema, (f->flags & FIELD_ABOVE_MIN) ? "exclusiveMinimum" : "minimum", number(f->min));
        set(schema, "maximum", number(f->max));
    }
    return schema;
}

static json_t *list_schema(json_t *items, int least, int most) {
    json_t *schema = json_object();
    set(schema, "type", json_string("array"));
    set(schema, "items", items);
    if (least) set(schema, "minItems", json_integer(least));
    if (most) set(schema, "maxItems", json_integer(most));
    return schema;
}

static json_t *choice_schema(const record_field *f) {
    json_t *schema = json_object(), *names = json_array();
    for (int i = 0; f->choices[i]; i++) json_array_append_new(names, json_string(f->choices[i]));
    set(schema, "enum", names);
    return schema;
}

static json_t *record_ref(const record_type *type) {
    json_t *schema = json_object();
    set(schema, "$ref", ref_to(type));
    return schema;
}

static json_t *typed(const char *type) {
    json_t *schema = json_object();
    set(schema, "type", json_string(type));
    return schema;
}

static json_t *kinds_schema(const record_field *f) {
    json_t *any = json_array(), *items = json_object();
    for (int i = 0; f->kinds[i]; i++) json_array_append_new(any, record_ref(f->kinds[i]));
    set(items, "oneOf", any);
    return list_schema(items, f->least, f->most);
}

static json_t *field_schema(const record_field *f) {
    switch (f->type) {
    case FIELD_TEXT:
        return typed("string");
    case FIELD_BOOL:
        return typed("boolean");
    case FIELD_INT:
        return number_schema(f, "integer");
    case FIELD_NUMBER:
        return number_schema(f, "number");
    case FIELD_VEC3:
        return list_schema(number_schema(f, "number"), 3, 3);
    case FIELD_CHOICE:
        return choice_schema(f);
    case FIELD_CHOICES:
        return list_schema(choice_schema(f), 0, 0);
    case FIELD_INTS:
        return list_schema(number_schema(f, "integer"), f->least, f->most);
    case FIELD_NUMBERS:
        return list_schema(number_schema(f, "number"), f->least, f->most);
    case FIELD_VECS:
        return list_schema(list_schema(typed("number"), 3, 3), f->least, f->most);
    case FIELD_RECORD:
        return record_ref(f->record);
    case FIELD_LIST:
        return list_schema(record_ref(f->record), f->least, f->most);
    case FIELD_KINDS:
        return kinds_schema(f);
    case FIELD_SEED: {
        json_t *schema = typed("integer");
        set(schema, "minimum", json_integer(0));
        return schema;
    }
    case FIELD_MAP: {
        json_t *schema = typed("object");
        set(schema, "additionalProperties", record_ref(f->record));
        return schema;
    }
    }
    return json_object();
}

static void add_record(json_t *defs, const record_type *type);

// The object of one type; types it refers to are added to defs.
static json_t *record_schema(json_t *defs, const record_type *type, bool is_kind) {
    json_t *schema = typed("object"), *properties = json_object(), *required = json_array();
    set(schema, "description", json_string(type->help));
    for (const record_field *f = type->fields; f->name; f++) {
        json_t *property = field_schema(f);
        if (is_kind && strcmp(f->name, "kind") == 0) {
            json_object_clear(property);
            set(property, "const", json_string(type->name));
        }
        set(property, "description", json_string(f->help));
        set(properties, f->name, property);
        if (f->flags & FIELD_REQUIRED) json_array_append_new(required, json_string(f->name));
        if (f->record) add_record(defs, f->record);
        for (int i = 0; f->kinds && f->kinds[i]; i++) {
            if (!json_object_get(defs, f->kinds[i]->name)) {
                set(defs, f->kinds[i]->name, record_schema(defs, f->kinds[i], true));
            }
        }
    }
    json_t *comment = json_object();
    set(comment, "description", json_string("for people; not read"));
    set(properties, RECORD_COMMENT, comment);
    set(schema, "properties", properties);
    if (json_array_size(required) > 0) {
        set(schema, "required", required);
    } else {
        json_decref(required);
    }
    set(schema, "additionalProperties", json_false());
    return schema;
}

static void add_record(json_t *defs, const record_type *type) {
    if (!json_object_get(defs, type->name)) set(defs, type->name, record_schema(defs, type, false));
}

json_t *scene_schema(void) {
    json_t *schema = json_object(), *defs = json_object();
    set(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    set(schema, "title", json_string("Sinew scene"));
    json_t *top = record_schema(defs, &scene_type, false);
    json_object_update(schema, top);
    json_decref(top);
    set(schema, "$defs", defs);
    return schema;
}
