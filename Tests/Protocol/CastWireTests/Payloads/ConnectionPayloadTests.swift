import CastWire
import Testing

@Suite struct ConnectionPayloadTests {
    /// Chromium 156's, as it was recorded.
    private static let chromium = #"""
        {"connType":2,"origin":{},"senderInfo":{"browserVersion":"156.0.8078.79","connectionType":1,"platform":6,"sdkType":2,"systemVersion":"X11; Linux x86_64","version":"156.0.8078.79","later":[1]},"type":"CONNECT","userAgent":"Mozilla/5.0","package":"x"}
        """#

    @Test func connectIsRead() throws {
        let connect = try ConnectionPayload(text: Self.chromium)
        #expect(connect.kind == .connect)
        #expect(connect.connectionType == .invisible)
        #expect(connect.userAgent == "Mozilla/5.0")
        #expect(connect.origin == [:])
        #expect(connect.requestID == nil)
        let info = try #require(connect.senderInfo)
        #expect(info.sdkType == 2)
        #expect(info.version == "156.0.8078.79")
        #expect(info.browserVersion == "156.0.8078.79")
        #expect(info.platform == 6)
        #expect(info.systemVersion == "X11; Linux x86_64")
        #expect(info.connectionType == 1)
        #expect(info.model == nil)
        #expect(info.json["later"] == [1])
        #expect(connect.text == Self.chromium)
        #expect(ConnectionPayload(connect.payload) == connect)
    }

    @Test func misspeltSdkTypeCounts() throws {
        #expect(try SenderInfo(text: #"{"skdType":2}"#).sdkType == 2)
        #expect(try SenderInfo(text: #"{"skdType":2,"sdkType":1}"#).sdkType == 1)
        #expect(try SenderInfo(text: "{}").sdkType == nil)
    }

    static let types: [(text: String, type: ConnectionPayload.ConnectionType?)] = [
        ("{}", .strong), (#"{"connType":null}"#, .strong), (#"{"connType":0}"#, .strong), (#"{"connType":1}"#, .weak),
        (#"{"connType":2.0}"#, .invisible), (#"{"connType":3}"#, nil), (#"{"connType":-1}"#, nil),
        (#"{"connType":1e99}"#, nil), (#"{"connType":0.5}"#, nil), (#"{"connType":"0"}"#, nil),
    ]

    @Test(arguments: types.indices) func connectionTypeOutOfRangeIsNone(_ index: Int) throws {
        #expect(try ConnectionPayload(text: Self.types[index].text).connectionType == Self.types[index].type)
    }

    static let versions: [(text: String, offered: [Int]?, negotiated: Int?)] = [
        (#"{"type":"CONNECT"}"#, nil, nil),
        (#"{"protocolVersion":0}"#, [0], 0),
        (#"{"protocolVersion":2}"#, [2], 2),
        (#"{"protocolVersion":4}"#, [4], nil),
        (#"{"protocolVersion":-1}"#, [-1], nil),
        (#"{"protocolVersion":"1"}"#, [], nil),
        (#"{"protocolVersionList":[0,1,2,3]}"#, [0, 1, 2, 3], 3),
        (#"{"protocolVersionList":[0,1,9]}"#, [0, 1, 9], 1),
        (#"{"protocolVersionList":[1,null,"3",{}]}"#, [1], 1),
        (#"{"protocolVersionList":[]}"#, [], nil),
        (#"{"protocolVersionList":[0],"protocolVersion":1}"#, [0, 1], 1),
    ]

    @Test(arguments: versions.indices) func highestCommonVersionIsTaken(_ index: Int) throws {
        let sample = Self.versions[index]
        let connect = try ConnectionPayload(text: sample.text)
        #expect(connect.offeredVersions == sample.offered)
        #expect(connect.negotiatedVersion == sample.negotiated)
    }

    static let closes: [(text: String, reason: ConnectionPayload.CloseReason)] = [
        (#"{"type":"CLOSE"}"#, .closedByPeer), (#"{"type":"CLOSE","reasonCode":0}"#, .unknown),
        (#"{"type":"CLOSE","reasonCode":5}"#, .closedBySelf), (#"{"type":"CLOSE","reasonCode":4}"#, .inactive),
        (#"{"type":"CLOSE","reasonCode":7}"#, .closedByPeer), (#"{"type":"CLOSE","reasonCode":-1}"#, .closedByPeer),
        (#"{"type":"CLOSE","reasonCode":"5"}"#, .closedByPeer),
        (#"{"type":"CLOSE","reasonCode":1e300}"#, .closedByPeer), (#"{"origin":{},"type":"CLOSE"}"#, .closedByPeer),
    ]

    @Test(arguments: closes.indices) func closeHasAReason(_ index: Int) throws {
        let close = try ConnectionPayload(text: Self.closes[index].text)
        #expect(close.kind == .close)
        #expect(close.reason == Self.closes[index].reason)
    }

    @Test func makersWriteWhatPeersExpect() {
        #expect(
            ConnectionPayload.connect(userAgent: "Castway/1.0").text
                == #"{"type":"CONNECT","connType":0,"origin":{},"userAgent":"Castway/1.0"}"#)
        #expect(
            ConnectionPayload.connect(type: .invisible, senderInfo: SenderInfo(json: ["sdkType": 2])).text
                == #"{"type":"CONNECT","connType":2,"origin":{},"senderInfo":{"sdkType":2}}"#)
        #expect(ConnectionPayload.connect(userAgent: "x").negotiatedVersion == nil)
        #expect(ConnectionPayload.connected(version: 3).text == #"{"type":"CONNECTED","protocolVersion":3}"#)
        #expect(ConnectionPayload.connected(version: 3).kind == .connected)
        #expect(ConnectionPayload.close().text == #"{"type":"CLOSE"}"#)
        #expect(ConnectionPayload.close(reason: .closedBySelf).text == #"{"type":"CLOSE","reasonCode":5}"#)
    }

    @Test func otherTypesAreNoneOfTheNamespace() throws {
        #expect(try ConnectionPayload(text: #"{"type":"connect"}"#).kind == nil)
        #expect(try ConnectionPayload(text: #"{"type":1}"#).kind == nil)
        #expect(ConnectionPayload(.text("[]")) == nil)
        #expect(ConnectionPayload(.text("{")) == nil)
    }
}
