// Reads judgments and runs slowly and plainly, with strings, C's own number parsing and full sorts.
//
// It shares no code with the kernel except the types that it fills in.
#include "oracle.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#if defined(_WIN32)
#include <regex>
#endif

namespace oracle {
namespace {

using carob::Fault;

std::optional<Refusal> no_text(std::string_view text) {
    const auto starts = [&](std::string_view mark) { return text.substr(0, mark.size()) == mark; };
    if (starts("\xFF\xFE") || starts("\xFE\xFF")) return Refusal{Fault::utf16, 1, 1, {}};
    if (starts("\x1F\x8B") || starts("\x28\xB5\x2F\xFD")) return Refusal{Fault::compressed, 1, 1, {}};
    return std::nullopt;
}

std::string lower_without_sign(const std::string& token) {
    std::string word = token;
    if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.erase(0, 1);
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return word;
}

struct Number {
    double value = 0;
    std::optional<Fault> fault;
};

// Whether there is a NUL byte in one of the first fields.
bool with_nul(std::span<const std::string_view> fields, std::size_t first) {
    for (std::size_t i = 0; i < fields.size() && i < first; ++i) {
        if (fields[i].find('\0') != std::string_view::npos) return true;
    }
    return false;
}

// Whether a whole number changes when it is converted to a double.
bool rounded_off(const std::string& digits, double value) {
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos || !std::isfinite(value)) return false;
    char printed[400];
    std::snprintf(printed, sizeof printed, "%.0f", std::abs(value));
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1)) != printed;
}

// A number as C's strtod reads it, and how much of the token it uses. The Windows library accepts more than the C
// standard.
std::pair<double, std::size_t> c_number(const std::string& token) {
#if defined(_WIN32)
    static const std::regex grammar(
        R"(^\s*[+-]?(infinity|inf|nan|0x([0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(p[+-]?\d+)?|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?))",
        std::regex::icase
    );
    std::smatch found;
    const std::string text = std::regex_search(token, found, grammar) ? found.str() : "";
#else
    const std::string& text = token;
#endif
    char* stopped = nullptr;
    const double value = std::strtod(text.c_str(), &stopped);
    return {value, static_cast<std::size_t>(stopped - text.c_str())};
}

Number score_of(std::string_view field, carob::Numbers numbers) {
    const std::string token(field);
    const auto [value, length] = c_number(token);
    if (numbers == carob::Numbers::c) return {value, {}};
    const std::string word = lower_without_sign(token);
    if (word == "nan") return {0, Fault::nan};
    if (length != token.size() || word.find_first_of("xpn") != std::string::npos) {
        if (word != "inf" && word != "infinity") return {0, Fault::number};
    }
    if (rounded_off(word, value)) return {0, Fault::wide};
    return {value, {}};
}

Number grade_of(std::string_view field, carob::Numbers numbers) {
    if (numbers == carob::Numbers::c) return {static_cast<double>(std::strtoll(std::string(field).c_str(), nullptr, 10)), {}};
    Number number = score_of(field, numbers);
    if (!number.fault && !std::isfinite(number.value)) number.fault = Fault::number;
    return number;
}

Number rank_of(std::string_view field, carob::Numbers numbers, std::int64_t& rank) {
    const std::string token(field);
    char* stopped = nullptr;
    errno = 0;
    rank = std::strtoll(token.c_str(), &stopped, 10);
    if (numbers == carob::Numbers::c) return {};
    const bool whole = static_cast<std::size_t>(stopped - token.c_str()) == token.size();
    if (!whole || errno == ERANGE) return {0, Fault::rank};
    return {};
}

using Complaint = std::pair<Fault, std::string>;

// A line with too many or too few fields.
Complaint wrong_columns(const Line& line, std::size_t wanted, Fault fault) {
    const std::string count = std::to_string(line.fields.size()), other = " " + std::to_string(wanted);
    if (line.by_blanks == wanted) return {Fault::mixed, count + other};
    return {fault, fault == Fault::uneven ? count + other : count};
}

bool begins_with_mark(const Line& line) { return line.fields[0].substr(0, 3) == "\xEF\xBB\xBF"; }

