// Starts one plugin for the gateway, guards it, and ends with it.
//
//   castway-launch OPTIONS -- PROGRAM ARGUMENTS
//
// Descriptor 0 is the plugin's wire, a socket for both ways; 1 is the lifeline (lifeline.h); 2 is the plugin's standard
// error. The plugin's environment comes over the lifeline, before any command; the launcher's own, which is empty when the
// gateway starts it, is passed on to nothing. The gateway never signals a process: it asks here, where nothing can be
// taken for something else. When the lifeline ends, or the plugin does, everything that descends from it ends.
#define _GNU_SOURCE
#include "confine.h"
#include "environment.h"
#include "family.h"
#include "fence.h"
#include "lifeline.h"
#include "options.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    /// The gateway's own mistakes, beside the statuses of sysexits.h.
    STATUS_USAGE = 64,
    STATUS_SYSTEM = 71,
    /// How often processes are counted, in milliseconds.
    COUNT_EVERY = 20,
    /// How often the state folder is measured, in milliseconds, and how many times longer than that took it is left alone.
    MEASURE_EVERY = 1000,
    MEASURE_PAUSE = 20,
    /// How often what was killed is killed again until it is gone.
    KILL_AGAIN = 5,
};

/// What the plugin, before it is one, tells the launcher when a step fails.
struct failure {
    int code;
    char step[32];
};

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static void fail(int status_pipe, const char *step) {
    struct failure failure = {.code = errno};
    snprintf(failure.step, sizeof failure.step, "%s", step);
    if (write(status_pipe, &failure, sizeof failure) < 0) { _exit(STATUS_SYSTEM); }
    _exit(STATUS_SYSTEM);
}

/// Becomes the plugin.
static void become_plugin(
    const struct options *options, char *const *environment, pid_t launcher, int status_pipe, unsigned long long tasks) {
    if (setsid() < 0) { fail(status_pipe, "setsid"); }
    // The launcher has one thread alone, so the death of a thread is its own.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) { fail(status_pipe, "pdeathsig"); }
    if (getppid() != launcher) { _exit(STATUS_SYSTEM); }
    if (options->directory != NULL && chdir(options->directory) != 0) { fail(status_pipe, "directory"); }
    if (fence_exists() && !fence_enter()) { fail(status_pipe, "cgroup"); }
    if (tasks > 0) {
        const struct rlimit limit = {.rlim_cur = tasks, .rlim_max = tasks};
        // A lower limit that is there already serves as well.
        if (setrlimit(RLIMIT_NPROC, &limit) != 0 && errno != EPERM) { fail(status_pipe, "processes"); }
    }
    // When memory runs out the plugin goes before the gateway.
    const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        if (write(score, "500", 3) < 0) { errno = 0; }
        close(score);
    }
    const char *step = confine(options);
    if (step != NULL) { fail(status_pipe, step); }
    for (int number = 1; number < NSIG; number++) { signal(number, SIG_DFL); }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(STDIN_FILENO, STDOUT_FILENO) < 0) { fail(status_pipe, "descriptors"); }
    if (status_pipe != 3 && dup3(status_pipe, 3, O_CLOEXEC) < 0) { fail(status_pipe, "descriptors"); }
    if (syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
        const long highest = sysconf(_SC_OPEN_MAX);
        for (int descriptor = 4; descriptor < (highest < 0 ? 65536 : highest); descriptor++) { close(descriptor); }
    }
    execve(options->command[0], options->command, environment);
    fail(3, "exec");
}

/// Starts the plugin.
/// Returns its id, or 0 when it could not be started, which has been reported.
static pid_t start(const struct options *options, char *const *environment) {
    int status[2];
    if (pipe2(status, O_CLOEXEC) != 0) {
        report("failed pipe %s", strerror(errno));
        return 0;
    }
    unsigned long long tasks = 0;
    if (options->sandbox != SANDBOX_NONE && options->processes > 0 && !fence_exists()) {
        report("unenforced processes no cgroup can be made: they are counted, and killed when they are too many");
        // Far above the count's limit, since others of the same user are in it: the last stop of whatever forks quickly.
        if (geteuid() != 0) { tasks = family_user_tasks() + options->processes + 512; }
    }
    const pid_t launcher = getpid();
    const pid_t plugin = fork();
    if (plugin == 0) { become_plugin(options, environment, launcher, status[1], tasks); }
    const int code = errno;
    close(status[1]);
    if (plugin < 0) {
        report("failed fork %s", strerror(code));
        close(status[0]);
        return 0;
    }
    struct failure failure;
    ssize_t length;
    do { length = read(status[0], &failure, sizeof failure); } while (length < 0 && errno == EINTR);
    close(status[0]);
    if (length == (ssize_t)sizeof failure) {
        failure.step[sizeof failure.step - 1] = '\0';
        report("failed %s %s", failure.step, strerror(failure.code));
        waitpid(plugin, NULL, 0);
        return 0;
    }
    report("started %d", plugin);
    return plugin;
}

