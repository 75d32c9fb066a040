// The public compiled Edge TPU models, each with the model that it was made from.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "golden/golden.h"

namespace edgetwin::golden {

inline fs::path edgetpu_models() { return shared_data() / "edgetpu" / "models"; }

#define NEED_MODELS()                                             \
  if (!fs::exists(edgetpu_models())) {                            \
    GTEST_SKIP() << "no compiled models in EDGETWIN_SHARED_DATA"; \
  }

// Every compiled model below the folder, by name.
inline std::vector<fs::path> compiled_models(const fs::path& folder = edgetpu_models()) {
  std::vector<fs::path> all;
  if (shared_data().empty() || !fs::exists(folder)) return all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name.ends_with("_edgetpu.tflite")) all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

// Its heat maps were quantized anew before it was compiled: scale 0.0920 and zero point 178 in the
// compiled file, 0.0845 and 186 in the file beside it. All other layers are those of that file.
inline bool has_another_source(const std::string& name) {
  return name.starts_with("bodypix_mobilenet_v1_075_512_512_16_quant_decoder");
}

// net_edgetpu.tflite or net_cocompiled_with_x_edgetpu.tflite: net.tflite beside it or above.
inline fs::path source_of(const fs::path& compiled) {
  std::string name = compiled.filename().string();
  if (has_another_source(name)) return {};
  name.resize(std::min(name.find("_edgetpu"), name.find("_cocompiled")));
  for (const fs::path& folder : {compiled.parent_path(), compiled.parent_path().parent_path()}) {
    if (fs::exists(folder / (name + ".tflite"))) return folder / (name + ".tflite");
  }
  return {};
}

struct EdgetpuPair {
  fs::path compiled, source;
};

// Every compiled model whose source is there, by name.
inline std::vector<EdgetpuPair> edgetpu_pairs() {
  std::vector<EdgetpuPair> all;
  for (const fs::path& compiled : compiled_models()) {
    const fs::path source = source_of(compiled);
    if (!source.empty()) all.push_back({compiled, source});
  }
  return all;
}

}  // namespace edgetwin::golden
