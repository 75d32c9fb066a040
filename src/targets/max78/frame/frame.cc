#include "targets/max78/frame/frame.h"

#include <algorithm>
#include <array>

namespace edgetwin::max78 {
namespace {

constexpr std::array kFramePixels = {
#define FRAME_PIXEL(name, bytes, colours, order, meaning) \
  FramePixel{#name, bytes, colours, FrameOrder::order},
#include "targets/max78/frame/pixels.def"
#undef FRAME_PIXEL
};

constexpr std::array kFolds = {1, 2, 4, 8};

Error frame_error(const std::string& what) { return Error(ErrorCode::max78_sample, what); }

std::string size_text(int64_t rows, int64_t columns) {
  return std::to_string(columns) + " x " + std::to_string(rows);
}

// A colour of a pixel, 0 to 255; what 16 bits do not hold is 0.
uint32_t colour_of(const FramePixel& pixel, const uint8_t* at, int colour) {
  if (pixel.order == FrameOrder::bytes) return at[colour];
  const bool high = pixel.order == FrameOrder::high_first;
  const uint32_t bits = static_cast<uint32_t>(at[high ? 0 : 1]) << 8 | at[high ? 1 : 0];
  if (colour == 0) return bits >> 8 & 0xf8U;
  return colour == 1 ? bits >> 3 & 0xfcU : bits << 3 & 0xf8U;
}

void put_pixel(const FramePixel& pixel, const uint8_t* colours, uint8_t* to) {
  if (pixel.order == FrameOrder::bytes) {
    std::fill_n(to, pixel.bytes, uint8_t{0});
    std::copy_n(colours, pixel.colours, to);
    return;
  }
  const uint32_t bits = (colours[0] & 0xf8U) << 8 | (colours[1] & 0xfcU) << 3 | colours[2] >> 3;
  const bool high = pixel.order == FrameOrder::high_first;
  to[high ? 0 : 1] = static_cast<uint8_t>(bits >> 8);
  to[high ? 1 : 0] = static_cast<uint8_t>(bits);
}

}  // namespace

const FramePixel* find_frame_pixel(std::string_view name) {
  const auto found = std::ranges::find(kFramePixels, name, &FramePixel::name);
  return found == kFramePixels.end() ? nullptr : &*found;
}

std::string frame_pixel_names() {
  std::string names;
  for (const FramePixel& p : kFramePixels)
    names += (names.empty() ? "" : ", ") + std::string(p.name);
  return names;
}

int8_t Frame::element(int channel, int row, int column) const {
  const int part = channel / pixel->colours, colour = channel % pixel->colours;
  const int64_t y = fit.top + int64_t{row} * fit.fold + part / fit.fold;
  const int64_t x = fit.left + int64_t{column} * fit.fold + part % fit.fold;
  const auto* at =
      reinterpret_cast<const uint8_t*>(bytes.data.data()) + (y * columns() + x) * pixel->bytes;
  return static_cast<int8_t>(colour_of(*pixel, at, colour) ^ 0x80U);
}

Result<Tensor> frame_bytes(const Tensor& picture, const FramePixel& pixel) {
  const bool form = picture.dtype == DType::uint8 && picture.shape.rank() == 3;
  if (!form || picture.shape[2] != pixel.colours) {
    return frame_error("the picture is " + to_string(picture.shape) + ", " +
                       std::string(pixel.name) + " has " + std::to_string(pixel.colours) +
                       (pixel.colours == 1 ? " colour" : " colours"));
  }
  EDGETWIN_TRY_ASSIGN(
      Tensor made, Tensor::zeros(DType::uint8, {picture.shape[0], picture.shape[1], pixel.bytes}));
  const auto from = picture.as<uint8_t>();
  const auto to = made.as<uint8_t>();
  const auto pixels = static_cast<size_t>(picture.shape[0] * picture.shape[1]);
  for (size_t i = 0; i < pixels; ++i) {
    put_pixel(pixel, from.data() + i * static_cast<size_t>(pixel.colours),
              to.data() + i * static_cast<size_t>(pixel.bytes));
  }
  return made;
}

Result<Frame> fit_frame(const FramePixel& pixel, Tensor bytes, const SampleShape& input) {
  const std::string kind(pixel.name);
  const bool form = bytes.dtype == DType::uint8 && bytes.shape.rank() == 3 &&
                    bytes.shape[2] == pixel.bytes && bytes.shape.elements() > 0;
  if (!form) {
    return frame_error("a frame of " + kind + " is uint8 of rows, columns and " +
                       std::to_string(pixel.bytes) + " bytes; this is " + to_string(bytes.shape) +
                       " " + std::string(name(bytes.dtype)));
  }
  Frame frame{&pixel, std::move(bytes), {}};
  const auto fold =
      std::ranges::find_if(kFolds, [&](int f) { return input.c == pixel.colours * f * f; });
  if (fold == kFolds.end()) {
    return frame_error("the input has " + std::to_string(input.c) + " channels; " + kind + " has " +
                       std::to_string(pixel.colours) + ", folded 4, 16 or 64 times as many");
  }
  frame.fit.fold = *fold;
  const int rows = input.h * *fold, columns = input.w * *fold;
  if (frame.rows() < rows || frame.columns() < columns) {
    return frame_error("the frame has " + size_text(frame.rows(), frame.columns()) +
                       " pixels, the input needs " + size_text(rows, columns));
  }
  frame.fit.top = (frame.rows() - rows) / 2;
  frame.fit.left = (frame.columns() - columns) / 2;
  return frame;
}

Tensor sample_of(const Frame& frame, const SampleShape& input) {
  Tensor t;
  t.dtype = DType::int8;
  t.shape = {input.c, input.h, input.w};
  t.data.resize(static_cast<size_t>(t.shape.elements()));
  size_t i = 0;
  for (int c = 0; c < input.c; ++c) {
    for (int y = 0; y < input.h; ++y) {
      for (int x = 0; x < input.w; ++x) {
        t.data[i++] = static_cast<std::byte>(frame.element(c, y, x));
      }
    }
  }
  return t;
}

std::string fit_text(const Frame& frame, const SampleShape& input) {
  const int fold = frame.fit.fold;
  const std::string whole = size_text(frame.rows(), frame.columns());
  const bool all = frame.rows() == input.h * fold && frame.columns() == input.w * fold;
  std::string text = all ? "all " + whole + " pixels"
                         : "the middle " +
                               size_text(int64_t{input.h} * fold, int64_t{input.w} * fold) +
                               " of " + whole + " pixels";
  if (fold > 1) text += ", folded by " + std::to_string(fold);
  return text;
}

}  // namespace edgetwin::max78
