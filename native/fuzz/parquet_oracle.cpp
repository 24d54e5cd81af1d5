// Reads the headers of a Parquet file plainly: builds a tree of their content, then checks one rule after the other.
//
// It shares no code with the kernel. Its sources are listed in native/frames/parquet.h.
#include <algorithm>
#include <utility>

#include "oracle.h"

namespace oracle {
namespace {

struct Damaged {};

void must(bool sound) {
    if (!sound) throw Damaged{};
}

// The content of a header by field id: a number, or structs (several for a list).
struct Header {
    std::vector<std::pair<std::int64_t, std::int64_t>> numbers;
    std::vector<std::pair<std::int64_t, std::vector<Header>>> structs;

    std::int64_t operator()(std::int64_t field) const {
        const auto at = std::find_if(numbers.begin(), numbers.end(), [&](const auto& one) { return one.first == field; });
        return at == numbers.end() ? 0 : at->second;
    }
    const std::vector<Header>& all(std::int64_t field) const {
        static const std::vector<Header> none;
        const auto at = std::find_if(structs.begin(), structs.end(), [&](const auto& one) { return one.first == field; });
        return at == structs.end() ? none : at->second;
    }
    bool has(std::int64_t field) const { return !all(field).empty(); }
};

// Text that is consumed from the front.
class Reader {
public:
    explicit Reader(std::string_view text) : left(text) {}

    std::string_view left;

    std::string_view eat(std::uint64_t count) {
        must(count <= left.size());
        const std::string_view eaten = left.substr(0, static_cast<std::size_t>(count));
        left.remove_prefix(eaten.size());
        return eaten;
    }
    unsigned byte() { return static_cast<unsigned char>(eat(1)[0]); }

    std::uint64_t number() {
        std::uint64_t sum = 0;
        for (int i = 0; i < 10; ++i) {
            const std::uint64_t next = byte();
            sum += next % 128 << (7 * i);
            if (next < 128) return sum;
        }
        throw Damaged{};
    }
    std::int64_t signed_number() {
        const std::uint64_t zigzag = number();
        return zigzag % 2 == 0 ? static_cast<std::int64_t>(zigzag / 2) : -1 - static_cast<std::int64_t>(zigzag / 2);
    }

    Header header(int depth) {
        must(depth < 32);
        Header its;
        for (std::int64_t field = 0;;) {
            const unsigned first = byte();
            if (first == 0) return its;
            const std::int64_t before = field;
            field = first < 16 ? signed_number() : before + first / 16;
            must(before < field && field <= 32767);
            value(first % 16, depth, field, its);
        }
    }

private:
    // Types of the compact protocol: 1 and 2 are truth values, 3 a byte, 4 to 6 integers, 7 a double, 8 text, 9 a list,
    // 10 a set, 11 a map, 12 a struct.
    void value(unsigned kind, int depth, std::int64_t field, Header& its) {
        must(kind >= 1 && kind <= 12);
        if (kind == 3) eat(1);
        if (kind >= 4 && kind <= 6) its.numbers.push_back({field, signed_number()});
        if (kind == 7) eat(8);
        if (kind == 8) eat(number());
        if (kind == 9 || kind == 10) {
            const unsigned first = byte();
            its.structs.push_back({field, items(first % 16, first / 16 == 15 ? number() : first / 16, depth)});
        }
        if (kind == 11) {
            const std::uint64_t count = number();
            const unsigned kinds = count == 0 ? 0 : byte();
            must(count <= left.size());
            for (std::uint64_t i = 0; i < 2 * count; ++i) items(i % 2 == 0 ? kinds / 16 : kinds % 16, 1, depth);
        }
        if (kind == 12) its.structs.push_back({field, {header(depth + 1)}});
    }

    std::vector<Header> items(unsigned kind, std::uint64_t count, int depth) {
        must(depth + 1 < 32 && count <= left.size());
        std::vector<Header> found;
        for (std::uint64_t i = 0; i < count; ++i) {
            Header unused;
            if (kind == 1 || kind == 2) {
                eat(1);
            } else if (kind == 12) {
                found.push_back(header(depth + 1));
            } else {
                value(kind, depth + 1, 0, unused);
            }
        }
        return found;
    }
};

// How many values of its column remain after a page.
std::int64_t behind_page(const Header& head, std::int64_t left) {
    const std::int64_t unpacked = head(2), packed = head(3);
    must(unpacked >= 0 && packed >= 0);
    if (head.has(7)) {  // a dictionary page, whose entries are not values of the column
        const std::int64_t entries = head.all(7)[0](1);
        must(0 <= entries && entries <= unpacked);
        return left;
    }
    if (head.has(5)) {
        const std::int64_t values = head.all(5)[0](1);
        must(0 <= values && values <= left);
        if (!head.has(8)) return left - values;
    }
    if (!head.has(8)) return left;
    const Header& its = head.all(8)[0];
    const std::int64_t values = its(1), nulls = its(2), definitions = its(5), repetitions = its(6);
    must(0 <= values && values <= left);
    must(0 <= nulls && nulls <= values);
    must(0 <= definitions && 0 <= repetitions);
    for (const std::int64_t size : {packed, unpacked}) must(definitions <= size && repetitions <= size - definitions);
    return left - values;
}

void check_column(std::string_view pages, const Header& its) {
    const std::int64_t packed = its(7);
    std::int64_t left = its(5);
    must(left >= 0 && its(6) >= 0 && packed >= 0);
    if (left == 0) return;
    const std::int64_t start = its(11) == 0 ? its(9) : std::min(its(9), its(11));
    must(start >= 4 && std::cmp_less_equal(start, pages.size()));
    Reader reader(pages.substr(static_cast<std::size_t>(start)));
    Reader column(reader.eat(static_cast<std::uint64_t>(packed)));
    while (left > 0 && !column.left.empty()) {
        const Header head = column.header(0);
        must(head(3) >= 0);
        column.eat(static_cast<std::uint64_t>(head(3)));
        left = behind_page(head, left);
    }
}

void check_file(std::string_view file) {
    must(file.size() >= 12);
    if (file.ends_with("PARE")) return;
    must(file.ends_with("PAR1"));
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length += std::uint64_t{static_cast<unsigned char>(file[file.size() - 8 + i])} << (8 * i);
    must(length + 12 <= file.size());
    const auto end = static_cast<std::size_t>(file.size() - 8 - length);
    const Header footer = Reader(file.substr(end, static_cast<std::size_t>(length))).header(0);
    must(footer(3) >= 0);
    for (const Header& group : footer.all(4)) {
        must(group(3) >= 0);
        for (const Header& chunk : group.all(1)) {
            if (chunk.has(3)) check_column(file.substr(0, end), chunk.all(3)[0]);
        }
    }
}

}  // namespace

bool parquet_damaged(std::string_view file) {
    try {
        check_file(file);
    } catch (const Damaged&) {
        return true;
    }
    return false;
}

}  // namespace oracle
