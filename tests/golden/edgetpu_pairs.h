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

struct EdgetpuPair {
  fs::path compiled, source;
};

// Every compiled model whose source is there, by name; those compiled together are named after it.
inline std::vector<EdgetpuPair> edgetpu_pairs() {
  std::vector<EdgetpuPair> all;
  for (const auto& entry : fs::recursive_directory_iterator(edgetpu_models())) {
    const std::string name = entry.path().filename().string();
    const std::string ending = "_edgetpu.tflite";
    if (!name.ends_with(ending)) continue;
    std::string stem = name.substr(0, name.size() - ending.size());
    fs::path folder = entry.path().parent_path();
    if (const size_t at = stem.find("_cocompiled"); at != std::string::npos) {
      stem = stem.substr(0, at);
      folder = folder.parent_path();
    }
    if (fs::exists(folder / (stem + ".tflite"))) {
      all.push_back({entry.path(), folder / (stem + ".tflite")});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const EdgetpuPair& a, const EdgetpuPair& b) { return a.compiled < b.compiled; });
  return all;
}

}  // namespace edgetwin::golden
