// The JSON files beside reference data.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden/golden.h"

namespace edgetwin::golden {

inline nlohmann::json load_json(const fs::path& path) {
  const auto data = read_file(path);
  EXPECT_TRUE(data.ok()) << path;
  return data.ok() ? nlohmann::json::parse(as_text(*data)) : nlohmann::json();
}

}  // namespace edgetwin::golden
