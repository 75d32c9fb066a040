#include "twin/max78_sample.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "base/file.h"
#include "formats/ai8x/sample.h"
#include "formats/recordings/recording.h"
#include "tensor/npy.h"
#include "twin/load.h"
#include "twin/values.h"

namespace edgetwin::twin {
namespace {

bool is_wav(ByteSpan data) {
  const std::string_view text = as_text(data);
  return text.size() >= 12 && text.starts_with("RIFF") && text.substr(8, 4) == "WAVE";
}

std::string shape_text(const max78::SampleShape& s) {
  return std::to_string(s.c) + "x" + std::to_string(s.h) + "x" + std::to_string(s.w);
}

// The size that description and parameters state, or --input-shape; of a picture else its own.
Result<max78::SampleShape> wanted_shape(max78::NetworkSources sources) {
  if (sources.shape) return *sources.shape;
  const std::string file = sources.sample.name();
  sources.sample = {};
  const max78::Loading loading = max78::load_network(sources, max78::SampleNeed::size_only);
  if (loading.failure) return *loading.failure;
  if (!loading.shape) {
    return Error(ErrorCode::input_missing,
                 "the size of the network's input is not known before its errors are corrected")
        .in_file(file)
        .with_hint("Add --input-shape CxHxW, or correct them: `check` lists them.");
  }
  return *loading.shape;
}

Result<Tensor> of_picture(const Tensor& picture, const std::string& file,
                          const max78::SampleShape& shape) {
  Port port;
  port.name = "input";
  port.dtype = DType::int8;
  port.shape = Shape{shape.c, shape.h, shape.w};
  port.planes_first = true;
  auto made = picture_for(port, picture, {}, Resize::nearest, numerics::Rounding::half_away);
  if (made.ok() || !made.error().place.file.empty()) return made;
  Error error = std::move(made).error();
  error.place.file = file;
  return error;
}

Result<Tensor> of_sound(ByteSpan data, const std::string& file, const max78::SampleShape& shape,
                        std::optional<Finding>& note) {
  EDGETWIN_TRY_ASSIGN(const recordings::Recording sound, recordings::read_wav(data, file));
  Tensor t;
  t.dtype = DType::int8;
  t.shape = {shape.c, shape.h, shape.w};
  const int64_t count = t.shape.elements(), pixels = count / shape.c;
  std::vector<std::complex<float>> values(static_cast<size_t>(count));
  EDGETWIN_TRY_ASSIGN(const size_t have, sound.read(0, values));
  if (have == 0) {
    return Error(ErrorCode::ai8x_sample, "the recording has no samples").in_file(file);
  }
  t.data.resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const double x = i < static_cast<int64_t>(have) ? values[static_cast<size_t>(i)].real() : 0.0;
    const double q = std::clamp(std::nearbyint(128 * x), -128.0, 127.0);
    t.data[static_cast<size_t>(i % shape.c * pixels + i / shape.c)] =
        static_cast<std::byte>(static_cast<int8_t>(q));
  }
  const auto total = static_cast<int64_t>(sound.samples());
  if (total == count) return t;
  note = Finding{.severity = Severity::warning,
                 .id = "",
                 .place = Place(),
                 .message = "the recording has " + std::to_string(total) + " samples, the input " +
                            std::to_string(count) + ": " +
                            (total > count ? "the first ones are taken" : "the rest is 0"),
                 .hint = ""};
  note->place.file = file;
  return t;
}

// "rgb565:frame.npy": what a camera sends, as an .npy of its bytes or as a picture.
struct CameraSample {
  const max78::FramePixel* pixel = nullptr;
  std::string file;
};
CameraSample camera_sample(const std::string& word) {
  const size_t colon = word.find(':');
  if (colon == std::string::npos) return {};
  return {max78::find_frame_pixel(word.substr(0, colon)), word.substr(colon + 1)};
}

Result<Tensor> read_frame(const CameraSample& camera) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(camera.file));
  if (sniff(data) != FileKind::image) return read_npy(data, camera.file);
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> pictures,
                      load_tensors(FileKind::image, data, camera.file));
  return max78::frame_bytes(pictures.at(0), *camera.pixel);
}

