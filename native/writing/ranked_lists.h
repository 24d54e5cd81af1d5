// Declares ranked lists of some queries.
#pragma once

#include <cstdint>
#include <vector>

#include "matching/ids.h"

namespace carob {

// Ranked lists, each from the best document down.
struct RankedLists {
    Ids queries;
    std::vector<std::int64_t> offsets{0};  // of the lists, one for each query
    Ids documents;
    std::vector<double> scores;
};

}  // namespace carob
