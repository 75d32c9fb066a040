// Whole networks beside ONNX Runtime: the same network, the same inputs, in turns, one and two
// threads; what the outputs differ by says whether the race is fair.
//
//   bench_compare [--onnxruntime FOLDER] [--rounds N] [--isa NAME] NETWORK...
//
// FOLDER is where `npm install --ignore-scripts onnxruntime-node` was run; without it only ours is
// measured. One thread is measured in processor time, two in wall time, the least of all single
// runs: what else the machine does only adds to it.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/rng.h"
#include "compare/onnx_form.h"
#include "compare/peer.h"
#include "edgetwin/network.h"
#include "twin/load.h"

namespace edgetwin::bench {
namespace {

struct Options {
  std::string installed, isa;
  int rounds = 9;
  std::vector<std::string> networks;
};

// What the outputs of both differ by.
struct Difference {
  double largest = 0, sum = 0,
         count = 0;  // in steps of the output; of floats in 1/256 of its range
  double mean() const { return count > 0 ? sum / count : 0; }
};

struct Row {
  std::string name;
  double ours[2] = {}, peer[2] = {};
  double macs = 0;
  Difference difference;
  std::string why_no_peer;
};

// The graph with all shapes, without decoders.
struct Subject {
  std::string name, numerics;
  std::shared_ptr<const Graph> graph;
};

Result<Subject> subject_of(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(file));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel model, twin::load_model(file));
  Graph graph = without_decoders(*model.graph());
  EDGETWIN_TRY_ASSIGN(exec::Session planned,
                      exec::Session::create(std::make_shared<const Graph>(graph),
                                            {.numerics = network.numerics()}));
  for (size_t i = 0; i < graph.values.size(); ++i) {
    Value& v = graph.values[i];
    const auto id = static_cast<ValueId>(i);
    v.shape = planned.shape(id);
    if (planned.memory().placements[i].kind == exec::Placement::Kind::constant &&
        !v.is_constant()) {
      v.constant = std::make_shared<const Bytes>(to_bytes(planned.bytes(id)));
    }
  }
  std::erase_if(graph.ops, [&](const Op& op) {
    return std::all_of(op.outputs.begin(), op.outputs.end(),
                       [&](ValueId id) { return graph.value(id).is_constant(); });
  });
  const std::filesystem::path path = file;
  const std::string name = path.filename() == "model.espdl" ? path.parent_path().filename().string()
                                                            : path.stem().string();
  return Subject{name, network.numerics(), std::make_shared<const Graph>(std::move(graph))};
}

