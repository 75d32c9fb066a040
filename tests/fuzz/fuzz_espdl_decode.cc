// Any parameters and any bytes as outputs, through every decoder: a result, or an error.
#include <cstdlib>
#include <cstring>

#include "decode/espdl/decode.h"
#include "decode/espdl/draw.h"
#include "decode/espdl/features/database.h"

namespace {

using namespace edgetwin;

// Tensors of the names and shapes that a decoder asks for, with the bytes in turn.
Tensor filled(const std::string& name, const Shape& shape, DType type,
              std::span<const uint8_t> from, size_t& at) {
  Tensor t = Tensor::zeros(type, shape).value();
  t.name = name;
  t.quant = Quant::power_of_two(-(from[at % from.size()] % 12));
  for (std::byte& b : t.data) b = static_cast<std::byte>(from[at++ % from.size()]);
  return t;
}

std::vector<Tensor> outputs_for(const std::string& decoder, std::span<const uint8_t> from) {
  std::vector<Tensor> outputs;
  size_t at = 0;
  const auto add = [&](const std::string& name, const Shape& shape) {
    const DType type = from[0] % 4 == 0 ? DType::int16 : DType::int8;
    outputs.push_back(filled(name, shape, type, from, at));
  };
  const bool pico = decoder == "espdl-pico", msr = decoder == "espdl-msr";
  if (decoder == "espdl-mnp") {
    add("score", {1, 1, 1, 2}), add("box", {1, 1, 1, 4}), add("landmark", {1, 1, 1, 10});
  } else if (decoder == "espdl-ocr-det") {
    add("map", {1, 24, 24, 1});
  } else if (decoder == "espdl-ocr-rec") {
    add("logits", {1, 6, 9});
  } else if (decoder == "espdl-yolo") {
    // Each form of heads in turn, of an input of 32 x 32.
    const int form = from[1] % 8, cells = 21;
    for (int i = 0; i < 3 && form < 4; ++i) {
      const int64_t side = 4 >> i;
      add("a" + std::to_string(i), {1, side, side, form == 0 ? 64 : form == 1 ? 255 : 84});
      if (form == 0) add("b" + std::to_string(i), {1, side, side, 5});
      if (form == 3) add("c" + std::to_string(i), {1, 3, side, side, 7});
    }
    if (form == 4) add("rows", {1, cells, 7});
    if (form == 5) add("rows", {1, 9, cells});
    if (form == 6) add("rows", {1, cells * 3, 8});
    if (form == 7) add("rows", {1, 5, 6});
  } else if (decoder == "espdl-imagenet" || decoder == "espdl-gesture" ||
             decoder == "espdl-feature") {
    add("output", {1, 11});
  } else {
    const int64_t channels = pico ? 32 : msr ? 8 : decoder == "espdl-espdet" ? 4 : 64;
    for (int i = 0; i < 3; ++i) {
      const std::string n = std::to_string(i);
      const int64_t side = 4 >> i;
      add((pico ? "bbox" : "box") + n, {1, side, side, channels});
      add("score" + n, {1, side, side, msr ? 2 : 3});
      add("kpt" + n, {1, side, side, 51});
      add("mc" + n, {1, side, side, 4});
      const std::string scale = "one2one_p" + std::to_string(i + 3);
      add(scale + "_box", {1, side, side, 4});
      add(scale + "_cls", {1, side, side, 3});
    }
    add("p", {1, 8, 8, 4});
  }
  return outputs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 40) return 0;
  const auto database = espdl_decode::read_database(std::as_bytes(std::span(data, size)), "fuzz");
  if (database.ok()) {
    const Bytes again = espdl_decode::write_database(*database);
    if (again.size() != size || std::memcmp(again.data(), data, size) != 0) std::abort();
    return 0;
  }
  const std::vector<std::string> names = espdl_decode::decoder_names();
  const std::string& decoder = names[data[0] % names.size()];
  const std::span<const uint8_t> bytes(data + 1, 32);
  const std::string_view text(reinterpret_cast<const char*>(data) + 33, size - 33);
  const auto params = espdl_decode::read_params(text, "fuzz");
  if (!params.ok()) return to_text(params.error()).empty();
  constexpr int kSide = 512;
  if (params->source && (params->source->width > kSide || params->source->height > kSide)) return 0;
  if (params->input && params->input->width * params->input->height > kSide * kSide) return 0;
  if (params->frames.value_or(0) > 8) return 0;
  const auto load = [&](const std::string& file) -> Result<Tensor> {
    size_t at = 0;
    if (decoder == "espdl-motion") return filled(file, {5, 6, 2}, DType::uint8, bytes, at);
    if (decoder == "espdl-color") return filled(file, {9, 12, 3}, DType::uint8, bytes, at);
    if (decoder == "espdl-fbank") return filled(file, {700}, DType::int16, bytes, at);
    return filled(file, {7}, DType::float32, bytes, at);
  };
  const auto decoded = espdl_decode::takes_files(decoder)
                           ? espdl_decode::decode_files(decoder, *params, load)
                           : espdl_decode::decode(decoder, outputs_for(decoder, bytes), *params);
  if (!decoded.ok()) return to_text(decoded.error()).empty();
  if (espdl_decode::result_json(*decoded).text().empty()) std::abort();
  const Tensor picture = Tensor::zeros(DType::uint8, {20, 30, 3}).value();
  if (!espdl_decode::draw(picture, *decoded).ok()) std::abort();
  return 0;
}
