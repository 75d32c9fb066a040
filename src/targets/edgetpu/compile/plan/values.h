// What values of a graph are to the chip.
#pragma once

#include "graph/graph.h"
#include "targets/edgetpu/compile/plan/segment.h"

namespace edgetwin::edgetpu::compiler {

bool is_byte(DType type);
int unsigned_zero(const Value& value);
// A picture: 1 x rows x columns x channels with more than one position.
bool is_map(const Value& value);
// RESIZE_BILINEAR between positions.
bool is_doubled(const Graph& graph, const Op& op);
bool is_number(const Value& value);  // a constant whose elements are all the same
// Elements side by side: all of them in the last axis.
bool is_vector(const Value& value);

// The operator changes no byte on the chip: RESHAPE and its like, QUANTIZE that only moves from
// uint8 to int8 or back, RESIZE to the same size.
bool changes_nothing(const Graph& graph, const Op& op);
// The tensor that an operator reads; SPLIT has its axis before it.
ValueId data_of(const Op& op);

// What cuts channels out of a picture, and what repeats its positions (moves.cc).
std::optional<Refusal> check_part(const Graph& graph, size_t op);
std::optional<Refusal> check_resize(const Graph& graph, size_t op);
std::optional<Refusal> check_softmax(const Graph& graph, size_t op);
// First channel of the first result of SPLIT, SLICE or STRIDED_SLICE; nothing: it cuts otherwise.
std::optional<int64_t> first_channel(const Graph& graph, const Op& op);

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
// All windows lie within the picture.
bool inside(const Windows& windows, const Value& in);
Windows windows_of(const Value& in, const Value& out, const Padding& padding, int kernel_h,
                   int kernel_w, int stride_h, int stride_w, int dilation_h, int dilation_w);

}  // namespace edgetwin::edgetpu::compiler
