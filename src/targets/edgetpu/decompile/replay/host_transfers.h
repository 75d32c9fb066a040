// Results that wait in the host's memory: which transfer brings the words of a store, and which
// stage's results left for the same place before.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/decompile/stages/narrow_memory.h"
#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {

struct Sent;
struct Replay;

class HostTransfers {
 public:
  // `executable` must outlive it.
  HostTransfers(const darwinn::Executable& executable, const DecodedProgram& steps);
  // Whose results come back from the host with a store; kInput: none, it is an input.
  Owner returned(const Replay& replay, size_t store) const;

 private:
  void find_feeding_hints();
  void number_params(const DecodedProgram& steps);
  std::optional<size_t> leaving_number(size_t hint) const;
  Owner owner_of(size_t hint, const std::vector<Sent>& sent) const;

  const darwinn::Executable& executable_;
  std::vector<size_t> feeding_hints_;           // transfers towards the device that bring data
  std::map<size_t, size_t> transfer_of_param_;  // steps to indices of the hints
};

}  // namespace edgetwin::edgetpu
