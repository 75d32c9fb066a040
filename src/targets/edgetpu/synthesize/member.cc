#include <algorithm>

#include "targets/edgetpu/synthesize/numbers.h"
#include "targets/edgetpu/synthesize/program.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kLanes = 64;          // outputs of one tile of a dense layer
constexpr int kGridTiles = 16;      // that share a picture
constexpr int kHeaderBytes = 8;     // of each output channel: scale and zero point of its weights
constexpr int kMostNarrow = 81168;  // bytes of a tile in use by the largest member ever seen
// Lines of 64 bytes of a tile's input: `param` steps back by half of them in a field of 8 bits.
constexpr int64_t kMostLines = 512;

std::string numbers(int64_t a, int64_t b, int64_t c) {
  return std::to_string(a) + " x " + std::to_string(b) + " x " + std::to_string(c);
}

Error out_of_range(const Member& m, const std::string& why, const std::string& hint) {
  return Error(ErrorCode::synthesize_range, "no program is known for " + text(m) + ": " + why)
      .with_hint(hint);
}

Status dense_in_range(const Member& m) {
  // Below 256 the laws name no tile in one of the copies, so that the machine cannot execute them.
  if (m.size >= 256 && m.size <= 1024 && m.size % 64 == 0) return Ok{};
  return out_of_range(
      m, "sizes are multiples of 64 from 256 to 1024",
      "Smaller and larger layers are split between tiles in ways that are not known "
      "yet.");
}

// Widths of the programs that are known for few rows.
struct Widths {
  int height, channels, least, most, step;
};
constexpr Widths kWidths[] = {
    {8, 32, 72, 192, 4}, {8, 64, 72, 192, 4}, {8, 128, 72, 192, 4}, {12, 32, 64, 168, 8}};

Status rows_in_range(const Member& m, const Widths& w) {
  if (m.width >= w.least && m.width <= w.most && m.width % w.step == 0) return Ok{};
  return out_of_range(m,
                      std::to_string(m.height) + " rows of " + std::to_string(m.channels) +
                          " channels have widths from " + std::to_string(w.least) + " to " +
                          std::to_string(w.most) + " in steps of " + std::to_string(w.step),
                      "Other widths are other programs.");
}

Status conv_in_range(const Member& m) {
  if (m.channels != 32 && m.channels != 64 && m.channels != 128) {
    return out_of_range(m, "channels are 32, 64 or 128", "Use one of these, or the compiler.");
  }
  for (const Widths& w : kWidths) {
    if (w.height == m.height && w.channels == m.channels) return rows_in_range(m, w);
  }
  if (m.channels == 32) {
    return out_of_range(m, "32 channels are known for 8 and 12 rows only", "Use 64 channels.");
  }
  if (m.height < 12 || m.height % 4 != 0 || m.width < 8 || m.width % 4 != 0) {
    return out_of_range(m,
                        "rows are 8 or multiples of 4 from 12 on, widths multiples of 4 from 8 on",
                        "Pad the picture.");
  }
  if (m.narrow_memory() > kMostNarrow) {
    return out_of_range(m,
                        "each tile would need " + std::to_string(m.narrow_memory()) +
                            " bytes, more than the " + std::to_string(kMostNarrow) +
                            " of any program that was seen",
                        "Take fewer rows or columns.");
  }
  const int64_t lines = int64_t{m.height} * m.width * m.channels / kGridTiles / kLanes;
  if (lines > kMostLines) {
    return out_of_range(m,
                        "a tile's part of the input has " + std::to_string(lines) +
                            " lines of 64 bytes, and the instructions count no more than " +
                            std::to_string(kMostLines),
                        "Take fewer rows or columns.");
  }
  return Ok{};
}

bool compared(const Member& m) {
#define DENSE(n) \
  if (m.family == Family::dense && m.size == (n)) return true;
#define CONV3X3(h, w) \
  if (m.family == Family::conv3x3 && m.height == (h) && m.width == (w)) return true;
#define CONV3X3_OF(h, w, c)                                                                  \
  if (m.family == Family::conv3x3 && m.height == (h) && m.width == (w) && m.channels == (c)) \
    return true;
#include "targets/edgetpu/synthesize/members.def"
#undef DENSE
#undef CONV3X3
#undef CONV3X3_OF
  return false;
}

}  // namespace

int Member::parameter_tiles() const { return family == Family::dense ? size / kLanes : 1; }

int64_t Member::tile_parameter_bytes() const {
  if (family == Family::dense) return int64_t{kLanes} * (size + kHeaderBytes);
  return int64_t{channels} * (9 * channels + kHeaderBytes);
}

int64_t Member::input_bytes() const {
  return family == Family::dense ? size : int64_t{height} * width * channels;
}

int64_t Member::narrow_memory() const {
  if (family == Family::dense) return size + 576;
  const int64_t h = height / 4;
  const int64_t w = width / 4;
  return channels * ((h + 2) * (w + 2) + 8 * w) + 16;
}

std::string text(const Member& m) {
  return m.family == Family::dense ? "dense " + std::to_string(m.size)
                                   : "conv3x3 " + numbers(m.height, m.width, m.channels);
}

std::string_view text(Standing standing) {
  switch (standing) {
    case Standing::compared:
      return "equals the compiler's bytes";
    case Standing::inside:
      return "between layers whose bytes equal the compiler's; never compared, never run on a "
             "device";
    case Standing::beyond:
      return "outside of all layers that were compared; never compared, never run on a device";
  }
  return "";
}

Standing standing_of_execution(const Member& m) {
  if (compared(m)) return Standing::compared;
  if (m.family == Family::dense) return m.size < 256 ? Standing::beyond : Standing::inside;
  const bool widths =
      m.height == 8 || (m.height == 12 && m.width % 8 == 0 && m.width >= 64 && m.width <= 192);
  return widths ? Standing::inside : Standing::beyond;
}

// Parameters of convolutions are moved in the same way whatever the size of the picture.
Standing standing_of_caching(const Member& m) {
  return m.family == Family::conv3x3 ? Standing::compared : standing_of_execution(m);
}

Status in_range(const Member& member) {
  return member.family == Family::dense ? dense_in_range(member) : conv_in_range(member);
}

darwinn::Bitstream execution_program(const Member& member, const std::string& input_name,
                                     const std::string& output_name) {
  return member.family == Family::dense ? dense_program(member, input_name, output_name)
                                        : conv3x3_program(member, input_name, output_name);
}

}  // namespace edgetwin::edgetpu
