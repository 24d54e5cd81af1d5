// Reads a text once and counts possible problems in it.
#include "text/survey.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "text/blocks.h"
#include "matching/hash.h"
#include "text/numbers.h"
#include "text/reading.h"

namespace carob {

void Seen::add(std::int64_t number, const char* begin, const char* end) {
    if (count++ != 0) return;
    line = number;
    excerpt.assign(begin, std::min(static_cast<std::size_t>(end - begin), SHOWN + 1));
}

bool Survey::has_query(std::string_view query) const {
    return query_table.find(hash_id(query, seed), [&](std::uint32_t n) { return same_id(queries[n], query); }) !=
           IdTable::NONE;
}

namespace {

constexpr std::uint64_t EVERY_BYTE = 0x0101010101010101u;

std::string_view span(const char* from, const char* to) { return {from, static_cast<std::size_t>(to - from)}; }

// ---- lines

struct SurveyedLine {
    static constexpr int KEPT = 6;
    const char* begin;
    const char* end;
    std::int64_t number;
    std::int64_t count = 0;  // of fields
    std::int64_t blanks = 0, tabs = 0, spaces = 0, returns = 0;
    std::string_view fields[KEPT];

    SurveyedLine(const char* from, const char* to, std::int64_t line) : begin(from), end(to), number(line) {
        const char* start = begin;
        for (const char* window = begin; window < end; window += 64) {
            for (std::uint64_t low = low_bytes(window); low != 0; low &= low - 1) {
                const char* at = window + lowest_bit(low);
                if (at >= end) break;
                if (!is_blank(*at)) continue;
                ++blanks;
                tabs += *at == '\t';
                spaces += *at == ' ';
                returns += *at == '\r';
                field(start, at);
                start = at + 1;
            }
        }
        field(start, end);
        if (tabs != 0 && blanks != tabs && has_tabs_and_blanks(begin, end)) {
            split_at_tabs(begin, end, fields, KEPT);
            count = count_fields_at_tabs(begin, end);
            blanks = returned() + count - 1;  // blanks within a field are no padding
        }
    }

    bool returned() const { return end != begin && end[-1] == '\r'; }

private:
    void field(const char* from, const char* to) {
        if (from == to) return;
        if (count < KEPT) fields[count] = span(from, to);
        ++count;
    }
};

// ---- bytes

// Whether any byte has the highest bit, and whether any is 0.
std::pair<bool, bool> odd_bytes(const char* p, const char* end) {
    std::uint64_t high = 0;
    std::uint64_t zero = 0;
    for (; end - p >= 8; p += 8) {
        const std::uint64_t word = load8(p);
        high |= word;
        zero |= (word - EVERY_BYTE) & ~word;
    }
    for (; p != end; ++p) {
        high |= static_cast<unsigned char>(*p);
        zero |= *p == 0 ? 0x80u : 0u;
    }
    return {(high & (EVERY_BYTE * 0x80)) != 0, (zero & (EVERY_BYTE * 0x80)) != 0};
}

// Reads the code point at p and moves p past it; returns nothing for bytes that are not UTF-8.
std::optional<std::uint32_t> code_point(const char*& p, const char* end) {
    const auto first = static_cast<unsigned char>(*p++);
    if (first < 0x80) return first;
    const int more = first >= 0xC2 && first < 0xE0 ? 1 : first >= 0xE0 && first < 0xF0 ? 2 : first >= 0xF0 && first < 0xF5 ? 3 : 0;
    if (more == 0 || end - p < more) return {};
    std::uint32_t point = first & (0x3Fu >> more);
    for (int i = 0; i < more; ++i) {
        const auto next = static_cast<unsigned char>(*p++);
        if ((next & 0xC0) != 0x80) return {};
        point = point << 6 | (next & 0x3Fu);
    }
    const std::uint32_t least = more == 1 ? 0x80u : more == 2 ? 0x800u : 0x10000u;
    if (point < least || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return {};
    return point;
}

// No-break and ideographic spaces, soft hyphens, zero-width marks and marks of direction.
bool is_invisible(std::uint32_t point) {
    return point == 0xA0 || point == 0xAD || point == 0x200B || point == 0x200E || point == 0x200F ||
           (point >= 0x202A && point <= 0x202E) || point == 0x2060 || point == 0x3000 || point == 0xFEFF;
}

// ---- spellings

// An id without leading zeros and without the ".0" of a number, compared without the bit that distinguishes upper-case
// from lower-case letters. Ids with equal forms are only candidates; Python's normal form decides whether they are the
// same id.
std::string_view rough(std::string_view id) {
    if (id.size() > 2 && id.back() == '0') {
        const std::size_t dot = id.find_last_not_of('0');
        if (dot != 0 && dot != std::string_view::npos && id[dot] == '.' && std::all_of(id.begin(), id.begin() + static_cast<std::ptrdiff_t>(dot), is_digit))
            id = id.substr(0, dot);
    }
    while (id.size() > 1 && id.front() == '0') id.remove_prefix(1);
    return id;
}

constexpr std::uint64_t SMALL = EVERY_BYTE * 0x20;

std::uint64_t tail8(const char* p, std::size_t n) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, n);
    return word | SMALL;
}

std::uint64_t rough_hash(std::string_view form, std::uint64_t seed) {
    const char* p = form.data();
    std::size_t n = form.size();
    std::uint64_t state = seed ^ (n * HASH_A);
    for (; n > 8; p += 8, n -= 8) state = fold_multiply((load8(p) | SMALL) ^ state ^ HASH_A, HASH_B);
    return fold_multiply(tail8(p, n) ^ state ^ HASH_B, seed ^ HASH_A);
}

bool rough_same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

// Looks for judged documents among those of a run, spelled as in the judgments or in other ways.
class Spellings {
    auto same_form(std::string_view form) const {
        return [this, form](std::uint32_t n) { return rough_same(rough(judgments_.document(first_[n])), form); };
    }

public:
    explicit Spellings(const Judgments& judgments) : judgments_(judgments) {
        for (std::size_t j = 0; j < judgments.grades().size(); ++j) add(static_cast<std::int64_t>(j));
    }

