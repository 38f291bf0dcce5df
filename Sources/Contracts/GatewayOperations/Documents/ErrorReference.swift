import CastWire

/// The error codes of the Cast SDKs for people: Markdown made from the codes themselves.
package enum ErrorReference {
    /// The whole of `Docs/errors.md`.
    package static var document: String {
        let given = CastErrorCode.allCases.filter { $0 != .noError && $0.advice != nil }
        let rows = given.map { code -> String in
            let problem = ProblemStatus(code)
            let name = problem.map { "`\($0.code)`" } ?? "`\(ProblemStatus.failed.code)`, `cause`"
            let status = problem?.status ?? ProblemStatus.failed.status
            return
                "| \(code.rawValue) | `\(code.name)` | \(name) | \(status) | \(code.meaning) | \(code.advice ?? "") |"
        }
        let silent = CastErrorCode.allCases.filter { $0 != .noError && $0.advice == nil }
            .map { "| \($0.rawValue) | `\($0.name)` | \($0.meaning) |" }
        return """
            # Errors of devices and sessions

            What goes wrong with a device, a session or a request has the number that the Cast SDKs give it (`GCKErrorCode` of iOS and its like elsewhere). This page is made
            from the codes in the source by `make docs`. Every way in says the same:

            - a **problem** of an operation (HTTP, WebSocket, MQTT `rpc/`, the terminal, plugins) has the problem's `code` with one HTTP status, and the number as `cast_code`. A failure that no problem is called after is
              `request_failed`, and its word is `cause`;
            - the **events** of sessions and requests have the word as `code` and the number as `cast_code`.

            Beside them a problem has what the device said: `reason` (its own word, such as `INVALID_PARAMS`), `extra_info` (what a refused launch adds), `detailed_error` (the number of a media error), `item_id` (the
            item of the queue), `custom_data` (what the app adds, up to 4 KiB as JSON) and `running_app` (the app that runs instead).

            A caller that sends `Accept-Language` over HTTP, or in the request that opens a WebSocket, gets `localized_description` too: what the number means, in English (`en`), German (`de`), French (`fr`)
            or Spanish (`es`), and `Content-Language` names which. It is the first language of the header, by weight, that there is; else English. Codes, numbers and
            `detail` stay as they are. Over MQTT `bridges.mqtt.language`, or `language` of the principal, says the language. Events have no such sentence: they are recorded
            once for all readers, in English, and a reader that wants another language finds the text by `cast_code`.
            Commands say it before the detail when `--language TAG`, or else `LC_ALL`, `LC_MESSAGES` or `LANG`, names German, French or Spanish.

            ## At which stage, and what to do

            | stage | what comes | what to do |
            |---|---|---|
            | finding devices | no error: `devices.list` is empty | see [discovery](discovery.md); `castway doctor` |
            | connecting | `device_not_connected`, `timeout`, `device_authentication_failure` | the gateway tries again by itself; `device.updated` tells when it is back |
            | launching, joining | `application_not_found`, `not_allowed`, `launch_cancelled`, `join_session_mismatch`, `application_not_running` | nothing was started: correct the app or the account, and call again |
            | resuming | `session.did_fail_to_resume` with `resume_session_mismatch`, `resume_application_mismatch`, `resume_device_mismatch`, `application_not_running` | the session is over: start another |
            | loading | `media_load_failed` with `detailed_error`, `superseded` | the session lives on: load something else |
            | controlling | `invalid_request`, `invalid_media_player_state`, `no_media_session`, `unsupported_feature` | ask `media.status` what holds and what the app can |
            | messages | `unsupported_namespace`, `message_too_big`, `send_buffer_full` | see [bridges](bridges.md) |
            | any time | `outcome_unknown`, `session.did_suspend` | it may have been done: wait for `session.did_resume`, and ask how things stand |
            | the end | `session.did_end`, with a `code` only where it was no caller's wish | start another when it is still wanted |

            ## Codes

            | number | word | problem | status | meaning | what to do |
            |---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            ## Codes that Castway never gives

            They belong to guest mode and to remote display, parts of the SDKs that no device has any more, to the application of a phone, or to sockets that Castway opens by itself.

            | number | word | meaning |
            |---|---|---|
            \(silent.joined(separator: "\n"))

            """
    }
}

