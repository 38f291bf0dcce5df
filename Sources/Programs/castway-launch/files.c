#define _GNU_SOURCE
#include "files.h"

#include "lifeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The numbers of the kernel's interface, which older headers lack: include/uapi/linux/landlock.h.
enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,
    VERSION_FLAG = 1,
    RULE_PATH_BENEATH = 1,
};

static const uint64_t ACCESS_EXECUTE = 1ULL << 0;
static const uint64_t ACCESS_WRITE_FILE = 1ULL << 1;
static const uint64_t ACCESS_READ_FILE = 1ULL << 2;
static const uint64_t ACCESS_READ_DIR = 1ULL << 3;
static const uint64_t ACCESS_VERSION_1 = (1ULL << 13) - 1;
static const uint64_t ACCESS_REFER = 1ULL << 13;
static const uint64_t ACCESS_TRUNCATE = 1ULL << 14;
static const uint64_t ACCESS_IOCTL_DEVICE = 1ULL << 15;
static const uint64_t NETWORK_TCP = 3;
static const uint64_t SCOPES = 3;

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

/// What programs of a distribution need to begin and to find the time, names and certificates.
static const char *const system_paths[] = {
    "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/ld.so.preload", "/etc/alternatives", "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/hosts",
    "/etc/host.conf", "/etc/hostname", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
    "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates",
    "/etc/pki/tls/certs", "/etc/python3", "/etc/mime.types", "/dev/urandom", "/dev/random", "/dev/zero",
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/kernel", "/proc/sys/vm",
    "/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage", NULL,
};

static int version(void) {
    const long version = syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG);
    return version < 0 ? 0 : (int)version;
}

void files_report(const struct options *options) {
    const int known = version();
    if (known < 6) { report("unenforced signals the kernel's Landlock has version %d, and version 6 is needed", known); }
    if (options->sandbox != SANDBOX_STRICT) { return; }
    if (known == 0) {
        report("unenforced files the kernel has no Landlock");
    } else if (known < 3) {
        report("unenforced truncate the kernel's Landlock has version %d, and version 3 is needed", known);
    }
}

/// Allows what lies at a path, and below it. What is not there needs no rule.
static bool allow(int ruleset, const char *path, uint64_t access) {
    const int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) { return errno == ENOENT || errno == EACCES || errno == ENOTDIR; }
    struct stat status;
    if (fstat(place, &status) == 0 && !S_ISDIR(status.st_mode)) {
        // Rules for a file that is no folder may hold only what can be done with files.
        access &= ACCESS_EXECUTE | ACCESS_WRITE_FILE | ACCESS_READ_FILE | ACCESS_TRUNCATE | ACCESS_IOCTL_DEVICE;
    }
    const struct path_rule rule = {.allowed = access, .parent = place};
    const bool is_added = syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) == 0;
    const int code = errno;
    close(place);
    errno = code;
    return is_added;
}

/// Puts a ruleset in force, and closes it.
static bool enforce(int ruleset) {
    const bool is_done = syscall(RESTRICT_SELF, ruleset, 0) == 0;
    const int code = errno;
    close(ruleset);
    errno = code;
    return is_done;
}

/// Signals, and sockets with abstract names, reach only what descends from the plugin.
static bool scopes_confine(void) {
    const struct ruleset rules = {.scopes = SCOPES};
    const int ruleset = (int)syscall(CREATE_RULESET, &rules, sizeof rules, 0);
    return ruleset >= 0 && enforce(ruleset);
}

bool files_confine(const struct options *options) {
    const int known = version();
    if (known == 0) { return true; }
    if (options->sandbox != SANDBOX_STRICT) { return known < 6 || scopes_confine(); }
    uint64_t all = ACCESS_VERSION_1;
    if (known >= 2) { all |= ACCESS_REFER; }
    if (known >= 3) { all |= ACCESS_TRUNCATE; }
    if (known >= 5) { all |= ACCESS_IOCTL_DEVICE; }
    struct ruleset rules = {.files = all};
    if (known >= 4 && options->network == NETWORK_NONE) { rules.network = NETWORK_TCP; }
    if (known >= 6) { rules.scopes = SCOPES; }
    // The structure grew; an old kernel refuses members that it does not know.
    const size_t size = known >= 6 ? sizeof rules : known >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    const int ruleset = (int)syscall(CREATE_RULESET, &rules, size, 0);
    if (ruleset < 0) { return false; }
    const uint64_t reading = ACCESS_EXECUTE | ACCESS_READ_FILE | ACCESS_READ_DIR;
    bool is_done = allow(ruleset, options->directory, reading);
    for (size_t index = 0; is_done && system_paths[index] != NULL; index++) {
        is_done = allow(ruleset, system_paths[index], reading);
    }
    for (size_t index = 0; is_done && index < options->readable_count; index++) {
        is_done = allow(ruleset, options->readable[index], reading);
    }
    // libdispatch ends a Swift program whose threads' /proc/ID/stat cannot be read, and threads come and go. Folders there
    // cannot be listed, and what proc(5) keeps for tracers (memory, environment, descriptors) stays closed by Landlock.
    is_done = is_done && allow(ruleset, "/proc", ACCESS_READ_FILE);
    is_done = is_done && allow(ruleset, "/dev/null", (reading & ~ACCESS_EXECUTE) | ACCESS_WRITE_FILE | (all & ACCESS_TRUNCATE));
    if (is_done && options->state_directory != NULL) { is_done = allow(ruleset, options->state_directory, all); }
    if (is_done) { return enforce(ruleset); }
    const int code = errno;
    close(ruleset);
    errno = code;
    return false;
}
