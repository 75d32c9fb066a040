#include "twin/verify/recordings.h"

#include "formats/darwinn/darwinn.h"
#include "twin/decompiled.h"

namespace edgetwin::twin {
namespace {

namespace silicon = edgetpu::silicon;

silicon::Options options_of(const RecordingsCheck& check) {
  silicon::Options o;
  o.folder = check.folder;
  o.models.assign(check.models.begin(), check.models.end());
  const std::filesystem::path beside = std::filesystem::path(check.folder) / ".." / "models";
  std::error_code ignored;
  if (std::filesystem::is_directory(beside, ignored)) o.models.push_back(beside);
  o.threads = check.threads;
  o.compiled_first = check.compiled_first;
  o.open_compiled = [](ByteSpan data, const std::string& file) -> Result<silicon::GraphPtr> {
    EDGETWIN_TRY_ASSIGN(const darwinn::File compiled, darwinn::read(data, file));
    auto single = silicon::single_layer(compiled);
    if (single.ok()) return single;
    EDGETWIN_TRY_ASSIGN(const LoadedModel network, load_decompiled(data, file));
    return network.graph();
  };
  if (check.numerics.empty()) return o;
  const bool device = check.numerics.starts_with("edgetpu");
  o.device = device ? check.numerics : "";
  o.processor = device ? "" : check.numerics;
  return o;
}

}  // namespace

Result<silicon::Report> verify_recordings(const RecordingsCheck& check,
                                          const ProgressSink& progress) {
  return silicon::verify(options_of(check), progress);
}

}  // namespace edgetwin::twin
