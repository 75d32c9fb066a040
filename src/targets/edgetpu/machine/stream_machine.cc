#include "targets/edgetpu/machine/stream_machine.h"

#include <algorithm>
#include <bit>

#include "targets/edgetpu/machine/engines/output.h"
#include "targets/edgetpu/machine/schedule.h"
#include "targets/edgetpu/program/trace.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr std::string_view kProgramName = "the program that was sent";
constexpr size_t kMostPrograms = 32;  // decoded and kept

bool has_tag(const Descriptor& d, Tag tag) { return d.tag == static_cast<uint32_t>(tag); }

// A transfer to the chip that reads where the program has written before: `at` bytes into transfer
// `input`, from byte `sent` of all that it sent. A later write of the same place counts.
std::vector<Returned> returned_of(const std::vector<Descriptor>& transfers) {
  struct Write {
    uint64_t address, length, sent;
  };
  std::vector<Write> writes;
  std::vector<Returned> all;
  uint64_t sent = 0;
  size_t input = 0;
  for (const Descriptor& d : transfers) {
    if (has_tag(d, Tag::output)) {
      writes.push_back({d.address, d.length, sent});
      sent += d.length;
    }
    if (!has_tag(d, Tag::input)) continue;
    for (const Write& w : writes) {
      const uint64_t first = std::max(w.address, d.address);
      const uint64_t end = std::min(w.address + w.length, d.address + d.length);
      if (first >= end) continue;
      all.push_back({input, w.sent + (first - w.address), first - d.address, end - first});
    }
    ++input;
  }
  return all;
}

int64_t macs_of(const Steps& steps) {
  constexpr uint64_t kLaneProducts = 256;  // of a tile in one iteration: 64 lanes, 4 numbers each
  uint64_t sum = 0;
  for (const Step& s : steps.list) {
    if (!s.nest || !s.nest->weighted()) continue;
    sum += s.nest->loops() * kLaneProducts * static_cast<uint64_t>(std::popcount(s.tiles));
  }
  return static_cast<int64_t>(sum);
}

}  // namespace

struct StreamMachine::Decoded {
  darwinn::Executable executable;  // the steps point into its bitstreams
  Steps steps;
  std::vector<Descriptor> transfers;
  std::vector<Returned> returned;
  int64_t macs = 0;
};

StreamMachine::StreamMachine(MachineLimits limits) : limits_(limits) {}
StreamMachine::~StreamMachine() = default;

// A driver resets the chip several times before the first program, and memories are large.
void StreamMachine::reset() { core_.reset(); }

Core& StreamMachine::core() {
  if (core_ == nullptr) {
    core_ = std::make_unique<Core>();
    core_->limits = limits_;
  }
  return *core_;
}

Result<const StreamMachine::Decoded*> StreamMachine::decoded(uint64_t program,
                                                             const std::vector<Bytes>& chunks) {
  if (const auto found = programs_.find(program); found != programs_.end()) {
    return static_cast<const Decoded*>(found->second.get());
  }
  auto d = std::make_unique<Decoded>();
  for (const Bytes& chunk : chunks) d->executable.bitstreams.push_back({chunk, {}, {}});
  const Buffers no_buffers(d->executable);  // the addresses are there already
  EDGETWIN_TRY_ASSIGN(const Trace trace, trace_of(d->executable, no_buffers, limits_.repeats));
  EDGETWIN_TRY_ASSIGN(d->steps, make_steps(trace, std::string(kProgramName)));
  d->transfers = trace.transfers;
  d->returned = returned_of(trace.transfers);
  d->macs = macs_of(d->steps);
  if (programs_.size() >= kMostPrograms) programs_.clear();
  return static_cast<const Decoded*>((programs_[program] = std::move(d)).get());
}

int64_t StreamMachine::macs(uint64_t program, const std::vector<Bytes>& chunks) {
  const auto d = decoded(program, chunks);
  return d.ok() ? (*d)->macs : 0;
}

Result<StreamRun> StreamMachine::run(uint64_t program, const std::vector<Bytes>& chunks,
                                     ByteSpan input, ByteSpan parameters) {
  EDGETWIN_TRY_ASSIGN(const Decoded* d, decoded(program, chunks));
  Core& core = this->core();
  core.begin(d->executable, std::string(kProgramName), d->steps, parameters);
  size_t at = 0;
  for (const Descriptor& t : d->transfers) {
    if (!has_tag(t, Tag::input)) continue;
    Bytes part(t.length);
    const size_t there = std::min<size_t>(part.size(), input.size() - at);
    std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(at), there, part.begin());
    at += there;
    if (there < part.size()) {
      for (const Returned& r : d->returned) {
        if (r.input == core.inputs.size()) core.returned.push_back(r);
      }
    }
    core.inputs.push_back(std::move(part));
  }
  EDGETWIN_TRY(run_steps(core));
  EDGETWIN_TRY_ASSIGN(HostOutput output, output_of(core, d->executable, d->transfers));
  StreamRun ran;
  for (const Bytes& part : core.inputs) {
    ran.input.insert(ran.input.end(), part.begin(), part.end());
  }
  ran.parameters = to_bytes(parameters);
  ran.sent = std::move(output.bytes);
  core.parameters = {};
  return ran;
}

}  // namespace edgetwin::edgetpu::machine
