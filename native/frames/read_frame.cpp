// Reads frames as judgments, as plain rows, and as the ranked documents of one query.
#include "frames/read_frame.h"

namespace carob {

Judgments judgments_from_frame(const Frame& frame, const QrelsColumns& columns, Duplicates duplicates) {
    const Names names = names_of(frame, columns);
    const auto its = columns_of(frame, columns);
    JudgmentsBuilder builder;
    char digits[2 * LONGEST_WHOLE];
    for (std::size_t b = 0; b < frame.batch_count(); ++b) {
        const std::int64_t start = frame.start(b);
        const std::int64_t count = frame.batch(b).length;
        if (auto fault = first_fault(its[b], start, 0, count, names)) throw std::move(*fault);
        for (std::int64_t row = 0; row < count; ++row) {
            char* room = digits;
            const std::string_view query = its[b].query.id(row, room);
            builder.add(query, its[b].document.id(row, room), its[b].value ? its[b].value->number(row) : columns.constant,
                        start + row + 1);
        }
    }
    Judgments judgments = builder.finish(duplicates);
    judgments.count.lines = frame.rows();
    return judgments;
}

FrameRows rows_of_frame(const Frame& frame, const RunColumns& columns, const std::unordered_set<std::string>* wanted,
                        double constant) {
    const auto its = columns_of(frame, columns);
    const Names names = names_of(frame, columns);
    FrameRows rows;
    char digits[2 * LONGEST_WHOLE];
    for (std::size_t b = 0; b < frame.batch_count(); ++b) {
        const std::int64_t count = frame.batch(b).length;
        if (auto fault = first_fault(its[b], frame.start(b), 0, count, names)) throw std::move(*fault);
        for (std::int64_t row = 0; row < count; ++row) {
            char* room = digits;
            const std::string_view query = its[b].query.id(row, room);
            if (wanted != nullptr && wanted->find(std::string(query)) == wanted->end()) continue;
            rows.queries.add(query);
            rows.documents.add(its[b].document.id(row, room));
            rows.values.push_back(columns.score || columns.rank ? its[b].score(row) : constant);
        }
    }
    return rows;
}

Ranked rank_frame(std::string_view query, const Frame& frame, const RunColumns& columns, const MatchOptions& options) {
    const auto its = columns_of(frame, columns);
    const Names names = names_of(frame, columns);
    Listed listed;
    for (std::size_t b = 0; b < frame.batch_count(); ++b) {
        const std::int64_t count = frame.batch(b).length;
        if (auto fault = first_fault(its[b], frame.start(b), 0, count, names)) throw std::move(*fault);
        for (std::int64_t row = 0; row < count; ++row) {
            char digits[2 * LONGEST_WHOLE];
            char* room = digits;
            if (its[b].query.id(row, room) != query) continue;
            listed.ids.add(its[b].document.id(row, room));
            listed.scores.push_back(its[b].score(row));
            listed.ranks.push_back(its[b].rank ? static_cast<std::int64_t>(its[b].rank->number(row)) : 0);
        }
    }
    return rank_listed(query, listed, options);
}

}  // namespace carob
