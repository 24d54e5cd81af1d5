// Describes a line's fault in words.
#include "text/reading.h"

namespace carob {

std::string_view fault_name(Fault fault) {
    switch (fault) {
        case Fault::columns: return "columns";
        case Fault::uneven: return "uneven";
        case Fault::joined: return "joined";
        case Fault::mark: return "mark";
        case Fault::mixed: return "mixed";
        case Fault::number: return "number";
        case Fault::nan: return "nan";
        case Fault::wide: return "wide";
        case Fault::rank: return "rank";
        case Fault::blank: return "blank";
        case Fault::nul: return "nul";
        case Fault::too_long: return "too-long";
        case Fault::utf16: return "utf-16";
        case Fault::compressed: return "compressed";
    }
    return "number";
}

// Describes two numbers in one detail.
static std::string two_counts(const std::string& detail, const std::string& between) {
    const std::size_t blank = detail.find(' ');
    return detail.substr(0, blank + 1) + between + detail.substr(blank + 1);
}

std::string explain(const LineFault& fault) {
    switch (fault.fault) {
        case Fault::columns: return "it has " + fault.detail + (fault.detail == "1" ? " column" : " columns");
        case Fault::uneven: return "it has " + two_counts(fault.detail, "columns, and the first line has ");
        case Fault::joined: return "it has " + fault.detail + " columns, as two lines that were joined have";
        case Fault::mark: return "it begins with a byte order mark";
        case Fault::mixed: return "it has " + two_counts(fault.detail, "columns by its tabs, and by all its blanks ");
        case Fault::number: return "'" + fault.detail + "' is not a number";
        case Fault::nan: return "its number is NaN";
        case Fault::wide: return "'" + fault.detail + "' is a whole number that a double does not hold";
        case Fault::rank: return "the rank '" + fault.detail + "' is not an integer";
        case Fault::blank: return "it is blank";
        case Fault::nul: return "it holds a NUL byte";
        case Fault::too_long: return "it is longer than " + std::to_string(LONGEST_LINE) + " bytes";
        case Fault::utf16: return "the text is UTF-16";
        case Fault::compressed: return "the bytes are compressed";
    }
    return {};
}

}  // namespace carob
