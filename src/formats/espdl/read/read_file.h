// The parts of the reader around the models: what they share about a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/espdl/read/read.h"
#include "formats/flatbuffer/budget.h"

namespace edgetwin::espdl {

struct InputFile {
  ByteSpan data;  // up to where models may reach
  std::string name;
  flatbuffer::Budget& budget;
  const std::optional<Key>& key;
};

// read.cc: the model at `begin`, which ends before `end`; its name stays empty.
Result<ModelFile> read_model(const InputFile& file, uint64_t begin, uint64_t end, bool in_package);

// read_package.cc: of a file that begins with PDL and this version.
Result<Container> read_package(InputFile file, int version);

}  // namespace edgetwin::espdl
