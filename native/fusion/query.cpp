// Fuses the lists of one query.
#include "fusion/query.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "text/run_lines.h"

namespace carob {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
// The Python code rejects larger scores, because their squares overflow.
constexpr double LARGEST = 1e150;

CAROB_NEVER_INLINE double long_score(std::string_view token) {
    const ParsedNumber parsed = parse_any_score(token, Numbers::strict);
    if (parsed.fault != NumberFault::none || !(std::abs(parsed.value) <= LARGEST)) throw NotPlain{};
    return parsed.value;
}

// The score of a line; -0 becomes 0.
inline double plain_score(const char* begin, const char* end) {
    double score = 0;
    return (short_decimal(begin, end, score) ? score : long_score({begin, static_cast<std::size_t>(end - begin)})) + 0.0;
}

// The first bytes of an id as a number that sorts in the same order as the bytes. Eight bytes from `first` on must be
// readable.
std::uint64_t head_of(const char* first, std::size_t size) {
    std::uint64_t head = 0;
    if constexpr (std::endian::native == std::endian::little) {
        for (std::uint64_t word = load8(first), i = 0; i < 8; ++i, word >>= 8) head = head << 8 | (word & 0xFF);
    } else {
        head = load8(first);
    }
    return size >= 8 ? head : size == 0 ? 0 : head & ~(~std::uint64_t{0} >> (8 * size));
}

// The document of an id after which no bytes may be readable.
PooledDocument pooled(std::string_view id, std::uint64_t seed) {
    char first[8] = {};
    std::memcpy(first, id.data(), std::min(id.size(), sizeof first));
    return {id.data(), hash_id(id, seed), head_of(first, id.size()), static_cast<std::uint32_t>(id.size()), 0, 0};
}

}  // namespace

QueryFuser::QueryFuser(const FusionRecipe& recipe, std::size_t runs, std::uint64_t seed)
    : recipe_(recipe), seed_(seed), lists_(runs), finder_(recipe), sums_(recipe.summation), constant_(runs), values_(runs) {
    for (std::size_t lists = 0; lists <= runs; ++lists) factors_.push_back(recipe.factor(lists));
}

void QueryFuser::begin() {
    for (List& list : lists_) {
        list.rows.clear();
        list.weighed = false;
    }
    table_.reset(2 * documents_.size());
    documents_.clear();
}

void QueryFuser::add(List& list, std::uint16_t run, std::string_view id, double score) {
    const std::uint64_t hash = hash_id(id, seed_), head = head_of(id.data(), id.size());
    const auto same = [&](std::uint32_t n) {
        const PooledDocument& other = documents_[n];
        return other.head == head && other.id_size == id.size() && (id.size() <= 8 || same_id(other.name(), id));
    };
    const auto next = static_cast<std::uint32_t>(documents_.size());
    std::uint32_t number = table_.find_or_add(hash, next, same);
    if (number == IdTable::NONE) {
        number = next;
        documents_.push_back({id.data(), hash, head, static_cast<std::uint32_t>(id.size()), run, 1});
        if (table_.crowded()) table_.grow([&](std::uint32_t n) { return documents_[n].hash; });
    } else {
        PooledDocument& document = documents_[number];
        if (document.last_run == run) throw NotPlain{};  // twice in a list
        document.last_run = run;
        ++document.number;
    }
    list.rows.push_back({score, number});
}

CAROB_FLATTEN void QueryFuser::take(std::size_t run, std::string_view query, const char* begin, const char* end) {
    List& list = lists_[run];
    bool in_order = true;
    double before = INFINITE;
    for (const char* line = begin; line != end;) {
        QuickLine parts;
        const char* stop = nullptr;
        if (!split_quickly(line, end, false, parts, stop)) throw NotPlain{};
        if (!same_id({line, parts.query_end}, query)) throw NotPlain{};
        double score = plain_score(line + parts.score, line + parts.score_end);
        if (recipe_.float32 && !std::isfinite(score = static_cast<double>(static_cast<float>(score)))) throw NotPlain{};
        add(list, static_cast<std::uint16_t>(run), {line + parts.document, parts.document_end - parts.document}, score);
        in_order &= score < before;
        before = score;
        line = stop + 1;
    }
    if (!in_order) sort(list);
}

void QueryFuser::add_document(std::string_view id) { documents_.push_back(pooled(id, seed_)); }

void QueryFuser::add_row(std::size_t run, std::uint32_t document, double score) {
    lists_[run].rows.push_back({score, document});
    ++documents_[document].number;
}

bool QueryFuser::goes_before(const ListedDocument& a, const ListedDocument& b) const {
    if (a.score != b.score) return a.score > b.score;
    return recipe_.ties != Ties::input &&
           compare_tied(documents_[a.document].name(), documents_[b.document].name(), recipe_.ties) < 0;
}

