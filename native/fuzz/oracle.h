// This file declares a slow and plain reading of judgments and runs, to hold the kernel's against.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "match.h"

namespace oracle {

struct Refusal {
    karat::Fault fault;
    std::int64_t line;
    std::int64_t data_line;
    std::string detail;
};

struct Judgment {
    std::string query, document;
    double grade;
    std::int64_t line;
};

struct Judged {
    std::optional<Refusal> refusal;
    std::vector<std::string> queries;              // in byte order
    std::vector<std::vector<Judgment>> judgments;  // per query, in file order
    std::int64_t malformed = 0;
    std::int64_t lines = 0;
    std::int64_t dropped = 0;
};

struct Ranked {
    std::optional<Refusal> refusal;
    karat::Matched matched;
    std::vector<bool> uncertain;  // queries whose order this machine's qsort cannot vouch for
};

// One query's documents in rank order.
struct Listed {
    std::optional<Refusal> refusal;
    std::vector<std::string> documents;
    std::vector<double> scores;
    bool uncertain = false;
};

Judged read_judgments(const std::string& text, const karat::Reading& reading, karat::Duplicates duplicates);
Ranked match(const Judged& judged, const std::string& text, const karat::MatchOptions& options);
Listed rank_query(const std::string& query, const std::string& text, const karat::MatchOptions& options);

}  // namespace oracle
