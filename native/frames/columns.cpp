// Finds the columns of a frame that form a run or qrels, and the first of their rows that cannot be used.
#include "frames/columns.h"

#include <cmath>

namespace carob {
namespace {

constexpr double WHOLE_LIMIT = 9007199254740992.0;  // 2^53: every smaller whole number is a double

std::string name_of(const Frame& frame, std::optional<std::size_t> field) {
    return field ? frame.fields()[*field].name : std::string();
}

std::string id_text(const Column& column, std::int64_t row) {
    if (column.astray(row) || column.null(row)) return {};
    char digits[LONGEST_WHOLE];
    char* room = digits;
    return std::string(column.id(row, room));
}

struct Trouble {
    const char* kind = nullptr;
    const std::string* column = nullptr;
};

Trouble unfit(const Column& column, std::int64_t row, const std::string& name) {
    if (column.null(row)) return {"null", &name};
    if (column.astray(row)) return {"index", &name};
    return {};
}

Trouble unfit_number(const Columns& columns, std::int64_t row, const Names& names) {
    if (columns.value) {
        const double value = columns.value->number(row);
        if (!(std::abs(value) < WHOLE_LIMIT)) [[unlikely]] {
            if (std::isnan(value)) return {"nan", &names.value};
            if (names.finite && std::isinf(value)) return {"infinite", &names.value};
            if (columns.value->rounded_off(row)) return {"wide", &names.value};
        }
    }
    if (columns.rank) {
        const double rank = columns.rank->number(row);
        if (!(std::abs(rank) < WHOLE_LIMIT) || rank != std::floor(rank)) return {"rank", &names.rank};
        if (rank < 0 && !columns.value) return {"below zero", &names.rank};
    }
    return {};
}

Trouble trouble_in(const Columns& columns, std::int64_t row, const Names& names, bool careful) {
    if (careful) {
        if (columns.nulls != nullptr && columns.nulls->null(columns.batch, row)) return {"row", &names.query};
        for (const auto& [column, name] : {std::pair{&columns.query, &names.query}, {&columns.document, &names.document}}) {
            if (const Trouble found = unfit(*column, row, *name); found.kind != nullptr) return found;
        }
        if (columns.value) {
            if (const Trouble found = unfit(*columns.value, row, names.value); found.kind != nullptr) return found;
        }
        if (columns.rank) {
            if (const Trouble found = unfit(*columns.rank, row, names.rank); found.kind != nullptr) return found;
        }
    }
    return unfit_number(columns, row, names);
}

}  // namespace

std::vector<Columns> columns_of(const Frame& frame, const RunColumns& columns) {
    std::vector<Columns> found;
    found.reserve(frame.batch_count());
    for (std::size_t b = 0; b < frame.batch_count(); ++b) {
        const Columns* before = b == 0 ? nullptr : &found.back();
        const auto column = [&](std::size_t field, const Column* its) { return Column(frame, b, field, its); };
        Columns made{column(columns.query, before == nullptr ? nullptr : &before->query),
                     column(columns.document, before == nullptr ? nullptr : &before->document), std::nullopt, std::nullopt,
                     frame.has_nulls(b) ? &frame : nullptr, b};
        if (columns.score) made.value = column(*columns.score, nullptr);
        if (columns.rank) made.rank = column(*columns.rank, nullptr);
        found.push_back(std::move(made));
    }
    return found;
}

std::vector<Columns> columns_of(const Frame& frame, const QrelsColumns& columns) {
    return columns_of(frame, RunColumns{columns.query, columns.document, columns.grade, std::nullopt});
}

Names names_of(const Frame& frame, const RunColumns& columns) {
    return {name_of(frame, columns.query), name_of(frame, columns.document), name_of(frame, columns.score),
            name_of(frame, columns.rank), false};
}

Names names_of(const Frame& frame, const QrelsColumns& columns) {
    return {name_of(frame, columns.query), name_of(frame, columns.document), name_of(frame, columns.grade), "", true};
}

std::optional<RowFault> first_fault(const Columns& columns, std::int64_t start, std::int64_t from, std::int64_t to,
                                    const Names& names) {
    const auto risky = [](const Column& column) { return column.has_nulls() || column.in_dictionary(); };
    // Text may be read only after its position has been checked, so rows are checked here before they are read.
    for (const auto& [column, name] : {std::pair{&columns.query, &names.query}, {&columns.document, &names.document}}) {
        const std::int64_t row = column->unsound(from, to);
        if (row >= 0) return RowFault{"offsets", *name, start + row, {}, {}};
    }
    const bool careful = columns.nulls != nullptr || risky(columns.query) || risky(columns.document) || (columns.value && risky(*columns.value)) ||
                         (columns.rank && risky(*columns.rank));
    const bool quick = !careful && !columns.rank && columns.value;
    for (std::int64_t row = from; row < to; ++row) {
        if (quick && std::abs(columns.value->number(row)) < WHOLE_LIMIT) [[likely]] continue;  // neither NaN
        const Trouble found = trouble_in(columns, row, names, careful);
        if (found.kind == nullptr) continue;
        return RowFault{found.kind, *found.column, start + row, id_text(columns.query, row),
                        id_text(columns.document, row)};
    }
    return std::nullopt;
}

}  // namespace carob
