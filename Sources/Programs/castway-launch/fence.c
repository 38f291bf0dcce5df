#define _GNU_SOURCE
#include "fence.h"

#include "lifeline.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];

static bool write_text(const char *path, const char *text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) { return false; }
    const bool is_written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    return is_written;
}

static bool write_in_folder(const char *name, const char *text) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return write_text(path, text);
}

/// Whether a list separated by commas has a word.
static bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') { at++; }
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) { return true; }
    }
    return false;
}

/// Where a hierarchy is mounted, by /proc/self/mounts; `controller` is NULL for that of version 2.
static bool find_mount(const char *controller, char *mount, size_t size) {
    FILE *file = fopen("/proc/self/mounts", "re");
    if (file == NULL) { return false; }
    char line[4096];
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, file) != NULL) {
        char path[1024];
        char type[64];
        char settings[1024];
        if (sscanf(line, "%*s %1023s %63s %1023s", path, type, settings) != 3) { continue; }
        is_found = controller == NULL ? strcmp(type, "cgroup2") == 0
                                      : strcmp(type, "cgroup") == 0 && has_word(settings, controller);
        if (is_found) { snprintf(mount, size, "%s", path); }
    }
    fclose(file);
    return is_found;
}

/// The cgroup of this process in a hierarchy, by /proc/self/cgroup: lines `number:controllers:path`.
static bool find_own(const char *controller, char *own, size_t size) {
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL) { return false; }
    char line[4096];
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (path == NULL) { continue; }
        *path++ = '\0';
        controllers++;
        is_found = controller == NULL ? *controllers == '\0' : has_word(controllers, controller);
        if (is_found) { snprintf(own, size, "%s", strcmp(path, "/") == 0 ? "" : path); }
    }
    fclose(file);
    return is_found;
}

/// Makes a cgroup below this process's own.
static bool make_below(const char *controller, const char *name, const char *limit) {
    char mount[1024];
    char own[1024];
    if (!find_mount(controller, mount, sizeof mount) || !find_own(controller, own, sizeof own)) { return false; }
    if (controller == NULL) {
        char control[2200];
        snprintf(control, sizeof control, "%s%s/cgroup.subtree_control", mount, own);
        if (!write_text(control, "+pids")) { return false; }
    }
    snprintf(folder, sizeof folder, "%s%s/castway-%s-%d", mount, own, name, getpid());
    if (mkdir(folder, 0755) != 0) {
        folder[0] = '\0';
        return false;
    }
    if (write_in_folder("pids.max", limit)) { return true; }
    fence_remove();
    return false;
}

void fence_make(const struct options *options) {
    if (!options->may_make_cgroup || options->processes == 0 || options->sandbox == SANDBOX_NONE) { return; }
    char limit[32];
    snprintf(limit, sizeof limit, "%llu", options->processes);
    if (make_below(NULL, options->name, limit) || make_below("pids", options->name, limit)) {
        report("enforced processes by a cgroup");
    }
}

bool fence_enter(void) {
    return folder[0] != '\0' && write_in_folder("cgroup.procs", "0");
}

bool fence_exists(void) {
    return folder[0] != '\0';
}

void fence_remove(void) {
    if (folder[0] == '\0') { return; }
    // The kernel lets go of the last process a moment after it was reaped.
    for (int attempt = 0; attempt < 50 && rmdir(folder) != 0 && errno == EBUSY; attempt++) { usleep(2000); }
    folder[0] = '\0';
}
