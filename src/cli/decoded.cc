#include "cli/decoded.h"

#include <algorithm>
#include <cmath>

#include "decode/draw.h"
#include "decode/yolo26.h"
#include "image/image.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

// The network's input as a picture again: real 0..1 becomes 0..255.
Result<Tensor> picture_of_input(const exec::Session& session, const Tensor& input) {
  const Shape& s = session.shape(session.graph().inputs[0]);
  if (s.rank() != 4 || s[0] != 1 || s[3] != 3) {
    return Error(ErrorCode::decode_maps,
                 "the input is " + to_string(s) + ", a picture 1xHxWx3 is needed");
  }
  EDGETWIN_TRY_ASSIGN(Tensor picture, Tensor::zeros(DType::uint8, {s[1], s[2], 3}));
  const float scale = input.quant.scale_of(0) * 255.0F;
  for (size_t i = 0; i < picture.data.size(); ++i) {
    const double q = element_as_double(input.dtype, input.data, static_cast<int64_t>(i));
    const double level = std::round(q * static_cast<double>(scale));
    picture.as<uint8_t>()[i] = static_cast<uint8_t>(std::clamp(level, 0.0, 255.0));
  }
  return picture;
}

}  // namespace

Result<Decoded> decode_outputs(const RunArguments& a, const exec::Session& session,
                               const LoadedInputs& inputs, const Labels& labels) {
  if (a.decode != "yolo26") {
    return Error(ErrorCode::usage, "there is no decoder '" + a.decode + "'")
        .with_hint("Known is yolo26.");
  }
  std::vector<Tensor> maps;
  for (size_t i = 0; i < session.graph().outputs.size(); ++i) maps.push_back(session.output(i));
  Tensor picture;
  if (inputs.picture) {
    picture = *inputs.picture;
  } else if (!inputs.tensors.empty()) {
    EDGETWIN_TRY_ASSIGN(picture,
                        picture_of_input(session, session.tensor(session.graph().inputs[0])));
  }
  const Shape& in = session.shape(session.graph().inputs[0]);
  decode::Yolo26Options options;
  options.threshold = a.threshold;
  options.input_height = in.rank() == 4 ? static_cast<int>(in[1]) : 0;
  options.input_width = in.rank() == 4 ? static_cast<int>(in[2]) : 0;
  options.picture_height = static_cast<int>(picture.shape[0]);
  options.picture_width = static_cast<int>(picture.shape[1]);
  options.names = labels;
  Decoded decoded;
  EDGETWIN_TRY_ASSIGN(decoded.boxes, decode::decode_yolo26(maps, options));
  if (a.picture.empty()) return decoded;
  decoded.png = a.picture;
  EDGETWIN_TRY_ASSIGN(const Tensor drawn, decode::draw_detections(picture, decoded.boxes));
  EDGETWIN_TRY_ASSIGN(decoded.picture, encode_png(drawn));
  return decoded;
}

report::Json to_json(const Decoded& decoded) {
  report::Json list = report::Json::array();
  for (const decode::Detection& d : decoded.boxes) {
    report::Json j = report::Json::object();
    j.set("class", d.class_index).set("name", d.name).set("score", d.score);
    j.set("box", report::Json::list(std::vector{d.x0, d.y0, d.x1, d.y1}));
    list.push(std::move(j));
  }
  return list;
}

std::string to_text(const Decoded& decoded) {
  using report::TextTable;
  TextTable table({{"score", TextTable::Align::right},
                   {"left", TextTable::Align::right},
                   {"top", TextTable::Align::right},
                   {"right", TextTable::Align::right},
                   {"bottom", TextTable::Align::right},
                   {"class"}});
  const auto number = [](double v) { return report::real_text(static_cast<float>(v)); };
  const auto pixel = [](double v) { return std::to_string(std::lround(v)); };
  for (const decode::Detection& d : decoded.boxes) {
    table.add({number(d.score), pixel(d.x0), pixel(d.y0), pixel(d.x1), pixel(d.y1), d.name});
  }
  const std::string count = std::to_string(decoded.boxes.size());
  return count + (decoded.boxes.size() == 1 ? " box\n" : " boxes\n") +
         (decoded.boxes.empty() ? "" : table.text());
}

}  // namespace edgetwin::cli
