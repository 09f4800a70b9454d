// The curves as an SVG: microseconds per request over a logarithmic number of things. A flat line is the goal.

import type { Curve } from './curves.ts'

const WIDTH = 640
const HEIGHT = 320
const LEFT = 60
const TOP = 20
const RIGHT = 20
const BOTTOM = 60
const COLOURS = ['#1b6ca8', '#c0392b', '#2e8b57']

export function plot(curves: readonly Curve[]): string {
  const most = Math.max(...curves.flatMap(({ points }) => points.map(({ cpu }) => cpu.max))) * 1.1
  const highest = Math.max(...curves.flatMap(({ points }) => points.map(({ at }) => at)))
  const x = (at: number) => LEFT + (Math.log10(at) / Math.log10(highest)) * (WIDTH - LEFT - RIGHT)
  const y = (cpu: number) => HEIGHT - BOTTOM - (cpu / most) * (HEIGHT - TOP - BOTTOM)
  const text = (at: number, down: number, content: string, anchor = 'middle') =>
    `<text x="${at.toFixed(1)}" y="${down.toFixed(1)}" text-anchor="${anchor}">${content}</text>`
  const line = (x1: number, y1: number, x2: number, y2: number, colour: string) =>
    `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${colour}"/>`
  const parts: string[] = []
  const step = most > 40 ? 20 : most > 20 ? 10 : 5
  for (let cpu = 0; cpu <= most; cpu += step) {
    parts.push(line(LEFT, y(cpu), WIDTH - RIGHT, y(cpu), '#ddd'), text(LEFT - 8, y(cpu) + 4, `${cpu}`, 'end'))
  }
  for (let power = 0; 10 ** power <= highest; power++) {
    parts.push(text(x(10 ** power), HEIGHT - BOTTOM + 18, (10 ** power).toLocaleString('en')))
  }
  parts.push(text(LEFT, TOP - 6, 'µs of processor time per request', 'start'))
  for (const [i, { name, over, points }] of curves.entries()) {
    const colour = COLOURS[i % COLOURS.length] as string
    const path = points.map(({ at, cpu }) => `${x(at).toFixed(1)},${y(cpu.median).toFixed(1)}`).join(' ')
    parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`)
    for (const { at, cpu } of points) {
      parts.push(line(x(at), y(cpu.min), x(at), y(cpu.max), colour))
      parts.push(`<circle cx="${x(at).toFixed(1)}" cy="${y(cpu.median).toFixed(1)}" r="3" fill="${colour}"/>`)
    }
    const down = HEIGHT - 30 + (i % 2) * 16
    const left = LEFT + Math.floor(i / 2) * 290
    parts.push(`<rect x="${left}" y="${down - 9}" width="10" height="10" fill="${colour}"/>`)
    parts.push(text(left + 16, down, `${name}, by ${over}`, 'start'))
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11">
<title>What a request costs, over the number of operations and of records</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${parts.join('\n')}
</svg>
`
}
