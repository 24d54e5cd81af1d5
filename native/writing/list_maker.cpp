// Makes ranked lists from the rows of runs.
#include "writing/list_maker.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace carob {

void ListMaker::begin(std::string_view query) {
    if (is_at(query)) return;
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
    if (kept < candidates_.size() && candidates_[kept - 1].document.score == candidates_[kept].document.score) {
        ++counts_.cut_ties;
    }
    made_.queries.add(query);
    for (std::size_t i = 0; i < kept; ++i) {
        made_.documents.add(candidates_[i].document.name());
        made_.scores.push_back(candidates_[i].document.score);
    }
    made_.offsets.push_back(static_cast<std::int64_t>(made_.scores.size()));
    if (made_.scores.size() >= rules_.at_once) hand_over();
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

// Keeps one occurrence of each repeated document, as Reducer::drop_repeats does.
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
        // If the later occurrence counts, the entry of the first one then refers to it and its row.
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