    void see(std::string_view document, std::int64_t line) {
        const std::string_view form = rough(document);
        const std::uint32_t place = table_.find(rough_hash(form, judgments_.seed()), same_form(form));
        if (place == IdTable::NONE || literal_[place]) return;
        if (same_id(judgments_.document(first_[place]), document) || is_another(document)) {
            literal_[place] = true;
        } else if (!other_.contains(place)) {
            other_.emplace(place, Spelling{first_[place], std::string(document), line});
        }
    }

    std::vector<Spelling> found() && {
        std::vector<Spelling> kept;
        for (auto& [place, spelling] : other_)
            if (!literal_[place]) kept.push_back(std::move(spelling));
        return kept;
    }

private:
    bool is_another(std::string_view document) const {
        return others_.find(hash_id(document, judgments_.seed()), [&](std::uint32_t n) {
                   return same_id(judgments_.document(another_[n]), document);
               }) != IdTable::NONE;
    }

    void add(std::int64_t judgment) {
        const std::string_view document = judgments_.document(judgment);
        const std::string_view form = rough(document);
        const auto place = table_.find_or_add(rough_hash(form, judgments_.seed()), static_cast<std::uint32_t>(first_.size()), same_form(form));
        if (place == IdTable::NONE) {
            first_.push_back(judgment);
            literal_.push_back(false);
            if (table_.crowded()) table_.grow([&](std::uint32_t n) { return rough_hash(rough(judgments_.document(first_[n])), judgments_.seed()); });
        } else if (!same_id(judgments_.document(first_[place]), document)) {
            const auto next = static_cast<std::uint32_t>(another_.size());
            const auto same = [&](std::uint32_t n) { return same_id(judgments_.document(another_[n]), document); };
            if (others_.find_or_add(judgments_.hash(judgment), next, same) != IdTable::NONE) return;
            another_.push_back(judgment);
            if (others_.crowded()) others_.grow([&](std::uint32_t n) { return judgments_.hash(another_[n]); });
        }
    }

    const Judgments& judgments_;
    IdTable table_;                    // one entry per form
    std::vector<std::int64_t> first_;  // the first judged document of each form
    std::vector<char> literal_;        // whether the run has a document of this form, spelled as in the judgments
    std::map<std::uint32_t, Spelling> other_;  // the first other spelling of a form
    IdTable others_;  // judged documents that are not the first of their form
    std::vector<std::int64_t> another_;
};

// ---- the pass

class Surveyor {
public:
    Surveyor(TextKind kind, const Judgments* judgments) : kind_(kind) {
        found.seed = fresh_seed();
        if (judgments != nullptr) spellings_.emplace(*judgments);
    }

    void block(const char* begin, const char* end) {
        const auto [high, zero] = odd_bytes(begin, end);
        const char* last = nullptr;
        const char* last_end = nullptr;
        for (const char* line = begin; line != end;) {
            const char* stop = line_end(line, end);
            SurveyedLine seen(line, stop, ++found.lines);
            if (take(seen)) {
                last = line;
                last_end = stop;
                if (high) encoding(seen);
                if (zero && holds_nul(line, stop)) found.nul.add(seen.number, line, stop);
            }
            line = stop + 1;
        }
        if (last != nullptr) found.last.assign(last, last_end);
    }

    Survey finish() {
        found.last_group = open_;
        for (const char own : own_) found.own_queries += own;
        if (spellings_) found.spellings = std::move(*spellings_).found();
        return std::move(found);
    }

