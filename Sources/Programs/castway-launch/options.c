#include "options.h"

#include "environment.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char *text, unsigned long long *value) {
    if (text[0] < '0' || text[0] > '9') { return false; }
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/// The place of a word in a list that ends in NULL; -1 when it is not there.
static int place(const char *word, const char *const words[]) {
    for (int index = 0; words[index] != NULL; index++) {
        if (strcmp(word, words[index]) == 0) { return index; }
    }
    return -1;
}

static const char *read_option(const char *name, const char *value, struct options *options) {
    static const char *const sandboxes[] = {"none", "basic", "strict", NULL};
    static const char *const networks[] = {"none", "loopback", "any", NULL};
    static const char *const choices[] = {"no", "yes", NULL};
    if (strcmp(name, "--name") == 0) {
        options->name = value;
    } else if (strcmp(name, "--directory") == 0) {
        options->directory = value;
    } else if (strcmp(name, "--state-directory") == 0) {
        options->state_directory = value;
    } else if (strcmp(name, "--readable") == 0) {
        if (options->readable_count == MAXIMUM_PATHS) { return "too many --readable"; }
        options->readable[options->readable_count++] = value;
    } else if (strcmp(name, "--sandbox") == 0) {
        const int word = place(value, sandboxes);
        if (word < 0) { return "--sandbox is none, basic or strict"; }
        options->sandbox = (enum sandbox)word;
    } else if (strcmp(name, "--network") == 0) {
        const int word = place(value, networks);
        if (word < 0) { return "--network is none, loopback or any"; }
        options->network = (enum network)word;
    } else if (strcmp(name, "--memory") == 0) {
        if (!read_number(value, &options->memory)) { return "--memory is a number of bytes"; }
    } else if (strcmp(name, "--open-files") == 0) {
        if (!read_number(value, &options->open_files)) { return "--open-files is a number"; }
    } else if (strcmp(name, "--processes") == 0) {
        if (!read_number(value, &options->processes)) { return "--processes is a number"; }
    } else if (strcmp(name, "--state") == 0) {
        if (!read_number(value, &options->state)) { return "--state is a number of bytes"; }
    } else if (strcmp(name, "--state-files") == 0) {
        if (!read_number(value, &options->state_files)) { return "--state-files is a number"; }
    } else if (strcmp(name, "--environment") == 0) {
        if (!read_number(value, &options->environment) || options->environment > MAXIMUM_ENVIRONMENT) {
            return "--environment is a number of bytes up to 131072";
        }
    } else if (strcmp(name, "--cgroup") == 0) {
        const int word = place(value, choices);
        if (word < 0) { return "--cgroup is no or yes"; }
        options->may_make_cgroup = word == 1;
    } else if (strcmp(name, "--grace") == 0) {
        unsigned long long grace = 0;
        if (!read_number(value, &grace) || grace > INT_MAX) { return "--grace is a number of milliseconds"; }
        options->grace = (int)grace;
    } else {
        return "an unknown option";
    }
    return NULL;
}

const char *read_options(int count, char *const arguments[], struct options *options) {
    *options = (struct options){.name = "plugin", .sandbox = SANDBOX_BASIC, .may_make_cgroup = true, .grace = 2000};
    int index = 1;
    for (; index < count && strcmp(arguments[index], "--") != 0; index += 2) {
        if (index + 1 >= count) { return "an option without its value"; }
        const char *problem = read_option(arguments[index], arguments[index + 1], options);
        if (problem != NULL) { return problem; }
    }
    if (index + 1 >= count) { return "no program: castway-launch OPTIONS -- PROGRAM ARGUMENTS"; }
    options->command = &arguments[index + 1];
    if (options->command[0][0] != '/') { return "the program must be an absolute path"; }
    if (options->sandbox == SANDBOX_STRICT && options->directory == NULL) { return "strict needs --directory"; }
    return NULL;
}
