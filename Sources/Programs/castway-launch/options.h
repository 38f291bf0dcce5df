// What the gateway asks of this launcher, on its command line.
#ifndef CASTWAY_LAUNCH_OPTIONS_H
#define CASTWAY_LAUNCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { MAXIMUM_PATHS = 64 };

/// How much is taken from the plugin.
enum sandbox {
    /// Nothing but what every plugin loses: descriptors, the environment, core dumps.
    SANDBOX_NONE,
    /// Limits, no privileges, no sockets that were not granted, and no hold on other processes.
    SANDBOX_BASIC,
    /// Files too.
    SANDBOX_STRICT,
};

/// Where a plugin may connect to.
enum network {
    NETWORK_NONE,
    NETWORK_LOOPBACK,
    NETWORK_ANY,
};

struct options {
    /// A name for cgroups; letters, digits, dashes.
    const char *name;
    /// Where the plugin starts; it may read everything below.
    const char *directory;
    /// Where the plugin may write.
    const char *state_directory;
    /// Further files and folders that a strict plugin may read and run.
    const char *readable[MAXIMUM_PATHS];
    size_t readable_count;
    enum sandbox sandbox;
    enum network network;
    /// Bytes of private memory; 0 is no limit.
    unsigned long long memory;
    /// Open descriptors; 0 is no limit.
    unsigned long long open_files;
    /// Processes and threads, the plugin itself included; 0 is no limit.
    unsigned long long processes;
    /// Bytes that the state folder may hold, and one file in it; 0 is no limit.
    unsigned long long state;
    /// Files and folders that the state folder may hold; 0 is no limit.
    unsigned long long state_files;
    /// Bytes of the plugin's environment, which come first over the lifeline.
    unsigned long long environment;
    /// Whether a cgroup may be made for the limit on processes.
    bool may_make_cgroup;
    /// Milliseconds between the gentle and the final signal once the gateway is gone.
    int grace;
    /// The program with its arguments, ending in NULL; the program by its absolute path.
    char *const *command;
};

/// Reads the command line.
/// Returns NULL, or what is wrong with it.
const char *read_options(int count, char *const arguments[], struct options *options);

#endif
