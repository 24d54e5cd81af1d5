// Makes ranked lists of the rows of runs.
#include "writing/list_maker.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "text/read_run.h"

namespace carob {

// Takes lines from the reader of a run. The rows of other tags are passed over, and their queries do not count.
class ListMaker::Lines {
public:
    explicit Lines(ListMaker& maker) : maker_(maker), tag_(maker.rules_.tag) {}

    bool stopped() const { return false; }
    void finish() {}
    void query(std::string_view id, std::int64_t) { query_ = id; }
    void document(const RunLine& line) {
        if (tag_ && !has_tag(line.tag)) return;
        maker_.begin(query_);
        maker_.add(line.document, line.score, line.rank);
    }

private:
    bool has_tag(std::string_view tag) const {
        if (!tag.empty()) return tag == *tag_;
        // Only where it begins is known. The text goes on at least to the end of the line.
        for (std::size_t i = 0; i < tag_->size(); ++i) {
            if (tag.data()[i] != (*tag_)[i]) return false;
        }
        return is_blank(tag.data()[tag_->size()]);
    }

    ListMaker& maker_;
    const std::optional<std::string>& tag_;
    std::string_view query_;
};

void ListMaker::take(Source& source, const Reading& reading, const GoOn& go_on) {
    const auto more = [&] {
        if (go_on && !go_on()) throw Interrupted{};
        return true;
    };
    Lines lines(*this);
    counts_.malformed += read_run(lines, source, {reading, rules_.order.ties == Ties::rank_column}, more);
}

void ListMaker::take(const Frame& frame, const RunColumns& columns) {
    const std::vector<Columns> batches = columns_of(frame, columns);
    const Names names = names_of(frame, columns);
    char room[2 * LONGEST_WHOLE];
    for (std::size_t b = 0; b < batches.size(); ++b) {
        const Columns& its = batches[b];
        const std::int64_t rows = frame.start(b + 1) - frame.start(b);
        if (auto fault = first_fault(its, frame.start(b), 0, rows, names)) throw std::move(*fault);
        for (std::int64_t row = 0; row < rows; ++row) {
            char* at = room;
            begin(its.query.id(row, at));
            at = room;
            const bool with_rank = rules_.order.ties == Ties::rank_column;
            add(its.document.id(row, at), its.score(row), with_rank ? static_cast<std::int64_t>(its.rank->number(row)) : 0);
        }
    }
}

void ListMaker::take(std::string_view query, std::string_view document, double score) {
    begin(query);
    add(document, score, 0);
}

void ListMaker::begin(std::string_view query) {
    if (begun_ && query == name_) return;
    if (!rules_.gathered && current_ != nullptr) make(name_, open_);
    begun_ = true;
    name_.assign(query);
    current_ = nullptr;
    if (!is_wanted(query)) return;
    if (!rules_.gathered) {
        if (!numbers_.emplace(query, 0).second) throw CameBack{};
        open_.ids.clear();
        open_.scores.clear();
        open_.ranks.clear();
        current_ = &open_;
        return;
    }
    auto found = numbers_.find(query);
    if (found == numbers_.end()) {
        found = numbers_.emplace(query, gathered_.size()).first;
        gathered_.emplace_back();
    }
    current_ = &gathered_[found->second];
}

bool ListMaker::is_wanted(std::string_view query) const {
    if (rules_.queries && !rules_.queries->contains(query)) return false;
    return rules_.judged == nullptr || rules_.judged->find_query(query) >= 0;
}

void ListMaker::add(std::string_view document, double score, std::int64_t rank) {
    ++counts_.rows;
    if (current_ == nullptr) return;
    current_->ids.add(document);
    current_->scores.push_back(score);
    if (rules_.order.ties == Ties::rank_column) current_->ranks.push_back(rank);
}

void ListMaker::make(std::string_view query, const Listed& listed) {
    find_documents(query, listed);
    if (candidates_.empty()) return;
    drop_repeats(query);
    sort(listed);
    std::size_t kept = candidates_.size();
    if (rules_.depth != 0) kept = std::min(kept, rules_.depth);
    counts_.below_depth += static_cast<std::int64_t>(candidates_.size() - kept);
    made_.queries.add(query);
    for (std::size_t i = 0; i < kept; ++i) {
        made_.documents.add(candidates_[i].document.name());
        made_.scores.push_back(candidates_[i].document.score);
    }
    made_.offsets.push_back(static_cast<std::int64_t>(made_.scores.size()));
    if (made_.scores.size() >= DOCUMENTS_AT_ONCE) hand_over();
}

void ListMaker::find_documents(std::string_view query, const Listed& listed) {
    candidates_.clear();
    for (std::size_t row = 0; row < listed.ids.size(); ++row) {
        const std::string_view id = listed.ids[row];
        candidates_.push_back({{id.data(), id.size(), hash_id(id, seed_), rules_.order.rounded(listed.scores[row])}, row});
    }
    if (rules_.judged != nullptr) keep_judged(query);
}

void ListMaker::keep_judged(std::string_view query) {
    const std::int64_t number = rules_.judged->find_query(query);
    const std::size_t before = candidates_.size();
    std::erase_if(candidates_, [&](const Candidate& each) {
        std::int64_t found = -1;
        rules_.judged->find_documents(number, &each.document, 1, &found);
        return found < 0;
    });
    counts_.unjudged += static_cast<std::int64_t>(before - candidates_.size());
}

// Leaves one of each repeated document, as Reducer::drop_repeats does.
void ListMaker::drop_repeats(std::string_view query) {
    if (candidates_.size() >= IdTable::NONE / 4) throw std::length_error("too many documents for one query");
    const auto count = static_cast<std::uint32_t>(candidates_.size());
    table_.reset(count);
    standing_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        const Document& document = candidates_[i].document;
        const auto same = [&](std::uint32_t other) { return candidates_[other].document.name() == document.name(); };
        const std::uint32_t first = table_.find_or_add(document.hash, i, same);
        if (first == IdTable::NONE) continue;
        if (rules_.order.duplicates == Duplicates::keep) throw ListedTwice{std::string(query), std::string(document.name())};
        if (standing_.empty()) {
            standing_.resize(count);
            for (std::uint32_t k = 0; k < count; ++k) standing_[k] = k;
        }
        // The later of the two has the place of the first occurrence in the table, and its own row.
        const double held = candidates_[standing_[first]].document.score;
        standing_[i] = IdTable::NONE;
        if (later_counts(rules_.order.duplicates, held, document.score)) standing_[first] = i;
    }
    if (standing_.empty()) return;
    std::vector<Candidate> kept;
    for (const std::uint32_t each : standing_) {
        if (each != IdTable::NONE) kept.push_back(candidates_[each]);
    }
    counts_.repeats += static_cast<std::int64_t>(count - kept.size());
    candidates_ = std::move(kept);
}

