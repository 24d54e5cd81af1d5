// Reads a text line by line on one thread, counts its lines, and collects or throws their faults.
#pragma once

#include <optional>
#include <utility>

#include "text/blocks.h"
#include "text/reading.h"

namespace carob {

struct Complaint {
    Fault fault;
    std::string detail;
};

struct LineCount {
    std::int64_t lines = 0;
    Malformed malformed;
    std::int64_t commented = 0;  // comments with as many fields as the lines of data
};

// Counts a comment that may be a line of data, for example a line whose query id begins with '#'.
inline bool may_be_data(const char* first, const char* end, std::int64_t fields) {
    return !too_long(first, end) && count_fields(first, end) == fields;
}

// `take(first, end, line)` receives every data line from its first non-blank byte and may return a Complaint.
template <class Take>
LineCount walk_lines(Source& source, const Reading& reading, std::int64_t fields, Take&& take) {
    LineCount count;
    std::int64_t data_lines = 0;
    Blocks blocks(source, Cut::lines, reading.block_bytes);
    Block block;
    while (blocks.next(block)) {
        for (const char* line = block.begin(); line != block.end();) {
            const char* end = line_end(line, block.end());
            ++count.lines;
            const char* first = nullptr;
            const LineKind kind = classify(line, end, reading.comments, first);
            std::optional<Complaint> complaint;
            if (kind == LineKind::data) {
                ++data_lines;
                if (too_long(line, end)) {
                    complaint = Complaint{Fault::too_long, {}};
                } else if (holds_nul(first, end)) {
                    complaint = Complaint{Fault::nul, {}};
                } else if (!reading.loose && begins_with_mark(first, end)) {
                    complaint = Complaint{Fault::mark, {}};
                } else {
                    complaint = take(first, end, count.lines);
                }
            } else if (kind == LineKind::comment) {
                count.commented += may_be_data(first, end, fields);
            } else if (kind == LineKind::blank && reading.blank_lines_are_errors) {
                complaint = Complaint{Fault::blank, {}};
            }
            if (complaint) {
                const std::int64_t data_line = data_lines + (kind == LineKind::data ? 0 : 1);
                LineFault fault{complaint->fault, count.lines, data_line, std::move(complaint->detail),
                                excerpt_of(line, end)};
                if (!reading.lenient || complaint->fault == Fault::too_long) throw fault;
                ++count.malformed.count;
                if (count.malformed.first.size() < MALFORMED_LIMIT) count.malformed.first.push_back(std::move(fault));
            }
            line = end + 1;
        }
    }
    return count;
}

// A line with more or fewer fields than `wanted`.
inline Complaint wrong_columns(const char* first, const char* end, std::int64_t wanted, bool loose) {
    const std::int64_t by_blanks = count_fields(first, end);
    if (loose || !has_tabs_and_blanks(first, end)) return {Fault::columns, std::to_string(by_blanks)};
    const std::string by_tabs = std::to_string(count_fields_at_tabs(first, end));
    if (by_blanks == wanted) return {Fault::mixed, by_tabs + " " + std::to_string(by_blanks)};
    return {Fault::columns, by_tabs};
}

inline Complaint wrong_number(NumberFault fault, std::string_view token) {
    const Fault kind = fault == NumberFault::nan    ? Fault::nan
                       : fault == NumberFault::wide ? Fault::wide
                                                    : Fault::number;
    return {kind, std::string(token.substr(0, EXCERPT_LIMIT))};
}

}  // namespace carob
