// Compares ids by their words, so that D-007, d7 and doc:D7#2 match.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matching/signs.h"

namespace carob {

// The words of an id as hashes: runs of letters, in lower case, and numbers without leading zeros. Blanks and punctuation
// only separate words, and so does the change from letters to digits.
inline void words_of(std::string_view id, std::vector<std::uint64_t>& words) {
    const auto is_letter = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || (byte | 0x20u) - 'a' < 26u;
    };
    for (std::size_t at = 0; at < id.size();) {
        const bool digits = is_digit(id[at]);
        if (!digits && !is_letter(id[at])) {
            ++at;
            continue;
        }
        std::size_t end = at + 1;
        while (end < id.size() && (digits ? is_digit(id[end]) : is_letter(id[end]))) ++end;
        while (digits && at + 1 < end && id[at] == '0') ++at;
        std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
        for (; at < end; ++at) hash = (hash ^ (static_cast<unsigned char>(id[at]) | (digits ? 0u : 0x20u))) * 0x100000001b3u;
        words.push_back(hash);
    }
}

// Some ids with their words.
class WordedIds {
   public:
    void clear() {
        ids_.clear();
        words_.clear();
        ends_.assign(1, 0);
    }

    void add(std::string_view id) {
        ids_.push_back(id);
        words_of(id, words_);
        ends_.push_back(words_.size());
    }

    std::size_t size() const { return ids_.size(); }
    std::string operator[](std::size_t i) const { return std::string(ids_[i]); }
    std::span<const std::uint64_t> words(std::size_t i) const { return std::span(words_).subspan(ends_[i], ends_[i + 1] - ends_[i]); }

   private:
    std::vector<std::string_view> ids_;
    std::vector<std::uint64_t> words_;
    std::vector<std::size_t> ends_{0};
};

// Pairs relevant documents that are missing from a list with its unjudged documents by the words of their ids.
class WordPairs {
   public:
    WordedIds missing, unjudged;

    void clear() {
        missing.clear();
        unjudged.clear();
    }

    // Adds the pairs in which one id consists of consecutive words of the other; the longest such id if there are
    // several.
    void find(std::int64_t query, std::vector<Respelled>& pairs) {
        if (missing.size() == 0 || unjudged.size() == 0) return;
        know(missing);
        for (std::size_t i = 0; i < unjudged.size(); ++i)
            if (const auto known = longest_in(unjudged.words(i), true); known >= 0)
                pairs.push_back({query, missing[static_cast<std::size_t>(known)], unjudged[i]});
        know(unjudged);
        for (std::size_t i = 0; i < missing.size(); ++i)
            if (const auto known = longest_in(missing.words(i), false); known >= 0)
                pairs.push_back({query, missing[i], unjudged[static_cast<std::size_t>(known)]});
    }

   private:
    static std::uint64_t joined(std::uint64_t before, std::uint64_t word) {
        const std::uint64_t mixed = ((before << 5 | before >> 59) ^ word) * 0x9e3779b97f4a7c15u;
        return mixed ^ mixed >> 32;
    }

    void know(const WordedIds& ids) {
        known_.clear();
        some_.reset();
        for (std::size_t i = 0; i < ids.size(); ++i) {
            std::uint64_t all = 0;
            for (const std::uint64_t word : ids.words(i)) all = joined(all, word);
            if (ids.words(i).empty()) continue;
            known_.emplace_back(all, static_cast<std::int64_t>(i));
            some_.set(all % some_.size());
        }
    }

    // The known id with the most words among those that consist of consecutive words of the given id, or -1. A known id
    // that consists of all these words counts only if `whole`.
    std::int64_t longest_in(std::span<const std::uint64_t> words, bool whole) const {
        if (words.size() > MOST) return -1;
        std::int64_t found = -1;
        std::size_t longest = 0;
        for (std::size_t from = 0; from + longest < words.size(); ++from) {
            std::uint64_t some = 0;
            for (std::size_t to = from; to < words.size(); ++to) {
                some = joined(some, words[to]);
                const std::size_t length = to + 1 - from;
                if (!some_[some % some_.size()] || length <= longest || (!whole && length == words.size())) continue;
                const auto its = std::find_if(known_.begin(), known_.end(), [some](const auto& each) { return each.first == some; });
                if (its == known_.end()) continue;
                found = its->second;
                longest = length;
            }
        }
        return found;
    }

    static constexpr std::size_t MOST = 32;  // words of an id
    std::vector<std::pair<std::uint64_t, std::int64_t>> known_;
    std::bitset<1 << 15> some_;  // by the last bits of the known hashes: rules out most other hashes without a search
};

}  // namespace carob
