// Runs one function on several threads; the waiting caller can stop it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "text/source.h"

namespace carob {

// Called on the calling thread about ten times a second; returning false ends the work.
using GoOn = std::function<bool()>;

// Set if the caller no longer wants the result.
struct Interrupted {};

// Calls `go_on` and, if it returns false, also ends a waiting read of the source, because the threads end only after
// their reads.
inline GoOn interrupting(Source& source, const GoOn& go_on) {
    if (!go_on) return {};
    return [&] {
        const bool wanted = go_on();
        if (!wanted) source.interrupt();
        return wanted;
    };
}

// Calls body(0 … threads - 1), each on its own thread, or body(0) on the caller's thread if one thread is enough. A
// body must not throw. Returns true unless `go_on` returned false; in that case `stop` was set and the bodies have
// ended.
template <class Body>
bool run_in_parallel(int threads, bool inline_only, std::atomic<bool>& stop, const GoOn& go_on, Body&& body) {
    if (inline_only) {
        body(0);
        return true;
    }
    std::mutex mutex;
    std::condition_variable ended;
    int running = 0;
    std::vector<std::thread> team;
    team.reserve(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t) {
        {
            const std::lock_guard lock(mutex);
            ++running;
        }
        try {
            team.emplace_back([&, t] {
                body(t);
                const std::lock_guard lock(mutex);
                --running;
                ended.notify_one();
            });
        } catch (const std::system_error&) {  // no more threads can be started: the running ones do the work
            const std::lock_guard lock(mutex);
            --running;
            break;
        }
    }
    if (team.empty()) body(0);
    bool wanted = true;
    {
        std::unique_lock lock(mutex);
        while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
            if (!wanted || !go_on) continue;
            lock.unlock();
            if (!go_on()) {
                wanted = false;
                stop.store(true);
            }
            lock.lock();
        }
    }
    for (std::thread& thread : team) thread.join();
    return wanted;
}

// The same for bodies that may throw: an exception of one of them is rethrown here after all have ended. Throws
// Interrupted.
template <class Body>
void share(int threads, bool inline_only, std::atomic<bool>& stop, const GoOn& go_on, Body&& body) {
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
    const bool wanted = run_in_parallel(threads, inline_only, stop, go_on, [&](int worker) {
        try {
            body(worker);
        } catch (...) {
            failures[static_cast<std::size_t>(worker)] = std::current_exception();
            stop.store(true);
        }
    });
    if (!wanted) throw Interrupted{};
    for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace carob
