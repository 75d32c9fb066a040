#include "base/file.h"
#include "cli/firmware/arguments.h"
#include "cli/shared/exit_codes.h"
#include "report/json.h"
#include "twin/make/espdl_firmware.h"

namespace edgetwin::cli {

Result<int> execute(const FirmwareArguments& a, Console& console) {
  twin::FirmwareParts parts;
  parts.models = a.models;
  parts.inputs = a.inputs;
  parts.compute = a.compute;
  parts.partition = a.place == "partition";
  parts.lut_sweeps = a.lut;
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
