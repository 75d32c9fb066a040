#include "base/file.h"
#include "cli/firmware/arguments.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/vision.h"
#include "report/json.h"
#include "twin/firmware/espdl_firmware.h"

namespace edgetwin::cli {
namespace {

std::string decoder_list() {
  std::string names;
  for (const std::string& n : firmware_decoders()) names += (names.empty() ? "" : ", ") + n;
  return names;
}

Status add_picture(const FirmwareArguments& a, twin::FirmwareParts& parts) {
  if (a.picture.empty()) return Ok{};
  if (!a.inputs.empty() || a.lut) {
    return Error(ErrorCode::usage,
                 "--input and --lut change nothing with --with-picture: the picture "
                 "is the input")
        .with_hint("Leave them out, or write a second application.");
  }
  if (a.decode.empty()) {
    return Error(ErrorCode::usage, "--with-picture needs --decode, what reads the model's outputs")
        .with_hint("Name one with --decode: " + decoder_list() +
                   "; espdl-face and espdl-ocr stand for two models each.");
  }
  parts.picture = a.picture;
  parts.decoders = decoders_of_pair(a.decode);
  parts.decoders.insert(parts.decoders.end(), a.then_decode.begin(), a.then_decode.end());
  parts.labels = a.labels;
  if (a.params.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(a.params));
  parts.params = as_text(text);
  return Ok{};
}

}  // namespace

Result<int> execute(const FirmwareArguments& a, Console& console) {
  twin::FirmwareParts parts;
  parts.models = a.models;
  parts.inputs = a.inputs;
  parts.compute = a.compute;
  parts.partition = a.place == "partition";
  parts.lut_sweeps = a.lut;
  EDGETWIN_TRY(add_picture(a, parts));
  std::vector<Finding> findings;
  const Result<Firmware> made = twin::make_firmware(parts, findings);
  for (const Finding& f : findings) console.finding(f);
  if (!made.ok()) return made.error();
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  report::Json names = report::Json::array();
  for (const MadeFile& f : made->files) {
    EDGETWIN_TRY(folder.write(f.path, f.bytes));
    names.push(f.path);
  }
  EDGETWIN_TRY(folder.commit());
  const std::string target(made->target->name);
  console.print("wrote " + a.output.path + ": " + std::to_string(made->files.size()) + " files, " +
                std::to_string(made->checks) + (made->checks == 1 ? " check" : " checks") +
                " for " + target + " with esp-dl " + a.compute.runtime + "\n" +
                "build and flash:  cd " + a.output.path + " && idf.py set-target " + target +
                " && idf.py build flash monitor | tee device.log\n" +
                "read it back:     edgetwin verify --log device.log\n");
  console.json().set("output", a.output.path).set("target", target);
  console.json().set("checks", made->checks).set("files", std::move(names));
  return kYes;
}

}  // namespace edgetwin::cli
