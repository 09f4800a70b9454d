// The figures of docs/benchmarks.md as bars: processor time of a request relative to a bare server that writes the same bytes.

import { readCases } from '../benchmarks.ts'
import { line, picture, rect, text } from './svg.ts'

const WIDTH = 760
const LEFT = 290
const RIGHT = 710
const BAR = 12

export function drawBench(): string {
  // The bare server itself is 1.
  const cases = readCases().map(({ name, subjects }) => ({ name, subjects: subjects.slice(1) }))
  const most = Math.ceil(Math.max(...cases.flatMap(({ subjects }) => subjects.map(({ ratio }) => ratio))) * 2) / 2
  const x = (ratio: number) => LEFT + (ratio / most) * (RIGHT - LEFT)
  const CASE = BAR * 2 + 20
  const bottom = 56 + cases.length * CASE
  const ticks = Array.from({ length: most * 2 + 1 }, (_, i) => i / 2)
  const parts = [
    text(
      24,
      30,
      'Processor time of a request, as a multiple of a bare node:http server that writes the same bytes',
      'strong',
    ),
    ...ticks.flatMap(ratio => [
      line(x(ratio), 46, x(ratio), bottom),
      text(x(ratio), bottom + 16, `${ratio} ×`, 'quiet small', 'text-anchor="middle"'),
    ]),
    ...cases.flatMap(({ name, subjects }, i) => {
      const y = 56 + i * CASE
      return [
        text(LEFT - 12, y + BAR + 5, name, '', 'text-anchor="end"'),
        ...subjects.flatMap(({ name: subject, ratio }, k) => [
          rect(LEFT, y + k * (BAR + 2), x(ratio) - LEFT, BAR, subject === 'understudy' ? 'accent' : 'soft', 2),
          text(x(ratio) + 6, y + k * (BAR + 2) + 10, ratio.toFixed(2), 'small'),
        ]),
      ]
    }),
    rect(24, bottom + 30, 12, 12, 'soft', 2),
    text(42, bottom + 40, 'an empty Koa application', 'small'),
    rect(220, bottom + 30, 12, 12, 'accent', 2),
    text(238, bottom + 40, 'Understudy', 'small'),
  ]
  return picture(WIDTH, bottom + 58, 'What a request costs beside a bare server', parts)
}
