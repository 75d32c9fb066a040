// What an instruction set supplies to the drivers (dense.cc, depthwise.cc): a table of plain
// functions. Only the files that define these functions are compiled for the instruction set; they
// include this header, intrinsics, and nothing of the C++ library, so that no inline function
// compiled for a newer processor can be linked into code that every processor runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// Stored input bytes become encoded elements before they are multiplied: b ^ flip, as unsigned
// bytes, where elements have one byte; (b ^ flip) - zero_point where they have two.
struct InputEncoding {
  uint8_t flip = 0;        // 0x80 turns int8 into uint8
  int16_t zero_point = 0;  // of the flipped bytes
  uint8_t pad = 0;         // the zero point as it is stored
};

// The store stages; which one fits a layer is decided in tail_plan.cc, where each is derived.
enum class TailKind : uint8_t {
  right_shift,
  both_shifts,
  signed_double,
  half_up,
  half_even,
  float_even,
  general
};

// Constants of `lanes` channels, in the order of the lanes of one vector of sums.
struct TailTable {
  TailKind kind = TailKind::general;
  const int32_t* words = nullptr;  // vectors of kTailRows rows of `lanes` words
  int32_t zero_point = 0;          // what follows counts in int8: uint8 values less 128
  int8_t act_min = 0, act_max = 0;
  uint8_t flip = 0;  // 0x80 for uint8 output
  // Of the float product only.
  float low = 0.0F, high = 0.0F;
  int64_t* ties = nullptr;   // counts them, from several threads
  int64_t* large = nullptr;  // counts sums that are no float and not limited; null: there are none
  uint8_t options = 0;       // of the general form, see tail_plan.cc
  // Of TailKind::general only: replaces `count` sums by results, clamped.
  void (*general)(int32_t* sums, const int32_t* words, int count, const TailTable& tail) = nullptr;
};

// Rows of a tail vector. The two 64-bit rows hold the addends of the even and of the odd lanes.
enum TailRow : int {
  kMultiplier = 0,
  kLeftShift = 1,
  kRightShift = 2,
  kSignShift = 3,
  kAddEven = 4,
  kAddOdd = 5,
  kTailRows = 6,
  // Of half_up and half_even, which have nothing to multiply by.
  kFractionMask = kMultiplier,
  kTieMask = kLeftShift,
  // Of float_even: the bits of a float.
  kFactor = kMultiplier
};

// Of tables whose steps are grouped: 4 bytes of a run.
struct ByteStep {
  int32_t run = 0;
  int32_t offset = 0;  // bytes from the beginning of the run
};

// The steps of a block from `first` on: count[3] groups of four, then those of three, two and one.
// The products of a group with every pair of weights are summed in words.
inline constexpr int kMostGroupSteps = 4;
struct ByteGroups {
  int32_t first = 0;
  int32_t count[kMostGroupSteps] = {};
};

// `pixels` outputs that lie side by side, times the channels of some blocks. Their windows are
// `runs` pieces of contiguous elements each; that of the next pixel is pixel_stride bytes further.
struct DenseRow {
  const uint8_t* const* runs = nullptr;
  int run_count = 0;
  int run_steps = 0;  // of 4 bytes
  std::ptrdiff_t pixel_stride = 0;
  int pixels = 0;
  const int32_t* pixel_terms = nullptr;  // added to the sums of a pixel; may be null
  const int8_t* weights = nullptr;       // [block][run][step][vector][lane][4 bytes]
  const int32_t* bias = nullptr;         // [block][vector][lane]
  const TailTable* tail = nullptr;
  int vectors = 1;  // of sums per block
  int block_begin = 0, block_end = 0;
  int out_channels = 0;
  uint8_t* out = nullptr;  // of the first pixel, channel 0
  std::ptrdiff_t out_stride = 0;
  // Of tables whose steps are grouped, in place of run_steps; weights are [step][vector][lane][4].
  const ByteStep* steps = nullptr;
  const ByteGroups* groups = nullptr;  // of each block
};

