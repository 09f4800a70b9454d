// Concurrent clients of random replicas: the order of the log explains every reply.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readGroup } from '../../src/state/entry-text.ts'
import { replica } from '../state/replicas.ts'
import { cases } from '../support/cases.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { slow } from './slow-engine.ts'

const REPLICAS = 3

interface Done {
  readonly line: string
  readonly id: number
  readonly title: string | undefined
  readonly status: number
  readonly body: { readonly id?: number; readonly title?: string }
  /** The end of the log when the request was sent and when it was answered. */
  readonly from: number
  readonly to: number
}

const operation = fc.record({
  replica: fc.nat(REPLICAS - 1),
  kind: fc.constantFrom('create', 'read', 'replace', 'remove'),
  id: fc.integer({ min: 1, max: 6 }),
})

test('every reply agrees with the log at some time between request and reply', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 6 }),
      fc.infiniteStream(fc.boolean()),
      async (clients, chance) => {
        const log = new MemoryLog()
        const late = () => chance.next().value === true
        const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => replica(slow(log.connect(), late))))
        const done: Done[] = []
        await Promise.all(
          clients.map(async (operations, client) => {
            for (const [i, { replica: index, kind, id }] of operations.entries()) {
              const title = kind === 'create' || kind === 'replace' ? `${client}.${i}` : undefined
              const method = { create: 'POST', read: 'GET', replace: 'PUT', remove: 'DELETE' }[kind]
              const line = `${method} /books${kind === 'create' ? '' : `/${id}`}`
              const from = log.position.at
              const one = replicas[index] as (typeof replicas)[number]
              const { status, body } = await one.send(line, title === undefined ? undefined : { title })
              done.push({ line, id, title, status, body: body as Done['body'], from, to: log.position.at })
            }
          }),
        )
        explain(done, versionsOf(log))
      },
    ),
    { numRuns: cases(25) },
  )
})

/** By id, the titles of a record with the positions from which they held; `undefined` while there was none. */
function versionsOf(log: MemoryLog): Map<number, { at: number; title: string | undefined }[]> {
  const versions = new Map<number, { at: number; title: string | undefined }[]>([
    [1, [{ at: 0, title: 'one' }]],
    [2, [{ at: 0, title: 'two' }]],
  ])
  const { entries, position } = log.open()
  for (const [i, entry] of [...entries].entries()) {
    const group = readGroup(entry)
    for (const { effect } of group.changes) {
      if (effect.kind !== 'in' || effect.change.kind !== 'row') continue
      const { text } = effect.change
      const id = Number(effect.change.id)
      const title = text === undefined ? undefined : (JSON.parse(text) as { title: string }).title
      const own = versions.get(id) ?? [{ at: 0, title: undefined }]
      versions.set(id, [...own, { at: position.at - entries.length + i + 1, title }])
    }
  }
  return versions
}

function explain(done: readonly Done[], versions: ReturnType<typeof versionsOf>): void {
  const made = new Set<number>()
  for (const one of done) {
    const { line, id, title, status, body, from, to } = one
    const told = JSON.stringify(one)
    const subject = line === 'POST /books' ? (body.id as number) : id
    const all = versions.get(subject) ?? [{ at: 0, title: undefined }]
    /** Returns the versions that were current at some time in between. */
    const held = all.filter(({ at }, i) => at <= to && (all[i + 1]?.at ?? Number.POSITIVE_INFINITY) > from)
    const wrote = (wanted: string | undefined) =>
      all.some(({ at, title: own }) => at > from && at <= to && own === wanted)
    const absent = held.some(version => version.title === undefined)
    if (line === 'POST /books') {
      assert.ok(status === 201 && !made.has(subject) && wrote(title), told)
      made.add(subject)
    } else if (line.startsWith('GET')) {
      assert.ok(status === 404 ? absent : held.some(version => version.title === body.title), told)
    } else if (status === 404) assert.ok(absent, told)
    else assert.ok(wrote(title), told)
  }
  // Ids are consecutive.
  assert.deepEqual(
    [...made].sort((a, b) => a - b),
    [...made].map((_, i) => i + 3),
  )
}
