#include "targets/edgetpu/machine/engines/output.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/program/trace.h"

namespace edgetwin::edgetpu::machine {
namespace {

// The scalar core once more, with what the outfeeds gave.
class Sender {
 public:
  explicit Sender(const Core& core) : core_(core), list_(core.steps.list) {}

  Status visit(ScalarCore& scalar, size_t chunk, size_t word) {
    if (next_ >= list_.size()) return Ok{};
    const Step& s = list_[next_];
    if (s.chunk != chunk || s.word != word) return Ok{};  // none of the tile engines
    if (!same_registers(s, scalar)) {
      return core_.error(ErrorCode::chip_unknown, "data decide what a register says here", s);
    }
    ++next_;
    if (s.opcode == Opcode::outfeed && s.data != nullptr) give(scalar, s);
    return Ok{};
  }
  // The same for as long as what is sent is known: up to an outfeed that has not run. An error ends
  // the run of the scalar core, there or as soon as `needed` bytes are sent.
  Status visit_until(ScalarCore& scalar, size_t chunk, size_t word, uint64_t needed) {
    push(scalar);
    const bool waits = next_ < list_.size() && list_[next_].chunk == chunk &&
                       list_[next_].word == word && list_[next_].opcode == Opcode::outfeed &&
                       !list_[next_].done;
    if (waits || sent_.size() >= needed) {
      return Error(ErrorCode::chip_stream, "the scalar core has come far enough");
    }
    return visit(scalar, chunk, word);
  }
  Status end(const ScalarCore& scalar, const std::vector<Descriptor>& transfers) {
    push(scalar);
    if (next_ == list_.size() && scalar.descriptors() == transfers) return Ok{};
    if (list_.empty()) {
      return Error(ErrorCode::chip_unknown, "the scalar core asks for other transfers than before");
    }
    return core_.error(ErrorCode::chip_unknown, "data decide which way the scalar core goes",
                       list_[std::min(next_, list_.size() - 1)]);
  }
  Bytes take() { return std::move(sent_); }
  // What the scalar core itself has sent since.
  void push(const ScalarCore& scalar) {
    const std::vector<uint32_t>& words = scalar.output();
    const size_t end = sent_.size();
    sent_.resize(end + (words.size() - pushed_) * 4);
    if (pushed_ < words.size()) {
      std::memcpy(sent_.data() + end, words.data() + pushed_, (words.size() - pushed_) * 4);
    }
    pushed_ = words.size();
  }

 private:
  static bool same_registers(const Step& s, const ScalarCore& scalar) {
    if (!s.dynamic) return true;
    Visit v{s.number, s.chunk, s.instruction(), s.tiles, std::nullopt, false};
    if (!take_registers(v, scalar, {}).ok()) return false;
    return v.tiles == s.tiles && (!v.start || *v.start == s.a.path.start);
  }
  void give(ScalarCore& scalar, const Step& s) {
    push(scalar);
    if (s.to_host) {
      append(sent_, *s.data);
      return;
    }
    for (size_t k = 0; k + 4 <= s.data->size(); k += 4) {
      uint32_t value = 0;
      std::memcpy(&value, s.data->data() + k, 4);
      scalar.set_memory(s.memory_word + k / 4, value);
    }
  }

  const Core& core_;
  const std::vector<Step>& list_;
  size_t next_ = 0;    // step that the scalar core has not come to
  size_t pushed_ = 0;  // words of the scalar core's stream that are in `sent_`
  Bytes sent_;
};

}  // namespace

std::optional<Bytes> sent_so_far(const Core& core, uint64_t needed) {
  Sender sender(core);
  const auto other = [&](ScalarCore& scalar, size_t chunk, size_t word) {
    return sender.visit_until(scalar, chunk, word, needed);
  };
  // Where the run does not end by that error, its own end sent the last words.
  const auto scalar = run_scalar(*core.executable, Buffers(*core.executable), {}, other);
  if (scalar.ok()) sender.push(*scalar);
  Bytes sent = sender.take();
  if (sent.size() < needed) return std::nullopt;
  return sent;
}

Result<HostOutput> output_of(const Core& core, const darwinn::Executable& e,
                             const std::vector<Descriptor>& transfers) {
  Sender sender(core);
  const auto other = [&](ScalarCore& scalar, size_t chunk, size_t word) {
    return sender.visit(scalar, chunk, word);
  };
  EDGETWIN_TRY_ASSIGN(const ScalarCore scalar, run_scalar(e, Buffers(e), {}, other));
  EDGETWIN_TRY(sender.end(scalar, transfers));
  return HostOutput{sender.take(), scalar.real_functions()};
}

}  // namespace edgetwin::edgetpu::machine
