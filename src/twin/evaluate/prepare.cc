#include "twin/evaluate/prepare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exec/input.h"
#include "image/espdl/preprocess.h"
#include "signals/keywords/waveform.h"
#include "twin/values.h"

namespace edgetwin::twin {
namespace {

constexpr std::string_view kFits[] = {"nearest", "half-pixel", "lanczos", "letterbox", "crop"};
constexpr std::byte kBorder{114};  // grey of the borders, as YOLO networks are trained
// Of ImageNet's usual preparation: the short side becomes 256 where the network takes 224.
constexpr int64_t kCropWhole = 256, kCropPart = 224;

struct Size {
  int64_t height = 0, width = 0;
};

Result<Size> picture_size_of(const Port& port) {
  if (is_planes(port)) return Size{port.shape[1], port.shape[2]};
  if (port.planes_first && port.shape.rank() == 4) return Size{port.shape[2], port.shape[3]};
  EDGETWIN_TRY_ASSIGN(const exec::PictureSize size, exec::picture_size(value_of(port), port.shape));
  return Size{size.height, size.width};
}

Result<Tensor> smooth(const Tensor& picture, int64_t height, int64_t width) {
  return resize_smooth(picture, static_cast<int>(height), static_cast<int>(width),
                       Filter::bilinear);
}

// The whole picture in its proportions, between grey borders.
Result<Tensor> letterboxed(const Tensor& picture, Size to, Prepared& p) {
  const double ratio = std::min(static_cast<double>(to.height) / static_cast<double>(p.height),
                                static_cast<double>(to.width) / static_cast<double>(p.width));
  const auto scaled = [ratio](int64_t v) {
    return std::max<int64_t>(1, std::llround(static_cast<double>(v) * ratio));
  };
  const Size inner{std::min(scaled(p.height), to.height), std::min(scaled(p.width), to.width)};
  EDGETWIN_TRY_ASSIGN(const Tensor small, smooth(picture, inner.height, inner.width));
  const int64_t channels = picture.shape[2];
  EDGETWIN_TRY_ASSIGN(Tensor out, Tensor::zeros(DType::uint8, {to.height, to.width, channels}));
  std::ranges::fill(out.data, kBorder);
  const int64_t top = (to.height - inner.height) / 2, left = (to.width - inner.width) / 2;
  for (int64_t y = 0; y < inner.height; ++y) {
    std::copy_n(small.data.begin() + y * inner.width * channels, inner.width * channels,
                out.data.begin() + ((y + top) * to.width + left) * channels);
  }
  p.left = static_cast<double>(left);
  p.top = static_cast<double>(top);
  p.scale_x = static_cast<double>(p.width) / static_cast<double>(inner.width);
  p.scale_y = static_cast<double>(p.height) / static_cast<double>(inner.height);
  return out;
}

// The middle of the picture, whose short side is 256 for 224 pixels of the network.
Result<Tensor> cropped(const Tensor& picture, Size to, Prepared& p) {
  const double ratio = std::max(
      static_cast<double>(to.height * kCropWhole) / static_cast<double>(kCropPart * p.height),
      static_cast<double>(to.width * kCropWhole) / static_cast<double>(kCropPart * p.width));
  const auto scaled = [ratio](int64_t v, int64_t least) {
    return std::max(least, static_cast<int64_t>(std::llround(static_cast<double>(v) * ratio)));
  };
  const Size whole{scaled(p.height, to.height), scaled(p.width, to.width)};
  EDGETWIN_TRY_ASSIGN(const Tensor big, smooth(picture, whole.height, whole.width));
  const int64_t channels = picture.shape[2];
  EDGETWIN_TRY_ASSIGN(Tensor out, Tensor::zeros(DType::uint8, {to.height, to.width, channels}));
  const int64_t top = (whole.height - to.height) / 2, left = (whole.width - to.width) / 2;
  for (int64_t y = 0; y < to.height; ++y) {
    std::copy_n(big.data.begin() + ((y + top) * whole.width + left) * channels, to.width * channels,
                out.data.begin() + y * to.width * channels);
  }
  p.left = -static_cast<double>(left);
  p.top = -static_cast<double>(top);
  p.scale_x = static_cast<double>(p.width) / static_cast<double>(whole.width);
  p.scale_y = static_cast<double>(p.height) / static_cast<double>(whole.height);
  return out;
}

// The pixels as they are, where exec::picture_input would take each of them: uint8 is the pixel,
// int8 the pixel minus 128.
bool is_same_pixels(const Tensor& picture, const Port& port) {
  const bool affine = port.quant.scheme == Quant::Scheme::affine;
  const bool bytes = port.dtype == DType::uint8 || port.dtype == DType::int8;
  if (!affine || !bytes || port.planes_first || port.shape.rank() != 4 || port.shape[0] != 1) {
    return false;
  }
  for (int d = 0; d < 3; ++d) {
    if (port.shape[d + 1] != picture.shape[d]) return false;
  }
  return true;
}

// Pixels minus 128: the highest bit of each byte, eight at a time.
void flip_signs(std::span<std::byte> bytes) {
  constexpr uint64_t kSigns = 0x8080808080808080;
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= bytes.size(); i += sizeof(uint64_t)) {
    uint64_t eight = 0;
    std::memcpy(&eight, &bytes[i], sizeof eight);
    eight ^= kSigns;
    std::memcpy(&bytes[i], &eight, sizeof eight);
  }
  for (; i < bytes.size(); ++i) bytes[i] ^= std::byte{0x80};
}

void take_pixels(const Tensor& picture, const Port& port, std::vector<Tensor>& tensors) {
  const bool again = tensors.size() == 1 && tensors[0].data.size() == picture.data.size() &&
                     tensors[0].dtype == port.dtype && tensors[0].shape == port.shape;
  if (!again) {
    Tensor t;
    t.name = port.name;
    t.dtype = port.dtype;
    t.shape = port.shape;
    t.quant = port.quant;
    t.data.resize(picture.data.size());
    tensors.assign(1, std::move(t));
  }
  std::memcpy(tensors[0].data.data(), picture.data.data(), picture.data.size());
  if (port.dtype == DType::int8) flip_signs(tensors[0].data);
}

// Bytes that are pixels (int8: minus 128) as the integers that stand for (pixel - mean) / std.
Status rescale(const Port& port, numerics::Rounding rounding, const Preparation& how, Tensor& t) {
  const bool is_signed = t.dtype == DType::int8;
  const int low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
  const bool planes = is_planes(port);
  const int64_t channels = planes ? t.shape[0] : t.shape[t.shape.rank() - 1];
  const int64_t inner = planes ? t.shape.elements(1, t.shape.rank()) : 1;
  if (!how.scale.fits(channels)) {
    return Error(ErrorCode::usage,
                 "--mean and --std have one number or one per channel, of which "
                 "the input has " +
                     std::to_string(channels));
  }
  const bool affine = port.quant.scheme == Quant::Scheme::affine && port.quant.present();
  const double zero = affine ? static_cast<double>(port.quant.zero_point_of(0)) : 0.0;
  const bool away = affine && rounding == numerics::Rounding::half_away;
  std::vector<std::byte> table(static_cast<size_t>(channels) * 256);
  for (int64_t c = 0; c < channels; ++c) {
    for (int pixel = 0; pixel < 256; ++pixel) {
      const double x =
          static_cast<double>(how.scale.apply(static_cast<float>(pixel), c)) / *how.step;
      const double q = std::clamp((away ? std::round(x) : std::nearbyint(x)) + zero,
                                  static_cast<double>(low), static_cast<double>(high));
      table[static_cast<size_t>(c * 256 + pixel)] = static_cast<std::byte>(static_cast<int>(q));
    }
  }
  for (size_t i = 0; i < t.data.size(); ++i) {
    const auto c = static_cast<int64_t>(i) / inner % channels;
    const int pixel = std::to_integer<int>(is_signed ? t.data[i] ^ std::byte{0x80} : t.data[i]);
    t.data[i] = table[static_cast<size_t>(c * 256 + pixel)];
  }
  return Ok{};
}

Status prepare_picture(const Tensor& picture, const Port& port, numerics::Rounding rounding,
                       const Preparation& how, Prepared& p) {
  p.height = picture.shape[0];
  p.width = picture.shape[1];
  Resize resize = Resize::nearest;
  Tensor fitted;
  const Tensor* from = &picture;
  if (how.fit == Fit::letterbox || how.fit == Fit::crop) {
    EDGETWIN_TRY_ASSIGN(const Size to, picture_size_of(port));
    EDGETWIN_TRY_ASSIGN(
        fitted, how.fit == Fit::crop ? cropped(picture, to, p) : letterboxed(picture, to, p));
    from = &fitted;
  } else {
    resize = static_cast<Resize>(how.fit);
  }
  if (is_same_pixels(*from, port)) {
    take_pixels(*from, port, p.inputs.tensors);
  } else {
    p.inputs.tensors.clear();
    const PictureScale scale = how.step ? PictureScale{} : how.scale;
    EDGETWIN_TRY_ASSIGN(Tensor tensor, picture_for(port, *from, scale, resize, rounding));
    p.inputs.tensors.push_back(std::move(tensor));
  }
  if (how.step) EDGETWIN_TRY(rescale(port, rounding, how, p.inputs.tensors.back()));
  if (how.keep_picture) p.inputs.picture = *from;
  return Ok{};
}

Status prepare_espdl(const Tensor& picture, const Port& port, const espdl_image::Params& params,
                     Prepared& p) {
  p.height = picture.shape[0];
  p.width = picture.shape[1];
  p.inputs.picture = picture;
  EDGETWIN_TRY_ASSIGN(espdl_image::Preprocessed made, espdl_image::preprocess(picture, params));
  if (made.tensor.dtype != port.dtype || made.tensor.shape.elements() != port.shape.elements()) {
    return Error(ErrorCode::input_shape, "the pipeline gives " + to_string(made.tensor.shape) +
                                             " " + std::string(name(made.tensor.dtype)) +
                                             ", the input is " + to_string(port.shape) + " " +
                                             std::string(name(port.dtype)));
  }
  made.tensor.shape = port.shape;
  made.tensor.quant = port.quant;
  p.inputs.tensors.push_back(std::move(made.tensor));
  return Ok{};
}

Status prepare_array(const Tensor& given, const Port& port, numerics::Rounding rounding,
                     Prepared& p) {
  Tensor array = given;
  // Vectors have no shape of their own.
  if (array.shape.elements() == port.shape.elements()) array.shape = port.shape;
  EDGETWIN_TRY_ASSIGN(Tensor tensor,
                      exec::convert_input(array, value_of(port), port.shape, rounding));
  p.inputs.tensors.push_back(std::move(tensor));
  return Ok{};
}

Status prepare_sound(const Tensor& sound, const Port& port, numerics::Rounding rounding,
                     Prepared& p) {
  const int64_t samples = sound.shape[0];
  if (signals::is_waveform(port.shape) && port.dtype == DType::int8) {
    EDGETWIN_TRY_ASSIGN(Tensor tensor, Tensor::zeros(port.dtype, port.shape));
    tensor.quant = port.quant;
    const auto first = std::min<size_t>(signals::kWaveformSamples, static_cast<size_t>(samples));
    signals::fill_waveform(sound.as<float>().first(first), tensor);
    p.inputs.tensors.push_back(std::move(tensor));
    return Ok{};
  }
  if (samples == port.shape.elements()) return prepare_array(sound, port, rounding, p);
  return Error(ErrorCode::input_shape, "the sound has " + std::to_string(samples) +
                                           " samples, the input " + to_string(port.shape) +
                                           " is neither so many nor a waveform of 128x128");
}

void describe_input(const Port& port, const std::string& numerics, const Preparation& how,
                    Prepared& p) {
  if (const auto size = picture_size_of(port); size.ok()) {
    p.input_height = size->height;
    p.input_width = size->width;
  }
  p.letterboxed = how.espdl ? how.espdl->letterbox : how.fit == Fit::letterbox;
  p.chip = how.espdl ? how.espdl->chip : espdl_image::Chip::c;
  if (how.espdl) return;
  if (numerics.find("s3") != std::string::npos) p.chip = espdl_image::Chip::esp32s3;
  if (numerics.find("p4") != std::string::npos) p.chip = espdl_image::Chip::esp32p4;
}

}  // namespace

