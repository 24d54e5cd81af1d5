// Reduces the documents retrieved for one query to its judged rows.
#include "matching/reduce.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace carob {

void Documents::find_places() {
    if (!places.empty() || documents.empty()) return;
    places.reserve(documents.size());
    places.push_back(start);
    for (std::size_t i = 1; i < documents.size(); ++i) {
        const std::int64_t lines = std::count(documents[i - 1].id, documents[i].id, '\n');
        places.push_back({start.block, places.back().line + lines});
    }
}

// Judged documents are looked up in the table of the judgments, which is built once; unjudged documents are kept until
// the query ends, to detect repeated ones.
void Reducer::join(std::int64_t query, const Documents& documents) {
    const auto q = static_cast<std::size_t>(query);
    const std::int64_t from = judgments_.offsets()[q];
    const auto count = static_cast<std::uint32_t>(documents.size());
    if (documents.size() >= NEVER - 1) throw std::length_error("too many documents for one query");

    hits_.clear();
    repeats_.clear();
    retrieved_as_.assign(static_cast<std::size_t>(judgments_.offsets()[q + 1] - from), NEVER);
    unjudged_.reset(std::size_t{2} * count);  // larger than necessary, for fewer collisions
    for (std::uint32_t start = 0; start < count; start += Judgments::TOGETHER) {
        std::int64_t found[Judgments::TOGETHER];
        const auto some = std::min<std::uint32_t>(Judgments::TOGETHER, count - start);
        judgments_.find_documents(query, documents.documents.data() + start, some, found);
        // The processor cannot predict which documents are judged, so both lists are written without a branch.
        std::uint32_t judged[Judgments::TOGETHER + 1], others[Judgments::TOGETHER + 1];
        std::uint32_t judged_count = 0, other_count = 0;
        for (std::uint32_t i = 0; i < some; ++i) {
            judged[judged_count] = others[other_count] = i;
            judged_count += found[i] >= 0;
            other_count += found[i] < 0;
        }
        for (std::uint32_t k = 0; k < judged_count; ++k) {
            const std::uint32_t i = start + judged[k];
            const std::int64_t judgment = found[judged[k]];
            std::uint32_t& retrieved_as = retrieved_as_[static_cast<std::size_t>(judgment - from)];
            if (retrieved_as == NEVER) {
                retrieved_as = i;
                hits_.push_back({i, judgment});
            } else {
                repeats_.push_back({retrieved_as, i, judgment});
            }
        }
        for (std::uint32_t k = 0; k < other_count; ++k) {
            const std::uint32_t i = start + others[k];
            const Document& document = documents.documents[i];
            const auto same = [&](std::uint32_t other) { return same_id(documents.documents[other].name(), document.name()); };
            const std::uint32_t first = unjudged_.find_or_add(document.hash, i, same);
            if (first != IdTable::NONE) repeats_.push_back({first, i, -1});
        }
    }
    std::sort(repeats_.begin(), repeats_.end(), [](const Again& a, const Again& b) { return a.document < b.document; });
}

