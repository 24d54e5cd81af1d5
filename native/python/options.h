// Declares how words such as "strict" or "keep" become the kernel's options.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "matching/rows.h"
#include "python/mapping.h"
#include "python/values.h"

namespace carob::python {

template <class Choice>
Choice choose(std::string_view given, const char* name,
              std::initializer_list<std::pair<std::string_view, Choice>> choices) {
    std::string known;
    for (const auto& [word, choice] : choices) {
        if (word == given) return choice;
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    throw nb::value_error(
        (std::string(name) + " must be one of " + known + "; found '" + std::string(given) + "'").c_str());
}

carob::Reading reading_rules(const std::string& numbers, const std::string& comments, const std::string& blank_lines,
                             bool lenient, bool loose);
carob::Duplicates duplicate_rule(const std::string& word);
carob::Ties tie_rule(const std::string& word);
carob::IdKinds id_kinds(bool whole_ids);
carob::MatchOptions match_options(const std::string& ties, bool float32, const std::string& duplicates,
                                  bool scores = false, bool relevant_only = false, int threads = 1);

}  // namespace carob::python
