// Declares the reduction of gathered documents, bucket by bucket.
#pragma once

#include <memory>
#include <vector>

#include "matching/gather.h"
#include "matching/parallel.h"

namespace carob {

// Reduces the queries of every bucket. `findings` has one entry for each worker, and each worker is one thread. If
// `small`, a single thread reads the buckets. Throws Interrupted if `go_on` returned false, and rethrows what a worker
// threw.
void reduce_gathered(const Judgments& judgments, const MatchOptions& options, const Buckets& buckets,
                     const std::vector<std::unique_ptr<Gathered>>& gathered, bool small, const GoOn& go_on,
                     const std::vector<Findings*>& findings);

}  // namespace carob
