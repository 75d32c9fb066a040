#include "edgetwin/edgetpu.h"

#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "targets/edgetpu/isa/listing.h"
#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/synthesize/synthesize.h"
#include "twin/compiled.h"

namespace edgetwin {
namespace {

Error no_program(const std::string& name) {
  return Error(ErrorCode::edgetpu_no_program, "the model has no operator edgetpu-custom-op")
      .in_file(name);
}

// Nothing reads a file whose first instruction tells another length.
Status check_length(const edgetpu::Assembled& made, const std::string& text_name) {
  if (darwinn::container_of(made.data) == darwinn::Container::bitstream) return Ok{};
  constexpr size_t kWord = 16;
  const size_t words = made.data.size() / kWord;
  Error error(ErrorCode::edgetpu_assembly, "a bitstream tells its length in its first instruction");
  error.place.file = text_name;
  error.place.line = made.line;
  if (words < 2)
    return std::move(error).detail(std::to_string(words) + " words; `start` and `end` are two");
  return std::move(error)
      .detail("(" + std::to_string(words) +
              " words - 2) * 128 = " + std::to_string((words - 2) * 128))
      .with_hint("Begin with `start length=" + std::to_string((words - 2) * 128) + "`.");
}

Error no_bitstream(const std::string& text_name) {
  return Error(ErrorCode::edgetpu_assembly, "the text has no instruction")
      .in_file(text_name)
      .with_hint("`edgetwin disasm` writes such texts.");
}

}  // namespace

Result<std::string> disassemble(ByteSpan compiled, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(compiled, name));
  if (darwinn::all_bitstreams(file).empty()) return no_program(name);
  return edgetpu::disassemble(file);
}

Result<Bytes> assemble(std::string_view text, const std::string& text_name, ByteSpan compiled,
                       const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const std::vector<edgetpu::Assembled> made,
                      edgetpu::assemble(text, text_name));
  if (made.empty()) return no_bitstream(text_name);
  return edgetpu::assemble_into(text, text_name, compiled, name);
}

Result<Bytes> assemble(std::string_view text, const std::string& text_name) {
  EDGETWIN_TRY_ASSIGN(std::vector<edgetpu::Assembled> made, edgetpu::assemble(text, text_name));
  if (made.size() == 1) {
    EDGETWIN_TRY(check_length(made[0], text_name));
    return std::move(made[0].data);
  }
  if (made.empty()) return no_bitstream(text_name);
  return Error(ErrorCode::usage, "the text holds " + std::to_string(made.size()) + " bitstreams")
      .in_file(text_name)
      .with_hint("Name the compiled model that they belong to with --into.");
}

Result<DecompiledNetwork> decompile(ByteSpan compiled, const std::string& name, int threads) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(compiled, name));
  if (file.ops.empty() || file.container != darwinn::Container::tflite) return no_program(name);
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(compiled, name));
  auto made = edgetpu::decompile(model, file, {.threads = threads});
  if (!made.ok()) return std::move(made).error().in_file(name);
  DecompiledNetwork network;
  EDGETWIN_TRY_ASSIGN(network.file, tflite::write(made->model));
  for (const edgetpu::DecompiledOp& op : made->ops) {
    network.layers += op.layers.layers.size();
    network.recovered += op.recovered();
  }
  network.complete = made->complete();
  network.findings = std::move(made->findings);
  return network;
}

Result<PatchedModel> patch(const std::string& compiled, const std::string& reference,
                           const std::vector<LayerPatch>& patches) {
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel m, twin::load_compiled(compiled, reference));
  std::vector<edgetpu::LayerPatch> wanted;
  for (const LayerPatch& p : patches) wanted.push_back({p.layer, p.weights, p.bias, p.scales});
  auto made = edgetpu::patch(m.data, *m.file, m.located, wanted);
  if (!made.ok()) return std::move(made).error().in_file(compiled);
  PatchedModel patched;
  patched.file = std::move(made->file);
  for (const edgetpu::PatchedLayer& l : made->layers) {
    patched.layers.push_back({l.label, l.bytes, l.changed, l.instructions, l.limited, l.new_scales,
                              l.new_bias, l.rescaled_bias});
  }
  patched.findings = m.file->findings;
  return patched;
}

Result<Bytes> synthesize(ByteSpan network, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(network, name));
  auto made = edgetpu::synthesize(model);
  if (!made.ok()) return std::move(made).error().in_file(name);
  return edgetpu::compiled_model(model, *made);
}

}  // namespace edgetwin
