// Pictures whose positions or channels changed places between two layers: no instruction says so,
// copies did it. Where each word was computed tells what became of them.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"
#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// Of a layer whose operands are known: notes in each how its picture is made of others', where it
// is not its producers' as it is. What is read in an order that has no such form is a problem.
void find_moved_operands(const LayerSearch& search, DecompiledLayer& layer);

// Whether one of the views is its producers' picture as it is. `seen`: the windows of all of these.
bool is_picture(const std::vector<ReadView>& views, const MadePlaces& places,
                std::vector<SeenWindow>& seen);

// Of views that are not: notes in the operand how the simplest is made. False: none is understood;
// `operand` stays. `seen`: the window of that view.
bool take_moved(const LayerSearch& search, const std::vector<ReadView>& views,
                const MadePlaces& places, Operand& operand, std::vector<SeenWindow>& seen);

// Fewer parts are simpler, and those of a known form.
size_t complexity(const Operand& o, const MadePlaces& places);

}  // namespace edgetwin::edgetpu
