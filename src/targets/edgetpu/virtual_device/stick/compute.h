// Gives the virtual device its outputs. The device itself knows the protocol and the scalar core;
// what the engines compute comes from here: from a machine that executes the instructions, or from
// the network that the program was made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "targets/edgetpu/program/interpret.h"
#include "targets/edgetpu/virtual_device/stick/rules.h"

namespace edgetwin::edgetpu {

// Everything of one run of a program: from its first instructions to its interrupt.
struct Request {
  std::vector<Bytes> chunks;      // instructions as they came, with addresses filled in
  Bytes input, parameters;        // in the order in which they came
  std::vector<Descriptor> asked;  // by the program, so far
  size_t delivered = 0;           // bytes of output before the one that is wanted
  // A number that is the same for equal chunks while the device lives; no other meaning.
  uint64_t program = 0;
};

class Compute {
 public:
  virtual ~Compute() = default;
  // In reports: "reference", "machine", ...
  virtual std::string_view name() const = 0;
  // A chunk came; null, or what is wrong with its place. For those who know the program's hints.
  virtual std::optional<std::string> check_chunk(const Request& request) = 0;
  // The bytes of one output transfer, in the chip's order. Errors: stick_layer (not known),
  // stick_refused (parameters are missing).
  virtual Result<Bytes> output(const Request& request, const Descriptor& wanted) = 0;
  // The program came to its interrupt; it may have left parameters on the chip.
  virtual void finished(const Request& request) = 0;
  // Everything on the chip is lost.
  virtual void reset() = 0;
  // Multiply-accumulates of one run, for the estimate of time; nothing: not known.
  virtual std::optional<int64_t> macs(const Request& request) = 0;
  // What came up meanwhile, such as uploaded bytes without a meaning; handed over once.
  virtual std::vector<std::string> take_remarks() = 0;
};

}  // namespace edgetwin::edgetpu
