// Makes the lists of all parts of a run in one pass over its rows.
#include "writing/part_maker.h"

#include <algorithm>

#include "text/read_run.h"

namespace carob {

// Receives lines from the reader of a run.
class PartMaker::Lines {
public:
    explicit Lines(PartMaker& maker) : maker_(maker) {}

    bool stopped() const { return false; }
    void finish() {}
    void query(std::string_view id, std::int64_t) {
        query_ = id;
        if (maker_.by_tag_.empty()) maker_.begin(id);
    }
    void document(const RunLine& line) {
        if (!maker_.by_tag_.empty()) maker_.begin(query_, whole_tag(line.tag));
        maker_.add(line.document, line.score, line.rank);
    }

private:
    static std::string_view whole_tag(std::string_view tag) {
        if (!tag.empty()) return tag;
        // Only the start of the tag is known. The text extends at least to the end of the line.
        const char* end = tag.data();
        while (!is_blank(*end) && *end != '\n') ++end;
        return {tag.data(), static_cast<std::size_t>(end - tag.data())};
    }

    PartMaker& maker_;
    std::string_view query_;
};

PartMaker::PartMaker(const ListRules& rules, std::vector<RunPart> parts, const Emit& emit)
    : with_ranks_(rules.order.ties == Ties::rank_column) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ListRules own = rules;
        own.at_once = std::max(AT_ONCE / parts.size(), LEAST_AT_ONCE);
        own.queries = std::move(parts[i].queries);
        ListMaker& maker = makers_.emplace_back(std::move(own), [emit, i](RankedLists lists) { emit(i, std::move(lists)); });
        if (parts[i].tag) by_tag_.emplace(*parts[i].tag, &maker);
    }
    if (parts.size() < 2 || !by_tag_.empty()) return;
    for (ListMaker& maker : makers_) {
        if (!maker.queries()) continue;
        for (const std::string& query : *maker.queries()) by_query_.emplace(query, &maker);
    }
}

void PartMaker::take(Source& source, const Reading& reading, const GoOn& go_on) {
    const GoOn wanted = interrupting(source, go_on);
    const auto more = [&] {
        if (wanted && !wanted()) throw Interrupted{};
        return true;
    };
    Lines lines(*this);
    malformed_ += read_run(lines, source, {reading, with_ranks_}, more);
}

void PartMaker::take(const Frame& frame, const RunColumns& columns) {
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
            add(its.document.id(row, at), its.score(row), with_ranks_ ? static_cast<std::int64_t>(its.rank->number(row)) : 0);
        }
    }
}

void PartMaker::take(std::string_view query, std::string_view document, double score) {
    begin(query);
    add(document, score, 0);
}

// These functions are not inlined into the reader's loop, which would double in size for code that lines rarely need.
CAROB_NEVER_INLINE void PartMaker::begin(std::string_view query) {
    if (makers_.size() == 1) {
        current_ = &makers_.front();
    } else if (current_ == nullptr || !current_->is_at(query)) {
        const auto found = by_query_.find(query);
        current_ = found == by_query_.end() ? nullptr : found->second;
    }
    if (current_ != nullptr) current_->begin(query);
}

CAROB_NEVER_INLINE void PartMaker::begin(std::string_view query, std::string_view tag) {
    if (current_ == nullptr || tag != tag_) {
        tag_ = tag;
        const auto found = by_tag_.find(tag);
        current_ = found == by_tag_.end() ? nullptr : found->second;
    }
    if (current_ != nullptr) current_->begin(query);
}

void PartMaker::add(std::string_view document, double score, std::int64_t rank) {
    rows_ += by_tag_.empty() || current_ != nullptr;
    if (current_ != nullptr) current_->add(document, score, rank);
}

void PartMaker::finish() {
    for (ListMaker& each : makers_) each.finish();
}

std::vector<ListCounts> PartMaker::counts() const {
    std::vector<ListCounts> found;
    for (const ListMaker& each : makers_) found.push_back(each.counts());
    return found;
}

}  // namespace carob
