#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/synthesize/emit.h"
#include "targets/edgetpu/synthesize/numbers.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kUnit = 8;           // bytes that an input transfer counts in
constexpr int64_t kConvChunk = 16384;  // units of one transfer

// Everything that the laws of the four programs are made of.
struct Numbers {
  int64_t w, h, c;  // columns and rows of a tile; channels / 64
  int64_t odd, even_rows;
  int64_t input_zero_point, output_zero_point, padding;
  int64_t upper, lower;
  int64_t chunks, last, partial;
};

Numbers numbers_of(const Member& m) {
  const auto [upper, lower] = clamp_bits(m);
  const auto [chunks, last, partial] = chunks_of(m.input_bytes() / kUnit, kConvChunk);
  const int64_t w = m.width / 4;
  const int64_t h = m.height / 4;
  // Four pixels at once are filled with the input's zero point.
  const int64_t padding = int64_t{0x01010101} * m.input_zero_point;
  return {w,
          h,
          m.channels / 64,
          w % 2,
          h % 2 == 0 ? 1 : 0,
          m.input_zero_point,
          m.output_zero_point,
          padding,
          upper,
          lower,
          chunks,
          last,
          partial};
}

}  // namespace

#define PROGRAM(name)                                                                          \
  static void name(Emitter& emitter, const Numbers& numbers, const std::string& input_name,    \
                   const std::string& output_name) {                                           \
    [[maybe_unused]] const auto [w, h, c, odd, even_rows, input_zero_point, output_zero_point, \
                                 padding, upper, lower, chunks, last, partial] = numbers;

#include "targets/edgetpu/synthesize/tables.h"
PROGRAM(any_rows)
#include "targets/edgetpu/synthesize/programs/conv3x3.def"
}
PROGRAM(rows8)
#include "targets/edgetpu/synthesize/programs/conv3x3_h8.def"
}
PROGRAM(rows8_channels32)
#include "targets/edgetpu/synthesize/programs/conv3x3_h8_c32.def"
}
PROGRAM(rows12_channels32)
#include "targets/edgetpu/synthesize/programs/conv3x3_h12_c32.def"
}
#include "targets/edgetpu/synthesize/tables_end.h"
#undef PROGRAM

darwinn::Bitstream conv3x3_program(const Member& member, const std::string& input_name,
                                   const std::string& output_name) {
  const bool narrow = member.channels == 32;
  auto* program = member.height == 8 ? (narrow ? rows8_channels32 : rows8)
                                     : (narrow ? rows12_channels32 : any_rows);
  Emitter emitter;
  program(emitter, numbers_of(member), input_name, output_name);
  return emitter.finish();
}

}  // namespace edgetwin::edgetpu
