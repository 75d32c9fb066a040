// What the rows of programs/*.def mean where a program is made (emit.h explains the rows).
// `emitter`, `input_name` and `output_name` are in scope.
#define BLOCK(name, repeat)                                   \
  for (int64_t j = 0, repeats = (repeat); j < repeats; ++j) { \
    (void)j;
#define END_BLOCK }
#define OP(opcode, hex) emitter.op(Opcode::opcode, hex);
#define LAW(field, bit, width, value) emitter.law(bit, width, value);
#define ADDRESS(base, position)                                            \
  emitter.address(darwinn::BaseAddress::base, darwinn::Position::position, \
                  name_of(darwinn::BaseAddress::base, input_name, output_name));
