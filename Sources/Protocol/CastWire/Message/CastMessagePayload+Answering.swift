import NIOCore

extension CastMessage.Payload {
    /// The payload with the id of the request that it answers.
    ///
    /// Text that is a JSON object without `requestId` (and without `request_id`) gets one as its first member;
    /// everything else stays as it is.
    public func answering(_ id: RequestID) -> CastMessage.Payload {
        guard case .text(var text) = self else { return self }
        var scanner = JSONScanner()
        let hasMembers: Bool
        let start: Int
        do {
            let bytes = text.readableBytesUInt8Span
            guard PayloadSummary(peeking: text).requestID == nil, (try? scanner.enterObject(bytes)) != nil else {
                return self
            }
            start = scanner.offset
            hasMembers = !scanner.take(UInt8(ascii: "}"), bytes)
            scanner.offset = 0
            guard (try? scanner.skipValue(bytes, depth: 0)) != nil, (try? scanner.finish(bytes)) != nil else {
                return self
            }
        }
        var answer = ByteBufferAllocator().buffer(capacity: text.readableBytes + 32)
        if var head = text.readSlice(length: start) { answer.writeBuffer(&head) }
        answer.writeStaticString(#""requestId":"#)
        JSONWriter.write(id.json, to: &answer)
        if hasMembers { answer.writeStaticString(",") }
        answer.writeBuffer(&text)
        return .text(answer)
    }
}
