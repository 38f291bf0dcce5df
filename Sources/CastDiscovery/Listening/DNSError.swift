/// A message that is none: cut off, or with names that go nowhere.
struct DNSError: Error {}
