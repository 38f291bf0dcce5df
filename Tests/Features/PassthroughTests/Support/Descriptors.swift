import Glibc
import Testing

/// Runs a body with room for so many open files, or not at all where the system has none.
func withDescriptors(_ count: Int, _ body: () async throws -> Void) async throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_max >= rlim_t(count) else {
        return
    }
    if limit.rlim_cur < rlim_t(count) {
        limit.rlim_cur = rlim_t(count)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    }
    try await body()
}
