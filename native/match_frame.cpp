// This file matches the rows of a frame with judgments: Arrow columns in, judged rows out.
#include "match_frame.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "reduce.h"

namespace karat {
namespace {

constexpr std::int32_t UNKNOWN = -2;
constexpr double WHOLE_LIMIT = 9007199254740992.0;  // 2^53: every smaller whole number is a double

// The columns of one batch that make a run or qrels.
struct Columns {
    Column query, document;
    std::optional<Column> value;  // the score or the grade
    std::optional<Column> rank;
};

std::vector<Columns> columns_of(const Frame& frame, std::size_t query, std::size_t document,
                                std::optional<std::size_t> value, std::optional<std::size_t> rank) {
    std::vector<Columns> columns;
    for (std::size_t b = 0; b < frame.batch_count(); ++b) {
        columns.push_back({Column(frame, b, query), Column(frame, b, document), std::nullopt, std::nullopt});
        if (value) columns.back().value = Column(frame, b, *value);
        if (rank) columns.back().rank = Column(frame, b, *rank);
    }
    return columns;
}

std::string id_text(const Column& column, std::int64_t row) {
    if (column.astray(row) || column.null(row)) return {};
    char digits[LONGEST_WHOLE];
    char* room = digits;
    return std::string(column.id(row, room));
}

// What each column is called, for faults.
struct Names {
    std::string query, document, value, rank;
    bool finite;  // the value must be
};

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
        if (std::isnan(value)) return {"nan", &names.value};
        if (names.finite && std::isinf(value)) return {"infinite", &names.value};
    }
    if (columns.rank) {
        const double rank = columns.rank->number(row);
        if (!(std::abs(rank) < WHOLE_LIMIT) || rank != std::floor(rank)) return {"rank", &names.rank};
    }
    return {};
}

