// The scalar core of the virtual device. A program that came before is not executed again: what a
// chunk asks for depends only on the chunks before it.
#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "targets/edgetpu/program/interpret.h"

namespace edgetwin::edgetpu {

class ProgramRunner {
 public:
  explicit ProgramRunner(ScalarLimits limits);
  ~ProgramRunner();

  struct Ran {
    uint64_t program = 0;  // names the row of chunks since begin()
    std::vector<Descriptor> asked;
  };
  // The next chunk belongs to a new program.
  void begin();
  // Errors: those of ScalarCore::run.
  Result<Ran> run(ByteSpan chunk);

 private:
  struct Node;
  ScalarLimits limits_;
  std::unique_ptr<Node> root_;
  Node* at_ = nullptr;
  uint64_t next_ = 1;
  size_t bytes_ = 0;
};

}  // namespace edgetwin::edgetpu