    Survey found;

private:
    // Returns true for a data line.
    bool take(const SurveyedLine& line) {
        found.tabs += line.tabs;
        found.spaces += line.spaces;
        found.bare_returns += line.returns - line.returned();
        if (line.count == 0 || line.fields[0].front() == '#') {
            ++(line.count == 0 ? found.blank : found.comments);
            return false;
        }
        if (found.rows++ == 0) found.first.assign(line.begin, line.end);
        found.last_line = line.number;
        if (width_ == nullptr || line.count != width_->first) width_ = &*found.widths.try_emplace(line.count).first;
        width_->second.add(line.number, line.begin, line.end);
        if (line.returned()) see(found.returns, line);
        if (line.blanks - line.returned() != line.count - 1) see(found.padded, line);
        if (kind_ == TextKind::qrels ? line.count == 4 : line.count >= SurveyedLine::KEPT && as_wide_as_first(line)) {
            if (found.usable++ == 0) found.example.assign(line.begin, line.end);
            const bool begins = query(line);
            if (kind_ == TextKind::run) of_run(line, begins);
        }
        return true;
    }

    // Whether a line of a run has as many fields as the first valid line.
    bool as_wide_as_first(const SurveyedLine& line) {
        if (run_width_ == 0 && parse_score(line.fields[4], Numbers::strict).fault == NumberFault::none) run_width_ = line.count;
        return run_width_ == 0 || line.count == run_width_;
    }

    static void see(Seen& what, const SurveyedLine& line) { what.add(line.number, line.begin, line.end); }

    // True where the lines of a query begin, even if the query has occurred before.
    bool query(const SurveyedLine& line) {
        const std::string_view id = line.fields[0];
        if (open_ != 0 && same_id(id, query_)) {
            ++open_;
            return false;
        }
        if (open_ != 0) {
            found.shortest_group = found.shortest_group == 0 ? open_ : std::min(found.shortest_group, open_);
            found.longest_group = std::max(found.longest_group, open_);
        }
        open_ = 1;
        ++found.groups;
        query_.assign(id);
        const std::uint64_t hash = hash_id(id, found.seed);
        const auto next = static_cast<std::uint32_t>(found.queries.size());
        number_ = found.query_table.find_or_add(hash, next, [&](std::uint32_t n) { return same_id(found.queries[n], id); });
        if (number_ == IdTable::NONE) new_query(line, hash, next);
        return true;
    }

    void new_query(const SurveyedLine& line, std::uint64_t hash, std::uint32_t number) {
        const std::string_view id = line.fields[0];
        number_ = number;
        found.queries.add(id);
        found.query_lines.push_back(line.number);
        found.query_hashes.push_back(hash);
        own_.push_back(false);
        if (found.query_table.crowded()) found.query_table.grow([&](std::uint32_t n) { return found.query_hashes[n]; });
        if (odd_bytes(id.data(), id.data() + id.size()).first) found.similar_queries = true;
        if (found.similar_queries) return;
        const auto same = [&](std::uint32_t n) { return rough_same(rough(found.queries[n]), rough(id)); };
        found.similar_queries = forms_.find_or_add(rough_hash(rough(id), found.seed), number, same) != IdTable::NONE;
        if (forms_.crowded()) forms_.grow([&](std::uint32_t n) { return rough_hash(rough(found.queries[n]), found.seed); });
    }

    void of_run(const SurveyedLine& line, bool begins) {
        rank(line, begins);
        score(line, begins);
        const std::string_view document = line.fields[2];
        if (same_id(document, line.fields[0])) {
            see(found.own, line);
            found.own_first += begins;
            own_[number_] = true;
        }
        if (spellings_) spellings_->see(document, line.number);
        tag(line);
    }

    void rank(const SurveyedLine& line, bool begins) {
        const std::string_view token = line.fields[3];
        std::int64_t rank = -1;
        if (token.size() <= 8 && std::all_of(token.begin(), token.end(), is_digit)) {
            parse_integer(token, rank);
            found.low_rank = ranked_ ? std::min(found.low_rank, rank) : rank;
            found.high_rank = std::max(found.high_rank, rank);
            ranked_ = true;
        } else {
            see(found.rank_odd, line);
        }
        if (!begins && rank <= rank_) see(found.rank_falls, line);
        rank_ = rank;
    }

    void score(const SurveyedLine& line, bool begins) {
        const std::string_view token = line.fields[4];
        const ParsedNumber parsed = parse_score(token, Numbers::strict);
        const double score = parsed.fault == NumberFault::none ? parsed.value : NAN;
        if (parsed.fault == NumberFault::nan) see(found.nan, line);
        if (std::isinf(score) && !is_digit(token.back())) see(found.infinite, line);
        if (!begins) {
            found.rises += score > score_;
            found.falls += score < score_;
            found.blurred += score != score_ && static_cast<float>(score) == static_cast<float>(score_);
        }
        score_ = score;
    }