Trouble trouble_in(const Columns& columns, std::int64_t row, const Names& names, bool careful) {
    if (careful) {
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

// The first row from `from` to before `to` that cannot be used; rows of a batch that begins at `start`.
std::optional<RowFault> first_fault(const Columns& columns, std::int64_t start, std::int64_t from, std::int64_t to,
                                    const Names& names) {
    const auto risky = [](const Column& column) { return column.has_nulls() || column.in_dictionary(); };
    const bool careful = risky(columns.query) || risky(columns.document) || (columns.value && risky(*columns.value)) ||
                         (columns.rank && risky(*columns.rank));
    for (std::int64_t row = from; row < to; ++row) {
        const Trouble found = trouble_in(columns, row, names, careful);
        if (found.kind == nullptr) continue;
        return RowFault{found.kind, *found.column, start + row, id_text(columns.query, row),
                        id_text(columns.document, row)};
    }
    return std::nullopt;
}

// Neighbouring rows of one judged query, all in one batch.
struct Stretch {
    std::int64_t first;  // counted over all batches
    std::uint32_t length;
    std::uint32_t query;
};

struct Harvest {
    std::vector<Stretch> stretches;
    std::unordered_set<std::string> extra;
    std::optional<RowFault> fault;
    Findings findings;
    std::exception_ptr failure;
};

// What the workers share.
struct Work {
    const Judgments& judgments;
    const Frame& frame;
    const MatchOptions& options;
    const std::vector<Columns> columns;
    const Names names;
    std::atomic<bool> stop{false};
};

// Finds which query each row of some rows of a batch belongs to.
class Splitter {
public:
    Splitter(const Work& work, Harvest& harvest) : work_(work), harvest_(harvest) {}

    void take(std::size_t batch, std::int64_t from, std::int64_t to) {
        const Column& query = work_.columns[batch].query;
        if (batch != batch_ && query.in_dictionary())
            known_.assign(static_cast<std::size_t>(query.dictionary_size()), UNKNOWN);
        batch_ = batch;
        const std::int64_t start = work_.frame.start(batch);
        for (std::int64_t row = from; row < to;) {
            const std::int64_t first = row++;
            while (row < to && row - first < LONGEST && query.same(first, row)) ++row;
            const std::int64_t number = query.in_dictionary() ? known(query, first)
                                        : query.plain_whole() ? remembered(query, first)
                                                              : found(query, first);
            if (number < 0) continue;
            harvest_.stretches.push_back(
                {start + first, static_cast<std::uint32_t>(row - first), static_cast<std::uint32_t>(number)});
        }
    }

private:
    static constexpr std::int64_t LONGEST = std::int64_t{1} << 31;

    std::int64_t known(const Column& query, std::int64_t row) {
        std::int32_t& number = known_[static_cast<std::size_t>(query.index(row))];
        if (number == UNKNOWN) number = static_cast<std::int32_t>(found(query, row));
        return number;
    }

    // Rows that change their query all the time would have each number written out to be looked up.
    std::int64_t remembered(const Column& query, std::int64_t row) {
        const std::int64_t value = query.whole(row);
        Memory& memory = memories_[static_cast<std::size_t>(fold_multiply(static_cast<std::uint64_t>(value) ^ HASH_A, HASH_B) % MEMORIES)];
        if (memory.number == UNKNOWN || memory.value != value)
            memory = {value, static_cast<std::int32_t>(found(query, row))};
        return memory.number;
    }

    std::int64_t found(const Column& query, std::int64_t row) {
        char digits[LONGEST_WHOLE];
        char* room = digits;
        const std::string_view id = query.id(row, room);
        const std::int64_t number = work_.judgments.find_query(id);
        if (number < 0) harvest_.extra.emplace(id);
        return number;
    }

    struct Memory {
        std::int64_t value;
        std::int32_t number;
    };
    static constexpr std::size_t MEMORIES = std::size_t{1} << 14;

    const Work& work_;
    Harvest& harvest_;
    std::size_t batch_ = ~std::size_t{0};
    std::vector<Memory> memories_ = std::vector<Memory>(MEMORIES, {0, UNKNOWN});
    std::vector<std::int32_t> known_;  // of a dictionary's queries, the number where it was asked for
};

// Looks at the rows of one worker's share: are they fit, and whose are they?
void survey(const Work& work, std::int64_t from, std::int64_t to, Harvest& harvest) {
    constexpr std::int64_t AT_ONCE = std::int64_t{1} << 18;
    Splitter splitter(work, harvest);
    while (from < to && !work.stop.load(std::memory_order_relaxed)) {
        const std::size_t batch = work.frame.batch_of(from);
        const std::int64_t start = work.frame.start(batch);
        const std::int64_t until = std::min({to, work.frame.start(batch + 1), from + AT_ONCE});
        harvest.fault = first_fault(work.columns[batch], start, from - start, until - start, work.names);
        if (harvest.fault) return;
        splitter.take(batch, from - start, until - start);
        from = until;
    }
}

// The stretches of all workers by query, each query's in the order of the rows.
class Sorted {
public:
    Sorted(std::size_t query_count, std::vector<Harvest>& harvests) : starts_(query_count + 1, 0) {
        for (const Harvest& harvest : harvests) {
            for (const Stretch& stretch : harvest.stretches) ++starts_[stretch.query + 1];
        }
        for (std::size_t q = 0; q < query_count; ++q) starts_[q + 1] += starts_[q];
        stretches_.resize(starts_.back());
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        for (Harvest& harvest : harvests) {
            for (const Stretch& stretch : harvest.stretches) stretches_[next[stretch.query]++] = stretch;
            std::vector<Stretch>().swap(harvest.stretches);
        }
    }

    const Stretch* begin(std::size_t q) const { return stretches_.data() + starts_[q]; }
    const Stretch* end(std::size_t q) const { return stretches_.data() + starts_[q + 1]; }

private:
    std::vector<std::size_t> starts_;
    std::vector<Stretch> stretches_;
};

// One per worker: gathers a query's documents and hands them to the reducer.
class Assembler {
public:
    Assembler(const Work& work, const Sorted& sorted) : work_(work), sorted_(sorted), reducer_(work.judgments, work.options) {}

    void reduce(std::size_t query, Findings& findings) {
        const Stretch* const end = sorted_.end(query);
        std::size_t rows = 0;
        for (const Stretch* at = sorted_.begin(query); at != end; ++at) rows += at->length;
        if (rows == 0) return;
        documents_.clear();
        // Ids made of numbers must not move while they are used.
        if (digits_size_ < rows * LONGEST_WHOLE) {
            digits_size_ = rows * LONGEST_WHOLE;
            digits_ = std::make_unique_for_overwrite<char[]>(digits_size_);
        }
        if (static_cast<std::size_t>(end - sorted_.begin(query)) > rows / 4) fetch(sorted_.begin(query), end);
        char* room = digits_.get();
        for (const Stretch* at = sorted_.begin(query); at != end; ++at) add(*at, room);
        reducer_.reduce(static_cast<std::int64_t>(query), documents_, findings);
    }

private:
    // Rows far apart are waited for one by one where each is worked on at once; here many are waited for together.
    void fetch(const Stretch* from, const Stretch* end) {
        std::uint64_t all = 0;
        for (const Stretch* at = from; at != end; ++at) {
            const std::size_t batch = work_.frame.batch_of(at->first);
            const Columns& columns = work_.columns[batch];
            const std::int64_t row = at->first - work_.frame.start(batch);
            all ^= columns.document.touched(row);
            if (columns.value) all ^= columns.value->touched(row);
        }
        fetched_ = all;
    }

    void add(const Stretch& stretch, char*& room) {
        const std::size_t batch = work_.frame.batch_of(stretch.first);
        const Columns& columns = work_.columns[batch];
        const std::int64_t start = work_.frame.start(batch);
        const std::uint64_t seed = work_.judgments.seed();
        const bool by_rank = work_.options.ties == Ties::rank_column;
        for (std::int64_t row = stretch.first - start; row < stretch.first - start + stretch.length; ++row) {
            const std::string_view id = columns.document.id(row, room);
            double score = columns.value ? columns.value->number(row) : -columns.rank->number(row);
            if (work_.options.float32) score = static_cast<double>(static_cast<float>(score));
            documents_.add(id, hash_id(id, seed), score);
            documents_.places.push_back({0, start + row + 1});
            if (by_rank) documents_.ranks.push_back(static_cast<std::int64_t>(columns.rank->number(row)));
        }
    }

    const Work& work_;
    const Sorted& sorted_;
    Reducer reducer_;
    Documents documents_;
    volatile std::uint64_t fetched_ = 0;  // or a compiler would leave the reading out
    std::unique_ptr<char[]> digits_;
    std::size_t digits_size_ = 0;
};

// Each share of the work on a thread of its own; what a worker threw is thrown here.
template <class Body>
void share(Work& work, std::vector<Harvest>& harvests, bool small, const GoOn& go_on, Body&& body) {
    const bool wanted = run_in_parallel(static_cast<int>(harvests.size()), small, work.stop, go_on, [&](int worker) {
        Harvest& harvest = harvests[static_cast<std::size_t>(worker)];
        try {
            body(worker, harvest);
        } catch (...) {
            harvest.failure = std::current_exception();
            work.stop.store(true);
        }
    });
    if (!wanted) throw Interrupted{};
    for (const Harvest& harvest : harvests) {
        if (harvest.failure) std::rethrow_exception(harvest.failure);
    }
}

Names names_of(const Frame& frame, const RunColumns& columns) {
    const auto name = [&](std::optional<std::size_t> field) { return field ? frame.fields()[*field].name : std::string(); };
    return {name(columns.query), name(columns.document), name(columns.score), name(columns.rank), false};
}

}  // namespace

Judgments judgments_from_frame(const Frame& frame, const QrelsColumns& columns, Duplicates duplicates) {
    const auto name = [&](std::size_t field) { return frame.fields()[field].name; };
    const Names names{name(columns.query), name(columns.document), name(columns.grade), "", true};
    const auto its = columns_of(frame, columns.query, columns.document, columns.grade, std::nullopt);
    JudgmentsBuilder builder;
    char digits[2 * LONGEST_WHOLE];
    for (std::size_t b = 0; b < frame.batch_count(); ++b) {
        const std::int64_t start = frame.start(b);
        const std::int64_t count = frame.batch(b).length;
        if (auto fault = first_fault(its[b], start, 0, count, names)) throw std::move(*fault);
        for (std::int64_t row = 0; row < count; ++row) {
            char* room = digits;
            const std::string_view query = its[b].query.id(row, room);
            builder.add(query, its[b].document.id(row, room), its[b].value->number(row), start + row + 1);
        }
    }
    Judgments judgments = builder.finish(duplicates);
    judgments.count.lines = frame.rows();
    return judgments;
}

Matched match_frame(const Judgments& judgments, const Frame& frame, const RunColumns& columns,
                    const MatchOptions& options, const GoOn& go_on) {
    Work work{judgments, frame, options, columns_of(frame, columns.query, columns.document, columns.score, columns.rank),
              names_of(frame, columns)};
    constexpr std::int64_t SMALL = std::int64_t{1} << 15;
    const bool small = options.threads == 1 || frame.rows() < SMALL;
    std::vector<Harvest> harvests(small ? 1 : static_cast<std::size_t>(options.threads));
    const auto workers = static_cast<std::int64_t>(harvests.size());
    share(work, harvests, small, go_on, [&](int worker, Harvest& harvest) {
        const std::int64_t from = frame.rows() / workers * worker;
        survey(work, from, worker + 1 == workers ? frame.rows() : from + frame.rows() / workers, harvest);
    });
    for (Harvest& harvest : harvests) {
        if (harvest.fault) throw std::move(*harvest.fault);
    }
    const Sorted sorted(static_cast<std::size_t>(judgments.query_count()), harvests);
    std::atomic<std::int64_t> next_query{0};
    share(work, harvests, small, go_on, [&](int, Harvest& harvest) {
        Assembler assembler(work, sorted);
        for (std::int64_t q; !work.stop.load() && (q = next_query.fetch_add(1)) < judgments.query_count();) {
            assembler.reduce(static_cast<std::size_t>(q), harvest.findings);
        }
    });

    std::vector<Findings> findings;
    for (Harvest& harvest : harvests) findings.push_back(std::move(harvest.findings));
    Matched matched = arrange(judgments, findings);
    std::sort(matched.duplicates.begin(), matched.duplicates.end(),
              [](const Repeat& a, const Repeat& b) { return a.again.line < b.again.line; });
    matched.count.lines = frame.rows();
    for (const Harvest& harvest : harvests) matched.extra.insert(matched.extra.end(), harvest.extra.begin(), harvest.extra.end());
    std::sort(matched.extra.begin(), matched.extra.end(),
              [](const std::string& a, const std::string& b) { return compare_ids(a, b) < 0; });
    matched.extra.erase(std::unique(matched.extra.begin(), matched.extra.end()), matched.extra.end());
    return matched;
}

FrameRows rows_of_frame(const Frame& frame, const RunColumns& columns, const std::unordered_set<std::string>* wanted) {
    const auto its = columns_of(frame, columns.query, columns.document, columns.score, columns.rank);
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
            rows.values.push_back(its[b].value ? its[b].value->number(row) : -its[b].rank->number(row));
        }
    }
    return rows;
}

Ranked rank_frame(std::string_view query, const Frame& frame, const RunColumns& columns, const MatchOptions& options) {
    const auto its = columns_of(frame, columns.query, columns.document, columns.score, columns.rank);
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
            listed.scores.push_back(its[b].value ? its[b].value->number(row) : -its[b].rank->number(row));
            listed.ranks.push_back(its[b].rank ? static_cast<std::int64_t>(its[b].rank->number(row)) : 0);
        }
    }
    return rank_listed(query, listed, options);
}

}  // namespace karat
