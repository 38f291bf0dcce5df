#define _GNU_SOURCE
#include "family.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    /// pidfd_send_signal(2): signals the process group of the process, at once for all who are in it (Linux 6.9).
    SIGNAL_GROUP = 1 << 2,
};

struct member {
    pid_t id;
    pid_t parent;
    unsigned long long start;
    size_t threads;
    bool is_ours;
};

struct members {
    struct member *list;
    size_t count;
    size_t capacity;
};

/// Reads the state, the parent, the threads and the start of a process: proc(5), fields 3, 4, 20 and 22 of `stat`.
static bool read_member(pid_t id, struct member *member, char *state) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", id);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) { return false; }
    char text[1024];
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) { return false; }
    text[length] = '\0';
    // The name before may hold anything, parentheses too.
    const char *rest = strrchr(text, ')');
    if (rest == NULL) { return false; }
    int parent = 0;
    unsigned long long threads = 0;
    unsigned long long start = 0;
    const int fields = sscanf(
        rest + 1, " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %*s %llu", state, &parent,
        &threads, &start);
    if (fields != 4) { return false; }
    *member = (struct member){.id = id, .parent = parent, .start = start, .threads = (size_t)threads};
    return true;
}

static bool append(struct members *members, struct member member) {
    if (members->count == members->capacity) {
        const size_t capacity = members->capacity == 0 ? 256 : members->capacity * 2;
        struct member *list = realloc(members->list, capacity * sizeof *list);
        if (list == NULL) { return false; }
        members->list = list;
        members->capacity = capacity;
    }
    members->list[members->count++] = member;
    return true;
}

static int compare(const void *left, const void *right) {
    const pid_t a = ((const struct member *)left)->id;
    const pid_t b = ((const struct member *)right)->id;
    return (a > b) - (a < b);
}

/// Everything alive that descends from this process.
static struct members read_family(void) {
    struct members all = {0};
    DIR *processes = opendir("/proc");
    if (processes == NULL) { return all; }
    for (struct dirent *entry = readdir(processes); entry != NULL; entry = readdir(processes)) {
        char *end = NULL;
        const long id = strtol(entry->d_name, &end, 10);
        if (*end != '\0' || id <= 0) { continue; }
        struct member member;
        char state = 0;
        if (!read_member((pid_t)id, &member, &state) || state == 'Z' || state == 'X') { continue; }
        if (!append(&all, member)) { break; }
    }
    closedir(processes);
    if (all.count == 0) { return all; }
    qsort(all.list, all.count, sizeof *all.list, compare);
    const pid_t self = getpid();
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t index = 0; index < all.count; index++) {
            struct member *member = &all.list[index];
            if (member->is_ours) { continue; }
            const struct member key = {.id = member->parent};
            const struct member *parent = bsearch(&key, all.list, all.count, sizeof key, compare);
            if (member->parent == self || (parent != NULL && parent->is_ours)) {
                member->is_ours = true;
                grew = true;
            }
        }
    }
    size_t kept = 0;
    for (size_t index = 0; index < all.count; index++) {
        if (all.list[index].is_ours) { all.list[kept++] = all.list[index]; }
    }
    all.count = kept;
    return all;
}

/// Kills the group of the process that was seen, and no other; the process alone where the kernel cannot do more.
static void kill_group(const struct member *member) {
    const int descriptor = (int)syscall(SYS_pidfd_open, member->id, 0);
    if (descriptor < 0) { return; }
    struct member now;
    char state = 0;
    if (read_member(member->id, &now, &state) && now.start == member->start
        && syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, SIGNAL_GROUP) != 0) {
        syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0);
    }
    close(descriptor);
}

/// Whether a thread has children: 0 or 1, or -1 when the kernel does not say.
static int has_children(pid_t process, pid_t thread, pid_t except) {
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, thread);
    FILE *file = fopen(path, "re");
    if (file == NULL) { return -1; }
    int child = 0;
    int found = 0;
    while (found == 0 && fscanf(file, "%d", &child) == 1) {
        if (child != except) { found = 1; }
    }
    fclose(file);
    return found;
}

/// The threads of a plugin that is alone; 0 when it is not, or that cannot be told cheaply.
static size_t size_alone(pid_t plugin) {
    if (has_children(getpid(), getpid(), plugin) != 0) { return 0; }
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", plugin);
    DIR *threads = opendir(path);
    if (threads == NULL) { return 0; }
    size_t count = 0;
    bool is_alone = true;
    for (struct dirent *entry = readdir(threads); entry != NULL && is_alone; entry = readdir(threads)) {
        const long thread = strtol(entry->d_name, NULL, 10);
        if (thread <= 0) { continue; }
        is_alone = has_children(plugin, (pid_t)thread, 0) == 0;
        count++;
    }
    closedir(threads);
    return is_alone ? count : 0;
}

size_t family_size(pid_t plugin) {
    const size_t alone = size_alone(plugin);
    if (alone > 0) { return alone; }
    struct members family = read_family();
    size_t size = 0;
    for (size_t index = 0; index < family.count; index++) { size += family.list[index].threads; }
    free(family.list);
    return size;
}

void family_kill(void) {
    struct members family = read_family();
    for (size_t index = 0; index < family.count; index++) { kill_group(&family.list[index]); }
    free(family.list);
}

unsigned long long family_user_tasks(void) {
    unsigned long long count = 0;
    const uid_t user = getuid();
    DIR *processes = opendir("/proc");
    if (processes == NULL) { return 0; }
    for (struct dirent *entry = readdir(processes); entry != NULL; entry = readdir(processes)) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') { continue; }
        char path[280];
        snprintf(path, sizeof path, "/proc/%s/status", entry->d_name);
        FILE *file = fopen(path, "re");
        if (file == NULL) { continue; }
        char line[256];
        unsigned owner = 0;
        unsigned threads = 0;
        bool is_own = false;
        while (fgets(line, sizeof line, file) != NULL) {
            if (sscanf(line, "Uid: %u", &owner) == 1) { is_own = owner == user; }
            if (sscanf(line, "Threads: %u", &threads) == 1) { break; }
        }
        fclose(file);
        if (is_own) { count += threads; }
    }
    closedir(processes);
    return count;
}
