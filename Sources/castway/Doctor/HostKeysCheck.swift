import GatewayApp
import Glibc

/// Whether the event devices of `keys` are there and may be read, by the user that asks.
struct HostKeysCheck: DoctorCheck {
    let keys: [HostKeysConfiguration]
    /// Those of the machine.
    var devices = InputDevices()

    let name = "keys"

    func findings() async -> [DoctorFinding] {
        self.keys.flatMap { keys -> [DoctorFinding] in
            do throws(InputDevices.Fault) {
                return try self.devices.paths(of: keys).map { Self.finding($0, keys.device, self.devices) }
            } catch {
                return [Self.finding("keys for \(keys.device)", error)]
            }
        }
    }

    private static func finding(_ path: String, _ device: String, _ devices: InputDevices) -> DoctorFinding {
        do throws(InputDevices.Fault) {
            close(try devices.open(path))
            return .ok(path, "can be read, for \(device)")
        } catch {
            return self.finding(path, error)
        }
    }

    private static func finding(_ subject: String, _ fault: InputDevices.Fault) -> DoctorFinding {
        switch fault {
        case .missing:
            .warn(
                subject, "\(fault)",
                advice: "it is looked for until it is there; /proc/bus/input/devices lists those that are")
        case .denied:
            .fail(
                subject, "\(fault)",
                advice:
                    "put the user that runs castway into the group that owns it, mostly 'input'; for systemd see Docs/systemd.md"
            )
        case .unfit: .fail(subject, "\(fault)", advice: "name one of /dev/input/event* in keys[].input")
        }
    }
}
