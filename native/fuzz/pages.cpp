// Fuzzes the check of Parquet files: builds a valid file, then the same file with a wrong number, then with damaged
// bytes.
#include <limits>
#include <memory>
#include <string>

#include "compare.h"
#include "families.h"
#include "oracle.h"
#include "frames/parquet.h"

namespace family {
namespace {

enum Kind { BOOL = 1, I64 = 6, DOUBLE = 7, BINARY = 8, LIST = 9, MAP = 11, STRUCT = 12 };

// Writes Thrift's compact protocol.
class Struct {
public:
    Struct& number(int field, std::int64_t value) {
        head(field, I64);
        const auto bits = static_cast<std::uint64_t>(value);
        varint(bits << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0));
        return *this;
    }
    Struct& only(int field, Struct& its) {
        head(field, STRUCT);
        text_ += its.end();
        return *this;
    }
    Struct& list(int field, const std::string& items, std::size_t count) {
        head(field, LIST);
        if (count < 15) {
            text_ += static_cast<char>(count << 4 | STRUCT);
        } else {
            text_ += static_cast<char>(15 << 4 | STRUCT);
            varint(count);
        }
        text_ += items;
        return *this;
    }
    // A field that the kernel does not read.
    Struct& other(int field, Draw& draw) {
        const std::size_t count = draw.below(4);
        switch (draw.below(6)) {
            case 0: head(field, BOOL); break;
            case 1: head(field, DOUBLE); text_ += std::string(8, 'd'); break;
            case 2: head(field, BINARY); varint(count); text_ += std::string(count, 'b'); break;
            case 3: head(field, LIST); text_ += static_cast<char>(count << 4 | BINARY); text_ += std::string(count, '\0'); break;
            case 4:
                head(field, MAP);
                varint(count);
                if (count != 0) text_ += static_cast<char>(BINARY << 4 | I64);
                text_ += std::string(2 * count, '\0');
                break;
            default: break;
        }
        return *this;
    }
    std::string end() { return text_ + '\0'; }

private:
    void head(int field, int kind) {
        if (field > last_ && field - last_ < 16) {
            text_ += static_cast<char>((field - last_) << 4 | kind);
        } else {
            text_ += static_cast<char>(kind);
            varint(static_cast<std::uint64_t>(field) << 1);
        }
        last_ = field;
    }
    void varint(std::uint64_t value) {
        for (; value > 127; value >>= 7) text_ += static_cast<char>((value & 127) | 128);
        text_ += static_cast<char>(value);
    }

    std::string text_;
    int last_ = 0;
};

// The numbers in a file, one of which may be wrong.
class Numbers {
public:
    Numbers(Draw& draw, std::size_t wrong) : draw_(draw), wrong_(wrong) {}

