#include "targets/edgetpu/machine/engines/host.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/engines/output.h"

namespace edgetwin::edgetpu::machine {
namespace {

using darwinn::BaseAddress;
using darwinn::Executable;

constexpr uint64_t kMostOffset = uint64_t{1} << 32U;

Error refuse(const Executable& e, std::string what) {
  return Error(ErrorCode::chip_stream, std::move(what)).in_file(std::string(darwinn::name(e.type)));
}

Error unexpected(const Executable& e, const Descriptor& d, const Buffers& buffers,
                 std::string what) {
  return refuse(e, std::move(what))
      .detail(tag_text(d.tag) + " of " + std::to_string(d.length) + " bytes, " +
              buffers.describe(d.address));
}

// How far an address is within a buffer; nothing: it is in another one.
std::optional<uint64_t> offset_in(const Buffers& buffers, const darwinn::Meta& meta,
                                  const Descriptor& d) {
  const auto start = buffers.address(meta);
  if (!start || d.address < *start || d.address - *start >= kMostOffset) return std::nullopt;
  return d.address - *start;
}

std::optional<Transfer> transfer_of(const Executable& e, const Buffers& buffers,
                                    const Descriptor& d) {
  Transfer t;
  t.to_chip = d.tag == static_cast<uint32_t>(Tag::input);
  t.length = d.length;
  const BaseAddress base = t.to_chip ? BaseAddress::input : BaseAddress::output;
  const std::vector<darwinn::Layer>& layers = t.to_chip ? e.inputs : e.outputs;
  for (size_t n = 0; n < layers.size(); ++n) {
    const auto offset = offset_in(buffers, {base, 0, layers[n].name, darwinn::Position::low}, d);
    if (!offset) continue;
    t.layer = n;
    t.offset = *offset;
    return t;
  }
  const auto offset = offset_in(buffers, {BaseAddress::scratch, 0, "", darwinn::Position::low}, d);
  if (!offset) return std::nullopt;
  t.scratch = true;
  t.offset = *offset;
  if (t.offset + t.length > static_cast<uint64_t>(std::max(0, e.scratch_size))) return std::nullopt;
  return t;
}

bool is_activation(const Descriptor& d) {
  return d.tag == static_cast<uint32_t>(Tag::input) || d.tag == static_cast<uint32_t>(Tag::output);
}

// What was written to the scratch memory: its place there, and among all bytes sent.
struct Write {
  uint64_t at, sent, length;
};

// False: a part of it was never written.
bool find_returned(const Transfer& t, size_t input, const std::vector<Write>& writes,
                   std::vector<Returned>& returned) {
  std::vector<bool> written(static_cast<size_t>(t.length));
  for (const Write& w : writes) {
    const uint64_t first = std::max(w.at, t.offset);
    const uint64_t end = std::min(w.at + w.length, t.offset + t.length);
    if (first >= end) continue;
    returned.push_back({input, w.sent + (first - w.at), first - t.offset, end - first});
    for (uint64_t k = first; k < end; ++k) written[static_cast<size_t>(k - t.offset)] = true;
  }
  return std::ranges::find(written, false) == written.end();
}

}  // namespace

Result<HostPlan> plan_host(const Executable& e, const Buffers& buffers,
                           const std::vector<Descriptor>& transfers) {
  HostPlan plan;
  std::vector<Write> writes;
  uint64_t sent = 0;
  size_t input = 0;
  for (const Descriptor& d : transfers) {
    if (!is_activation(d)) continue;
    const auto t = transfer_of(e, buffers, d);
    const bool to_chip = d.tag == static_cast<uint32_t>(Tag::input);
    if (!t) {
      return unexpected(
          e, d, buffers,
          to_chip ? "the program reads what is no input" : "the program writes what is no output");
    }
    if (t->scratch && to_chip && !find_returned(*t, input, writes, plan.returned)) {
      return unexpected(e, d, buffers, "scratch memory is read that nothing was written to");
    }
    if (t->scratch && !to_chip) writes.push_back({t->offset, sent, t->length});
    to_chip ? ++input : sent += t->length;
    plan.transfers.push_back(*t);
  }
  return plan;
}

std::vector<Bytes> inputs_of(const HostPlan& plan, const std::vector<ByteSpan>& layers) {
  std::vector<Bytes> inputs;
  for (const Transfer& t : plan.transfers) {
    if (!t.to_chip) continue;
    Bytes part(t.length);
    if (!t.scratch && t.offset < layers[t.layer].size()) {
      const ByteSpan from = layers[t.layer].subspan(t.offset);
      std::copy_n(from.begin(), std::min<size_t>(t.length, from.size()), part.begin());
    }
    inputs.push_back(std::move(part));
  }
  return inputs;
}

Result<std::vector<Bytes>> outputs_of(const HostPlan& plan, const Executable& e,
                                      const Bytes& sent) {
  std::vector<Bytes> outputs(e.outputs.size());
  for (size_t n = 0; n < outputs.size(); ++n) {
    outputs[n].resize(static_cast<size_t>(std::max(0, e.outputs[n].size_bytes)));
  }
  size_t at = 0;
  for (const Transfer& t : plan.transfers) {
    if (t.to_chip) continue;
    if (!t.scratch && t.offset + t.length > outputs[t.layer].size()) {
      return refuse(e, "the program writes what is no output").in_layer(e.outputs[t.layer].name);
    }
    if (sent.size() - at < t.length) return refuse(e, "the program sends less than it announces");
    const auto from = sent.begin() + static_cast<std::ptrdiff_t>(at);
    if (!t.scratch) {
      std::copy_n(from, t.length, outputs[t.layer].begin() + static_cast<std::ptrdiff_t>(t.offset));
    }
    at += t.length;
  }
  if (at == sent.size()) return outputs;
  return refuse(e, "the program sends more than it announces")
      .detail(std::to_string(sent.size()) + " bytes, announced are " + std::to_string(at));
}

Result<bool> bring_back(Core& core, const Step& step) {
  uint64_t needed = 0;
  for (const Returned& r : core.returned) {
    if (r.input == step.infeed) needed = std::max(needed, r.sent + r.length);
  }
  if (needed == 0) return true;
  if (core.sent.size() < needed) {
    std::optional<Bytes> sent = sent_so_far(core, needed);
    if (!sent) {
      for (const Step& s : core.steps.list) {
        if (&s == &step) break;
        if (s.opcode == Opcode::outfeed && !s.done) return false;
      }
      return core.error(ErrorCode::chip_stream, "scratch memory is read before it is written",
                        step);
    }
    EDGETWIN_TRY(core.charge_memory(sent->size(), step));
    core.sent = std::move(*sent);
  }
  for (const Returned& r : core.returned) {
    if (r.input != step.infeed) continue;
    std::memcpy(core.inputs[r.input].data() + r.at, core.sent.data() + r.sent, r.length);
  }
  return true;
}

}  // namespace edgetwin::edgetpu::machine
