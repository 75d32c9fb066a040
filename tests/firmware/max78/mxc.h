// Stand-in for the device header of MAX78000 and MAX78002: what generated projects name. On this
// computer they run against plain memory (host.c); for the Cortex-M4 the registers stand at the
// chip's addresses and the functions are those of device.c.
#ifndef MXC_H
#define MXC_H

#include <stdint.h>

typedef struct {
  volatile uint32_t reg0, reg1, reg2, reg3;
} mxc_gcfr_regs_t;
typedef struct {
  volatile uint32_t sysctrl, rst0, clkctrl, pm, ipll_ctrl, rsv_14, pclkdiv, rsv_1c[2], pclkdis0,
      memctrl, memz, rsv_30[4], sysst, rst1, pclkdis1;
} mxc_gcr_regs_t;
typedef struct {
  volatile uint32_t semaphores[8], rsv_20[8], irq0;
} mxc_sema_regs_t;
typedef struct {
  volatile uint32_t fctrl0, autocal[3], urvbootaddr, urvctrl;
} mxc_fcr_regs_t;
typedef struct {
  volatile uint32_t en0, en0_set, en0_clr, outen, outen_set, outen_clr, out, out_set, out_clr;
} mxc_gpio_regs_t;
typedef struct {
  volatile uint32_t cnt, cmp, pwm, intfl, ctrl0;
} mxc_tmr_regs_t;
typedef struct {
  volatile uint32_t ctrl, status, int_en, int_fl, clkdiv, osr, txpeek, pnr, fifo;
} mxc_uart_regs_t;

#ifdef __arm__
#define STAND_IN_AT(type, address) ((type*)(address##UL))
#define MXC_GCFR STAND_IN_AT(mxc_gcfr_regs_t, 0x40005800)
#define MXC_GCR STAND_IN_AT(mxc_gcr_regs_t, 0x40000000)
#define MXC_SEMA STAND_IN_AT(mxc_sema_regs_t, 0x4003e000)
#define MXC_FCR STAND_IN_AT(mxc_fcr_regs_t, 0x40000800)
#define MXC_GPIO0 STAND_IN_AT(mxc_gpio_regs_t, 0x40008000)
#define MXC_GPIO1 STAND_IN_AT(mxc_gpio_regs_t, 0x40009000)
#define MXC_GPIO2 STAND_IN_AT(mxc_gpio_regs_t, 0x40080400)
#define MXC_TMR0 STAND_IN_AT(mxc_tmr_regs_t, 0x40010000)
#define MXC_TMR1 STAND_IN_AT(mxc_tmr_regs_t, 0x40011000)
#define MXC_TMR2 STAND_IN_AT(mxc_tmr_regs_t, 0x40012000)
#define MXC_TMR3 STAND_IN_AT(mxc_tmr_regs_t, 0x40013000)
#define MXC_UART0 STAND_IN_AT(mxc_uart_regs_t, 0x40042000)
#else
extern mxc_gcfr_regs_t stand_in_gcfr;
extern mxc_gcr_regs_t stand_in_gcr;
extern mxc_sema_regs_t stand_in_sema;
extern mxc_fcr_regs_t stand_in_fcr;
extern mxc_gpio_regs_t stand_in_gpio;
extern mxc_tmr_regs_t stand_in_timer;

#define MXC_GCFR (&stand_in_gcfr)
#define MXC_GCR (&stand_in_gcr)
#define MXC_SEMA (&stand_in_sema)
#define MXC_FCR (&stand_in_fcr)
#define MXC_GPIO2 (&stand_in_gpio)
#define MXC_TMR0 (&stand_in_timer)
#endif

// Fields of the clock of the accelerator; the MAX78000 has one bit of the source.
#define MXC_F_GCR_PCLKDIV_CNNCLKDIV 0x1c000U
#if TARGET_NUM == 78002
#define MXC_F_GCR_PCLKDIV_CNNCLKSEL 0x60000U
#else
#define MXC_F_GCR_PCLKDIV_CNNCLKSEL 0x20000U
#endif
#define MXC_S_GCR_PCLKDIV_CNNCLKSEL_PCLK 0x0U
#define MXC_S_GCR_PCLKDIV_CNNCLKSEL_IPLL 0x60000U
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV1 0x10000U
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV2 0x0U
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV4 0x4000U
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV8 0x8000U
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV16 0xc000U
#define MXC_F_GCR_IPLL_CTRL_EN 0x1U
#define MXC_F_GCR_IPLL_CTRL_RDY 0x2U
#define MXC_F_SEMA_IRQ0_EN 0x1U
#define MXC_F_SEMA_IRQ0_CM4_IRQ 0x10000U

