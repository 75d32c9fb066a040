#include "targets/edgetpu/program/transfers.h"

#include <algorithm>

#include "formats/darwinn/relocate.h"

namespace edgetwin::edgetpu {
namespace {

using darwinn::BaseAddress;
using darwinn::HintKind;

constexpr uint64_t kLowHalf = 0xFFFF'F000;

bool same_buffer(const darwinn::Meta& a, const darwinn::Meta& b) {
  if (a.base != b.base || a.batch != b.batch) return false;
  const bool named = a.base == BaseAddress::input || a.base == BaseAddress::output;
  return !named || a.name == b.name;
}

uint64_t address_of(size_t index) { return ((2 * uint64_t{index} + 2) << 32U) | kLowHalf; }

uint32_t tag_of(const darwinn::DmaHint& h) {
  switch (h.meta.base) {
    case BaseAddress::output:
      return static_cast<uint32_t>(Tag::output);
    case BaseAddress::input:
      return static_cast<uint32_t>(Tag::input);
    case BaseAddress::parameter:
      return static_cast<uint32_t>(Tag::parameters);
    case BaseAddress::scratch:
      return static_cast<uint32_t>(h.direction == darwinn::Direction::from_device ? Tag::output
                                                                                  : Tag::input);
  }
  return 0;
}

std::vector<size_t> order_of_chunks(const darwinn::Executable& e) {
  std::vector<size_t> order;
  if (e.dma_hints) {
    for (const darwinn::DmaHint& h : e.dma_hints->hints) {
      if (h.kind == HintKind::instruction) order.push_back(static_cast<size_t>(h.chunk));
    }
  }
  if (!order.empty()) return order;
  for (size_t i = 0; i < e.bitstreams.size(); ++i) order.push_back(i);
  return order;
}

std::string describe(const Descriptor& d, const Buffers& buffers) {
  if (d.tag >= 4 && d.tag <= 7 && d.length == 0) return tag_text(d.tag);
  return tag_text(d.tag) + " of " + std::to_string(d.length) + " bytes, " +
         buffers.describe(d.address);
}

std::string first_difference(const TransferCheck& c, const Buffers& buffers) {
  const size_t both = std::min(c.issued.size(), c.expected.size());
  size_t i = 0;
  while (i < both && c.issued[i] == c.expected[i]) ++i;
  const std::string number = "transfer " + std::to_string(i) + ": ";
  if (i == c.issued.size()) {
    return number + "the program ends, announced is " + describe(c.expected[i], buffers);
  }
  const std::string issued =
      describe(c.issued[i], buffers) + " (word " + std::to_string(c.issued[i].word) + ")";
  if (i == c.expected.size()) return number + "not announced: " + issued;
  return number + "issued " + issued + ", announced " + describe(c.expected[i], buffers);
}

}  // namespace

Buffers::Buffers(const darwinn::Executable& executable) {
  const auto add = [&](const darwinn::Meta& meta) {
    const bool known = std::any_of(buffers_.begin(), buffers_.end(),
                                   [&](const auto& b) { return same_buffer(b, meta); });
    if (!known) buffers_.push_back(meta);
  };
  for (const darwinn::Bitstream& b : executable.bitstreams) {
    for (const darwinn::FieldOffset& f : b.field_offsets) add(f.meta);
  }
  if (!executable.dma_hints) return;
  for (const darwinn::DmaHint& h : executable.dma_hints->hints) {
    if (h.kind == HintKind::descriptor) add(h.meta);
  }
}

std::optional<uint64_t> Buffers::address(const darwinn::Meta& meta) const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (same_buffer(buffers_[i], meta)) return address_of(i);
  }
  return std::nullopt;
}

std::optional<std::pair<darwinn::Meta, uint64_t>> Buffers::place(uint64_t address) const {
  if (address < address_of(0)) return std::nullopt;
  const auto index = static_cast<size_t>((address - address_of(0)) >> 33U);
  if (index >= buffers_.size()) return std::nullopt;
  return std::pair(buffers_[index], address - address_of(index));
}

std::string Buffers::describe(uint64_t address) const {
  const auto found = place(address);
  if (!found) return "address " + std::to_string(address);
  const auto& [m, offset] = *found;
  std::string text(darwinn::name(m.base));
  if (!m.name.empty()) text += " '" + m.name.substr(0, 80) + "'";
  return text + " + " + std::to_string(offset);
}

std::vector<Descriptor> announced(const darwinn::Executable& e, const Buffers& buffers) {
  std::vector<Descriptor> list;
  if (!e.dma_hints) return list;
  for (const darwinn::DmaHint& h : e.dma_hints->hints) {
    if (h.kind == HintKind::interrupt) {
      list.push_back(
          {static_cast<uint32_t>(Tag::interrupt0) + static_cast<uint32_t>(h.interrupt), 0, 0, 0});
    } else if (h.kind == HintKind::descriptor) {
      list.push_back({tag_of(h),
                      buffers.address(h.meta).value_or(0) + static_cast<uint64_t>(h.offset),
                      static_cast<uint32_t>(h.size), 0});
    }
  }
  return list;
}

std::vector<Descriptor> joined(const std::vector<Descriptor>& descriptors) {
  std::vector<Descriptor> list;
  for (const Descriptor& d : descriptors) {
    const bool goes_on = !list.empty() && d.length != 0 && list.back().tag == d.tag &&
                         list.back().address + list.back().length == d.address &&
                         uint64_t{list.back().length} + d.length <= UINT32_MAX;
    if (goes_on) {
      list.back().length += d.length;
    } else {
      list.push_back(d);
    }
  }
  return list;
}

Result<ScalarCore> run_scalar(const darwinn::Executable& e, const Buffers& buffers,
                              ScalarLimits limits) {
  return run_scalar(e, buffers, limits, {});
}

Result<ScalarCore> run_scalar(const darwinn::Executable& e, const Buffers& buffers,
                              ScalarLimits limits, const OtherEngine& other) {
  ScalarCore core(limits);
  for (const size_t chunk : order_of_chunks(e)) {
    EDGETWIN_TRY_ASSIGN(const Bytes patched,
                        darwinn::relocate(e.bitstreams[chunk], [&](const darwinn::Meta& meta) {
                          return buffers.address(meta);
                        }));
    ScalarCore::Other told;
    if (other) told = [&](ScalarCore& c, size_t word) { return other(c, chunk, word); };
    Status status = core.run(patched, told);
    if (status.ok()) continue;
    Error& error = status.error();
    error.place.field = std::string(darwinn::name(e.type)) + " bitstream " + std::to_string(chunk);
    return std::move(status).error();
  }
  return core;
}

Result<TransferCheck> check_transfers(const darwinn::Executable& e, ScalarLimits limits) {
  const Buffers buffers(e);
  EDGETWIN_TRY_ASSIGN(const ScalarCore core, run_scalar(e, buffers, limits));
  TransferCheck check;
  check.issued = core.descriptors();
  check.expected = announced(e, buffers);
  if (check.issued == check.expected) return check;
  check.issued = joined(check.issued);
  check.expected = joined(check.expected);
  check.agreement = check.issued == check.expected ? Agreement::joined : Agreement::different;
  if (check.agreement == Agreement::different) {
    check.first_difference = first_difference(check, buffers);
  }
  return check;
}

}  // namespace edgetwin::edgetpu
