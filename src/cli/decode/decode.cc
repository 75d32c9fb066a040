#include "decode/espdl/decode.h"

#include <filesystem>

#include "base/file.h"
#include "cli/decode/arguments.h"
#include "cli/shared/exit_codes.h"
#include "decode/espdl/draw.h"
#include "edgetwin/vision.h"
#include "image/image.h"
#include "report/trace_io.h"
#include "tensor/npy.h"
#include "twin/vision/vision_text.h"

namespace edgetwin::cli {
namespace {

using report::Json;

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
  EDGETWIN_TRY_ASSIGN(std::vector<std::string> names, read_names(a.decoder, a.labels));
  return espdl_decode::decode(a.decoder, outputs, params, std::move(names));
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
  console.print(twin::to_text(decoded));
  for (const std::string& remark : decoded.remarks) console.note(remark);
  console.json().set("decoder", a.decoder).set("output", a.output.path).set("result", document);
  return kYes;
}

}  // namespace edgetwin::cli
