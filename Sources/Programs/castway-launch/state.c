#define _GNU_SOURCE
#include "state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /// Folders within folders; each takes a descriptor.
    MAXIMUM_DEPTH = 32,
    /// stat(2) counts blocks of this size, whatever the file system's own.
    BLOCK = 512,
};

struct measure {
    const struct options *options;
    char *text;
    unsigned long long bytes;
    unsigned long long files;
};

static bool exceeds(const struct measure *measure) {
    const struct options *options = measure->options;
    if (options->state > 0 && measure->bytes > options->state) {
        snprintf(measure->text, MAXIMUM_STATE_TEXT, "it holds %llu of %llu bytes", measure->bytes, options->state);
        return true;
    }
    if (options->state_files > 0 && measure->files > options->state_files) {
        snprintf(
            measure->text, MAXIMUM_STATE_TEXT, "it holds %llu of %llu files and folders", measure->files,
            options->state_files);
        return true;
    }
    return false;
}

/// Adds what is in an open folder, and closes it.
static bool add_folder(struct measure *measure, int descriptor, int depth) {
    DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (folder == NULL) {
        snprintf(measure->text, MAXIMUM_STATE_TEXT, "a folder in it cannot be read: %s", strerror(errno));
        if (descriptor >= 0) { close(descriptor); }
        return false;
    }
    bool holds = true;
    for (struct dirent *entry = readdir(folder); holds && entry != NULL; entry = readdir(folder)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) { continue; }
        struct stat status;
        // It may be gone by now.
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) { continue; }
        measure->bytes += (unsigned long long)status.st_blocks * BLOCK;
        measure->files++;
        holds = !exceeds(measure);
        if (!holds || !S_ISDIR(status.st_mode)) { continue; }
        if (depth == MAXIMUM_DEPTH) {
            snprintf(measure->text, MAXIMUM_STATE_TEXT, "its folders are nested more than %d deep", MAXIMUM_DEPTH);
            holds = false;
            continue;
        }
        const int inner = openat(
            dirfd(folder), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (inner < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) { continue; }
        holds = add_folder(measure, inner, depth + 1);
    }
    closedir(folder);
    return holds;
}

bool state_holds(const struct options *options, char text[MAXIMUM_STATE_TEXT]) {
    struct measure measure = {.options = options, .text = text};
    const int folder = open(options->state_directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return add_folder(&measure, folder, 0);
}
