// Latencies and rates as places on a slider, and as texts.

/** The largest latency of the sliders, in milliseconds. */
const MOST_LATENCY = 30_000

/** The place of a latency on a slider from 0 to 1000, which is logarithmic: 10 ms and 10 s are both easy to set. */
export const sliderOf = (milliseconds: number): number =>
  milliseconds <= 0
    ? 0
    : Math.min(1000, Math.max(1, Math.round((Math.log(milliseconds) / Math.log(MOST_LATENCY)) * 1000)))

/** The inverse of `sliderOf`, in milliseconds of two significant digits. */
export function millisecondsOf(slider: number): number {
  if (slider <= 0) return 0
  const exact = MOST_LATENCY ** (slider / 1000)
  return exact < 10 ? Math.round(exact) : Number(exact.toPrecision(2))
}

/** The place of a rate on a slider from 0 to 1000: small rates have more room. */
export const sliderOfRate = (rate: number): number => Math.round(Math.cbrt(Math.min(1, Math.max(0, rate))) * 1000)

/** The inverse of `sliderOfRate`, in steps that are easy to read. */
export function rateOf(slider: number): number {
  const rate = (slider / 1000) ** 3
  const step = rate < 0.01 ? 0.001 : rate < 0.1 ? 0.005 : 0.01
  return slider <= 0 ? 0 : Math.max(0.001, Number((Math.round(rate / step) * step).toFixed(3)))
}

/** `12 ms` or `1.5 s`. */
export const writeLatency = (milliseconds: number): string =>
  milliseconds >= 1000
    ? `${Number((milliseconds / 1000).toPrecision(3))} s`
    : `${Number(milliseconds.toPrecision(3))} ms`

/** `5 %`. */
export const writeRate = (rate: number): string => `${Number((rate * 100).toPrecision(3))} %`
