// Fuzzes the reader of plain JSON: its lines must equal the rows of the run, wherever the text is cut; then the text is
// damaged.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare.h"
#include "families.h"
#include "text/plain_json.h"

namespace family {
namespace {

using Names = std::vector<std::string>;

// The lines of a text that arrives in pieces of limited size, or nothing if the text is not plain.
std::optional<std::string> lines_of(carob::JsonForm form, const Names& names, std::string_view text, std::size_t most, Draw& draw) {
    carob::PlainJson reader(form, names, {"x"});
    std::string lines;
    while (!text.empty()) {
        const std::string piece(text.substr(0, 1 + draw.below(most)));  // so no bytes beyond it may be read
        text.remove_prefix(piece.size());
        if (!reader.take(piece, lines)) return std::nullopt;
    }
    return reader.take({}, lines) ? std::optional(lines) : std::nullopt;
}

std::string blanks(Draw& draw) { return draw.below(3) == 0 ? std::string(draw.below(3), " \t"[draw.below(2)]) : ""; }

std::string number(Draw& draw) {
    std::string made = std::to_string(draw.below(1000));
    if (draw.one_in(2)) made += "." + std::to_string(draw.below(1000));
    if (draw.one_in(8)) made += "e-" + std::to_string(draw.below(30));
    return draw.one_in(4) ? "-1" + made : made;
}

// At least two rows, on lines or in a list.
std::string of_rows(bool is_list, Draw& draw, std::string& rows) {
    std::string text = is_list ? "[" : "";
    for (std::size_t count = 2 + draw.below(4), i = 0; i < count; ++i) {
        const std::string query = "q" + std::to_string(draw.below(9)), document = "a \xC3\xA9" + std::to_string(i), score = number(draw);
        const std::string gap = blanks(draw);
        const std::string other = draw.one_in(2) ? "\"\\u00e9\\n\"" : "null";
        text += gap + "{" + gap + "\"s\"" + gap + ":" + score + gap + "," + gap + "\"x\":" + other + ",\"d\":\"" + document + "\",";
        text += gap + "\"q\":" + gap + "\"" + query + "\"}" + gap + (is_list ? ",\n" : "\n");
        rows += query + "\tQ0\t" + document + "\t0\t" + score + "\t-\n";
    }
    if (is_list) text.replace(text.size() - 2, 1, "]");
    if (draw.one_in(2)) text.pop_back();
    return text;
}

std::string in_one_object(Draw& draw, std::string& rows) {
    std::string text = blanks(draw) + "{";
    for (std::size_t queries = 1 + draw.below(3), q = 0; q < queries; ++q) {
        text += std::string(q == 0 ? "" : ",") + blanks(draw) + "\"q" + std::to_string(q) + "\":{";
        for (std::size_t count = 1 + draw.below(4), i = 0; i < count; ++i) {
            const std::string document = "d" + std::to_string(i), score = number(draw);
            text += std::string(i == 0 ? "" : ",") + blanks(draw) + "\"" + document + "\":" + blanks(draw) + score + blanks(draw);
            rows += "q" + std::to_string(q) + "\tQ0\t" + document + "\t0\t" + score + "\t-\n";
        }
        text += "}" + blanks(draw);
    }
    return text + "}\n";
}

}  // namespace

void fuzz_json(const std::uint8_t* data, std::size_t size) {
    Draw draw(data, size);
    const auto form = static_cast<carob::JsonForm>(draw.below(3));
    const Names names{"q", "d", "s"};
    std::string rows;
    std::string text = form == carob::JsonForm::object ? in_one_object(draw, rows) : of_rows(form == carob::JsonForm::list, draw, rows);
    expect(lines_of(form, names, text, 1 + draw.below(64), draw) == rows, "rows of plain JSON");
    for (std::size_t i = 0, count = 1 + draw.below(3); i < count; ++i) text[draw.below(text.size())] = static_cast<char>(draw.byte());
    if (draw.one_in(4)) text.resize(draw.below(text.size()));
    const std::optional<std::string> whole = lines_of(form, names, text, text.size() + 1, draw);
    expect(lines_of(form, names, text, 1 + draw.below(8), draw) == whole, "rows of damaged JSON");
}

}  // namespace family
