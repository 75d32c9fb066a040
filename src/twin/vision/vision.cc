#include "edgetwin/vision.h"

#include "base/file.h"
#include "decode/espdl/decode.h"
#include "decode/espdl/draw.h"
#include "edgetwin/decode.h"
#include "image/image.h"
#include "tensor/npy.h"
#include "twin/vision/chain.h"
#include "twin/vision/vision_text.h"

namespace edgetwin {
namespace {

constexpr uint64_t kMaxDictionaryBytes = uint64_t{16} << 20;

// Lines as they are: an entry of a dictionary may be a blank, or a number.
Result<std::vector<std::string>> read_dictionary(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file, kMaxDictionaryBytes));
  std::string_view text = as_text(data);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Result<Vision> vision_of(espdl_decode::Decoded decoded, const Tensor* draw_on) {
  Vision v;
  v.json = espdl_decode::result_json(decoded).text();
  v.text = twin::to_text(decoded);
  for (const auto& [name, tensor] : espdl_decode::result_arrays(decoded)) {
    Tensor copy = *tensor;
    copy.name = name;
    v.arrays.push_back(std::move(copy));
  }
  for (const std::string& remark : decoded.remarks) {
    v.findings.push_back({Severity::note, "", {}, remark, ""});
  }
  if (draw_on == nullptr) return v;
  EDGETWIN_TRY_ASSIGN(const Tensor drawn, espdl_decode::draw(*draw_on, decoded));
  EDGETWIN_TRY_ASSIGN(v.picture, encode_png(drawn));
  return v;
}

}  // namespace

Result<Vision> see_pixels(const Tensor& pixels, const VisionOptions& options) {
  if (options.stages.empty()) return Error(ErrorCode::usage, "no network was given");
  if (pixels.dtype != DType::uint8 || pixels.shape.rank() != 3 || pixels.data.empty()) {
    return Error(ErrorCode::input_shape, "pixels are uint8 of rows, columns and bytes; this is " +
                                             to_string(pixels.shape) + " " +
                                             std::string(name(pixels.dtype)));
  }
  EDGETWIN_TRY_ASSIGN(std::vector<twin::Stage> stages, twin::open_stages(options));
  EDGETWIN_TRY_ASSIGN(twin::Seen seen, twin::run_stages(stages, pixels));
  EDGETWIN_TRY_ASSIGN(Vision v,
                      vision_of(std::move(seen.decoded), options.draw ? &pixels : nullptr));
  v.runs = std::move(seen.runs);
  v.findings.insert(v.findings.begin(), seen.findings.begin(), seen.findings.end());
  return v;
}

Result<Vision> see_picture(const std::string& picture, const VisionOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(picture));
  auto pixels = looks_like_image(data) ? decode_image(data, picture) : read_npy(data, picture);
  if (!pixels.ok()) return std::move(pixels).error();
  auto seen = see_pixels(*pixels, options);
  if (!seen.ok() && seen.error().place.empty()) return std::move(seen).error().in_file(picture);
  return seen;
}

Result<Vision> decode_espdl(const std::string& decoder, const std::vector<Tensor>& outputs,
                            const std::string& params, const std::vector<std::string>& names) {
  EDGETWIN_TRY_ASSIGN(const espdl_decode::Params read,
                      espdl_decode::read_params(params, "parameters"));
  EDGETWIN_TRY_ASSIGN(espdl_decode::Decoded decoded,
                      espdl_decode::decode(decoder, outputs, read, names));
  return vision_of(std::move(decoded), nullptr);
}

Result<std::vector<std::string>> read_names(const std::string& decoder, const std::string& file) {
  if (file.empty()) return std::vector<std::string>{};
  return decoder == "espdl-ocr-rec" ? read_dictionary(file) : read_labels(file);
}

std::vector<std::string> decoders_of_pair(const std::string& name) {
  if (name == "espdl-face") return {"espdl-msr", "espdl-mnp"};
  if (name == "espdl-ocr") return {"espdl-ocr-det", "espdl-ocr-rec"};
  return {name};
}

std::vector<std::string> vision_decoders() {
  std::vector<std::string> names = espdl_decode::decoder_names();
  std::erase_if(names, [](const std::string& n) { return espdl_decode::takes_files(n); });
  names.insert(names.end(), {"espdl-face", "espdl-ocr"});
  return names;
}

}  // namespace edgetwin
