#include "cli/networks/device_findings.h"

#include "report/format.h"

namespace edgetwin::cli {

using report::Json;

void show_device_findings(twin::DeviceRun& run, Console& console) {
  Json list = Json::array();
  std::vector<Finding> findings = run.loaded.model->findings;
  for (const Finding& f : run.device->take_findings()) findings.push_back(f);
  for (const Finding& f : findings) {
    console.finding(f);
    list.push(report::to_json(f));
  }
  console.json().set("findings", std::move(list));
}

}  // namespace edgetwin::cli
