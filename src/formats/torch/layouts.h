// The two layouts: where the pickle and the storages are. Both fill the storages of a checkpoint
// with spans of its own bytes.
#pragma once

#include "formats/torch/checkpoint.h"

namespace edgetwin::torch {

bool has_zip_signature(ByteSpan data);
bool has_legacy_magic(ByteSpan data);

struct Archive {
  static Status read(Checkpoint& out);
};

struct Legacy {
  static Status read(Checkpoint& out);
};

// The refusal that names what globals.def does not have.
Error refused_globals(const std::vector<std::string>& names, const std::string& file);

}  // namespace edgetwin::torch
