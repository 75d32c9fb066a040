// Processors and places in data memory.
#include "targets/max78/convert/place/place.h"

#include "targets/max78/convert/place/placing.h"

namespace edgetwin::max78 {

void choose_format(Draft& d) {
  const DraftTensor& in = d.tensor(0);
  const int64_t limit = ai8x::limits(d.device).instance_bytes;
  if (in.bytes() <= limit || in.channels > 16 || d.layers.empty() || d.readers(0) != 1) return;
  const DraftLayer& first = d.layers[0];
  d.planes = first.sources == std::vector<int>{0} && first.has_weights() && first.groups == 1;
}

void place(Draft& draft) {
  choose_format(draft);
  choose_processors(draft);
  if (draft.misfits.empty()) choose_offsets(draft);
}

}  // namespace edgetwin::max78
