// Scans lines of JSON before a library parses them: how deeply they nest and how long their numbers are.
#include "text/json.h"

#include <algorithm>

#include "text/text.h"

namespace carob {

JsonSizes json_sizes(std::string_view lines) {
    JsonSizes found;
    std::size_t depth = 0;
    std::size_t digits = 0;
    bool whole = true;
    bool quoted = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const char c = lines[i];
        if (quoted && c != '\n') {
            if (c == '\\' && i + 1 < lines.size() && lines[i + 1] != '\n') ++i;
            quoted = c != '"';
            continue;
        }
        if (is_digit(c)) {
            ++digits;
            continue;
        }
        if (c == '.' || c == 'e' || c == 'E') {
            whole = false;
            continue;
        }
        if (whole) found.digits = std::max(found.digits, digits);
        digits = 0;
        whole = c == '-' || c == '+' ? whole : true;  // an exponent has a sign
        if (c == '\n') {
            depth = 0;
            quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            found.depth = std::max(found.depth, ++depth);
        } else if (c == '}' || c == ']') {
            depth -= depth != 0;
        }
    }
    if (whole) found.digits = std::max(found.digits, digits);
    return found;
}

}  // namespace carob
