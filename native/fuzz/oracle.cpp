// This file reads judgments and runs slowly and plainly: strings, C's own number parsing, full sorts.
//
// It shares no code with the kernel but the types it fills in.
#include "oracle.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <unordered_set>

namespace oracle {
namespace {

using karat::Fault;

struct Line {
    std::string text;
    std::vector<std::string> fields;
    bool comment = false;
};

std::vector<Line> take_apart(const std::string& whole, karat::Comments comments) {
    std::string text = whole.rfind("\xEF\xBB\xBF", 0) == 0 ? whole.substr(3) : whole;
    if (!text.empty() && text.back() != '\n') text += '\n';
    std::vector<Line> lines;
    Line line;
    for (const char c : text) {
        if (c != '\n') {
            line.text += c;
            continue;
        }
        std::string field;
        for (const char d : line.text + ' ') {
            if (std::isspace(static_cast<unsigned char>(d)) == 0) {
                field += d;
            } else if (!field.empty()) {
                line.fields.push_back(field);
                field.clear();
            }
        }
        const bool mark = !line.fields.empty() && line.fields[0][0] == '#';
        line.comment = mark && (comments == karat::Comments::any ||
                                (comments == karat::Comments::first_byte && line.text[0] == '#'));
        lines.push_back(line);
        line = Line{};
    }
    return lines;
}

std::optional<Refusal> no_text(const std::string& text) {
    const auto starts = [&](const char* mark) { return text.rfind(mark, 0) == 0; };
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
bool with_nul(const std::vector<std::string>& fields, std::size_t first) {
    for (std::size_t i = 0; i < fields.size() && i < first; ++i) {
        if (fields[i].find('\0') != std::string::npos) return true;
    }
    return false;
}

// Whether a whole number is another one as a double.
bool rounded_off(const std::string& digits, double value) {
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos || !std::isfinite(value)) return false;
    char printed[400];
    std::snprintf(printed, sizeof printed, "%.0f", std::abs(value));
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1)) != printed;
}

Number score_of(const std::string& token, karat::Numbers numbers) {
    char* stopped = nullptr;
    const double value = std::strtod(token.c_str(), &stopped);
    if (numbers == karat::Numbers::c) return {value, {}};
    const std::string word = lower_without_sign(token);
    if (word == "nan") return {0, Fault::nan};
    const bool whole = static_cast<std::size_t>(stopped - token.c_str()) == token.size();
    if (!whole || word.find_first_of("xpn") != std::string::npos) {
        if (word != "inf" && word != "infinity") return {0, Fault::number};
    }
    if (rounded_off(word, value)) return {0, Fault::wide};
    return {value, {}};
}

Number grade_of(const std::string& token, karat::Numbers numbers) {
    if (numbers == karat::Numbers::c) return {static_cast<double>(std::strtoll(token.c_str(), nullptr, 10)), {}};
    Number number = score_of(token, numbers);
    if (!number.fault && !std::isfinite(number.value)) number.fault = Fault::number;
    return number;
}

Number rank_of(const std::string& token, karat::Numbers numbers, std::int64_t& rank) {
    char* stopped = nullptr;
    errno = 0;
    rank = std::strtoll(token.c_str(), &stopped, 10);
    if (numbers == karat::Numbers::c) return {};
    const bool whole = static_cast<std::size_t>(stopped - token.c_str()) == token.size();
    if (!whole || errno == ERANGE) return {0, Fault::rank};
    return {};
}

