// The file of features that ESP-DL's recognizers keep: three uint16 (ever enrolled, valid, length
// of a feature), then for each an uint16 id, 0 for one that was removed, and its float32 values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "decode/espdl/core/params.h"
#include "decode/espdl/core/result.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

struct Enrolled {
  uint16_t id = 0;  // 0: removed
  std::vector<float> feature;
};

struct Database {
  uint16_t length = 0;  // of a feature; 0: nothing was enrolled yet
  std::vector<Enrolled> all;

  size_t valid() const;
};

// Errors: truncated, bad_value for counts that do not fit one another or the file.
Result<Database> read_database(ByteSpan data, const std::string& file);
Bytes write_database(const Database& database);

// The id that it got. Errors: decode_maps for a feature of another model, bad_value where no id is
// left.
Result<uint16_t> enroll(Database& database, const Tensor& feature);
// Error: bad_value for an id that there is not.
Status remove(Database& database, uint16_t id);

// As match_features(): ids are positions among those that are left. Error: decode_maps for a
// feature of another length.
Result<Decoded> match(const Database& database, const Tensor& query, const Params& params);

}  // namespace edgetwin::espdl_decode
