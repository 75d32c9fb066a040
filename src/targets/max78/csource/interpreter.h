// Executes the words of a C program; statements.cc and expressions.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "targets/max78/csource/tokens.h"

namespace edgetwin::max78 {

struct CValue {
  enum class Kind : uint8_t {
    unknown,
    number,
    device,  // a pointer into the chip, or to anything whose address is a number
    array,   // a pointer into an array of the sources
    read,    // the word at an address of the chip, under a mask
    test     // whether such a word is `n`, or is not
  };
  Kind kind = Kind::unknown;
  uint32_t n = 0;               // number, address, what a test compares with
  uint32_t mask = 0xffffffffU;  // of read and test
  uint32_t address = 0;         // of read and test
  uint32_t size = 4;            // bytes of what a pointer points to
  size_t array = 0;
  bool equal = false;  // of test

  static CValue of(uint32_t n) { return {.kind = Kind::number, .n = n}; }
  bool known() const { return kind == Kind::number || kind == Kind::device; }
};

// Where a value may be put: a variable, or an address of the chip.
struct CPlace {
  enum class Kind : uint8_t { none, variable, device, array };
  Kind kind = Kind::none;
  std::string name;
  uint32_t address = 0, size = 4;
  size_t array = 0;
};

struct CTerm {
  CValue value;
  CPlace place;
};

class CInterpreter {
 public:
  CInterpreter(const std::vector<CFile>& files, std::vector<Token> tokens, const CLimits& limits);
  Result<CProgram> run();

 private:
  enum class Flow : uint8_t { next, leave, again, back };
  struct Defined {
    std::vector<std::string> parameters;
    size_t body = 0;
  };
  struct Array {
    std::vector<uint32_t> words;
    uint32_t size = 4;
  };
  using Scope = std::map<std::string, CValue>;

  // --- read_c.cc: the sources from outside, and what is kept of them.
  Status globals();
  Status global();
  Status skip_pair(const char* open, const char* close);
  Result<CProgram> finished();
  void put(Access access);
  void enter(const std::string& function);
  // --- statements.cc
  Result<Flow> statement(bool live);
  Result<Flow> block(bool live);
  Result<Flow> branch(bool live);
  Result<Flow> loop(bool live);
  Result<Flow> counted_loop(bool live);
  Result<Flow> declaration(bool live);
  Status wait_for(const CValue& condition);
  Status check(const CValue& condition);
  Status interrupt();
  Status array_of(const std::string& name, uint32_t size, bool live);
  bool at_type() const;
  struct Type {
    uint32_t size = 4;
    bool pointer = false;
  };
  Type type();
  // --- expressions.cc
  Result<CValue> expression(bool live);
  Result<CTerm> assignment(bool live);
  Result<CTerm> binary(int level, bool live);
  Result<CTerm> unary(bool live);
  Result<CTerm> postfix(bool live);
  Result<CTerm> primary(bool live);
  Result<CTerm> call(const std::string& name, bool live);
  Result<CTerm> index(const CTerm& base, bool live);
  CTerm target(const CValue& pointer) const;
  Status assign(const CPlace& place, const std::string& op, const CValue& value);
  static CValue combined(const std::string& op, const CValue& a, const CValue& b);
  CValue* variable(const std::string& name);

  const Token& now() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool take(const char* word);
  Status want(const char* word);
  Status step();
  Error fault(const std::string& what) const;

  const std::vector<CFile>& files_;
  const std::vector<Token> tokens_;
  const CLimits limits_;
  size_t at_ = 0;
  std::map<std::string, Defined> functions_;
  Scope globals_;
  std::vector<Scope> scopes_;  // of the functions that run
  std::vector<Array> arrays_;
  std::vector<std::string> names_;  // of the functions that run
  CProgram out_;
  CValue result_;
  int64_t steps_ = 0, effects_ = 0;
  int depth_ = 0, loops_ = 0;
  bool fresh_part_ = true, interrupted_ = false;
  std::string vector_;  // the interrupt function that the program names
  bool kept_ = false;   // the statement put a value somewhere
};

}  // namespace edgetwin::max78
