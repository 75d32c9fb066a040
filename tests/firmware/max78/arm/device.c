// The functions of the vendor's development kit that generated projects call, on the registers of
// the chip, and what the C library needs: its output goes to the first serial port.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "mxc.h"

extern void (*ram_vectors[])(void);
extern char stand_in_heap[], stand_in_heap_end[];

#define NVIC_ISER ((volatile uint32_t *)0xe000e100UL)
#define NVIC_ICPR ((volatile uint32_t *)0xe000e280UL)
#define SYST_CSR (*(volatile uint32_t *)0xe000e010UL)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014UL)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018UL)

void MXC_ICC_Enable(int cache) {
  *(volatile uint32_t *)(cache == MXC_ICC0 ? 0x4002a100UL : 0x4002a900UL) = 1;
}

// The source of the system clock and, on the way, its oscillator.
void MXC_SYS_Clock_Select(int clock) {
  if (clock != MXC_SYS_CLOCK_IPO) return;
  MXC_GCR->clkctrl |= 1U << 19;
  while ((MXC_GCR->clkctrl & (1U << 27)) == 0) {
  }
  MXC_GCR->clkctrl = (MXC_GCR->clkctrl & ~(7U << 9)) | (4U << 9);
}

static void clock_gate(int clock, int on) {
  volatile uint32_t *gates = clock == MXC_SYS_PERIPH_CLOCK_CNN ? &MXC_GCR->pclkdis0 : &MXC_GCR->pclkdis1;
  const uint32_t bit = clock == MXC_SYS_PERIPH_CLOCK_CNN     ? 1U << 25
                       : clock == MXC_SYS_PERIPH_CLOCK_SMPHR ? 1U << 9
                                                             : 1U << 31;
  if (on) {
    *gates &= ~bit;
  } else {
    *gates |= bit;
  }
}
void MXC_SYS_ClockEnable(int clock) { clock_gate(clock, 1); }
void MXC_SYS_ClockDisable(int clock) { clock_gate(clock, 0); }

void SystemCoreClockUpdate(void) {}

// In steps that fit the 24 bits of the system timer.
void MXC_Delay(uint32_t us) {
  while (us > 0) {
    const uint32_t part = us < 100000 ? us : 100000;
    SYST_RVR = part * 100;
    SYST_CVR = 0;
    SYST_CSR = 5;
    while ((SYST_CSR & (1U << 16)) == 0) {
    }
    SYST_CSR = 0;
    us -= part;
  }
}

void MXC_LP_EnterSleepMode(void) { __asm volatile("dsb\n wfi"); }
void MXC_LP_EnterLowPowerMode(void) { __asm volatile("dsb\n wfi"); }

void MXC_TMR_SW_Start(mxc_tmr_regs_t *timer) {
  timer->cnt = 1;
  timer->ctrl0 |= 1U << 15;
}
uint32_t MXC_TMR_SW_Stop(mxc_tmr_regs_t *timer) {
  timer->ctrl0 &= ~(1U << 15);
  return timer->cnt;
}

void NVIC_EnableIRQ(int irq) { NVIC_ISER[irq / 32] = 1U << (irq % 32); }
void NVIC_SetVector(int irq, void (*handler)(void)) {
  ram_vectors[16 + irq] = handler;
  NVIC_EnableIRQ(irq);
}
void NVIC_ClearPendingIRQ(int irq) { NVIC_ICPR[irq / 32] = 1U << (irq % 32); }
void NVIC_EnableEVENT(int irq) { (void)irq; }
void NVIC_ClearPendingEVENT(int irq) { (void)irq; }
void __enable_irq(void) { __asm volatile("cpsie i" : : : "memory"); }

void LED_On(int led) { MXC_GPIO0->out_set = 1U << (18 + led); }
void LED_Off(int led) { MXC_GPIO0->out_clr = 1U << (18 + led); }
int MXC_GPIO_Config(const mxc_gpio_cfg_t *config) {
  config->port->en0_set = config->mask;
  config->port->outen_set = config->mask;
  return 0;
}
void MXC_GPIO_OutSet(mxc_gpio_regs_t *port, uint32_t mask) { port->out_set = mask; }
void MXC_GPIO_OutClr(mxc_gpio_regs_t *port, uint32_t mask) { port->out_clr = mask; }
void gpio_trig1(int on) { *(on ? &MXC_GPIO1->out_set : &MXC_GPIO1->out_clr) = 1U << 6; }
void gpio_trig2(int on) { *(on ? &MXC_GPIO1->out_set : &MXC_GPIO1->out_clr) = 1U << 7; }

// A softmax to the base 2 in place of the one of the vendor's library.
void arm_softmax_q7_q15(const q7_t *in, uint16_t n, int16_t *out) {
  int max = -128;
  uint32_t sum = 0;
  for (int i = 0; i < n; ++i) max = in[i] > max ? in[i] : max;
  for (int i = 0; i < n; ++i) sum += max - in[i] < 16 ? 0x10000U >> (max - in[i]) : 0;
  for (int i = 0; i < n; ++i) {
    const uint32_t part = max - in[i] < 16 ? 0x10000U >> (max - in[i]) : 0;
    out[i] = (int16_t)((uint64_t)part * 32767 / sum);
  }
}

// Of the C library.
int _write(int file, const char *text, int length);
int _write(int file, const char *text, int length) {
  (void)file;
  for (int i = 0; i < length; ++i) MXC_UART0->fifo = (uint8_t)text[i];
  return length;
}
void *_sbrk(int bytes);
void *_sbrk(int bytes) {
  static char *end = stand_in_heap;
  if (end + bytes > stand_in_heap_end) {
    errno = ENOMEM;
    return (void *)-1;
  }
  end += bytes;
  return end - bytes;
}
int _close(int file);
int _close(int file) { return (void)file, -1; }
int _read(int file, char *to, int length);
int _read(int file, char *to, int length) { return (void)file, (void)to, (void)length, 0; }
int _lseek(int file, int offset, int from);
int _lseek(int file, int offset, int from) { return (void)file, (void)offset, (void)from, 0; }
int _fstat(int file, struct stat *to);
int _fstat(int file, struct stat *to) {
  (void)file;
  memset(to, 0, sizeof(*to));
  to->st_mode = S_IFCHR;
  return 0;
}
int _isatty(int file);
int _isatty(int file) { return (void)file, 1; }