// Not inlined into take(), which would triple in size for lists that are rarely out of order.
CAROB_NEVER_INLINE void QueryFuser::sort(List& list) const {
    const auto before = [&](const ListedDocument& a, const ListedDocument& b) { return goes_before(a, b); };
    if (!std::is_sorted(list.rows.begin(), list.rows.end(), before)) std::stable_sort(list.rows.begin(), list.rows.end(), before);
}

const std::vector<FusedDocument>& QueryFuser::fuse() {
    find_scores(recipe_.weights);
    choose();
    for (std::size_t run = 0; run < lists_.size(); ++run) {
        const std::vector<ListedDocument>& rows = lists_[run].rows;
        constant_[run] += rows.size() > 2 && rows.front().score == rows.back().score;
    }
    return best_;
}

void QueryFuser::find_scores(const std::vector<double>& weights) {
    rough_.clear();
    scores_.clear();
    if (documents_.empty()) return;
    if (recipe_.combine == Combine::copeland) find_copeland();
    else combine(weights);
    for (double& score : scores_) {
        if (!std::isfinite(score)) throw NotPlain{};
        score += 0.0;  // no -0
    }
}

void QueryFuser::find_points(std::size_t run, double weight) {
    column_.clear();
    for (const ListedDocument& row : lists_[run].rows) column_.push_back(row.score);
    finder_.find(run, weight, column_, documents_.size(), points_);
}

// A document's points in a run that does not contain it. If these points do not count, they must not change an extreme
// or a median.
double QueryFuser::absent_value() {
    if (recipe_.all_count()) return finder_.absent(points_, documents_.size());
    if (recipe_.combine == Combine::max) return -INFINITE;
    return recipe_.combine == Combine::min || recipe_.combine == Combine::med ? INFINITE : 0.0;
}

void QueryFuser::find_values(std::size_t run, double weight, std::vector<double>& values) {
    find_points(run, weight);
    const double factor = recipe_.norm == Norm::rrf ? 1.0 : weight;  // the points of rrf already include the weight
    values.assign(documents_.size(), absent_value() * factor);
    const std::vector<ListedDocument>& rows = lists_[run].rows;
    for (std::size_t i = 0; i < rows.size(); ++i) values[rows[i].document] = points_[i] * factor;
}

// The number of lists that contain a document. Borda's normalisation gives every document points in every list.
std::size_t QueryFuser::number_of(std::size_t d) const {
    return recipe_.norm == Norm::borda ? lists_.size() : documents_[d].number;
}

// Adds up, for each document, the weights of the runs that contain it, or of all runs if they count for every document.
void QueryFuser::add_presence(const std::vector<double>& weights) {
    const std::size_t count = documents_.size();
    const bool everywhere = recipe_.norm == Norm::borda || (recipe_.combine == Combine::mean && recipe_.all_count());
    presence_.assign(lists_.size() * count, 0.0);
    rows_.clear();
    for (std::size_t run = 0; run < lists_.size(); ++run) {
        double* const presence = presence_.data() + run * count;
        if (everywhere) std::fill_n(presence, count, weights[run]);
        for (const ListedDocument& row : lists_[run].rows) presence[row.document] = weights[run];
        rows_.push_back(presence);
    }
    sums_.add({rows_, count}, divisors_);
}

void QueryFuser::combine(const std::vector<double>& weights) {
    const std::size_t count = documents_.size();
    const bool adds = recipe_.combine <= Combine::shifted_log || recipe_.combine == Combine::mean;
    rows_.clear();
    for (std::size_t run = 0; run < lists_.size(); ++run) {
        if (adds && weights[run] == 0) continue;  // it adds nothing
        find_values(run, recipe_.combine == Combine::mnz ? 1 : weights[run], values_[run]);  // the weights of mnz are apart
        rows_.push_back(values_[run].data());
    }
    switch (recipe_.combine) {
        case Combine::max: return find_extremes(true);
        case Combine::min: return find_extremes(false);
        case Combine::med: return find_medians();
        default: break;
    }
    sums_.add({rows_, count}, scores_);
    if (recipe_.combine <= Combine::shifted_log) {
        if (recipe_.combine == Combine::sum) return;
        for (std::size_t d = 0; d < count; ++d) scores_[d] *= factors_[number_of(d)];
    } else if (recipe_.combine == Combine::anz) {
        for (std::size_t d = 0; d < count; ++d)
            scores_[d] /= static_cast<double>(recipe_.all_count() ? lists_.size() : number_of(d));
    } else {
        add_presence(weights);
        for (std::size_t d = 0; d < count; ++d) {
            if (recipe_.combine == Combine::mnz) scores_[d] *= divisors_[d];
            else scores_[d] /= divisors_[d] > 0 ? divisors_[d] : 1.0;
        }
    }
}

