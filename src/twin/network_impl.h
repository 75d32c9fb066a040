// What a Network holds: for the rooms of this project that need more than its public face.
#pragma once

#include <optional>
#include <string>

#include "edgetwin/network.h"
#include "twin/compute.h"
#include "twin/load.h"

namespace edgetwin {

struct Network::Impl {
  std::string file, sha256;
  FileKind kind = FileKind::unknown;
  const Target* target = nullptr;
  std::string target_why, numerics;
  std::vector<Finding> findings;
  Bytes data;
  OpenOptions options;
  // Every kind but networks and programs of the MAX7800x.
  std::optional<twin::LoadedModel> loaded;
};

}  // namespace edgetwin
