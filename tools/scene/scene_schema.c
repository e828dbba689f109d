// The JSON schema of scene files, written from the tables that read them, so that it lists every key and no other. A
// test compares it with docs/scene.schema.json.
#include "scene/scene.h"
#include <string.h>

static json_t *ref_to(const field_table *type) {
    return json_sprintf("#/$defs/%s", type->name);
}

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

// A whole number without a decimal point looks better.
static json_t *number(double x) {
    return x == (double)(long long)x ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *number_schema(const field_row *f, const char *type) {
    json_t *schema = json_object();
    set(schema, "type", json_string(type));
    if (f->min != 0 || f->max != 0) {
        set(schema, (f->flags & FIELD_ABOVE_MIN) ? "exclusiveMinimum" : "minimum", number(f->min));
        set(schema, "maximum", number(f->max));
    }
    return schema;
}

static json_t *list_schema(json_t *items, int min, int max) {
    json_t *schema = json_object();
    set(schema, "type", json_string("array"));
    set(schema, "items", items);
    if (min) set(schema, "minItems", json_integer(min));
    if (max) set(schema, "maxItems", json_integer(max));
    return schema;
}

static json_t *choice_schema(const field_row *f) {
    json_t *schema = json_object(), *names = json_array();
    for (int i = 0; f->choices[i]; i++) json_array_append_new(names, json_string(f->choices[i]));
    set(schema, "enum", names);
    return schema;
}

static json_t *table_ref(const field_table *type) {
    json_t *schema = json_object();
    set(schema, "$ref", ref_to(type));
    return schema;
}

static json_t *typed(const char *type) {
    json_t *schema = json_object();
    set(schema, "type", json_string(type));
    return schema;
}

static json_t *kinds_schema(const field_row *f) {
    json_t *any = json_array(), *items = json_object();
    for (int i = 0; f->kinds[i]; i++) json_array_append_new(any, table_ref(f->kinds[i]));
    set(items, "oneOf", any);
    return list_schema(items, f->min_count, f->max_count);
}

static json_t *field_schema(const field_row *f) {
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
        return list_schema(number_schema(f, "integer"), f->min_count, f->max_count);
    case FIELD_NUMBERS:
        return list_schema(number_schema(f, "number"), f->min_count, f->max_count);
    case FIELD_VECS:
        return list_schema(list_schema(typed("number"), 3, 3), f->min_count, f->max_count);
    case FIELD_OBJECT:
        return table_ref(f->table);
    case FIELD_LIST:
        return list_schema(table_ref(f->table), f->min_count, f->max_count);
    case FIELD_KINDS:
        return kinds_schema(f);
    case FIELD_SEED: {
        json_t *schema = typed("integer");
        set(schema, "minimum", json_integer(0));
        return schema;
    }
    case FIELD_MAP: {
        json_t *schema = typed("object");
        set(schema, "additionalProperties", table_ref(f->table));
        return schema;
    }
    }
    return json_object();
}

static void add_table(json_t *defs, const field_table *type);

// The schema of a table; tables that it refers to are added to defs.
static json_t *table_schema(json_t *defs, const field_table *type, bool is_kind) {
    json_t *schema = typed("object"), *properties = json_object(), *required = json_array();
    set(schema, "description", json_string(type->help));
    for (const field_row *f = type->fields; f->name; f++) {
        json_t *property = field_schema(f);
        if (is_kind && strcmp(f->name, "kind") == 0) {
            json_object_clear(property);
            set(property, "const", json_string(type->name));
        }
        set(property, "description", json_string(f->help));
        set(properties, f->name, property);
        if (f->flags & FIELD_REQUIRED) json_array_append_new(required, json_string(f->name));
        if (f->table) add_table(defs, f->table);
        for (int i = 0; f->kinds && f->kinds[i]; i++) {
            if (!json_object_get(defs, f->kinds[i]->name)) {
                set(defs, f->kinds[i]->name, table_schema(defs, f->kinds[i], true));
            }
        }
    }
    json_t *comment = json_object();
    set(comment, "description", json_string("for people; not read"));
    set(properties, FIELD_COMMENT, comment);
    set(schema, "properties", properties);
    if (json_array_size(required) > 0) {
        set(schema, "required", required);
    } else {
        json_decref(required);
    }
    set(schema, "additionalProperties", json_false());
    return schema;
}

static void add_table(json_t *defs, const field_table *type) {
    if (!json_object_get(defs, type->name)) set(defs, type->name, table_schema(defs, type, false));
}

json_t *scene_schema(void) {
    json_t *schema = json_object(), *defs = json_object();
    set(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    set(schema, "title", json_string("Sinew scene"));
    json_t *top = table_schema(defs, &scene_table, false);
    json_object_update(schema, top);
    json_decref(top);
    set(schema, "$defs", defs);
    return schema;
}
