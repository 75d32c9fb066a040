// The transfers that a program issues, against those that its file tells the host to expect.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/program/interpret.h"

namespace edgetwin::edgetpu {

// One address of 64 bits per buffer, far enough from each other that their ranges cannot meet, and
// close to the end of 4 GiB so that a lost carry shows.
class Buffers {
 public:
  explicit Buffers(const darwinn::Executable& executable);
  std::optional<uint64_t> address(const darwinn::Meta& meta) const;
  // The buffer of an address and the offset in it; nothing: none of them.
  std::optional<std::pair<darwinn::Meta, uint64_t>> place(uint64_t address) const;
  // "input 'image' + 64", for an address in one of the buffers.
  std::string describe(uint64_t address) const;

 private:
  std::vector<darwinn::Meta> buffers_;
};

// What the hints announce, in order; instruction chunks and fences are no transfers.
std::vector<Descriptor> announced(const darwinn::Executable& executable, const Buffers& buffers);

// Transfers of one tag that follow one another in order and in memory, as one.
std::vector<Descriptor> joined(const std::vector<Descriptor>& descriptors);

// All bitstreams of an executable on one scalar core, in the order of the hints, or of the file
// where there are none. Errors: those of ScalarCore::run, with the bitstream named.
Result<ScalarCore> run_scalar(const darwinn::Executable& executable, const Buffers& buffers,
                              ScalarLimits limits = {});
// The same; `other` is told of the instructions of other engines, with their bitstream; an error of
// it ends the run.
using OtherEngine = std::function<Status(ScalarCore& core, size_t chunk, size_t word)>;
Result<ScalarCore> run_scalar(const darwinn::Executable& executable, const Buffers& buffers,
                              ScalarLimits limits, const OtherEngine& other);

enum class Agreement : uint8_t { equal, joined, different };

struct TransferCheck {
  Agreement agreement = Agreement::equal;
  std::vector<Descriptor> issued, expected;  // as compared
  std::string first_difference;              // empty unless different
};

// Errors: those of run_scalar.
Result<TransferCheck> check_transfers(const darwinn::Executable& executable,
                                      ScalarLimits limits = {});

}  // namespace edgetwin::edgetpu