// Whether a line of a run is two joined lines: the second begins within the tag of the first, or after it.
bool are_joined(const Line& line, carob::Numbers numbers) {
    for (const std::size_t first : {5, 6}) {
        if (line.fields.size() < first + 5) continue;
        if (line.fields[first + 1] == line.fields[1] && !score_of(line.fields[first + 4], numbers).fault) return line.fields.size() > 10;
    }
    return false;
}

// Calls `data` for each data line; the function may return a complaint. Lenient rules continue after a complaint; other
// rules stop at the first.
std::optional<Refusal> each_line(
    const std::vector<Line>& lines, const carob::Reading& reading, std::int64_t& malformed,
    const std::function<std::optional<Complaint>(const Line&, std::int64_t)>& data) {
    std::int64_t number = 0;
    std::int64_t data_lines = 0;
    for (const Line& line : lines) {
        ++number;
        if (line.comment) continue;
        std::optional<Complaint> complaint;
        std::int64_t data_line = data_lines + 1;
        if (line.fields.empty()) {
            if (!reading.blank_lines_are_errors) continue;
            complaint = {Fault::blank, ""};
        } else {
            ++data_lines;
            complaint = data(line, number);
        }
        if (!complaint) continue;
        if (!reading.lenient) return Refusal{complaint->first, number, data_line, complaint->second};
        ++malformed;
    }
    return std::nullopt;
}

// The places at which each document of a list occurs, in order.
class Places {
public:
    template <class Item>
    explicit Places(const std::vector<Item>& items) {
        sorted_.reserve(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) sorted_.push_back({items[i].document, i});
        std::sort(sorted_.begin(), sorted_.end());
    }

    std::optional<std::size_t> first(std::string_view document) const {
        const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{document, std::size_t{0}});
        if (at == sorted_.end() || at->first != document) return std::nullopt;
        return at->second;
    }

    // Keeps one of several occurrences of a document, as the policy requires, in the order of the list.
    template <class Item, class Worth>
    std::vector<Item> survivors(const std::vector<Item>& items, carob::Duplicates policy, Worth worth) const {
        std::vector<std::size_t> standing;
        for (std::size_t i = 0; i < sorted_.size(); ++i) {
            const std::size_t here = sorted_[i].second;
            if (i == 0 || sorted_[i].first != sorted_[i - 1].first) {
                standing.push_back(here);
            } else if (policy == carob::Duplicates::last ||
                       (policy == carob::Duplicates::max && worth(items[here]) > worth(items[standing.back()]))) {
                standing.back() = here;
            }
        }
        std::sort(standing.begin(), standing.end());
        std::vector<Item> kept;
        for (const std::size_t i : standing) kept.push_back(items[i]);
        return kept;
    }

private:
    std::vector<std::pair<std::string_view, std::size_t>> sorted_;
};

struct Retrieved {
    std::string_view document;
    double score;
    std::int64_t rank;
    std::int64_t line;
    std::size_t place;
};

thread_local const carob::MatchOptions* sorting_options = nullptr;

int compare_ids(std::string_view a, std::string_view b) {
    return a.compare(b);  // which compares unsigned bytes
}

// Negative if `a` goes before `b`.
int compare_retrieved(const Retrieved& a, const Retrieved& b, bool by_place) {
    if (a.score > b.score) return -1;
    if (a.score < b.score) return 1;
    int order = 0;
    switch (sorting_options->ties) {
        case carob::Ties::trec: order = compare_ids(b.document, a.document); break;
        case carob::Ties::ascending: order = compare_ids(a.document, b.document); break;
        case carob::Ties::input: order = a.place < b.place ? -1 : a.place > b.place; break;
        case carob::Ties::rank_column: order = a.rank < b.rank ? -1 : a.rank > b.rank; break;
    }
    if (order != 0 || !by_place) return order;
    return a.place < b.place ? -1 : a.place > b.place;
}

extern "C" int compare_pointers(const void* a, const void* b) {
    return compare_retrieved(**static_cast<const Retrieved* const*>(a), **static_cast<const Retrieved* const*>(b),
                             false);
}

}  // namespace

