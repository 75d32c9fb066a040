// One of several processes that share a work: --shard K/N.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/json/json.h"
#include "base/result.h"
#include "cli/shared/console.h"
#include "cli/shared/verb.h"
#include "edgetwin/evaluate.h"
#include "evaluate/parts/list_part.h"

namespace edgetwin::cli {

// "K/N", K from 1 to N. Error: usage.
struct Shard {
  uint64_t number = 1, of = 1;
  bool has(uint64_t index) const { return index % of + 1 == number; }
};
Result<Shard> shard_of(const std::string& word);

// A work that --shard cuts, or that the processes of mpirun share: each of them has the shard of
// its rank, and rank 0 gets the whole.
class SharedWork {
 public:
  // Errors: usage for a wrong word, or --shard under mpirun; those of joining the processes.
  static Result<SharedWork> begin(const std::string& word);
  const Shard& shard() const { return shard_; }
  bool by_ranks() const { return cluster_ != nullptr; }
  bool writes() const { return cluster_ == nullptr || cluster_->rank() == 0; }
  // This process's part, or under mpirun the whole of all parts on rank 0.
  Result<evaluation::ListPart> gathered(evaluation::ListPart part);

 private:
  Shard shard_;
  std::unique_ptr<Cluster> cluster_;
};

// The part of a shard (whole without one) into `output`, and what the console says of it. Errors:
// those of writing.
Status write_list(const evaluation::ListPart& part, const Output& output, Console& console);

}  // namespace edgetwin::cli
