#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/edgetpu.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

constexpr std::string_view kBitstreamLine = ".bitstream ";

std::string bitstreams(size_t n) {
  return std::to_string(n) + (n == 1 ? " bitstream" : " bitstreams");
}

// Each has its ".bitstream" line.
size_t count_of(std::string_view text) {
  size_t count = text.starts_with(kBitstreamLine) ? 1 : 0;
  for (size_t at = 0; (at = text.find(kBitstreamLine, at + 1)) != std::string_view::npos;) {
    count += text[at - 1] == '\n' ? 1U : 0U;
  }
  return count;
}

}  // namespace

Result<int> execute(const DisasmArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.file));
  EDGETWIN_TRY_ASSIGN(const std::string text, disassemble(data, a.file));
  const size_t count = count_of(text);
  console.json().set("file", a.file).set("bitstreams", count);
  if (a.output.empty()) {
    console.print(text);
    console.json().set("text", text);
    return kYes;
  }
  EDGETWIN_TRY(a.output.write(std::string_view(text)));
  console.print(a.output.path + ": " + bitstreams(count) + "\n");
  console.json().set("output", a.output.path);
  return kYes;
}

Result<int> execute(const AsmArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(a.text));
  Bytes result;
  std::string verdict = a.output.path + ": ";
  if (a.into.empty()) {
    EDGETWIN_TRY_ASSIGN(result, assemble(as_text(text), a.text));
    verdict += "one bitstream of " + report::bytes_text(static_cast<int64_t>(result.size()));
  } else {
    EDGETWIN_TRY_ASSIGN(const Bytes model, read_file(a.into));
    EDGETWIN_TRY_ASSIGN(result, assemble(as_text(text), a.text, model, a.into));
    const bool same = result == model;
    verdict += same ? "equals '" + a.into + "'" : "'" + a.into + "' with other instructions";
    console.json().set("into", a.into).set("equal", same);
  }
  EDGETWIN_TRY(a.output.write(ByteSpan(result)));
  console.print(verdict + "\n");
  console.json().set("output", a.output.path).set("verdict", verdict).set("bytes", result.size());
  return kYes;
}

}  // namespace edgetwin::cli
