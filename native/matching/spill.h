// Declares the spill file, which takes the records that exceed the memory budget.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carob {

// Both are called from any thread, and throw what stops the work.
class Spill {
public:
    virtual ~Spill() = default;
    // The place to read them from.
    virtual std::uint64_t append(const char* bytes, std::size_t size) = 0;
    virtual void read(std::uint64_t place, char* bytes, std::size_t size) = 0;
};

}  // namespace carob
