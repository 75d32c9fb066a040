// Calibration data of the recorded float networks.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "golden/golden.h"
#include "graph/graph.h"
#include "quantize/espdl/quantize.h"

namespace edgetwin::golden {

// calib_<i>.npy holds four samples of input i, one after the other along the first axis.
inline std::vector<quantize::Sample> samples_of(const fs::path& folder, const Graph& graph) {
  std::vector<quantize::Sample> samples(4);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const auto all = load_npy(folder / ("calib_" + std::to_string(i) + ".npy"));
    EXPECT_TRUE(all.ok());
    const Shape& shape = graph.value(graph.inputs[i]).shape;
    const auto size = static_cast<std::ptrdiff_t>(shape.elements()) * 4;
    for (std::ptrdiff_t s = 0; s < 4; ++s) {
      Tensor t;
      t.dtype = DType::float32;
      t.shape = shape;
      t.data.assign(all->data.begin() + s * size, all->data.begin() + (s + 1) * size);
      samples[static_cast<size_t>(s)].push_back(std::move(t));
    }
  }
  return samples;
}

}  // namespace edgetwin::golden
