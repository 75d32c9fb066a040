#include "targets/edgetpu/driver/program.h"

#include <algorithm>

#include "formats/darwinn/relocate.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu {

namespace {

using darwinn::BaseAddress;
using darwinn::Direction;
using darwinn::DmaHint;
using darwinn::HintKind;
using Kind = TransferStep::Kind;
using Buffer = TransferStep::Buffer;

constexpr size_t kPageBytes = 4096;
constexpr size_t kMostSteps = size_t{1} << 20;
constexpr int32_t kMostScratchBytes = 256 << 20;

size_t to_page(size_t size) { return (size + kPageBytes - 1) / kPageBytes * kPageBytes; }

class ProgramMaker {
 public:
  ProgramMaker(const darwinn::Executable& e, std::vector<LayerPort>& inputs)
      : e_(e), inputs_(inputs) {}

  Result<DeviceProgram> make() {
    if (e_.scratch_size < 0 || e_.scratch_size > kMostScratchBytes)
      return refuse("it asks for " + std::to_string(e_.scratch_size) + " bytes of scratch memory");
    program_.scratch_bytes = static_cast<size_t>(e_.scratch_size);
    program_.parameters = e_.parameters;
    EDGETWIN_TRY(relocate());
    received_.resize(e_.outputs.size());
    EDGETWIN_TRY(e_.dma_hints ? follow_hints() : usual_order());
    EDGETWIN_TRY(check_complete());
    return std::move(program_);
  }

 private:
  Error refuse(const std::string& why) const {
    Error error(ErrorCode::device_request,
                "executable " + std::string(darwinn::name(e_.type)) + " cannot be run: " + why);
    if (at_) error.place.field = "hint " + std::to_string(*at_);
    return error;
  }

  // The chip sends the addresses back where it announces transfers; each buffer gets its own.
  Status relocate() {
    const Buffers buffers(e_);
    for (const darwinn::Bitstream& b : e_.bitstreams) {
      EDGETWIN_TRY_ASSIGN(Bytes data, darwinn::relocate(b, [&](const darwinn::Meta& meta) {
                            return buffers.address(meta);
                          }));
      program_.bitstreams.push_back(std::move(data));
    }
    return Ok{};
  }