// Splits a line again at its tabs if it also has other blanks between its fields.
bool Text::split_at_tabs(std::string_view line, std::size_t before) {
    constexpr std::string_view BLANKS = " \t\n\v\f\r";
    const auto trimmed = [&](std::string_view text) {
        const std::size_t first = text.find_first_not_of(BLANKS);
        return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(BLANKS) + 1 - first);
    };
    const std::string_view inside = trimmed(line);
    if (inside.find('\t') == std::string_view::npos || inside.find_first_of(" \v\f\r") == std::string_view::npos) return false;
    fields_.resize(before);
    for (std::size_t from = 0; from <= inside.size();) {
        const std::size_t tab = std::min(inside.find('\t', from), inside.size());
        const std::string_view field = trimmed(inside.substr(from, tab - from));
        if (!field.empty()) fields_.push_back(field);
        from = tab + 1;
    }
    return true;
}

Text::Text(std::string_view whole, const carob::Reading& reading) : refusal(no_text(whole)) {
    if (refusal) return;
    if (whole.substr(0, 3) == "\xEF\xBB\xBF") whole.remove_prefix(3);
    std::vector<std::size_t> counts;
    const auto expected = static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n')) + 1;
    lines.reserve(expected);
    counts.reserve(expected);
    fields_.reserve(6 * expected);
    for (std::size_t from = 0; from < whole.size();) {
        const std::size_t end = std::min(whole.find('\n', from), whole.size());
        const std::string_view line = whole.substr(from, end - from);
        from = end + 1;
        const std::size_t before = fields_.size();
        for (std::size_t at = 0; at < line.size();) {
            const auto blank = [&](std::size_t i) { return std::isspace(static_cast<unsigned char>(line[i])) != 0; };
            const std::size_t start = at;
            while (at < line.size() && !blank(at)) ++at;
            if (at != start) fields_.push_back(line.substr(start, at - start));
            ++at;
        }
        const std::size_t by_blanks = fields_.size() - before;
        const bool tabbed = !reading.loose && split_at_tabs(line, before);
        const carob::Comments comments = reading.comments;
        const bool mark = fields_.size() > before && fields_[before][0] == '#';
        const bool comment = mark && (comments == carob::Comments::any ||
                                      (comments == carob::Comments::first_byte && line[0] == '#'));
        lines.push_back({{}, comment, tabbed ? by_blanks : 0});
        counts.push_back(fields_.size() - before);
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        lines[i].fields = std::span(fields_).subspan(at, counts[i]);
        at += counts[i];
    }
}

Judged read_judgments(const Text& text, const carob::Reading& reading, carob::Duplicates policy) {
    Judged judged;
    judged.refusal = text.refusal;
    if (judged.refusal) return judged;
    judged.lines = static_cast<std::int64_t>(text.lines.size());
    std::vector<Judgment> all;
    judged.refusal =
        each_line(text.lines, reading, judged.malformed,
                  [&](const Line& line, std::int64_t number) -> std::optional<Complaint> {
                      if (with_nul(line.fields, line.fields.size())) return Complaint{Fault::nul, {}};
                      if (!reading.loose && begins_with_mark(line)) return Complaint{Fault::mark, {}};
                      if (line.fields.size() != 4) return wrong_columns(line, 4, Fault::columns);
                      const Number grade = grade_of(line.fields[3], reading.numbers);
                      if (grade.fault) return Complaint{*grade.fault, line.fields[3].substr(0, 80)};
                      all.push_back({line.fields[0], line.fields[2], grade.value, number});
                      return std::nullopt;
                  });
    if (judged.refusal) return judged;
    for (const Judgment& judgment : all) judged.queries.push_back(judgment.query);
    std::sort(judged.queries.begin(), judged.queries.end());
    judged.queries.erase(std::unique(judged.queries.begin(), judged.queries.end()), judged.queries.end());
    std::stable_sort(all.begin(), all.end(), [](const Judgment& a, const Judgment& b) { return a.query < b.query; });
    auto from = all.begin();
    for (const std::string_view query : judged.queries) {
        const auto to = std::find_if(from, all.end(), [&](const Judgment& judgment) { return judgment.query != query; });
        std::vector<Judgment> own(from, to);
        const std::size_t count = own.size();
        if (policy != carob::Duplicates::keep)
            own = Places(own).survivors(own, policy, [](const Judgment& j) { return j.grade; });
        judged.dropped += static_cast<std::int64_t>(count - own.size());
        judged.judgments.push_back(std::move(own));
        from = to;
    }
    return judged;
}

