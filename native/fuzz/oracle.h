// Declares a slow, plain reader of judgments, runs and Parquet's headers, as an oracle for the kernel.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matching/match.h"

namespace oracle {

struct Refusal {
    carob::Fault fault;
    std::int64_t line;
    std::int64_t data_line;
    std::string detail;
};

// Lines and their fields, which point into the text.
struct Line {
    std::span<const std::string_view> fields;
    bool comment;
    std::size_t by_blanks;  // if tabs separate `fields`: their number if split at blanks; else 0
};

struct Text {
    Text(std::string_view whole, const carob::Reading& reading);
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;

    std::optional<Refusal> refusal;
    std::vector<Line> lines;

private:
    bool split_at_tabs(std::string_view line, std::size_t before);

    std::vector<std::string_view> fields_;
};

struct Judgment {
    std::string_view query, document;
    double grade;
    std::int64_t line;
};

struct Judged {
    std::optional<Refusal> refusal;
    std::vector<std::string_view> queries;         // in byte order
    std::vector<std::vector<Judgment>> judgments;  // per query, in file order
    std::int64_t malformed = 0;
    std::int64_t lines = 0;
    std::int64_t dropped = 0;
};

struct Ranked {
    std::optional<Refusal> refusal;
    carob::Matched matched;
    std::vector<bool> uncertain;  // queries whose order this machine's qsort cannot confirm
};

// One query's documents in rank order.
struct Listed {
    std::optional<Refusal> refusal;
    std::vector<std::string> documents;
    std::vector<double> scores;
    bool uncertain = false;
};

Judged read_judgments(const Text& text, const carob::Reading& reading, carob::Duplicates duplicates);
Ranked match(const Judged& judged, const Text& text, const carob::MatchOptions& options);
Listed rank_query(std::string_view query, const Text& text, const carob::MatchOptions& options);

// Whether the sizes and counts of a Parquet file contradict one another or the file's length.
bool parquet_damaged(std::string_view file);

}  // namespace oracle
