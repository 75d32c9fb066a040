// Stand-in for the device header of MAX78000 and MAX78002: what generated projects name, so that
// they compile here and run against plain memory (host.c).
#ifndef MXC_H
#define MXC_H

#include <stdint.h>

typedef struct {
  volatile uint32_t reg0, reg1, reg2, reg3;
} mxc_gcfr_regs_t;
typedef struct {
  volatile uint32_t pclkdiv, ipll_ctrl;
} mxc_gcr_regs_t;
typedef struct {
  volatile uint32_t irq0;
} mxc_sema_regs_t;
typedef struct {
  volatile uint32_t urvbootaddr, urvctrl;
} mxc_fcr_regs_t;
typedef struct {
  volatile uint32_t out;
} mxc_gpio_regs_t;
typedef int mxc_tmr_regs_t;

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

#define MXC_F_GCR_PCLKDIV_CNNCLKDIV 0x1c000U
#define MXC_F_GCR_PCLKDIV_CNNCLKSEL 0x20000U
#define MXC_S_GCR_PCLKDIV_CNNCLKSEL_PCLK 0x0U
#define MXC_S_GCR_PCLKDIV_CNNCLKSEL_IPLL 0x20000U
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
  MXC_SYS_PERIPH_CLOCK_CPU1,
  CNN_IRQn,
  RISCV_IRQn
};

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
#define MXC_GPIO_PIN_5 0x20U
int MXC_GPIO_Config(const mxc_gpio_cfg_t* config);
void MXC_GPIO_OutSet(mxc_gpio_regs_t* port, uint32_t mask);
void MXC_GPIO_OutClr(mxc_gpio_regs_t* port, uint32_t mask);

typedef int8_t q7_t;
void arm_softmax_q7_q15(const q7_t* in, uint16_t n, int16_t* out);
void gpio_trig1(int on);
void gpio_trig2(int on);

#endif
