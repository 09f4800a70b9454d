// The arithmetic of the time axis.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CalendarEvent } from '../../src/console/model/replies.ts'
import {
  marksOf,
  momentAt,
  pan,
  placeInRange,
  rangeOver,
  readRange,
  snap,
  ticksOf,
  writeRange,
  zoom,
} from '../../src/console/time/axis.ts'

const at = (text: string): number => Date.parse(text)
const YEARS = { from: at('2026-01-01'), until: at('2031-01-01') }
const event = (kind: CalendarEvent['kind'], text: string, until?: string): CalendarEvent => ({
  at: new Date(text).toISOString(),
  ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  kind,
  operation: 'getOld',
  text: `${kind} ${text}`,
})

test('a time maps to a position in a range and back', () => {
  assert.equal(placeInRange(YEARS.from, YEARS), 0)
  assert.equal(momentAt(placeInRange(at('2030-12-05'), YEARS), YEARS), at('2030-12-05'))
})

test('a range over all events includes the clock and a margin', () => {
  const range = rangeOver([event('sunset', '2030-12-05')], at('2026-11-22'))
  assert.ok(range.from < at('2026-11-22') && range.until > at('2030-12-05'))
})

test('a range is written to the URL, and an invalid one is ignored', () => {
  assert.equal(writeRange(YEARS), '2026-01-01T00:00Z~2031-01-01T00:00Z')
  assert.deepEqual(readRange(writeRange(YEARS)), YEARS)
  for (const text of ['', 'soon', '2030-01-01~2029-01-01', '2030-01-01', '2030-01-01~2030-01-01T00:01Z']) {
    assert.equal(readRange(text), undefined, text)
  }
})

test('zooming keeps its centre, and panning the length', () => {
  const center = at('2027-01-01')
  const closer = zoom(YEARS, 0.5, center)
  assert.ok(Math.abs(placeInRange(center, closer) - placeInRange(center, YEARS)) < 1e-9)
  assert.equal(closer.until - closer.from, (YEARS.until - YEARS.from) / 2)
  assert.equal(pan(YEARS, 0.5).from - YEARS.from, (YEARS.until - YEARS.from) / 2)
  assert.ok(zoom(YEARS, 1e-12, center).until - zoom(YEARS, 1e-12, center).from >= 600_000)
})

test('ticks are at round times with room for their labels', () => {
  assert.deepEqual(
    ticksOf(YEARS, 500).map(({ label }) => label),
    ['2026', '2027', '2028', '2029', '2030', '2031'],
  )
  const day = { from: at('2026-11-22'), until: at('2026-11-23') }
  assert.deepEqual(
    ticksOf(day, 400).map(({ label }) => label),
    ['22 Nov', '06:00', '12:00', '18:00', '23 Nov'],
  )
  for (let length = 600_000; length < 200 * 366 * 86_400_000; length *= 3) {
    const ticks = ticksOf({ from: 0, until: length }, 800)
    assert.ok(ticks.length >= 1 && ticks.length <= 12, `${length}: ${ticks.length}`)
  }
})

test('close events of a kind share a mark, and invisible ones have none', () => {
  const events = [
    event('brown-out', '2026-06-01T00:00Z', '2026-06-01T02:00Z'),
    event('brown-out', '2026-06-02T00:00Z', '2026-06-02T02:00Z'),
    event('sunset', '2026-06-02'),
    event('brown-out', '2030-06-01', '2030-08-01'),
    event('sunset', '2040-01-01'),
  ]
  assert.deepEqual(
    marksOf(events, YEARS, 1000).map(({ kind, events: { length }, until }) => [kind, length, until !== undefined]),
    [
      ['brown-out', 2, false],
      ['sunset', 1, false],
      ['brown-out', 1, true],
    ],
  )
})

test('a dragged clock snaps to an event nearby, else to a round moment', () => {
  const events = [event('sunset', '2030-12-05T13:37:00Z')]
  assert.equal(snap(at('2030-12-07'), events, YEARS, 1000), at('2030-12-05T13:37:00Z'))
  assert.equal(snap(at('2029-03-07T05:06:07Z'), events, YEARS, 1000) % 86_400_000, 0)
})
