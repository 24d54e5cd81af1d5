// Looks for signs that a list is not what it seems: equal scores, ranks or distances instead of scores, or ids in
// another spelling.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/text.h"

namespace carob {

namespace sign {
inline constexpr std::uint8_t CONSTANT = 1;  // several documents, all with the same score
inline constexpr std::uint8_t RISING = 2;    // no score is below the one before it, and some are above
inline constexpr std::uint8_t COUNTING = 4;  // the scores are equal steps from near 0, and do not fall
}  // namespace sign

// How many pairs of documents a rank column puts in the order of their scores, and how many in the opposite order.
struct Accord {
    std::int64_t agree = 0, contradict = 0;

    void compare(double rank, double score, double other_rank, double other_score) {
        const bool first = rank < other_rank, above = score > other_score;
        const std::int64_t differ = (rank != other_rank) & (score < other_score || above);
        agree += differ & (first == above);
        contradict += differ & (first != above);
    }

    void add(const Accord& other) {
        agree += other.agree;
        contradict += other.contradict;
    }
};

// A judged document that a run may have under another id.
struct Respelled {
    std::int64_t query;
    std::string judged, ranked;
};

// Signs noticed in the lists of judged queries while they are matched.
struct Noticed {
    static constexpr std::size_t EXAMPLES = 3;

    Accord ranks;  // from some pairs of neighbouring documents
    std::int64_t infinite = 0;
    std::int64_t respelled_count = 0;
    std::vector<Respelled> respelled;  // of the first queries
    std::vector<Respelled> affixed;    // one id is a part of the other, in a few queries
    bool odd_ids = false;              // an id may have a spelling that only normalization finds

    void add(Noticed&& other) {
        ranks.add(other.ranks);
        infinite += other.infinite;
        respelled_count += other.respelled_count;
        odd_ids |= other.odd_ids;
        for (Respelled& each : other.respelled) respelled.push_back(std::move(each));
        for (Respelled& each : other.affixed) affixed.push_back(std::move(each));
        std::sort(respelled.begin(), respelled.end(), [](const Respelled& a, const Respelled& b) {
            return a.query != b.query ? a.query < b.query : compare_ids(a.judged, b.judged) < 0;
        });
        if (respelled.size() > EXAMPLES) respelled.resize(EXAMPLES);
    }
};

// Whether the scores from `low` to `high`, in any order, rise in equal steps from a value near 0, for example 1, 2, 3;
// 0.1, 0.2, 0.3; 1.5, 2.5, 3.5; or 1, 3, 5. If they start at 0, the step must be a whole number, because the scores of
// three documents may have been scaled to 0, 0.5, 1.
template <class ScoreAt>
bool counts(std::size_t count, double low, double high, ScoreAt&& score_at, std::vector<char>& seen) {
    if (count < 3 || low < 0 || !(low < high) || std::isinf(high)) return false;
    const double step = (high - low) / static_cast<double>(count - 1);
    if (low > 2 * step || (low == 0 && step != std::floor(step))) return false;
    seen.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const double place = (score_at(i) - low) / step, whole = std::nearbyint(place);
        if (!(std::abs(place - whole) <= 1e-6)) return false;  // nor NaN
        char& known = seen[static_cast<std::size_t>(whole)];
        if (known != 0) return false;
        known = 1;
    }
    return true;
}

// Returns the signs of a list's scores, given in the order of its lines. A list in descending order of score takes only
// a few steps.
template <class ScoreAt>
std::uint8_t signs_of(std::size_t count, bool descending, ScoreAt&& score_at, std::vector<char>& seen, std::int64_t& infinite) {
    if (count == 0) return 0;
    if (descending) {
        std::size_t from = 0, to = count;
        while (from < to && std::isinf(score_at(from))) ++from;
        while (from < to && std::isinf(score_at(to - 1))) --to;
        infinite += static_cast<std::int64_t>(count - (to - from));
        return count > 1 && score_at(0) == score_at(count - 1) ? sign::CONSTANT : 0;
    }
    double low = score_at(0), high = low;
    bool rising = true;
    for (std::size_t i = 0; i < count; ++i) {
        const double score = score_at(i);
        infinite += std::isinf(score);
        rising &= i == 0 || score >= score_at(i - 1);
        low = std::min(low, score);
        high = std::max(high, score);
    }
    std::uint8_t found = 0;
    if (rising && low < high) found |= sign::RISING;
    if (counts(count, low, high, score_at, seen)) found |= sign::COUNTING;
    return found;
}

