#include "train/cases/known.h"

namespace edgetwin::train {
namespace {

constexpr std::string_view kExtraSmall = R"(arch: ai85netextrasmall
dataset: digits
layers:
  - {op: conv2d, pad: 1, activate: ReLU, out_offset: 0x2000, processors: 0x1, data_format: CHW}
  - {op: conv2d, max_pool: 2, pool_stride: 2, pad: 2, activate: ReLU, out_offset: 0, processors: 0xff0}
  - {op: conv2d, max_pool: 4, pool_stride: 4, pad: 1, activate: ReLU, out_offset: 0x2000, processors: 0xff0}
  - {op: linear, flatten: true, output_width: 32, activate: None, out_offset: 0, processors: 0xff0}
)";

constexpr std::string_view kNet5 = R"(arch: ai85net5
dataset: digits
layers:
  - {op: conv2d, pad: 1, activate: ReLU, out_offset: 0x2000, processors: 0x1, data_format: CHW}
  - {op: conv2d, max_pool: 2, pool_stride: 2, pad: 2, activate: ReLU, out_offset: 0, processors: 0xfffffffffffffff0}
  - {op: conv2d, max_pool: 2, pool_stride: 2, pad: 1, activate: ReLU, out_offset: 0x2000, processors: 0xfffffffffffffff0}
  - {op: conv2d, avg_pool: 2, pool_stride: 2, pad: 1, activate: ReLU, out_offset: 0, processors: 0x0ffffffffffffff0}
  - {op: linear, flatten: true, output_width: 32, activate: None, out_offset: 0x1000, processors: 0xfff}
)";

}  // namespace

const std::string_view kTraceNetwork = R"(arch: trace
dataset: random
layers:
  - {name: conv1, op: conv2d, pad: 1, activate: ReLU, out_offset: 0x2000, processors: 0x3}
  - {name: conv2, op: conv2d, max_pool: 2, pool_stride: 2, pad: 1, activate: ReLU, out_offset: 0, processors: 0x1f}
  - {name: conv3, op: conv2d, avg_pool: 2, pool_stride: 2, pad: 1, activate: ReLU, out_offset: 0x2000, processors: 0x1f}
  - {name: fc, op: linear, flatten: true, output_width: 32, activate: None, out_offset: 0, processors: 0x1f}
)";

std::optional<std::string_view> known_description(std::string_view arch) {
  if (arch == "ai85netextrasmall") return kExtraSmall;
  if (arch == "ai85net5") return kNet5;
  return std::nullopt;
}

}  // namespace edgetwin::train
