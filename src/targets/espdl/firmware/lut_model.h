// A model that is one table, for sweeping a table of a larger network over all its inputs on the
// chip.
#pragma once

#include <string>

#include "base/result.h"
#include "formats/espdl/document/document.h"
#include "targets/espdl/firmware/firmware.h"
#include "tensor/tensor.h"

namespace edgetwin::targets::espdl {

struct LutModel {
  // int8 of 256 entries, or int16 of 65536 / step + 1 (step a power of two from 1 to 32768; for
  // step 1 also 65536 entries), in the runtime's order, lowest input first. One dimension.
  Tensor table;
  int input_exponent = 0;
  int output_exponent = 0;
  // Elements of one run. A multiple of 16 is computed by the chip's vector code alone; with another
  // number the plain code for the rest takes part.
  int64_t elements = 1024;
  std::string target;         // kept as metadata "target"; may be empty
  std::string original_type;  // "Swish": kept as attribute original_op_type; may be empty
};

// Input "input" and output "output" of shape 1 x elements, one LUT node with the table as
// initializer. Source: docs/firmware.md, "Tables". Error: firmware_case.
Result<edgetwin::espdl::Document> make_lut_model(const LutModel& wanted);

// The same as a case of a sweep: the model's file, and `results` as what it must give for every
// integer, lowest first (256 or 65,536 of the table's type). Error: firmware_case, espdl_write.
Result<FirmwareCase> make_sweep_case(std::string name, const LutModel& wanted,
                                     const Tensor& results);

}  // namespace edgetwin::targets::espdl
