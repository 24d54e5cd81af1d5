// Notices signs that the documents retrieved for a query are not what they seem.
#include <algorithm>

#include "matching/reduce.h"

namespace carob {

void Reducer::notice(std::int64_t query, const Documents& documents, Findings& findings) {
    const auto score_at = [&](std::size_t i) { return documents.documents[i].score; };
    signs_ = signs_of(documents.size(), documents.descending, score_at, seen_, findings.noticed.infinite);
    findings.noticed.ranks.add(documents.accord);
    if (Sample::holds(query, judgments_.query_count())) notice_spellings(query, documents, findings.noticed);
    if (Sample::parts(query, judgments_.query_count())) notice_affixes(query, documents, findings.noticed);
}

// Looks for a few relevant documents that were not retrieved, in other spellings, among unjudged ones.
void Reducer::notice_spellings(std::int64_t query, const Documents& documents, Noticed& noticed) {
    if (hits_.size() == documents.size()) return;  // all are judged
    for (std::size_t i = 0; i < std::min(Sample::RETRIEVED, documents.size()); ++i) noticed.odd_ids |= is_odd(documents.documents[i].name());
    const std::int64_t from = judgments_.offsets()[static_cast<std::size_t>(query)];
    std::int64_t left = Sample::of(documents.size(), judgments_.query_count());
    std::size_t width = 0;  // of ids with leading zeros
    for (std::size_t i = 0; i < std::min<std::size_t>(4, documents.size()); ++i) {
        const std::string_view name = documents.documents[i].name();
        if (!name.empty() && name.front() == '0') width = std::max(width, name.size());
    }
    for (std::size_t j = 0; j < retrieved_as_.size() && left > 0; ++j) {
        const auto judgment = from + static_cast<std::int64_t>(j);
        if (retrieved_as_[j] != NEVER || !judgments_.relevant(judgment)) continue;
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

// Looks for unjudged documents whose id has a part that is judged, and for relevant ones whose id has a part that is not.
void Reducer::notice_affixes(std::int64_t query, const Documents& documents, Noticed& noticed) {
    if (hits_.size() == documents.size()) return;
    const std::int64_t from = judgments_.offsets()[static_cast<std::size_t>(query)];
    const auto judgment_of = [&](const Document& document) {
        std::int64_t judgment = -1;
        judgments_.find_documents(query, &document, 1, &judgment);
        return judgment;
    };
    const auto hashed = [&](std::string_view id) { return Document{id.data(), id.size(), hash_id(id, judgments_.seed()), 0}; };
    for (std::size_t i = 0; i < std::min(Sample::DOCUMENTS_PARTED, documents.size()); ++i) {
        const Document& document = documents.documents[i];
        if (judgment_of(document) >= 0) continue;
        each_part(document.name(), [&](std::string_view part) {
            const std::int64_t judgment = judgment_of(hashed(part));
            if (judgment < 0 || retrieved_as_[static_cast<std::size_t>(judgment - from)] != NEVER) return;
            noticed.affixed.push_back({query, std::string(part), std::string(document.name())});
        });
    }
    std::size_t left = Sample::DOCUMENTS_PARTED;
    for (std::size_t j = 0; j < retrieved_as_.size() && left > 0; ++j) {
        const auto judgment = from + static_cast<std::int64_t>(j);
        if (retrieved_as_[j] != NEVER || !judgments_.relevant(judgment)) continue;
        --left;
        const std::string_view id = judgments_.document(judgment);
        each_part(id, [&](std::string_view part) {
            const auto same = [&](std::uint32_t i) { return documents.documents[i].name() == part; };
            if (unjudged_.find(hash_id(part, judgments_.seed()), same) != IdTable::NONE)
                noticed.affixed.push_back({query, std::string(id), std::string(part)});
        });
    }
}

}  // namespace carob
