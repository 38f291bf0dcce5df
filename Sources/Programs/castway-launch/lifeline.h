// The line to the gateway: commands come in, a byte each; reports go out, a line each.
#ifndef CASTWAY_LAUNCH_LIFELINE_H
#define CASTWAY_LAUNCH_LIFELINE_H

/// What came over the lifeline.
enum command {
    COMMAND_NOTHING,
    /// End gently.
    COMMAND_TERMINATE,
    /// End everything now.
    COMMAND_KILL,
    /// The gateway is gone.
    COMMAND_ORPHANED,
};

/// Says which descriptor the lifeline is.
void lifeline_open(int descriptor);

/// The descriptor, for poll(2).
int lifeline_descriptor(void);

/// Takes what came; never blocks.
enum command lifeline_read(void);

/// Writes a line. What the gateway does not take is lost, so that it can hold nothing up.
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