Status fill(exec::Session& session) {
  XorShift32 random(7);
  for (size_t i = 0; i < session.graph().inputs.size(); ++i) {
    const Value& v = session.graph().value(session.graph().inputs[i]);
    Bytes data(static_cast<size_t>(storage_bytes(v.dtype, v.shape.elements())));
    for (std::byte& b : data) b = static_cast<std::byte>(random.byte());
    if (v.dtype == DType::float32) {
      const std::span<float> reals(reinterpret_cast<float*>(data.data()), data.size() / 4);
      for (float& x : reals) x = static_cast<float>(random.byte()) / 128.0F - 1.0F;
    }
    EDGETWIN_TRY(session.set_input(i, data));
  }
  return Ok{};
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Result<Times> run_ours(exec::Session& session, int count) {
  using Clock = std::chrono::steady_clock;
  Times least{1e9, 1e9};
  for (int i = 0; i < count; ++i) {
    const double used = processor_seconds();
    const auto begin = Clock::now();
    EDGETWIN_TRY(session.run());
    least.processor = std::min(least.processor, processor_seconds() - used);
    least.wall = std::min(least.wall, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least;
}

void add_difference(const Tensor& ours, const Bytes& theirs, Difference& d) {
  const bool real = ours.dtype == DType::float32;
  double range = 1;
  const int64_t elements = ours.shape.elements();
  if (real) {
    double most = 0;
    for (int64_t i = 0; i < elements; ++i) {
      most = std::max(most, std::abs(element_as_double(ours.dtype, ours.data, i)));
    }
    range = std::max(most, 1e-9) / 256;
  }
  for (int64_t i = 0; i < elements; ++i) {
    const double step = std::abs(element_as_double(ours.dtype, ours.data, i) -
                                 element_as_double(ours.dtype, theirs, i)) /
                        range;
    d.largest = std::max(d.largest, step);
    d.sum += step;
    d.count += 1;
  }
}

Status compare_outputs(const exec::Session& session, const Peer& peer, Difference& d) {
  for (size_t i = 0; i < session.graph().outputs.size(); ++i) {
    const Tensor ours = session.output(i);
    EDGETWIN_TRY_ASSIGN(const Bytes theirs, peer.output(i));
    if (theirs.size() != ours.data.size()) {
      return Error(ErrorCode::usage, "output " + std::to_string(i) + " has another size there");
    }
    add_difference(ours, theirs, d);
  }
  return Ok{};
}

// Rounds of about 30 ms, in turns.
Status race(exec::Session& session, Peer* peer, const Options& o, int threads, Row& row) {
  EDGETWIN_TRY_ASSIGN(const Times first, run_ours(session, 2));
  const int count = std::clamp(static_cast<int>(0.03 / first.wall), 1, 200);
  double ours = 1e9, theirs = 1e9;
  const auto taken = [&](const Times& t) { return threads == 1 ? t.processor : t.wall; };
  for (int i = 0; i < o.rounds; ++i) {
    EDGETWIN_TRY_ASSIGN(const Times a, run_ours(session, count));
    ours = std::min(ours, taken(a));
    if (peer == nullptr) continue;
    EDGETWIN_TRY_ASSIGN(const Times b, peer->run(count));
    theirs = std::min(theirs, taken(b));
  }
  row.ours[threads - 1] = ours;
  if (peer != nullptr) row.peer[threads - 1] = theirs;
  return Ok{};
}

Result<Row> measure(const std::string& file, const Options& o) {
  EDGETWIN_TRY_ASSIGN(const Subject subject, subject_of(file));
  Row row;
  row.name = subject.name;
  const auto form = onnx_form(*subject.graph);
  if (!form.ok()) row.why_no_peer = form.error().message;
  for (const int threads : {1, 2}) {
    EDGETWIN_TRY_ASSIGN(
        exec::Session session,
        exec::Session::create(subject.graph,
                              {.numerics = subject.numerics, .threads = threads, .isa = o.isa}));
    EDGETWIN_TRY(fill(session));
    EDGETWIN_TRY(session.run());
    std::unique_ptr<Peer> peer;
    if (form.ok() && !o.installed.empty()) {
      EDGETWIN_TRY_ASSIGN(peer, Peer::start(*form, session, o.installed, threads));
      if (threads == 1) EDGETWIN_TRY(compare_outputs(session, *peer, row.difference));
    }
    if (threads == 1) {
      for (const exec::Step& s : session.steps()) row.macs += static_cast<double>(s.macs);
    }
    EDGETWIN_TRY(race(session, peer.get(), o, threads, row));
  }
  return row;
}

void print(const Row& r) {
  std::printf("| %s | %.2f |", r.name.c_str(), r.ours[0] * 1e3);
  if (r.peer[0] > 0) {
    std::printf(" %.2f | %.2f |", r.peer[0] * 1e3, r.peer[0] / r.ours[0]);
  } else {
    std::printf(" - | - |");
  }
  std::printf(" %.2f | %.2f |", r.ours[1] * 1e3, r.ours[0] / r.ours[1]);
  if (r.peer[1] > 0) {
    std::printf(" %.2f | %.2f |", r.peer[1] * 1e3, r.peer[1] / r.ours[1]);
  } else {
    std::printf(" - | - |");
  }
  std::printf(" %.1f | %.0f, %.2f |\n", r.macs / r.ours[0] * 1e-9, r.difference.largest,
              r.difference.mean());
  if (!r.why_no_peer.empty()) std::printf("%s\n", r.why_no_peer.c_str());
  std::fflush(stdout);
}

int compare(const Options& o) {
  std::printf(
      "| network | ours, ms | peer, ms | ratio | two threads, ms | gain | peer, ms | ratio | "
      "GMAC/s | largest, mean difference |\n|---|---|---|---|---|---|---|---|---|---|\n");
  double logs = 0, least = 1e9;
  int count = 0, failed = 0;
  for (const std::string& file : o.networks) {
    const auto row = measure(file, o);
    if (!row.ok()) {
      std::fprintf(stderr, "%s: %s\n", file.c_str(), row.error().message.c_str());
      failed = 1;
      continue;
    }
    print(*row);
    if (row->peer[0] <= 0) continue;
    const double ratio = row->peer[0] / row->ours[0];
    logs += std::log(ratio);
    least = std::min(least, ratio);
    ++count;
  }
  if (count > 0) {
    std::printf("\n%d networks, one thread: geometric mean %.2f, least %.2f\n", count,
                std::exp(logs / count), least);
  }
  return failed;
}

bool parse(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (!arg.starts_with("--")) {
      o.networks.emplace_back(arg);
      continue;
    }
    if (++i == argc) return false;
    if (arg == "--onnxruntime") {
      o.installed = argv[i];
    } else if (arg == "--isa") {
      o.isa = argv[i];
    } else if (arg == "--rounds") {
      o.rounds = std::max(1, std::atoi(argv[i]));
    } else {
      return false;
    }
  }
  return !o.networks.empty();
}

}  // namespace
}  // namespace edgetwin::bench

int main(int argc, char** argv) {
  edgetwin::bench::Options options;
  if (!edgetwin::bench::parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: bench_compare [--onnxruntime FOLDER] [--rounds N] [--isa NAME] "
                 "NETWORK...\n");
    return 2;
  }
  return edgetwin::bench::compare(options);
}
