#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/synthesize/emit.h"
#include "targets/edgetpu/synthesize/numbers.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kGrid = 4;  // tiles in a row, and rows of tiles

// Masks of the first `tiles` of the 16 tiles.
int64_t mask_all(int64_t tiles) { return (int64_t{1} << tiles) - 1; }
int64_t mask_row(int64_t tiles, int64_t row) { return mask_all(tiles) & (int64_t{0xf} << 4 * row); }
int64_t mask_column(int64_t tiles, int64_t column) {
  return mask_all(tiles) & (int64_t{0x1111} << column);
}

}  // namespace

darwinn::Bitstream dense_program(const Member& member, const std::string& input_name,
                                 const std::string& output_name) {
  const int64_t slices = member.size / 64;
  const int64_t tiles = slices;
  const int64_t rows = (tiles + kGrid - 1) / kGrid;
  const int64_t row_slices = kGrid * rows;
  const int64_t several_rows = rows > 1 ? 1 : 0;
  const int64_t all_tiles = mask_all(tiles);
  const int64_t input_zero_point = member.input_zero_point;
  const int64_t output_zero_point = member.output_zero_point;
  const auto [upper, lower] = clamp_bits(member);
  Emitter emitter;
#define later (j > 0 ? 1 : 0)
#define tile_bit (int64_t{1} << j)
#define row_tiles mask_row(tiles, j)
#define column_tiles mask_column(tiles, j)
// clang-format off
#include "targets/edgetpu/synthesize/tables.h"
#include "targets/edgetpu/synthesize/programs/dense.def"
#include "targets/edgetpu/synthesize/tables_end.h"
// clang-format on
#undef later
#undef tile_bit
#undef row_tiles
#undef column_tiles
  return emitter.finish();
}

}  // namespace edgetwin::edgetpu
