#include <algorithm>
#include <map>

#include "targets/edgetpu/inspect/finding.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

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
    if (++counts_[rule] > kMaxPerRule) return;
    findings_.push_back(finding(rule, place_, "word " + std::to_string(word) + ": " + message));
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
         "the length is " + std::to_string(length) + ", (" + std::to_string(program_.words) +
             " - 2) * 128 = " + std::to_string(wanted));
  }

  // HALT, four empty scalar words, END.
  void frame_end() {
    constexpr size_t kTail = 6;
    const auto& all = program_.instructions;
    if (all.size() < kTail + 1) {
      find(Rule::frame_end, 0, std::to_string(all.size()) + " instructions are less than a frame");
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
    for (const uint16_t bit : always_set(i.opcode())) {
      if (i.bits(bit, 1) != 0) continue;
      find(Rule::constant_bits, i.word,
           "bit " + std::to_string(bit) + " of '" + std::string(i.info->name) + "' is 0");
    }
    switch (i.opcode()) {
      case Opcode::scalar:
        scalar(i);
        break;
      case Opcode::branch:
        branch(i);
        break;
      case Opcode::tensor:
        tensor(i);
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
    if (find_scalar_op(w.op) == nullptr)
      find(Rule::scalar_op, i.word, "operation " + std::to_string(w.op));
    if (w.store > kStoreIssue) find(Rule::scalar_op, i.word, "store " + std::to_string(w.store));
    if (w.fn != 0 && w.fn != kFnReciprocal && w.fn != kFnExp2) {
      find(Rule::scalar_op, i.word, "special function " + std::to_string(w.fn));
    }
  }

  // The product of an array of counts; what no loop nest reaches is all the same.
  static uint64_t product(const Instruction& i, FieldName name) {
    constexpr uint64_t kMost = uint64_t{1} << 40U;
    const FieldInfo& f = *find_field(i.opcode(), name);
    uint64_t result = 1;
    for (size_t e = 0; e < f.elements; ++e) result = std::min(result * (i.get(f, e) + 1), kMost);
    return result;
  }

  void tensor(const Instruction& i) {
    constexpr uint64_t kWeighted = 8;
    const bool weighted = (i.get("kind") & kWeighted) != 0;
    if (!weighted || i.get("last") != 0) return;
    const uint64_t loops = product(i, "loop");
    for (const FieldName side :
         {FieldName("in.count"), FieldName("weight.count"), FieldName("acc.count")}) {
      const uint64_t steps = product(i, side);
      if (steps == loops) continue;
      find(Rule::loop_nest, i.word,
           "the loops run " + std::to_string(loops) + " times, " + std::string(side.text()) + " " +
               std::to_string(steps) + " times");
    }
  }

  void branch(const Instruction& i) {
    const int64_t target = static_cast<int64_t>(i.word) + decode_branch(i.bytes).offset;
    const bool inside = target >= 0 && target < static_cast<int64_t>(program_.words);
    if (inside && begins_[static_cast<size_t>(target)]) return;
    find(Rule::branch, i.word,
         "it leads to word " + std::to_string(target) + " of " + std::to_string(program_.words) +
             ", where no instruction begins");
  }

  void loop(const Instruction& i) {
    const Loop l = decode_loop(i.bytes);
    if (l.count == 0) find(Rule::loop, i.word, "the count is 0");
    if (i.word + 1 + l.body > program_.parsed) {
      find(Rule::loop, i.word,
           "the body of " + std::to_string(l.body) + " words ends after the bitstream");
      return;
    }
    for (size_t word = i.word + 1; word < i.word + 1 + l.body; ++word) {
      const ByteSpan at = program_.data.subspan(word * kWordBytes);
      const auto opcode = static_cast<Opcode>(opcode_of(at));
      if (begins_[word] && opcode == Opcode::scalar) continue;
      find(Rule::loop, i.word, "word " + std::to_string(word) + " of the body is no scalar word");
      return;
    }
  }

  void relocation(const darwinn::FieldOffset& f) {
    constexpr size_t kImmediate = 70;
    const auto bit = static_cast<size_t>(f.offset_bit);
    const size_t word = bit / kWordBits;
    std::string wrong;
    if (bit % kWordBits != kImmediate) {
      wrong = "bit " + std::to_string(bit) + " is bit " + std::to_string(bit % kWordBits) +
              " of its word, not 70";
    } else if (word >= program_.words || !begins_[word]) {
      wrong = "bit " + std::to_string(bit) + " lies in no instruction";
    } else {
      const ByteSpan at = program_.data.subspan(word * kWordBytes, kWordBytes);
      const ScalarWord w = decode_scalar(at);
      const bool move = static_cast<Opcode>(opcode_of(at)) == Opcode::scalar && w.immediate &&
                        w.op == static_cast<unsigned>(ScalarOp::mov);
      if (!move) wrong = "bit " + std::to_string(bit) + " is not the immediate of a move";
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
  std::map<Rule, size_t> counts_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_bitstream(const darwinn::Bitstream& bitstream,
                                     const std::string& place) {
  return BitstreamChecker(bitstream, place).run();
}

}  // namespace edgetwin::edgetpu
