#include "targets/edgetpu/decompile/pools/pool_operand.h"

#include "targets/edgetpu/decompile/places/pool_views.h"
#include "targets/edgetpu/decompile/pools/pool_readings.h"

namespace edgetwin::edgetpu {

bool find_pool(const LayerSearch& search, DecompiledLayer& layer, const SizeContext& context) {
  MadePlaces places(search);
  const std::vector<ReadView> views = pool_views(search, layer, places);
  if (views.empty()) return false;
  for (PoolReading& r : pool_readings(search, places, views, AroundPicture::real_zero)) {
    DecompiledLayer trial = layer;
    trial.inputs = {std::move(r.operand)};
    trial.in = extent_of(places, trial.inputs.front());
    trial.seen = {r.window};
    find_size(trial, context);
    if (!has_window(trial, r.window)) continue;
    take_announced_channels(trial, context);
    layer = std::move(trial);
    return true;
  }
  layer.problem = "no window fits the positions that it reads";
  return true;
}

}  // namespace edgetwin::edgetpu
