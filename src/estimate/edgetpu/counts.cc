#include "estimate/edgetpu/counts.h"

#include <algorithm>
#include <map>

#include "targets/edgetpu/isa/nest.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::estimates {
namespace {

using darwinn::BaseAddress;

// Tensor instructions of a program by chunk and word.
using Nests = std::map<std::pair<size_t, size_t>, edgetpu::Nest>;

Result<Nests> nests_of(const darwinn::Executable& executable, TpuCounts& counts) {
  Nests nests;
  for (size_t chunk = 0; chunk < executable.bitstreams.size(); ++chunk) {
    EDGETWIN_TRY_ASSIGN(const edgetpu::Program program,
                        edgetpu::parse_whole(executable.bitstreams[chunk].data));
    for (const edgetpu::Instruction& i : program.instructions) {
      if (i.opcode() == edgetpu::Opcode::tensor_exp) counts.softmax = true;
      if (const auto nest = edgetpu::decode_nest(i)) nests.emplace(std::pair(chunk, i.word), *nest);
    }
  }
  return nests;
}

// Counts tensor instructions in the order in which the scalar core comes to them.
class Tiles {
 public:
  void add(const edgetpu::Nest& nest, TpuCounts& counts) {
    const auto loops = static_cast<int64_t>(nest.loops());
    for (size_t t = 0; t < busy_.size(); ++t) {
      if (((nest.tiles >> t) & 1U) != 0) busy_[t] += loops;
    }
    if (!started_ || nest.operation != operation_) {
      counts.layers.emplace_back();
      layer_.fill(0);
    }
    started_ = true;
    operation_ = nest.operation;
    for (size_t t = 0; t < layer_.size(); ++t) {
      if (((nest.tiles >> t) & 1U) != 0) layer_[t] += loops;
    }
    ++counts.layers.back().instructions;
    counts.layers.back().iterations = *std::max_element(layer_.begin(), layer_.end());
  }
  int64_t most() const { return *std::max_element(busy_.begin(), busy_.end()); }

 private:
  std::array<int64_t, edgetpu::kTiles> busy_{}, layer_{};
  uint32_t operation_ = 0;
  bool started_ = false;
};

void add_transfers(const edgetpu::ScalarCore& core, const edgetpu::Buffers& buffers,
                   TpuCounts& counts) {
  for (const edgetpu::Descriptor& d : core.descriptors()) {
    const auto place = buffers.place(d.address);
    if (!place) continue;
    const bool back = d.tag == static_cast<uint32_t>(edgetpu::Tag::output);
    switch (place->first.base) {
      case BaseAddress::input:
        counts.input += d.length;
        break;
      case BaseAddress::parameter:
        counts.parameters += d.length;
        break;
      case BaseAddress::output:
        counts.output += d.length;
        break;
      case BaseAddress::scratch:
        (back ? counts.scratch_out : counts.scratch_in) += d.length;
        break;
    }
  }
}

Status count_executable(const darwinn::Executable& executable, TpuCounts& counts) {
  EDGETWIN_TRY_ASSIGN(const Nests nests, nests_of(executable, counts));
  const edgetpu::Buffers buffers(executable);
  Tiles tiles;
  const auto other = [&](edgetpu::ScalarCore&, size_t chunk, size_t word) -> Status {
    const auto found = nests.find({chunk, word});
    if (found != nests.end()) tiles.add(found->second, counts);
    return Ok{};
  };
  EDGETWIN_TRY_ASSIGN(const edgetpu::ScalarCore core,
                      edgetpu::run_scalar(executable, buffers, {}, other));
  for (const darwinn::Bitstream& b : executable.bitstreams) {
    counts.code += static_cast<int64_t>(b.data.size());
  }
  add_transfers(core, buffers, counts);
  counts.iterations += tiles.most();
  counts.narrow = std::max<int64_t>(counts.narrow, executable.narrow_memory_per_tile);
  return Ok{};
}

}  // namespace

Result<TpuCounts> count_inference(const darwinn::File& file) {
  TpuCounts counts;
  for (const darwinn::CompiledOp& op : file.ops) {
    if (op.packages.empty()) continue;
    const darwinn::Package& package = op.packages.front();
    const darwinn::Executable* executable = package.inference();
    if (executable == nullptr) {
      return Error(ErrorCode::usage, "the file has no program for inferences")
          .with_hint("A file that only caches parameters has no time of its own.");
    }
    EDGETWIN_TRY(count_executable(*executable, counts));
    if (const auto* caching = package.find(darwinn::ExecutableType::parameter_caching)) {
      counts.cached += static_cast<int64_t>(caching->parameters.size());
    }
  }
  return counts;
}

}  // namespace edgetwin::estimates
