// What is finished of a comparison, kept beside its page: after a kill a second start goes on with
// it. A chip is one line of JSON with the sum of its bytes; a line that is cut off does not count.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "edgetwin/compare_chips.h"

namespace edgetwin::twin {

// Network, calibration data, data set and options, as far as they decide the result; files by
// name, size and time of the last change, the network by its bytes.
std::string comparison_identity(ByteSpan network, const CompareChipsOptions& options);

// The finished chips of a journal. Any text. Error: part_other.
Result<std::map<std::string, ComparedChip>> read_comparison(std::string_view text,
                                                            const std::string& identity,
                                                            const std::string& file);

class ComparisonJournal {
 public:
  // With an empty name nothing is kept. Errors: part_other, file_*.
  static Result<ComparisonJournal> open(const std::string& name, const std::string& identity);
  const ComparedChip* find(const std::string& target) const;
  size_t found() const { return finished_.size(); }
  // From any thread; on the disk when it returns. Error: file_write.
  Status add(const ComparedChip& chip);

 private:
  std::string name_, text_;
  std::map<std::string, ComparedChip> finished_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace edgetwin::twin
