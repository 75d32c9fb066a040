#include "formats/espdl/document/layout.h"

namespace edgetwin::espdl {
namespace {

constexpr std::string_view kPrefix = "layout ==> ";
constexpr std::string_view kNone = "UNK";
constexpr std::string_view kUnaligned = "_UNALIGNED";

}  // namespace

LayoutTag tag_of(const WeightOrder& order, const WeightShape& shape, bool one_dim) {
  LayoutTag tag;
  tag.block = order.block;
  tag.one_dim = one_dim;
  tag.grouped = order.block == 0 && order.use == WeightUse::grouped;
  tag.unaligned = order.block != 0 && shape.n % order.block != 0;
  return tag;
}

std::string to_text(const LayoutTag& tag) {
  const std::string taps = tag.one_dim ? "W" : "HW";
  if (tag.block == 0) return tag.grouped ? taps + "CN" : "N" + taps + "C";
  const std::string block = std::to_string(tag.block);
  std::string text = "(N/" + block + ")" + taps + "C" + block;
  if (tag.unaligned) text += kUnaligned;
  return text;
}

std::optional<LayoutTag> parse_tag(std::string_view text) {
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  // There are few tags: each is made and compared.
  for (const bool one_dim : {false, true}) {
    for (const bool flag : {false, true}) {
      const LayoutTag plain{.block = 0, .grouped = flag, .one_dim = one_dim, .unaligned = false};
      if (to_text(plain) == text) return plain;
      for (const int block : {16, 8}) {
        const LayoutTag blocked{
            .block = block, .grouped = false, .one_dim = one_dim, .unaligned = flag};
        const std::string now = to_text(blocked);
        const std::string size = std::to_string(block);
        const std::string once = "N" + size + now.substr(std::string("(N/" + size + ")").size());
        if (text == now || text == once) return blocked;
      }
    }
  }
  return std::nullopt;
}

std::string layout_doc(const std::optional<LayoutTag>& tag) {
  return std::string(kPrefix) + (tag ? to_text(*tag) : std::string(kNone));
}

}  // namespace edgetwin::espdl
