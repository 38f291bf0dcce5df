import GatewayCore
import Testing

/// Whose devices some are, and unique ids that say so.
@Suite struct DeviceCategoryTests {
    @Test func namesOfCategories() {
        #expect(DeviceCategory(plugin: "annex").rawValue == "plugin:annex")
        #expect(DeviceCategory(plugin: "annex").plugin == "annex" && DeviceCategory.cast.plugin == nil)
        for name in ["cast", "virtual", "plugin:annex"] { #expect(DeviceCategory(rawValue: name).isValid, "\(name)") }
        for name in ["", "plugin", "plugin:", "plugin:a:b", "Cast", "hall"] {
            #expect(!DeviceCategory(rawValue: name).isValid, "\(name)")
        }
    }

    @Test(arguments: [
        ("cast:static:tv", "cast", "static:tv"), ("cast:1234", "cast", "1234"),
        ("plugin:annex:static:tv", "plugin:annex", "static:tv"), ("plugin:annex:", "plugin:annex", ""),
    ]) func uniqueIDsAreDivided(uniqueID: String, category: String, id: String) throws {
        let parts = try #require(DeviceCategory.divide(uniqueID: uniqueID))
        #expect(parts.category.rawValue == category && parts.id == id)
    }

    @Test(arguments: ["", "cast", "static:tv", "plugin:annex", "plugin::x", ":", "1234"])
    func otherTextsAreNoUniqueIDs(text: String) {
        #expect(DeviceCategory.divide(uniqueID: text) == nil)
    }
}
