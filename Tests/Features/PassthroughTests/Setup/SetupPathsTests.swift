import CastWire
import Testing

@testable import Passthrough

@Suite struct SetupPathsTests {
    private var paths: SetupPaths {
        var paths = SetupPaths()
        paths.follow(iconPath: "/setup/icon.png")
        return paths
    }

    @Test(
        arguments: [
            "/setup/eureka_info", "/setup/eureka_info?params=name,device_info",
            "/setup/eureka_info?options=detail&nonce=1",
        ])
    func whatTheDeviceSaysOfItselfMayBeAsked(target: String) {
        #expect(self.paths.wanted(target) == .information(target))
        #expect(self.paths.wanted(target)?.target == target)
    }

    @Test(
        arguments: [
            "", "/", "*", "/setup", "/setup/", "/setup/reboot", "/setup/eureka_info/", "/setup/eureka_info/../reboot",
            "/setup/eureka_infox", "//setup/eureka_info", "/setup/Eureka_Info", "/setup%2Feureka_info",
            "/setup/set_eureka_info",
            "http://192.0.2.1/setup/eureka_info", "/setup/eureka_info?a=b c", "/setup/eureka_info?a\r\nHost: x",
            "/setup/eureka_info?" + String(repeating: "a", count: 600), "/apps/YouTube", "/ssdp/device-desc.xml",
            "/setup/icon.png?x=1", "/setup/icon2.png", "/setup/eureka_info#x",
        ])
    func nothingElseIs(target: String) {
        #expect(self.paths.wanted(target) == nil)
    }

    @Test func picturesAreThoseThatTheDeviceNames() throws {
        var paths = self.paths
        #expect(paths.wanted("/setup/icon.png") == .picture("/setup/icon.png"))
        paths.learn(
            try JSONReader.read(
                #"{"detail":{"icon_list":[{"url":"/setup/big.png"},{"url":"/setup/reboot"},{"url":"/a/../b.png"},{"url":"http://x/y.png"}]}}"#
            ))
        #expect(paths.wanted("/setup/big.png") == .picture("/setup/big.png"))
        #expect(paths.pictures == ["/setup/icon.png", "/setup/big.png"])
        // Another device may stand there now.
        paths.follow(iconPath: nil)
        #expect(paths.wanted("/setup/big.png") == nil)
    }

    @Test(arguments: [
        "/setup/reboot", "/apps/YouTube", "icon.png", "/a b.png", "/\u{e4}.png",
        "/" + String(repeating: "a", count: 200) + ".png",
    ])
    func aPathThatIsNoPictureIsNotTaken(path: String) {
        var paths = SetupPaths()
        paths.follow(iconPath: path)
        #expect(paths.pictures.isEmpty)
    }

    @Test func picturesAreBounded() throws {
        var paths = SetupPaths()
        let list = (0..<100).map { #"{"url":"/setup/\#($0).png"}"# }.joined(separator: ",")
        paths.learn(try JSONReader.read(#"{"icon_list":[\#(list)]}"#))
        #expect(paths.pictures.count == 16)
    }
}
