// castdevices: simulated Cast devices for measuring, in one thread. See Benchmarks/README.md.
#include <stdio.h>
#include <sys/resource.h>

#include "control.h"
#include "device.h"
#include "options.h"

int main(int count, char **words) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    options_read(count, words);
    devices_start();
    if (options.control) control_open(options.control);
    printf("{\"listening\":%d}\n", options.devices);
    fflush(stdout);
    loop_run();
    printf("{\"accepted\":%ld,\"failed\":%ld,\"messages\":%ld,\"events\":%ld,\"own_cpu_us\":%.0f}\n", counters.accepted,
           counters.failed, counters.messages, counters.events, (double)own_cpu_ns() / 1e3);
    return 0;
}
