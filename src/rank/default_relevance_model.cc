#include "rank/combiner.h"

namespace beleg {

const RelevanceModel& default_relevance_model() {
  // Start values until the first fit: late interaction decides, words confirm.
  static const RelevanceModel kModel{
      .weights = {40.0, 4.0, 2.0, 0.5}, .offset = -36.0, .pairs = 0, .questions = 0};
  return kModel;
}

}  // namespace beleg