// Calls try_id(id) with other spellings of an id: as a number with a fraction, without or with leading zeros (up to
// `width` digits), in lower case and in upper case.
template <class TryId>
void each_spelling(std::string_view id, std::size_t width, std::string& room, TryId&& try_id) {
    const auto digits = [](std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); };
    if (id.size() > 2 && id.substr(id.size() - 2) == ".0" && digits(id.substr(0, id.size() - 2))) try_id(id.substr(0, id.size() - 2));
    if (digits(id)) {
        room.assign(id).append(".0");
        try_id(std::string_view(room));
        const std::size_t first = std::min(id.find_first_not_of('0'), id.size() - 1);
        if (first != 0) try_id(id.substr(first));
        if (id.size() < width) {
            room.assign(width - id.size(), '0').append(id);
            try_id(std::string_view(room));
        }
        return;
    }
    const auto changed = [&](char from, char to, int by) {
        room.assign(id);
        bool any = false;
        for (char& c : room) {
            const bool its = c >= from && c <= to;
            any |= its;
            if (its) c = static_cast<char>(c + by);
        }
        if (any) try_id(std::string_view(room));
    };
    changed('A', 'Z', 'a' - 'A');
    changed('a', 'z', 'A' - 'a');
}

// Whether an id contains letters, blanks or escapes (%20) that have other spellings which each_spelling() cannot list.
inline bool is_odd(std::string_view id) {
    bool found = false;  // no branch per byte, since hardly any byte is odd
    for (const char c : id) found |= (static_cast<unsigned char>(c) - 0x21u > 0x5du) | (c == '%') | (c == '"');
    return found;
}

// Chooses which queries are examined and how many documents of each: about five hundred documents of a run in total.
struct Sample {
    static constexpr std::int64_t DOCUMENTS = 500;
    static constexpr std::int64_t MOST = 64;      // documents of a query
    static constexpr std::size_t RETRIEVED = 16;  // documents of a list whose ids are examined

    static constexpr std::int64_t PARTED = 32;  // queries whose ids are split into words
    static constexpr std::int64_t RANKS = 1024;  // pairs of documents whose ranks are compared

    static bool parts(std::int64_t query, std::int64_t queries) { return query % (1 + queries / PARTED) == 0; }
    // The number of documents of a list whose ids are split into words; the same number of judgments is split.
    static std::size_t parted(std::int64_t queries) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(4 * DOCUMENTS / std::max<std::int64_t>(queries, 1), 32, 256));
    }
    // How many pairs of a list's documents are compared: all pairs if the lists are few and short.
    static std::size_t ranks(std::size_t length, std::size_t least, std::int64_t queries) {
        return std::min(length - 1, std::max(least, static_cast<std::size_t>(RANKS / std::max<std::int64_t>(queries, 1))));
    }
    static bool holds(std::int64_t query, std::int64_t queries) { return query % (1 + queries / DOCUMENTS) == 0; }
    // The first relevant document may be missing for a good reason, so several are checked if there are few queries.
    static std::int64_t of(std::size_t length, std::int64_t queries) {
        const auto by_length = std::min<std::int64_t>(4, 1 + static_cast<std::int64_t>(length) / 64);
        return std::max(by_length, std::min(MOST, DOCUMENTS / std::max<std::int64_t>(queries, 1)));
    }
    // Whether at most half of a list is judged. If more is judged, the list evidently spells ids as the judgments do.
    static bool few(std::size_t judged, std::size_t documents) { return 2 * judged <= documents; }
};

}  // namespace carob
