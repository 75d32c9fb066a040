// Programs without a model around them: a bitstream as tools of the chip's protocol send it (tag
// 0), with the bytes of its input (tag 1) and its parameters (tag 2) in the order in which it asks
// for them, and the bytes that it sends back.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/driver/device.h"
#include "targets/edgetpu/program/interpret.h"

namespace edgetwin::edgetpu {

struct RawProgram {
  // The program as an executable of its own: one input, one output, and a hint for each transfer
  // that its scalar core asks for.
  darwinn::Executable executable;
  std::vector<Descriptor> transfers;
  size_t input_bytes = 0, parameter_bytes = 0, output_bytes = 0;
};

// Of a bare bitstream, or of an executable that is a file by itself (its address fields get
// addresses, its parameters stay unless `parameters` are given). Errors: edgetpu_no_program,
// edgetpu_instruction, edgetpu_endless; device_request where `parameters` are not as many bytes as
// the program asks for.
Result<RawProgram> raw_program(const darwinn::File& file, ByteSpan parameters);

// Executed by the machine; the bytes that come back. Errors: device_request where the input has
// another size, those of StreamMachine::run.
Result<Bytes> run_raw(const RawProgram& program, ByteSpan input);
// The same on a device.
Result<Bytes> run_raw(const RawProgram& program, ByteSpan input, EdgeTpuDevice& device);

}  // namespace edgetwin::edgetpu
