#include "targets/edgetpu/compile/proof/proof.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>

#include "base/parallel.h"
#include "base/rng.h"
#include "exec/session.h"
#include "formats/darwinn/relayout.h"
#include "targets/edgetpu/compile/proof/read_again.h"
#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/machine/machine.h"
#include "targets/edgetpu/sync/sync.h"
#include "transform/subgraph.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint64_t kOrders = 3;  // in which engines that may go on are taken
constexpr int64_t kManySteps = 500'000;

// One set of inputs and what the twin makes of them.
struct Case {
  std::vector<Bytes> inputs, outputs;
};

std::vector<ByteSpan> spans_of(const std::vector<Bytes>& all) { return {all.begin(), all.end()}; }

Result<std::vector<Case>> cases_of(const Graph& whole, const Segment& segment,
                                   const ProofOptions& options) {
  std::vector<ValueId> given, states;
  for (const ValueId id : segment.inputs) {
    (whole.value(id).is_variable ? states : given).push_back(id);
  }
  std::vector<ValueId> results = segment.outputs;
  results.insert(results.end(), states.begin(), states.end());
  auto part = transform::subgraph(whole, given, segment.outputs);
  exec::Options numerics;
  numerics.numerics = "edgetpu";
  EDGETWIN_TRY_ASSIGN(
      exec::Session session,
      exec::Session::create(std::make_shared<const Graph>(std::move(part.graph)), numerics));
  std::vector<Case> cases;
  XorShift32 random(options.seed);
  for (int n = 0; n < options.inputs; ++n) {
    Case c;
    size_t next = 0;
    for (const ValueId id : segment.inputs) {
      if (whole.value(id).is_variable) {  // what the case before left
        c.inputs.push_back(to_bytes(session.bytes(id)));
        continue;
      }
      Bytes bytes(static_cast<size_t>(whole.value(id).shape.elements()));
      for (std::byte& b : bytes) b = static_cast<std::byte>(random.byte());
      EDGETWIN_TRY(session.set_input(next++, bytes));
      c.inputs.push_back(std::move(bytes));
    }
    EDGETWIN_TRY(session.run());
    for (const ValueId id : results) c.outputs.push_back(to_bytes(session.bytes(id)));
    cases.push_back(std::move(c));
  }
  return cases;
}

size_t differences(const Bytes& got, const Bytes& wanted) {
  if (got.size() != wanted.size()) return wanted.size();
  size_t n = 0;
  for (size_t k = 0; k < wanted.size(); ++k) n += got[k] != wanted[k] ? 1 : 0;
  return n;
}

void compare(const std::vector<Bytes>& got, const std::vector<Bytes>& wanted,
             const darwinn::Executable& e, GroupProof& p) {
  size_t different = 0;
  const bool first = p.differs.empty();
  for (size_t k = 0; k < wanted.size(); ++k) {
    p.bytes += wanted[k].size();
    const size_t n = k < got.size() ? differences(got[k], wanted[k]) : wanted[k].size();
    different += n;
    if (n == 0 || !first) continue;
    p.differs += (p.differs.empty() ? "'" : ", '") + e.outputs[k].name + "' in " +
                 std::to_string(n) + " of " + std::to_string(wanted[k].size()) + " bytes";
  }
  p.different += different;
  ++p.inputs;
  if (different == 0) ++p.equal;
}

void run_machine(const darwinn::Package& package, const std::vector<Case>& cases, GroupProof& p) {
  auto machine = machine::Machine::make(package);
  if (!machine.ok()) {
    p.error = to_text(machine.error());
    return;
  }
  for (const Case& c : cases) {
    auto outputs = machine->run_dense(spans_of(c.inputs));
    if (!outputs.ok()) {
      p.error = to_text(outputs.error());
      return;
    }
    compare(*outputs, c.outputs, *package.inference(), p);
  }
}

std::string text_of(const sync::Standstill& s) {
  std::string text;
  for (const auto& w : s.waiting) {
    text += (text.empty() ? "" : "; ") + w.engine + " at " + w.step + ": " + w.reason;
    if (text.size() > 2000) break;
  }
  return text.empty() ? "nothing goes on" : text;
}

// As they leave the chip, and as the host has them.
Result<std::vector<Bytes>> dense_outputs(const darwinn::Executable& e,
                                         const std::vector<Bytes>& wire) {
  std::vector<Bytes> all;
  for (size_t k = 0; k < e.outputs.size() && k < wire.size(); ++k) {
    EDGETWIN_TRY_ASSIGN(const darwinn::Relayout relayout, darwinn::Relayout::make(e.outputs[k]));
    Bytes dense(relayout.dense_bytes());
    if (wire[k].size() >= relayout.tiled_bytes()) {
      relayout.to_dense(ByteSpan(wire[k]).first(relayout.tiled_bytes()), dense);
    }
    darwinn::flip_sign(dense, e.outputs[k].data_type);
    all.push_back(std::move(dense));
  }
  return all;
}

