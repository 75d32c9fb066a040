// ONNX Runtime in a process of its own (onnxruntime.cjs), where Node.js and onnxruntime-node are.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "exec/session.h"
#include "formats/onnx/document/document.h"

namespace edgetwin::bench {

struct Times {
  double processor = 0, wall = 0;  // seconds of one run, each the least
};

class Peer {
 public:
  // `installed` is the folder that has node_modules/onnxruntime-node; inputs are those of the
  // session. Error: usage with what the process said.
  static Result<std::unique_ptr<Peer>> start(const onnx::Document& document,
                                             const exec::Session& session,
                                             const std::string& installed, int threads);
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  Result<Times> run(int count);
  Result<Bytes> output(size_t index) const;

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace edgetwin::bench
