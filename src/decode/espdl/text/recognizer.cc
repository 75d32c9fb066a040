#include <cmath>

#include "decode/espdl/core/outputs.h"
#include "decode/espdl/text/text.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr float kTextThreshold = 0.5F;
constexpr int64_t kBlank = 0;

}  // namespace

Result<Decoded> decode_ocr_recognizer(std::span<const Tensor> outputs, const Params& params) {
  if (outputs.size() != 1) {
    return Error(ErrorCode::decode_maps, "there are " + std::to_string(outputs.size()) +
                                             " outputs, the logits of a text are one");
  }
  EDGETWIN_TRY_ASSIGN(const Map map, Map::of(outputs[0]));
  ReadText read;
  float total = 0.0F;
  int64_t last = -1;
  for (int64_t step = 0; step < map.cells(); ++step) {
    int64_t best = 0;
    for (int64_t c = 1; c < map.channels(); ++c) {
      if (map.real(step, c) > map.real(step, best)) best = c;
    }
    if (best != kBlank && best != last) {
      float sum = 0.0F;
      for (int64_t c = 0; c < map.channels(); ++c) {
        sum += std::exp(map.real(step, c) - map.real(step, best));
      }
      total += 1.0F / sum;
      read.classes.push_back(static_cast<int>(best));
    }
    last = best;
  }
  if (!read.classes.empty()) read.score = total / static_cast<float>(read.classes.size());
  read.kept = read.score >= params.score_threshold.value_or(kTextThreshold);
  Decoded decoded;
  if (!read.kept) {
    decoded.remarks.emplace_back("the score is below the threshold: the chip drops the text");
  }
  decoded.text = std::move(read);
  return decoded;
}

}  // namespace edgetwin::espdl_decode
