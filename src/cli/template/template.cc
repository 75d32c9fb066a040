#include "base/file.h"
#include "cli/shared/exit_codes.h"
#include "cli/template/arguments.h"
#include "formats/tflite/tflite.h"
#include "report/format.h"
#include "robotics/sidecar.h"
#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::cli {
namespace {

Error of_option(Error error) {
  if (!error.place.field.empty() && error.place.field != "KIND") {
    error.place.field = "--" + error.place.field;
  }
  return error;
}

}  // namespace

Result<int> execute(const TemplateArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.metadata.check());
  const std::vector<std::pair<std::string, std::string>> words(a.values.begin(), a.values.end());
  auto made = edgetpu::templates::build(a.kind, words);
  if (!made.ok()) return of_option(std::move(made).error());
  EDGETWIN_TRY_ASSIGN(const Bytes file, tflite::write(made->model));
  const robotics::Sidecar sidecar(made->metadata);
  EDGETWIN_TRY(a.output.write(ByteSpan(file)));
  if (!a.metadata.empty()) EDGETWIN_TRY(a.metadata.write(sidecar.text()));
  console.print(a.output.path + ": " + report::bytes_text(static_cast<int64_t>(file.size())) +
                "\n");
  console.json().set("output", a.output.path).set("metadata", sidecar.json());
  return kYes;
}

}  // namespace edgetwin::cli
