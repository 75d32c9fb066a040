#include "targets/edgetpu/sync/sync.h"

#include <array>

#include "targets/edgetpu/machine/engines/host.h"
#include "targets/edgetpu/machine/engines/output.h"
#include "targets/edgetpu/sync/effect.h"
#include "targets/edgetpu/sync/executor.h"

namespace edgetwin::edgetpu::sync {
namespace {

using darwinn::Executable;
using machine::HostPlan;
using machine::Steps;

struct Followed {
  Steps steps;
  std::vector<Item> items;
  std::vector<Descriptor> transfers;
  HostPlan host;
};

bool is_waited_for(Opcode o) {
  return is_engine(o) || o == Opcode::tile_sync || o == Opcode::sync || o == Opcode::infeed;
}

Result<Followed> follow(const Executable& e, const machine::MachineLimits& limits) {
  const Buffers buffers(e);
  EDGETWIN_TRY_ASSIGN(const Trace trace, trace_of(e, buffers, limits.repeats));
  Followed f;
  EDGETWIN_TRY_ASSIGN(f.steps, machine::make_steps(trace, std::string(darwinn::name(e.type))));
  EDGETWIN_TRY_ASSIGN(f.host, machine::plan_host(e, buffers, trace.transfers));
  f.transfers = trace.transfers;
  size_t step = 0;
  for (const Visit& v : trace.visits) {
    const Opcode opcode = v.instruction.opcode();
    if (!is_waited_for(opcode)) continue;
    Item item;
    item.instruction = v.instruction;
    item.tiles = v.tiles;
    if (is_engine(opcode)) item.step = step++;
    f.items.push_back(item);
  }
  return f;
}

// Tensor instructions of one layer have the same kind, zero points, limits and multiplier.
class LayerNumber {
 public:
  uint32_t next(const Instruction& i) {
    if (tile_engine(i.opcode()) != 0 || i.opcode() == Opcode::table) return number_;
    constexpr std::array<std::pair<size_t, unsigned>, 5> kIdentity = {
        {{1840, 22}, {1870, 9}, {1949, 64}, {2013, 64}, {2077, 20}}};
    std::array<uint64_t, 5> now{};
    for (size_t k = 0; k < now.size(); ++k) {
      now.at(k) = i.bits(kIdentity.at(k).first, kIdentity.at(k).second);
    }
    if (last_ && *last_ != now) ++number_;
    last_ = now;
    return number_;
  }

 private:
  uint32_t number_ = 0;
  std::optional<std::array<uint64_t, 5>> last_;
};

SyncReport report_of(const Executor& executor, const std::vector<Item>& items, const Steps& steps) {
  SyncReport report;
  report.races = executor.races();
  report.checked = executor.race_counts();
  report.standstill = executor.standstill();
  report.time = executor.end_time();
  report.busy = executor.busy();
  if (!report.races.empty()) {
    for (const Step& s : steps.list) report.steps.push_back(machine::describe(s));
  }
  if (report.busy.empty()) return report;
  LayerNumber layer;
  for (const Item& item : items) {
    report.items.push_back({item.instruction.info->name,
                            static_cast<uint32_t>(item.instruction.get_or_zero("operation")),
                            layer.next(item.instruction)});
  }
  return report;
}

Result<SyncReport> run_items(machine::Core& core, const std::vector<Item>& items,
                             const SyncOptions& options) {
  Executor executor(core, items, options);
  EDGETWIN_TRY(executor.run());
  return report_of(executor, items, core.steps);
}

}  // namespace

const std::vector<CostRow>& all_costs() {
  static const std::vector<CostRow> kRows = {
#define COST(name, value, unit, evidence, source) {#name, value, unit, evidence, source},
#include "targets/edgetpu/sync/cost.def"
#undef COST
  };
  return kRows;
}

Result<darwinn::Package> with_exact_lines(const darwinn::Package& package) {
  darwinn::Package exact = package;
  const Executable* inference = exact.inference();
  if (inference == nullptr) return exact;
  EDGETWIN_TRY_ASSIGN(const Followed f, follow(*inference, {}));
  auto& bitstreams =
      exact.executables[static_cast<size_t>(inference - exact.executables.data())].bitstreams;
  for (const auto& [number, start] : exact_starts(f.items)) {
    const Step& s = f.steps.list[number];
    const FieldInfo& field = *find_field(s.opcode, "wait.start");
    for (const Watcher& w : watchers_of(s.instruction())) {
      if (w.counter != TileCounter::wide_to_narrow) continue;
      set_bits(std::span(bitstreams[s.chunk].data).subspan(s.word * kWordBytes),
               field.bit_of(w.element), field.width, static_cast<uint64_t>(int64_t{start}));
    }
  }
  return exact;
}

Result<std::shared_ptr<StepPlan>> plan_at(const Executable& e, size_t chunk, size_t word) {
  EDGETWIN_TRY_ASSIGN(Followed f, follow(e, {}));
  machine::Core core;
  core.begin(e, std::string(darwinn::name(e.type)), std::move(f.steps), e.parameters);
  for (size_t k = 0; k < core.steps.list.size(); ++k) {
    const Step& s = core.steps.list[k];
    if (s.chunk == chunk && s.word == word)
      return make_plan(core, k, {.exact_start = {}, .every_place = true});
  }
  return Error(ErrorCode::chip_stream, "the program does not come to the instruction");
}

Result<SyncMachine> SyncMachine::make(const darwinn::Package& package, SyncOptions options) {
  SyncMachine m;
  m.options_ = std::move(options);
  m.inference_ = package.inference();
  if (m.inference_ == nullptr) {
    return Error(ErrorCode::chip_stream, "the package has no program for inference");
  }
  m.core_ = std::make_unique<machine::Core>();
  m.core_->limits = m.options_.limits;
  m.core_->plain = m.options_.plain;
  if (const Executable* caching = package.find(darwinn::ExecutableType::parameter_caching)) {
    EDGETWIN_TRY_ASSIGN(Followed f, follow(*caching, m.options_.limits));
    m.core_->begin(*caching, std::string(darwinn::name(caching->type)), std::move(f.steps),
                   caching->parameters);
    EDGETWIN_TRY_ASSIGN(m.caching_, run_items(*m.core_, f.items, m.options_));
  }
  return m;
}

Result<std::vector<Bytes>> SyncMachine::run(const std::vector<ByteSpan>& inputs) {
  const Executable& e = *inference_;
  machine::Core& core = *core_;
  if (inputs.size() != e.inputs.size()) {
    return Error(ErrorCode::chip_stream, "the program takes another number of inputs")
        .detail(std::to_string(e.inputs.size()) + ", given are " + std::to_string(inputs.size()));
  }
  EDGETWIN_TRY_ASSIGN(Followed f, follow(e, options_.limits));
  core.begin(e, std::string(darwinn::name(e.type)), std::move(f.steps), e.parameters);
  core.inputs = machine::inputs_of(f.host, inputs);
  core.returned = f.host.returned;
  EDGETWIN_TRY_ASSIGN(report_, run_items(core, f.items, options_));
  if (report_.standstill) return std::vector<Bytes>();
  EDGETWIN_TRY_ASSIGN(const machine::HostOutput output, machine::output_of(core, e, f.transfers));
  return machine::outputs_of(f.host, e, output.bytes);
}

}  // namespace edgetwin::edgetpu::sync
