#include "targets/edgetpu/debugger/debugger.h"

#include <algorithm>
#include <cstring>

#include "formats/darwinn/relocate.h"
#include "targets/edgetpu/machine/engines/host.h"
#include "targets/edgetpu/machine/schedule.h"
#include "targets/edgetpu/program/trace.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu {
namespace {

using darwinn::Executable;
using machine::Core;

std::string name_of(const Executable& e) { return std::string(darwinn::name(e.type)); }

Result<std::vector<Bytes>> relocated(const Executable& e, const Buffers& buffers) {
  std::vector<Bytes> chunks;
  for (const darwinn::Bitstream& b : e.bitstreams) {
    EDGETWIN_TRY_ASSIGN(Bytes bytes, darwinn::relocate(b, [&](const darwinn::Meta& meta) {
                          return buffers.address(meta);
                        }));
    chunks.push_back(std::move(bytes));
  }
  return chunks;
}

// A raw program has no layers: its transfers take the input one after the other.
std::vector<Bytes> raw_inputs(const std::vector<Descriptor>& transfers, ByteSpan input) {
  std::vector<Bytes> parts;
  for (const Descriptor& d : transfers) {
    if (d.tag != static_cast<uint32_t>(Tag::input)) continue;
    Bytes part(d.length);
    const size_t there = std::min(part.size(), input.size());
    std::copy_n(input.begin(), there, part.begin());
    input = input.subspan(there);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

struct Debugger::State {
  DebugSource source;
  std::vector<Bytes> chunks;  // with addresses
  DecodedProgram program;     // of them
  Core core;
  std::unique_ptr<machine::StepRun> engines;
  ScalarCore scalar;
  ScalarCore::Place place;
  size_t chunk = 0;
  size_t next_step = 0;  // of the engines' list that the scalar core has not come to
  size_t pushed = 0;     // words of the scalar core's output that are in `sent`
  uint64_t steps = 0;
  Bytes sent;

  Status prepare();
  Status begin_program(const Executable& e, const std::vector<Bytes>& layers);
  Status engine(size_t word, Executed& executed);
  Status run_to(size_t index, Executed& executed);
  void push_output();
  void give(const machine::Step& step);
};

// The engines' side of a program.
Status Debugger::State::begin_program(const Executable& e, const std::vector<Bytes>& layers) {
  const Buffers buffers(e);
  EDGETWIN_TRY_ASSIGN(const Trace trace, trace_of(e, buffers, source.limits.repeats));
  EDGETWIN_TRY_ASSIGN(machine::Steps made, machine::make_steps(trace, name_of(e)));
  core.begin(e, name_of(e), std::move(made), e.parameters);
  if (source.raw) {
    core.inputs = raw_inputs(trace.transfers, layers.empty() ? ByteSpan() : ByteSpan(layers[0]));
  } else if (e.type != darwinn::ExecutableType::parameter_caching) {
    EDGETWIN_TRY_ASSIGN(const machine::HostPlan plan,
                        machine::plan_host(e, buffers, trace.transfers));
    if (layers.size() != e.inputs.size()) {
      return Error(ErrorCode::bad_value, "the program takes " + std::to_string(e.inputs.size()) +
                                             " inputs, given are " + std::to_string(layers.size()));
    }
    core.inputs = machine::inputs_of(plan, {layers.begin(), layers.end()});
    core.returned = plan.returned;
  }
  return Ok{};
}

Status Debugger::State::prepare() {
  core.limits = source.limits;
  if (source.before != nullptr) {
    EDGETWIN_TRY(begin_program(*source.before, {}));
    EDGETWIN_TRY(machine::run_steps(core));
  }
  const Executable& e = *source.program;
  if (e.bitstreams.empty()) return Error(ErrorCode::bad_value, "the executable has no bitstream");
  EDGETWIN_TRY(begin_program(e, source.layers));
  EDGETWIN_TRY_ASSIGN(chunks, relocated(e, Buffers(e)));
  EDGETWIN_TRY_ASSIGN(program, decode_whole({chunks.begin(), chunks.end()}));
  engines = std::make_unique<machine::StepRun>(core);
  place = ScalarCore::Place(chunks[0]);
  return Ok{};
}

// What the scalar core itself has sent since.
void Debugger::State::push_output() {
  const std::vector<uint32_t>& words = scalar.output();
  const size_t end = sent.size();
  sent.resize(end + (words.size() - pushed) * 4);
  if (pushed < words.size()) {
    std::memcpy(sent.data() + end, words.data() + pushed, (words.size() - pushed) * 4);
  }
  pushed = words.size();
}

// What an outfeed brings: to the host, or into the memory of the scalar core.
void Debugger::State::give(const machine::Step& s) {
  if (s.data == nullptr) return;
  push_output();
  if (s.to_host) {
    sent.insert(sent.end(), s.data->begin(), s.data->end());
    return;
  }
  for (size_t k = 0; k + 4 <= s.data->size(); k += 4) {
    uint32_t value = 0;
    std::memcpy(&value, s.data->data() + k, 4);
    scalar.set_memory(s.memory_word + k / 4, value);
  }
}

Status Debugger::State::run_to(size_t index, Executed& executed) {
  std::vector<machine::Step>& list = core.steps.list;
  while (!list[index].done) {
    EDGETWIN_TRY_ASSIGN(const std::vector<size_t> ran, engines->advance());
    for (const size_t n : ran) executed.engine.push_back(list[n].number);
  }
  return Ok{};
}

// The scalar core has come to an instruction that is not its own.
Status Debugger::State::engine(size_t word, Executed& executed) {
  const std::vector<machine::Step>& list = core.steps.list;
  if (next_step >= list.size()) return Ok{};
  const machine::Step& s = list[next_step];
  if (s.chunk != chunk || s.word != word) return Ok{};  // none of the tile engines
  EDGETWIN_TRY(run_to(next_step, executed));
  ++next_step;
  if (s.opcode == Opcode::outfeed) give(s);
  return Ok{};
}

Debugger::Debugger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Debugger::~Debugger() = default;

Result<std::unique_ptr<Debugger>> Debugger::make(const DebugSource& source) {
  auto state = std::make_unique<State>();
  state->source = source;
  EDGETWIN_TRY(state->prepare());
  return std::unique_ptr<Debugger>(new Debugger(std::move(state)));
}

Result<Debugger::Executed> Debugger::step() {
  State& s = *state_;
  Executed executed;
  executed.number = number();
  if (finished()) return executed;
  const auto other = [&](ScalarCore&, size_t word) { return s.engine(word, executed); };
  EDGETWIN_TRY(s.scalar.step(s.place, other));
  ++s.steps;
  if (!s.place.halted) return executed;
  s.push_output();
  if (s.chunk + 1 < s.chunks.size()) {
    ++s.chunk;
    s.place = ScalarCore::Place(s.chunks[s.chunk]);
  } else if (s.next_step != s.core.steps.list.size()) {
    return s.core.error(ErrorCode::chip_unknown, "data decide which way the scalar core goes",
                        s.core.steps.list[s.next_step]);
  }
  return executed;
}

bool Debugger::finished() const { return state_->place.halted; }
const DecodedProgram& Debugger::program() const { return state_->program; }
size_t Debugger::chunk() const { return state_->chunk; }
size_t Debugger::pc() const { return state_->place.pc; }
size_t Debugger::number() const { return state_->program.at_word(chunk(), pc()); }
uint64_t Debugger::steps() const { return state_->steps; }
const ScalarCore& Debugger::scalar() const { return state_->scalar; }
const Bytes& Debugger::sent() const { return state_->sent; }

Bytes Debugger::read(const MemoryWindow& w) const {
  if (w.memory == MemoryWindow::Memory::scalar) {
    Bytes bytes(w.size);
    for (size_t k = 0; k < bytes.size(); ++k) {
      const uint32_t word = state_->scalar.memory((w.begin + k) / 4);
      bytes[k] = static_cast<std::byte>((word >> ((w.begin + k) % 4 * 8)) & 0xffU);
    }
    return bytes;
  }
  const machine::Tile& tile = state_->core.tiles[w.tile];
  const machine::TileMemory& from =
      w.memory == MemoryWindow::Memory::narrow ? tile.narrow : tile.wide;
  return to_bytes(ByteSpan(from.data(), from.size()).subspan(w.begin, w.size));
}

Result<std::optional<Debugger::Change>> Debugger::last_change(const MemoryWindow& w) const {
  EDGETWIN_TRY(check(w));
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Debugger> again, make(state_->source));
  std::optional<Change> last;
  Bytes before = again->read(w);
  while (again->steps() < steps()) {
    EDGETWIN_TRY_ASSIGN(Executed executed, again->step());
    Bytes now = again->read(w);
    if (now == before) continue;
    last = Change{again->steps(), std::move(executed)};
    before = std::move(now);
  }
  return last;
}

}  // namespace edgetwin::edgetpu
