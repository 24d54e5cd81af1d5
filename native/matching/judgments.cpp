// Reads and arranges relevance judgments.
#include "matching/judgments.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace carob {

std::uint64_t fresh_seed() {
    const auto clock = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    const int here = 0;
    const auto place = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&here));
    return fold_multiply(clock ^ HASH_A, place ^ HASH_B) | 1;
}

std::int64_t Judgments::find_query(std::string_view id) const {
    const auto found = query_table_.find(hash_id(id, seed_), [&](std::uint32_t q) { return same_id(queries_[q], id); });
    return found == IdTable::NONE ? -1 : static_cast<std::int64_t>(found);
}

void Judgments::find_queries(const std::string_view* ids, std::size_t count, std::int64_t* numbers) const {
    std::uint64_t hashes[TOGETHER];
    std::uint32_t candidates[TOGETHER];
    std::string_view found[TOGETHER];
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_id(ids[i], seed_);
    for (std::size_t i = 0; i < count; ++i) candidates[i] = query_table_.candidate(hashes[i]);
    for (std::size_t i = 0; i < count; ++i) found[i] = candidates[i] == IdTable::NONE ? std::string_view() : queries_[candidates[i]];
    for (std::size_t i = 0; i < count; ++i) {
        if (candidates[i] == IdTable::NONE) {
            numbers[i] = -1;
        } else {
            numbers[i] = same_id(found[i], ids[i]) ? static_cast<std::int64_t>(candidates[i]) : find_query(ids[i]);
        }
    }
}

CAROB_FLATTEN void Judgments::find_documents(std::int64_t q, const Document* documents, std::size_t count, std::int64_t* found) const {
    const auto query = static_cast<std::size_t>(q);
    const std::int64_t first = offsets_[query];
    const std::size_t size = slot_offsets_[query + 1] - slot_offsets_[query];
    const FixedIdSlots slots(slots_.data() + slot_offsets_[query], size);
    const auto name = [&](std::uint32_t k) { return documents_[static_cast<std::size_t>(first) + k]; };
    const auto find = [&](const Document& wanted) {
        const auto k = slots.find(wanted.hash, [&](std::uint32_t each) { return same_id(name(each), wanted.name()); });
        return k == IdSlots::NONE ? -1 : first + static_cast<std::int64_t>(k);
    };
    if (size <= 64) {  // after the first access, in the nearest cache
        for (std::size_t i = 0; i < count; ++i) found[i] = find(documents[i]);
        return;
    }
    // The processor cannot predict whether a document is judged, so the lists of documents to examine are written
    // without a branch.
    std::uint32_t candidates[TOGETHER];
    std::uint32_t alike[TOGETHER + 1], others[TOGETHER + 1];
    std::string_view names[TOGETHER];
    std::size_t alike_count = 0, other_count = 0;
    for (std::size_t i = 0; i < count; ++i) slots.prefetch_slot(documents[i].hash);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t slot = slots.first_slot(documents[i].hash);
        const bool full = slot != 0, same = full & slots.alike(slot, documents[i].hash);
        found[i] = -1;
        candidates[i] = slots.number_of(slot);
        alike[alike_count] = others[other_count] = static_cast<std::uint32_t>(i);
        alike_count += same;
        other_count += full & !same;
    }
    for (std::size_t k = 0; k < other_count; ++k) {
        const std::uint32_t i = others[k];
        candidates[i] = slots.candidate_behind(documents[i].hash);
        alike[alike_count] = i;
        alike_count += candidates[i] != IdSlots::NONE;
    }
    for (std::size_t k = 0; k < alike_count; ++k) documents_.prefetch_bounds(static_cast<std::size_t>(first) + candidates[alike[k]]);
    for (std::size_t k = 0; k < alike_count; ++k) {
        names[k] = name(candidates[alike[k]]);
        prefetch(names[k].data());
    }
    for (std::size_t k = 0; k < alike_count; ++k) {
        const std::uint32_t i = alike[k];
        found[i] = same_id(names[k], documents[i].name()) ? first + static_cast<std::int64_t>(candidates[i]) : find(documents[i]);
    }
}

