// Returns freed memory to the system.
#pragma once

#include <cstddef>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace carob::python {

// Called after processing this many queries or judgments. glibc keeps freed memory that is surrounded by other
// allocations, and that memory is too fragmented for the large arrays allocated next.
inline void give_back_memory(std::size_t count) {
    constexpr std::size_t MANY = 100'000;
#if defined(__GLIBC__)
    if (count > MANY) malloc_trim(0);
#else
    static_cast<void>(count);
#endif
}

}  // namespace carob::python