extension CastErrorCode {
    /// The meaning in a few words.
    var meaning: String {
        switch self {
        case .noError: "nothing went wrong"
        case .networkError: "the network failed"
        case .timeout: "no answer came in time"
        case .deviceAuthenticationFailure: "the device could not prove that it is one"
        case .invalidRequest: "the request makes no sense, here or to the device"
        case .cancelled: "the caller cancelled the request, or the gateway stops"
        case .replaced: "another request of the same kind took its place"
        case .notAllowed: "the device or the app refuses it to this user"
        case .duplicateRequest: "the same request is under way"
        case .invalidState: "the request does not fit the state of things"
        case .sendBufferFull: "more is waiting to be sent than may wait"
        case .messageTooBig: "the message has more than \(CastMessage.maximumPayloadLength) bytes"
        case .channelNotConnected: "the channel is not connected"
        case .deviceAuthorizationFailure: "the user may not use the device"
        case .deviceNotConnected: "there is no connection to the device"
        case .protocolVersionMismatch: "the two ends speak different versions"
        case .maxUsersConnected: "the device has as many senders as it takes"
        case .networkNotReachable: "there is no network"
        case .protocolError: "what came in breaks the protocol"
        case .alreadyInitialized: "it was set up already"
        case .applicationNotFound: "the device does not know the app"
        case .applicationNotRunning: "the app does not run"
        case .invalidApplicationSessionID: "the device knows no session of this id"
        case .tlsError: "TLS with the device failed"
        case .socketAlreadyConnected: "the socket is connected already"
        case .socketInvalidAddress: "the address makes no sense"
        case .socketInvalidParameter: "a parameter of the socket makes no sense"
        case .invalidResponse: "the answer makes no sense"
        case .failedSessionUpdate: "the session moved, but not with all of its devices"
        case .sessionNotActive: "the session is suspended or over"
        case .mediaLoadFailed: "the app cannot play the media"
        case .invalidMediaPlayerState: "the player cannot do this now"
        case .noMediaSession: "nothing is loaded"
        case .notCastSession: "the session is no Cast session"
        case .mediaError: "playback failed"
        case .authenticationErrorReceived: "the device answered the authentication with an error"
        case .malformedClientCertificate: "the device's certificate cannot be read"
        case .notX509Certificate: "what the device sent is no X.509 certificate"
        case .deviceCertificateNotTrusted: "the device's certificate was not signed by a trusted authority"
        case .sslCertificateNotTrusted: "the device did not sign the certificate of its TLS"
        case .malformedAuthenticationResponse: "the device's authentication answer cannot be read"
        case .deviceCapabilityNotSupported: "the certificate does not cover what the device says it can"
        case .crlInvalid: "the device's list of revoked certificates is invalid"
        case .crlCheckFailed: "the device's certificate was revoked"
        case .appDidEnterBackground: "the session is suspended, since no caller uses it for the time being"
        case .disconnected: "the connection to the device was closed"
        case .unsupportedFeature: "the device or the app cannot do this"
        case .unknown: "the device refuses in words that are not known"
        case .authenticationMessageUnreadable: "the message of the device authentication cannot be read"
        case .authenticationChallengeReceived: "the device sent a challenge, which is the sender's part"
        case .authenticationTimeout: "the device did not answer the authentication in time"
        case .launchCancelled: "the launch was cancelled at the device"
        case .joinApplicationMismatch: "another app runs than the one to be joined"
        case .joinSessionMismatch: "another session runs than the one to be joined"
        case .resumeApplicationMismatch: "another app runs than the one to be resumed"
        case .resumeSessionMismatch: "another session runs than the one to be resumed"
        case .resumeDeviceMismatch: "another device answers than the one to be resumed"
        case .guestModeListenFailed: "guest mode"
        case .remoteDisplayError, .remoteDisplayDeviceNotSupported, .remoteDisplayFeatureNotSupported,
            .remoteDisplayConfigurationRejected, .remoteDisplayOpenGLError, .remoteDisplayMetalError,
            .remoteDisplayAudioConversionError:
            "remote display"
        case .broadcastMessageEncryptionFailed, .broadcastKeyExchangeInvalidResponse,
            .broadcastKeyExchangeInvalidInput, .broadcastKeyExchangeEmptyResponse,
            .broadcastKeyExchangeRequestTimeout, .broadcastKeyExchangeFailedToFindDevice,
            .broadcastKeyExchangeFailedToConnect, .broadcastMessageDropped, .broadcastSocketError,
            .broadcastFailedToGenerateEncryptionKey:
            "guest mode"
        }
    }

