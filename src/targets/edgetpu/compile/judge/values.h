// What values of a graph are to the chip.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "targets/edgetpu/compile/templates/parts.h"

namespace edgetwin::edgetpu::compiler {

bool is_byte(DType type);
int unsigned_zero(const Value& value);
// A picture: 1 x rows x columns x channels with more than one position.
bool is_map(const Value& value);
// RESIZE_BILINEAR between positions.
bool mixes_positions(const Graph& graph, const Op& op);
// Where its rows and columns lie in the picture that it reads; nothing: not in 1/128 of a position.
struct Stretches {
  Stretch y, x;
};
std::optional<Stretches> stretches_of(const Graph& graph, const Op& op);
bool is_number(const Value& value);  // a constant whose elements are all the same
bool is_unary(const Op& op);         // makes each element of one other: RELU, functions, QUANTIZE
// Elements side by side: all of them in the last axis.
bool is_vector(const Value& value);
// Rows, columns and channels of what has more than one position: the last three axes of a tensor.
struct Picture {
  int64_t rows = 1, columns = 1, channels = 1;
  bool operator==(const Picture&) const = default;
};
std::optional<Picture> picture_of(const Value& value);
bool same_numbers(const Value& a, const Value& b);
// How often an axis of `in` is repeated in one of `out` whose parts agree with it; 0: they do not.
int64_t repeats(int64_t in, int64_t out);
// One byte for each channel of `channels`, the same at every position.
bool is_channel_constant(const Value& value, int64_t channels);

// An input that is a constant and is taken as another picture or vector would be: not a number of
// a sum or factors of a product, which become numbers of instructions.
bool takes_constant(const Graph& graph, const Op& op, size_t input);
// As many elements in each axis, but for axes of one in front.
bool same_elements(const Value& a, const Value& b);

// The operator changes no byte on the chip: RESHAPE and its like, QUANTIZE that only moves from
// uint8 to int8 or back, RESIZE to the same size.
bool changes_nothing(const Graph& graph, const Op& op);
// The tensor that an operator reads; SPLIT has its axis before it.
ValueId data_of(const Op& op);

// What SPLIT, SLICE and STRIDED_SLICE take of a picture: one for each result; nothing: they cut
// otherwise.
struct Cut {
  std::array<int64_t, 4> begin{}, size{}, step{1, 1, 1, 1};
  bool of_positions(const Shape& in) const { return size[1] != in[1] || size[2] != in[2]; }
  bool of_channels(const Shape& in) const { return size[3] != in[3]; }
};
std::optional<std::vector<Cut>> cuts_of(const Graph& graph, const Op& op);
// What RESIZE to a smaller size takes, where all its positions lie on positions of the picture.
std::optional<Cut> picked_positions(const Graph& graph, const Op& op);
// Of PAD: what it adds before and after each axis of a picture.
std::optional<std::array<int32_t, 8>> pads_of(const Graph& graph, const Op& op);
// TILE of one position.
bool tiles_one(const Graph& graph, const Op& op);
// RESHAPE and its like.
bool only_reshapes(const Op& op);
// TRANSPOSE of one picture: which axis of it each axis of the result is.
std::optional<std::array<int32_t, 4>> transposed_axes(const Graph& graph, const Op& op);

// Limits and zero point of a result.
void put_limits(Numbers& numbers, const Value& out, Activation activation);

// PAD of rows and columns with the zero point, where nothing but windows of convolutions reads the
// result: they take it as their border.
struct SpacePad {
  int64_t top = 0, left = 0, bottom = 0, right = 0;
};
std::optional<SpacePad> space_pad(const Graph& graph, const Op& op);

// Window of a convolution or pool along rows and columns.
struct Windows {
  Window y, x;
};
// What AVERAGE_POOL_2D, MAX_POOL_2D, MEAN and SUM go over.
struct PoolView {
  Picture in;
  Windows windows;
  bool turned = false;    // what windows take for columns are the picture's rows
  bool over_all() const;  // one window, which is the picture
};
std::optional<PoolView> pool_view(const Graph& graph, const Op& op);
// Outputs of TRANSPOSE_CONV along one axis that have the same taps: every stride-th from `first`
// on. They are those of a convolution whose window has every stride-th tap, the last one first;
// `tap` is the first of them.
struct TransposedPhase {
  int64_t first = 0, tap = 0;
  Window window;
};
struct TransposedPhases {
  std::vector<TransposedPhase> y, x;
};
TransposedPhases transposed_phases(const Graph& graph, const Op& op);
// PACK: rows or columns of so many pictures in turns.
struct Interleaving {
  int64_t y = 1, x = 1;
};
std::optional<Interleaving> packed_places(const Graph& graph, const Op& op);
// Of RESIZE_NEAREST_NEIGHBOR: the row and column of the picture for each of the result's.
struct NearestPlaces {
  std::vector<int64_t> rows, columns;
};
NearestPlaces nearest_places(const Graph& graph, const Op& op);
// Of TRANSPOSE between two RESHAPEs that nothing else reads: channels in `groups` of `each`, which
// take turns in the result (ShuffleNet).
struct MixedChannels {
  int64_t groups = 1, each = 1;
  Picture picture;
};
std::optional<MixedChannels> mixed_channels(const Graph& graph, const Op& op);
// All windows lie within the picture.
bool inside(const Windows& windows, const Value& in);
Windows windows_of(const Value& in, const Value& out, const Padding& padding, int kernel_h,
                   int kernel_w, int stride_h, int stride_w, int dilation_h, int dilation_w);

}  // namespace edgetwin::edgetpu::compiler
