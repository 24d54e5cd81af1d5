// Checks the footer and the page headers of a Parquet file, about a microsecond per page; no page is unpacked.
#include "frames/parquet.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace carob {
namespace shape {
namespace {

struct Damage {
    const char* what;
};

void expect(bool sound, const char* what) {
    if (!sound) throw Damage{what};
}

// The needed parts of a Thrift struct: its numbers, structs and lists of structs by field id.
struct Struct {
    std::map<std::int64_t, std::int64_t> numbers;
    std::map<std::int64_t, std::vector<Struct>> structs;

    std::int64_t number(std::int64_t field) const {
        const auto at = numbers.find(field);
        return at == numbers.end() ? 0 : at->second;
    }
    const std::vector<Struct>& list(std::int64_t field) const {
        static const std::vector<Struct> none;
        const auto at = structs.find(field);
        return at == structs.end() ? none : at->second;
    }
    const Struct* only(std::int64_t field) const {
        const std::vector<Struct>& its = list(field);
        return its.empty() ? nullptr : &its.front();
    }
};

enum Kind { STOP, YES, NO, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT };

// Reads Thrift's compact protocol. Never reads beyond the text, and no list can be longer than the remaining text.
class Thrift {
public:
    explicit Thrift(std::string_view text) : text_(text) {}

    std::size_t at() const { return at_; }

    Struct read(int depth = 0) {
        expect(depth < DEEPEST, "its headers are nested too deep");
        Struct found;
        std::int64_t field = 0;
        for (unsigned head; (head = byte()) != 0;) {
            const std::int64_t next = head >> 4 != 0 ? field + (head >> 4) : number();
            expect(next > field && next < 32768, "a header's fields are in disorder");
            field = next;
            value(static_cast<Kind>(head & 15), depth, found, field);
        }
        return found;
    }

private:
    static constexpr int DEEPEST = 32;

    unsigned byte() {
        expect(at_ < text_.size(), "a header is cut short");
        return static_cast<unsigned char>(text_[at_++]);
    }

    std::uint64_t varint() {
        std::uint64_t found = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const unsigned part = byte();
            found |= std::uint64_t{part & 127} << shift;
            if (part < 128) return found;
        }
        throw Damage{"a number is too long"};
    }

    std::int64_t number() {
        const std::uint64_t coded = varint();
        return static_cast<std::int64_t>(coded >> 1 ^ (0 - (coded & 1)));
    }

    void skip(std::uint64_t count) {
        expect(count <= text_.size() - at_, "a text is longer than its header");
        at_ += static_cast<std::size_t>(count);
    }

    void value(Kind kind, int depth, Struct& into, std::int64_t field) {
        switch (kind) {
            case YES:
            case NO: return;
            case BYTE: return skip(1);
            case I16:
            case I32:
            case I64: into.numbers[field] = number(); return;
            case DOUBLE: return skip(8);
            case BINARY: return skip(varint());
            case STRUCT: into.structs[field] = {read(depth + 1)}; return;
            case LIST:
            case SET: {
                const unsigned head = byte();
                items(static_cast<Kind>(head & 15), head >> 4 < 15 ? head >> 4 : varint(), depth, into, field);
                return;
            }
            case MAP: {
                const std::uint64_t count = varint();
                const unsigned kinds = count == 0 ? 0 : byte();
                expect(count <= text_.size() - at_, "a list is longer than its header");
                Struct unused;
                for (std::uint64_t i = 0; i < count; ++i) {
                    items(static_cast<Kind>(kinds >> 4), 1, depth, unused, 0);
                    items(static_cast<Kind>(kinds & 15), 1, depth, unused, 0);
                }
                return;
            }
            default: throw Damage{"a header holds an unknown kind of field"};
        }
    }

