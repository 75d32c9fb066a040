#include "formats/espdl/read/exponents.h"

#include <cstring>
#include <map>
#include <set>

#include "espdl_generated.h"
#include "formats/espdl/read/read.h"
#include "formats/espdl/wire/wire.h"

namespace edgetwin::espdl {
namespace {

Error cannot_change(const std::string& file, const std::string& what) {
  return Error(ErrorCode::espdl_write, what).in_file(file);
}

using ValueInfos = flatbuffers::Vector<flatbuffers::Offset<schema::ValueInfo>>;

// Where the one exponent of each value is, from the start of the payload.
class Places {
 public:
  void add(const ValueInfos* list, const std::byte* payload) {
    if (list == nullptr) return;
    for (const schema::ValueInfo* value : *list) {
      if (value->name() == nullptr || value->exponents() == nullptr) continue;
      const auto* numbers = value->exponents();
      const auto at =
          static_cast<size_t>(reinterpret_cast<const std::byte*>(numbers->Data()) - payload);
      if (numbers->size() == 1) by_name_[value->name()->str()].insert(at);
      ++uses_[at];
    }
  }

  // Empty where the value has no exponent of its own.
  std::set<size_t> of(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return {};
    for (const size_t at : found->second) {
      if (uses_.at(at) != 1) return {};
    }
    return found->second;
  }

 private:
  std::map<std::string, std::set<size_t>> by_name_;
  std::map<size_t, int> uses_;
};

}  // namespace

Result<Bytes> with_exponents(ByteSpan data, const std::string& file,
                             const std::vector<NewExponent>& changes) {
  EDGETWIN_TRY_ASSIGN(const Container container, read(data, file));  // verifies all tables
  if (container.package_version != 0 || container.models[0].encrypted) {
    return cannot_change(file, "exponents are changed in single models that are not encrypted")
        .with_hint("Unpack the file first, or export the model without a key.");
  }
  // Magic, mode, length; EDL2 has four bytes more.
  const size_t begin = kMagicSize + 8 + (container.models[0].edl_version == 2 ? 4 : 0);
  const Bytes payload = to_bytes(data.subspan(begin));
  const schema::Graph& graph = *schema::GetModel(payload.data())->graph();
  Places places;
  places.add(graph.value_info(), payload.data());
  places.add(graph.input(), payload.data());
  places.add(graph.output(), payload.data());
  Bytes changed = to_bytes(data);
  for (const NewExponent& c : changes) {
    const std::set<size_t> at = places.of(c.value);
    if (at.empty()) {
      return cannot_change(file, "value '" + c.value + "' has no exponent of its own in the file");
    }
    for (const size_t place : at) {
      std::memcpy(changed.data() + begin + place, &c.exponent, sizeof c.exponent);
    }
  }
  return changed;
}

}  // namespace edgetwin::espdl
