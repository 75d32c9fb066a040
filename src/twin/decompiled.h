// The network of a compiled model, for verbs that compute it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "twin/load.h"

namespace edgetwin::twin {

// `data` is a compiled .tflite file called `name`. Errors: decompile_layer where a part of the
// network was not recovered, those of the readers and of edgetpu::decompile.
Result<LoadedModel> load_decompiled(ByteSpan data, const std::string& name);

// The model that a compiled one was made of: `reference`, or the one beside (NAME.tflite of
// NAME_edgetpu.tflite); null: there is none. Errors: those of load_model.
Result<std::shared_ptr<const LoadedModel>> load_reference(const std::string& file,
                                                          const std::string& reference);
// The same, else the decompiled network; null where not all of it was recovered.
Result<std::shared_ptr<const LoadedModel>> load_reference_or_decompile(
    ByteSpan data, const std::string& file, const std::string& reference);

}  // namespace edgetwin::twin
