/// Thrown when a file cannot be read any further; the reason has already been added to the problems.
struct ConfigReadingStopped: Error {}
