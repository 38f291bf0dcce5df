import GatewayMetrics
import Glibc

/// What the process uses, by proc(5) and getrusage(2); what cannot be found out is left out.
enum ProcessMetrics {
    /// Reads everything.
    static func families() -> [MetricFamily] {
        var families: [MetricFamily] = []
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            families.append(MetricFamily(.processCPU, Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)))
        }
        // Behind the name of the program, which may hold anything: the state is field 3.
        let fields = Self.text("/proc/self/stat").map {
            $0[($0.lastIndex(of: ")") ?? $0.startIndex)...].split(separator: " ")
        }
        if let fields, fields.count > 22 {
            func field(_ number: Int) -> Double? { Double(fields[number - 2]) }
            if let value = field(20) { families.append(MetricFamily(.processThreads, value)) }
            if let value = field(23) { families.append(MetricFamily(.processVirtualMemory, value)) }
            if let value = field(24) {
                families.append(MetricFamily(.processMemory, value * Double(sysconf(Int32(_SC_PAGESIZE)))))
            }
            if let value = field(22), let boot = Self.bootTime {
                families.append(MetricFamily(.processStart, boot + value / Double(sysconf(Int32(_SC_CLK_TCK)))))
            }
        }
        if let count = DescriptorLimit.openCount { families.append(MetricFamily(.processOpenFiles, Double(count))) }
        families.append(MetricFamily(.processMaximumFiles, Double(DescriptorLimit.current.soft)))
        return families
    }

    /// When the system was started, in seconds since 1970.
    private static let bootTime: Double? = {
        let line = Self.text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }()

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// A file of proc(5), which has no length before it is read.
    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < 4 << 20 {
            let count = fread(&part, 1, part.count, file)
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
