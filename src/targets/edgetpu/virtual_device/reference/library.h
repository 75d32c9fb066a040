// Compiled models that the virtual device may be sent, with the models that they were made from. A
// program is known by its instructions, whatever addresses the driver wrote into them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "formats/darwinn/relayout.h"
#include "graph/graph.h"
#include "targets/edgetpu/params/locate.h"

namespace edgetwin::edgetpu {

// The model beside a compiled one by the names that the vendor's compiler gives: NAME.tflite of
// NAME_edgetpu.tflite. Nothing if there is none.
std::optional<std::string> find_reference(const std::string& compiled_file);

// An executable of a learned model, as it looks on the wire.
struct KnownProgram {
  size_t model = 0;  // index into Library::models()
  const darwinn::Executable* executable = nullptr;
  std::vector<size_t> order;         // of its chunks, as the hints have it
  std::vector<Bytes> masks, masked;  // by chunk: bits that are not addresses, and those bits
  bool is_chunk(size_t chunk, ByteSpan received) const;
};

struct KnownInput {
  size_t layer = 0;  // of the executable
  size_t graph_input = 0;
};
struct KnownOutput {
  size_t layer = 0;
  size_t graph_output = 0;
  darwinn::Relayout relayout;
};

// One package of a compiled model.
struct KnownModel {
  std::string name;
  size_t op = 0, package = 0;
  const darwinn::Package* content = nullptr;
  // The part of the source that the chip computes; null: not known, and why.
  std::shared_ptr<const Graph> graph;
  std::string why_not;
  std::vector<KnownInput> inputs;
  std::vector<KnownOutput> outputs;
  // Where the parameters of its layers stand; `op_of` gives the operator in `graph`, or nothing for
  // those of the host.
  std::shared_ptr<const Located> located;
  std::vector<std::optional<size_t>> op_of;

  const darwinn::Executable* caching() const {
    return content->find(darwinn::ExecutableType::parameter_caching);
  }
};

class Library {
 public:
  // `reference` may be null: then the model's programs are known, but not what they compute.
  // A reference that does not fit is an error: stick_layer.
  Status learn(darwinn::File compiled, const std::shared_ptr<const Graph>& reference,
               const std::string& name);

  const std::vector<KnownModel>& models() const { return models_; }
  const std::vector<KnownProgram>& programs() const { return programs_; }

 private:
  std::vector<std::unique_ptr<const darwinn::File>> files_;
  std::vector<KnownModel> models_;
  std::vector<KnownProgram> programs_;
};

}  // namespace edgetwin::edgetpu
