#include "targets/edgetpu/machine/output.h"

#include <cstring>
#include <map>

#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu::machine {
namespace {

using Outfeeds = std::map<std::pair<size_t, size_t>, const Step*>;  // by chunk and word

Outfeeds outfeeds_of(const Core& core) {
  Outfeeds all;
  for (const Step& s : core.steps.list) {
    if (s.opcode == Opcode::outfeed) all[{s.chunk, s.word}] = &s;
  }
  return all;
}

}  // namespace

Result<Output> output_of(const Core& core, const darwinn::Executable& e, const Buffers& buffers) {
  const Outfeeds outfeeds = outfeeds_of(core);
  Bytes sent;
  size_t pushed = 0;  // words of the scalar core's stream that are in `sent`
  const auto push = [&](const ScalarCore& scalar) {
    const std::vector<uint32_t>& words = scalar.output();
    const size_t end = sent.size();
    sent.resize(end + (words.size() - pushed) * 4);
    if (pushed < words.size()) {
      std::memcpy(sent.data() + end, words.data() + pushed, (words.size() - pushed) * 4);
    }
    pushed = words.size();
  };
  const auto other = [&](ScalarCore& scalar, size_t chunk, size_t word) {
    const auto found = outfeeds.find({chunk, word});
    if (found == outfeeds.end() || found->second->data == nullptr) return;
    const Step& s = *found->second;
    push(scalar);
    if (s.to_host) {
      sent.insert(sent.end(), s.data->begin(), s.data->end());
      return;
    }
    for (size_t k = 0; k + 4 <= s.data->size(); k += 4) {
      uint32_t value = 0;
      std::memcpy(&value, s.data->data() + k, 4);
      scalar.set_memory(s.memory_word + k / 4, value);
    }
  };
  EDGETWIN_TRY_ASSIGN(const ScalarCore scalar, run_scalar(e, buffers, {}, other));
  push(scalar);
  return Output{std::move(sent), scalar.real_functions()};
}

}  // namespace edgetwin::edgetpu::machine