// Keeps one occurrence of each repeated document and renumbers the remaining documents.
void Reducer::drop_repeats(Documents& documents) {
    const std::size_t count = documents.size();
    std::vector<char> kept(count, 1);
    std::vector<std::uint32_t> standing(count);
    std::iota(standing.begin(), standing.end(), 0u);
    for (const Again& again : repeats_) {
        std::uint32_t& held = standing[again.first];
        const bool later_wins = later_counts(policy_, documents.documents[held].score, documents.documents[again.document].score);
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

// Applies the tie rule. Equal ids keep the order of the file, and so do all ids under a rule that ignores ids.
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

// Counts the scores above and equal to a few given scores, without sorting all of them.
void Reducer::rank_few(const Documents& documents) {
    spots_.assign(wanted_.size(), Spot{});
    if (wanted_.empty()) return;
    thresholds_.clear();
    for (const std::uint32_t i : wanted_) thresholds_.push_back(documents.documents[i].score);
    sort_distinct_descending(thresholds_);
    scores_.clear();
    for (const Document& document : documents.documents) scores_.push_back(document.score);
    find_standings(scores_, thresholds_, standings_);
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
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t t = threshold_of(thresholds_, documents.documents[i].score);
        if (t < thresholds_.size() && thresholds_[t] == documents.documents[i].score && standings_[t].equal > 1) {
            groups_[t].push_back(i);
        }
    }
    for (std::size_t w = 0; w < wanted_.size(); ++w) {
        const std::uint32_t i = wanted_[w];
        const auto before = [&](std::uint32_t other) { return goes_before(documents, other, i); };
        const auto& group = groups_[threshold_of(thresholds_, documents.documents[i].score)];
        spots_[w].rank += std::count_if(group.begin(), group.end(), before);
    }
}

// Visits all documents from the highest score down.
void Reducer::rank_many(const Documents& documents) {
    const std::size_t count = documents.size();
    const auto score = [&](std::size_t place) { return documents.documents[order_[place]].score; };
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0u);
    if (!documents.descending) {
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
            const double first = documents.documents[a].score, second = documents.documents[b].score;
            return first > second || (first == second && a < b);
        });
    }
    number_.assign(count, NEVER);
    for (std::size_t w = 0; w < wanted_.size(); ++w) number_[wanted_[w]] = static_cast<std::uint32_t>(w);
    spots_.resize(wanted_.size());
    for (std::size_t from = 0, to = 0; from < count; from = to) {
        bool any = false;
        for (to = from; to < count && score(to) == score(from); ++to) any |= number_[order_[to]] != NEVER;
        if (!any) continue;
        if (to - from > 1) sort_tied(documents, order_.data() + from, order_.data() + to);
        for (std::size_t place = from; place < to; ++place) {
            const std::uint32_t w = number_[order_[place]];
            if (w != NEVER)
                spots_[w] = {static_cast<std::int64_t>(place) + 1, static_cast<std::int64_t>(from) + 1,
                             static_cast<std::int64_t>(to)};
        }
    }
}

// Sorts documents with equal scores, given in file order, by the tie rule. Most ids differ within the eight bytes after
// their common prefix.
void Reducer::sort_tied(const Documents& documents, std::uint32_t* first, std::uint32_t* last) {
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return goes_before(documents, a, b); };
    if (ties_ == Ties::input) return;
    if (ties_ == Ties::rank_column || last - first < 4) {
        std::sort(first, last, before);
        return;
    }
    const std::string_view one = documents.documents[*first].name();
    std::size_t shared = one.size();
    for (const std::uint32_t* at = first; at != last; ++at) {
        const std::string_view name = documents.documents[*at].name();
        shared = std::min(shared, name.size());
        shared = static_cast<std::size_t>(std::mismatch(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(shared), one.begin()).first - name.begin());
    }
    tied_.clear();
    for (const std::uint32_t* at = first; at != last; ++at) {
        const std::string_view name = documents.documents[*at].name();
        std::uint64_t bytes = 0;
        for (std::size_t i = shared; i < shared + 8; ++i)
            bytes = bytes << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0u);
        tied_.push_back({ties_ == Ties::ascending ? bytes : ~bytes, *at});
    }
    std::sort(tied_.begin(), tied_.end(), [&](const Tied& a, const Tied& b) {
        return a.bytes != b.bytes ? a.bytes < b.bytes : before(a.document, b.document);
    });
    for (const Tied& each : tied_) *first++ = each.document;
}

// NaN is neither above nor below any number, so comparing scores defines no order, and the result depends on the
// algorithm. trec_eval sorts lines by document id, then merge-sorts them as glibc's qsort does (it splits n items into
// n/2 and the rest, and takes the left item first unless it compares greater).
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
    QueryRows its = findings.begin(query, documents.size());
    its.signs = signs_;
    const auto add = [&](const Spot& at, std::int64_t judgment) {
        findings.add(its, at.rank, at.tie_first, at.tie_last, judgment, has_row(judgment));
    };
    for (std::size_t i = 0; i < hits_.size(); ++i) {
        const Hit& hit = hits_[i];
        add(wanted_[i] == hit.document ? spots_[i] : spot(hit.document), hit.judgment);
    }
    if (!repeats_.empty()) documents.find_places();
    for (const Again& again : repeats_) {
        const Spot& at = spot(again.document);
        findings.repeats.push_back({query, std::string(documents.documents[again.document].name()),
                                    documents.places[again.first], documents.places[again.document],
                                    spot(again.first).rank, at.rank});
        if (again.judgment >= 0) add(at, again.judgment);
    }
    sort_rows(findings, its.row, documents.size());
    findings.end(its);
    if (with_scores_) report_scores(documents, findings);
}