    // An item takes at least one byte, even if it is a Boolean.
    void items(Kind kind, std::uint64_t count, int depth, Struct& into, std::int64_t field) {
        expect(depth + 1 < DEEPEST, "its headers are nested too deep");
        expect(count <= text_.size() - at_, "a list is longer than its header");
        if (kind == YES || kind == NO) return skip(count);
        std::vector<Struct> found;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (kind == STRUCT) {
                found.push_back(read(depth + 1));
            } else {
                Struct unused;
                value(kind, depth + 1, unused, 0);
            }
        }
        into.structs[field] = std::move(found);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// The fields of Parquet's structs that are checked.
namespace footer { constexpr int ROWS = 3, GROUPS = 4; }
namespace group { constexpr int COLUMNS = 1, ROWS = 3; }
namespace chunk { constexpr int ITS = 3; }
namespace column { constexpr int VALUES = 5, UNPACKED = 6, PACKED = 7, DATA = 9, DICTIONARY = 11; }
namespace page { constexpr int UNPACKED = 2, PACKED = 3, DATA = 5, DICTIONARY = 7, DATA_2 = 8; }
namespace data_2 { constexpr int NULLS = 2, DEFINITIONS = 5, REPETITIONS = 6; }

// The number of values of its column that a page contains.
std::int64_t values_of(const Struct& head, std::int64_t left) {
    const std::int64_t size = std::min(head.number(page::PACKED), head.number(page::UNPACKED));
    if (const Struct* its = head.only(page::DICTIONARY)) {
        const std::int64_t values = its->number(1);
        expect(values >= 0 && values <= head.number(page::UNPACKED), "a page holds more values than bytes");
        return 0;
    }
    const Struct* first = head.only(page::DATA);
    const Struct* second = head.only(page::DATA_2);
    if (first == nullptr && second == nullptr) return 0;
    for (const Struct* its : {first, second}) {
        if (its == nullptr) continue;
        expect(its->number(1) >= 0, "a page's number of values is negative");
        expect(its->number(1) <= left, "a page holds more values than its column");
    }
    if (second != nullptr) {
        const std::int64_t definitions = second->number(data_2::DEFINITIONS);
        const std::int64_t repetitions = second->number(data_2::REPETITIONS);
        const bool inside = definitions >= 0 && repetitions >= 0 && definitions <= size && repetitions <= size - definitions;
        expect(inside, "a page's levels are longer than the page");
        const std::int64_t nulls = second->number(data_2::NULLS);
        expect(nulls >= 0 && nulls <= second->number(1), "a page has more nulls than values");
    }
    return (second == nullptr ? first : second)->number(1);
}

void check_column(std::string_view file, const Struct& its, std::int64_t end) {
    std::int64_t left = its.number(column::VALUES);
    const std::int64_t packed = its.number(column::PACKED);
    expect(left >= 0 && packed >= 0 && its.number(column::UNPACKED) >= 0, "a column's size is negative");
    if (left == 0) return;
    std::int64_t at = its.number(column::DATA);
    if (const std::int64_t dictionary = its.number(column::DICTIONARY); dictionary != 0) at = std::min(at, dictionary);
    expect(at >= 4 && at <= end && packed <= end - at, "a column lies outside the file");
    for (const std::int64_t last = at + packed; at < last && left > 0;) {
        Thrift thrift(file.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(last - at)));
        const Struct head = thrift.read();
        at += static_cast<std::int64_t>(thrift.at());
        const std::int64_t content = head.number(page::PACKED);
        expect(content >= 0 && content <= last - at, "a page is longer than its column");
        expect(head.number(page::UNPACKED) >= 0, "a page's size is negative");
        left -= values_of(head, left);
        at += content;
    }
}

void check(std::string_view file) {
    expect(file.size() >= 12, "it is too short for Parquet");
    const std::string_view tail = file.substr(file.size() - 8);
    if (tail.substr(4) == "PARE") return;  // encrypted: the library that reads it reports that
    expect(tail.substr(4) == "PAR1", "it does not end as Parquet does");
    std::uint32_t length = 0;
    for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(tail[static_cast<std::size_t>(i)]);
    expect(length <= file.size() - 12, "its footer is longer than the file");
    const std::size_t end = file.size() - 8 - length;
    const Struct its = Thrift(file.substr(end, length)).read();
    expect(its.number(footer::ROWS) >= 0, "its number of rows is negative");
    for (const Struct& rows : its.list(footer::GROUPS)) {
        expect(rows.number(group::ROWS) >= 0, "a number of rows is negative");
        for (const Struct& part : rows.list(group::COLUMNS)) {
            if (const Struct* found = part.only(chunk::ITS)) check_column(file, *found, static_cast<std::int64_t>(end));
        }
    }
}

}  // namespace
}  // namespace shape

std::optional<std::string> parquet_damage(std::string_view file) {
    try {
        shape::check(file);
    } catch (const shape::Damage& damage) {
        return damage.what;
    }
    return std::nullopt;
}

}  // namespace carob
