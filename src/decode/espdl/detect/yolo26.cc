#include <algorithm>

#include "decode/espdl/detect/stages.h"

namespace edgetwin::espdl_decode {
namespace {

// The first of the classes with the largest score over the threshold; -1: none.
int64_t best_class(const Map& score, int64_t cell, const Threshold& threshold) {
  int64_t best = -1;
  for (int64_t c = 0; c < score.channels(); ++c) {
    if (!threshold.exceeds(score, cell, c)) continue;
    if (best < 0 || score.real(cell, c) > score.real(cell, best)) best = c;
  }
  return best;
}

}  // namespace

Result<Decoded> decode_yolo26(std::span<const Tensor> outputs, const Params& params) {
  const Limits limits = limits_of(params, kYolo26);
  std::vector<Detection> found;
  for (size_t s = 0; s < kStrides.size(); ++s) {
    const std::string name = "one2one_p" + std::to_string(s + 3);
    EDGETWIN_TRY_ASSIGN(const Map box, output_named(outputs, name + "_box"));
    EDGETWIN_TRY_ASSIGN(const Map score, output_named(outputs, name + "_cls"));
    EDGETWIN_TRY(check_map(box, 4, score.rows(), score.columns()));
    const Threshold threshold(score, inverse_sigmoid(limits.score), numerics::Rounding::floor);
    const auto stride = static_cast<float>(kStrides[s]);
    for (int64_t cell = 0; cell < score.cells(); ++cell) {
      const int64_t c = best_class(score, cell, threshold);
      if (c < 0) continue;
      Detection d;
      d.category = static_cast<int>(c);
      d.score = sigmoid(score.real(cell, c));
      if (d.score < limits.score) continue;
      const float x = static_cast<float>(cell % score.columns()) + 0.5F;
      const float y = static_cast<float>(cell / score.columns()) + 0.5F;
      const auto edge = [stride](float at) {
        return trunc_to_int(static_cast<double>(at * stride));
      };
      d.box = {edge(x - box.real(cell, 0)), edge(y - box.real(cell, 1)),
               edge(x + box.real(cell, 2)), edge(y + box.real(cell, 3))};
      found.push_back(std::move(d));
    }
  }
  Decoded decoded;
  if (found.size() > static_cast<size_t>(limits.most)) {
    sort_by_score(found);
    found.resize(static_cast<size_t>(limits.most));
    decoded.remarks.emplace_back(
        "more boxes than top_k: the chip keeps the best ones in an order that its library leaves "
        "open; here they are by falling score");
  }
  decoded.remarks.emplace_back(
      "boxes are in pixels of the network's input, as the runtime gives them");
  decoded.detections = std::move(found);
  return decoded;
}

}  // namespace edgetwin::espdl_decode
