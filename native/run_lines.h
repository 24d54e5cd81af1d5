// This file takes a block of a run apart: query, document, score and, where asked, rank of each line.
#pragma once

#include <optional>

#include "blocks.h"
#include "hash.h"
#include "lines.h"

namespace karat {

// One line of a run that holds data.
struct RunLine {
    std::string_view document;
    double score;
    std::int64_t rank;  // 0 unless asked for
    std::int64_t line;  // in the block, from 1
};

struct BlockCount {
    std::int64_t block;
    std::int64_t lines;
    std::int64_t data_lines;
};

// A LineFault whose lines are still counted within its block.
struct BlockFault {
    std::int64_t block;
    LineFault fault;
};

inline constexpr int RUN_FIELDS = 6;

// Finds the first five fields, and the start of the sixth, of an ordinary line by the separators in its first 64 bytes:
// one blank between fields, none before the first. False sends the line to split().
inline bool split_quickly(const char* line, const char* text_end, std::string_view* fields, const char*& end) {
    const Separators found = separators(line);
    const std::uint64_t stop = found.controls & (~found.controls + 1);  // the lowest control, or 0
    const std::uint64_t before = stop - 1;                              // every bit below it, or all
    std::uint64_t blanks = found.blanks & before;
    if (((blanks & (blanks << 1)) | (blanks & 1)) != 0) return false;
    unsigned start = 0;
    for (int field = 0; field < RUN_FIELDS - 1; ++field) {
        if (blanks == 0) return false;
        const auto at = static_cast<unsigned>(std::countr_zero(blanks));
        blanks &= blanks - 1;
        fields[field] = {line + start, at - start};
        start = at + 1;
    }
    if (start >= 64) return false;
    if (stop == 0) {
        end = line_end(line + 64, text_end);
    } else {
        const auto at = static_cast<unsigned>(std::countr_zero(stop));
        if (at == start) return false;  // no sixth field
        end = line + at;
        if (*end != '\n') {
            if (*end != '\r' || end[1] != '\n') return false;
            ++end;
        }
    }
    fields[RUN_FIELDS - 1] = {line + start, 0};
    return *line != '#';
}

// Calls sink.query(id, line) whenever the first field changes (also at the start of the block) and
// sink.document(RunLine) for every line of data; sink.stopped() is asked now and then. Faults go to `malformed` where
// the rules are lenient; else the first one is returned and ends the block. `last_line` becomes the last line of data.
template <class Sink>
std::optional<LineFault> parse_block(const Block& block, const Reading& reading, bool with_rank, Sink& sink,
                                     BlockCount& count, std::vector<BlockFault>* malformed, std::int64_t& malformed_count,
                                     std::string& tag) {
    count = {block.sequence(), 0, 0};
    const char* const text_end = block.end();
    std::string_view query;
    std::string_view fields[RUN_FIELDS];
    const char* tag_field = nullptr;
    for (const char* line = block.begin(); line != text_end;) {
        const char* end = nullptr;
        ++count.lines;
        int found = RUN_FIELDS;
        if (!split_quickly(line, text_end, fields, end)) {
            end = line_end(line, text_end);
            const char* first = nullptr;
            const LineKind kind = classify(line, end, reading.comments, first);
            if (kind == LineKind::comment || (kind == LineKind::blank && !reading.blank_lines_are_errors)) {
                line = end + 1;
                continue;
            }
            found = kind == LineKind::blank ? 0 : split(first, end, fields, RUN_FIELDS);
        }
        std::optional<Complaint> complaint;
        ParsedNumber score{0, NumberFault::none};
        std::int64_t rank = 0;
        count.data_lines += found != 0;
        if (found == 0) {
            complaint = Complaint{Fault::blank, {}};
        } else if (found < RUN_FIELDS) {
            complaint = wrong_columns(line, end);
        } else {
            score = parse_score(fields[4], reading.numbers);
            if (score.fault != NumberFault::none) {
                complaint = wrong_number(score.fault, fields[4]);
            } else if (with_rank) {
                if (reading.numbers == Numbers::c) {
                    rank = parse_leading_integer(fields[3]);
                } else if (!parse_integer(fields[3], rank)) {
                    complaint = Complaint{Fault::rank, std::string(fields[3].substr(0, EXCERPT_LIMIT))};
                }
            }
        }
        if (complaint) [[unlikely]] {
            LineFault fault{complaint->fault, count.lines, count.data_lines + (found == 0), std::move(complaint->detail),
                            excerpt_of(line, end)};
            if (!reading.lenient) return fault;
            ++malformed_count;
            if (malformed->size() < MALFORMED_LIMIT) malformed->push_back({block.sequence(), std::move(fault)});
            line = end + 1;
            continue;
        }
        if (fields[0] != query || query.data() == nullptr) {
            if (sink.stopped()) return std::nullopt;
            query = fields[0];
            sink.query(query, count.lines);
        }
        sink.document(RunLine{fields[2], score.value, rank, count.lines});
        tag_field = fields[RUN_FIELDS - 1].data();
        line = end + 1;
    }
    sink.finish();
    if (tag_field != nullptr) tag.assign(tag_field, skip_token(tag_field, text_end));
    return std::nullopt;
}

}  // namespace karat
