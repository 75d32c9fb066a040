#include "decode/espdl/decode.h"

#include <filesystem>

#include "base/file.h"
#include "cli/decode/arguments.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/text.h"
#include "decode/espdl/draw.h"
#include "edgetwin/decode.h"
#include "image/image.h"
#include "report/format.h"
#include "report/trace_io.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

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

Result<std::vector<std::string>> names_for(const DecodeArguments& a) {
  if (a.labels.empty()) return std::vector<std::string>{};
  if (a.decoder == "espdl-ocr-rec") return read_dictionary(a.labels);
  return read_labels(a.labels);
}

Result<espdl_decode::Decoded> decoded_by(const DecodeArguments& a,
                                         const espdl_decode::Params& params) {
  if (espdl_decode::takes_files(a.decoder)) {
    if (!a.outputs.empty()) {
      return Error(ErrorCode::usage, a.decoder +
                                         " reads the files that --params names; --outputs "
                                         "has no effect")
          .with_hint("Leave out --outputs.");
    }
    const std::filesystem::path beside = std::filesystem::path(a.params).parent_path();
    const auto load = [&beside](const std::string& name) -> Result<Tensor> {
      const std::filesystem::path file = beside / name;
      EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
      if (looks_like_image(data)) return decode_image(data, file.string());
      return read_npy(data, file.string());
    };
    return espdl_decode::decode_files(a.decoder, params, load);
  }
  if (a.outputs.empty()) {
    return Error(ErrorCode::usage,
                 a.decoder + " needs --outputs: the folder of a network's outputs")
        .with_hint("Make it with edgetwin run MODEL -i INPUT -o DIR.");
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> outputs, report::read_outputs(a.outputs));
  EDGETWIN_TRY_ASSIGN(std::vector<std::string> names, names_for(a));
  return espdl_decode::decode(a.decoder, outputs, params, std::move(names));
}

std::string box_text(const espdl_decode::Decoded& decoded) {
  using report::TextTable;
  TextTable table({{"score", TextTable::Align::right},
                   {"left", TextTable::Align::right},
                   {"top", TextTable::Align::right},
                   {"right", TextTable::Align::right},
                   {"bottom", TextTable::Align::right},
                   {"class"}});
  for (const espdl_decode::Detection& d : *decoded.detections) {
    table.add({report::real_text(d.score), std::to_string(d.box[0]), std::to_string(d.box[1]),
               std::to_string(d.box[2]), std::to_string(d.box[3]), decoded.name_of(d.category)});
  }
  const size_t count = decoded.detections->size();
  const std::string head = std::to_string(count) + (count == 1 ? " box\n" : " boxes\n");
  return count == 0 ? head : head + table.text();
}

std::string text_of(const espdl_decode::Decoded& decoded) {
  std::string text;
  if (decoded.detections) text += box_text(decoded);
  for (const auto& c : decoded.classes.value_or(std::vector<espdl_decode::ClassScore>{})) {
    text += report::real_text(c.score) + "  " + decoded.name_of(c.category) + "\n";
  }
  for (const auto& b : decoded.boxes.value_or(std::vector<espdl_decode::TextBox>{})) {
    text += report::real_text(b.score) + " ";
    for (const int v : b.points) text += " " + std::to_string(v);
    text += "\n";
  }
  for (const auto& m : decoded.matches.value_or(std::vector<espdl_decode::Match>{})) {
    text += report::real_text(m.similarity) + "  id " + std::to_string(m.id) + "\n";
  }
  if (decoded.text) {
    text += report::real_text(decoded.text->score) + "  " + decoded.text_of(*decoded.text) + "\n";
  }
  if (decoded.moving_points) text += std::to_string(*decoded.moving_points) + " moving points\n";
  for (const Tensor& t : decoded.arrays) {
    text += t.name + "  " + to_string(t.shape) + " " + std::string(name(t.dtype)) + "\n";
  }
  return text;
}

Result<Bytes> drawn(const DecodeArguments& a, const espdl_decode::Decoded& decoded) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.picture));
  EDGETWIN_TRY_ASSIGN(const Tensor picture, decode_image(data, a.picture));
  EDGETWIN_TRY_ASSIGN(const Tensor result, espdl_decode::draw(picture, decoded));
  return encode_png(result);
}

}  // namespace

Result<int> execute(const DecodeArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.draw.check());
  if (!a.picture.empty() && a.draw.empty()) {
    return Error(ErrorCode::usage, "--input is the picture that --image draws on, which is missing")
        .with_hint("Add --image FILE, or leave --input out.");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(a.params));
  EDGETWIN_TRY_ASSIGN(const espdl_decode::Params params,
                      espdl_decode::read_params(as_text(text), a.params));
  EDGETWIN_TRY_ASSIGN(const espdl_decode::Decoded decoded, decoded_by(a, params));
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  const Json document = espdl_decode::result_json(decoded);
  EDGETWIN_TRY(folder.write("result.json", std::string_view(document.text())));
  for (const auto& [name, tensor] : espdl_decode::result_arrays(decoded)) {
    EDGETWIN_TRY_ASSIGN(const Bytes npy, write_npy(*tensor));
    EDGETWIN_TRY(folder.write(name + ".npy", npy));
  }
  if (!a.draw.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes png, drawn(a, decoded));
    EDGETWIN_TRY(a.draw.write(png));
  }
  EDGETWIN_TRY(folder.commit());
  console.print(text_of(decoded));
  for (const std::string& remark : decoded.remarks) console.note(remark);
  console.json().set("decoder", a.decoder).set("output", a.output.path).set("result", document);
  return kYes;
}

}  // namespace edgetwin::cli
