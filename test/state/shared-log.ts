// Tests of several readers of one log, for every engine; each engine's test file calls this.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine, Position } from '../../src/state/engine.ts'

export interface SharedLog {
  /** Another reader of a log; `name` tells the logs of different tests apart. */
  connect(name: string): Engine | Promise<Engine>
}

export async function appended(engine: Engine, after: Position, ...entries: string[]): Promise<Position> {
  const result = await engine.append(after, entries)
  assert.ok('appended' in result, 'another append came first')
  return result.appended
}

export function promisesOf(kind: string, log: SharedLog, skip: string | false = false): void {
  /** Two opened readers, and the end of the log. */
  async function two(name: string) {
    const [one, other] = [await log.connect(name), await log.connect(name)]
    const { position } = await one.open()
    await other.open()
    return { one, other, position, close: () => Promise.all([one.close(), other.close()]) }
  }

  test(`${kind}: a new log is empty for all readers`, { skip }, async () => {
    const { one, other, position, close } = await two('new')
    assert.equal(position.at, 0)
    const news = await other.open()
    assert.deepEqual(news, { anew: { snapshot: undefined }, entries: [], position })
    assert.deepEqual(await one.since(position), { anew: undefined, entries: [], position })
    await close()
  })

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

  test(`${kind}: a new reader gets the snapshot and the entries after it`, { skip }, async () => {
    const { one, other, position, close } = await two('snapshot')
    await one.compact(position, 'first')
    // A log has one beginning.
    await other.compact(position, 'late')
    const early = await appended(one, position, 'a', 'b')
    await one.compact(early, 'later')
    const end = await appended(one, early, 'c')
    const third = await log.connect('snapshot')
    assert.deepEqual(await third.open(), { anew: { snapshot: 'later' }, entries: ['c'], position: end })
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

  test(`${kind}: questions reach all other readers`, { skip }, async () => {
    const readers = await Promise.all(['a', 'b', 'c'].map(() => log.connect('questions')))
    await Promise.all(readers.map(reader => reader.open()))
    for (const [i, reader] of readers.entries()) reader.answer(async question => `${i} heard ${question}`)
    assert.deepEqual([...((await readers[1]?.ask('it')) ?? [])].sort(), ['0 heard it', '2 heard it'])
    await Promise.all(readers.map(reader => reader.close()))
  })
}
