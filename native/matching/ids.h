// Stores many ids in one block of memory and looks up an id's number by its bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "matching/hash.h"

namespace carob {

// A set that can be searched by a view.
struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using Strings = std::unordered_set<std::string, StringHash, std::equal_to<>>;

// Whole numbers stored in four bytes each until one of them needs eight.
class Integers {
public:
    std::size_t size() const { return wide_.empty() ? narrow_.size() : wide_.size(); }

    std::uint64_t operator[](std::size_t i) const { return wide_.empty() ? narrow_[i] : wide_[i]; }

    void push_back(std::uint64_t number) {
        if (wide_.empty() && number <= std::numeric_limits<std::uint32_t>::max()) {
            narrow_.push_back(static_cast<std::uint32_t>(number));
            return;
        }
        if (wide_.empty()) widen();
        wide_.push_back(number);
    }

    void reserve(std::size_t count) { narrow_.reserve(count); }

    void clear() {
        narrow_.clear();
        wide_.clear();
    }

    void prefetch_at(std::size_t i) const { prefetch(narrow_.data() + (wide_.empty() ? i : 0)); }

private:
    void widen() {
        wide_.assign(narrow_.begin(), narrow_.end());
        narrow_ = {};
    }

    std::vector<std::uint32_t> narrow_;
    std::vector<std::uint64_t> wide_;
};

class Ids {
public:
    std::size_t size() const { return ends_.size(); }

    std::string_view operator[](std::size_t i) const {
        const auto begin = static_cast<std::size_t>(i == 0 ? 0 : ends_[i - 1]);
        return {bytes_.data() + begin, static_cast<std::size_t>(ends_[i]) - begin};
    }

    void prefetch_bounds(std::size_t i) const { ends_.prefetch_at(i); }

    void add(std::string_view id) {
        bytes_.insert(bytes_.end(), id.begin(), id.end());
        ends_.push_back(bytes_.size());
    }

    void reserve(std::size_t ids, std::size_t bytes) {
        ends_.reserve(ids);
        bytes_.reserve(bytes);
    }

    std::size_t bytes() const { return bytes_.size(); }
    // All ids, one after the other.
    std::string_view joined() const { return {bytes_.data(), bytes_.size()}; }
    std::size_t end(std::size_t i) const { return static_cast<std::size_t>(ends_[i]); }

    void clear() {
        bytes_.clear();
        ends_.clear();
    }

private:
    std::vector<char> bytes_;
    Integers ends_;
};

// A column that grows piece by piece, so that its memory is never needed twice.
template <class Piece>
class Pieces {
public:
    std::size_t size() const { return size_; }

    auto operator[](std::size_t i) const { return pieces_[i / SIZE][i % SIZE]; }

    template <class Value>
    void add(const Value& value) {
        if (size_++ % SIZE == 0) pieces_.emplace_back();
        if constexpr (requires { pieces_.back().add(value); }) {
            pieces_.back().add(value);
        } else {
            pieces_.back().push_back(value);
        }
    }

    void clear() {
        pieces_ = {};
        size_ = 0;
    }

private:
    static constexpr std::size_t SIZE = std::size_t{1} << 16;

    std::vector<Piece> pieces_;
    std::size_t size_ = 0;
};

// Open addressing with linear probing over 2^n slots, at most half of them full. A four-byte slot holds a number and
// part of its hash, so a table of a few thousand ids stays in the nearest cache; the caller's `same(number)` compares
// the ids themselves. A number must be less than half the number of slots, because it gets only as many bits as it
// takes to index the slots.
template <class Slot>  // const if no more ids are added
class SlotsOf {
public:
    static constexpr std::uint32_t NONE = ~std::uint32_t{0};

    // The number of slots at which `count` ids fill the table at most half. A few ids get more room: most ids that are
    // looked up are missing, and the processor predicts the content of a slot that is nearly always empty.
    static std::size_t needed(std::size_t count) { return std::bit_ceil(std::max<std::size_t>(count * 2, 16)); }

    // There are 2^n `slots`; a slot of 0 is empty.
    SlotsOf(Slot* slots, std::size_t size)
        : slots_(slots), mask_(size - 1), tags_(~static_cast<std::uint32_t>(mask_)) {}

