#pragma once

#include <memory>

#include "model/encoder.h"

namespace beleg {

/// Stands before an encoder: questions are encoded by it, passages get a vector per token that
/// depends on the token alone, and their mean, at no cost to speak of. For corpora that would take
/// hours to encode, where only time and memory are measured: the order of results means nothing.
/// Has the model's own hash, so that the engine accepts the corpus; never use it on a corpus that
/// is to be kept.
[[nodiscard]] std::unique_ptr<Encoder> make_synthetic_encoder(std::unique_ptr<Encoder> model);

}  // namespace beleg
