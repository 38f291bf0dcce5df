/// A place in a configuration file.
///
/// Lines and columns start at 1; columns count Unicode code points, as editors do. A line of 0 means the file as a whole.
package struct ConfigLocation: Sendable, Hashable {
    /// The name of the file as it is shown to the operator.
    package var file: String
    /// The first line, from 1; 0 when the whole file is meant.
    package var line: Int
    /// The first column, from 1; 0 when the whole file is meant.
    package var column: Int
    /// The line on which the range ends.
    package var endLine: Int
    /// The column just after the last character of the range.
    package var endColumn: Int
    /// For a value that `for_each` made, the item that it was made for; nil for every other.
    package var item: Item?

    /// Makes a location; without an end it covers one character.
    package init(file: String, line: Int, column: Int, endLine: Int? = nil, endColumn: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
        self.endLine = endLine ?? line
        self.endColumn = endColumn ?? (column + 1)
    }

    /// The location that means a file as a whole, for problems without a line.
    package static func wholeFile(_ file: String) -> ConfigLocation {
        ConfigLocation(file: file, line: 0, column: 0, endLine: 0, endColumn: 0)
    }
}

extension ConfigLocation {
    /// An item of `for_each`, in the file of the location that has it.
    package struct Item: Sendable, Hashable {
        /// Its number among the items, from 1.
        package let index: Int
        /// The line on which it begins, from 1.
        package let line: Int
        /// The first column, from 1.
        package let column: Int
        private let endLine: Int
        private let endColumn: Int

        init(index: Int, at location: ConfigLocation) {
            self.index = index
            (self.line, self.column) = (location.line, location.column)
            (self.endLine, self.endColumn) = (location.endLine, location.endColumn)
        }

        func location(in file: String) -> ConfigLocation {
            ConfigLocation(
                file: file, line: self.line, column: self.column, endLine: self.endLine, endColumn: self.endColumn)
        }
    }
}

extension ConfigLocation: CustomStringConvertible {
    /// `file:line:column`, or only the file when the whole file is meant.
    package var description: String {
        self.line == 0 ? self.file : "\(self.file):\(self.line):\(self.column)"
    }
}

extension ConfigLocation: Comparable {
    /// Orders by file, line and column; the order in which problems are printed.
    package static func < (left: ConfigLocation, right: ConfigLocation) -> Bool {
        (left.file, left.line, left.column, left.endLine, left.endColumn)
            < (right.file, right.line, right.column, right.endLine, right.endColumn)
    }
}
