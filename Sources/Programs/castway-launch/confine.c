#define _GNU_SOURCE
#include "confine.h"

#include "files.h"
#include "filter.h"
#include "lifeline.h"
#include "privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void confine_report(const struct options *options) {
    if (options->sandbox == SANDBOX_NONE) { return; }
    files_report(options);
    filter_report(options);
}

static bool limit(int resource, unsigned long long value) {
    const struct rlimit wanted = {.rlim_cur = value, .rlim_max = value};
    if (setrlimit(resource, &wanted) == 0) { return true; }
    // Only a privileged process may raise what it was given; a lower limit than the one wanted is as good.
    struct rlimit current;
    return errno == EPERM && getrlimit(resource, &current) == 0 && current.rlim_max <= value;
}

const char *confine(const struct options *options) {
    if (!limit(RLIMIT_CORE, 0)) { return "core"; }
    if (options->sandbox == SANDBOX_NONE) { return NULL; }
    if (options->memory > 0) {
        // What is only reserved is free, so the limit on addresses is wider than that on memory: runtimes reserve a lot.
        const unsigned long long addresses = options->memory * 4 + (1ULL << 30);
        if (!limit(RLIMIT_DATA, options->memory) || !limit(RLIMIT_AS, addresses)) { return "memory"; }
    }
    if (options->open_files > 0 && !limit(RLIMIT_NOFILE, options->open_files)) { return "open_files"; }
    if (options->state > 0 && !limit(RLIMIT_FSIZE, options->state)) { return "state"; }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) { return "no_new_privs"; }
    if (!files_confine(options)) { return "landlock"; }
    if (!privileges_drop()) { return "capabilities"; }
    if (!filter_confine(options)) { return "seccomp"; }
    return NULL;
}
