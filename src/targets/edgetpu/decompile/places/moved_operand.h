// Pictures whose positions or channels changed places between two layers: no instruction says so,
// copies did it. Where each word was computed tells what became of them.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"
#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// Of a layer whose operands are known: notes in each how its picture is made of others', where it
// is not its producers' as it is. What is read in an order that has no such form is a problem.
// `parts`: also a picture as it is is made of what is read, which may be a part of it.
void find_moved_operands(const LayerSearch& search, DecompiledLayer& layer, bool parts = false);

// The first view that is its producers' picture as it is; null: none. `seen`: the windows of all of
// these.
const ReadView* find_picture(const std::vector<ReadView>& views, const MadePlaces& places,
                             std::vector<SeenWindow>& seen);

// Whether one of the views is.
inline bool is_picture(const std::vector<ReadView>& views, const MadePlaces& places,
                       std::vector<SeenWindow>& seen) {
  return find_picture(views, places, seen) != nullptr;
}

// Of views that are not: notes in the operand how the simplest is made. False: none is understood;
// `operand` stays. `seen`: the window of that view.
bool take_moved(const LayerSearch& search, const std::vector<ReadView>& views,
                const MadePlaces& places, Operand& operand, std::vector<SeenWindow>& seen);

// Fewer parts are simpler, and those of a known form.
size_t complexity(const Operand& o, const MadePlaces& places);

}  // namespace edgetwin::edgetpu
