// Start-up for the Cortex-M4 of the MAX78000 and MAX78002: vectors, memory, main, the end.
#include <stdint.h>

extern uint32_t stand_in_stack[], stand_in_data[], stand_in_data_end[], stand_in_data_load[];
extern uint32_t stand_in_bss[], stand_in_bss_end[];

int main(void);
void Reset_Handler(void);
void Fault_Handler(void);
// What runs on the RISC-V core of the chip has its handler under this name.
void CNN_IRQHandler(void) __attribute__((weak, alias("Fault_Handler")));

typedef void (*vector)(void);
enum { kVectors = 16 + 128, kCnn = 16 + 101 };

__attribute__((section(".vectors"), used)) static const vector vectors[kVectors] = {
    (vector)(uintptr_t)stand_in_stack,
    Reset_Handler,
    [2 ... kCnn - 1] = Fault_Handler,
    CNN_IRQHandler,
    [kCnn + 1 ... kVectors - 1] = Fault_Handler,
};
// Handlers that the firmware sets go here.
__attribute__((aligned(1024))) vector ram_vectors[kVectors];

#define VTOR (*(volatile uint32_t *)0xe000ed08UL)
#define CPACR (*(volatile uint32_t *)0xe000ed88UL)

__attribute__((noreturn)) void stand_in_exit(int code) {
  register int r0 __asm("r0") = code;
  __asm volatile("bkpt 0" : : "r"(r0));
  while (1) {
  }
}

void Reset_Handler(void) {
  for (uint32_t *to = stand_in_data, *from = stand_in_data_load; to < stand_in_data_end;)
    *to++ = *from++;
  for (uint32_t *to = stand_in_bss; to < stand_in_bss_end;) *to++ = 0;
  for (int i = 0; i < kVectors; ++i) ram_vectors[i] = vectors[i];
  VTOR = (uint32_t)(uintptr_t)ram_vectors;
  CPACR |= 0xfU << 20;  // the floating-point unit
  stand_in_exit(main());
}

void Fault_Handler(void) { stand_in_exit(0xfa); }
