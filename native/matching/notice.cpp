// Notices signs that the documents retrieved for a query are not what they seem.
#include <algorithm>
#include <span>

#include "matching/reduce.h"

namespace carob {

void Reducer::notice(std::int64_t query, const Documents& documents, Findings& findings) {
    const auto score_at = [&](std::size_t i) { return documents.documents[i].score; };
    signs_ = signs_of(documents.size(), documents.descending, score_at, seen_, findings.noticed.infinite);
    findings.noticed.ranks.add(documents.accord);
    const bool few_judged = Sample::few(hits_.size(), documents.size());
    if (Sample::holds(query, judgments_.query_count())) notice_spellings(query, documents, findings.noticed);
    if (few_judged && Sample::parts(query, judgments_.query_count())) notice_affixes(query, documents, findings.noticed);
}

// Looks for other spellings of a few relevant documents that were not retrieved among the unjudged documents.
void Reducer::notice_spellings(std::int64_t query, const Documents& documents, Noticed& noticed) {
    if (hits_.size() == documents.size()) return;  // all are judged
    const std::int64_t from = judgments_.offsets()[static_cast<std::size_t>(query)];
    std::int64_t left = Sample::of(documents.size(), judgments_.query_count());
    const std::size_t first = std::min({Sample::RETRIEVED, documents.size(), static_cast<std::size_t>(left)});
    for (std::size_t i = 0; i < first; ++i) noticed.odd_ids |= is_odd(documents.documents[i].name());
    std::size_t width = 0;  // width of ids with leading zeros
    for (std::size_t i = 0; i < std::min<std::size_t>(4, documents.size()); ++i) {
        const std::string_view name = documents.documents[i].name();
        if (!name.empty() && name.front() == '0') width = std::max(width, name.size());
    }
    const std::span<const std::uint32_t> retrieved_as(retrieved_as_);
    const double* const grades = judgments_.grades().data() + from;
    for (std::size_t j = 0; j < retrieved_as.size() && left > 0; ++j) {
        if (retrieved_as[j] != NEVER || grades[j] <= 0) continue;
        const auto judgment = from + static_cast<std::int64_t>(j);
        --left;
        const std::string_view id = judgments_.document(judgment);
        noticed.odd_ids |= is_odd(id);
        each_spelling(id, width, spelling_, [&](std::string_view other) {
            const auto same = [&](std::uint32_t i) { return documents.documents[i].name() == other; };
            if (unjudged_.find(hash_id(other, judgments_.seed()), same) == IdTable::NONE) return;
            ++noticed.respelled_count;
            if (noticed.respelled.size() < Noticed::EXAMPLES) noticed.respelled.push_back({query, std::string(id), std::string(other)});
        });
    }
}

// Looks for relevant documents that were not retrieved and unjudged documents whose ids share words with theirs.
void Reducer::notice_affixes(std::int64_t query, const Documents& documents, Noticed& noticed) {
    const std::size_t most = Sample::parted(judgments_.query_count());
    words_.clear();
    const std::int64_t from = judgments_.offsets()[static_cast<std::size_t>(query)];
    for (std::size_t j = 0; j < retrieved_as_.size() && words_.missing.size() < most; ++j) {
        const auto judgment = from + static_cast<std::int64_t>(j);
        if (retrieved_as_[j] == NEVER && judgments_.relevant(judgment)) words_.missing.add(judgments_.document(judgment));
    }
    if (words_.missing.size() == 0) return;
    auto hit = hits_.begin();  // in the order of documents
    for (std::size_t i = 0; i < std::min(most, documents.size()); ++i) {
        if (hit != hits_.end() && hit->document == i) {
            ++hit;
        } else {
            words_.unjudged.add(documents.documents[i].name());
        }
    }
    words_.find(query, noticed.affixed);
}

}  // namespace carob
