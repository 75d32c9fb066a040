// What values of options must look like, for all verbs: each gives why a word is refused, "" where
// it is accepted.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace edgetwin::cli {

std::string refuse_empty(const std::string& word);
// Of decimal digits; with a sign only where `may_be_negative`. "0x10" and "1e1" are refused.
std::string refuse_not_whole(const std::string& word, bool may_be_negative);
std::string refuse_not_finite(const std::string& word);
std::string refuse_negative(const std::string& word);     // and what is not finite
std::string refuse_not_above_0(const std::string& word);  // and what is not finite

// Digits without leading zeros, which the parser would take for octal; other words unchanged.
std::string without_leading_zeros(const std::string& word);

}  // namespace edgetwin::cli