// `seed`: among the engines that may go on any is taken, by this number.
void run_in_order(const darwinn::Package& package, const Case& c, std::optional<uint64_t> seed,
                  GroupProof& p) {
  sync::SyncOptions options;
  options.races = !seed;
  options.seed = seed;
  options.exact_lines = p.short_lines != 0;
  auto machine = sync::SyncMachine::make(package, options);
  if (!machine.ok()) {
    p.error = to_text(machine.error());
    return;
  }
  std::vector<Bytes> wire = c.inputs;
  const darwinn::Executable& e = *package.inference();
  for (size_t k = 0; k < wire.size(); ++k) {
    darwinn::flip_sign(wire[k], e.inputs[k].data_type);
  }
  auto outputs = machine->run(spans_of(wire));
  const auto take = [&](const sync::SyncReport& report) {
    p.races += report.races.size();
    if (report.standstill) p.standstill = text_of(*report.standstill);
  };
  take(machine->caching());
  if (!outputs.ok()) {
    p.error = to_text(outputs.error());
    return;
  }
  take(machine->report());
  if (!seed) p.steps = machine->report().time;
  if (machine->report().standstill) return;
  auto dense = dense_outputs(e, *outputs);
  if (!dense.ok()) {
    p.error = to_text(dense.error());
    return;
  }
  compare(*dense, c.outputs, e, p);
  p.order_checked = true;
}

// In the fixed order, with the check for races. Where only short lines race and that is allowed,
// with their true words.
void run_checked(const darwinn::Package& package, const Case& c, const ProofOptions& options,
                 GroupProof& p) {
  GroupProof plain = p;
  run_in_order(package, c, std::nullopt, plain);
  if (plain.races == 0 || !options.short_lines) {
    p = std::move(plain);
    return;
  }
  p.short_lines = plain.races;
  run_in_order(package, c, std::nullopt, p);
}

void count(const darwinn::Package& package, GroupProof& p) {
  for (const darwinn::Executable& e : package.executables) {
    const bool caching = e.type == darwinn::ExecutableType::parameter_caching;
    for (const darwinn::Bitstream& b : e.bitstreams) {
      (caching ? p.caching_bytes : p.program_bytes) += b.data.size();
      if (!caching) p.instructions += parse(b.data).instructions.size();
    }
  }
}

}  // namespace

bool GroupProof::holds() const {
  return error.empty() && standstill.empty() && races == 0 && inputs == equal;
}

bool Proof::holds() const {
  const bool clean = std::none_of(findings.begin(), findings.end(),
                                  [](const Finding& f) { return f.severity == Severity::error; });
  return read_back && clean &&
         std::all_of(groups.begin(), groups.end(), [](const GroupProof& g) { return g.holds(); });
}

namespace {

// What the program shows with its engines in order, after what it showed in the machine.
void add_orders(GroupProof&& orders, GroupProof& p) {
  if (!p.error.empty()) return;
  p.error = std::move(orders.error);
  p.inputs += orders.inputs;
  p.equal += orders.equal;
  p.bytes += orders.bytes;
  p.different += orders.different;
  if (p.differs.empty()) p.differs = std::move(orders.differs);
  p.order_checked = orders.order_checked;
  p.races = orders.races;
  p.short_lines = orders.short_lines;
  p.standstill = std::move(orders.standstill);
  p.steps = orders.steps;
}

void run_orders(const darwinn::Package& package, const Case& c, const ProofOptions& options,
                GroupProof& p) {
  run_checked(package, c, options, p);
  // The check for races is about every order; long programs are not run in more of them.
  const uint64_t most = p.steps < kManySteps ? kOrders : 1;
  for (uint64_t k = 1; k < most && p.error.empty(); ++k) run_in_order(package, c, k, p);
}

// Each thread takes the next one.
void run_all(const std::vector<std::function<void()>>& tasks) {
  const int threads = std::min(processors(), static_cast<int>(tasks.size()));
  std::atomic<size_t> next = 0;
  const auto work = [&](int64_t /*begin*/, int64_t /*end*/, int /*worker*/) {
    for (size_t n = next++; n < tasks.size(); n = next++) tasks[n]();
  };
  ThreadPool(threads).parallel_for(threads, 1, work);
}

}  // namespace

Result<Proof> prove(const Graph& source, const std::vector<ProvenGroup>& groups, ByteSpan file,
                    const ProofOptions& options) {
  Proof proof;
  proof.groups.resize(groups.size());
  std::vector<GroupProof> orders(groups.size());
  std::vector<std::vector<Case>> cases;
  for (const ProvenGroup& g : groups) {
    EDGETWIN_TRY_ASSIGN(std::vector<Case> of, cases_of(source, *g.segment, options));
    cases.push_back(std::move(of));
  }
  // None of these asks for what another one says; the longest first.
  std::vector<std::function<void()>> tasks;
  for (size_t n = 0; n < groups.size(); ++n) {
    const darwinn::Package& package = *groups[n].package;
    tasks.emplace_back([&, n] {
      if (options.order) run_orders(package, cases[n].front(), options, orders[n]);
    });
    tasks.emplace_back([&, n] {
      count(package, proof.groups[n]);
      run_machine(package, cases[n], proof.groups[n]);
    });
  }
  tasks.emplace_back([&] { read_again(source, file, proof); });
  run_all(tasks);
  if (!options.order) return proof;
  for (size_t n = 0; n < groups.size(); ++n) add_orders(std::move(orders[n]), proof.groups[n]);
  return proof;
}

}  // namespace edgetwin::edgetpu::compiler
