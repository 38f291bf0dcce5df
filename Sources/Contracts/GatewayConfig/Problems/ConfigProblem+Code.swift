extension ConfigProblem {
    /// The kinds of problem. Raw values are printed, documented and never change their meaning.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A key that does not exist where it stands.
        case unknownKey = "CW1001"
        case unreadableFile = "CW1002"
        case fileTooLarge = "CW1003"
        case invalidEncoding = "CW1004"
        case syntax = "CW1005"
        /// More nodes than allowed, aliases counted as often as they are used.
        case tooManyNodes = "CW1006"
        case tooDeep = "CW1007"
        /// A second YAML document in a file.
        case severalDocuments = "CW1008"
        case tag = "CW1009"
        /// A merge key `<<` with something else than mappings.
        case mergeKey = "CW1010"
        /// A key that stands twice in one mapping.
        case duplicateKey = "CW1011"
        /// An alias without an anchor before it.
        case undefinedAlias = "CW1012"
        case keyNotText = "CW1013"
        /// A `for_each`, or a placeholder of one, from which nothing can be made.
        case badTemplate = "CW1014"
        /// An environment variable that is not set.
        case missingVariable = "CW1020"
        /// A `${` that does not begin a reference.
        case malformedReference = "CW1021"
        /// An include pattern that leaves the folder of its file.
        case includeOutside = "CW1030"
        /// Includes nested too deep, or too many included files.
        case includeTooDeep = "CW1031"
        /// An include pattern that matches no file.
        case includeMatchesNothing = "CW1032"
        /// A file that is included twice, or includes itself.
        case includeRepeated = "CW1033"
        /// A key that is set in two files.
        case setInTwoFiles = "CW1034"
        /// A secret given both as text and as a file.
        case secretTwice = "CW1040"
        /// A file of a secret that cannot be read.
        case secretUnreadable = "CW1041"
        /// A file of a secret that every user of the machine can read.
        case secretWorldReadable = "CW1042"
        /// A file that a key names and that does not hold what it has to.
        case unusableFile = "CW1043"
        /// A listener that other machines reach without TLS.
        case plainListener = "CW1044"
        /// A token that can be guessed.
        case weakToken = "CW1045"
        /// A token whose time is over.
        case expiredToken = "CW1046"
        /// A file that the log cannot be written to.
        case unusableLogFile = "CW1047"
        /// A value of another type than the key wants.
        case wrongType = "CW1050"
        case missingKey = "CW1051"
        /// A number, duration, size or length outside its range.
        case outOfRange = "CW1052"
        /// A word that is none of those allowed.
        case notAllowed = "CW1053"
        /// `yes`, `no`, `on` or `off` where `true` or `false` belongs.
        case booleanWord = "CW1054"
        /// A whole number that starts with 0.
        case leadingZero = "CW1055"
        /// A duration or size without its unit.
        case missingUnit = "CW1056"
        /// A text that does not have the form its key wants.
        case malformedValue = "CW1057"
        case noValue = "CW1058"
        /// Two entries of a list with one name.
        case duplicateName = "CW1059"
        case newerVersion = "CW1060"
        /// A regular expression that cannot be used.
        case badExpression = "CW1061"
        case undefinedReference = "CW1070"
        case addressInUse = "CW1071"
        /// A namespace that belongs to the Cast protocol itself.
        case reservedNamespace = "CW1072"
        /// Values that are valid alone and wrong together.
        case inconsistent = "CW1073"
        /// A condition that says nothing.
        case emptyCondition = "CW1074"
        /// Virtual devices that relay to each other in a circle.
        case relayLoop = "CW1075"
        /// An app that can never run where it is listed, or a detail of one that nothing reads there.
        case neverRuns = "CW1076"
        /// A word that selects something, is not known, and looks like a slip in one that is.
        case suspectWord = "CW1077"
        /// A list in which something has to stand, since none of it would mean nothing or everything.
        case emptyList = "CW1078"
        /// A handler that is off though it has something to do.
        case handlerOff = "CW1090"
        /// A grant of more than a plugin's manifest asks for.
        case notRequested = "CW1080"
        /// Two handlers of one namespace.
        case claimConflict = "CW1081"
        /// A manifest that does not fit its folder, its instance or this gateway.
        case unusableManifest = "CW1082"
        /// A plugin's schema for its configuration that cannot be used.
        case invalidSchema = "CW1083"
        /// A value that a plugin that runs cannot make sense of.
        case refusedByPlugin = "CW1084"
        /// A variable for a plugin that the dynamic loader acts on.
        case loaderVariable = "CW1085"
        /// A plugin that others than root and the gateway's user could change.
        case openToOthers = "CW1086"
        /// A link in a plugin's folder leads out of it, which a strict sandbox does not let the plugin follow.
        case linkLeadsOut = "CW1087"
    }
}