Status of_camera(const CameraSample& camera, max78::NetworkSources& sources,
                 std::optional<Finding>& note) {
  const auto placed = [&](Error error) {
    if (error.place.file.empty()) error.place.file = camera.file;
    return error;
  };
  auto bytes = read_frame(camera);
  if (!bytes.ok()) return placed(std::move(bytes).error());
  if (bytes->shape.rank() > 1) {
    sources.picture = {static_cast<int>(bytes->shape[0]), static_cast<int>(bytes->shape[1])};
  }
  EDGETWIN_TRY_ASSIGN(max78::SampleShape shape, wanted_shape(sources));
  // Where nothing states the size, it is the frame's: rows and columns go into channels.
  if (!sources.shape && bytes->shape.rank() > 1 && shape.h == bytes->shape[0] &&
      shape.w == bytes->shape[1]) {
    for (const int fold : {2, 4, 8}) {
      if (shape.c != camera.pixel->colours * fold * fold) continue;
      shape.h /= fold;
      shape.w /= fold;
      break;
    }
  }
  auto frame = max78::fit_frame(*camera.pixel, std::move(*bytes), shape);
  if (!frame.ok()) return placed(std::move(frame).error());
  note = Finding{.severity = Severity::note,
                 .id = "",
                 .place = Place(),
                 .message = "the input is " + max78::fit_text(*frame, shape) + " of " +
                            std::string(camera.pixel->name),
                 .hint = ""};
  note->place.file = camera.file;
  EDGETWIN_TRY_ASSIGN(Bytes npy, write_npy(max78::sample_of(*frame, shape)));
  sources.sample = max78::Source::bytes(camera.file, std::move(npy));
  sources.frame = std::move(*frame);
  return Ok{};
}

}  // namespace

Status read_max78_sample(max78::NetworkSources& sources, std::optional<Finding>& note) {
  const std::string file = sources.sample.name();
  if (file.empty() || file.starts_with("xs32:")) return Ok{};
  const CameraSample camera = camera_sample(file);
  if (camera.pixel != nullptr) return of_camera(camera, sources, note);
  EDGETWIN_TRY_ASSIGN(const Bytes data, sources.sample.read());
  const FileKind kind = sniff(data);
  if (kind != FileKind::image && !is_wav(data)) {
    if (!sources.shape) return Ok{};
    EDGETWIN_TRY_ASSIGN(const Tensor t, ai8x::read_sample(data, file));
    const auto& s = *sources.shape;
    if (t.shape == Shape{s.c, s.h, s.w}) return Ok{};
    return Error(ErrorCode::usage,
                 "--input-shape says " + shape_text(s) + ", the sample has " + to_string(t.shape))
        .in_file(file)
        .with_hint("Leave --input-shape out: the sample has a size of its own.");
  }
  std::vector<Tensor> pictures;
  if (kind == FileKind::image) {
    EDGETWIN_TRY_ASSIGN(pictures, load_tensors(kind, data, file));
    const Shape& size = pictures.at(0).shape;  // rows, columns, colours
    sources.picture = {static_cast<int>(size[0]), static_cast<int>(size[1])};
  }
  EDGETWIN_TRY_ASSIGN(const max78::SampleShape shape, wanted_shape(sources));
  EDGETWIN_TRY_ASSIGN(const Tensor sample, pictures.empty() ? of_sound(data, file, shape, note)
                                                            : of_picture(pictures[0], file, shape));
  EDGETWIN_TRY_ASSIGN(Bytes npy, write_npy(sample));
  sources.sample = max78::Source::bytes(file, std::move(npy));
  return Ok{};
}

}  // namespace edgetwin::twin
