#include "targets/edgetpu/isa/check.h"

#include <algorithm>
#include <array>

#include "formats/darwinn/relayout.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

constexpr RuleInfo kRules[] = {
#define RULE(name, id, severity, title, text, evidence) \
  {Rule::name, #name, id, Severity::severity, title, text, RuleEvidence::evidence},
#include "targets/edgetpu/isa/rules.def"
#undef RULE
};

constexpr size_t kMaxPerRule = 20;  // of one executable: a damaged program breaks one everywhere

Finding finding(Rule rule, const std::string& place, std::string message) {
  const RuleInfo& r = info(rule);
  return {r.severity, std::string(r.id), place, std::move(message), std::string(r.text)};
}

std::string number(uint64_t n) { return std::to_string(n); }

class BitstreamChecker {
 public:
  BitstreamChecker(const darwinn::Bitstream& bitstream, std::string place)
      : bitstream_(bitstream),
        place_(std::move(place)),
        program_(parse(bitstream.data)),
        begins_(program_.words + 1, false) {
    for (const Instruction& i : program_.instructions) begins_[i.word] = true;
  }

  std::vector<Finding> run() {
    words();
    frame_start();
    if (program_.whole()) frame_end();
    for (const Instruction& i : program_.instructions) instruction(i);
    for (const darwinn::FieldOffset& f : bitstream_.field_offsets) relocation(f);
    return std::move(findings_);
  }

 private:
  void find(Rule rule, size_t word, const std::string& message) {
    if (++counts_[static_cast<size_t>(rule)] > kMaxPerRule) return;
    findings_.push_back(finding(rule, place_, "word " + number(word) + ": " + message));
  }

  void words() {
    const auto whole = parse_whole(bitstream_.data);
    if (!whole.ok()) findings_.push_back(finding(Rule::words, place_, whole.error().message));
  }

  void frame_start() {
    if (program_.instructions.empty()) return;
    const Instruction& first = program_.instructions.front();
    if (first.opcode() != Opcode::start) {
      find(Rule::frame_start, 0, "'" + std::string(first.info->name) + "' stands there");
      return;
    }
    const uint64_t length = first.bits(19, 32);
    const uint64_t wanted = (program_.words - 2) * kWordBits;
    if (program_.words >= 2 && length == wanted) return;
    find(Rule::frame_start, 0,
         "the length is " + number(length) + ", (" + number(program_.words) +
             " - 2) * 128 = " + number(wanted));
  }

  // HALT, four empty scalar words, END.
  void frame_end() {
    constexpr size_t kTail = 6;
    const auto& all = program_.instructions;
    if (all.size() < kTail + 1) {
      find(Rule::frame_end, 0, number(all.size()) + " instructions are less than a frame");
      return;
    }
    const Instruction* tail = &all[all.size() - kTail];
    bool good = tail[0].opcode() == Opcode::halt && tail[kTail - 1].opcode() == Opcode::end;
    for (size_t i = 1; i + 1 < kTail; ++i) {
      good = good && tail[i].opcode() == Opcode::scalar && tail[i].bits(0, 64) == 0x800 &&
             tail[i].bits(64, 64) == 0;
    }
    if (!good) find(Rule::frame_end, tail->word, "the last six words are others");
    for (const Instruction& i : all) {
      const bool inside = i.word < tail->word;
      const bool frame = i.opcode() == Opcode::halt || i.opcode() == Opcode::end ||
                         (i.opcode() == Opcode::start && i.word != 0);
      if (inside && frame) {
        find(Rule::frame_end, i.word, "'" + std::string(i.info->name) + "' inside of the program");
      }
    }
  }

  void instruction(const Instruction& i) {
    if (i.opcode() != Opcode::scalar && i.bits(0, 6) != 0) {
      find(Rule::opcode_bits, i.word, "'" + std::string(i.info->name) + "' has them");
    }
    switch (i.opcode()) {
      case Opcode::scalar:
        scalar(i);
        break;
      case Opcode::branch:
        branch(i);
        break;
      case Opcode::loop:
        loop(i);
        break;
      default:
        break;
    }
  }

  void scalar(const Instruction& i) {
    const ScalarWord w = decode_scalar(i.bytes);
    if (find_scalar_op(w.op) == nullptr) find(Rule::scalar_op, i.word, "operation " + number(w.op));
    if (w.store > kStoreIssue) find(Rule::scalar_op, i.word, "store " + number(w.store));
    if (w.fn != 0 && w.fn != kFnReciprocal && w.fn != kFnExp2) {
      find(Rule::scalar_op, i.word, "special function " + number(w.fn));
    }
  }

  void branch(const Instruction& i) {
    const int64_t target = static_cast<int64_t>(i.word) + decode_branch(i.bytes).offset;
    const bool inside = target >= 0 && target < static_cast<int64_t>(program_.words);
    if (inside && begins_[static_cast<size_t>(target)]) return;
    find(Rule::branch, i.word,
         "it leads to word " + std::to_string(target) + " of " + number(program_.words) +
             ", where no instruction begins");
  }

  void loop(const Instruction& i) {
    const Loop l = decode_loop(i.bytes);
    if (l.count == 0) find(Rule::loop, i.word, "the count is 0");
    if (i.word + 1 + l.body > program_.parsed) {
      find(Rule::loop, i.word,
           "the body of " + number(l.body) + " words ends behind the bitstream");
      return;
    }
    for (size_t word = i.word + 1; word < i.word + 1 + l.body; ++word) {
      const ByteSpan at = program_.data.subspan(word * kWordBytes);
      const auto opcode = static_cast<Opcode>(opcode_of(at));
      if (begins_[word] && opcode == Opcode::scalar) continue;
      find(Rule::loop, i.word, "word " + number(word) + " of the body is no scalar word");
      return;
    }
  }

  void relocation(const darwinn::FieldOffset& f) {
    constexpr size_t kImmediate = 70;
    const auto bit = static_cast<size_t>(f.offset_bit);
    const size_t word = bit / kWordBits;
    std::string wrong;
    if (bit % kWordBits != kImmediate) {
      wrong = "bit " + number(bit) + " is bit " + number(bit % kWordBits) + " of its word, not 70";
    } else if (word >= program_.words || !begins_[word]) {
      wrong = "bit " + number(bit) + " lies in no instruction";
    } else {
      const ByteSpan at = program_.data.subspan(word * kWordBytes, kWordBytes);
      const ScalarWord w = decode_scalar(at);
      const bool move = static_cast<Opcode>(opcode_of(at)) == Opcode::scalar && w.immediate &&
                        w.op == static_cast<unsigned>(ScalarOp::mov);
      if (!move) wrong = "bit " + number(bit) + " is not the immediate of a move";
    }
    if (!wrong.empty()) {
      find(Rule::relocation, word,
           "address field of the " + std::string(darwinn::name(f.meta.base)) + ": " + wrong);
    }
  }

  const darwinn::Bitstream& bitstream_;
  std::string place_;
  Program program_;
  std::vector<bool> begins_;
  std::array<size_t, std::size(kRules)> counts_{};
  std::vector<Finding> findings_;
};

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

void check_layer(const darwinn::Layer& layer, const std::string& place,
                 std::vector<Finding>& findings) {
  const bool output = layer.kind == darwinn::LayerKind::output;
  const int64_t depth = output ? round_up(layer.z_dim, 4) : layer.z_dim;
  const int64_t pixels = int64_t{layer.y_dim} * layer.x_dim;
  const int64_t wanted = round_up(pixels * depth * darwinn::bytes_of(layer.data_type), 8);
  const std::string at = place + " layer '" + layer.name.substr(0, 80) + "'";
  if (wanted != layer.size_bytes && layer.execution_count == 1) {
    findings.push_back(
        finding(Rule::layer_size, at,
                number(static_cast<uint64_t>(pixels)) + " positions of " + std::to_string(depth) +
                    " x " + std::to_string(darwinn::bytes_of(layer.data_type)) + " bytes = " +
                    std::to_string(wanted) + ", the size is " + std::to_string(layer.size_bytes)));
  }
  if (!output) return;
  const auto relayout = darwinn::Relayout::make(layer);
  if (!relayout.ok()) {
    findings.push_back(finding(Rule::layer_layout, at, relayout.error().message));
  }
}

const darwinn::Layer* layer_of(const darwinn::Executable& e, const darwinn::Meta& meta) {
  const auto& layers = meta.base == darwinn::BaseAddress::input ? e.inputs : e.outputs;
  const auto found = std::find_if(layers.begin(), layers.end(),
                                  [&](const auto& l) { return l.name == meta.name; });
  return found == layers.end() ? nullptr : &*found;
}

// Bytes of the buffer that a transfer is about; -1: there is no such buffer.
int64_t room(const darwinn::Executable& e, const darwinn::Meta& meta) {
  switch (meta.base) {
    case darwinn::BaseAddress::parameter:
      return static_cast<int64_t>(e.parameters.size());
    case darwinn::BaseAddress::scratch:
      return e.scratch_size;
    default: {
      const darwinn::Layer* layer = layer_of(e, meta);
      return layer == nullptr ? -1 : layer->size_bytes;
    }
  }
}

void check_hints(const darwinn::Executable& e, const std::string& place,
                 std::vector<Finding>& findings) {
  if (!e.dma_hints) return;
  size_t count = 0;
  for (const darwinn::DmaHint& h : e.dma_hints->hints) {
    if (h.kind != darwinn::HintKind::descriptor) continue;
    const int64_t end = int64_t{h.offset} + h.size;
    const int64_t bytes = room(e, h.meta);
    if (end <= bytes || ++count > kMaxPerRule) continue;
    std::string what(darwinn::name(h.meta.base));
    if (!h.meta.name.empty()) what += " '" + h.meta.name.substr(0, 80) + "'";
    findings.push_back(finding(
        Rule::hint_range, place,
        what + ": " + std::to_string(h.offset) + " + " + std::to_string(h.size) + " = " +
            std::to_string(end) +
            (bytes < 0 ? ", there is no such buffer" : ", it has " + std::to_string(bytes))));
  }
}

void run_program(const darwinn::Executable& e, ExecutableCheck& to,
                 std::vector<Finding>& findings) {
  auto checked = check_transfers(e);
  if (!checked.ok()) {
    const Error& error = checked.error();
    findings.push_back(
        finding(Rule::scalar_run, to.place, error.place.field + ": " + error.message));
    return;
  }
  to.ran = true;
  to.transfers = std::move(*checked);
  const bool complete = e.dma_hints && e.dma_hints->fully_deterministic;
  if (!complete) {
    findings.push_back(finding(Rule::undetermined, to.place,
                               number(to.transfers.expected.size()) +
                                   " are announced, with other " +
                                   "data the program issues others"));
  } else if (to.transfers.agreement == Agreement::different) {
    findings.push_back(finding(Rule::transfers, to.place, to.transfers.first_difference));
  }
}

ExecutableCheck check_executable(const darwinn::Executable& e, const std::string& id, bool bare,
                                 std::vector<Finding>& findings) {
  ExecutableCheck result;
  result.place = bare ? "bitstream" : id + " " + std::string(darwinn::name(e.type));
  result.bitstreams = e.bitstreams.size();
  const size_t before = findings.size();
  for (size_t i = 0; i < e.bitstreams.size(); ++i) {
    result.instructions += parse(e.bitstreams[i].data).instructions.size();
    const auto found = check_bitstream(
        e.bitstreams[i],
        e.bitstreams.size() == 1 ? result.place : result.place + " chunk " + std::to_string(i));
    findings.insert(findings.end(), found.begin(), found.end());
  }
  for (const darwinn::Layer& l : e.inputs) check_layer(l, result.place, findings);
  for (const darwinn::Layer& l : e.outputs) check_layer(l, result.place, findings);
  check_hints(e, result.place, findings);
  const bool sound =
      std::none_of(findings.begin() + static_cast<std::ptrdiff_t>(before), findings.end(),
                   [](const Finding& f) { return f.id == info(Rule::words).id; });
  if (sound && !bare) run_program(e, result, findings);
  return result;
}

void check_package(const darwinn::Package& p, const std::string& id,
                   std::vector<Finding>& findings) {
  if (p.min_runtime_version > darwinn::kCurrentRuntimeVersion) {
    findings.push_back(
        finding(Rule::runtime, id, "it needs version " + std::to_string(p.min_runtime_version)));
  }
  for (const darwinn::Executable& e : p.executables) {
    if (e.batch_size != 1) {
      findings.push_back(finding(Rule::batch, id, "it is " + std::to_string(e.batch_size)));
    }
    if (e.parameter_caching_token == p.executables[0].parameter_caching_token) continue;
    findings.push_back(finding(Rule::token, id,
                               number(e.parameter_caching_token) + " and " +
                                   number(p.executables[0].parameter_caching_token)));
  }
}

bool has(const std::vector<Finding>& findings, Severity severity) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& f) { return f.severity == severity; });
}

}  // namespace

