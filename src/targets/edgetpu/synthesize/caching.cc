#include <algorithm>

#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/synthesize/emit.h"
#include "targets/edgetpu/synthesize/numbers.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kLine = 64;     // bytes of the parameter stream
constexpr int64_t kChunk = 1024;  // lines of one transfer
constexpr int kMostLanes = 64;    // output channels of one block

}  // namespace

darwinn::Bitstream caching_program(const Member& member) {
  const bool dense = member.family == Family::dense;
  const int64_t tiles = member.parameter_tiles();
  const int64_t block_bytes = member.tile_parameter_bytes();
  const int64_t bytes = member.parameter_bytes();
  const int64_t lanes = dense ? kMostLanes : std::min(member.channels, kMostLanes);
  // Dense layers move their scales as a segment of their own; lines have eight bytes for each lane.
  const int64_t scales = dense ? 1 : 0;
  const int64_t lines = dense ? member.size / 8 : block_bytes / (8 * lanes);
  const auto [chunks, last, partial] = chunks_of(bytes / kLine, kChunk);
  const int64_t window = std::min(bytes / kLine / 2, kChunk);
  const std::string input_name;
  const std::string output_name;
  Emitter emitter;
#define tile_bit (int64_t{1} << j)
// clang-format off
#include "targets/edgetpu/synthesize/tables.h"
#include "targets/edgetpu/synthesize/programs/caching.def"
#include "targets/edgetpu/synthesize/tables_end.h"
// clang-format on
#undef tile_bit
  return emitter.finish();
}

}  // namespace edgetwin::edgetpu