    // The number already stored for this id; if there is none, stores `number` and returns NONE.
    template <class Same>
    std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t number, Same&& same) const {
        const std::uint32_t tag = tag_of(hash);
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            const std::uint32_t slot = slots_[i];
            if (slot == 0) {
                slots_[i] = tag | (number + 1);
                return NONE;
            }
            if ((slot & tags_) == tag && same(number_of(slot))) return number_of(slot);
        }
    }

    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same&& same) const {
        const std::uint32_t tag = tag_of(hash);
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            const std::uint32_t slot = slots_[i];
            if (slot == 0) return NONE;
            if ((slot & tags_) == tag && same(number_of(slot))) return number_of(slot);
        }
    }

    // The first number stored for an equal hash, or NONE. The caller compares the ids and calls find\(\) if they
    // differ.
    std::uint32_t candidate(std::uint64_t hash) const {
        return find(hash, [](std::uint32_t) { return true; });
    }

    // The slot at which a search begins, and whether the number in it, if there is one, was stored for a similar hash.
    std::uint32_t first_slot(std::uint64_t hash) const { return slots_[hash & mask_]; }
    bool alike(std::uint32_t slot, std::uint64_t hash) const { return (slot & tags_) == tag_of(hash); }

    // Like candidate(), but searches after that slot.
    std::uint32_t candidate_behind(std::uint64_t hash) const {
        for (std::size_t i = (hash + 1) & mask_;; i = (i + 1) & mask_) {
            if (slots_[i] == 0) return NONE;
            if (alike(slots_[i], hash)) return number_of(slots_[i]);
        }
    }

    void prefetch_slot(std::uint64_t hash) const { prefetch(slots_ + (hash & mask_)); }

    std::uint32_t number_of(std::uint32_t slot) const { return (slot & ~tags_) - 1; }

private:
    std::uint32_t tag_of(std::uint64_t hash) const { return static_cast<std::uint32_t>(hash >> 32) & tags_; }

    Slot* slots_;
    std::size_t mask_;
    std::uint32_t tags_;  // the bits of a slot that hold the hash's part
};
using IdSlots = SlotsOf<std::uint32_t>;
using FixedIdSlots = SlotsOf<const std::uint32_t>;

// The same table, but it owns its slots and grows.
class IdTable {
public:
    static constexpr std::uint32_t NONE = IdSlots::NONE;

    // Empties the table and makes room for about `expected` ids; it grows when there are more.
    void reset(std::size_t expected) {
        const std::size_t slots = IdSlots::needed(expected);
        if (slots > slots_.size() || slots * 8 < slots_.size()) {
            slots_ = std::vector<std::uint32_t>(slots);
        } else {
            slots_.resize(slots);
            std::memset(slots_.data(), 0, slots * sizeof(std::uint32_t));
        }
        used_ = 0;
    }

    // Returns the number already stored for this id, or stores `number` and returns NONE. `number` is the count of
    // numbers stored so far, or less than the expected count.
    template <class Same>
    std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t number, Same&& same) {
        const std::uint32_t found = IdSlots(slots_.data(), slots_.size()).find_or_add(hash, number, same);
        used_ += found == NONE;
        return found;
    }

    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same&& same) const {
        return FixedIdSlots(slots_.data(), slots_.size()).find(hash, same);
    }

    std::uint32_t candidate(std::uint64_t hash) const {
        return FixedIdSlots(slots_.data(), slots_.size()).candidate(hash);
    }

    std::size_t size() const { return used_; }
    bool crowded() const { return used_ * 2 > slots_.size(); }

    // Doubles the slots; `hash_of(number)` returns the hash of a stored id again.
    template <class HashOf>
    void grow(HashOf&& hash_of) {
        const std::vector<std::uint32_t> old = std::exchange(slots_, std::vector<std::uint32_t>(slots_.size() * 2));
        const FixedIdSlots before(old.data(), old.size());
        const IdSlots after(slots_.data(), slots_.size());
        for (const std::uint32_t slot : old) {
            if (slot == 0) continue;
            const std::uint32_t number = before.number_of(slot);
            after.find_or_add(hash_of(number), number, [](std::uint32_t) { return false; });
        }
    }

private:
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16);
    std::size_t used_ = 0;
};

}  // namespace carob
