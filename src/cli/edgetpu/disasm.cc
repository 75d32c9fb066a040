#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "formats/darwinn/darwinn.h"
#include "report/format.h"
#include "targets/edgetpu/isa/listing.h"

namespace edgetwin::cli {
namespace {

std::string bitstreams(size_t n) {
  return std::to_string(n) + (n == 1 ? " bitstream" : " bitstreams");
}

// Without --into: the one bitstream that the text holds.
Result<Bytes> single(std::string_view text, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(std::vector<edgetpu::Assembled> made, edgetpu::assemble(text, file));
  if (made.size() == 1) return std::move(made[0].data);
  return Error(ErrorCode::usage, "the text holds " + bitstreams(made.size()))
      .in_file(file)
      .with_hint("Name the compiled model that they belong to with --into.");
}

}  // namespace

Result<int> execute(const DisasmArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.file));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, a.file));
  const size_t count = darwinn::all_bitstreams(file).size();
  if (count == 0) {
    return Error(ErrorCode::edgetpu_no_program, "the model has no operator edgetpu-custom-op")
        .in_file(a.file);
  }
  const std::string text = edgetpu::disassemble(file);
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
    EDGETWIN_TRY_ASSIGN(result, single(as_text(text), a.text));
    verdict += "one bitstream of " + report::bytes_text(static_cast<int64_t>(result.size()));
  } else {
    EDGETWIN_TRY_ASSIGN(const Bytes model, read_file(a.into));
    EDGETWIN_TRY_ASSIGN(result, edgetpu::assemble_into(as_text(text), a.text, model, a.into));
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
