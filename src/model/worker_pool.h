#pragma once

#include <cstddef>
#include <functional>

namespace beleg {

/// Calls work(0) … work(count − 1), each once, on the calling thread and up to threads − 1 threads
/// of one pool for the whole process; returns when all are done. The pool's threads are started
/// when they are first needed and sleep when there is nothing to do. Calls may be made from several
/// threads at a time, and from within `work`: the caller always takes part, so that nothing waits
/// for a thread of the pool to become free. `work` must not throw.
void run_in_parallel(std::size_t count, std::size_t threads,
                     const std::function<void(std::size_t)>& work);

}  // namespace beleg
