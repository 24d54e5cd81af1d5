// Reduces the documents retrieved for one query to its judged rows.
#include "matching/reduce.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace karat {

void Documents::find_places() {
    if (!places.empty() || documents.empty()) return;
    places.reserve(documents.size());
    places.push_back(start);
    for (std::size_t i = 1; i < documents.size(); ++i) {
        const std::int64_t lines = std::count(documents[i - 1].id, documents[i].id, '\n');
        places.push_back({start.block, places.back().line + lines});
    }
}

// One table holds the query's judged documents and, as they come, the retrieved ones: a single look tells "judged" and
// "seen before". Numbers below the count of judgments are judgments, the others retrieved documents.
void Reducer::join(std::int64_t query, const Documents& documents) {
    const auto q = static_cast<std::size_t>(query);
    const std::int64_t from = judgments_.offsets()[q];
    const auto judged = static_cast<std::uint32_t>(judgments_.offsets()[q + 1] - from);
    if (documents.size() >= IdTable::NONE - judged - 1) throw std::length_error("too many documents for one query");

    hits_.clear();
    repeats_.clear();
    retrieved_as_.assign(judged, -1);
    table_.reset(judged + documents.size());
    for (std::uint32_t j = 0; j < judged; ++j) {
        const std::string_view id = judgments_.document(from + j);
        table_.find_or_add(judgments_.hash(from + j), j,
                           [&](std::uint32_t k) { return judgments_.document(from + k) == id; });
    }
    const auto count = static_cast<std::uint32_t>(documents.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const Document& document = documents.documents[i];
        const auto same = [&](std::uint32_t number) {
            const std::string_view other =
                number < judged ? judgments_.document(from + number) : documents.documents[number - judged].name();
            return same_id(other, document.name());
        };
        const std::uint32_t number = table_.find_or_add(document.hash, judged + i, same);
        if (number == IdTable::NONE) continue;
        if (number >= judged) {
            repeats_.push_back({number - judged, i, -1});
        } else if (retrieved_as_[number] < 0) {
            retrieved_as_[number] = i;
            hits_.push_back({i, from + number});
        } else {
            repeats_.push_back({static_cast<std::uint32_t>(retrieved_as_[number]), i, from + number});
        }
    }
}

// Leaves one of each repeated document and moves the others' numbers up.
void Reducer::drop_repeats(Documents& documents) {
    const std::size_t count = documents.size();
    std::vector<char> kept(count, 1);
    std::vector<std::uint32_t> standing(count);
    std::iota(standing.begin(), standing.end(), 0u);
    for (const Again& again : repeats_) {
        std::uint32_t& held = standing[again.first];
        const bool later_wins =
            policy_ == Duplicates::last ||
            (policy_ == Duplicates::max && documents.documents[again.document].score > documents.documents[held].score);
        kept[later_wins ? held : again.document] = 0;
        if (later_wins) held = again.document;
    }
    std::vector<std::uint32_t> moved(count);
    std::uint32_t next = 0;
    documents.descending = true;
    for (std::size_t i = 0; i < count; ++i) {
        moved[i] = next;
        if (!kept[i]) continue;
        documents.documents[next] = documents.documents[i];
        if (!documents.ranks.empty()) documents.ranks[next] = documents.ranks[i];
        if (next > 0 && !(documents.documents[next].score <= documents.documents[next - 1].score))
            documents.descending = false;
        ++next;
    }
    documents.documents.resize(next);
    if (!documents.ranks.empty()) documents.ranks.resize(next);
    if (std::isnan(documents.documents[0].score)) documents.descending = false;
    for (Hit& hit : hits_) hit.document = moved[standing[hit.document]];
}

// The tie rule; equal ids, and ids that do not matter, keep the order of the file.
bool Reducer::goes_before(const Documents& documents, std::uint32_t a, std::uint32_t b) const {
    if (ties_ == Ties::rank_column) {
        if (documents.ranks[a] != documents.ranks[b]) return documents.ranks[a] < documents.ranks[b];
    } else if (ties_ != Ties::input) {
        const int order = compare_tied(documents.documents[a].name(), documents.documents[b].name(), ties_);
        if (order != 0) return order < 0;
    }
    return a < b;
}

