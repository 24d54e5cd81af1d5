// Declares the spill file, which stores the records that exceed the memory budget.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carob {

// Both functions may be called from any thread; an exception they throw stops the work.
class Spill {
public:
    virtual ~Spill() = default;
    // Returns the place to read the bytes from.
    virtual std::uint64_t append(const char* bytes, std::size_t size) = 0;
    virtual void read(std::uint64_t place, char* bytes, std::size_t size) = 0;
};

}  // namespace carob