// Whether an id consists only of ASCII blanks.
static bool is_blank(std::string_view id) {
    return std::all_of(id.begin(), id.end(), [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
}

JudgmentsBuilder::JudgmentsBuilder() : seed_(fresh_seed()) {}

std::uint32_t JudgmentsBuilder::query_number(std::string_view query) {
    if (last_query_ != IdTable::NONE && queries_[last_query_] == query) return last_query_;
    const std::uint64_t hash = hash_id(query, seed_);
    const auto fresh = static_cast<std::uint32_t>(queries_.size());
    const auto found = query_table_.find_or_add(hash, fresh, [&](std::uint32_t q) { return queries_[q] == query; });
    if (found != IdTable::NONE) return found;
    queries_.add(query);
    query_hashes_.push_back(hash);
    if (query_table_.crowded()) query_table_.grow([&](std::uint32_t q) { return query_hashes_[q]; });
    return fresh;
}

void JudgmentsBuilder::add(std::string_view query, std::string_view document, double grade, std::int64_t line) {
    if (row_queries_.size() >= std::numeric_limits<std::uint32_t>::max() - 1) {
        throw std::length_error("more than four thousand million judgments");
    }
    last_query_ = query_number(query);
    row_queries_.add(last_query_);
    documents_.add(document);
    document_bytes_ += document.size();
    blank_ += is_blank(document) || is_blank(query);
    grades_.add(grade);
    lines_.add(static_cast<std::uint64_t>(line));
}

Judgments JudgmentsBuilder::finish(Duplicates policy) {
    const std::size_t query_count = queries_.size();
    const std::size_t row_count = row_queries_.size();

    std::vector<std::uint32_t> order(query_count);  // place in byte order → number by first line
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return compare_ids(queries_[a], queries_[b]) < 0; });

    std::vector<std::size_t> starts(query_count + 1, 0);  // the rows of each place begin there
    std::vector<std::uint32_t> rows(row_count);           // in the order of places
    {
        std::vector<std::uint32_t> places(query_count);
        for (std::size_t place = 0; place < query_count; ++place) places[order[place]] = static_cast<std::uint32_t>(place);
        for (std::size_t row = 0; row < row_count; ++row) ++starts[places[row_queries_[row]] + 1];
        for (std::size_t place = 0; place < query_count; ++place) starts[place + 1] += starts[place];
        std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
        for (std::size_t row = 0; row < row_count; ++row) {
            rows[next[places[row_queries_[row]]]++] = static_cast<std::uint32_t>(row);
        }
    }
    row_queries_.clear();

    Judgments made;
    made.seed_ = seed_;
    made.blank = blank_;
    made.queries_.reserve(query_count, queries_.bytes());
    made.query_table_.reset(query_count);
    made.offsets_.reserve(query_count + 1);
    made.documents_.reserve(row_count, document_bytes_);

    std::size_t slots = 0;
    for (std::size_t place = 0; place < query_count; ++place) slots += IdSlots::needed(starts[place + 1] - starts[place]);
    made.slots_.resize(slots);
    made.slot_offsets_.reserve(query_count + 1);

    std::vector<std::uint64_t> hashes;
    std::vector<std::uint32_t> chosen;  // per first occurrence: the occurrence that counts
    std::vector<char> kept;
    for (std::size_t place = 0; place < query_count; ++place) {
        const std::uint32_t q = order[place];
        const std::uint32_t* own = rows.data() + starts[place];
        const std::size_t own_count = starts[place + 1] - starts[place];
        made.queries_.add(queries_[q]);
        made.query_table_.find_or_add(query_hashes_[q], static_cast<std::uint32_t>(place),
                                      [](std::uint32_t) { return false; });

        hashes.resize(own_count);
        chosen.resize(own_count);
        kept.assign(own_count, 1);
        std::uint32_t* const own_slots = made.slots_.data() + made.slot_offsets_.back();
        const std::size_t own_size = IdSlots::needed(own_count);
        const IdSlots seen(own_slots, own_size);
        made.slot_offsets_.push_back(made.slot_offsets_.back() + own_size);
        const std::int64_t dropped = made.dropped;
        for (std::size_t i = 0; i < own_count; ++i) {
            const std::string_view document = documents_[own[i]];
            hashes[i] = hash_id(document, seed_);
            chosen[i] = static_cast<std::uint32_t>(i);
            const auto first = seen.find_or_add(hashes[i], static_cast<std::uint32_t>(i),
                                                [&](std::uint32_t k) { return documents_[own[k]] == document; });
            if (first == IdSlots::NONE) continue;
            if (policy == Duplicates::keep) {
                made.duplicates.push_back(
                    {static_cast<std::int64_t>(place), std::string(document),
                     static_cast<std::int64_t>(lines_[own[first]]), static_cast<std::int64_t>(lines_[own[i]])});
                continue;
            }
            ++made.dropped;
            const std::uint32_t standing = chosen[first];
            const bool later_wins = later_counts(policy, grades_[own[standing]], grades_[own[i]]);
            kept[later_wins ? standing : i] = 0;
            if (later_wins) chosen[first] = static_cast<std::uint32_t>(i);
        }
        if (made.dropped > dropped) {  // numbers after a dropped judgment have changed
            std::fill_n(own_slots, own_size, 0u);
            std::uint32_t next = 0;
            for (std::size_t i = 0; i < own_count; ++i) {
                if (kept[i]) seen.find_or_add(hashes[i], next++, [](std::uint32_t) { return false; });
            }
        }
        for (std::size_t i = 0; i < own_count; ++i) {
            if (!kept[i]) continue;
            made.documents_.add(documents_[own[i]]);
            rows[made.documents_.size() - 1] = own[i];
        }
        made.offsets_.push_back(static_cast<std::int64_t>(made.documents_.size()));
    }
    documents_.clear();
    rows.resize(made.documents_.size());
    made.grades_.reserve(rows.size());
    for (const std::uint32_t row : rows) made.grades_.push_back(grades_[row]);
    grades_.clear();
    made.lines_.reserve(rows.size());
    for (const std::uint32_t row : rows) made.lines_.push_back(lines_[row]);
    std::stable_sort(made.duplicates.begin(), made.duplicates.end(),
                     [](const JudgedTwice& a, const JudgedTwice& b) { return a.line < b.line; });
    return made;
}

