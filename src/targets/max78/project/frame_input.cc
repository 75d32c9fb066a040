// load_input() of a program that takes what a camera sends: the frame's bytes become the words of
// the network's input while they are loaded.
#include <algorithm>
#include <map>

#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {
namespace {

constexpr uint32_t kNoChannel = 255;

// Where the words of the input go: a memory or a FIFO, and the channel of each byte. With the
// channels apart (CHW) the bytes are neighbours in a row, of one channel.
struct InputList {
  uint32_t address = 0;
  std::vector<uint32_t> channels;  // 4, or 1
};

std::vector<uint32_t> fifo_addresses(const Plan& plan, const Function& load_input) {
  if (!plan.options.use_fifo()) return {};
  return load_input.accesses.back().addresses;
}

std::vector<InputList> memory_lists(const Plan& plan, const LayerPlan& l) {
  std::vector<InputList> lists;
  uint32_t rank = 0;
  const auto offset = static_cast<uint32_t>(l.in_offset);
  for (int p = 0; p < kProcessors; p += kInstanceProcessors) {
    InputList list{plan.chip->data_address(p / kInstanceProcessors) + offset, {}};
    for (int b = 0; b < kInstanceProcessors; ++b) {
      if (!in_map(l.processors, p + b)) {
        list.channels.push_back(kNoChannel);
      } else if (l.yaml->big_data) {
        lists.push_back({list.address, {rank++}});
      } else {
        list.channels.push_back(rank++);
      }
    }
    const bool used =
        std::ranges::any_of(list.channels, [](uint32_t c) { return c != kNoChannel; });
    if (used && !l.yaml->big_data) lists.push_back(list);
  }
  return lists;
}

std::vector<InputList> fifo_lists(const Plan& plan, const LayerPlan& l,
                                  const Function& load_input) {
  std::vector<InputList> lists;
  uint32_t channel = 0;
  const auto channels = static_cast<uint32_t>(plan.sample.c);
  for (const uint32_t address : fifo_addresses(plan, load_input)) {
    if (l.yaml->big_data) {
      lists.push_back({address, {channel++}});
      continue;
    }
    InputList list{address, {}};
    for (uint32_t b = 0; b < 4; ++b) {
      list.channels.push_back(channel + b < channels ? channel + b : kNoChannel);
    }
    channel += 4;
    lists.push_back(list);
  }
  return lists;
}

std::vector<InputList> lists_of(const Plan& plan, const Function& load_input) {
  const LayerPlan& l = plan.layer(plan.start);
  return plan.options.use_fifo() ? fifo_lists(plan, l, load_input) : memory_lists(plan, l);
}

uint32_t word_of(const Plan& plan, const Frame& frame, const InputList& list, int64_t index) {
  const bool planes = list.channels.size() == 1;
  const int64_t pixels = int64_t{plan.sample.h} * plan.sample.w;
  uint32_t word = 0;
  for (uint32_t b = 0; b < 4; ++b) {
    const uint32_t channel = list.channels[planes ? 0 : b];
    const int64_t pixel = planes ? 4 * index + b : index;
    if (channel == kNoChannel || pixel >= pixels) continue;
    const int8_t value =
        frame.element(static_cast<int>(channel), static_cast<int>(pixel / plan.sample.w),
                      static_cast<int>(pixel % plan.sample.w));
    word |= uint32_t{static_cast<uint8_t>(value)} << (8 * b);
  }
  return word;
}

int64_t words_of_list(const Plan& plan) {
  const int64_t pixels = int64_t{plan.sample.h} * plan.sample.w;
  return plan.layer(plan.start).yaml->big_data ? (pixels + 3) / 4 : pixels;
}

// The words of the program by address; of FIFOs in their order.
std::map<uint32_t, std::vector<uint32_t>> words_of_program(const Plan& plan,
                                                           const Function& load_input) {
  std::map<uint32_t, std::vector<uint32_t>> words;
  if (plan.options.use_fifo()) {
    const Access& a = load_input.accesses.back();
    for (size_t i = 0; i < a.words.size(); ++i) {
      words[a.addresses[i % a.addresses.size()]].push_back(a.words[i]);
    }
    return words;
  }
  for (const Access& a : load_input.accesses) {
    words[a.address] = {a.value};
    for (size_t i = 0; i < a.words.size(); ++i) {
      words[a.address + 4 * static_cast<uint32_t>(i + 1)] = {a.words[i]};
    }
  }
  return words;
}

// What the C below computes is what the program loads, word by word.
bool same_words(const Plan& plan, const Function& load_input, const Frame& frame,
                const std::vector<InputList>& lists) {
  std::map<uint32_t, std::vector<uint32_t>> made;
  for (const InputList& list : lists) {
    for (int64_t i = 0; i < words_of_list(plan); ++i) {
      const uint32_t step = plan.options.use_fifo() ? 0 : 4 * static_cast<uint32_t>(i);
      made[list.address + step].push_back(word_of(plan, frame, list, i));
    }
  }
  return made == words_of_program(plan, load_input);
}

std::string number(int64_t n) { return std::to_string(n); }

std::string element_function(const Frame& frame) {
  const FramePixel& p = *frame.pixel;
  const std::string fold = number(frame.fit.fold), colours = number(p.colours);
  std::string text =
      "// Channel c of the network's input, row y, column x: a colour of the frame less 128.\n"
      "static uint32_t input_element(int c, int y, int x)\n{\n  int part = c / " +
      colours + ";\n  int at = " + number(p.bytes) + " * ((" + number(frame.fit.top) + " + y * " +
      fold + " + part / " + fold + ") * " + number(frame.columns()) + " + " +
      number(frame.fit.left) + " + x * " + fold + " + part % " + fold + ");\n";
  if (p.order == FrameOrder::bytes) {
    return text + "\n  return frame[at + c % " + colours + "] ^ 0x80U;\n}\n\n";
  }
  const bool high = p.order == FrameOrder::high_first;
  text += "  uint32_t pixel = ((uint32_t) frame[at" + std::string(high ? "" : " + 1") +
          "] << 8) | frame[at" + (high ? " + 1" : "") + "];\n\n";
  return text +
         "  if (c % 3 == 0)\n    return ((pixel >> 8) & 0xf8U) ^ 0x80U;\n"
         "  if (c % 3 == 1)\n    return ((pixel >> 3) & 0xfcU) ^ 0x80U;\n"
         "  return ((pixel << 3) & 0xf8U) ^ 0x80U;\n}\n\n";
}

std::string word_function(const Plan& plan, bool planes) {
  const std::string w = number(plan.sample.w);
  std::string text =
      "// Word i of a list.\nstatic uint32_t input_word(int list, int i)\n{\n"
      "  uint32_t word = 0;\n  int b;\n\n  for (b = 0; b < 4; b++) {\n";
  if (planes) {
    const std::string pixels = number(int64_t{plan.sample.h} * plan.sample.w);
    text += "    if (4 * i + b < " + pixels +
            ")\n      word |= input_element(input_channels[list], (4 * i + b) / " + w +
            ", (4 * i + b) % " + w + ") << (8 * b);\n";
  } else {
    text += "    if (input_channels[4 * list + b] != " + number(kNoChannel) +
            ")\n      word |= input_element(input_channels[4 * list + b], i / " + w + ", i % " + w +
            ") << (8 * b);\n";
  }
  return text + "  }\n  return word;\n}\n\n";
}

std::string loading(const Plan& plan, const std::vector<InputList>& lists) {
  const std::string words = number(words_of_list(plan));
  std::string text = "void load_input(void)\n{\n";
  if (!plan.options.use_fifo()) {
    return text + "  int list, i;\n\n  for (list = 0; list < " +
           number(static_cast<int64_t>(lists.size())) + "; list++) {\n    for (i = 0; i < " +
           words +
           "; i++)\n      *((volatile uint32_t *) (uintptr_t) (input_memory[list] + 4 * i)) = "
           "input_word(list, i);\n  }\n}\n\n";
  }
  const bool fast = plan.options.use_fast_fifo();
  text += "  int i;\n\n  for (i = 0; i < " + words + "; i++) {\n";
  for (size_t n = 0; n < lists.size(); ++n) {
    const uint32_t status = fast ? kFastFifoBase + 4 : kFifoBase + 4;
    const uint32_t index = (lists[n].address - kFifoBase - 8) / 4;
    if (plan.options.fifo_wait) {
      text += "    while ((*((volatile uint32_t *) " + hex_text(status) + ") & " +
              number(fast ? 2 : int64_t{1} << index) + ") != 0) { } // full\n";
    }
    text += "    *((volatile uint32_t *) " + hex_text(lists[n].address) + ") = input_word(" +
            number(static_cast<int64_t>(n)) + ", i);\n";
  }
  return text + "  }\n}\n\n";
}

std::string list_text(const std::string& declaration, const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& v : values) text += (text.empty() ? "" : ", ") + v;
  return declaration + " = { " + text + " };\n";
}

}  // namespace

