// npm run bench [-- --quick] [--against COMMIT] [PART ...] measures every target of the product. PART is one of PARTS or part of a
// row's name; the default is all of them. It fails only if a run was broken. A missed target is printed, since a busy machine misses some.

import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Curves, measureCurves } from './curves.ts'
import { type Figure, measureSoak, measureStart } from './figures.ts'
import { measureForwarding } from './forwarding.ts'
import { measureHandle } from './handle.ts'
import { measureKills } from './kills.ts'
import { measureObserving } from './observing.ts'
import { measureOverload } from './overload.ts'
import { plot } from './plot.ts'
import { type Effort, measureRows } from './ratios.ts'
import { measureRecording } from './recording.ts'
import { measureReplay } from './replay.ts'
import { describeReport, reportOf } from './report.ts'
import { lastingRows, rows, ruledRows, variedRow } from './rows.ts'
import { measureShadow } from './shadow.ts'
import { measureShared } from './shared.ts'
import { RESULTS } from './subject.ts'

const PARTS = [
  'rows',
  'curves',
  'start',
  'handle',
  'overload',
  'soak',
  'kills',
  'shared',
  'forwarding',
  'shadow',
  'recording',
]

const { values: flags, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, against: { type: 'string', default: 'HEAD' } },
})
const { quick, against } = flags
const rowNames = [...rows, variedRow, ...ruledRows, ...lastingRows].map(({ name }) => name)
const unknown = parts.filter(part => !PARTS.includes(part) && !rowNames.some(name => name.includes(part)))
if (unknown.length > 0) {
  process.stderr.write(`there is nothing called ${unknown.join(', ')} to measure\n`)
  process.exit(2)
}
const wanted = (part: string) => parts.length === 0 || parts.includes(part)
const effort: Effort = quick ? { rounds: 3, seconds: 0.15 } : { rounds: 16, seconds: 0.22 }

const say = (text: string) => process.stderr.write(`${text}\n`)
const figures: Figure[] = []
if (wanted('start')) {
  say('start-up …')
  figures.push(...(await measureStart(quick ? 3 : 7)))
}
if (wanted('handle')) {
  say('inside the gateway …')
  figures.push(...(await measureHandle(against, quick ? 3 : 9, quick ? 5000 : 30_000)))
}
say('rows …')
const measured = await measureRows(effort, name => wanted('rows') || parts.some(part => name.includes(part)))
figures.push(...(await measureObserving(measured)))
let found: Curves = { curves: [], million: 0 }
if (wanted('curves')) {
  say('curves …')
  found = await measureCurves(effort)
  figures.push({ name: 'resident with 1,000,000 records', value: found.million / 1e6, unit: 'MB', target: 600 })
}
if (wanted('overload')) {
  say('overload …')
  figures.push(...(await measureOverload(quick ? 1 : 12)))
}
if (wanted('soak')) {
  say('soak …')
  figures.push(...(await measureSoak(quick ? 100_000 : 2_000_000, quick ? 150 : 1000)))
}
if (wanted('kills')) {
  say('kills …')
  figures.push(...(await measureKills(quick ? 10 : 60)))
}
if (wanted('forwarding')) {
  say('forwarding …')
  figures.push(...(await measureForwarding(effort)))
}
if (wanted('shadow')) {
  say('shadow …')
  figures.push(...(await measureShadow(effort)))
}
if (wanted('recording')) {
  say('recording …')
  figures.push(...(await measureRecording(quick ? 2000 : 100_000)))
}
if (wanted('shared')) {
  say('shared state …')
  figures.push(...(await measureShared(2 * effort.seconds, say)), await measureReplay(quick ? 1 : 5))
}

const report = reportOf(quick, measured, found.curves, figures)
mkdirSync(RESULTS, { recursive: true })
writeFileSync(`${RESULTS}/bench.json`, `${JSON.stringify(report, null, 2)}\n`)
if (found.curves.length > 0) writeFileSync(`${RESULTS}/curves.svg`, plot(found.curves))
process.stdout.write(describeReport(report))
process.exit(0)