Ranked match(const Judged& judged, const Text& text, const carob::MatchOptions& options) {
    Ranked ranked;
    sorting_options = &options;
    ranked.refusal = text.refusal;
    if (ranked.refusal) return ranked;
    carob::Matched& out = ranked.matched;
    out.count.lines = static_cast<std::int64_t>(text.lines.size());
    std::vector<std::vector<Retrieved>> runs(judged.queries.size());
    std::size_t width = 0;  // of the first valid line
    ranked.refusal = each_line(
        text.lines, options.reading, out.count.malformed.count,
        [&](const Line& line, std::int64_t number) -> std::optional<Complaint> {
            const auto& fields = line.fields;
            if (with_nul(fields, options.reading.loose ? 6 : fields.size())) return Complaint{Fault::nul, {}};
            if (fields.size() < 6) return wrong_columns(line, width == 0 ? 6 : width, Fault::columns);
            if (!options.reading.loose && width != 0 && fields.size() != width) return wrong_columns(line, width, Fault::uneven);
            if (!options.reading.loose && width == 0 && are_joined(line, options.reading.numbers))
                return Complaint{Fault::joined, std::to_string(fields.size())};
            const Number score = score_of(fields[4], options.reading.numbers);
            if (score.fault) return Complaint{*score.fault, fields[4].substr(0, 80)};
            std::int64_t rank = 0;
            if (options.ties == carob::Ties::rank_column && rank_of(fields[3], options.reading.numbers, rank).fault) {
                return Complaint{Fault::rank, fields[3].substr(0, 80)};
            }
            width = fields.size();
            out.tag = fields[5];
            if (!options.reading.loose && begins_with_mark(line)) return Complaint{Fault::mark, {}};
            const auto at = std::lower_bound(judged.queries.begin(), judged.queries.end(), fields[0]);
            if (at == judged.queries.end() || *at != fields[0]) {
                out.extra.emplace_back(fields[0]);
            } else {
                auto& run = runs[static_cast<std::size_t>(at - judged.queries.begin())];
                const double value =
                    options.float32 ? static_cast<double>(static_cast<float>(score.value)) : score.value;
                run.push_back({fields[2], value, rank, number, run.size()});
            }
            return std::nullopt;
        });
    if (ranked.refusal) return ranked;
    std::sort(out.extra.begin(), out.extra.end());
    out.extra.erase(std::unique(out.extra.begin(), out.extra.end()), out.extra.end());

    out.offsets.push_back(0);
    std::int64_t judgment_base = 0;
    for (std::size_t q = 0; q < runs.size(); ++q) {
        std::vector<Retrieved> run = runs[q];
        const auto worse_than_before = [&](std::size_t i) { return i > 0 && !(run[i].score <= run[i - 1].score); };
        bool unordered = !run.empty() && std::isnan(run[0].score);
        for (std::size_t i = 0; i < run.size(); ++i) unordered |= worse_than_before(i);
        out.unordered += unordered;
        if (options.duplicates != carob::Duplicates::keep) {
            run = Places(run).survivors(run, options.duplicates, [](const Retrieved& r) { return r.score; });
            out.dropped += static_cast<std::int64_t>(runs[q].size() - run.size());
        }
        out.length.push_back(runs[q].empty() ? -1 : static_cast<std::int64_t>(run.size()));

        std::vector<const Retrieved*> order;
        order.reserve(run.size());
        for (const Retrieved& retrieved : run) order.push_back(&retrieved);
        const bool nan = std::any_of(run.begin(), run.end(), [](const Retrieved& r) { return std::isnan(r.score); });
        if (nan) {
            std::stable_sort(order.begin(), order.end(),
                             [](auto* a, auto* b) { return compare_ids(a->document, b->document) < 0; });
            std::qsort(order.data(), order.size(), sizeof order[0], compare_pointers);
        } else {
            std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return compare_retrieved(*a, *b, true) < 0; });
        }