std::string_view name(RuleEvidence evidence) {
  switch (evidence) {
    case RuleEvidence::vendor_source:
      return "vendor source";
    case RuleEvidence::recorded:
      return "recorded";
    case RuleEvidence::inferred:
      return "inferred";
  }
  return "";
}

std::span<const RuleInfo> all_rules() { return kRules; }
const RuleInfo& info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

const RuleInfo* find_rule(std::string_view id) {
  for (const RuleInfo& r : kRules) {
    if (r.id == id) return &r;
  }
  return nullptr;
}

std::vector<Finding> check_bitstream(const darwinn::Bitstream& bitstream,
                                     const std::string& place) {
  return BitstreamChecker(bitstream, place).run();
}

bool ModelCheck::has_errors() const { return has(findings, Severity::error); }
bool ModelCheck::has_warnings() const { return has(findings, Severity::warning); }

ModelCheck check(const darwinn::File& file) {
  ModelCheck result;
  const bool bare = file.container == darwinn::Container::bitstream;
  for (size_t o = 0; o < file.ops.size(); ++o) {
    for (size_t p = 0; p < file.ops[o].packages.size(); ++p) {
      const darwinn::Package& package = file.ops[o].packages[p];
      const std::string id = std::to_string(o) + "." + std::to_string(p);
      check_package(package, id, result.findings);
      for (size_t e = 0; e < package.executables.size(); ++e) {
        result.executables.push_back(check_executable(
            package.executables[e], id + "." + std::to_string(e), bare, result.findings));
      }
    }
  }
  return result;
}

}  // namespace edgetwin::edgetpu
