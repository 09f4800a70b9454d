// Rates and latencies as the view of operations words them.

/** Milliseconds, or a dash without a measurement. */
export const latency = (value: number | null): string =>
  value === null ? '–' : value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${value.toFixed(value >= 10 ? 0 : 1)} ms`

/** Requests a second, or a dash where there was none. */
export const rate = (perSecond: number): string =>
  perSecond === 0 ? '–' : `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(2)}/s`