namespace {

// Splits a line of at most 63 bytes whose fields are separated by single blanks, using the blanks in its first 64
// bytes. Returning false sends the line to the slow path.
bool split_plain(const char* first, const char* end, std::string_view* fields, int columns) {
    const auto length = static_cast<std::size_t>(end - first);
    if (length >= 64) return false;
    std::uint64_t blanks = low_bytes(first) & ((std::uint64_t{1} << length) - 1);
    if ((blanks & ((blanks << 1) | 1)) != 0) return false;
    const char* field = first;
    const char* const separator = blanks == 0 ? first : first + lowest_bit(blanks);
    for (int i = 0; i + 1 < columns; ++i, blanks &= blanks - 1) {
        if (blanks == 0) return false;
        const char* const blank = first + lowest_bit(blanks);
        if (*blank != ' ' && *blank != '\t') return false;
        if (*blank != *separator) return false;
        fields[i] = {field, static_cast<std::size_t>(blank - field)};
        field = blank + 1;
    }
    fields[columns - 1] = {field, static_cast<std::size_t>(end - field)};
    return blanks == 0 && field != end;
}

}  // namespace

Judgments read_judgments(Source& source, const JudgmentColumns& shape, const Reading& reading, Duplicates duplicates) {
    JudgmentsBuilder builder;
    std::vector<std::string_view> fields(static_cast<std::size_t>(shape.columns) + 1);
    const auto take = [&](const char* first, const char* end, std::int64_t line) -> std::optional<Complaint> {
        if (!split_plain(first, end, fields.data(), shape.columns) &&
            split_line(first, end, fields.data(), shape.columns + 1, reading.loose) != shape.columns) {
            return wrong_columns(first, end, shape.columns, reading.loose);
        }
        const std::string_view token = fields[static_cast<std::size_t>(shape.columns) - 1];
        const bool digit = token.size() == 1 && is_digit(token[0]);
        const ParsedNumber grade = digit ? ParsedNumber{static_cast<double>(token[0] - '0'), NumberFault::none}
                                         : parse_grade(token, reading.numbers);
        if (grade.fault != NumberFault::none) return wrong_number(grade.fault, token);
        builder.add(fields[0], fields[static_cast<std::size_t>(shape.columns) - 2], grade.value, line);
        return std::nullopt;
    };
    LineCount count = walk_lines(source, reading, shape.columns, take);
    Judgments judgments = builder.finish(duplicates);
    judgments.count = std::move(count);
    return judgments;
}

Rows read_rows(Source& source, int columns, LastColumn last, const Reading& reading) {
    Rows rows;
    rows.id_columns = columns - 1;
    std::vector<std::string_view> fields(static_cast<std::size_t>(columns) + 1);
    const auto take = [&](const char* first, const char* end, std::int64_t line) -> std::optional<Complaint> {
        if (split_line(first, end, fields.data(), columns + 1, reading.loose) != columns)
            return wrong_columns(first, end, columns, reading.loose);
        const std::string_view token = fields[static_cast<std::size_t>(columns) - 1];
        const ParsedNumber number =
            last == LastColumn::grade ? parse_grade(token, reading.numbers) : parse_score(token, reading.numbers);
        if (number.fault != NumberFault::none) return wrong_number(number.fault, token);
        for (int i = 0; i < columns - 1; ++i) rows.ids.add(fields[static_cast<std::size_t>(i)]);
        rows.values.push_back(number.value);
        rows.lines.push_back(line);
        return std::nullopt;
    };
    rows.count = walk_lines(source, reading, columns, take);
    return rows;
}

}  // namespace carob
