// Splits each line of a block of a run into query, document, score and, if requested, rank.
#pragma once

#include <optional>

#include "text/blocks.h"
#include "matching/hash.h"
#include "text/lines.h"

namespace carob {

// One data line of a run.
struct RunLine {
    std::string_view document;
    double score;
    std::int64_t rank;  // 0 unless ranks are read
    std::int64_t line;  // in the block, from 1
    std::string_view tag = {};  // the sixth field; for an ordinary line only its start, with size 0
};

struct BlockCount {
    std::int64_t block;
    std::int64_t lines;
    std::int64_t data_lines;
};

// A LineFault whose line numbers are still relative to its block.
struct BlockFault {
    std::int64_t block;
    LineFault fault;
};

inline constexpr int RUN_FIELDS = 6;

// The parts of an ordinary line, found from the blanks in its first 64 bytes.
struct QuickLine {
    unsigned query_end, document, document_end, score, score_end, tag;
};

// Finds the end of a line whose first five fields have been read, if the line does not end with the sixth field.
// Returning false sends the line to the slow path.
inline bool end_after_tag(const char* line, const char* tag, const char* text_end, bool loose, const char*& end) {
    end = line_end(end, text_end);
    const char* const tag_end = skip_token(tag, end);
    if (too_long(line, end) || holds_nul(tag, tag_end)) return false;
    return loose || skip_blanks(tag_end, end) == end;
}

// Splits an ordinary line: a single blank between fields, always the same one, and none before the first field.
// Returning false sends the line to the slow path. `loose` rules ignore bytes after the sixth field; under other rules,
// only blanks may follow it.
CAROB_ALWAYS_INLINE bool split_quickly(const char* line, const char* text_end, bool loose, QuickLine& parts, const char*& end) {
    const std::uint64_t all = low_bytes(line);
    std::uint64_t low = all;
    unsigned at[RUN_FIELDS - 1];
    for (unsigned& blank : at) {
        if (low == 0) [[unlikely]]
            return false;
        blank = lowest_bit(low);
        low &= low - 1;
    }
    const char separator = line[at[0]];
    const int others =
        (line[at[1]] ^ separator) | (line[at[2]] ^ separator) | (line[at[3]] ^ separator) | (line[at[4]] ^ separator);
    // A blank at the start of the line, or right after one of the five blanks.
    const std::uint64_t through = ~std::uint64_t{0} >> (63 - at[4]);
    const std::uint64_t doubled = (all & (all >> 1) & through) | (all & 1);
    if (others != 0 || (separator != ' ' && separator != '\t') || doubled != 0 || at[4] == 63 || *line == '#')
        [[unlikely]] {
        return false;
    }
    parts = {at[0], at[1] + 1, at[2], at[3] + 1, at[4], at[4] + 1};
    end = low == 0 ? line + 64 : line + lowest_bit(low);
    if (low == 0 || *end != '\n') [[unlikely]]
        return end_after_tag(line, line + parts.tag, text_end, loose, end);
    return true;
}

struct RunRules {
    Reading reading;
    bool with_rank = false;  // read the fourth column
    std::int64_t width = 0;  // number of fields of each line; 0 for that of the first valid line
};

// What a pass over blocks finds besides documents.
struct RunNotes {
    std::vector<BlockCount> blocks;
    std::vector<BlockFault> malformed;  // the first few lines that lenient rules skipped
    std::int64_t malformed_count = 0;
    std::int64_t commented = 0;  // comments with as many fields as the lines of data
    std::int64_t tag_block = -1;
    std::string tag;  // the sixth field of the last line of data in tag_block
};

// The lower limit of the time for 6,980 queries x 1,000 documents, 261 MB in 7.0 M lines: read() has to copy the 261 MB
// once, which takes 0.03 s on a 2.5 GHz core. Splitting lines and looking up documents takes ten times as long, 0.33 s
// in total or 48 ns per line, of which the score takes a quarter and the lookup a sixth.
//
// Reads blocks into a sink. Calls sink.query(id, line) whenever the first field changes (and at the start of a block),
// sink.document(RunLine) for every data line, sink.finish() at the end of a block, and sink.stopped() from time to
// time.
template <class Sink>
class RunReader {
public:
    RunReader(const RunRules& rules, Sink& sink, RunNotes& notes)
        : rules_(rules), sink_(sink), notes_(notes), width_(rules.reading.loose ? RUN_FIELDS : rules.width) {}

