// Declares runs whose lists are read query by query.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "fusion/query.h"

namespace carob {

// The lists of several runs, in plain files or in memory. The queries of all runs are in byte order.
class RunsByQuery {
public:
    // Each worker has one, which owns memory that is reused.
    class Reader {
    public:
        virtual ~Reader() = default;
        // Passes on the lists of a query, which stay valid until the next call. Throws NotPlain.
        virtual void read(std::size_t query, QueryFuser& fuser) = 0;
    };

    RunsByQuery() = default;
    RunsByQuery(const RunsByQuery&) = delete;
    RunsByQuery& operator=(const RunsByQuery&) = delete;
    virtual ~RunsByQuery() = default;

    virtual std::size_t run_count() const = 0;
    virtual std::size_t query_count() const = 0;
    virtual std::string_view query(std::size_t q) const = 0;
    virtual bool has(std::size_t run, std::size_t q) const = 0;  // has at least one document
    // Whether all ids can be written in lines whose columns are separated by blanks.
    virtual bool has_plain_ids() const = 0;
    virtual std::unique_ptr<Reader> reader() const = 0;

    // For each run, how many queries are missing from it, and the index of the first missing query.
    std::vector<std::pair<std::size_t, std::size_t>> lacking() const {
        std::vector<std::pair<std::size_t, std::size_t>> found(run_count(), {0, 0});
        for (std::size_t run = 0; run < run_count(); ++run) {
            for (std::size_t q = 0; q < query_count(); ++q) {
                if (!has(run, q) && found[run].first++ == 0) found[run].second = q;
            }
        }
        return found;
    }
};

}  // namespace carob
