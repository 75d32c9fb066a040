// What a Network holds: for the rooms of this project that need more than its public face.
#pragma once

#include <optional>
#include <string>

#include "edgetwin/network.h"
#include "formats/tflite/signature.h"
#include "twin/compute.h"
#include "twin/load.h"
#include "twin/max78_network.h"

namespace edgetwin {

struct Network::Impl {
  // As Network::open, without a copy of the bytes.
  static Result<Network> open(Bytes bytes, const std::string& name, const OpenOptions& options);

  std::string file, sha256;
  FileKind kind = FileKind::unknown;
  const Target* target = nullptr;
  std::string target_why, numerics;
  std::vector<Finding> findings;
  std::vector<tflite::OpenShape> open_shapes;  // of a .tflite file
  Bytes data;  // of compiled models, which are executed from them; of others nothing
  OpenOptions options;
  // One of the two: a graph, or a network of the MAX7800x.
  std::optional<twin::LoadedModel> loaded;
  std::shared_ptr<const twin::Max78Network> max78;
};

}  // namespace edgetwin
