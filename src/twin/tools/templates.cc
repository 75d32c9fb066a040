#include "edgetwin/templates.h"

#include "formats/tflite/tflite.h"
#include "robotics/sidecar.h"
#include "targets/edgetpu/templates/templates.h"

namespace edgetwin {

std::vector<TemplateInfo> all_templates() {
  std::vector<TemplateInfo> all;
  for (const edgetpu::templates::Kind& k : edgetpu::templates::kinds()) {
    TemplateInfo info{k.name, k.text, {}};
    for (const edgetpu::templates::Argument& a : k.arguments) info.arguments.push_back(a.name);
    all.push_back(std::move(info));
  }
  return all;
}

Result<MadeTemplate> make_template(std::string_view name, const TemplateWords& words) {
  EDGETWIN_TRY_ASSIGN(const auto made, edgetpu::templates::build(name, words));
  EDGETWIN_TRY_ASSIGN(Bytes file, tflite::write(made.model));
  return MadeTemplate{std::move(file), robotics::Sidecar(made.metadata).text()};
}

}  // namespace edgetwin