  Status add(Kind kind, FrameTag tag, Buffer buffer, size_t index, size_t offset, size_t size) {
    if (program_.steps.size() >= kMostSteps) return refuse("it has too many transfers");
    program_.steps.push_back({kind, tag, buffer, static_cast<uint32_t>(index),
                              static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
    return Ok{};
  }

  Status instructions(size_t chunk) {
    if (chunk != chunks_)
      return refuse("instruction chunk " + std::to_string(chunk) + " comes where " +
                    std::to_string(chunks_) + " of " + std::to_string(e_.bitstreams.size()) +
                    " is due");
    if (chunk >= e_.bitstreams.size())
      return refuse("it has " + std::to_string(e_.bitstreams.size()) + " instruction chunks");
    ++chunks_;
    return add(Kind::send, FrameTag::instructions, Buffer::instructions, chunk, 0,
               e_.bitstreams[chunk].data.size());
  }

  Status within(const DmaHint& h, size_t size, std::string_view what) const {
    const int64_t end = int64_t{h.offset} + h.size;
    if (h.offset >= 0 && h.size > 0 && end <= static_cast<int64_t>(size)) return Ok{};
    return refuse("a transfer of bytes " + std::to_string(h.offset) + " to " + std::to_string(end) +
                  " of the " + std::string(what) + ", which has " + std::to_string(size));
  }

  Status input(const DmaHint& h) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].name != h.meta.name) continue;
      // A transfer may go beyond the tensor within its last page.
      EDGETWIN_TRY(within(h, to_page(inputs_[i].padded_bytes), "input '" + h.meta.name + "'"));
      const auto end = static_cast<size_t>(h.offset) + static_cast<size_t>(h.size);
      inputs_[i].buffer_bytes = std::max(inputs_[i].buffer_bytes, end);
      return add(Kind::send, FrameTag::input, Buffer::layer, i, static_cast<size_t>(h.offset),
                 static_cast<size_t>(h.size));
    }
    return refuse("a transfer names the input '" + h.meta.name +
                  "', which the model does not have");
  }

  Status output(const DmaHint& h) {
    for (size_t i = 0; i < e_.outputs.size(); ++i) {
      const darwinn::Layer& layer = e_.outputs[i];
      if (layer.name != h.meta.name) continue;
      EDGETWIN_TRY(
          within(h, static_cast<size_t>(layer.size_bytes), "output '" + h.meta.name + "'"));
      received_[i] += static_cast<size_t>(h.size);
      return add(Kind::receive, FrameTag::output, Buffer::layer, i, static_cast<size_t>(h.offset),
                 static_cast<size_t>(h.size));
    }
    return refuse("a transfer names the output '" + h.meta.name +
                  "', which the model does not have");
  }

  Status descriptor(const DmaHint& h) {
    if (h.meta.batch != 0) return refuse("a transfer of batch " + std::to_string(h.meta.batch));
    const bool in = h.direction == Direction::from_device;
    switch (h.meta.base) {
      case BaseAddress::parameter:
        EDGETWIN_TRY(within(h, e_.parameters.size(), "parameters"));
        return add(Kind::send, FrameTag::parameters, Buffer::parameters, 0,
                   static_cast<size_t>(h.offset), static_cast<size_t>(h.size));
      case BaseAddress::input:
        return input(h);
      case BaseAddress::output:
        return output(h);
      case BaseAddress::scratch:
        EDGETWIN_TRY(within(h, program_.scratch_bytes, "scratch memory"));
        return add(in ? Kind::receive : Kind::send, in ? FrameTag::output : FrameTag::input,
                   Buffer::scratch, 0, static_cast<size_t>(h.offset), static_cast<size_t>(h.size));
    }
    return refuse("a transfer of an unknown kind");
  }

  Status hint(const DmaHint& h) {
    switch (h.kind) {
      case HintKind::instruction:
        if (h.chunk < 0) return refuse("instruction chunk " + std::to_string(h.chunk));
        return instructions(static_cast<size_t>(h.chunk));
      case HintKind::descriptor:
        return descriptor(h);
      case HintKind::interrupt:
        if (h.interrupt < 0 || h.interrupt > 3)
          return refuse("it awaits interrupt " + std::to_string(h.interrupt) + " of 0 to 3");
        return add(Kind::event,
                   static_cast<FrameTag>(static_cast<int>(FrameTag::interrupt0) + h.interrupt),
                   Buffer::layer, 0, 0, 0);
      case HintKind::fence:
        return add(Kind::fence, FrameTag::input, Buffer::layer, 0, 0, 0);
      case HintKind::none:
        break;
    }
    return refuse("a hint of an unknown kind");
  }

  Status follow_hints() {
    if (!e_.dma_hints->fully_deterministic) return follow_program();
    for (size_t i = 0; i < e_.dma_hints->hints.size(); ++i) {
      at_ = i;
      EDGETWIN_TRY(hint(e_.dma_hints->hints[i]));
    }
    at_.reset();
    return Ok{};
  }

  // Hints that are not complete, as of loops: the scalar core itself says what it will ask for, as
  // no datum decides which way it goes. Chunks in the order of the hints.
  Status follow_program() {
    std::vector<size_t> order;
    for (const DmaHint& h : e_.dma_hints->hints) {
      if (h.kind == HintKind::instruction && h.chunk >= 0)
        order.push_back(static_cast<size_t>(h.chunk));
    }
    ScalarCore core;
    size_t served = 0;
    for (const size_t chunk : order) {
      EDGETWIN_TRY(instructions(chunk));
      EDGETWIN_TRY(core.run(program_.bitstreams[chunk]));
      for (; served < core.descriptors().size(); ++served)
        EDGETWIN_TRY(asked(core.descriptors()[served]));
    }
    return Ok{};
  }

  // A transfer as the program itself asks for it: its address tells the buffer.
  Status asked(const Descriptor& d) {
    const auto interrupt0 = static_cast<uint32_t>(Tag::interrupt0);
    DmaHint h;
    if (d.tag >= interrupt0 && d.tag < interrupt0 + 4) {
      h.kind = HintKind::interrupt;
      h.interrupt = static_cast<int32_t>(d.tag - interrupt0);
      return hint(h);
    }
    h.kind = HintKind::descriptor;
    h.size = static_cast<int32_t>(std::min<uint32_t>(d.length, INT32_MAX));
    const bool leaves = d.tag == static_cast<uint32_t>(Tag::output);
    h.direction = leaves ? Direction::from_device : Direction::to_device;
    const auto place = Buffers(e_).place(d.address);
    const bool parameters = d.tag == static_cast<uint32_t>(Tag::parameters);
    if (!place || parameters != (place->first.base == BaseAddress::parameter)) {
      return refuse("it asks for " + std::to_string(d.length) + " bytes of " + tag_text(d.tag) +
                    " at an address of none of its buffers");
    }
    h.meta = place->first;
    h.offset = static_cast<int32_t>(std::min<uint64_t>(place->second, INT32_MAX));
    return hint(h);
  }

  // Without hints: instructions, inputs, parameters, outputs, the end.
  Status usual_order() {
    for (size_t i = 0; i < e_.bitstreams.size(); ++i) EDGETWIN_TRY(instructions(i));
    for (size_t i = 0; i < inputs_.size(); ++i)
      EDGETWIN_TRY(add(Kind::send, FrameTag::input, Buffer::layer, i, 0, inputs_[i].padded_bytes));
    if (!e_.parameters.empty())
      EDGETWIN_TRY(
          add(Kind::send, FrameTag::parameters, Buffer::parameters, 0, 0, e_.parameters.size()));
    for (size_t i = 0; i < e_.outputs.size(); ++i) {
      received_[i] = static_cast<size_t>(e_.outputs[i].size_bytes);
      EDGETWIN_TRY(add(Kind::receive, FrameTag::output, Buffer::layer, i, 0, received_[i]));
    }
    return add(Kind::event, FrameTag::interrupt0, Buffer::layer, 0, 0, 0);
  }

  Status check_complete() const {
    if (chunks_ != e_.bitstreams.size())
      return refuse("its transfers send " + std::to_string(chunks_) + " of " +
                    std::to_string(e_.bitstreams.size()) + " instruction chunks");
    for (size_t i = 0; i < e_.outputs.size(); ++i)
      if (received_[i] < static_cast<size_t>(e_.outputs[i].size_bytes))
        return refuse("its transfers fetch " + std::to_string(received_[i]) + " of " +
                      std::to_string(e_.outputs[i].size_bytes) + " bytes of output '" +
                      e_.outputs[i].name + "'");
    return Ok{};
  }

  const darwinn::Executable& e_;
  std::vector<LayerPort>& inputs_;
  DeviceProgram program_;
  size_t chunks_ = 0;
  std::vector<size_t> received_;
  std::optional<size_t> at_;  // the hint that is looked at
};

}  // namespace

Result<DeviceProgram> make_program(const darwinn::Executable& executable,
                                   std::vector<LayerPort>& inputs) {
  return ProgramMaker(executable, inputs).make();
}

}  // namespace edgetwin::edgetpu
