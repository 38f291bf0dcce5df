import Testing

@testable import GatewayApp

@Suite struct MemoryLimitTests {
    @Test func theFilesOfBothVersionsOfControlGroupsAreFound() {
        #expect(
            MemoryLimit.files(of: "0::/system.slice/castway.service\n") == [
                "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/system.slice/castway.service/memory.max",
                "/sys/fs/cgroup/system.slice/memory.max",
            ])
        #expect(
            MemoryLimit.files(of: "9:name=systemd:/x\n4:memory:/box\n3:cpu,cpuacct:/\n0::/\n") == [
                "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/box/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory.max",
            ])
        #expect(MemoryLimit.files(of: "nonsense\n::\n").isEmpty)
    }

    @Test(
        arguments: [
            ("536870912\n", 536_870_912), ("max\n", nil), ("9223372036854771712\n", nil), ("", nil), ("-1\n", nil),
            (nil, nil),
        ] as [(String?, Int?)])
    func aLimitIsANumberOfBytes(text: String?, bytes: Int?) {
        #expect(MemoryLimit.limit(in: text) == bytes)
    }

    @Test func thereIsALimit() {
        #expect(MemoryLimit.current >= 1 << 20)
    }
}