enum {
  MXC_ICC0,
  MXC_ICC1,
  MXC_SYS_CLOCK_IPO,
  MXC_SYS_PERIPH_CLOCK_CNN,
  MXC_SYS_PERIPH_CLOCK_SMPHR,
  MXC_SYS_PERIPH_CLOCK_CPU1
};
enum { RISCV_IRQn = 63, CNN_IRQn = 101 };  // of the Arm core

void MXC_ICC_Enable(int cache);
void MXC_SYS_Clock_Select(int clock);
void MXC_SYS_ClockEnable(int clock);
void MXC_SYS_ClockDisable(int clock);
void SystemCoreClockUpdate(void);
void MXC_Delay(uint32_t us);
void MXC_LP_EnterSleepMode(void);
void MXC_LP_EnterLowPowerMode(void);
void MXC_TMR_SW_Start(mxc_tmr_regs_t* timer);
uint32_t MXC_TMR_SW_Stop(mxc_tmr_regs_t* timer);
void NVIC_SetVector(int irq, void (*handler)(void));
void NVIC_EnableIRQ(int irq);
void NVIC_EnableEVENT(int irq);
void NVIC_ClearPendingIRQ(int irq);
void NVIC_ClearPendingEVENT(int irq);
void __enable_irq(void);
void LED_On(int led);
void LED_Off(int led);
#define SEC(n) ((n)*1000000U)
#define MSEC(n) ((n)*1000U)
#define MXC_DELAY_MSEC(n) MSEC(n)

// Of the vendor's handlers: defined by the project.
void CNN_ISR(void);
void CNN_IRQHandler(void);

typedef struct {
  mxc_gpio_regs_t* port;
  uint32_t mask;
  int func, pad, vssel;
} mxc_gpio_cfg_t;
enum { MXC_GPIO_PAD_NONE, MXC_GPIO_FUNC_OUT, MXC_GPIO_VSSEL_VDDIO };
#define MXC_GPIO_PIN_0 (1U << 0)
#define MXC_GPIO_PIN_1 (1U << 1)
#define MXC_GPIO_PIN_2 (1U << 2)
#define MXC_GPIO_PIN_3 (1U << 3)
#define MXC_GPIO_PIN_4 (1U << 4)
#define MXC_GPIO_PIN_5 (1U << 5)
#define MXC_GPIO_PIN_6 (1U << 6)
#define MXC_GPIO_PIN_7 (1U << 7)
#define MXC_GPIO_PIN_8 (1U << 8)
#define MXC_GPIO_PIN_9 (1U << 9)
#define MXC_GPIO_PIN_10 (1U << 10)
#define MXC_GPIO_PIN_11 (1U << 11)
#define MXC_GPIO_PIN_12 (1U << 12)
#define MXC_GPIO_PIN_13 (1U << 13)
#define MXC_GPIO_PIN_14 (1U << 14)
#define MXC_GPIO_PIN_15 (1U << 15)
#define MXC_GPIO_PIN_16 (1U << 16)
#define MXC_GPIO_PIN_17 (1U << 17)
#define MXC_GPIO_PIN_18 (1U << 18)
#define MXC_GPIO_PIN_19 (1U << 19)
#define MXC_GPIO_PIN_20 (1U << 20)
#define MXC_GPIO_PIN_21 (1U << 21)
#define MXC_GPIO_PIN_22 (1U << 22)
#define MXC_GPIO_PIN_23 (1U << 23)
#define MXC_GPIO_PIN_24 (1U << 24)
#define MXC_GPIO_PIN_25 (1U << 25)
#define MXC_GPIO_PIN_26 (1U << 26)
#define MXC_GPIO_PIN_27 (1U << 27)
#define MXC_GPIO_PIN_28 (1U << 28)
#define MXC_GPIO_PIN_29 (1U << 29)
#define MXC_GPIO_PIN_30 (1U << 30)
#define MXC_GPIO_PIN_31 (1U << 31)
int MXC_GPIO_Config(const mxc_gpio_cfg_t* config);
void MXC_GPIO_OutSet(mxc_gpio_regs_t* port, uint32_t mask);
void MXC_GPIO_OutClr(mxc_gpio_regs_t* port, uint32_t mask);

typedef int8_t q7_t;
void arm_softmax_q7_q15(const q7_t* in, uint16_t n, int16_t* out);
void gpio_trig1(int on);
void gpio_trig2(int on);

#endif
