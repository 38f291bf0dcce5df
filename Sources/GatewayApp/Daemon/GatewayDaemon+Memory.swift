internal import Logging
internal import NIOPosix

// What a flood leaves behind.
extension GatewayDaemon {
    /// How often it is looked whether there is memory to hand back.
    private static let memoryInterval = Duration.seconds(10)

    /// Hands memory back that is not needed any more, as ``MemoryReturn`` decides.
    func handMemoryBack() async {
        guard let start = MemorySample.current else { return }
        var memory = MemoryReturn(at: start)
        let clock = ContinuousClock()
        while !Task.isCancelled {
            do { try await clock.sleep(for: Self.memoryInterval) } catch { return }
            guard let before = MemorySample.current, memory.look(before) else { continue }
            try? await NIOThreadPool.singleton.runIfActive { MemorySample.handBack() }
            guard let after = MemorySample.current else { return }
            memory.handedBack(after)
            self.logger.info(
                "Memory handed back",
                metadata: [
                    "before_kib": .stringConvertible(before.resident >> 10),
                    "after_kib": .stringConvertible(after.resident >> 10),
                    "in_use_kib": .stringConvertible(after.inUse >> 10),
                ])
        }
    }
}
