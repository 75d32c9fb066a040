// Exponents of a file changed where they are stored: every other byte stays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::espdl {

struct NewExponent {
  std::string value;  // the name in value_info, inputs or outputs
  int64_t exponent = 0;
};

// `data` is a single model that is not encrypted. Each named value must have one exponent, and no
// two values may share its bytes. Errors: those of read(); espdl_write for packages, encrypted
// models and values without one exponent.
Result<Bytes> with_exponents(ByteSpan data, const std::string& file,
                             const std::vector<NewExponent>& changes);

}  // namespace edgetwin::espdl
