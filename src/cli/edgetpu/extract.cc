// `extract`: the programs and parameters of a compiled model as files.
#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/edgetpu.h"
#include "report/format.h"

namespace edgetwin::cli {

Result<int> execute(const ExtractArguments& a, Console& console) {
  using report::Json;
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.file));
  EDGETWIN_TRY_ASSIGN(const std::vector<ExtractedPart> parts, extract_parts(data, a.file));
  report::TextTable table({{"file"}, {"bytes", report::TextTable::Align::right}, {"what"}});
  Json list = Json::array();
  for (const ExtractedPart& p : parts) {
    EDGETWIN_TRY(folder.write(p.file.path, p.file.bytes));
    table.add({p.file.path, std::to_string(p.file.bytes.size()), p.what});
    Json j = Json::object();
    list.push(j.set("file", p.file.path).set("bytes", p.file.bytes.size()).set("what", p.what));
  }
  EDGETWIN_TRY(folder.commit());
  console.print(table.text());
  console.json().set("files", std::move(list)).set("output", a.output.path);
  return kYes;
}

}  // namespace edgetwin::cli
