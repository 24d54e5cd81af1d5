// Finds the columns of a frame that form a run or qrels, and the first of their rows that cannot be used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frames/frame.h"

namespace carob {

// The role of each column.
struct RunColumns {
    std::size_t query, document;
    std::optional<std::size_t> score;  // without scores, the lowest rank comes first
    std::optional<std::size_t> rank;
};

struct QrelsColumns {
    std::size_t query, document;
    std::optional<std::size_t> grade;  // without grades, each grade is `constant`
    double constant = 1;
};

// The columns of one batch that form a run or qrels.
struct Columns {
    Column query, document;
    std::optional<Column> value;  // the score or the grade
    std::optional<Column> rank;
    const Frame* nulls = nullptr;  // the frame, if whole rows of the batch are null
    std::size_t batch = 0;

    double score(std::int64_t row) const { return value ? value->number(row) : -rank->number(row); }
};

std::vector<Columns> columns_of(const Frame& frame, const RunColumns& columns);
std::vector<Columns> columns_of(const Frame& frame, const QrelsColumns& columns);

// The name of each column, for error messages.
struct Names {
    std::string query, document, value, rank;
    bool finite;  // the value must be finite
};

Names names_of(const Frame& frame, const RunColumns& columns);
Names names_of(const Frame& frame, const QrelsColumns& columns);

// Checks the rows [from, to) of a batch that begins at row `start`, and returns the first row that cannot be used.
std::optional<RowFault> first_fault(const Columns& columns, std::int64_t start, std::int64_t from, std::int64_t to,
                                    const Names& names);

}  // namespace carob
