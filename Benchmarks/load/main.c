// castload: Cast senders and a Cast device for measuring, in one thread each. See Benchmarks/README.md.
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "modes.h"
#include "options.h"

int main(int count, char **words) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    options_read(count, words);
    static const struct {
        const char *name;
        int (*run)(void);
    } modes[] = {{"send", run_send}, {"idle", run_idle}, {"accept", run_accept},
                 {"device", run_device}, {"subscribe", run_subscribe},
                 {"post", run_post}, {"listen", run_listen}, {"backend", run_backend}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(options.mode, modes[i].name)) return modes[i].run();
    fprintf(stderr, "castload: there is no mode '%s'\n", options.mode);
    return 64;
}
