// The headers of an .espdl file field by field, for people who look at the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::espdl {

struct DumpLine {
  uint64_t offset = 0;  // in the file
  uint64_t size = 0;
  std::string field;  // "header.length", "package.entry[2].data_offset"
  std::string value;  // "EDL2", "32912", "1 (AES-128-CTR)"
  bool operator==(const DumpLine&) const = default;
};

// Headers, the directory of a package, names, and for each model its payload as one line; in the
// order of the file's structure. Only the headers are looked at: encrypted and damaged content is
// no error, but whatever the headers name must be there. Errors: espdl_header, espdl_package,
// truncated.
Result<std::vector<DumpLine>> describe(ByteSpan data, const std::string& file);

}  // namespace edgetwin::espdl
