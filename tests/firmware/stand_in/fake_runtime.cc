// A dl::Model that replays golden blobs. It is compiled together with the generated application and
// reads blobs through that application's own golden.hpp.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "cases.hpp"
#include "dl_model_base.hpp"
#include "esp_partition.h"
#include "fake.hpp"
#include "golden.hpp"

namespace fake {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<uint8_t> file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "stand-in: %s\n", why.c_str());
  std::_Exit(99);  // the test looks for another code
}

}  // namespace fake

using fake::environment;
using fake::file;
using fake::stop;

namespace {

struct Fault {
  std::string tensor;
  int64_t index = 0;
  int delta = 0;
};

Fault fault_of(const std::string& text) {
  Fault fault;
  const size_t second = text.rfind(':');
  if (second == std::string::npos) return fault;
  const size_t first = text.rfind(':', second - 1);
  fault.tensor = text.substr(0, first);
  fault.index = std::stoll(text.substr(first + 1));
  fault.delta = std::stoi(text.substr(second + 1));
  return fault;
}

// The chip reads models of partitions; here the partition "modelN" is the file of case N.
std::string partition_file(const std::string& label) {
  for (size_t i = 0; i < check::kCaseCount; ++i) {
    if (check::kCases[i].partition != nullptr && label == check::kCases[i].partition) {
      return environment("FAKE_REPLAY") + "/" + check::kCases[i].name + ".espdl";
    }
  }
  return "";
}

}  // namespace

namespace dl {

TensorBase::TensorBase(std::vector<int> dims, const void* element, int e, dtype_t type, bool deep,
                       uint32_t)
    : size(1), shape(std::move(dims)), dtype(type), exponent(e), data(const_cast<void*>(element)) {
  for (const int dim : shape) size *= dim;
  if (deep) stop("a deep tensor was asked for");
  if (reinterpret_cast<uintptr_t>(element) % 16 != 0) stop("a tensor is not on a border of 16");
}

int TensorBase::get_bytes() {
  return size * static_cast<int>(edgetwin_golden::element_size(static_cast<uint8_t>(dtype)));
}

bool TensorBase::assign(TensorBase* other) {
  if (other->size != size || other->dtype != dtype || other->exponent != exponent) return false;
  std::memmove(data, other->data, static_cast<size_t>(get_bytes()));
  return true;
}

struct FakeNetwork {
  struct Slot {
    std::unique_ptr<TensorBase> tensor;
    void* memory = nullptr;
    const check::GoldenTensor* golden = nullptr;
  };
  std::vector<uint8_t> blob;
  check::Golden golden;
  std::map<std::string, Slot> slots;
  std::map<std::string, TensorBase*> inputs, outputs;
  Fault fault;
  std::vector<size_t> cases;  // with this model
  size_t current = 0;         // the one that it replays

  void open(size_t index) {
    current = index;
    blob = file(environment("FAKE_REPLAY") + "/" + check::kCases[index].name + ".golden");
    golden = check::Golden();
    const std::string damage = check::open_golden(blob.data(), blob.size(), golden);
    if (!damage.empty()) stop("replay: " + damage);
    for (const auto* list : {&golden.outputs, &golden.inputs, &golden.nodes}) {
      for (const auto& tensor : *list) {
        if (slots.count(tensor.name) != 0) slots[tensor.name].golden = &tensor;
      }
    }
  }

  // Replays the case that has these inputs.
  void choose() {
    for (size_t i = 0; i < cases.size() && cases.size() > 1; ++i) {
      open(cases[i]);
      if (inputs_are_golden()) return;
    }
  }

  ~FakeNetwork() {
    for (auto& [name, slot] : slots) std::free(slot.memory);
  }

  // An output may be listed as a node too.
  void add(const check::GoldenTensor& tensor, std::vector<int> shape) {
    if (slots.count(tensor.name) != 0) return;
    size_t elements = 1;
    for (const int dim : shape) elements *= static_cast<size_t>(dim);
    const size_t bytes = elements * tensor.element_bytes();
    Slot slot;
    slot.memory = std::aligned_alloc(16, (bytes + 15) / 16 * 16);
    slot.golden = &tensor;
    slot.tensor = std::make_unique<TensorBase>(std::move(shape), slot.memory, tensor.exponent,
                                               static_cast<dtype_t>(tensor.dtype), false);
    slots[tensor.name] = std::move(slot);
  }

  void build() {
    const std::string chunk = environment("FAKE_CHUNK");
    const int elements = chunk.empty() ? 1024 : std::stoi(chunk);
    const auto shape = [&](const check::GoldenTensor& tensor) {
      return golden.lut_sweep() ? std::vector<int>{1, elements} : tensor.shape;
    };
    for (const auto& tensor : golden.nodes) add(tensor, tensor.shape);
    for (const auto& tensor : golden.inputs) add(tensor, shape(tensor));
    for (const auto& tensor : golden.outputs) add(tensor, shape(tensor));
    for (const auto& tensor : golden.inputs) inputs[tensor.name] = slots[tensor.name].tensor.get();
    for (const auto& tensor : golden.outputs) {
      outputs[tensor.name] = slots[tensor.name].tensor.get();
    }
  }

  // A byte of the element moves by delta.
  void spoil(Slot& slot) const {
    const size_t at = static_cast<size_t>(fault.index) % static_cast<size_t>(slot.tensor->size);
    uint8_t* byte = slot.tensor->get_element_ptr<uint8_t>() + at * slot.golden->element_bytes();
    *byte = static_cast<uint8_t>(*byte + fault.delta);
  }

  // Other inputs than the golden ones give zeros.
  bool inputs_are_golden() {
    return std::all_of(golden.inputs.begin(), golden.inputs.end(), [&](const auto& tensor) {
      return std::memcmp(slots[tensor.name].memory, tensor.data, tensor.bytes) == 0;
    });
  }