extension ConfigProblem.Code {
    /// One paragraph for the reference and for `castway config explain`: what the code means and what to do.
    package var explanation: String {
        switch self {
        case .unknownKey:
            "The key does not exist at this place. Check the spelling and the indentation; the message names the keys "
                + "that are allowed here, or the place where the key belongs. Keys that start with `x-` are always "
                + "allowed and ignored, for notes and for anchors."
        case .unreadableFile:
            "A configuration file does not exist, is not a regular file, or may not be read by the user that Castway "
                + "runs as."
        case .fileTooLarge:
            "A configuration file may have 1 MiB. Split it with `include`."
        case .invalidEncoding:
            "Configuration files are UTF-8 text without control characters. Save the file as UTF-8 in the editor."
        case .syntax:
            "The text is not YAML. Common causes are tabs used for indentation, a missing space after a colon, an open "
                + "quote or bracket, and `${…}` inside `[ ]` or `{ }` without quotes around it."
        case .tooManyNodes:
            "A configuration may have 50,000 values in all files together; an alias counts as all that it stands for."
        case .tooDeep:
            "Lists and mappings may be nested 64 levels deep."
        case .severalDocuments:
            "A configuration file holds one YAML document. Remove the `---` that starts a second one, or move that part "
                + "to a file of its own and `include` it."
        case .tag:
            "YAML tags such as `!secret` or `!!str` are not supported. Use `include`, `${VARIABLE}` and the `_file` form "
                + "of secrets."
        case .mergeKey:
            "The value of the merge key `<<` is a mapping, or a list of mappings, mostly an alias: `<<: *rooms`. Keys of the "
                + "mapping itself win over those that are merged, earlier mappings of the list over later ones."
        case .duplicateKey:
            "A mapping has the same key twice, so one of the two would be lost. Remove one; both places are named."
        case .undefinedAlias:
            "An alias (`*name`) must come after its anchor (`&name`), in the same file and outside the anchored value."
        case .keyNotText:
            "A key is a list, a mapping or empty. Keys are texts."
        case .badTemplate:
            "`for_each` makes one element for each item of a list, or of a range: `{range: 1-20}`. In the texts of the element "
                + "`{item}` is the item, `{name}` the value of its key `name`, `{index}` its number, and `{item+8100}` a sum. "
                + "Every value that items have is used, and none is a list or a mapping. Plain braces are written `{{` and `}}`."
        case .missingVariable:
            "An environment variable is not set. Set it, or give a default: `${NAME:-default}`. Write `$${` for a plain "
                + "`${`."
        case .malformedReference:
            "A reference has the form `${NAME}`, `${NAME:-default}` or `${NAME:?text}`; names have letters, digits and "
                + "`_`. Write `$${` for a plain `${`."
        case .includeOutside:
            "Included files lie in the folder of the file that includes them, or below it: no absolute path, no `..`, no link that "
                + "leads elsewhere."
        case .includeTooDeep:
            "Included files may include further files, 4 levels deep and 256 files in all."
        case .includeMatchesNothing:
            "No file matches an include pattern. With wildcards this is a warning, since an empty folder is legal; a "
                + "plain file name must exist."
        case .includeRepeated:
            "A file is included a second time, or includes itself. Every file is read once."
        case .setInTwoFiles:
            "Two files set the same key, and neither wins silently. Mappings of several files are merged and lists of "
                + "named things are appended, but every single value has one place."
        case .secretTwice:
            "A secret is given as text and as a file. Keep one, best the file."
        case .secretUnreadable:
            "The file of a secret does not exist, is empty, is no UTF-8 text, is larger than 64 KiB, or may not be read "
                + "by the user that Castway runs as. The path is relative to the folder of the file that holds it. Under "
                + "systemd, LoadCredential= hands a file of root's over, and ${CREDENTIALS_DIRECTORY} names the folder."
        case .secretWorldReadable:
            "Every user of the machine can read the file of a secret. Use `chmod o-r`, or 0600."
        case .unusableFile:
            "A certificate or key that the configuration names does not exist, cannot be read by the user that Castway runs "
                + "as, or does not hold what it has to: a PEM file with a CA certificate, and its RSA key without a "
                + "passphrase. The message says which and why."
        case .plainListener:
            "The API would be served to other machines without TLS, so that tokens could be read on the way. Add `tls`, listen on a "
                + "loopback address, or say `allow_plaintext: true` where something else encrypts."
        case .weakToken:
            "A token of `api.tokens` is short enough to be guessed, or consists of the same few characters. `openssl rand -hex 32` makes a good one."
        case .expiredToken:
            "The time of a token is over, so callers who show it are refused. Remove it, or give it another time."
        case .unusableLogFile:
            "The log cannot be written to a file that `log.sinks` names, since its folder does not exist or may not be written to by the "
                + "user that Castway runs as, or since something other than a file has its name. Castway makes the file, and none of the "
                + "folders above it."
        case .badExpression:
            "A regular expression is not well-formed, or has what Castway does not know: back references, conditions on what comes "
                + "before or follows, and more than 500 steps when repetitions are written out. What it knows is tried in a time that "
                + "grows with the message alone, whatever the expression is."
        case .wrongType:
            "The value has another type than the key wants, a list instead of a text for example. Numbers and `true` or "
                + "`false` must stand without quotes."
        case .missingKey:
            "A required key is missing."
        case .outOfRange:
            "A number, duration, size or length is outside the range that the message names."
        case .notAllowed:
            "The value is none of the words that the message lists."
        case .booleanWord:
            "Only `true` and `false` are truth values; `yes`, `no`, `on` and `off` are ordinary texts in YAML 1.2."
        case .leadingZero:
            "A number starts with 0, which older YAML reads as octal. Remove the zero, or write `0o17` for octal."
        case .missingUnit:
            "Durations and sizes carry a unit: `250ms`, `5s`, `2m`, `1h`; `512B`, `64KiB`, `1MiB`, `1GiB`."
        case .malformedValue:
            "The text does not have the form that its key wants: an address, a range of addresses, a namespace, an app "
                + "id, a UUID, or a name of certain characters. The message says which."
        case .noValue:
            "The key has no value, often because everything below it is commented out. Remove the key too, or write `[]` "
                + "for an empty list and `{}` for an empty mapping."
        case .duplicateName:
            "Two entries of a list have the same name, possibly in two files. Names are unique within their list."
        case .newerVersion:
            "The `version` of the file is newer than this Castway understands. Use the Castway that the file was written "
                + "for."
        case .undefinedReference:
            "A value names something that is defined nowhere, a target device for example."
        case .addressInUse:
            "Two listeners would use the same address and port. Give each its own; port 0 lets the system choose."
        case .reservedNamespace:
            "Namespaces that start with `urn:x-cast:com.google.cast.tp.` belong to the Cast transport itself and cannot "
                + "be used for an app or a channel."
        case .inconsistent:
            "Each of the values is valid, but not together: a time-out that does not exceed its interval, a certificate "
                + "without its key."
        case .emptyCondition:
            "A rule has no condition and would match every message. Say what it is about; `routing.default` decides "
                + "what happens to messages that no handler owns."
        case .relayLoop:
            "A virtual device relays to its own address, or to that of another that leads back to it. Every message would "
                + "go round for ever. The message names the way; give one of the devices another target."
        case .neverRuns:
            "A virtual device lists an app that can never run on its target, or gives details of an app that only the "
                + "built-in receiver reads. Apps for mirroring show a stream, which the gateway carries to real devices unless "
                + "`mirroring.udp` is `off`; elsewhere they are reported as unavailable."
        case .suspectWord:
            "A rule, a filter or a bridge selects by a word that Castway does not know, and that differs in a letter or two from one "
                + "that it knows: the type of a message, a namespace, an app, an event, a component of the log, a device. With a slip "
                + "in it a rule that forbids something forbids nothing. Words that are far from all known ones are custom ones and "
                + "pass. A type of your own that happens to look like one of Cast passes too when the rule names your `namespace`, and "
                + "so do the apps and namespaces that `virtual_devices` and `channels` list."
        case .emptyList:
            "A list that says who or what is meant has nothing in it. It could be taken for all or for none, so it is refused: leave "
                + "the key out, or name something."
        case .handlerOff:
            "`handlers` leaves out a handler that has something to do, or turns off the rules that `routing.rules` has. What is "
                + "not in the list is off: it neither changes nor answers messages, which go on without it."
        case .notRequested:
            "`gateway.yaml` grants a plugin something that its `plugin.yaml` does not ask for, so it would never be used. "
                + "Grant what the manifest's `claims` and `needs` ask for, or less."
        case .claimConflict:
            "Two handlers would own the same namespace. Grant it to one, or tell them apart by `types`, `directions` or "
                + "`devices`."
        case .unusableManifest:
            "A `plugin.yaml` does not belong to its folder, has no program for the way the plugin is to be run, or speaks "
                + "another version of the plugin protocol."
        case .invalidSchema:
            "The file that a manifest names as `config_schema` uses what Castway does not know of JSON Schema, or is none."
        case .loaderVariable:
            "A plugin's `env` sets what the dynamic loader or the C library acts on before the program does: `LD_*`, "
                + "`MALLOC_*`, `GLIBC_TUNABLES`, `GCONV_PATH`, `LOCPATH`, `NLSPATH`."
        case .openToOthers:
            "A file or folder of a plugin, its program or the folder that it lies in belongs to neither root nor the user of "
                + "the gateway, or can be written by others. Take the right away: `chmod -R go-w`, `chown -R`."
        case .linkLeadsOut:
            "A link in a plugin's folder leads out of it, and the plugin runs in the sandbox `strict`, in which it reads its own "
                + "folder only. Put the file itself into the folder, or name it in the instance's `readable`."
        case .refusedByPlugin:
            "A plugin was told its new configuration, and cannot make sense of it. The message is the plugin's own; the old "
                + "configuration stays in force."
        }
    }
}
