// What a word that is not known may have been meant for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgetwin {

// ", did you mean 'x'?" for the word of `known` that is next to it; "" where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace edgetwin
