import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClockChange, WorldClock } from '../../src/world/clock.ts'
import { LATEST, parseMoment, parseShift } from '../../src/world/dates.ts'
import { FixedClock } from '../virtual-clock.ts'

const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const DAY = 24 * HOUR

const changes: [string, ClockChange, atOnce: number, anHourLater: number][] = [
  ['runs on from a set time', { now: 0 }, 0, HOUR],
  ['keeps a shift from real time', { shift: 30 * DAY }, START + 30 * DAY, START + 30 * DAY + HOUR],
  ['can be shifted into the past', { shift: -DAY }, START - DAY, START - DAY + HOUR],
  ['is frozen at its time', { freeze: true }, START, START],
  ['is frozen at a set time', { now: 5, freeze: true }, 5, 5],
  ['is frozen at a shift', { shift: DAY, freeze: true }, START + DAY, START + DAY],
  ['runs at a higher rate', { rate: 60 }, START, START + 60 * HOUR],
  ['runs at a higher rate from a set time', { now: 0, rate: 24 }, 0, DAY],
  ['runs at a lower rate', { rate: 0.5 }, START, START + HOUR / 2],
  ['is shifted relative to a set time', { now: DAY, shift: -HOUR }, DAY - HOUR, DAY],
]
for (const [name, change, atOnce, anHourLater] of changes) {
  test(`a clock ${name}`, () => {
    const base = new FixedClock(START)
    const clock = new WorldClock(base)
    clock.adjust(change)
    assert.equal(clock.now(), atOnce)
    base.time += HOUR
    assert.equal(clock.now(), anHourLater)
  })
}

test('a clock shows real time until it is adjusted and after it is restored', () => {
  const base = new FixedClock(START)
  const clock = new WorldClock(base)
  assert.deepEqual(clock.state, { now: START, real: true, frozen: false, rate: 1 })
  clock.adjust({ now: 0, rate: 2 })
  assert.deepEqual(clock.state, { now: 0, real: false, frozen: false, rate: 2 })
  clock.restore()
  base.time += HOUR
  assert.equal(clock.now(), START + HOUR)
  assert.equal(clock.adjusted, false)
})

test('a frozen clock keeps its time and continues from it', () => {
  const base = new FixedClock(START)
  const clock = new WorldClock(base)
  clock.adjust({ now: 0 })
  base.time += HOUR
  clock.adjust({ freeze: true })
  base.time += HOUR
  assert.equal(clock.now(), HOUR)
  clock.adjust({ freeze: false })
  base.time += HOUR
  assert.equal(clock.now(), 2 * HOUR)
})

test('a shift is relative to real time, so repeating it has no effect', () => {
  const clock = new WorldClock(new FixedClock(START))
  clock.adjust({ shift: DAY })
  clock.adjust({ shift: DAY })
  assert.equal(clock.now(), START + DAY)
})

test('a clock stays within years of four digits', () => {
  const base = new FixedClock(START)
  const clock = new WorldClock(base)
  clock.adjust({ rate: 1e6 })
  base.time += 100_000 * DAY
  assert.equal(clock.now(), LATEST)
})

test('a fast clock shortens waits; a frozen or slow clock waits in real time', async () => {
  const base = new FixedClock(START)
  const clock = new WorldClock(base)
  await clock.sleep(600)
  for (const change of [{ rate: 60 }, { freeze: true }, { rate: 0.01 }]) {
    clock.adjust(change)
    await clock.sleep(600)
  }
  assert.deepEqual(base.slept, [600, 10, 600, 600])
})

test('a forked clock continues like its origin and diverges when adjusted', () => {
  const base = new FixedClock(START)
  const clock = new WorldClock(base)
  clock.adjust({ now: 0 })
  const fork = clock.fork()
  base.time += HOUR
  assert.equal(fork.now(), HOUR)
  fork.restore()
  assert.equal(clock.now(), HOUR)
})

for (const [text, expected] of [
  ['2030-12-06', Date.UTC(2030, 11, 6)],
  ['2030-12-06T10:00:00Z', Date.UTC(2030, 11, 6, 10)],
  ['2030-12-06T10:00:00+02:00', Date.UTC(2030, 11, 6, 8)],
  ['+30d', START + 30 * DAY],
  ['-12h', START - 12 * HOUR],
  ['30d', undefined],
  ['2030-02-30', undefined],
  ['tomorrow', undefined],
  ['', undefined],
  ['+', undefined],
  ['+30', undefined],
  ['+-30d', undefined],
  ['+9000000d', undefined],
  ['1e3', undefined],
] as const) {
  test(`"${text}" is ${expected === undefined ? 'not a time' : new Date(expected).toISOString()}`, () => {
    assert.equal(parseMoment(text, START), expected)
  })
}

test('a shift may be longer than the longest duration of a setting', () => {
  assert.equal(parseShift('+40000d'), 40_000 * 86_400_000)
  assert.equal(parseMoment('-40000d', 0), -40_000 * 86_400_000)
})

test('a shift needs a unit and may have a sign', () => {
  assert.deepEqual(['30d', '+90m', '-1.5h', '30', '-', 'h'].map(parseShift), [
    30 * DAY,
    1.5 * HOUR,
    -1.5 * HOUR,
    undefined,
    undefined,
    undefined,
  ])
})