  void produce(Slot& slot, bool right, bool wrong) {
    const size_t bytes = static_cast<size_t>(slot.tensor->get_bytes());
    std::memset(slot.memory, 0, bytes);
    if (right) std::memcpy(slot.memory, slot.golden->data, bytes);
    if (wrong) spoil(slot);
  }

  void run(std::map<std::string, TensorBase*>& wanted) {
    const bool right = inputs_are_golden();
    bool wrong = false;
    const auto one = [&](const check::GoldenTensor& tensor) {
      wrong = wrong || tensor.name == fault.tensor;
      Slot& slot = slots[tensor.name];
      produce(slot, right, wrong);
      if (const auto found = wanted.find(tensor.name); found != wanted.end()) {
        if (!found->second->assign(slot.tensor.get())) stop("a copy has another form");
      }
      // Its memory is used again, as on the chip.
      if (outputs.count(tensor.name) == 0) std::memset(slot.memory, 0x55, tensor.bytes);
    };
    for (const auto& tensor : golden.nodes) one(tensor);
    for (const auto& tensor : golden.outputs) {
      if (slots[tensor.name].golden == &tensor) one(tensor);  // else it is one of the nodes
    }
    for (const auto& tensor : golden.inputs) std::memset(slots[tensor.name].memory, 0x55, 1);
  }

  void look_up() {
    const check::GoldenTensor& in = golden.inputs[0];
    Slot& from = slots[in.name];
    Slot& to = slots[golden.outputs[0].name];
    const int64_t lowest = in.element_bytes() == 1 ? -128 : -32768;
    for (int i = 0; i < from.tensor->size; ++i) {
      const int64_t value = check::element(in.dtype, from.memory, static_cast<size_t>(i));
      const size_t at = static_cast<size_t>(value - lowest) * to.golden->element_bytes();
      uint8_t* result =
          static_cast<uint8_t*>(to.memory) + static_cast<size_t>(i) * to.golden->element_bytes();
      std::memcpy(result, to.golden->data + at, to.golden->element_bytes());
      if (fault.tensor == to.golden->name && value - lowest == fault.index) {
        *result = static_cast<uint8_t>(*result + fault.delta);
      }
    }
  }
};

Model::Model(const char* where, fbs::model_location_type_t location, int, memory_manager_t,
             uint8_t*, bool, std::map<std::string, std::vector<int>>)
    : network_(new FakeNetwork) {
  const check::Case* found = nullptr;
  for (size_t i = check::kCaseCount; i-- > 0;) {
    const check::Case& one = check::kCases[i];
    const bool here = location == fbs::MODEL_LOCATION_IN_FLASH_RODATA
                          ? reinterpret_cast<const char*>(one.model) == where
                          : std::strcmp(one.partition, where) == 0;
    if (!here) continue;
    found = &one;
    network_->cases.insert(network_->cases.begin(), i);
  }
  if (found == nullptr) stop("no such model");
  if (location == fbs::MODEL_LOCATION_IN_FLASH_RODATA) {
    if (reinterpret_cast<uintptr_t>(where) % 16 != 0) stop("a model is not on a border of 16");
    if (std::memcmp(where, "EDL2", 4) != 0) stop("no model there");
  }
  if (environment("FAKE_NO_LOAD") == found->name) return;
  network_->open(network_->cases[0]);
  network_->fault = fault_of(environment("FAKE_FAULT"));
  network_->build();
}

Model::~Model() { delete network_; }

void Model::run(runtime_mode_t) { stop("run() without inputs"); }
void Model::run(TensorBase*, runtime_mode_t) { stop("run(tensor)"); }

void Model::run(std::map<std::string, TensorBase*>& inputs, runtime_mode_t,
                std::map<std::string, TensorBase*> wanted) {
  for (auto& [name, tensor] : inputs) {
    if (!network_->inputs.at(name)->assign(tensor)) stop("an input has another form");
  }
  if (network_->golden.lut_sweep()) return network_->look_up();
  network_->choose();
  network_->run(wanted);
}

std::map<std::string, TensorBase*>& Model::get_inputs() { return network_->inputs; }
std::map<std::string, TensorBase*>& Model::get_outputs() { return network_->outputs; }

TensorBase* Model::get_intermediate(std::string name) {
  const auto found = network_->slots.find(name);
  return found == network_->slots.end() ? nullptr : found->second.tensor.get();
}

}  // namespace dl

namespace fake {
// The stand-in of a model has one of these.
const std::vector<size_t>& cases_of(const dl::Model& model) { return model.network()->cases; }
size_t last_case(const dl::Model& model) { return model.network()->current; }
}  // namespace fake

const esp_partition_t* esp_partition_find_first(esp_partition_type_t, esp_partition_subtype_t,
                                                const char* label) {
  static esp_partition_t partition;
  const std::vector<uint8_t> bytes = file(partition_file(label));
  if (bytes.empty()) return nullptr;
  partition.size = static_cast<uint32_t>((bytes.size() + 0xFFFF) / 0x10000 * 0x10000);
  std::snprintf(partition.label, sizeof(partition.label), "%s", label);
  return &partition;
}

esp_err_t esp_partition_read(const esp_partition_t* partition, size_t offset, void* to,
                             size_t size) {
  std::vector<uint8_t> bytes = file(partition_file(partition->label));
  bytes.resize(partition->size, 0xFF);
  if (offset + size > bytes.size()) return -1;
  std::memcpy(to, bytes.data() + offset, size);
  return ESP_OK;
}

extern "C" void app_main(void);

int main() {
  app_main();
  return 0;
}