    // The number of fields per line, if a line has been read.
    std::int64_t width() const { return width_; }

    // Under strict rules, the first bad line ends the block and is returned.
    CAROB_FLATTEN std::optional<LineFault> read(const Block& block) {
        begin(block);
        const bool loose = rules_.reading.loose;
        bool quick = takes_quickly();
        for (const char* line = block.begin(); line != text_end_;) {
            ++count_.lines;
            QuickLine parts;
            const char* end = nullptr;
            double score = 0;
            if (quick && split_quickly(line, text_end_, loose, parts, end) &&
                short_decimal(line + parts.score, line + parts.score_end, score)) [[likely]] {
                ++count_.data_lines;
                tag_ = line + parts.tag;
                if (!take(span(line, line + parts.query_end),
                          {span(line + parts.document, line + parts.document_end), score, 0, count_.lines, {tag_, 0}}))
                    break;
            } else {
                if (!(quick ? read_with_long_score(line, end) : read_slowly(line, end = line_end(line, text_end_)))) break;
                quick = takes_quickly();
            }
            line = end + 1;
        }
        if (!fault_) sink_.finish();
        notes_.blocks.push_back(count_);
        if (tag_ != nullptr) {
            notes_.tag_block = block.sequence();
            notes_.tag.assign(tag_, tag_ == slow_tag_.data() ? slow_tag_.data() + slow_tag_.size() : skip_token(tag_, text_end_));
        }
        return std::move(fault_);
    }

    // Reads on until the sink reports that it has stopped; the sink is checked before each valid line. Separate from
    // read(), whose loop becomes slower the more copies of this code a compiler has to make.
    std::optional<LineFault> read_first(const Block& block) {
        begin(block);
        for (const char* line = block.begin(); line != text_end_;) {
            ++count_.lines;
            const char* const end = line_end(line, text_end_);
            if (!read_slowly(line, end)) break;
            line = end + 1;
        }
        notes_.blocks.push_back(count_);
        return std::move(fault_);
    }

private:
    void begin(const Block& block) {
        count_ = {block.sequence(), 0, 0};
        text_end_ = block.end();
        query_ = {};
        tag_ = nullptr;
        slow_tag_ = {};
        fault_.reset();
    }

    // If the rank column is read, or if lines do not have RUN_FIELDS fields, every line takes the slow path.
    bool takes_quickly() const { return !rules_.with_rank && width_ == RUN_FIELDS; }

    static std::string_view span(const char* from, const char* to) {
        return {from, static_cast<std::size_t>(to - from)};
    }

    CAROB_ALWAYS_INLINE bool take(std::string_view query, const RunLine& line) {
        if (!same_id(query, query_)) {
            const char* const line_of = query.data();
            if (!rules_.reading.loose && begins_with_mark(line_of, text_end_)) [[unlikely]]
                return complain({Fault::mark, {}}, line_of, line_end(line_of, text_end_), count_.data_lines);
            if (sink_.stopped()) return false;
            query_ = query;
            sink_.query(query, line.line);
        }
        sink_.document(line);
        return true;
    }

    // Handles a line whose score has more digits, as Python writes them, or any other line. Separate from read(), which
    // would be slower with a second path to a score.
    CAROB_NEVER_INLINE bool read_with_long_score(const char* line, const char*& end) {
        QuickLine parts;
        if (split_quickly(line, text_end_, rules_.reading.loose, parts, end)) {
            const ParsedNumber score = parse_any_score(span(line + parts.score, line + parts.score_end), rules_.reading.numbers);
            if (score.fault == NumberFault::none) {
                ++count_.data_lines;
                tag_ = line + parts.tag;
                return take(span(line, line + parts.query_end),
                            {span(line + parts.document, line + parts.document_end), score.value, 0, count_.lines, {tag_, 0}});
            }
        }
        return read_slowly(line, end = line_end(line, text_end_));
    }

