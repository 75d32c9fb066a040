#include "base/file.h"
#include "cli/exit_codes.h"
#include "cli/overwrite.h"
#include "cli/template_verbs.h"
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

Result<int> template_verb(const TemplateArguments& a, Console& console) {
  EDGETWIN_TRY(check_output(a.output, overwrite(a.force)));
  if (!a.metadata.empty()) EDGETWIN_TRY(check_output(a.metadata, overwrite(a.force)));
  std::vector<std::pair<std::string, std::string>> words;
  const auto given = a.values.find(a.kind);
  if (given != a.values.end()) words.assign(given->second.begin(), given->second.end());
  auto made = edgetpu::templates::build(a.kind, words);
  if (!made.ok()) return of_option(std::move(made).error());
  EDGETWIN_TRY_ASSIGN(const Bytes file, tflite::write(made->model));
  const robotics::Sidecar sidecar(made->metadata);
  EDGETWIN_TRY(write_file(a.output, ByteSpan(file), overwrite(a.force)));
  if (!a.metadata.empty()) EDGETWIN_TRY(write_file(a.metadata, sidecar.text(), overwrite(a.force)));
  console.print(a.output + ": " + report::bytes_text(static_cast<int64_t>(file.size())) + "\n");
  console.json().set("output", a.output).set("metadata", sidecar.json());
  return kYes;
}

}  // namespace edgetwin::cli
