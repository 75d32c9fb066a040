#include "base/file.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/overwrite.h"
#include "cli/template/arguments.h"
#include "formats/tflite/tflite.h"
#include "modules/sidecar.h"
#include "report/format.h"
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
  EDGETWIN_TRY(check_output(a.output, overwrite(a.force)));
  if (!a.metadata.empty()) EDGETWIN_TRY(check_output(a.metadata, overwrite(a.force)));
  const std::vector<std::pair<std::string, std::string>> words(a.values.begin(), a.values.end());
  auto made = edgetpu::templates::build(a.kind, words);
  if (!made.ok()) return of_option(std::move(made).error());
  EDGETWIN_TRY_ASSIGN(const Bytes file, tflite::write(made->model));
  const modules::Sidecar sidecar(made->metadata);
  EDGETWIN_TRY(write_file(a.output, ByteSpan(file), overwrite(a.force)));
  if (!a.metadata.empty()) EDGETWIN_TRY(write_file(a.metadata, sidecar.text(), overwrite(a.force)));
  console.print(a.output + ": " + report::bytes_text(static_cast<int64_t>(file.size())) + "\n");
  console.json().set("output", a.output).set("metadata", sidecar.json());
  return kYes;
}

}  // namespace edgetwin::cli
