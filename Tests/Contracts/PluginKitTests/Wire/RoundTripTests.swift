import CastWire
import NIOCore
import PluginKit
import Testing

@Suite struct RoundTripTests {
    @Test(arguments: ExampleLines.gateway)
    func whatTheGatewaySaysStaysTheSame(_ text: String) throws {
        let line = try GatewayLine(reading: ByteBuffer(string: text))
        var written = ByteBuffer()
        line.write(to: &written)
        #expect(String(buffer: written) == text + "\n")
    }

    @Test(arguments: ExampleLines.plugin)
    func whatAPluginSaysStaysTheSame(_ text: String) throws {
        let line = try PluginLine(reading: ByteBuffer(string: text))
        var written = ByteBuffer()
        line.write(to: &written)
        #expect(String(buffer: written) == text + "\n")
    }
}