// Reports documents that arrive from the highest score down: a comparison of each judged document with its neighbours
// shows whether it is tied. A tied group is sorted only if several of its documents have rows; if only one has a row,
// the documents before it are counted.
void Reducer::report_in_order(std::int64_t query, const Documents& documents, Findings& findings) {
    QueryRows its = findings.begin(query, documents.size());
    its.signs = signs_;
    const auto count = static_cast<std::uint32_t>(documents.size());
    const auto score = [&](std::uint32_t document) { return documents.documents[document].score; };
    order_.resize(count);
    number_.resize(count);
    std::uint32_t from = 0, to = 0;  // the group of equal scores
    bool sorted = false;
    // Whether a later hit in the same group has a row.
    const auto has_another = [&](std::size_t h) {
        while (++h < hits_.size() && hits_[h].document < to) {
            if (has_row(hits_[h].judgment)) return true;
        }
        return false;
    };
    for (std::size_t h = 0; h < hits_.size(); ++h) {
        const Hit& hit = hits_[h];
        const std::uint32_t i = hit.document;
        if (i < from || i >= to) {  // after dropped documents, hits are not in order
            sorted = false;
            for (from = i; from > 0 && score(from - 1) == score(i);) --from;
            for (to = i + 1; to < count && score(to) == score(i);) ++to;
        }
        const bool with_row = has_row(hit.judgment);
        std::uint32_t place = sorted ? number_[i] : i;
        if (with_row && !sorted && to - from > 1) {
            if (!has_another(h)) {  // so no other hit needs an order
                place = from;
                for (std::uint32_t other = from; other < to; ++other) place += other != i && goes_before(documents, other, i);
            } else {
                std::iota(order_.begin() + from, order_.begin() + to, from);
                sort_tied(documents, order_.data() + from, order_.data() + to);
                for (std::uint32_t at = from; at < to; ++at) number_[order_[at]] = at;
                sorted = true;
                place = number_[i];
            }
        }
        findings.add(its, place + std::int64_t{1}, from + std::int64_t{1}, to, hit.judgment, with_row);
    }
    sort_rows(findings, its.row, documents.size());
    findings.end(its);
    if (with_scores_) report_scores(documents, findings);
}

// Sorts rows by rank. Ranks are distinct, so if there are many rows, each is written directly to the place of its rank.
void Reducer::sort_rows(Findings& findings, std::size_t first, std::size_t documents) {
    const auto begin = findings.rows.begin() + static_cast<std::ptrdiff_t>(first);
    const auto by_rank = [](const Row& a, const Row& b) { return a.rank < b.rank; };
    const std::size_t count = findings.rows.size() - first;
    if (std::is_sorted(begin, findings.rows.end(), by_rank)) return;
    if (count < FEW) {
        std::sort(begin, findings.rows.end(), by_rank);
        return;
    }
    rows_.assign(begin, findings.rows.end());
    number_.assign(documents + 1, NEVER);
    for (std::size_t i = 0; i < count; ++i) number_[static_cast<std::size_t>(rows_[i].rank)] = static_cast<std::uint32_t>(i);
    auto out = begin;
    for (const std::uint32_t i : number_) {
        if (i != NEVER) *out++ = rows_[i];
    }
}

// The sort need not be stable, because only scores are reported.
void Reducer::report_scores(const Documents& documents, Findings& findings) const {
    const auto first = static_cast<std::ptrdiff_t>(findings.scores.size());
    for (const Document& document : documents.documents) findings.scores.push_back(document.score);
    if (!documents.descending) std::sort(findings.scores.begin() + first, findings.scores.end(), falls);
}

void Reducer::reduce(std::int64_t query, Documents& documents, Findings& findings) {
    join(query, documents);
    if (!documents.descending) ++findings.unordered;
    notice(query, documents, findings);
    if (policy_ != Duplicates::keep && !repeats_.empty()) {
        findings.dropped += static_cast<std::int64_t>(repeats_.size());
        drop_repeats(documents);
        repeats_.clear();
    }
    if (documents.descending && repeats_.empty()) {
        report_in_order(query, documents, findings);
        return;
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
    } else if (wanted_.size() < FEW) {
        rank_few(documents);
    } else {
        rank_many(documents);
    }
    report(query, documents, findings);
}

}  // namespace carob