void ListMaker::sort(const Listed& listed) {
    const Ties ties = rules_.order.ties;
    const auto before = [&](const Candidate& a, const Candidate& b) {
        if (a.document.score != b.document.score) return a.document.score > b.document.score;
        if (ties == Ties::rank_column) {
            if (listed.ranks[a.row] != listed.ranks[b.row]) return listed.ranks[a.row] < listed.ranks[b.row];
        } else if (ties != Ties::input) {
            return compare_tied(a.document.name(), b.document.name(), ties) < 0;
        }
        return a.row < b.row;
    };
    if (!std::is_sorted(candidates_.begin(), candidates_.end(), before)) std::sort(candidates_.begin(), candidates_.end(), before);
}

void ListMaker::hand_over() {
    if (made_.queries.size() != 0) emit_(std::exchange(made_, {}));
}

void ListMaker::finish() {
    if (!rules_.gathered && current_ != nullptr) make(name_, open_);
    if (rules_.gathered) {
        std::vector<std::string_view> names(gathered_.size());
        for (const auto& [name, number] : numbers_) names[number] = name;
        for (std::size_t i = 0; i < names.size(); ++i) {
            make(names[i], gathered_[i]);
            gathered_[i] = {};
        }
    }
    current_ = nullptr;
    hand_over();
}

}  // namespace carob
