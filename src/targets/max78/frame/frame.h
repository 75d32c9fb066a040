// A camera's picture as the input of a network: the middle of it where the network's is smaller,
// folded into channels where it has more of them, each colour less 128. docs/max78.md, "Cameras".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "targets/max78/network/resolved.h"
#include "tensor/tensor.h"

namespace edgetwin::max78 {

enum class FrameOrder : uint8_t { bytes, high_first, low_first };

struct FramePixel {
  std::string_view name;
  int bytes, colours;
  FrameOrder order;
};
const FramePixel* find_frame_pixel(std::string_view name);
std::string frame_pixel_names();  // "rgb888, rgb888x, …"

// How the network's input lies in the frame: fold x fold pixels of it are one of the input, with
// the colours of row 0, column 0 first, then of row 0, column 1.
struct FrameFit {
  int fold = 1, top = 0, left = 0;
};

struct Frame {
  const FramePixel* pixel = nullptr;
  Tensor bytes;  // uint8 of (rows, columns, bytes of a pixel)
  FrameFit fit;

  int rows() const { return static_cast<int>(bytes.shape[0]); }
  int columns() const { return static_cast<int>(bytes.shape[1]); }
  // One of the input's elements, from -128 to 127.
  int8_t element(int channel, int row, int column) const;
};

// The bytes of a picture, uint8 of (rows, columns, r g b or one level), as this pixel has them.
// Error: max78_sample where a grey picture is to have colours or the other way round.
Result<Tensor> frame_bytes(const Tensor& picture, const FramePixel& pixel);
// Errors: max78_sample where the bytes are none of such pixels, the input's channels are not the
// colours times 1, 4, 16 or 64, or the frame is smaller than the input.
Result<Frame> fit_frame(const FramePixel& pixel, Tensor bytes, const SampleShape& input);
// int8 of (channels, rows, columns).
Tensor sample_of(const Frame& frame, const SampleShape& input);
// "the middle 224 x 224 of 320 x 240 pixels, folded by 2".
std::string fit_text(const Frame& frame, const SampleShape& input);

}  // namespace edgetwin::max78
