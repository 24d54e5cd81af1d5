// Fuzzes frames: columns of every type that Arrow has for ids and numbers must give the same result as their rows as
// text; then one part of a frame is damaged, and the kernel must either reject it or return a result.
//
// Arrow's interface does not state how large most buffers are, so no test claims that a buffer is larger than it is:
// that is the responsibility of the frame's producer. Each buffer is a separate allocation, so a sanitizer detects
// reads beyond its end.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <span>

#include "compare.h"
#include "families.h"
#include "matching/match_frame.h"
#include "frames/read_frame.h"

namespace family {
namespace {

// ---- rows, and their text

struct Cell {
    std::string text;
    double number = 0;        // of a score, grade or rank
    std::int64_t digits = 0;  // the number times a power of ten, as decimals store it
};

struct Table {
    std::vector<Cell> queries, documents, values, ranks;
    int scale = 0;  // of the values' digits
    bool scores = true, rank = false;

    std::size_t size() const { return queries.size(); }
    std::string run() const {
        std::string text;
        text.reserve(64 * size());
        for (std::size_t i = 0; i < size(); ++i) {
            const auto add = [&](const char* before, const std::string& its) { text.append(before).append(its); };
            add("", queries[i].text);
            add(" Q0 ", documents[i].text);
            add(" ", ranks[i].text);
            add(scores ? " " : " -", scores ? values[i].text : ranks[i].text);
            text += " t\n";
        }
        return text;
    }
    std::string qrels() const {
        std::string text;
        text.reserve(64 * size());
        for (std::size_t i = 0; i < size(); ++i)
            text.append(queries[i].text).append(" 0 ").append(documents[i].text).append(" ").append(values[i].text) += '\n';
        return text;
    }
};

// Most tables are small, because small tables are fast and reveal most faults; a few are large enough for threads to
// share them.
constexpr std::size_t SMALL = 60;

std::size_t row_count(Draw& draw) {
    if (!draw.one_in(4)) return draw.below(12);
    if (!draw.one_in(120)) return draw.below(SMALL);
    return draw.one_in(250) ? 30'000 + draw.below(50'000) : draw.below(1 + draw.below(1'000));
}

const char* const IDS[] = {"q", "d1", "d10", "D1", "\xC3\xA9t\xC3\xA9", "twelve-bytes", "thirteen-byte", "a-document-of-a-long-name", "77", "\xFF"};

std::vector<Cell> ids(std::size_t count, bool whole, Draw& draw) {
    const std::size_t distinct = 1 + draw.below(count > SMALL ? count : whole ? 40 : 10);
    const std::int64_t factor = draw.one_in(4) ? 99'999'989 : 1;
    const bool negative = draw.one_in(4);
    std::vector<Cell> cells(count);
    for (Cell& cell : cells) {
        const std::size_t chosen = draw.below(distinct);
        cell.digits = factor * (static_cast<std::int64_t>(chosen) - (negative ? 3 : 0));
        cell.text = whole ? std::to_string(cell.digits) : IDS[chosen % std::size(IDS)];
        if (!whole && chosen >= std::size(IDS)) cell.text += std::to_string(chosen);
    }
    return cells;
}

std::vector<Cell> numbers(std::size_t count, int scale, std::size_t distinct, Draw& draw) {
    std::vector<Cell> cells(count);
    const std::size_t wide = draw.below(3);
    for (Cell& cell : cells) {
        cell.digits = wide == 0 && scale > 0 ? static_cast<std::int64_t>(draw.word() >> (11 + draw.below(40)))
                                             : static_cast<std::int64_t>(draw.below(distinct));
        if (draw.one_in(5)) cell.digits = -cell.digits;
        cell.text = std::to_string(cell.digits) + (scale == 0 ? "" : "e-" + std::to_string(scale));
        cell.number = std::strtod(cell.text.c_str(), nullptr);
    }
    return cells;
}

Table table_of(Draw& draw, bool run, bool whole_queries, bool whole_documents) {
    Table table;
    const std::size_t count = row_count(draw);
    table.queries = ids(count, whole_queries, draw);
    table.documents = ids(count, whole_documents, draw);
    if (draw.one_in(2)) {
        std::sort(table.queries.begin(), table.queries.end(), [](const Cell& a, const Cell& b) { return a.text < b.text; });
    }
    table.scale = run && draw.one_in(2) ? static_cast<int>(draw.below(30)) : 0;
    table.values = numbers(count, table.scale, run ? 6 : 3, draw);
    table.ranks = numbers(count, 0, 9, draw);
    for (Cell& rank : table.ranks) {
        rank.digits = std::abs(rank.digits);
        rank.number = std::abs(rank.number);
        rank.text = std::to_string(rank.digits);
    }
    table.rank = run && draw.one_in(2);
    table.scores = !table.rank || draw.one_in(2);
    return table;
}

// ---- columns

struct Type {
    std::string format, index;  // the format of the index, if there is a dictionary
};

// Owns everything that columns consist of; the frame receives pointers into it.
class Arena {
public:
    void* buffer(const void* from, std::size_t size) {
        buffers_.push_back(std::make_unique<char[]>(size));
        if (size != 0) std::memcpy(buffers_.back().get(), from, size);
        return buffers_.back().get();
    }
    template <class T>
    T* buffer(const std::vector<T>& items) {
        return static_cast<T*>(buffer(items.data(), items.size() * sizeof(T)));
    }
    ArrowArray* array() { return &arrays_.emplace_back(); }

    std::int64_t handed = 0, released = 0;

private:
    std::vector<std::unique_ptr<char[]>> buffers_;
    std::list<ArrowArray> arrays_;
};

template <class T>
bool all_fit(const std::vector<Cell>& cells) {
    return std::all_of(cells.begin(), cells.end(), [](const Cell& cell) {
        return std::cmp_greater_equal(cell.digits, std::numeric_limits<T>::min()) && std::cmp_less_equal(cell.digits, std::numeric_limits<T>::max());
    });
}

std::vector<std::string> whole_formats(const std::vector<Cell>& cells) {
    std::vector<std::string> found{"l"};
    if (all_fit<std::int8_t>(cells)) found.push_back("c");
    if (all_fit<std::uint8_t>(cells)) found.push_back("C");
    if (all_fit<std::int16_t>(cells)) found.push_back("s");
    if (all_fit<std::uint16_t>(cells)) found.push_back("S");
    if (all_fit<std::int32_t>(cells)) found.push_back("i");
    if (all_fit<std::uint32_t>(cells)) found.push_back("I");
    if (all_fit<std::uint64_t>(cells)) found.push_back("L");
    return found;
}

std::vector<std::string> number_formats(const std::vector<Cell>& cells, int scale) {
    const std::string places = std::to_string(scale);
    std::vector<std::string> found{"g", "d:38," + places, "d:18," + places + ",64", "d:76," + places + ",256"};
    const auto all = [&](auto&& test) { return std::all_of(cells.begin(), cells.end(), test); };
    if (all_fit<std::int32_t>(cells)) found.push_back("d:9," + places + ",32");
    if (all([](const Cell& cell) { return static_cast<double>(static_cast<float>(cell.number)) == cell.number; })) found.push_back("f");
    if (scale != 0) return found;
    if (all([](const Cell& cell) { return std::abs(cell.digits) <= 2048; })) found.push_back("e");
    if (all([](const Cell& cell) { return cell.digits == 0 || cell.digits == 1; })) found.push_back("b");
    found.push_back("_pli128");
    for (const std::string& format : whole_formats(cells)) found.push_back(format);
    return found;
}

std::uint16_t half_of(double number) {
    if (number == 0) return 0;
    int exponent = 0;
    const double fraction = std::frexp(std::abs(number), &exponent);  // from 0.5
    const auto bits = static_cast<int>(std::ldexp(fraction, 11)) - 1024;
    return static_cast<std::uint16_t>((number < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | bits);
}

using Cells = std::vector<const Cell*>;

class ColumnMaker {
public:
    ColumnMaker(Arena& arena, Draw& draw) : arena_(arena), draw_(draw) {}

    // An array of these cells, with unused cells before and after them.
    ArrowArray* make(std::span<const Cell> cells, const Type& type, std::size_t before) {
        if (!type.index.empty()) return in_dictionary(cells, type, before);
        return plain(padded(cells, before), type.format, before, cells.size());
    }

private:
    Cells padded(std::span<const Cell> cells, std::size_t before) {
        static const Cell EMPTY, UNSEEN{"unseen"}, OUTSIDE{"", 0, 99};
        const Cell* const pads[] = {&EMPTY, &UNSEEN, &OUTSIDE};
        Cells all;
        all.reserve(before + cells.size() + 2);
        const auto pad = [&](std::size_t count) {
            for (; count > 0; --count) all.push_back(pads[draw_.below(std::size(pads))]);
        };
        pad(before);
        for (const Cell& cell : cells) all.push_back(&cell);
        pad(draw_.below(3));
        return all;
    }

    ArrowArray* plain(const Cells& all, const std::string& format, std::size_t before, std::size_t count) {
        std::vector<const void*> buffers;
        buffers.reserve(5);
        buffers.push_back(validity(before, count, all.size()));
        if (format == "u" || format == "z") {
            text<std::int32_t>(all, buffers);
        } else if (format == "U" || format == "Z") {
            text<std::int64_t>(all, buffers);
        } else if (format[0] == 'v') {
            views(all, buffers);
        } else {
            buffers.push_back(values(all, format));
        }
        return array(std::move(buffers), before, count);
    }

    ArrowArray* array(std::vector<const void*> buffers, std::size_t before, std::size_t count) {
        ArrowArray* made = arena_.array();
        made->length = static_cast<std::int64_t>(count);
        made->offset = static_cast<std::int64_t>(before);
        made->null_count = buffers[0] == nullptr && draw_.one_in(2) ? 0 : -1;
        made->n_buffers = static_cast<std::int64_t>(buffers.size());
        made->buffers = arena_.buffer(buffers);
        return made;
    }

    // No visible cell is null.
    const void* validity(std::size_t before, std::size_t count, std::size_t all) {
        if (!draw_.one_in(3)) return nullptr;
        std::vector<std::uint8_t> bits((all + 7) / 8);
        for (std::size_t i = before; i < before + count; ++i) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1 << i % 8);
        return arena_.buffer(bits);
    }

    template <class Offset>
    void text(const Cells& all, std::vector<const void*>& buffers) {
        std::string bytes;
        bytes.reserve(32 * all.size());
        std::vector<Offset> ends;
        ends.reserve(all.size() + 1);
        if (draw_.one_in(4)) bytes = "of another slice";
        ends.push_back(static_cast<Offset>(bytes.size()));
        for (const Cell* cell : all) {
            bytes += cell->text;
            ends.push_back(static_cast<Offset>(bytes.size()));
        }
        buffers.push_back(arena_.buffer(ends));
        buffers.push_back(arena_.buffer(bytes.data(), bytes.size()));
    }

    void views(const Cells& all, std::vector<const void*>& buffers) {
        std::string bytes[2];
        std::string views;
        views.reserve(16 * all.size());
        for (const Cell* cell : all) {
            char view[16] = {};
            const auto size = static_cast<std::int32_t>(cell->text.size());
            std::memcpy(view, &size, 4);
            if (size <= 12) {
                cell->text.copy(view + 4, cell->text.size());
            } else {
                const auto part = static_cast<std::int32_t>(draw_.below(2));
                const auto place = static_cast<std::int32_t>(bytes[part].size());
                cell->text.copy(view + 4, 4);
                std::memcpy(view + 8, &part, 4);
                std::memcpy(view + 12, &place, 4);
                bytes[part] += cell->text;
            }
            views.append(view, sizeof view);
        }
        buffers.push_back(arena_.buffer(views.data(), views.size()));
        std::int64_t sizes[2];
        for (std::size_t part = 0; part < 2; ++part) {
            buffers.push_back(arena_.buffer(bytes[part].data(), bytes[part].size()));
            sizes[part] = static_cast<std::int64_t>(bytes[part].size());
        }
        buffers.push_back(arena_.buffer(sizes, sizeof sizes));
    }

    const void* values(const Cells& all, const std::string& format) {
        if (format == "b") {
            std::vector<std::uint8_t> bits((all.size() + 7) / 8);
            for (std::size_t i = 0; i < all.size(); ++i) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (all[i]->digits & 1) << i % 8);
            return arena_.buffer(bits);
        }
        std::string bytes;
        const std::size_t width = width_of(format);
        bytes.reserve(all.size() * std::max<std::size_t>(8, width));
        const auto add = [&](const auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
        for (const Cell* cell : all) {
            if (format == "g") {
                add(cell->number);
            } else if (format == "f") {
                add(static_cast<float>(cell->number));
            } else if (format == "e") {
                add(half_of(cell->number));
            } else {
                add(cell->digits);
                if (width < 8) {
                    bytes.resize(bytes.size() - 8 + width);
                } else {
                    bytes.append(width - 8, cell->digits < 0 ? '\xFF' : '\0');
                }
            }
        }
        return arena_.buffer(bytes.data(), bytes.size());
    }

    static std::size_t width_of(const std::string& format) {
        switch (format[0]) {
            case 'c':
            case 'C': return 1;
            case 's':
            case 'S': return 2;
            case 'i':
            case 'I': return 4;
            case 'd': return carob::decimal_shape(format)->bytes;
            case '_': return 16;
            default: return 8;
        }
    }

    ArrowArray* in_dictionary(std::span<const Cell> cells, const Type& type, std::size_t before) {
        std::vector<Cell> entries, places;
        places.reserve(cells.size());
        std::map<std::string_view, std::size_t> known;
        for (const Cell& cell : cells) {
            const auto [at, fresh] = known.emplace(cell.text, entries.size());
            if (fresh || draw_.one_in(20)) {  // an entry may occur twice
                at->second = entries.size();
                entries.push_back(cell);
            }
            places.push_back({"", 0, static_cast<std::int64_t>(at->second)});
        }
        if (draw_.one_in(2)) entries.push_back(cells.empty() ? Cell{"unused"} : cells.front());
        ArrowArray* made = plain(padded(places, before), type.index, before, cells.size());
        const std::size_t skipped = draw_.below(3);
        made->dictionary = plain(padded(entries, skipped), type.format, skipped, entries.size());
        return made;
    }

    Arena& arena_;
    Draw& draw_;
};

// ---- frames

constexpr std::size_t QUERY = 0, DOCUMENT = 1, VALUE = 2, RANK = 3, COLUMNS = 4;

struct Handed {
    std::vector<Type> types;
    std::vector<ArrowArray*> batches;
    std::vector<const char*> formats, indices;  // as the schema gives them; may be null
    std::int64_t columns = COLUMNS;
    bool schema_fails = false;
    std::size_t fails_at = std::numeric_limits<std::size_t>::max();
    Arena arena;
};

// A batch of the stream, handed out once.
struct Stream {
    explicit Stream(Handed& handed) : its(handed) {
        stream.private_data = this;
        stream.get_schema = [](ArrowArrayStream* from, ArrowSchema* out) {
            Stream& here = *static_cast<Stream*>(from->private_data);
            if (here.its.schema_fails) return 5;
            here.describe(*out);
            return 0;
        };
        stream.get_next = [](ArrowArrayStream* from, ArrowArray* out) {
            Stream& here = *static_cast<Stream*>(from->private_data);
            if (here.next == here.its.fails_at) return 5;
            *out = here.next < here.its.batches.size() ? *here.its.batches[here.next++] : ArrowArray{};
            if (out->release != nullptr) ++here.its.arena.handed;
            return 0;
        };
    }

    void describe(ArrowSchema& out) {
        static const char* const NAMES[] = {"query", "document", "value", "rank"};
        for (std::size_t i = 0; i < COLUMNS; ++i) {
            children[i] = &fields[i];
            fields[i].name = NAMES[i];
            fields[i].format = its.formats[i];
            if (its.indices[i] == nullptr) continue;
            dictionaries[i].format = its.formats[i];
            fields[i].format = its.indices[i];
            fields[i].dictionary = &dictionaries[i];
        }
        out = {};
        out.format = "+s";
        out.n_children = its.columns;
        out.children = children;
        out.release = [](ArrowSchema* schema) { schema->release = nullptr; };
    }

    Handed& its;
    std::size_t next = 0;
    ArrowArrayStream stream{};
    ArrowSchema fields[COLUMNS]{}, dictionaries[COLUMNS]{};
    ArrowSchema* children[COLUMNS]{};
};

template <std::size_t N>
const char* one_of(const char* const (&choices)[N], Draw& draw) {
    return choices[draw.below(N)];
}

Type id_type(const std::vector<Cell>& cells, bool whole, Draw& draw) {
    static const char* const TEXT[] = {"u", "U", "vu", "z", "Z", "vz"};
    static const char* const INDEX[] = {"i", "I", "l", "L", "c", "C", "s", "S"};
    const std::vector<std::string> wholes = whole_formats(cells);
    Type type{whole && !draw.one_in(3) ? wholes[draw.below(wholes.size())] : one_of(TEXT, draw), ""};
    if (draw.one_in(3)) type.index = INDEX[draw.below(cells.size() > SMALL ? 4 : 8)];
    return type;
}

Type number_type(const std::vector<Cell>& cells, int scale, Draw& draw) {
    const std::vector<std::string> formats = number_formats(cells, scale);
    return {formats[draw.below(formats.size())], draw.one_in(8) ? "i" : ""};
}

void build(Handed& handed, const Table& table, bool whole_queries, bool whole_documents, Draw& draw) {
    const std::vector<Cell>* const cells[COLUMNS] = {&table.queries, &table.documents, &table.values, &table.ranks};
    handed.types = {id_type(table.queries, whole_queries, draw), id_type(table.documents, whole_documents, draw),
                    number_type(table.values, table.scale, draw), number_type(table.ranks, 0, draw)};
    for (const Type& type : handed.types) {
        handed.formats.push_back(type.format.c_str());
        handed.indices.push_back(type.index.empty() ? nullptr : type.index.c_str());
    }
    ColumnMaker maker(handed.arena, draw);
    std::size_t from = 0;
    do {
        const std::size_t most = draw.one_in(2) ? table.size() : from + 1 + draw.below(9 + table.size() / 20);
        const std::size_t to = draw.one_in(6) ? from : std::min(table.size(), most);
        const std::size_t moved = draw.one_in(4) ? 1 + draw.below(9) : 0;
        ArrowArray* batch = handed.arena.array();
        std::vector<ArrowArray*> children;
        for (std::size_t i = 0; i < COLUMNS; ++i) {
            const std::size_t own = draw.one_in(4) ? 1 + draw.below(9) : 0;
            ArrowArray* child = maker.make(std::span(*cells[i]).subspan(from, to - from), handed.types[i], moved + own);
            child->offset -= static_cast<std::int64_t>(moved);
            child->length += static_cast<std::int64_t>(moved);
            children.push_back(child);
        }
        batch->length = static_cast<std::int64_t>(to - from);
        batch->offset = static_cast<std::int64_t>(moved);
        batch->n_children = COLUMNS;
        batch->children = handed.arena.buffer(children);
        batch->n_buffers = 1;
        batch->buffers = handed.arena.buffer(std::vector<const void*>{nullptr});
        batch->private_data = &handed.arena;
        batch->release = [](ArrowArray* array) {
            ++static_cast<Arena*>(array->private_data)->released;
            array->release = nullptr;
        };
        handed.batches.push_back(batch);
        from = to;
    } while (from < table.size() || draw.one_in(6));
}

// ---- the kernel's reading of a frame

carob::RunColumns run_columns(const Table& table) {
    carob::RunColumns columns{QUERY, DOCUMENT, std::nullopt, std::nullopt};
    if (table.scores) columns.score = VALUE;
    if (table.rank) columns.rank = RANK;
    return columns;
}

// Makes the same check as python/frames.cpp before anything is read.
bool fits(const carob::Frame& frame) {
    if (frame.fields().size() != COLUMNS) return false;
    for (std::size_t i = 0; i < COLUMNS; ++i) {
        const carob::Holds holds = frame.fields()[i].holds;
        if (holds != carob::Holds::whole && holds != carob::Holds::none && holds != (i < VALUE ? carob::Holds::text : carob::Holds::number)) return false;
    }
    return true;
}

// Returns false if the frame is rejected.
bool with_frame(Handed& handed, const std::function<void(const carob::Frame&)>& use) {
    bool taken = false;
    try {
        Stream stream(handed);
        const carob::Frame frame(stream.stream);
        if (fits(frame)) {
            use(frame);
            taken = true;
        }
    } catch (const carob::FrameFault& fault) {
        expect(!fault.detail.empty(), "a frame is refused without a reason");
    } catch (const carob::RowFault& fault) {
        expect(fault.row >= 0 && fault.kind != nullptr, "a refusal names no row");
    }
    expect(handed.arena.handed == handed.arena.released, "a batch is not released once");
    return taken;
}

// Matches frame after frame, one batch each; begins again from the start if a query reappears.
carob::Matched in_turn(const carob::Judgments& judgments, Handed& handed, const Table& table, carob::MatchOptions options) {
    for (options.gathered = false;; options.gathered = true) {
        carob::FrameMatcher matcher(judgments, options);
        bool ended = true;
        const std::vector<ArrowArray*> batches = handed.batches;
        for (ArrowArray* batch : batches) {
            handed.batches = {batch};
            const bool taken = with_frame(handed, [&](const carob::Frame& frame) { ended = ended && matcher.take(frame, run_columns(table), false, {}); });
            expect(taken, "one of several frames is refused");
        }
        handed.batches = batches;
        if (ended) return matcher.finish({});
        expect(!options.gathered, "gathered rows are to be gathered again");
    }
}

void compare_all(Handed& handed, const Table& table, const carob::Judgments& judgments, const oracle::Judged& judged,
                 const carob::MatchOptions& options, Draw& draw) {
    const std::string text = table.run();
    const oracle::Text lines(text, options.reading);
    oracle::Ranked wanted = oracle::match(judged, lines, options);
    wanted.matched.tag.clear();
    // Expensive checks run only for every n-th input.
    MemorySpill spill;
    carob::MatchOptions spilled = options;
    spilled.gathered = true;
    spilled.memory = 1;
    if (draw.one_in(4)) spilled.spill = &spill;
    const std::string query = table.size() == 0 ? "q" : table.queries[draw.below(table.size())].text;
    const bool taken = with_frame(handed, [&](const carob::Frame& frame) {
        expect(frame.rows() == static_cast<std::int64_t>(table.size()), "a frame has another number of rows");
        compare(carob::match_frame(judgments, frame, run_columns(table), options, {}), wanted, options.scores);
        if (spilled.spill != nullptr)
            compare(carob::match_frame(judgments, frame, run_columns(table), spilled, {}), wanted, options.scores);
        compare(carob::rank_frame(query, frame, run_columns(table), options), oracle::rank_query(query, lines, options));
        const carob::FrameRows rows = carob::rows_of_frame(frame, run_columns(table), nullptr);
        expect(rows.values.size() == table.size(), "other rows");
        for (std::size_t i = 0; i < table.size(); ++i) {
            const bool ids = rows.queries[i] == table.queries[i].text && rows.documents[i] == table.documents[i].text;
            expect(ids && rows.values[i] == (table.scores ? table.values[i].number : -table.ranks[i].number), "another row");
        }
    });
    expect(taken, "a sound frame is refused");
    compare(in_turn(judgments, handed, table, spilled), wanted, options.scores);
}

// ---- damage

// Alters the parts of a frame. Each function returns whether the frame must be rejected; otherwise any result is
// acceptable.
class Vandal {
public:
    Vandal(Handed& handed, const Table& table, Draw& draw) : handed_(handed), table_(table), draw_(draw) {}

    bool damage() {
        batch_ = handed_.batches[draw_.below(handed_.batches.size())];
        const std::size_t used[] = {QUERY, DOCUMENT, table_.scores ? VALUE : RANK, table_.rank ? RANK : VALUE};
        field_ = used[draw_.below(table_.scores && table_.rank ? 4 : 3)];
        child_ = batch_->children[field_];
        type_ = handed_.types[field_];
        switch (draw_.below(8)) {
            case 0: return schema();
            case 1: return batch();
            case 2: return sizes(*child_);
            case 3: return child_->dictionary != nullptr ? sizes(*child_->dictionary) : buffers(*child_);
            case 4: return buffers(child_->dictionary != nullptr && draw_.one_in(2) ? *child_->dictionary : *child_);
            case 5: return nulls();
            default: return contents();
        }
    }

private:
    static constexpr std::int64_t FAR = std::int64_t{1} << 60;

    bool empty() const { return batch_->length == 0; }
    std::size_t row() { return static_cast<std::size_t>(batch_->offset) + draw_.below(static_cast<std::size_t>(batch_->length)); }
    template <class T>
    static T* buffer(ArrowArray& array, std::size_t i) {
        return static_cast<T*>(const_cast<void*>(array.buffers[i]));
    }

    bool schema() {
        static const char* const FORMATS[] = {"", "n", "+s", "+l", "tdD", "w:3", "uu", "d:", "d:9", "d:9,2,7", "d:99999999999,1", "d:1,500", "d:1,2,", "v", "_plu"};
        switch (draw_.below(6)) {
            case 0: handed_.schema_fails = true; break;
            case 1: handed_.fails_at = draw_.below(handed_.batches.size() + 1); break;
            case 2: handed_.columns = static_cast<std::int64_t>(draw_.below(COLUMNS)); break;
            case 3: handed_.columns = -1; break;
            case 4: handed_.formats[field_] = nullptr; break;
            default: {
                const std::string_view format = handed_.formats[field_] = one_of(FORMATS, draw_);
                return format != "n" || table_.size() != 0;  // without rows, a column of nulls is acceptable
            }
        }
        return true;
    }

    bool batch() {
        switch (draw_.below(8)) {
            case 0: batch_->length = draw_.one_in(2) ? -1 : FAR; break;
            case 1: batch_->offset = draw_.one_in(2) ? -1 : FAR; break;
            case 2: batch_->n_children = static_cast<std::int64_t>(draw_.below(COLUMNS)) - 1; break;
            case 3: batch_->n_children = COLUMNS + 1; break;
            case 4: batch_->children = nullptr; break;
            case 5: batch_->children[field_] = nullptr; break;
            case 6: batch_->buffers = nullptr; break;
            default: {
                const bool seen = !empty();
                std::vector<std::uint8_t> none(static_cast<std::size_t>(batch_->offset + batch_->length + 7) / 8);
                batch_->buffers[0] = handed_.arena.buffer(none);
                batch_->null_count = batch_->length;
                return seen;
            }
        }
        return true;
    }

    bool sizes(ArrowArray& array) {
        const bool dictionary = &array != child_;
        switch (draw_.below(6)) {
            case 0: array.length = -1; break;
            case 1: array.offset = draw_.one_in(2) ? -1 : FAR; break;
            case 2: array.n_buffers = static_cast<std::int64_t>(draw_.below(3)) - 1; break;
            case 3: array.buffers = nullptr; break;
            case 4:
                if (array.length == 0) return false;
                array.length = static_cast<std::int64_t>(draw_.below(static_cast<std::size_t>(array.length)));
                return !dictionary;
            default:
                child_->dictionary = nullptr;
                return !type_.index.empty();
        }
        return true;
    }

    bool buffers(ArrowArray& array) {
        const auto at = draw_.below(static_cast<std::size_t>(array.n_buffers));
        array.buffers[at] = nullptr;
        return at == 1 && array.length > 0;
    }

    bool nulls() {
        child_->null_count = 1;
        if (empty()) return false;
        const std::size_t place = static_cast<std::size_t>(child_->offset) + row();
        if (child_->buffers[0] == nullptr) {
            child_->buffers[0] = handed_.arena.buffer(std::vector<std::uint8_t>(place / 8 + 9 + static_cast<std::size_t>(child_->length) / 8, 255));
        }
        std::uint8_t& bits = buffer<std::uint8_t>(*child_, 0)[place / 8];
        bits = static_cast<std::uint8_t>(bits & ~(1 << place % 8));
        return true;
    }

    bool contents() {
        if (!type_.index.empty() && draw_.one_in(2)) return index();
        ArrowArray& array = type_.index.empty() ? *child_ : *child_->dictionary;
        const auto count = static_cast<std::size_t>(array.length);
        const bool seen = type_.index.empty();
        if (count == 0 || (seen && empty())) return false;
        const std::size_t place = static_cast<std::size_t>(array.offset) + (seen ? row() : draw_.below(count));
        switch (type_.format[0]) {
            case 'u':
            case 'z': return offsets<std::int32_t>(array, place);
            case 'U':
            case 'Z': return offsets<std::int64_t>(array, place);
            case 'v': return view(array, place);
            case 'g': buffer<double>(array, 1)[place] = std::nan(""); return seen && field_ >= VALUE;
            case 'f': buffer<float>(array, 1)[place] = std::numeric_limits<float>::quiet_NaN(); return seen && field_ >= VALUE;
            case 'e': buffer<std::uint16_t>(array, 1)[place] = 0x7FFF; return seen && field_ >= VALUE;
            default: buffer<std::uint8_t>(array, 1)[type_.format == "b" ? place / 8 : place] = draw_.byte(); return false;
        }
    }

    // The last offset is unchanged or decreases, because nothing can detect that it is too large.
    template <class Offset>
    bool offsets(ArrowArray& array, std::size_t place) {
        auto* ends = buffer<Offset>(array, 1);
        if (draw_.one_in(2)) {
            ends[place + 1] = std::numeric_limits<Offset>::min() + static_cast<Offset>(draw_.byte());
        } else {
            const auto more = static_cast<Offset>(1 + draw_.below(draw_.one_in(2) ? 2 : 256));
            ends[place] = draw_.one_in(2) ? std::numeric_limits<Offset>::max() : static_cast<Offset>(ends[place + 1] + more);
        }
        return true;
    }

    bool view(ArrowArray& array, std::size_t place) {
        static const std::int32_t ODD[] = {-1, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), 13, 2, 1 << 20};
        auto* parts = buffer<std::int32_t>(array, 1) + 4 * place;
        const std::size_t at = draw_.one_in(2) ? 0 : 2 + draw_.below(2);
        switch (draw_.below(3)) {
            case 0: parts[at] = static_cast<std::int32_t>(draw_.word()); break;
            case 1: parts[at] = ODD[draw_.below(std::size(ODD))]; break;
            default: parts[at] += 1; break;  // one beyond its buffer, if it is the last view
        }
        return parts[0] < 0;
    }

    bool index() {
        if (empty()) return false;
        const std::size_t place = static_cast<std::size_t>(child_->offset) + row();
        const std::int64_t outside = draw_.one_in(2) ? child_->dictionary->length : -1;
        const std::size_t width = type_.index == "c" || type_.index == "C" ? 1 : type_.index == "s" || type_.index == "S" ? 2 : type_.index == "i" || type_.index == "I" ? 4 : 8;
        std::memcpy(buffer<char>(*child_, 1) + place * width, &outside, width);
        return true;
    }

    Handed& handed_;
    const Table& table_;
    Draw& draw_;
    ArrowArray* batch_ = nullptr;
    std::size_t field_ = 0;
    ArrowArray* child_ = nullptr;
    Type type_;
};

}  // namespace

void fuzz_frames(const std::uint8_t* data, std::size_t size) {
    Draw draw(data, size);
    const bool whole_queries = draw.one_in(3);
    const bool whole_documents = draw.one_in(3);
    carob::MatchOptions options;
    options.duplicates = static_cast<carob::Duplicates>(draw.below(4));
    options.float32 = draw.one_in(4);
    options.scores = draw.one_in(2);
    options.relevant_only = draw.one_in(4);
    options.piece_rows = draw.one_in(2) ? 1 + static_cast<std::int64_t>(draw.below(20)) : 0;
    options.threads = draw.one_in(64) ? 2 : 1;

    const Table grades = table_of(draw, false, whole_queries, whole_documents);
    const Table run = table_of(draw, true, whole_queries, whole_documents);
    options.ties = static_cast<carob::Ties>(draw.below(run.rank ? 4 : 3));

    Handed judged_frame;
    build(judged_frame, grades, whole_queries, whole_documents, draw);
    const std::string text = grades.qrels();
    const oracle::Judged judged = oracle::read_judgments({text, carob::Reading{}}, {}, options.duplicates);
    std::optional<carob::Judgments> judgments;
    const bool taken = with_frame(judged_frame, [&](const carob::Frame& frame) {
        judgments = carob::judgments_from_frame(frame, {QUERY, DOCUMENT, VALUE}, options.duplicates);
    });
    expect(taken, "sound judgments are refused");
    compare(*judgments, judged);

    Handed handed;
    build(handed, run, whole_queries, whole_documents, draw);
    compare_all(handed, run, *judgments, judged, options, draw);

    const bool refused = Vandal(handed, run, draw).damage();
    const carob::RunColumns columns = run_columns(run);
    const auto answer = [&](const std::function<void(const carob::Frame&)>& use) { return with_frame(handed, use); };
    const bool answered = answer([&](const carob::Frame& frame) { carob::match_frame(*judgments, frame, columns, options, {}); });
    expect(!(refused && answered), "a damaged frame is taken");
    switch (draw.below(3)) {
        case 0: answer([&](const carob::Frame& frame) { carob::rank_frame("q", frame, columns, options); }); break;
        case 1: answer([&](const carob::Frame& frame) { carob::rows_of_frame(frame, columns, nullptr); }); break;
        default:
            answer([&](const carob::Frame& frame) {
                carob::judgments_from_frame(frame, {QUERY, DOCUMENT, VALUE}, options.duplicates);
            });
    }
}

}  // namespace family