// Puts the taps of some input rows side by side, for `lanes` channels or for four vectors of them:
// position p of a row holds the columns first + p * step + tap * dilation of `groups` *
// taps_per_dot taps. Of four vectors, lane 4L + i of vector v is channel 16L + 4v + i.
struct InterleaveRows {
  uint8_t* const* to = nullptr;
  const uint8_t* const* from = nullptr;
  int rows = 0;
  const uint8_t* pad = nullptr;  // `lanes` stored zero points
  int columns = 0;
  std::ptrdiff_t column_stride = 0;
  std::ptrdiff_t readable = 0;  // bytes of a row
  int first = 0, step = 1, dilation = 1;
  int groups = 1;
  int positions = 0;
  int vectors = 1;                     // 1 or 4; a position's vectors follow each other
  int inner_begin = 0, inner_end = 0;  // positions whose taps are inside, and readable as vectors
  int channels = 0;                    // valid lanes; what the others hold does not matter
  InputEncoding encoding;
};

// Some output rows of 1 or 4 vectors of channels. Output x uses the weights of phase x % phases and
// the `groups` vectors of taps from position x / phases on, of which phase 0 needs only the
// first_groups. Where `overlap`, positions are one vector apart, and share all but the first of
// their groups.
struct DepthwiseRows {
  const uint8_t* const* inputs = nullptr;  // interleaved: [rows][kernel_h]
  int rows = 0;
  int vectors = 1, kernel_h = 0, groups = 1, first_groups = 1, planes = 1, phases = 1;
  bool overlap = false;
  const int8_t* weights = nullptr;  // [phase][ky][group][plane][vector][lane][4 bytes]
  const int32_t* bias = nullptr;
  const TailTable* tail = nullptr;
  const int32_t* tail_words = nullptr;
  int pixels = 0;  // of a row
  int channels = 0;
  uint8_t* out = nullptr;
  std::ptrdiff_t out_stride = 0;
};

// A row of input as windows find it; `step` bytes between columns, 0 where all are padding.
struct DirectRow {
  const uint8_t* at = nullptr;  // column 0, channel 0
  std::ptrdiff_t step = 0;
};

// Output rows of two vectors of channels of a layer with 3x3 windows, whose taps are read as they
// are stored. Lane l of vector v is channel l / 4 * 8 + 4v + l % 4; weights are those of
// DepthwiseRows where neighbouring columns overlap.
struct DirectDepthwise {
  const DirectRow* rows = nullptr;  // [row_count][3]
  const uint8_t* pad = nullptr;     // two vectors of stored zero points
  int channel = 0;                  // the first one
  int columns = 0;                  // of the input; at most one before and one after are padding
  int row_count = 0, pixels = 0;    // of a row: at least two
  int stride = 1, pad_left = 0;     // a stride of 1 or 2
  bool is_signed = false;
  const int8_t* weights = nullptr;
  const int32_t* bias = nullptr;
  const TailTable* tail = nullptr;
  const int32_t* tail_words = nullptr;
  uint8_t* out = nullptr;
  std::ptrdiff_t out_stride = 0;  // of a pixel
};

struct KernelTable {
  int lanes;          // of a vector of sums
  int taps_per_dot;   // elements that one dot instruction sums up: 4 / element_bytes
  int element_bytes;  // of encoded input
  bool grouped;       // dense layers take steps in groups, and there are no others
  int tile_pixels;    // the most pixels of a register tile
  void (*encode)(uint8_t* to, const uint8_t* from, std::size_t count,
                 const InputEncoding& encoding);
  // terms[p] = factor * sum of the elements of pixel p's window; one-byte elements only.
  void (*window_terms)(int32_t* terms, const DenseRow& row, int run_elements, int32_t factor);
  void (*dense)(const DenseRow& row);
  void (*interleave)(const InterleaveRows& rows);
  void (*depthwise)(const DepthwiseRows& rows);
  void (*direct_depthwise)(const DirectDepthwise& rows) = nullptr;  // null: there is none
};

}  // namespace edgetwin::kernels