const Reducer::Spot& Reducer::spot(std::uint32_t document) const {
    const auto at = std::lower_bound(wanted_.begin(), wanted_.end(), document);
    return spots_[static_cast<std::size_t>(at - wanted_.begin())];
}

void Reducer::rank_wanted(const Documents& documents) {
    spots_.assign(wanted_.size(), Spot{});
    if (wanted_.empty()) return;
    thresholds_.clear();
    for (const std::uint32_t i : wanted_) thresholds_.push_back(documents.documents[i].score);
    sort_distinct_descending(thresholds_);
    if (documents.descending) {
        find_standings_in_order(
            documents.size(), [&](std::size_t i) { return documents.documents[i].score; }, thresholds_, standings_);
    } else {
        scores_.clear();
        for (const Document& document : documents.documents) scores_.push_back(document.score);
        find_standings(scores_, thresholds_, standings_);
    }
    bool tied = false;
    for (std::size_t w = 0; w < wanted_.size(); ++w) {
        const Standing& standing = standings_[threshold_of(thresholds_, documents.documents[wanted_[w]].score)];
        const auto first = static_cast<std::int64_t>(standing.above) + 1;
        spots_[w] = {first, first, first + static_cast<std::int64_t>(standing.equal) - 1};
        tied |= standing.equal > 1;
    }
    if (tied) rank_in_ties(documents);
}

void Reducer::rank_in_ties(const Documents& documents) {
    // The members of each tied group in file order.
    if (groups_.size() < thresholds_.size()) groups_.resize(thresholds_.size());
    for (std::size_t t = 0; t < thresholds_.size(); ++t) groups_[t].clear();
    const auto count = static_cast<std::uint32_t>(documents.size());
    if (documents.descending) {
        for (std::size_t t = 0; t < thresholds_.size(); ++t) {
            if (standings_[t].equal < 2) continue;
            groups_[t].resize(standings_[t].equal);
            std::iota(groups_[t].begin(), groups_[t].end(), static_cast<std::uint32_t>(standings_[t].above));
        }
    } else {
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::size_t t = threshold_of(thresholds_, documents.documents[i].score);
            if (t < thresholds_.size() && thresholds_[t] == documents.documents[i].score && standings_[t].equal > 1) {
                groups_[t].push_back(i);
            }
        }
    }
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return goes_before(documents, a, b); };
    std::vector<std::size_t> asked(thresholds_.size(), 0);
    for (const std::uint32_t i : wanted_) ++asked[threshold_of(thresholds_, documents.documents[i].score)];
    // Counting the documents before one costs a pass; sorting costs about a dozen, and pays from then on.
    constexpr std::size_t SORT_FROM = 8;
    for (std::size_t t = 0; t < thresholds_.size(); ++t) {
        if (asked[t] >= SORT_FROM && ties_ != Ties::input) std::sort(groups_[t].begin(), groups_[t].end(), before);
    }
    for (std::size_t w = 0; w < wanted_.size(); ++w) {
        const std::uint32_t i = wanted_[w];
        const std::size_t t = threshold_of(thresholds_, documents.documents[i].score);
        const std::vector<std::uint32_t>& group = groups_[t];
        if (group.empty()) continue;
        const bool sorted = asked[t] >= SORT_FROM || ties_ == Ties::input;
        spots_[w].rank +=
            sorted ? std::lower_bound(group.begin(), group.end(), i, before) - group.begin()
                   : std::count_if(group.begin(), group.end(), [&](std::uint32_t k) { return before(k, i); });
    }
}

