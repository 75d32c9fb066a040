// Compiled models of one layer as the vendor's compiler makes them: a front of compile/compile.h.
#pragma once

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/compile/likeness/member.h"

namespace edgetwin::edgetpu {

struct Synthesized {
  Member member;
  darwinn::Package package;  // the program for inferences, and the one that loads the parameters
  Model model;               // the compiled one
};
// Errors: synthesize_model, synthesize_range (with what the compiler says), darwinn_*.
Result<Synthesized> synthesize(const Model& source);

// A model of the member whose weights are zero: its programs are those of any weights.
// Error: synthesize_range.
Result<Model> model_of(const Member& member);

// The file with one edgetpu-custom-op in place of the model's operators; it has passed the proof of
// compile/proof. Errors: tflite_write, internal.
Result<Bytes> compiled_model(const Model& source, const Synthesized& made);

}  // namespace edgetwin::edgetpu
