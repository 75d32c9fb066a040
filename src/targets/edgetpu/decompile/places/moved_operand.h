// Pictures whose positions or channels changed places between two layers: no instruction says so,
// copies did it. Where each word was computed tells what became of them.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"
#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// Of a layer whose operands are known: notes in each how its picture is made of others', where it
// is not its producers' as it is. What is read in an order that has no such form is a problem.
void find_moved_operands(const LayerSearch& search, DecompiledLayer& layer);

// The same of any view. False: its words are not understood; `operand` stays. `seen`: the windows
// of the views that show the picture.
bool take_view(const LayerSearch& search, const std::vector<ReadView>& views, MadePlaces& places,
               Operand& operand, std::vector<SeenWindow>& seen);

}  // namespace edgetwin::edgetpu
