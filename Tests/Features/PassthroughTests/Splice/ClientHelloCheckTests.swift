import NIOCore
import Testing

@testable import Passthrough

@Suite struct ClientHelloCheckTests {
    @Test func theFirstSixBytesTell() {
        let hello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01]
        for length in 0..<6 { #expect(ClientHelloCheck.judge(ByteBuffer(bytes: hello.prefix(length))) == .unknown) }
        for length in 6...hello.count {
            #expect(ClientHelloCheck.judge(ByteBuffer(bytes: hello.prefix(length))) == .isHello)
        }
    }

    @Test(
        arguments: [
            Array("GET / HTTP/1.1".utf8), Array("SSH-2.0-x".utf8), [0x00], [0x16, 0x02],
            [0x16, 0x03, 0x01, 0x00, 0x03],
            [0x16, 0x03, 0x01, 0x40, 0x01], [0x16, 0x03, 0x01, 0x02, 0x00, 0x02], [0x15, 0x03, 0x03, 0x00, 0x02, 0x01],
            // SSL 2, in which no sender begins.
            [0x80, 0x2E, 0x01, 0x03, 0x01],
        ] as [[UInt8]])
    func anythingElseIsRefusedAtItsFirstWrongByte(bytes: [UInt8]) {
        #expect(ClientHelloCheck.judge(ByteBuffer(bytes: bytes)) == .isNone)
    }
}
