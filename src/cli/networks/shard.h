// One of several processes that share a work: --shard K/N.
#pragma once

#include <cstdint>
#include <string>

#include "base/json/json.h"
#include "base/result.h"
#include "cli/shared/console.h"
#include "cli/shared/verb.h"
#include "evaluate/parts/list_part.h"

namespace edgetwin::cli {

// "K/N", K from 1 to N. Error: usage.
struct Shard {
  uint64_t number = 1, of = 1;
  bool has(uint64_t index) const { return index % of + 1 == number; }
};
Result<Shard> shard_of(const std::string& word);

// The part of a shard (whole without one) into `output`, and what the console says of it. Errors:
// those of writing.
Status write_list(const evaluation::ListPart& part, const Output& output, Console& console);

}  // namespace edgetwin::cli