    // Handles any line. Returning false ends the block.
    CAROB_NEVER_INLINE bool read_slowly(const char* line, const char* end) {
        const char* first = nullptr;
        const LineKind kind = classify(line, end, rules_.reading.comments, first);
        if (kind == LineKind::comment) {
            notes_.commented += may_be_data(first, end, width_ == 0 ? RUN_FIELDS : width_);
            return true;
        }
        if (kind == LineKind::blank) {
            return !rules_.reading.blank_lines_are_errors ||
                   complain({Fault::blank, {}}, line, end, count_.data_lines + 1);
        }
        ++count_.data_lines;
        if (too_long(line, end)) return complain({Fault::too_long, {}}, line, end, count_.data_lines);
        std::string_view fields[RUN_FIELDS];
        const bool loose = rules_.reading.loose;
        const bool at_tabs = !loose && has_tabs_and_blanks(first, end);
        const int found = at_tabs ? split_at_tabs(first, end, fields, RUN_FIELDS) : split(first, end, fields, RUN_FIELDS);
        const char* const last = fields[found - 1].data() + fields[found - 1].size();
        if (holds_nul(first, loose ? last : end)) return complain({Fault::nul, {}}, line, end, count_.data_lines);
        if (found < RUN_FIELDS) {
            const std::int64_t wanted = width_ == 0 ? RUN_FIELDS : width_;
            return complain(wrong_columns(first, end, wanted, loose), line, end, count_.data_lines);
        }
        const std::int64_t more = loose ? 0 : at_tabs ? count_fields_at_tabs(last, end) : count_fields(last, end);
        if (width_ != 0 && RUN_FIELDS + more != width_) {
            Complaint complaint = wrong_columns(first, end, width_, loose);
            if (complaint.fault == Fault::columns) complaint = {Fault::uneven, complaint.detail + " " + std::to_string(width_)};
            return complain(std::move(complaint), line, end, count_.data_lines);
        }
        if (width_ == 0 && more >= RUN_FIELDS - 1 && are_joined(first, end))
            return complain({Fault::joined, std::to_string(RUN_FIELDS + more)}, line, end, count_.data_lines);
        const ParsedNumber score = parse_score(fields[4], rules_.reading.numbers);
        if (score.fault != NumberFault::none)
            return complain(wrong_number(score.fault, fields[4]), line, end, count_.data_lines);
        std::int64_t rank = 0;
        if (rules_.with_rank) {
            if (rules_.reading.numbers == Numbers::c) {
                rank = parse_leading_integer(fields[3]);
            } else if (!parse_integer(fields[3], rank)) {
                return complain({Fault::rank, std::string(fields[3].substr(0, EXCERPT_LIMIT))}, line, end,
                                count_.data_lines);
            }
        }
        width_ = RUN_FIELDS + more;
        tag_ = fields[5].data();
        slow_tag_ = fields[5];
        return take(fields[0], {fields[2], score.value, rank, count_.lines, fields[5]});
    }

    // Whether a line with many fields may be two or more joined lines: the second begins after the tag of the first, or
    // forms one word with it. If all lines are joined, no line differs in width from the first.
    bool are_joined(const char* first, const char* end) const {
        std::string_view fields[2 * RUN_FIELDS];
        split_line(first, end, fields, 2 * RUN_FIELDS, false);
        const auto begins_at = [&](int field) {
            return fields[field + 1] == fields[1] && parse_score(fields[field + 4], rules_.reading.numbers).fault == NumberFault::none;
        };
        return begins_at(RUN_FIELDS - 1) || begins_at(RUN_FIELDS);
    }

    bool complain(Complaint complaint, const char* line, const char* end, std::int64_t data_line) {
        LineFault fault{complaint.fault, count_.lines, data_line, std::move(complaint.detail), excerpt_of(line, end)};
        if (!rules_.reading.lenient || fault.fault == Fault::too_long) {
            fault_ = std::move(fault);
            return false;
        }
        ++notes_.malformed_count;
        if (notes_.malformed.size() < MALFORMED_LIMIT) notes_.malformed.push_back({count_.block, std::move(fault)});
        return true;
    }

    const RunRules rules_;
    Sink& sink_;
    RunNotes& notes_;
    BlockCount count_{};
    const char* text_end_ = nullptr;
    std::string_view query_;
    const char* tag_ = nullptr;
    std::string_view slow_tag_;  // the last tag read on the slow path; it may contain blanks
    std::int64_t width_;         // of the lines; 0 before the first
    std::optional<LineFault> fault_;
};

}  // namespace carob