void QueryFuser::find_extremes(bool greatest) {
    const std::size_t count = documents_.size();
    scores_.assign(rows_[0], rows_[0] + count);
    for (const double* const values : rows_) {
        for (std::size_t d = 0; d < count; ++d) scores_[d] = greatest ? std::max(scores_[d], values[d]) : std::min(scores_[d], values[d]);
    }
}

void QueryFuser::find_medians() {
    const std::size_t count = documents_.size();
    scores_.resize(count);
    for (std::size_t d = 0; d < count; ++d) {
        column_.clear();
        for (const double* const values : rows_) column_.push_back(values[d]);
        std::sort(column_.begin(), column_.end());  // runs that do not count are infinite, so they come last
        const std::size_t counted = recipe_.all_count() ? lists_.size() : number_of(d);
        const double low = column_[(std::max<std::size_t>(counted, 1) - 1) / 2];
        scores_[d] = counted % 2 == 1 ? low : (low + column_[counted / 2]) / 2;
    }
}

// A document's score is the number of documents it defeats minus the number that defeat it. A document defeats another
// if more lists rank it above the other than below it. A list ranks missing documents below all documents it contains.
void QueryFuser::find_copeland() {
    const std::size_t count = documents_.size();
    for (std::size_t run = 0; run < lists_.size(); ++run) {
        values_[run].assign(count, INFINITE);
        double rank = 0;
        for (const ListedDocument& row : lists_[run].rows) values_[run][row.document] = ++rank;
    }
    scores_.assign(count, 0.0);
    for (std::size_t d = 0; d < count; ++d) {
        votes_.assign(count, 0);
        for (const std::vector<double>& ranks : values_) {
            for (std::size_t e = 0; e < count; ++e) votes_[e] += (ranks[d] < ranks[e]) - (ranks[d] > ranks[e]);
        }
        for (const std::int32_t vote : votes_) scores_[d] += (vote > 0) - (vote < 0);
    }
}

bool QueryFuser::goes_before(const FusedDocument& a, const FusedDocument& b) const {
    if (a.score != b.score) return a.score > b.score;
    if (a.head != b.head) return (a.head < b.head) == recipe_.ascending;
    const int order = compare_ids(document(a).name(), document(b).name());
    return recipe_.ascending ? order < 0 : order > 0;
}

std::size_t QueryFuser::kept() const {
    return recipe_.depth == 0 ? documents_.size() : std::min(recipe_.depth, documents_.size());
}

std::vector<ListShare> QueryFuser::shares_of(std::uint32_t document) {
    std::vector<ListShare> shares;
    for (std::size_t run = 0; run < lists_.size(); ++run) {
        ListShare& share = shares.emplace_back();
        find_points(run, recipe_.weights[run]);
        share.points = recipe_.all_count() ? finder_.absent(points_, documents_.size()) : std::nan("");
        const std::vector<ListedDocument>& rows = lists_[run].rows;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].document == document) share = {i + 1, rows[i].score, points_[i]};
        }
        if (recipe_.combine == Combine::copeland) share.points = std::nan("");
    }
    return shares;
}

// Scores are distributed over buckets by size, from the greatest down, because sorting a few scores in each bucket is
// faster than sorting all of them.
void QueryFuser::choose() {
    fused_.clear();
    best_.clear();
    if (documents_.empty()) return;
    for (std::uint32_t d = 0; d < scores_.size(); ++d) fused_.push_back({scores_[d], documents_[d].head, d});
    sort_into_buckets();
    const auto before = [&](const FusedDocument& a, const FusedDocument& b) { return goes_before(a, b); };
    for (std::size_t bucket = 0; bucket + 1 < buckets_.size() && buckets_[bucket] < kept(); ++bucket) {
        const auto first = best_.begin() + buckets_[bucket], last = best_.begin() + buckets_[bucket + 1];
        if (last - first > 1) std::sort(first, last, before);
    }
    best_.resize(kept());
}

void QueryFuser::sort_into_buckets() {
    const std::size_t count = fused_.size();
    const auto [low, high] = std::minmax_element(scores_.begin(), scores_.end());
    const double top = *high, range = top - *low;
    // All scores go in one bucket if they are equal, or if their distance is not a number.
    const double scale = range > 0 && range < INFINITE ? static_cast<double>(count) / range : 0.0;
    const auto bucket_of = [&](double score) {
        return scale < INFINITE ? std::min(static_cast<std::size_t>((top - score) * scale), count - 1) : 0;
    };
    buckets_.assign(count + 1, 0);
    for (const double score : scores_) ++buckets_[bucket_of(score) + 1];
    for (std::size_t bucket = 0; bucket < count; ++bucket) buckets_[bucket + 1] += buckets_[bucket];
    best_.resize(count);
    for (const FusedDocument& each : fused_) best_[buckets_[bucket_of(each.score)]++] = each;
    // Each entry now marks where its bucket begins, no longer where it ends.
    buckets_.insert(buckets_.begin(), 0);
    buckets_.pop_back();
}

}  // namespace carob
