#include "edgetwin/preprocess.h"
#include "base/sha256.h"
#include "cli/preprocess/arguments.h"
#include "cli/shared/console.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Json geometry_json(const PreparedPicture& made) {
  Json geometry = Json::object();
  for (const auto& [name, value] : made.geometry) geometry.set(name, value);
  return geometry;
}

}  // namespace

Result<int> execute(const PreprocessArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const PreparedPicture made,
                      preprocess_picture(a.picture, a.params, {a.model, a.key}));
  for (const Finding& f : made.findings) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const Bytes npy, write_npy(made.tensor));
  EDGETWIN_TRY(a.output.write(npy));
  const Tensor& t = made.tensor;
  const std::string sha = sha256_hex(t.data);
  const std::string quant = to_string(t.quant);
  console.print("input  " + to_string(t.shape) + " " + std::string(name(t.dtype)) +
                (quant.empty() ? "" : " " + quant) + "  sha256 " + sha.substr(0, 16) + "\n");
  for (const auto& [name, value] : made.geometry) {
    console.print(name + " " + report::real_text(static_cast<float>(value)) + "\n");
  }
  console.print("wrote  " + a.output.path + "\n");
  Json shape = Json::list(std::vector<int64_t>{t.shape[0], t.shape[1], t.shape[2]});
  console.json().set("output", a.output.path).set("shape", std::move(shape));
  console.json().set("type", name(t.dtype)).set("sha256", sha);
  console.json().set("geometry", geometry_json(made));
  return kYes;
}

}  // namespace edgetwin::cli