    void tag(const SurveyedLine& line) {
        const std::string_view tag = line.fields[5];
        if (!found.tags.empty() && same_id(tag, tag_)) return;
        tag_.assign(tag);
        if (found.tags.size() < Survey::MOST_TAGS && known_tags_.insert(tag_).second) found.tags.emplace_back(tag_, line.number);
    }

    void encoding(const SurveyedLine& line) {
        bool invisible = false;
        for (const char* p = line.begin; p != line.end;) {
            const auto point = code_point(p, line.end);
            if (!point) {
                see(found.undecodable, line);
                break;
            }
            invisible = invisible || is_invisible(*point);
        }
        if (invisible) see(found.invisible, line);
    }

    const TextKind kind_;
    std::optional<Spellings> spellings_;
    std::pair<const std::int64_t, Seen>* width_ = nullptr;
    std::string query_, tag_;
    Strings known_tags_;
    IdTable forms_;
    std::vector<char> own_;  // which queries retrieve themselves
    std::uint32_t number_ = 0;
    std::int64_t open_ = 0;
    std::int64_t rank_ = -1;
    std::int64_t run_width_ = 0;
    double score_ = NAN;
    bool ranked_ = false;
};

// Passes bytes on and remembers how the text begins and ends.
class Watched final : public Source {
public:
    explicit Watched(Source& source) : source_(source) {}

    std::size_t read(char* bytes, std::size_t size) override {
        const std::size_t got = source_.read(bytes, size);
        if (start_.size() < 3) start_.append(bytes, std::min(got, 3 - start_.size()));
        if (got != 0) last_ = bytes[got - 1];
        return got;
    }
    void rewind() override { source_.rewind(); }
    bool is_at_fault() const override { return source_.is_at_fault(); }
    bool marked() const { return start_ == "\xEF\xBB\xBF"; }
    bool closed() const { return last_ == '\n'; }

private:
    Source& source_;
    std::string start_;
    char last_ = '\n';
};

}  // namespace

Survey survey(Source& source, TextKind kind, const Judgments* judgments, const GoOn& go_on, std::size_t block_bytes) {
    Watched watched(source);
    Surveyor surveyor(kind, judgments);
    Blocks blocks(watched, Cut::lines, block_bytes);
    for (Block block; blocks.next(block);) {
        if (go_on && !go_on()) throw Interrupted{};
        surveyor.block(block.begin(), block.end());
    }
    surveyor.found.marked = watched.marked();
    surveyor.found.closed = watched.closed();
    return surveyor.finish();
}

std::string changed_run(Source& source, Change change) {
    std::string made;
    std::int64_t width = 0;
    Blocks blocks(source, Cut::lines, 0);
    for (Block block; blocks.next(block);) {
        for (const char* line = block.begin(); line != block.end();) {
            const SurveyedLine seen(line, line_end(line, block.end()), 0);
            line = seen.end + 1;
            if (seen.count < SurveyedLine::KEPT || seen.fields[0].front() == '#') continue;
            if (width == 0 && parse_score(seen.fields[4], Numbers::strict).fault == NumberFault::none) width = seen.count;
            if (width != 0 && seen.count != width) continue;
            if (change == Change::without_own && same_id(seen.fields[0], seen.fields[2])) continue;
            std::string_view score = seen.fields[change == Change::by_rank ? 3 : 4];
            bool minus = change == Change::by_rank;
            if (change == Change::negated) {
                minus = score.front() != '-';
                if (!minus || score.front() == '+') score.remove_prefix(1);
            }
            for (const std::string_view part : {seen.fields[0], std::string_view("\t0\t"), seen.fields[2], std::string_view("\t0\t"),
                                                std::string_view(minus ? "-" : ""), score, std::string_view("\tt\n")})
                made.append(part);
        }
    }
    return made;
}

std::vector<std::string> lines_of(Source& source, const std::vector<std::string_view>& queries) {
    std::vector<std::string> found(queries.size());
    std::unordered_map<std::string_view, std::string*> places;
    for (std::size_t i = 0; i < queries.size(); ++i) places.emplace(queries[i], &found[i]);
    Blocks blocks(source, Cut::lines, 0);
    for (Block block; blocks.next(block);) {
        std::string_view query;
        std::string* own = nullptr;
        for (const char* line = block.begin(); line != block.end();) {
            const SurveyedLine seen(line, line_end(line, block.end()), 0);
            if (seen.count != 0 && seen.fields[0] != query) {
                query = seen.fields[0];
                const auto place = places.find(query);
                own = place == places.end() ? nullptr : place->second;
            }
            if (seen.count != 0 && own != nullptr) own->append(line, seen.end).push_back('\n');
            line = seen.end + 1;
        }
    }
    return found;
}

}  // namespace carob
