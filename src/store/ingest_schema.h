#pragma once

namespace beleg {

/// CREATE statements of the tables of unfinished ingests and of inputs that failed; part of truth
/// format 2. docs/formats/truth.md describes them.
extern const char* const kIngestSchema;

}  // namespace beleg
