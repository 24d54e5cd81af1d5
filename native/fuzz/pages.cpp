// This file fuzzes the check of Parquet's shape: a file that is sound, then the same one damaged.
#include <memory>
#include <string>

#include "compare.h"
#include "families.h"
#include "parquet.h"

namespace family {
namespace {

enum Kind { BOOL = 1, I64 = 6, DOUBLE = 7, BINARY = 8, LIST = 9, MAP = 11, STRUCT = 12 };

// Thrift's compact protocol, written.
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
    // A field that nobody asks for.
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

std::string page(Draw& draw, std::int64_t values, bool dictionary) {
    const std::int64_t size = values + static_cast<std::int64_t>(draw.below(20));
    Struct head, its;
    head.number(1, dictionary ? 2 : 0).number(2, size).number(3, size);
    its.number(1, values).number(2, 0);
    if (!dictionary && draw.one_in(2)) {
        its.number(5, static_cast<std::int64_t>(draw.below(static_cast<std::size_t>(size) + 1))).number(6, 0);
        head.only(8, its);
    } else {
        head.only(dictionary ? 7 : 5, its);
    }
    return head.other(20, draw).end() + std::string(static_cast<std::size_t>(size), 'x');
}

std::string sound_file(Draw& draw) {
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
            if (dictionary) file += page(draw, 3, true);
            const auto data = static_cast<std::int64_t>(file.size());
            const std::int64_t first = rows / 2;
            file += page(draw, first, false) + page(draw, rows - first, false);
            const std::int64_t packed = static_cast<std::int64_t>(file.size()) - start;
            column.other(1, draw).number(5, rows).number(6, packed).number(7, packed).number(9, data);
            if (dictionary) column.number(11, start);
            Struct chunk;
            chunks += chunk.other(1, draw).only(3, column).end();
        }
        Struct group;
        groups += group.list(1, chunks, chunk_count).number(3, rows).end();
    }
    Struct footer;
    const std::string end = footer.number(1, 1).other(2, draw).number(3, 30).list(4, groups, group_count).other(70, draw).end();
    file += end;
    for (int i = 0; i < 4; ++i) file += static_cast<char>(end.size() >> (8 * i) & 255);
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

// Of bytes that end where their memory does.
std::optional<std::string> damage_in(const std::string& file) {
    const auto exact = std::make_unique<char[]>(file.size());
    file.copy(exact.get(), file.size());
    return karat::parquet_damage({exact.get(), file.size()});
}

}  // namespace

void fuzz_pages(const std::uint8_t* data, std::size_t size) {
    damage_in(std::string(reinterpret_cast<const char*>(data), size));
    Draw draw(data, size);
    std::string file = sound_file(draw);
    expect(!damage_in(file), "a sound Parquet file is said to be damaged");
    for (int times = 0; times < 4; ++times) {
        damage(file, draw);
        damage_in(file);
    }
}

}  // namespace family
