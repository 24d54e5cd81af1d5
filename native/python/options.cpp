// Lists the words that each option may be.
#include "python/options.h"

#include <algorithm>

namespace karat::python {

karat::Reading reading_rules(const std::string& numbers, const std::string& comments, const std::string& blank_lines,
                             bool lenient) {
    return {choose<karat::Numbers>(numbers, "numbers", {{"strict", karat::Numbers::strict}, {"c", karat::Numbers::c}}),
            choose<karat::Comments>(comments, "comments",
                                    {{"any", karat::Comments::any},
                                     {"first-byte", karat::Comments::first_byte},
                                     {"none", karat::Comments::none}}),
            choose<bool>(blank_lines, "blank_lines", {{"skip", false}, {"error", true}}), lenient};
}

karat::Duplicates duplicate_rule(const std::string& word) {
    using karat::Duplicates;
    return choose<Duplicates>(word, "duplicates",
                              {{"keep", Duplicates::keep},
                               {"first", Duplicates::first},
                               {"last", Duplicates::last},
                               {"max", Duplicates::max}});
}

karat::Ties tie_rule(const std::string& word) {
    using karat::Ties;
    return choose<Ties>(word, "ties",
                        {{"trec", Ties::trec},
                         {"ascending", Ties::ascending},
                         {"input", Ties::input},
                         {"rank-column", Ties::rank_column}});
}

karat::MatchOptions match_options(const std::string& ties, bool float32, const std::string& duplicates, bool scores,
                                  bool relevant_only, int threads) {
    karat::MatchOptions options;
    options.ties = tie_rule(ties);
    options.float32 = float32;
    options.duplicates = duplicate_rule(duplicates);
    options.scores = scores;
    options.relevant_only = relevant_only;
    options.threads = std::clamp(threads, 1, 256);
    return options;
}

karat::IdKinds id_kinds(bool whole_ids) { return whole_ids ? karat::IdKinds::whole : karat::IdKinds::text; }

}  // namespace karat::python