// Calls `data` for each line of data; it may complain. Lenient rules go on, others stop at the first complaint.
std::optional<Refusal> each_line(
    const std::vector<Line>& lines, const karat::Reading& reading, std::int64_t& malformed,
    const std::function<std::optional<std::pair<Fault, std::string>>(const Line&, std::int64_t)>& data) {
    std::int64_t number = 0;
    std::int64_t data_lines = 0;
    for (const Line& line : lines) {
        ++number;
        if (line.comment) continue;
        std::optional<std::pair<Fault, std::string>> complaint;
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

// Of several occurrences, in file order, the one that a policy leaves.
template <class Item, class Worth>
std::size_t survivor(const std::vector<Item>& items, const std::vector<std::size_t>& same, karat::Duplicates policy,
                     Worth worth) {
    if (policy == karat::Duplicates::first) return same.front();
    if (policy == karat::Duplicates::last) return same.back();
    std::size_t best = same.front();
    for (const std::size_t i : same) {
        if (worth(items[i]) > worth(items[best])) best = i;
    }
    return best;
}

struct Retrieved {
    std::string document;
    double score;
    std::int64_t rank;
    std::int64_t line;
    std::size_t place;
};

const karat::MatchOptions* sorting_options = nullptr;

int compare_ids(const std::string& a, const std::string& b) {
    return a.compare(b);  // std::string compares as unsigned bytes
}

// Below 0 when `a` goes before `b`.
int compare_retrieved(const Retrieved& a, const Retrieved& b, bool by_place) {
    if (a.score > b.score) return -1;
    if (a.score < b.score) return 1;
    int order = 0;
    switch (sorting_options->ties) {
        case karat::Ties::trec: order = compare_ids(b.document, a.document); break;
        case karat::Ties::ascending: order = compare_ids(a.document, b.document); break;
        case karat::Ties::input: order = a.place < b.place ? -1 : a.place > b.place; break;
        case karat::Ties::rank_column: order = a.rank < b.rank ? -1 : a.rank > b.rank; break;
    }
    if (order != 0 || !by_place) return order;
    return a.place < b.place ? -1 : a.place > b.place;
}

extern "C" int compare_pointers(const void* a, const void* b) {
    return compare_retrieved(**static_cast<const Retrieved* const*>(a), **static_cast<const Retrieved* const*>(b),
                             false);
}

}  // namespace

Judged read_judgments(const std::string& text, const karat::Reading& reading, karat::Duplicates policy) {
    Judged judged;
    judged.refusal = no_text(text);
    if (judged.refusal) return judged;
    const std::vector<Line> lines = take_apart(text, reading.comments);
    judged.lines = static_cast<std::int64_t>(lines.size());
    std::vector<Judgment> all;
    judged.refusal =
        each_line(lines, reading, judged.malformed,
                  [&](const Line& line, std::int64_t number) -> std::optional<std::pair<Fault, std::string>> {
                      if (with_nul(line.fields, line.fields.size())) return std::pair{Fault::nul, std::string()};
                      if (line.fields.size() != 4) return std::pair{Fault::columns, std::to_string(line.fields.size())};
                      const Number grade = grade_of(line.fields[3], reading.numbers);
                      if (grade.fault) return std::pair{*grade.fault, line.fields[3].substr(0, 80)};
                      all.push_back({line.fields[0], line.fields[2], grade.value, number});
                      return std::nullopt;
                  });
    if (judged.refusal) return judged;
    for (const Judgment& judgment : all) judged.queries.push_back(judgment.query);
    std::sort(judged.queries.begin(), judged.queries.end());
    judged.queries.erase(std::unique(judged.queries.begin(), judged.queries.end()), judged.queries.end());
    for (const std::string& query : judged.queries) {
        std::vector<Judgment> own;
        for (const Judgment& judgment : all) {
            if (judgment.query == query) own.push_back(judgment);
        }
        std::vector<Judgment> kept;
        for (std::size_t i = 0; i < own.size(); ++i) {
            std::vector<std::size_t> same;
            for (std::size_t k = 0; k < own.size(); ++k) {
                if (own[k].document == own[i].document) same.push_back(k);
            }
            if (policy == karat::Duplicates::keep ||
                survivor(own, same, policy, [](const Judgment& j) { return j.grade; }) == i) {
                kept.push_back(own[i]);
            } else {
                ++judged.dropped;
            }
        }
        judged.judgments.push_back(kept);
    }
    return judged;
}

Ranked match(const Judged& judged, const std::string& text, const karat::MatchOptions& options) {
    Ranked ranked;
    sorting_options = &options;
    ranked.refusal = no_text(text);
    if (ranked.refusal) return ranked;
    karat::Matched& out = ranked.matched;
    const std::vector<Line> lines = take_apart(text, options.reading.comments);
    out.count.lines = static_cast<std::int64_t>(lines.size());
    std::vector<std::vector<Retrieved>> runs(judged.queries.size());
    ranked.refusal = each_line(
        lines, options.reading, out.count.malformed.count,
        [&](const Line& line, std::int64_t number) -> std::optional<std::pair<Fault, std::string>> {
            const auto& fields = line.fields;
            if (with_nul(fields, 6)) return std::pair{Fault::nul, std::string()};
            if (fields.size() < 6) return std::pair{Fault::columns, std::to_string(fields.size())};
            const Number score = score_of(fields[4], options.reading.numbers);
            if (score.fault) return std::pair{*score.fault, fields[4].substr(0, 80)};
            std::int64_t rank = 0;
            if (options.ties == karat::Ties::rank_column && rank_of(fields[3], options.reading.numbers, rank).fault) {
                return std::pair{Fault::rank, fields[3].substr(0, 80)};
            }
            out.tag = fields[5];
            const auto at = std::find(judged.queries.begin(), judged.queries.end(), fields[0]);
            if (at == judged.queries.end()) {
                out.extra.push_back(fields[0]);
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
        if (options.duplicates != karat::Duplicates::keep) {
            std::vector<Retrieved> kept;
            for (std::size_t i = 0; i < run.size(); ++i) {
                std::vector<std::size_t> same;
                for (std::size_t k = 0; k < run.size(); ++k) {
                    if (run[k].document == run[i].document) same.push_back(k);
                }
                if (survivor(run, same, options.duplicates, [](const Retrieved& r) { return r.score; }) == i) {
                    kept.push_back(run[i]);
                } else {
                    ++out.dropped;
                }
            }
            run = kept;
        }
        out.length.push_back(runs[q].empty() ? -1 : static_cast<std::int64_t>(run.size()));

        std::vector<const Retrieved*> order;
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
        ranked.uncertain.push_back(false);  // this qsort is the merge sort that trec_eval's users have
#else
        ranked.uncertain.push_back(nan);
#endif
        std::vector<double> numbers;
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
        bool tied = false;
        std::vector<std::size_t> rank_of_place(runs[q].size() + 1, 0);
        for (std::size_t r = 0; r < order.size(); ++r) {
            const Retrieved& here = *order[r];
            rank_of_place[here.place] = r + 1;
            std::size_t first = r, last = r;
            while (!nan && first > 0 && order[first - 1]->score == here.score) --first;
            while (!nan && last + 1 < order.size() && order[last + 1]->score == here.score) ++last;
            const auto& own = judged.judgments[q];
            const auto j = std::find_if(own.begin(), own.end(),
                                        [&](const Judgment& one) { return one.document == here.document; });
            if (j == own.end()) continue;
            out.rank.push_back(static_cast<std::int64_t>(r) + 1);
            out.tie_first.push_back(static_cast<std::int64_t>(first) + 1);
            out.tie_last.push_back(static_cast<std::int64_t>(last) + 1);
            out.judgment.push_back(judgment_base + (j - own.begin()));
            tied |= first != last;
        }
        out.tied_queries += tied;
        out.offsets.push_back(static_cast<std::int64_t>(out.rank.size()));
        judgment_base += static_cast<std::int64_t>(judged.judgments[q].size());

        for (std::size_t i = 0; options.duplicates == karat::Duplicates::keep && i < run.size(); ++i) {
            const auto first =
                std::find_if(run.begin(), run.end(), [&](const Retrieved& r) { return r.document == run[i].document; });
            if (first == run.begin() + static_cast<std::ptrdiff_t>(i)) continue;
            out.duplicates.push_back({static_cast<std::int64_t>(q),
                                      run[i].document,
                                      {0, first->line},
                                      {0, run[i].line},
                                      static_cast<std::int64_t>(rank_of_place[first->place]),
                                      static_cast<std::int64_t>(rank_of_place[run[i].place])});
        }
    }
    std::sort(out.duplicates.begin(), out.duplicates.end(),
              [](const auto& a, const auto& b) { return a.again.line < b.again.line; });
    return ranked;
}

// With every document of the query judged, the ranks of judged documents are the whole list.
Listed rank_query(const std::string& query, const std::string& text, const karat::MatchOptions& options) {
    Judged everything;
    everything.queries.push_back(query);
    everything.judgments.emplace_back();
    std::vector<Judgment>& documents = everything.judgments.front();
    for (const Line& line : take_apart(text, options.reading.comments)) {
        if (line.comment || line.fields.size() < 3 || line.fields[0] != query) continue;
        const auto same = [&](const Judgment& one) { return one.document == line.fields[2]; };
        if (std::none_of(documents.begin(), documents.end(), same))
            documents.push_back({query, line.fields[2], 0.0, 0});
    }
    Ranked ranked = match(everything, text, options);
    Listed listed;
    listed.refusal = ranked.refusal;
    if (listed.refusal) return listed;
    for (const std::int64_t j : ranked.matched.judgment)
        listed.documents.push_back(documents[static_cast<std::size_t>(j)].document);
    listed.scores = ranked.matched.scores;
    listed.uncertain = ranked.uncertain.front();
    return listed;
}

}  // namespace oracle
