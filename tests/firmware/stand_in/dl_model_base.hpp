#pragma once
#include <map>
#include <string>

#include "dl_tensor_base.hpp"
namespace fbs {
enum model_location_type_t {
  MODEL_LOCATION_IN_FLASH_RODATA = 0,
  MODEL_LOCATION_IN_FLASH_PARTITION = 1,
  MODEL_LOCATION_IN_SDCARD = 2,
};
}
namespace dl {
enum memory_manager_t { MEMORY_MANAGER_GREEDY = 0 };
enum runtime_mode_t {
  RUNTIME_MODE_AUTO = 0,
  RUNTIME_MODE_SINGLE_CORE = 1,
  RUNTIME_MODE_MULTI_CORE = 2,
};
struct FakeNetwork;
class Model {
 public:
  Model(const char* address_or_label_or_path,
        fbs::model_location_type_t location = fbs::MODEL_LOCATION_IN_FLASH_RODATA,
        int max_internal_size = 0, memory_manager_t memory = MEMORY_MANAGER_GREEDY,
        uint8_t* key = nullptr, bool param_copy = true,
        std::map<std::string, std::vector<int>> input_shapes = {});
  virtual ~Model();
  virtual void run(runtime_mode_t mode = RUNTIME_MODE_SINGLE_CORE);
  virtual void run(TensorBase* input, runtime_mode_t mode = RUNTIME_MODE_SINGLE_CORE);
  virtual void run(std::map<std::string, TensorBase*>& inputs,
                   runtime_mode_t mode = RUNTIME_MODE_SINGLE_CORE,
                   std::map<std::string, TensorBase*> outputs = {});
  virtual std::map<std::string, TensorBase*>& get_inputs();
  virtual std::map<std::string, TensorBase*>& get_outputs();
  virtual TensorBase* get_intermediate(std::string name);
  const FakeNetwork* network() const { return network_; }  // of the stand-in alone

 private:
  FakeNetwork* network_;
};
}  // namespace dl