/// Lets go of the plugin's own descriptors, so that their ends are seen at the other side.
static bool let_go(void) {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) { return false; }
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (dup2(nothing, descriptor) < 0) { return false; }
    }
    if (nothing > 2) { close(nothing); }
    return true;
}

/// What the launcher is waiting for.
struct watch {
    pid_t plugin;
    bool is_running;
    bool is_killing;
    /// When everything is killed; -1 for never.
    long long kill_at;
    long long count_at;
    /// When the state folder is measured; -1 for never.
    long long measure_at;
};

/// Reaps whatever has ended, and reports the plugin's own end.
/// Returns false when nothing is left.
static bool reap(struct watch *watch) {
    while (true) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended == 0) { return true; }
        if (ended < 0) {
            if (errno == EINTR) { continue; }
            return false;
        }
        if (ended != watch->plugin) { continue; }
        watch->is_running = false;
        if (WIFSIGNALED(status)) {
            report("signal %d", WTERMSIG(status));
        } else {
            report("exited %d", WEXITSTATUS(status));
        }
        // What it leaves behind ends with it.
        watch->is_killing = true;
        watch->kill_at = now();
    }
}

static void obey(struct watch *watch, enum command command, int grace) {
    switch (command) {
    case COMMAND_NOTHING: break;
    case COMMAND_KILL:
        watch->is_killing = true;
        watch->kill_at = now();
        break;
    case COMMAND_ORPHANED:
        if (watch->kill_at < 0) { watch->kill_at = now() + grace; }
        // Fall through: gently first.
        __attribute__((fallthrough));
    case COMMAND_TERMINATE:
        if (!watch->is_running) { break; }
        // It is our child and not reaped, so the id, and with it that of its group, is its own.
        kill(-watch->plugin, SIGTERM);
        kill(-watch->plugin, SIGCONT);
    }
}

/// Counts the processes when it is time to.
static void count(struct watch *watch, const struct options *options) {
    if (watch->count_at < 0 || watch->is_killing || now() < watch->count_at) { return; }
    const size_t size = family_size(watch->plugin);
    watch->count_at = now() + COUNT_EVERY;
    if (size <= options->processes) { return; }
    report("killed processes %zu of %llu", size, options->processes);
    watch->is_killing = true;
    watch->kill_at = now();
}

/// Measures the state folder when it is time to.
static void measure(struct watch *watch, const struct options *options) {
    if (watch->measure_at < 0 || watch->is_killing || now() < watch->measure_at) { return; }
    char text[MAXIMUM_STATE_TEXT];
    const long long began = now();
    const bool holds = state_holds(options, text);
    const long long pause = (now() - began) * MEASURE_PAUSE;
    watch->measure_at = now() + (pause > MEASURE_EVERY ? pause : MEASURE_EVERY);
    if (holds) { return; }
    report("full %s", text);
    watch->is_killing = true;
    watch->kill_at = now();
}

/// How long to wait for the next thing to do, for poll(2).
static int patience(const struct watch *watch) {
    long long next = watch->kill_at;
    if (!watch->is_killing) {
        if (watch->count_at >= 0 && (next < 0 || watch->count_at < next)) { next = watch->count_at; }
        if (watch->measure_at >= 0 && (next < 0 || watch->measure_at < next)) { next = watch->measure_at; }
    }
    if (next < 0) { return -1; }
    const long long left = next - now();
    return left < 0 ? 0 : left > 1000 ? 1000 : (int)left;
}

