import Glibc

/// The parts of a file that the loader of libraries takes for granted: it would end the process on one that was cut
/// short.
///
/// Reads the header and the program headers of a 64-bit ELF file (elf(5)).
struct ELFOutline {
    /// The reason a file is no library that this machine can load; nil when it may be one.
    static func fault(of path: String) -> String? {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return "it is no file" }
        let size = UInt64(status.st_size)
        guard let header: Elf64_Ehdr = Self.read(file, at: 0) else { return "it is cut short" }
        guard header.e_ident.0 == 0x7F, header.e_ident.1 == UInt8(ascii: "E"), header.e_ident.2 == UInt8(ascii: "L"),
            header.e_ident.3 == UInt8(ascii: "F")
        else { return "it is no library: invalid ELF header" }
        guard header.e_ident.4 == UInt8(ELFCLASS64), header.e_type == UInt16(ET_DYN),
            let own: Elf64_Ehdr = Self.ownHeader, header.e_machine == own.e_machine
        else { return "it is no library for this machine" }
        guard Int(header.e_phentsize) == MemoryLayout<Elf64_Phdr>.size, header.e_phnum > 0 else {
            return "it is no library: invalid ELF header"
        }
        for index in 0..<UInt64(header.e_phnum) {
            let place = header.e_phoff.addingReportingOverflow(index * UInt64(header.e_phentsize))
            guard !place.overflow, let part: Elf64_Phdr = Self.read(file, at: place.partialValue) else {
                return "it is cut short"
            }
            let end = part.p_offset.addingReportingOverflow(part.p_filesz)
            guard !end.overflow, end.partialValue <= size else { return "it is cut short" }
        }
        return nil
    }

    private static var ownHeader: Elf64_Ehdr? {
        let file = Glibc.open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return Self.read(file, at: 0)
    }

    /// Reads a structure of plain numbers.
    private static func read<Value: BitwiseCopyable>(_ file: Int32, at offset: UInt64) -> Value? {
        guard let offset = Int(exactly: offset) else { return nil }
        return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let size = MemoryLayout<Value>.size
            return pread(file, base, size, offset) == size ? base.pointee : nil
        }
    }
}
