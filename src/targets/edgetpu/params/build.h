// Parameters from the weights of the uncompiled model, in the form of a compiled one.
#pragma once

#include <string>
#include <vector>

#include "targets/edgetpu/params/locate.h"

namespace edgetwin::edgetpu {

struct BuiltBlob {
  BlobId id;
  Bytes bytes;
  int64_t made = 0;    // bytes that come from the uncompiled model, padding counted
  int64_t copied = 0;  // bytes that nothing explains, taken from the compiled one
  bool equal = true;   // to the compiled model's
};

std::vector<BuiltBlob> build(const Located& located);

// "p0_e1.bin": package and executable; of files with several compiled operators "o1_p0_e1.bin".
std::string blob_file_name(const BlobId& id);

}  // namespace edgetwin::edgetpu