std::string_view name(Fit fit) { return kFits[static_cast<size_t>(fit)]; }

std::optional<Fit> find_fit(std::string_view name) {
  const auto* found = std::ranges::find(kFits, name);
  if (found == std::end(kFits)) return std::nullopt;
  return static_cast<Fit>(found - std::begin(kFits));
}

Status prepare(const evaluation::Loaded& sample, const Runner& runner, const Preparation& how,
               Prepared& p) {
  p.scale_x = p.scale_y = 1.0;
  p.left = p.top = 0.0;
  p.height = p.width = 0;
  if (!sample.picture || how.espdl) p.inputs.tensors.clear();
  const Port& port = runner.inputs()[0];
  const numerics::Rounding rounding = rounding_of(runner.numerics());
  if (sample.picture) describe_input(port, runner.numerics(), how, p);
  if (sample.sound) {
    EDGETWIN_TRY(prepare_sound(sample.tensor, port, rounding, p));
  } else if (!sample.picture) {
    EDGETWIN_TRY(prepare_array(sample.tensor, port, rounding, p));
  } else if (how.espdl) {
    EDGETWIN_TRY(prepare_espdl(sample.tensor, port, *how.espdl, p));
  } else {
    EDGETWIN_TRY(prepare_picture(sample.tensor, port, rounding, how, p));
  }
  return Ok{};
}

}  // namespace edgetwin::twin
