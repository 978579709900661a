#include "ingest/checkpointer.h"

namespace beleg {

bool Checkpointer::is_due() const {
  return jobs_.batch_is_full() || next_.documents.size() >= kMaxDocuments ||
         next_.files.size() >= kMaxDocuments || watch_.wall_ms() - written_ms_ >= kIntervalMs;
}

Result<void> Checkpointer::write(std::uint64_t files_done) {
  next_.files_done = files_done;
  TRY(jobs_.checkpoint(next_));
  next_ = {};
  written_ms_ = watch_.wall_ms();
  has_written_ = true;
  return {};
}

}  // namespace beleg
