// Writes ranked lists as text.
#include "writing/run_text.h"

#include <charconv>
#include <cmath>

#include "writing/digits.h"

namespace carob {
namespace {

void put_score(double score, std::string& out) {
    if (!std::isfinite(score)) {
        out += score > 0 ? "inf" : "-inf";
        return;
    }
    char room[LONGEST_NUMBER];
    out.append(room, write_shortest(score, room));
}

void put_rank(std::int64_t rank, std::string& out) {
    char room[24];
    out.append(room, std::to_chars(room, room + sizeof room, rank).ptr);
}

// Quotes a field as RFC 4180 specifies.
void put_quoted(std::string_view id, char separator, std::string& out) {
    const char special[] = {separator, '"', '\n', '\r'};
    if (!id.empty() && id.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos) {
        out += id;
        return;
    }
    out += '"';
    for (const char each : id) {
        if (each == '"') out += '"';
        out += each;
    }
    out += '"';
}

void put_json(std::string_view id, std::string& out) {
    constexpr char HEX[] = "0123456789abcdef";
    out += '"';
    for (const char each : id) {
        const auto byte = static_cast<unsigned char>(each);
        if (each == '"' || each == '\\') out += '\\';
        if (byte >= 0x20) {
            out += each;
        } else {
            out += "\\u00";
            out += HEX[byte >> 4];
            out += HEX[byte & 15];
        }
    }
    out += '"';
}

void put_row(std::string_view start, std::string_view document, std::int64_t rank, double score, RunLayout layout,
             std::string_view end, char separator, std::string& out) {
    out += start;
    switch (layout) {
        case RunLayout::trec: break;  // which TrecLines writes
        case RunLayout::msmarco:
            refuse_odd(document);
            out += document;
            out += '\t';
            put_rank(rank, out);
            break;
        case RunLayout::csv:
        case RunLayout::tsv:
            put_quoted(document, separator, out);
            out += separator;
            put_rank(rank, out);
            out += separator;
            put_score(score, out);
            break;
        case RunLayout::json_lines:
            put_json(document, out);
            out += ", \"rank\": ";
            put_rank(rank, out);
            out += ", \"score\": ";
            put_score(score, out);
            break;
        case RunLayout::json:
            if (rank > 1) out += ", ";
            put_json(document, out);
            out += ": ";
            put_score(score, out);
            break;
    }
    out += end;
}

// The start of every row of a query.
std::string start_of(std::string_view query, RunLayout layout, char separator) {
    std::string start;
    switch (layout) {
        case RunLayout::msmarco:
            refuse_odd_query(query);
            start += query;
            start += '\t';
            break;
        case RunLayout::csv:
        case RunLayout::tsv:
            put_quoted(query, separator, start);
            start += separator;
            break;
        case RunLayout::json_lines:
            start += "{\"query_id\": ";
            put_json(query, start);
            start += ", \"doc_id\": ";
            break;
        case RunLayout::trec:
        case RunLayout::json: break;
    }
    return start;
}

std::string trec_text(const RankedLists& lists, std::string_view tag, char separator) {
    TrecLines lines(tag, separator, false);
    for (std::size_t q = 0; q < lists.queries.size(); ++q) {
        lines.begin(lists.queries[q]);
        const auto first = static_cast<std::size_t>(lists.offsets[q]), last = static_cast<std::size_t>(lists.offsets[q + 1]);
        for (std::size_t row = first; row < last; ++row) lines.add(lists.documents[row], row - first + 1, lists.scores[row]);
    }
    return std::string(lines.text());
}

}  // namespace

std::string text_of(const RankedLists& lists, RunLayout layout, std::string_view tag, char separator) {
    if (layout == RunLayout::trec) return trec_text(lists, tag, separator);
    const std::string end = layout == RunLayout::json_lines ? "}\n" : layout == RunLayout::json ? "" : "\n";
    if (layout == RunLayout::csv) separator = ',';
    if (layout == RunLayout::tsv) separator = '\t';
    std::string out;
    out.reserve(lists.scores.size() * (end.size() + 40) + lists.documents.bytes());
    for (std::size_t q = 0; q < lists.queries.size(); ++q) {
        const std::string start = start_of(lists.queries[q], layout, separator);
        if (layout == RunLayout::json) {
            if (q > 0) out += ",\n";
            put_json(lists.queries[q], out);
            out += ": {";
        }
        for (std::int64_t row = lists.offsets[q]; row < lists.offsets[q + 1]; ++row) {
            const auto at = static_cast<std::size_t>(row);
            put_row(start, lists.documents[at], row - lists.offsets[q] + 1, lists.scores[at], layout, end, separator, out);
        }
        if (layout == RunLayout::json) out += "}";
    }
    return out;
}

}  // namespace carob