Status check_frame(const Plan& plan, const Function& load_input, const Frame& frame) {
  const LayerPlan& l = plan.layer(plan.start);
  const auto refuse = [](const std::string& what) {
    return Error(ErrorCode::max78_option, "the program cannot take a camera's frame: " + what)
        .with_hint("Give the sample as .npy of (channels, rows, columns).");
  };
  if (plan.options.synthesize_input) return refuse("--synthesize-input makes the input");
  if (l.operands > 1) return refuse("its first layer has several operands");
  if (l.in_expand > 1) return refuse("its first layer reads more than 64 channels");
  const auto lists = lists_of(plan, load_input);
  if (same_words(plan, load_input, frame, lists)) return Ok{};
  return refuse("the words of the input lie in another order");
}

std::string frame_function(const Plan& plan, const Function& load_input, const Frame& frame) {
  const std::vector<InputList> lists = lists_of(plan, load_input);
  const bool planes = lists.front().channels.size() == 1;
  std::vector<std::string> channels, addresses;
  for (const InputList& list : lists) {
    addresses.push_back(hex_text(list.address));
    for (const uint32_t c : list.channels) channels.push_back(number(c));
  }
  std::string text = "// What the camera sends: " + std::string(frame.pixel->name) + ", " +
                     fit_text(frame, plan.sample) +
                     ".\nstatic const uint8_t frame[] = SAMPLE_FRAME;\n\n"
                     "// The channel of each byte of a word; 255: none.\n" +
                     list_text("static const uint8_t input_channels[]", channels);
  if (!plan.options.use_fifo()) {
    text += list_text("static const uint32_t input_memory[]", addresses);
  }
  return text + "\n" + element_function(frame) + word_function(plan, planes) + loading(plan, lists);
}

std::string frame_header(const Frame& frame) {
  std::vector<uint32_t> bytes;
  for (const std::byte b : frame.bytes.data) bytes.push_back(std::to_integer<uint32_t>(b));
  return "// The frame that the known-answer test uses, as the camera sends it.\n\n" +
         array_macro("SAMPLE_FRAME", bytes, 16, 2);
}

}  // namespace edgetwin::max78
