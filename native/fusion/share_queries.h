// Distributes the queries of runs among workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "fusion/by_query.h"
#include "matching/parallel.h"

namespace carob {

inline constexpr std::size_t QUERIES_AT_ONCE = 16;

// Hands out stretches of neighbouring queries, in order, to one worker per thread: worker(number, first, last, stop)
// returns whether to continue.
template <class Worker>
void share_queries(const RunsByQuery& runs, std::vector<Worker>& workers, const GoOn& go_on) {
    const int threads = static_cast<int>(workers.size());
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    share(threads, threads == 1 && !go_on, stop, go_on, [&](int number) {
        Worker& worker = workers[static_cast<std::size_t>(number)];
        while (!stop.load()) {
            const std::size_t piece = next.fetch_add(1), first = piece * QUERIES_AT_ONCE;
            if (first >= runs.query_count()) return;
            if (!worker(piece, first, std::min(first + QUERIES_AT_ONCE, runs.query_count()), stop)) return;
        }
    });
}

}  // namespace carob
