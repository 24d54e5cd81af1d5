// Lists the words that each option accepts.
#include "python/options.h"

#include <algorithm>

namespace carob::python {

carob::Reading reading_rules(const std::string& numbers, const std::string& comments, const std::string& blank_lines,
                             bool lenient, bool loose) {
    return {choose<carob::Numbers>(numbers, "numbers", {{"strict", carob::Numbers::strict}, {"c", carob::Numbers::c}}),
            choose<carob::Comments>(comments, "comments",
                                    {{"any", carob::Comments::any},
                                     {"first-byte", carob::Comments::first_byte},
                                     {"none", carob::Comments::none}}),
            choose<bool>(blank_lines, "blank_lines", {{"skip", false}, {"error", true}}), lenient, loose};
}

carob::Duplicates duplicate_rule(const std::string& word) {
    using carob::Duplicates;
    return choose<Duplicates>(word, "duplicates",
                              {{"keep", Duplicates::keep},
                               {"first", Duplicates::first},
                               {"last", Duplicates::last},
                               {"max", Duplicates::max}});
}

carob::Ties tie_rule(const std::string& word) {
    using carob::Ties;
    return choose<Ties>(word, "ties",
                        {{"trec", Ties::trec},
                         {"ascending", Ties::ascending},
                         {"input", Ties::input},
                         {"rank-column", Ties::rank_column}});
}

carob::MatchOptions match_options(const std::string& ties, bool float32, const std::string& duplicates, bool scores,
                                  bool relevant_only, int threads) {
    carob::MatchOptions options;
    options.ties = tie_rule(ties);
    options.float32 = float32;
    options.duplicates = duplicate_rule(duplicates);
    options.scores = scores;
    options.relevant_only = relevant_only;
    options.threads = std::clamp(threads, 1, 256);
    return options;
}

carob::IdKinds id_kinds(bool whole_ids) { return whole_ids ? carob::IdKinds::whole : carob::IdKinds::text; }

}  // namespace carob::python
