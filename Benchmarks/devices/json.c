#include "json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Behind the string that begins at `at`.
static size_t skip_string(Slice json, size_t at) {
    for (at++; at < json.count; at++) {
        if (json.bytes[at] == '\\') at++;
        else if (json.bytes[at] == '"') return at + 1;
    }
    return json.count;
}

static size_t skip_blanks(Slice json, size_t at) {
    while (at < json.count && isspace(json.bytes[at])) at++;
    return at;
}

// Behind the value that begins at `at`.
static size_t skip_value(Slice json, size_t at) {
    int depth = 0;
    while (at < json.count) {
        uint8_t byte = json.bytes[at];
        if (byte == '"') {
            at = skip_string(json, at);
            if (!depth) return at;
            continue;
        }
        if (byte == '{' || byte == '[') {
            depth++;
        } else if (byte == '}' || byte == ']') {
            if (!depth) return at;
            if (!--depth) return at + 1;
        } else if (byte == ',' && !depth) {
            return at;
        }
        at++;
    }
    return at;
}

Slice json_member(Slice object, const char *key) {
    size_t length = strlen(key), at = skip_blanks(object, 0);
    if (at >= object.count || object.bytes[at] != '{') return (Slice){NULL, 0};
    at = skip_blanks(object, at + 1);
    while (at < object.count && object.bytes[at] == '"') {
        size_t name = at + 1;
        at = skip_string(object, at);
        bool is_it = at > name && at - 1 - name == length && !memcmp(object.bytes + name, key, length);
        at = skip_blanks(object, at);
        if (at >= object.count || object.bytes[at] != ':') break;
        at = skip_blanks(object, at + 1);
        size_t end = skip_value(object, at);
        if (is_it) {
            while (end > at && isspace(object.bytes[end - 1])) end--;
            return (Slice){object.bytes + at, end - at};
        }
        at = skip_blanks(object, end);
        if (at >= object.count || object.bytes[at] != ',') break;
        at = skip_blanks(object, at + 1);
    }
    return (Slice){NULL, 0};
}

Slice json_string(Slice object, const char *key) {
    Slice value = json_member(object, key);
    if (value.count < 2 || value.bytes[0] != '"') return (Slice){NULL, 0};
    return (Slice){value.bytes + 1, value.count - 2};
}

double json_number(Slice object, const char *key, double otherwise) {
    Slice value = json_member(object, key);
    char text[40], *end;
    if (!value.count || value.count >= sizeof text) return otherwise;
    memcpy(text, value.bytes, value.count);
    text[value.count] = 0;
    double number = strtod(text, &end);
    return *end ? otherwise : number;
}

int json_truth(Slice object, const char *key) {
    Slice value = json_member(object, key);
    return slice_is(value, "true") ? 1 : slice_is(value, "false") ? 0 : -1;
}

bool json_next_string(Slice array, size_t *at, Slice *text) {
    while (*at < array.count && array.bytes[*at] != '"') ++*at;
    if (*at >= array.count) return false;
    size_t begin = *at + 1;
    *at = skip_string(array, *at);
    if (*at <= begin) return false;
    *text = (Slice){array.bytes + begin, *at - 1 - begin};
    return true;
}
