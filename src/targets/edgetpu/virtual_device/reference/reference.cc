#include "targets/edgetpu/virtual_device/reference/reference.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/virtual_device/reference/hint_streams.h"
#include "targets/edgetpu/virtual_device/reference/uploaded.h"

namespace edgetwin::edgetpu {
namespace {

using darwinn::ExecutableType;

constexpr int64_t kFewUses = 4;  // of a weight in one inference
constexpr int kPlainRuns = 3;    // with the same weights, before they are arranged for speed

bool same(ByteSpan a, ByteSpan b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

Error unknown(std::string message) {
  return Error(ErrorCode::stick_layer, std::move(message))
      .with_hint("Give the .tflite model that the compiled one was made from.");
}

}  // namespace

ReferenceCompute::ReferenceCompute(std::shared_ptr<const Library> library, int threads)
    : library_(std::move(library)), threads_(threads) {}
ReferenceCompute::~ReferenceCompute() = default;

const ReferenceCompute::Match& ReferenceCompute::match(const Request& request) {
  if (known_programs_ != library_->programs().size()) matches_.clear();
  known_programs_ = library_->programs().size();
  if (const auto found = matches_.find(request.program); found != matches_.end()) {
    return found->second;
  }
  constexpr size_t kMaxMatches = 4096;
  if (matches_.size() >= kMaxMatches) matches_.clear();
  Match m;
  const auto& programs = library_->programs();
  const size_t last = request.chunks.size() - 1;
  for (size_t i = 0; i < programs.size(); ++i) {
    const KnownProgram& p = programs[i];
    bool begins = request.chunks.size() <= p.order.size();
    for (size_t k = 0; begins && k <= last; ++k) {
      begins = p.is_chunk(p.order[k], request.chunks[k]);
    }
    if (begins) m.programs.push_back(i);
  }
  // A chunk that belongs elsewhere in a program is out of order, if it fits nowhere else.
  for (size_t i = 0; i < programs.size() && m.programs.empty() && m.wrong.empty(); ++i) {
    for (size_t c = 0; c < programs[i].masks.size(); ++c) {
      if (!programs[i].is_chunk(c, request.chunks[last])) continue;
      m.wrong = "it is chunk " + std::to_string(c) + " of " +
                std::to_string(programs[i].masks.size()) + " of " +
                library_->models()[programs[i].model].name;
    }
  }
  return matches_[request.program] = std::move(m);
}

std::optional<std::string> ReferenceCompute::check_chunk(const Request& request) {
  ran_ = false;
  const Match& m = match(request);
  if (m.wrong.empty()) return std::nullopt;
  return m.wrong;
}

const ReferenceCompute::Cached* ReferenceCompute::cached_for(const KnownModel& model,
                                                             bool* own) const {
  const darwinn::Executable* wanted = model.caching();
  for (const Cached& c : cached_) {
    for (size_t i = 0; i < c.programs.size(); ++i) {
      if (library_->programs()[c.programs[i]].executable != wanted) continue;
      if (own != nullptr) *own = c.own[i];
      return &c;
    }
  }
  return nullptr;
}

// Several learned models may have the same program; the one whose parameters are on the chip runs.
Result<const KnownProgram*> ReferenceCompute::choose(const Request& request) {
  const Match& m = match(request);
  const KnownProgram* best = nullptr;
  bool best_equal = false;
  const KnownModel* without = nullptr;
  for (const size_t i : m.programs) {
    const KnownProgram& p = library_->programs()[i];
    const KnownModel& model = library_->models()[p.model];
    bool equal = true;
    if (model.caching() != nullptr && cached_for(model, &equal) == nullptr) {
      without = &model;
      continue;
    }
    if (best == nullptr || (equal && !best_equal)) {
      best = &p;
      best_equal = equal;
    }
  }
  if (best != nullptr) return best;
  if (without == nullptr) return unknown("these instructions belong to no model that it knows");
  std::string why = "the parameters of '" + without->name + "' are not on the chip: ";
  why += lost_.empty() ? "its PARAMETER_CACHING program did not run since the last reset"
                       : "'" + lost_ + "', of another token, took their place";
  return Error(ErrorCode::stick_refused, std::move(why));
}

Result<ReferenceCompute::Runner*> ReferenceCompute::runner(const KnownProgram& program,
                                                           const Request& request) {
  const KnownModel& model = library_->models()[program.model];
  if (model.graph == nullptr) {
    return unknown("'" + model.name + "' is known, but not what it computes: " + model.why_not);
  }
  const Cached* cached = model.caching() == nullptr ? nullptr : cached_for(model);
  const uint64_t version = cached == nullptr ? 0 : cached->version;
  Runner& r = runners_[program.model];
  if (r.session != nullptr && r.cached == version && same(r.streamed, request.parameters)) {
    return &r;
  }
  const auto& executables = model.content->executables;
  UploadedBlobs blobs(executables.size());
  Bytes streamed;
  for (size_t i = 0; i < executables.size(); ++i) {
    if (&executables[i] == program.executable) {
      streamed = parameters_of(executables[i], request.parameters);
      blobs[i] = streamed;
    } else if (&executables[i] == model.caching()) {
      blobs[i] = cached->parameters;
    }
  }
  EDGETWIN_TRY_ASSIGN(UploadedGraph uploaded, with_uploaded(model, blobs));
  remarks_.insert(remarks_.end(), uploaded.remarks.begin(), uploaded.remarks.end());
  r.graph = std::move(uploaded.graph);
  EDGETWIN_TRY(plan(r, false));
  int64_t bytes = 0;
  for (const ByteSpan b : blobs) bytes += static_cast<int64_t>(b.size());
  // Where weights are used a few times only, arranging them for fast kernels takes longer than the
  // plain operators; both give the same bytes.
  if (r.macs > kFewUses * bytes) EDGETWIN_TRY(plan(r, true));
  r.cached = version;
  r.streamed = request.parameters;
  return &r;
}

Status ReferenceCompute::plan(Runner& r, bool fast) const {
  exec::Options options;
  options.numerics = "edgetpu";
  options.threads = threads_;
  options.fast = fast;
  EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(r.graph, options));
  r.session = std::make_unique<exec::Session>(std::move(session));
  r.fast = fast;
  r.runs = 0;
  r.macs = 0;
  for (const exec::Step& s : r.session->steps()) r.macs += s.folded ? 0 : s.macs;
  return Ok{};
}

Status ReferenceCompute::run(const KnownProgram& program, const Request& request) {
  const darwinn::Executable& e = *program.executable;
  const KnownModel& model = library_->models()[program.model];
  const InputBytes expected = input_bytes(e);
  if (request.input.size() + expected.scratch < expected.all) {
    return unknown("an output is wanted after " + std::to_string(request.input.size()) + " of " +
                   std::to_string(expected.all) + " bytes of input");
  }
  EDGETWIN_TRY_ASSIGN(Runner * r, runner(program, request));
  if (!r->fast && ++r->runs > kPlainRuns) EDGETWIN_TRY(plan(*r, true));
  std::vector<Bytes> inputs = inputs_of(e, request.input);
  for (const KnownInput& in : model.inputs) {
    const darwinn::Layer& l = e.inputs[in.layer];
    // The chip counts unsigned.
    darwinn::flip_sign(inputs[in.layer], l.data_type);
    const auto bytes = static_cast<size_t>(l.elements() * darwinn::bytes_of(l.data_type));
    EDGETWIN_TRY(r->session->set_input(in.graph_input, ByteSpan(inputs[in.layer]).first(bytes)));
  }
  r->session->reset_variables();
  EDGETWIN_TRY(r->session->run());
  std::vector<Bytes> layers(e.outputs.size());
  for (const KnownOutput& out : model.outputs) {
    const darwinn::Layer& l = e.outputs[out.layer];
    Bytes dense = to_bytes(r->session->bytes(r->session->graph().outputs[out.graph_output]));
    darwinn::flip_sign(dense, l.data_type);
    layers[out.layer].resize(out.relayout.tiled_bytes());
    out.relayout.to_tiled(dense, layers[out.layer]);
  }
  stream_ = output_stream(e, layers);
  return Ok{};
}

Result<Bytes> ReferenceCompute::output(const Request& request, const Descriptor& wanted) {
  EDGETWIN_TRY_ASSIGN(const KnownProgram* program, choose(request));
  const bool fresh =
      ran_ && ran_input_ == request.input.size() && ran_parameters_ == request.parameters.size();
  if (!fresh) {
    EDGETWIN_TRY(run(*program, request));
    ran_ = true;
    ran_input_ = request.input.size();
    ran_parameters_ = request.parameters.size();
  }
  if (request.delivered + wanted.length > stream_.size()) {
    return unknown("the program hands over more than the " + std::to_string(stream_.size()) +
                   " bytes that its file announces");
  }
  const auto begin = stream_.begin() + static_cast<std::ptrdiff_t>(request.delivered);
  return Bytes(begin, begin + wanted.length);
}

void ReferenceCompute::finished(const Request& request) {
  ran_ = false;
  const Match& m = match(request);
  std::vector<size_t> caching;
  for (const size_t i : m.programs) {
    if (library_->programs()[i].executable->type == ExecutableType::parameter_caching) {
      caching.push_back(i);
    }
  }
  if (caching.empty()) return;
  Bytes parameters =
      parameters_of(*library_->programs()[caching[0]].executable, request.parameters);
  keep(std::move(caching), std::move(parameters));
}

// Programs of one token share the chip's memory; any other takes all of it.
void ReferenceCompute::keep(std::vector<size_t> programs, Bytes parameters) {
  const auto executable = [this](size_t p) { return library_->programs()[p].executable; };
  const uint64_t token = executable(programs[0])->parameter_caching_token;
  std::erase_if(cached_, [&](const Cached& c) {
    const bool other = executable(c.programs[0])->parameter_caching_token != token;
    if (other) lost_ = library_->models()[library_->programs()[programs[0]].model].name;
    return other || c.programs == programs;
  });
  std::vector<bool> own;
  for (const size_t p : programs) own.push_back(same(parameters, executable(p)->parameters));
  cached_.push_back({std::move(programs), std::move(own), std::move(parameters), ++next_version_});
}

void ReferenceCompute::reset() {
  cached_.clear();
  lost_.clear();
  ran_ = false;
}

std::optional<int64_t> ReferenceCompute::macs(const Request& request) {
  const auto program = choose(request);
  if (!program.ok()) return std::nullopt;
  const auto r = runner(**program, request);
  if (!r.ok()) return std::nullopt;
  return (*r)->macs;
}

bool ReferenceCompute::has_graph(const Request& request) {
  const Match& m = match(request);
  return std::any_of(m.programs.begin(), m.programs.end(), [&](size_t i) {
    return library_->models()[library_->programs()[i].model].graph != nullptr;
  });
}

Status ReferenceCompute::check_resident(const Request& request) {
  auto program = choose(request);
  if (!program.ok() && program.error().code == ErrorCode::stick_refused) return program.error();
  return Ok{};
}

std::vector<std::string> ReferenceCompute::take_remarks() { return std::exchange(remarks_, {}); }

}  // namespace edgetwin::edgetpu
