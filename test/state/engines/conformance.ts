// Tests that every engine must pass: `conforms`, `keeps` if entries outlast the process, `shares` if processes use one log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine, Position } from '../../../src/state/engines/engine.ts'

export interface TestedEngine {
  /** Another connection to a log; `name` tells the logs of different tests apart. */
  connect(name: string): Engine | Promise<Engine>
}

export async function appended(engine: Engine, after: Position, ...entries: string[]): Promise<Position> {
  const result = await engine.append(after, entries)
  assert.ok('appended' in result, 'another append came first')
  return result.appended
}

/** Tests of one process that uses a log. */
export function conforms(kind: string, log: TestedEngine, skip: string | false = false): void {
  test(`${kind}: a new log is empty, and its position counts entries`, { skip }, async () => {
    const one = await log.connect('own')
    const { anew, entries, position } = await one.open()
    assert.deepEqual([anew, [...entries], position.at], [{ snapshot: undefined }, [], 0])
    assert.notEqual(position.log, '')
    const end = await appended(one, position, '{"a":"ü €"}', '["b c"]')
    assert.deepEqual(end, { ...end, log: position.log, at: 2 })
    assert.equal((await appended(one, end, 'c')).at, 3)
    await one.close()
  })

  test(`${kind}: nothing is missed after one's own entries`, { skip }, async () => {
    const one = await log.connect('since')
    const { position } = await one.open()
    const end = await appended(one, position, 'a')
    const { anew, entries, position: now } = await one.since(end)
    assert.deepEqual([anew, [...entries], now], [undefined, [], end])
    assert.equal((await appended(one, end)).at, 1)
    await one.close()
  })

  test(`${kind}: a snapshot may be written, and entries go on after it`, { skip }, async () => {
    const one = await log.connect('compacted')
    const { position } = await one.open()
    const early = await appended(one, position, 'a', 'b')
    const end = await appended(one, early, 'c')
    await one.compact(early, 'state', ['c'])
    assert.equal(one.worthCompacting, false)
    assert.equal((await appended(one, end, 'd')).at, 4)
    await one.close()
  })

  test(`${kind}: is named without credentials, and tells of its availability only when it changes`, {
    skip,
  }, async () => {
    const one = await log.connect('named')
    const told: unknown[] = []
    one.onAvailability(reason => told.push(reason))
    const { position } = await one.open()
    await appended(one, position, 'a')
    assert.match(one.name, /^(?:memory|file |redis )/)
    assert.deepEqual(
      told.filter(reason => reason !== undefined),
      [],
    )
    await one.close()
  })
}

/** Tests of an engine whose entries outlast the process. */
export function keeps(kind: string, log: TestedEngine, skip: string | false = false): void {
  test(`${kind}: entries are read at the next start, in order`, { skip }, async () => {
    const one = await log.connect('kept')
    const { position } = await one.open()
    const many = Array.from({ length: 5000 }, (_, i) => `${i} ${'x'.repeat(i % 50)}`)
    const end = await appended(one, position, '{"a":"ü €"}', ...many)
    await one.close()
    const again = await log.connect('kept')
    const { anew, entries, position: found } = await again.open()
    assert.deepEqual([anew, found.log, found.at], [{ snapshot: undefined }, end.log, end.at])
    assert.deepEqual([...entries], ['{"a":"ü €"}', ...many])
    assert.equal(entries.length, 5001)
    await again.close()
  })

  test(`${kind}: a snapshot replaces the entries before it`, { skip }, async () => {
    const one = await log.connect('snapshot')
    const { position } = await one.open()
    await one.compact(position, 'first', [])
    const early = await appended(one, position, 'a', 'b')
    const end = await appended(one, early, 'c')
    await one.compact(early, 'line 1\nline 2', ['c'])
    await one.close()
    const again = await log.connect('snapshot')
    const { anew, entries, position: found } = await again.open()
    assert.deepEqual([anew, [...entries], found.at], [{ snapshot: 'line 1\nline 2' }, ['c'], end.at])
    await again.close()
  })
}

/** Tests of an engine whose log several processes share. */
export function shares(kind: string, log: TestedEngine, skip: string | false = false): void {
  /** Two opened readers, and the end of the log. */
  async function two(name: string) {
    const [one, other] = [await log.connect(name), await log.connect(name)]
    const { position } = await one.open()
    await other.open()
    return { one, other, position, close: () => Promise.all([one.close(), other.close()]) }
  }

  test(`${kind}: an append before the end returns the missing entries and appends nothing`, { skip }, async () => {
    const { one, other, position, close } = await two('conflict')
    const end = await appended(one, position, '{"a":"ü €"}', '["b c"]')
    assert.equal(end.at, 2)
    const second = await other.append(position, ['c'])
    assert.deepEqual(second, { missed: { anew: undefined, entries: ['{"a":"ü €"}', '["b c"]'], position: end } })
    assert.deepEqual([...(await other.since(end)).entries], [])
    assert.equal((await appended(other, end, 'c')).at, 3)
    assert.deepEqual([...(await one.since(end)).entries], ['c'])
    await close()
  })

  test(`${kind}: one of several appends at one position succeeds`, { skip }, async () => {
    const readers = await Promise.all(Array.from({ length: 8 }, () => log.connect('race')))
    const [first] = await Promise.all(readers.map(reader => reader.open()))
    const results = await Promise.all(readers.map((reader, i) => reader.append(first?.position as Position, [`${i}`])))
    assert.equal(results.filter(result => 'appended' in result).length, 1)
    const [missed] = results.flatMap(result => ('missed' in result ? [result.missed] : []))
    assert.equal(missed?.entries.length, 1)
    await Promise.all(readers.map(reader => reader.close()))
  })

  test(`${kind}: of two first snapshots the first one wins`, { skip }, async () => {
    const { one, other, position, close } = await two('beginning')
    await one.compact(position, 'first', [])
    await other.compact(position, 'late', [])
    const end = await appended(one, position, 'a')
    const third = await log.connect('beginning')
    assert.deepEqual(await third.open(), { anew: { snapshot: 'first' }, entries: ['a'], position: end })
    await third.close()
    await close()
  })

  test(`${kind}: many entries in one append arrive complete and in order`, { skip }, async () => {
    const { one, other, position, close } = await two('many')
    const entries = Array.from({ length: 5000 }, (_, i) => `${i} ${'x'.repeat(i % 50)}`)
    const end = await appended(one, position, ...entries)
    assert.deepEqual(await other.since(position), { anew: undefined, entries, position: end })
    await close()
  })

  test(`${kind}: the last requests of all processes are kept, and each process has a number`, { skip }, async () => {
    const { one, other, close } = await two('requests')
    const [mine, theirs] = [one.requests, other.requests]
    assert.ok(mine !== undefined && theirs !== undefined)
    assert.deepEqual([mine.member, theirs.member], [0, 1])
    await mine.add(['a'], 10)
    await mine.read()
    await theirs.add(['b', 'c'], 10)
    assert.deepEqual(await theirs.read(), { requests: ['a', 'b', 'c'], dropped: 0 })
    for (let i = 0; i < 30; i++) await mine.add([`${i}`], 10)
    const { requests, dropped } = await mine.read()
    assert.equal(requests.at(-1), '29')
    assert.ok(requests.length >= 10 && requests.length < 20, `${requests.length}`)
    assert.equal(requests.length + dropped, 33)
    await mine.clear()
    assert.deepEqual(await mine.read(), { requests: [], dropped: 0 })
    await close()
  })
}
