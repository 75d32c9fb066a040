#include "edgetwin/pack.h"
#include "base/file.h"
#include "cli/pack/arguments.h"
#include "cli/shared/console.h"
#include "cli/shared/exit_codes.h"

namespace edgetwin::cli {

Result<int> execute(const PackArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Package package, pack(a.files, {a.key, a.format, a.text}));
  EDGETWIN_TRY(a.output.write(package.bytes));
  for (const std::string& name : package.models) console.print("packed  " + name + "\n");
  console.print("wrote   " + a.output.path + ", " + std::to_string(package.bytes.size()) +
                " bytes\n");
  console.json().set("output", a.output.path).set("bytes", package.bytes.size());
  console.json().set("models", report::Json::list(package.models));
  return kYes;
}

Result<int> execute(const UnpackArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const std::vector<MadeFile> files, unpack(a.file, a.key));
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  report::Json names = report::Json::array();
  for (const MadeFile& f : files) {
    EDGETWIN_TRY(folder.write(f.path, f.bytes));
    console.print("wrote   " + f.path + ", " + std::to_string(f.bytes.size()) + " bytes\n");
    names.push(f.path);
  }
  EDGETWIN_TRY(folder.commit());
  console.json().set("output", a.output.path).set("models", std::move(names));
  return kYes;
}

}  // namespace edgetwin::cli