// NaN is neither above nor below anything, so "before" is no order and the result is that of an algorithm: trec_eval
// sorts lines by document id, then merge-sorts them as glibc's qsort does (halves n/2 and the rest, the left one first
// unless it compares greater).
void Reducer::rank_with_nan(const Documents& documents) {
    std::vector<std::uint32_t> order(documents.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return compare_ids(documents.documents[a].name(), documents.documents[b].name()) < 0;
    });
    const auto left_first = [&](std::uint32_t a, std::uint32_t b) {
        if (documents.documents[a].score > documents.documents[b].score) return true;
        if (documents.documents[a].score < documents.documents[b].score) return false;
        if (ties_ == Ties::input) return a <= b;
        if (ties_ == Ties::rank_column) return documents.ranks[a] <= documents.ranks[b];
        return compare_tied(documents.documents[a].name(), documents.documents[b].name(), ties_) <= 0;
    };
    std::vector<std::uint32_t> room(order.size());
    const auto sort = [&](const auto& self, std::uint32_t* items, std::size_t n) -> void {
        if (n <= 1) return;
        const std::size_t half = n / 2;
        self(self, items, half);
        self(self, items + half, n - half);
        std::size_t i = 0, j = half, out = 0;
        while (i < half && j < n) room[out++] = left_first(items[i], items[j]) ? items[i++] : items[j++];
        while (i < half) room[out++] = items[i++];
        while (j < n) room[out++] = items[j++];
        std::copy_n(room.begin(), n, items);
    };
    sort(sort, order.data(), order.size());
    std::vector<std::int64_t> rank(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<std::int64_t>(k) + 1;
    spots_.clear();
    for (const std::uint32_t i : wanted_) spots_.push_back({rank[i], rank[i], rank[i]});
}

void Reducer::report(std::int64_t query, Documents& documents, Findings& findings) {
    const std::size_t first_row = findings.rows.size();
    bool tied = false;
    for (const Hit& hit : hits_) {
        const Spot& at = spot(hit.document);
        findings.rows.push_back({at.rank, at.tie_first, at.tie_last, hit.judgment});
        tied |= at.tie_first != at.tie_last;
    }
    if (!repeats_.empty()) documents.find_places();
    for (const Again& again : repeats_) {
        const Spot& at = spot(again.document);
        findings.repeats.push_back({query, std::string(documents.documents[again.document].name()),
                                    documents.places[again.first], documents.places[again.document],
                                    spot(again.first).rank, at.rank});
        if (again.judgment < 0) continue;
        findings.rows.push_back({at.rank, at.tie_first, at.tie_last, again.judgment});
        tied |= at.tie_first != at.tie_last;
    }
    std::sort(findings.rows.begin() + static_cast<std::ptrdiff_t>(first_row), findings.rows.end(),
              [](const Row& a, const Row& b) { return a.rank < b.rank; });
    findings.queries.push_back({query, static_cast<std::int64_t>(documents.size()), first_row,
                                findings.rows.size() - first_row, findings.scores.size()});
    findings.tied_queries += tied;
    if (with_scores_) report_scores(documents, findings);
}

// Equal scores need no order among themselves.
void Reducer::report_scores(const Documents& documents, Findings& findings) const {
    const auto first = static_cast<std::ptrdiff_t>(findings.scores.size());
    for (const Document& document : documents.documents) findings.scores.push_back(document.score);
    if (!documents.descending) std::sort(findings.scores.begin() + first, findings.scores.end(), falls);
}

void Reducer::reduce(std::int64_t query, Documents& documents, Findings& findings) {
    join(query, documents);
    if (!documents.descending) ++findings.unordered;
    if (policy_ != Duplicates::keep && !repeats_.empty()) {
        findings.dropped += static_cast<std::int64_t>(repeats_.size());
        drop_repeats(documents);
        repeats_.clear();
    }
    wanted_.clear();
    for (const Hit& hit : hits_) wanted_.push_back(hit.document);
    for (const Again& again : repeats_) {
        wanted_.push_back(again.first);
        wanted_.push_back(again.document);
    }
    if (!std::is_sorted(wanted_.begin(), wanted_.end()) || !repeats_.empty()) {
        std::sort(wanted_.begin(), wanted_.end());
        wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
    }
    const bool has_nan = !documents.descending && std::any_of(documents.documents.begin(), documents.documents.end(),
                                                              [](const Document& d) { return std::isnan(d.score); });
    if (has_nan) {
        rank_with_nan(documents);
    } else {
        rank_wanted(documents);
    }
    report(query, documents, findings);
}

}  // namespace karat
