// Stores many ids in one stretch of memory and finds an id's number by its bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "matching/hash.h"

namespace karat {

// A set that is asked with a view.
struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using Strings = std::unordered_set<std::string, StringHash, std::equal_to<>>;

class Ids {
public:
    std::size_t size() const { return ends_.size(); }

    std::string_view operator[](std::size_t i) const {
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return {bytes_.data() + begin, ends_[i] - begin};
    }

    void add(std::string_view id) {
        bytes_.insert(bytes_.end(), id.begin(), id.end());
        ends_.push_back(bytes_.size());
    }

    void reserve(std::size_t ids, std::size_t bytes) {
        ends_.reserve(ids);
        bytes_.reserve(bytes);
    }

    std::size_t bytes() const { return bytes_.size(); }

    void clear() {
        bytes_.clear();
        ends_.clear();
    }

private:
    std::vector<char> bytes_;
    std::vector<std::size_t> ends_;
};

// Open addressing with linear probing, at most half full. Holds a part of each hash and a number; the ids themselves
// are compared by the caller's `same(number)`.
class IdTable {
public:
    static constexpr std::uint32_t NONE = ~std::uint32_t{0};

    // Empties the table and makes room for about `expected` ids; it grows when there are more.
    void reset(std::size_t expected) {
        std::size_t slots = 16;
        while (slots < expected * 2) slots *= 2;
        if (slots > slots_.size() || slots * 8 < slots_.size()) {
            slots_ = std::vector<Slot>(slots);
        } else {
            slots_.resize(slots);
            std::memset(static_cast<void*>(slots_.data()), 0, slots * sizeof(Slot));
        }
        mask_ = slots - 1;
        used_ = 0;
    }

    // The number already stored for this id, or NONE after storing `number` for it.
    template <class Same>
    std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t number, Same&& same) {
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.number == 0) {
                slot = {tag, number + 1};
                ++used_;
                return NONE;
            }
            if (slot.tag == tag && same(slot.number - 1)) return slot.number - 1;
        }
    }

    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same&& same) const {
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.number == 0) return NONE;
            if (slot.tag == tag && same(slot.number - 1)) return slot.number - 1;
        }
    }

    // The first number stored for a hash like this one, or NONE: to be compared, and looked for by find() if it is another.
    std::uint32_t candidate(std::uint64_t hash) const {
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            if (slots_[i].number == 0) return NONE;
            if (slots_[i].tag == tag) return slots_[i].number - 1;
        }
    }

    bool crowded() const { return used_ * 2 > slots_.size(); }

    // Twice the slots; `hash_of(number)` gives each stored id's hash again.
    template <class HashOf>
    void grow(HashOf&& hash_of) {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        mask_ = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (slot.number == 0) continue;
            std::size_t i = hash_of(slot.number - 1) & mask_;
            while (slots_[i].number != 0) i = (i + 1) & mask_;
            slots_[i] = slot;
        }
    }

private:
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t number = 0;  // 0 is an empty slot
    };
    std::vector<Slot> slots_ = std::vector<Slot>(16);
    std::size_t mask_ = 15;
    std::size_t used_ = 0;
};

}  // namespace karat