    /// What a caller does about it; nil for a code that no device and no session ends with.
    var advice: String? {
        switch self {
        case .noError, .alreadyInitialized, .socketAlreadyConnected, .socketInvalidAddress, .socketInvalidParameter,
            .notCastSession, .failedSessionUpdate, .protocolVersionMismatch:
            nil
        case .networkError, .disconnected, .networkNotReachable:
            "wait until the device is back, and ask how things stand"
        case .timeout: "it may have been done: ask for the status, then try again"
        case .deviceNotConnected, .channelNotConnected: "nothing was sent: try again when the device is back"
        case .deviceAuthenticationFailure, .authenticationErrorReceived, .malformedClientCertificate,
            .notX509Certificate,
            .deviceCertificateNotTrusted, .sslCertificateNotTrusted, .malformedAuthenticationResponse,
            .deviceCapabilityNotSupported, .crlInvalid, .crlCheckFailed, .authenticationMessageUnreadable,
            .authenticationChallengeReceived, .authenticationTimeout:
            "see [device authentication](device-authentication.md)"
        case .invalidRequest: "correct the input; `reason` is the device's word"
        case .cancelled, .replaced: "nothing, unless it is still wanted"
        case .notAllowed, .deviceAuthorizationFailure: "change the account or the credentials, or ask at the device"
        case .duplicateRequest: "wait for the first"
        case .invalidState, .invalidMediaPlayerState: "ask for the status, and wait until it fits"
        case .sendBufferFull: "try again later; for apps, `channel.writable` tells when"
        case .messageTooBig: "send less, or an address where it can be fetched"
        case .maxUsersConnected: "try again when another sender has gone"
        case .protocolError, .tlsError, .invalidResponse: "tell of it: the log has what came"
        case .applicationNotFound: "correct the app id; an unpublished app runs on registered devices alone"
        case .applicationNotRunning, .invalidApplicationSessionID, .sessionNotActive: "start a session"
        case .mediaLoadFailed, .mediaError: "look at `detailed_error`, the type and the address of the media"
        case .noMediaSession: "load something"
        case .appDidEnterBackground: "call again, or `session.resume` when an operation suspended it"
        case .unsupportedFeature: "leave it out; `device.get` and `media.status` say what is possible"
        case .unknown: "look at `reason`"
        case .launchCancelled: "try again when the user wants it"
        case .joinApplicationMismatch, .joinSessionMismatch: "start a session, or join what runs"
        case .resumeApplicationMismatch, .resumeSessionMismatch, .resumeDeviceMismatch: "start another session"
        case .broadcastMessageEncryptionFailed, .broadcastKeyExchangeInvalidResponse,
            .broadcastKeyExchangeInvalidInput, .broadcastKeyExchangeEmptyResponse,
            .broadcastKeyExchangeRequestTimeout, .broadcastKeyExchangeFailedToFindDevice,
            .broadcastKeyExchangeFailedToConnect, .broadcastMessageDropped, .broadcastSocketError,
            .broadcastFailedToGenerateEncryptionKey, .guestModeListenFailed, .remoteDisplayError,
            .remoteDisplayDeviceNotSupported, .remoteDisplayFeatureNotSupported, .remoteDisplayConfigurationRejected,
            .remoteDisplayOpenGLError, .remoteDisplayMetalError, .remoteDisplayAudioConversionError:
            nil
        }
    }
}
