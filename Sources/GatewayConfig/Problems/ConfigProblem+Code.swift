extension ConfigProblem {
    /// The kinds of problem. Raw values are printed, documented and never change their meaning.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A key that does not exist where it stands.
        case unknownKey = "CW1001"
        /// A file that cannot be read.
        case unreadableFile = "CW1002"
        /// A file over the size limit.
        case fileTooLarge = "CW1003"
        /// Bytes that are not UTF-8 text.
        case invalidEncoding = "CW1004"
        /// Text that is not YAML.
        case syntax = "CW1005"
        /// More nodes than allowed, aliases counted as often as they are used.
        case tooManyNodes = "CW1006"
        /// Deeper nesting than allowed.
        case tooDeep = "CW1007"
        /// A second YAML document in a file.
        case severalDocuments = "CW1008"
        /// A YAML tag.
        case tag = "CW1009"
        /// The merge key `<<`.
        case mergeKey = "CW1010"
        /// A key that stands twice in one mapping.
        case duplicateKey = "CW1011"
        /// An alias without an anchor before it.
        case undefinedAlias = "CW1012"
        /// A key that is not a text.
        case keyNotText = "CW1013"
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
        /// A value of another type than the key wants.
        case wrongType = "CW1050"
        /// A required key that is missing.
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
        /// A key without a value.
        case noValue = "CW1058"
        /// Two entries of a list with one name.
        case duplicateName = "CW1059"
        /// A file for a newer Castway.
        case newerVersion = "CW1060"
        /// A name that is defined nowhere.
        case undefinedReference = "CW1070"
        /// Two listeners on one address.
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
    }
}
