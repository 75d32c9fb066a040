// Runs a generated project (MAX78000, input without FIFO) on this computer: the accelerator is plain
// memory at its addresses. When the core sleeps, the known answer appears there and the interrupt
// comes. At the end the unloaded results and the words of memory go to standard output.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mxc.h"
#include "cnn.h"
#include "sampleoutput.h"

mxc_gcfr_regs_t stand_in_gcfr;
mxc_gcr_regs_t stand_in_gcr;
mxc_sema_regs_t stand_in_sema;
mxc_fcr_regs_t stand_in_fcr;
mxc_gpio_regs_t stand_in_gpio;
mxc_tmr_regs_t stand_in_timer;

static const uint32_t answer[] = SAMPLE_OUTPUT;
static uint32_t *const kBase = (uint32_t *)0x50000000UL;
enum { kBytes = 0x1100000 };

// What memory holds before the inference, without what is loaded before it: "address value".
static void dump_memory(void) {
  FILE *file = fopen("memory.txt", "w");
  for (long i = 0; i < kBytes / 4; ++i) {
    if (kBase[i] != 0) fprintf(file, "%08lx %08x\n", 0x50000000UL + 4UL * (unsigned long)i, kBase[i]);
  }
  fclose(file);
}

__attribute__((constructor)) static void map(void) {
  void *at = mmap(kBase, kBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
  if (at != kBase) {
    printf("cannot map the accelerator\n");
    exit(2);
  }
}

__attribute__((destructor)) static void unload(void) {
  static uint32_t words[(CNN_NUM_OUTPUTS + 64) * 4];
  FILE *file = fopen("unload.bin", "wb");
  cnn_unload(words);
  fwrite(words, 1, sizeof(words), file);
  fclose(file);
}

void MXC_LP_EnterSleepMode(void) {
  static int slept;
  if (slept++ == 0) dump_memory();
  for (const uint32_t *p = answer; *p != 0;) {
    uint32_t *to = (uint32_t *)(uintptr_t)*p++;
    const uint32_t mask = *p++;
    uint32_t count = *p++;
    while (count-- > 0) *to++ = (*p++) & mask;
  }
  CNN_ISR();
}

void MXC_ICC_Enable(int c) { (void)c; }
void MXC_SYS_Clock_Select(int c) { (void)c; }
void MXC_SYS_ClockEnable(int c) { (void)c; }
void MXC_SYS_ClockDisable(int c) { (void)c; }
void SystemCoreClockUpdate(void) {}
void MXC_Delay(uint32_t us) { (void)us; }
void MXC_TMR_SW_Start(mxc_tmr_regs_t *t) { (void)t; }
uint32_t MXC_TMR_SW_Stop(mxc_tmr_regs_t *t) {
  (void)t;
  return 1;
}
void NVIC_SetVector(int irq, void (*handler)(void)) {
  (void)irq;
  (void)handler;
}
void LED_On(int led) { (void)led; }
void LED_Off(int led) { (void)led; }
int MXC_GPIO_Config(const mxc_gpio_cfg_t *c) {
  (void)c;
  return 0;
}
void MXC_GPIO_OutSet(mxc_gpio_regs_t *p, uint32_t m) { p->out |= m; }
void MXC_GPIO_OutClr(mxc_gpio_regs_t *p, uint32_t m) { p->out &= ~m; }
void arm_softmax_q7_q15(const q7_t *in, uint16_t n, int16_t *out) {
  (void)in;
  memset(out, 0, sizeof(*out) * n);
}
