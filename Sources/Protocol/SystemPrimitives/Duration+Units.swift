extension Duration {
    /// The duration in whole milliseconds, rounded towards zero; the nearest number when it is beyond 64 bits.
    package var wholeMilliseconds: Int64 { self.whole(perSecond: 1_000) }

    /// The duration in whole microseconds, rounded towards zero; the nearest number when it is beyond 64 bits.
    package var wholeMicroseconds: Int64 { self.whole(perSecond: 1_000_000) }

    package var inSeconds: Double {
        Double(self.components.seconds) + Double(self.components.attoseconds) / 1e18
    }

    private func whole(perSecond count: Int64) -> Int64 {
        let (seconds, attoseconds) = self.components
        let limit: Int64 = seconds < 0 ? .min : .max
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: count)
        guard !isTooLong else { return limit }
        let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / count))
        return isBeyond ? limit : sum
    }
}
