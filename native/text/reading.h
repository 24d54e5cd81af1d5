// Declares the reading rules and the report of a line that breaks a rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/numbers.h"
#include "text/text.h"

namespace carob {

enum class Comments { any, first_byte, none };

struct Reading {
    Numbers numbers = Numbers::strict;
    Comments comments = Comments::any;
    bool blank_lines_are_errors = false;
    bool lenient = false;
    // If set, lines are split at any blanks and everything after a run's sixth field is ignored, as in trec_eval.
    // Otherwise, tabs separate the fields of a line that contains tabs, and all lines of a run must have the same
    // number of fields.
    bool loose = false;
    std::size_t block_bytes = 0;  // bytes read at once; 0 means the default size
};

enum class Fault { columns, uneven, joined, mark, mixed, number, nan, wide, rank, blank, nul, too_long, utf16, compressed };

// `line` counts all lines from 1; `data_line` counts only lines that are neither blank nor a comment.
struct LineFault {
    Fault fault;
    std::int64_t line;
    std::int64_t data_line;
    std::string detail;
    std::string excerpt;
};

std::string_view fault_name(Fault fault);
std::string explain(const LineFault& fault);

inline constexpr std::size_t EXCERPT_LIMIT = 80;
inline constexpr std::size_t MALFORMED_LIMIT = 20;

// A line of judgments or of a run takes about a hundred bytes. A longer line than this means a text without lines, for
// example a device or a file of another kind, which must not fill the memory; even lenient rules stop there.
inline constexpr std::size_t LONGEST_LINE = std::size_t{1} << 20;

inline bool too_long(const char* line, const char* end) { return static_cast<std::size_t>(end - line) > LONGEST_LINE; }

// C's functions end text at a NUL, so different tools treat it differently.
inline bool holds_nul(const char* from, const char* to) { return std::memchr(from, 0, static_cast<std::size_t>(to - from)) != nullptr; }

// A byte order mark at the start of a line, left where another file was appended. The reader skips the mark at the
// start of the text.
inline bool begins_with_mark(const char* p, const char* end) {
    return end - p > 2 && *p == '\xEF' && p[1] == '\xBB' && p[2] == '\xBF';
}

inline std::string excerpt_of(const char* line, const char* end) {
    while (end != line && is_blank(end[-1])) --end;
    const auto size = static_cast<std::size_t>(end - line);
    return std::string(line, size < EXCERPT_LIMIT ? size : EXCERPT_LIMIT);
}

enum class LineKind { data, blank, comment };

// Classifies the line [line, end) and sets `first` to its first non-blank byte.
inline LineKind classify(const char* line, const char* end, Comments comments, const char*& first) {
    first = skip_blanks(line, end);
    if (first == end) return LineKind::blank;
    if (*first == '#') {
        if (comments == Comments::any) return LineKind::comment;
        if (comments == Comments::first_byte && first == line) return LineKind::comment;
    }
    return LineKind::data;
}

struct Malformed {
    std::int64_t count = 0;
    std::vector<LineFault> first;
};

}  // namespace carob