#if defined(__GLIBC__) && (__GLIBC__ == 2 && __GLIBC_MINOR__ < 37)
        ranked.uncertain.push_back(false);  // this qsort is the merge sort that most trec_eval users have
#else
        ranked.uncertain.push_back(nan);
#endif
        std::vector<double> numbers;
        numbers.reserve(run.size());
        std::size_t nans = 0;
        for (const Retrieved& retrieved : run) {
            if (std::isnan(retrieved.score)) {
                ++nans;
            } else {
                numbers.push_back(retrieved.score);
            }
        }
        std::sort(numbers.rbegin(), numbers.rend());
        numbers.resize(numbers.size() + nans, std::nan(""));
        out.scores.insert(out.scores.end(), numbers.begin(), numbers.end());
        out.judged.push_back(0);
        out.first_tie.push_back(0);
        std::size_t first = 0, last = 0;
        const Places judgments(judged.judgments[q]);
        std::vector<std::size_t> rank_of_place(runs[q].size() + 1, 0);
        for (std::size_t r = 0; r < order.size(); ++r) {
            const Retrieved& here = *order[r];
            rank_of_place[here.place] = r + 1;
            if (r == 0 || nan || here.score != order[r - 1]->score) {
                first = last = r;
                while (!nan && last + 1 < order.size() && order[last + 1]->score == here.score) ++last;
            }
            const std::optional<std::size_t> j = judgments.first(here.document);
            if (!j) continue;
            ++out.judged.back();
            if (first != last && out.first_tie.back() == 0) out.first_tie.back() = static_cast<std::int64_t>(first) + 1;
            if (options.relevant_only && !(judged.judgments[q][*j].grade > 0)) continue;
            out.rank.push_back(static_cast<std::int64_t>(r) + 1);
            out.tie_first.push_back(static_cast<std::int64_t>(first) + 1);
            out.tie_last.push_back(static_cast<std::int64_t>(last) + 1);
            out.judgment.push_back(judgment_base + static_cast<std::int64_t>(*j));
        }
        out.offsets.push_back(static_cast<std::int64_t>(out.rank.size()));
        judgment_base += static_cast<std::int64_t>(judged.judgments[q].size());

        const Places places(run);
        for (std::size_t i = 0; options.duplicates == carob::Duplicates::keep && i < run.size(); ++i) {
            const Retrieved& original = run[*places.first(run[i].document)];
            if (original.line == run[i].line) continue;
            out.duplicates.push_back({static_cast<std::int64_t>(q),
                                      std::string(run[i].document),
                                      {0, original.line},
                                      {0, run[i].line},
                                      static_cast<std::int64_t>(rank_of_place[original.place]),
                                      static_cast<std::int64_t>(rank_of_place[run[i].place])});
        }
    }
    std::sort(out.duplicates.begin(), out.duplicates.end(),
              [](const auto& a, const auto& b) { return a.again.line < b.again.line; });
    return ranked;
}

// If every document of the query is judged relevant, the ranks of the judged documents are those of the whole list.
Listed rank_query(std::string_view query, const Text& text, const carob::MatchOptions& options) {
    Judged everything;
    everything.queries.push_back(query);
    everything.judgments.emplace_back();
    std::vector<Judgment>& documents = everything.judgments.front();
    for (const Line& line : text.lines) {
        if (line.comment || line.fields.size() < 3 || line.fields[0] != query) continue;
        documents.push_back({query, line.fields[2], 1.0, 0});
    }
    Ranked ranked = match(everything, text, options);
    Listed listed;
    listed.refusal = ranked.refusal;
    if (listed.refusal) return listed;
    for (const std::int64_t j : ranked.matched.judgment)
        listed.documents.emplace_back(documents[static_cast<std::size_t>(j)].document);
    listed.scores = ranked.matched.scores;
    listed.uncertain = ranked.uncertain.front();
    return listed;
}

}  // namespace oracle
