// What an instruction set supplies for layers of 16 bits: plain functions, as in kernel_table.h,
// whose rules hold here too. conv16_plan.cc and tail16_plan.cc derive the arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// The store stages. A sum is split in two words: (high << unit) + low, the low one signed.
enum class Tail16Kind : uint8_t {
  narrow,   // low is the whole sum, and a shift is all that is left
  upper,    // every shift is at least `unit`
  both,     // any shift
  general,  // the definition, lane by lane
};

// Rows of constants of one vector of channels.
enum Tail16Row : int {
  kRight16 = 0,    // of the high word; of the sum where narrow
  kLeft16 = 1,     // of the high word
  kLow16 = 2,      // to the right, of the rest of the low word
  kLowMask16 = 3,  // what both are asked for at ties
  kHighMask16 = 4,
  kTieMask16 = 5,
  kTail16Rows = 6,
  // Of general only.
  kShift16 = 0,
  kBiasLow16 = 1,
  kBiasHigh16 = 2
};

struct Tail16Table {
  Tail16Kind kind = Tail16Kind::general;
  bool even = false;  // ties to even
  int unit = 0;
  const int32_t* words = nullptr;  // vectors of kTail16Rows rows
  int16_t act_min = 0, act_max = 0;
  // Of general only: results of `count` lanes in place of their low words.
  void (*general)(int32_t* low, const int32_t* high, const int32_t* words, int count,
                  const Tail16Table& tail) = nullptr;
};

// `pixels` neighbouring pixels of a dense layer, all channels. Their windows are pieces of
// contiguous elements, staged as words and, where `bytes` is not null, as the upper bytes of these.
struct Dense16Row {
  const uint8_t* const* words = nullptr;  // of the first pixel
  const uint8_t* const* bytes = nullptr;
  const int32_t* word_steps = nullptr;    // of two elements
  const int32_t* byte_steps = nullptr;    // of four
  const int32_t* segment_ends = nullptr;  // pieces; after each, the high word takes its share
  int segments = 1;
  std::ptrdiff_t word_stride = 0, byte_stride = 0;  // of pixels, in bytes
  int pixels = 0;
  const int8_t* word_weights = nullptr;  // [block][piece][step][vector][lane][2 words]
  const int8_t* byte_weights = nullptr;  // [block][piece][step][vector][lane][4 bytes]
  std::ptrdiff_t all_word_steps = 0, all_byte_steps = 0;
  const int32_t* low_start = nullptr;   // [block][vector][lane]
  const int32_t* high_start = nullptr;  // [segment][block][vector][lane]
  const Tail16Table* tail = nullptr;
  int vectors = 1, blocks = 0, out_channels = 0;
  int last_vectors = 1;  // of the last block; its arrays are as long as the others'
  int16_t* out = nullptr;
  std::ptrdiff_t out_stride = 0;
};

// Pixels of a depthwise layer: see DepthwisePixels of walk.h. Vectors of pairs of taps are
// interleaved within 128 bits: lane l of vector v of a block is its channel l / 4 * 8 + 4v + l % 4.
struct Depthwise16Row {
  const int16_t* const* taps = nullptr;
  std::ptrdiff_t stride = 0;
  int pixels = 0;
  int tap_pairs = 0;
  bool split = false;
  const int8_t* weights = nullptr;  // [block][pair][low, high where split][vector][lane][2 words]
  const int32_t* low_start = nullptr;  // [block][vector][lane]
  const int32_t* high_start = nullptr;
  const Tail16Table* tail = nullptr;
  int block_begin = 0, block_end = 0, channels = 0;
  bool gathered = false;
  int16_t* out = nullptr;
  std::ptrdiff_t out_stride = 0;
};

struct KernelTable16 {
  int lanes;       // of a vector of sums; a depthwise block has twice as many channels
  int high_shift;  // from an element + 2^15 to the unsigned byte that stands for its upper bits
  int tile_pixels;
  void (*encode)(uint8_t* bytes, const int16_t* from, std::size_t count);
  void (*dense)(const Dense16Row& row);
  void (*depthwise)(const Depthwise16Row& row);
};

}  // namespace edgetwin::kernels
