// Holds relevance judgments: queries in byte order, and the documents and grades of each query in file order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matching/ids.h"
#include "text/lines.h"
#include "text/source.h"

namespace carob {

enum class Duplicates { keep, first, last, max };

// Whether the later of two judgments replaces the one that counted so far.
inline bool later_counts(Duplicates rule, double standing, double later) {
    return rule == Duplicates::last || (rule == Duplicates::max && later > standing);
}

// A retrieved document.
struct Document {
    const char* id;
    std::size_t id_size;
    std::uint64_t hash;
    double score;

    std::string_view name() const { return {id, id_size}; }
};

struct JudgedTwice {
    std::int64_t query;
    std::string document;
    std::int64_t first_line;
    std::int64_t line;
};

class Judgments {
public:
    std::int64_t query_count() const { return static_cast<std::int64_t>(queries_.size()); }
    std::string_view query(std::int64_t q) const { return queries_[static_cast<std::size_t>(q)]; }
    const Ids& queries() const { return queries_; }
    // The query's number, or -1.
    std::int64_t find_query(std::string_view id) const;
    // Finds the numbers of several queries. Each step waits for memory, so every step is done for all queries before
    // the next.
    static constexpr std::size_t TOGETHER = 32;
    void find_queries(const std::string_view* ids, std::size_t count, std::int64_t* numbers) const;

    // Judgments [offsets[q], offsets[q + 1]) belong to query q.
    const std::vector<std::int64_t>& offsets() const { return offsets_; }
    const std::vector<double>& grades() const { return grades_; }
    bool relevant(std::int64_t judgment) const { return grades_[static_cast<std::size_t>(judgment)] > 0; }
    std::int64_t line(std::int64_t j) const { return static_cast<std::int64_t>(lines_[static_cast<std::size_t>(j)]); }
    std::string_view document(std::int64_t j) const { return documents_[static_cast<std::size_t>(j)]; }
    std::uint64_t hash(std::int64_t j) const { return hash_id(document(j), seed_); }
    // Finds the judgment of each of at most TOGETHER documents of a query, or -1.
    void find_documents(std::int64_t q, const Document* documents, std::size_t count, std::int64_t* found) const;
    std::uint64_t seed() const { return seed_; }

    std::vector<JudgedTwice> duplicates;
    std::int64_t dropped = 0;
    std::int64_t blank = 0;  // judgments whose query or document is blank text, which only tables and dicts can contain
    LineCount count;

private:
    friend class JudgmentsBuilder;

    std::uint64_t seed_ = 0;
    Ids queries_;
    IdTable query_table_;
    std::vector<std::int64_t> offsets_{0};
    Ids documents_;
    std::vector<double> grades_;
    Integers lines_;
    std::vector<std::uint32_t> slots_;  // for each query a table of its documents, built once for all runs
    std::vector<std::size_t> slot_offsets_{0};
};

// Takes judgments in any order and arranges them.
class JudgmentsBuilder {
public:
    JudgmentsBuilder();
    void add(std::string_view query, std::string_view document, double grade, std::int64_t line);
    // Adds a query, which need not have a judgment.
    void add_query(std::string_view query) { last_query_ = query_number(query); }
    // Returns the judgments. Call once: each column is freed after it is moved.
    Judgments finish(Duplicates duplicates);

private:
    std::uint32_t query_number(std::string_view query);

    std::uint64_t seed_;
    Ids queries_;  // in the order of their first lines
    std::vector<std::uint64_t> query_hashes_;
    IdTable query_table_;
    std::uint32_t last_query_ = IdTable::NONE;
    Pieces<Ids> documents_;
    std::size_t document_bytes_ = 0;
    std::int64_t blank_ = 0;
    Pieces<std::vector<std::uint32_t>> row_queries_;
    Pieces<std::vector<double>> grades_;
    Pieces<Integers> lines_;
};

struct JudgmentColumns {
    int columns = 4;  // the query is first, the document last but one, the grade last
};

Judgments read_judgments(Source& source, const JudgmentColumns& shape, const Reading& reading, Duplicates duplicates);

// A table in a rare text format: all columns but the last as bytes, the last as a number.
struct Rows {
    int id_columns = 0;
    Ids ids;  // id_columns per row
    std::vector<double> values;
    std::vector<std::int64_t> lines;
    LineCount count;
};

enum class LastColumn { level, grade };

Rows read_rows(Source& source, int columns, LastColumn last, const Reading& reading);

}  // namespace carob
