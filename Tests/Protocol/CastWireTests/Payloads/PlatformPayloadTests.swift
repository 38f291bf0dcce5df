import CastWire
import Testing

/// The multizone, discovery and setup namespaces.
@Suite struct PlatformPayloadTests {
    private static let multizone = #"""
        {"type":"MULTIZONE_STATUS","requestId":1,"status":{"isMultichannel":false,"isVideoGroup":false,"devices":[{"deviceId":"1531dd63-0000-4000-8000-998e633db4da","name":"Kitchen","capabilities":196613,"volume":{"level":0.14,"muted":false},"x":1},null]}}
        """#

    @Test func multizoneStatusIsRead() throws {
        let status = try MultizonePayload(text: Self.multizone)
        #expect(status.kind == .status)
        #expect(status.requestID == 1)
        #expect(status.isMultichannel == false)
        #expect(status.devices.count == 1)
        let device = try #require(status.devices.first)
        #expect(device.deviceID == "1531dd63-0000-4000-8000-998e633db4da")
        #expect(device.name == "Kitchen")
        #expect(device.capabilities == 196_613)
        #expect(device.volume?.level == 0.14)
        #expect(status.text == Self.multizone)
    }

    @Test func multizoneNewsIsReadAndWritten() throws {
        let device = MultizoneDevice(
            deviceID: "d-1", name: "Kitchen", capabilities: 5, volume: ReceiverVolume(level: 0.5, muted: false))
        let added = MultizonePayload.deviceAdded(device)
        #expect(added.kind == .deviceAdded)
        #expect(added.device == device)
        #expect(added.deviceID == "d-1")
        #expect(added.requestID == .spontaneous)
        #expect(MultizonePayload.deviceUpdated(device).kind == .deviceUpdated)
        #expect(
            MultizonePayload.deviceRemoved(deviceID: "d-1").text
                == #"{"type":"DEVICE_REMOVED","requestId":0,"deviceId":"d-1"}"#)
        #expect(MultizonePayload.deviceRemoved(deviceID: "d-1").deviceID == "d-1")
        #expect(
            MultizonePayload.status(requestID: 4).text
                == #"{"type":"MULTIZONE_STATUS","requestId":4,"status":{"isMultichannel":false,"devices":[]}}"#)
        #expect(MultizonePayload.status(devices: [device]).devices == [device])
        #expect(MultizonePayload.getStatus(requestID: 4).kind == .getStatus)
        let groups = try MultizonePayload(text: #"{"type":"CASTING_GROUPS","requestId":2,"status":{"groups":[]}}"#)
        #expect(groups.kind == .castingGroups)
        #expect(groups.json.object("status")?.array("groups") == [])
    }

    @Test func deviceInfoIsReadAndWritten() throws {
        let info = DiscoveryPayload.deviceInfo(
            deviceID: "d", model: "m", friendlyName: "Büro", capabilities: 4101, requestID: 3)
        #expect(info.kind == .deviceInfo)
        #expect(
            info.text
                == #"{"type":"DEVICE_INFO","requestId":3,"deviceId":"d","deviceModel":"m","friendlyName":"Büro","deviceCapabilities":4101,"deviceIconUrl":"","controlNotifications":1,"receiverMetricsId":"","wifiProximityId":""}"#
        )
        #expect(info.deviceID == "d")
        #expect(info.deviceModel == "m")
        #expect(info.friendlyName == "Büro")
        #expect(info.deviceCapabilities == 4101)
        #expect(DiscoveryPayload.getDeviceInfo(requestID: 3).kind == .getDeviceInfo)
        // Some answer with the type of the question.
        let other = try DiscoveryPayload(text: #"{"type":"GET_DEVICE_INFO","requestId":3,"deviceId":"d"}"#)
        #expect(other.kind == .deviceInfo)
        #expect(try DiscoveryPayload(text: #"{"type":"OTHER","deviceId":"d"}"#).kind == nil)
    }

    @Test func setupAnswersUnderTheNameOfTheQuestion() throws {
        let question = try SetupPayload(text: #"{"type":"eureka_info","request_id":4,"data":{"params":["name"]}}"#)
        #expect(question.isEurekaInfo)
        #expect(question.requestID == 4)
        #expect(question.data?.array("params") == ["name"])
        let answer = SetupPayload.eurekaInfo(answering: question, data: ["name": "Living Room"])
        #expect(
            answer.text
                == #"{"type":"eureka_info","request_id":4,"response_code":200,"response_string":"OK","data":{"name":"Living Room"}}"#
        )
        #expect(answer.responseCode == 200)

        let other = try SetupPayload(text: #"{"type":"eureka_info","requestId":9}"#)
        #expect(other.requestID == 9)
        #expect(SetupPayload.eurekaInfo(answering: other, data: [:]).json["requestId"] == 9)
        #expect(SetupPayload.eurekaInfo(answering: other, data: [:]).json["request_id"] == nil)
        #expect(PayloadSummary(peeking: question.payload).requestID == question.requestID)

        var changed = question
        changed.requestID = 11
        #expect(changed.json["request_id"] == 11)
        #expect(changed.json["requestId"] == nil)
        #expect(SetupPayload.eurekaInfo(requestID: 1).text == #"{"type":"eureka_info","request_id":1}"#)
    }

    @Test func deviceDetailsHaveWhatSendersRead() throws {
        let details = SetupPayload.deviceDetails(
            name: "Büro", udn: "u-1", manufacturer: "Castway", productName: "Castway", revision: "1.0")
        #expect(details.string("name") == "Büro")
        #expect(details.object("device_info")?.string("ssdp_udn") == "u-1")
        #expect(details.object("build_info")?.string("cast_build_revision") == "1.0")
    }

    /// The namespaces' own names for the envelope hold also where only the protocol is known.
    @Test func envelopeIsReadThroughTheProtocol() throws {
        func envelope(_ message: some MessagePayload) -> (String?, RequestID?) { (message.type, message.requestID) }
        let setup = envelope(try SetupPayload(text: #"{"type":"eureka_info","request_id":4}"#))
        #expect(setup.0 == "eureka_info")
        #expect(setup.1 == 4)
        let answer = envelope(try AppAvailability(text: #"{"responseType":"GET_APP_AVAILABILITY","requestId":1}"#))
        #expect(answer.0 == "GET_APP_AVAILABILITY")
        #expect(answer.1 == 1)
    }
}