/// Guards the plugin until nothing of it is left.
static void guard(struct watch *watch, const struct options *options, int children) {
    struct pollfd waits[] = {
        {.fd = lifeline_descriptor(), .events = POLLIN},
        {.fd = children, .events = POLLIN},
    };
    while (reap(watch)) {
        count(watch, options);
        measure(watch, options);
        if (watch->kill_at >= 0 && now() >= watch->kill_at) {
            watch->is_killing = true;
            // Its own group at once and first: it is our child and not reaped, so the id is still its own.
            if (watch->is_running) { kill(-watch->plugin, SIGKILL); }
            family_kill();
            watch->kill_at = now() + KILL_AGAIN;
        }
        if (poll(waits, 2, patience(watch)) <= 0) { continue; }
        if ((waits[1].revents & POLLIN) != 0) {
            struct signalfd_siginfo information;
            while (read(children, &information, sizeof information) > 0) {
                if (information.ssi_signo != SIGCHLD) { obey(watch, COMMAND_KILL, options->grace); }
            }
        }
        if (waits[0].revents == 0) { continue; }
        const enum command command = lifeline_read();
        obey(watch, command, options->grace);
        // An end would wake the loop for ever.
        if (command == COMMAND_ORPHANED) { waits[0].fd = -1; }
    }
}

/// The launcher is two processes, and each ends everything when the other is killed: the guard, which does the work, and
/// the keeper, its parent. Whatever descends from the plugin falls to the keeper when the guard is gone.
static int keep(pid_t guard, const sigset_t *signals) {
    int result = STATUS_SYSTEM;
    bool is_guarded = true;
    while (true) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended < 0 && errno == ECHILD) { break; }
        if (ended == guard) {
            is_guarded = false;
            if (WIFEXITED(status)) { result = WEXITSTATUS(status); }
        }
        if (ended > 0) { continue; }
        if (!is_guarded) { family_kill(); }
        const struct timespec pause = {.tv_nsec = KILL_AGAIN * 1000000L};
        const int number = is_guarded ? sigwaitinfo(signals, NULL) : sigtimedwait(signals, NULL, &pause);
        // It is our child and not reaped, so the id is its own.
        if (number > 0 && number != SIGCHLD && is_guarded) { kill(guard, SIGTERM); }
    }
    fence_remove();
    return result;
}

/// Starts the plugin and guards it.
static int work(const struct options *options, char *const *environment, const sigset_t *signals) {
    const int children = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (children < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
        report("failed subreaper %s", strerror(errno));
        return STATUS_SYSTEM;
    }
    const pid_t plugin = start(options, environment);
    if (plugin == 0) {
        fence_remove();
        return STATUS_SYSTEM;
    }
    if (!let_go()) { report("failed descriptors %s", strerror(errno)); }
    // Only the plugin may read its environment.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    const bool is_measuring = options->sandbox != SANDBOX_NONE && options->state_directory != NULL
        && (options->state > 0 || options->state_files > 0);
    const bool is_counting = options->sandbox != SANDBOX_NONE && options->processes > 0 && !fence_exists();
    // Counting is worth something only when it comes in time. Without the privilege there is RLIMIT_NPROC to fall back on.
    const struct sched_param urgent = {.sched_priority = 1};
    if (is_counting && sched_setscheduler(0, SCHED_FIFO, &urgent) != 0) { errno = 0; }
    struct watch watch = {
        .plugin = plugin,
        .is_running = true,
        .kill_at = -1,
        .count_at = is_counting ? now() : -1,
        .measure_at = is_measuring ? now() : -1,
    };
    guard(&watch, options, children);
    fence_remove();
    report("gone");
    return 0;
}

int main(int argument_count, char *arguments[]) {
    signal(SIGPIPE, SIG_IGN);
    const int lifeline = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 4);
    if (lifeline < 0) { return STATUS_SYSTEM; }
    lifeline_open(lifeline);
    struct options options;
    const char *problem = read_options(argument_count, arguments, &options);
    if (problem != NULL) {
        report("failed options %s", problem);
        return STATUS_USAGE;
    }
    clearenv();
    char *const *const environment = environment_read(lifeline, options.environment);
    if (environment == NULL) {
        report("failed environment it did not come whole");
        return STATUS_SYSTEM;
    }
    // In a session of its own no terminal reaches it. It fails when it leads one already, which is as good.
    setsid();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
        report("failed subreaper %s", strerror(errno));
        return STATUS_SYSTEM;
    }
    confine_report(&options);
    fence_make(&options);
    const pid_t keeper = getpid();
    const pid_t guard = fork();
    if (guard < 0) {
        report("failed fork %s", strerror(errno));
        fence_remove();
        return STATUS_SYSTEM;
    }
    if (guard == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        return getppid() == keeper ? work(&options, environment, &signals) : STATUS_SYSTEM;
    }
    if (!let_go()) { kill(guard, SIGTERM); }
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    close(lifeline);
    return keep(guard, &signals);
}
