// This file measures how deep lines of JSON are nested.
#include "nesting.h"

#include <algorithm>

namespace karat {

std::size_t deepest(std::string_view lines) {
    std::size_t found = 0;
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const char c = lines[i];
        if (c == '\n') {
            depth = 0;
            quoted = false;
        } else if (quoted) {
            if (c == '\\' && i + 1 < lines.size() && lines[i + 1] != '\n') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            found = std::max(found, ++depth);
        } else if (c == '}' || c == ']') {
            depth -= depth != 0;
        }
    }
    return found;
}

}  // namespace karat