    std::int64_t operator()(std::int64_t right) {
        if (count_++ != wrong_) return right;
        switch (draw_.below(8)) {
            case 0: return right + 1;
            case 1: return right - 1;
            case 2: return right + 1 + static_cast<std::int64_t>(draw_.below(40));
            case 3: return -1;
            case 4: return 2 * right + 1;
            case 5: return std::int64_t{1} << draw_.below(63);
            case 6: return std::numeric_limits<std::int64_t>::max();
            default: return std::numeric_limits<std::int64_t>::min();
        }
    }
    std::size_t count() const { return count_; }

private:
    Draw& draw_;
    const std::size_t wrong_;
    std::size_t count_ = 0;
};

constexpr std::size_t NONE = std::numeric_limits<std::size_t>::max();

std::string page(Draw& draw, Numbers& numbers, std::int64_t values, bool dictionary) {
    const auto part = [&](std::int64_t all) { return static_cast<std::int64_t>(draw.below(static_cast<std::size_t>(all) + 1)); };
    const std::int64_t packed = values + part(19), unpacked = values + part(19);
    Struct head, its;
    head.number(1, dictionary ? 2 : 0).number(2, numbers(unpacked)).number(3, numbers(packed));
    its.number(1, numbers(values));
    if (dictionary) {
        head.only(7, its.number(2, 0));
    } else if (draw.one_in(2)) {
        head.only(5, its.number(2, 0));
    } else {
        const std::int64_t levels = part(std::min(packed, unpacked));
        const std::int64_t definitions = part(levels);
        its.number(2, numbers(part(values))).number(3, 0).number(5, numbers(definitions)).number(6, numbers(levels - definitions));
        head.only(8, its);
    }
    return head.other(20, draw).end() + std::string(static_cast<std::size_t>(packed), 'x');
}

std::string file_of(Draw& draw, Numbers& numbers) {
    std::string file = "PAR1";
    std::string groups;
    const std::size_t group_count = draw.below(3);
    for (std::size_t g = 0; g < group_count; ++g) {
        const auto rows = static_cast<std::int64_t>(draw.below(30));
        std::string chunks;
        const std::size_t chunk_count = draw.below(4);
        for (std::size_t c = 0; c < chunk_count; ++c) {
            const auto start = static_cast<std::int64_t>(file.size());
            Struct column;
            const bool dictionary = draw.one_in(2);
            if (dictionary) file += page(draw, numbers, 3, true);
            const auto data = static_cast<std::int64_t>(file.size());
            const std::int64_t first = rows / 2;
            file += page(draw, numbers, first, false) + page(draw, numbers, rows - first, false);
            const std::int64_t packed = static_cast<std::int64_t>(file.size()) - start;
            column.other(1, draw).number(5, numbers(rows)).number(6, numbers(packed)).number(7, numbers(packed));
            column.number(9, numbers(data));
            if (dictionary) column.number(11, numbers(start));
            Struct chunk;
            chunks += chunk.other(1, draw).only(3, column).end();
        }
        Struct group;
        groups += group.list(1, chunks, chunk_count).number(3, numbers(rows)).end();
    }
    Struct footer;
    footer.number(1, 1).other(2, draw).number(3, numbers(30)).list(4, groups, group_count).other(70, draw);
    const std::string end = footer.end();
    file += end;
    const std::int64_t length = numbers(static_cast<std::int64_t>(end.size()));
    for (int i = 0; i < 4; ++i) file += static_cast<char>(length >> (8 * i) & 255);
    return file + "PAR1";
}

void damage(std::string& file, Draw& draw) {
    for (std::size_t times = 1 + draw.below(4); times > 0 && !file.empty(); --times) {
        const std::size_t at = draw.word() % file.size();
        switch (draw.below(5)) {
            case 0: file[at] = static_cast<char>(draw.byte()); break;
            case 1: file[at] = static_cast<char>(file[at] ^ (1 << draw.below(8))); break;
            case 2: file.erase(at, 1 + draw.below(8)); break;
            case 3: file.insert(at, 1 + draw.below(12), static_cast<char>(draw.byte())); break;
            default: file.insert(at, file.substr(draw.word() % file.size(), draw.below(40))); break;
        }
    }
}

// Checks bytes that end where their memory ends.
std::optional<std::string> damage_in(const std::string& file) {
    const auto exact = std::make_unique<char[]>(file.size());
    file.copy(exact.get(), file.size());
    return carob::parquet_damage({exact.get(), file.size()});
}

void check(const std::string& file) {
    const bool refused = damage_in(file).has_value();
    const bool wanted = oracle::parquet_damaged(file);
    expect(refused || !wanted, "a damaged Parquet file is taken");
    expect(!refused || wanted, "a sound Parquet file is said to be damaged");
}

}  // namespace

void fuzz_pages(const std::uint8_t* data, std::size_t size) {
    check(std::string(reinterpret_cast<const char*>(data), size));
    Draw same(data, size);
    Numbers right(same, NONE);
    std::string file = file_of(same, right);
    expect(!damage_in(file), "a sound Parquet file is said to be damaged");
    expect(!oracle::parquet_damaged(file), "the oracle takes a sound Parquet file to be damaged");
    for (int times = 0; times < 2; ++times) {
        Draw draw(data, size);
        Numbers numbers(draw, same.below(right.count()));
        check(file_of(draw, numbers));
    }
    for (int times = 0; times < 2; ++times) {
        damage(file, same);
        check(file);
    }
}

}  // namespace family
