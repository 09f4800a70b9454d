// Random operations of concurrent clients on random replicas or workers, one of which is killed: one order explains every
// reply.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../../../support/until.ts'
import { isLinearizable, type Operation } from '../../../wire/linearizable.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { NOTES, type Replica, Replicas } from '../../../wire/replicas.ts'

type Input =
  | { readonly kind: 'create'; readonly text: string }
  | { readonly kind: 'replace'; readonly id: number; readonly text: string }
  | { readonly kind: 'read' | 'delete'; readonly id: number }
  | { readonly kind: 'list' }
interface Output {
  readonly status: number
  readonly body: unknown
}
/** The notes by their ids, and the id that the next one gets. */
interface State {
  readonly notes: Readonly<Record<number, string>>
  readonly next: number
}
type Done = Operation<Input, Output>

const keyOf = (state: State): string => JSON.stringify(state)
const SEEDED: State = { notes: { 1: 'seed' }, next: 2 }

/** The model of the notes API. */
function step({ notes, next }: State, input: Input, output: Output | undefined): State | undefined {
  const [after, status, body] = expected({ notes, next }, input)
  if (output === undefined) return after
  const bodies = [output.body, body].map(value => JSON.stringify(value))
  return output.status === status && bodies[0] === bodies[1] ? after : undefined
}

/** The state after an input, and the reply. */
function expected({ notes, next }: State, input: Input): readonly [State, number, unknown] {
  if (input.kind === 'create') {
    return [{ notes: { ...notes, [next]: input.text }, next: next + 1 }, 201, [next, input.text]]
  }
  if (input.kind === 'list')
    return [{ notes, next }, 200, Object.entries(notes).map(([id, text]) => [Number(id), text])]
  const { kind, id } = input
  if (notes[id] === undefined) return [{ notes, next }, 404, undefined]
  if (kind === 'read') return [{ notes, next }, 200, [id, notes[id]]]
  if (kind === 'replace') return [{ notes: { ...notes, [id]: input.text }, next }, 200, [id, input.text]]
  const { [id]: _, ...others } = notes
  return [{ notes: others, next }, 204, undefined]
}

async function perform(replica: Replica, input: Input): Promise<Output> {
  const lines = {
    create: 'POST /notes',
    list: 'GET /notes',
    read: 'GET /notes/',
    replace: 'PUT /notes/',
    delete: 'DELETE /notes/',
  }
  const line = lines[input.kind] + ('id' in input ? input.id : '')
  const { status, body } = await replica.send(line, 'text' in input ? { text: input.text } : undefined)
  const brief = ({ id, text }: { readonly id: number; readonly text: string }) => [id, text]
  if (status >= 400 || status === 204) return { status, body: undefined }
  return { status, body: Array.isArray(body) ? body.map(brief) : brief(body) }
}

function randomInput(text: string): Input {
  const id = 1 + Math.floor(Math.random() * 6)
  const chance = Math.random()
  if (chance < 0.2) return { kind: 'create', text }
  if (chance < 0.4) return { kind: 'replace', id, text }
  if (chance < 0.5) return { kind: 'delete', id }
  return chance < 0.8 ? { kind: 'read', id } : { kind: 'list' }
}

test('the checker knows a stale read, an id that was given twice and a lost write', () => {
  const create: Done = {
    input: { kind: 'create', text: 'a' },
    output: { status: 201, body: [2, 'a'] },
    called: 1,
    returned: 2,
  }
  const read = (called: number, output: Output): Done => ({
    input: { kind: 'read', id: 2 },
    output,
    called,
    returned: called + 1,
  })
  const found = { status: 200, body: [2, 'a'] }
  const missing = { status: 404, body: undefined }
  const check = (...history: Done[]) => isLinearizable(history, SEEDED, step, keyOf)
  assert.equal(check(create, read(3, found)), true)
  assert.equal(check(create, read(3, missing)), false)
  // The call was before the acknowledgement of the note.
  assert.equal(check(create, read(1.5, missing)), true)
  assert.equal(check(create, read(1.5, found), read(3, missing)), false)
  assert.equal(check(create, { ...create, called: 3, returned: 4 }), false)
  // It is unknown whether it happened; but it is never undone.
  const unknown = { ...create, output: undefined, returned: Number.POSITIVE_INFINITY }
  assert.equal(check(unknown, read(3, found)), true)
  assert.equal(check(unknown, read(3, missing)), true)
  assert.equal(check(unknown, read(3, found), read(5, missing)), false)
})

const server = new RedisServer()
const replicas = new Replicas()
after(async () => {
  replicas.end()
  await server.remove()
})

/** Has clients send random operations; asserts that one order explains every reply. @param kill is called in the middle */
async function assertLinear(target: () => Replica, kill: () => unknown) {
  const history: Done[] = []
  const client = async (name: number) => {
    for (let i = 0; i < 60; i++) {
      const input = randomInput(`${name}.${i}`)
      const called = performance.now()
      try {
        const output = await perform(target(), input)
        history.push({ input, output, called, returned: performance.now() })
        assert.ok(output.status < 500, `${output.status}`)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        history.push({ input, output: undefined, called, returned: Number.POSITIVE_INFINITY })
      }
      if (name === 0 && i === 30) await kill()
    }
  }
  await Promise.all([0, 1, 2, 3, 4].map(client))
  const told = history.map(operation => JSON.stringify(operation)).join('\n')
  assert.ok(history.filter(({ output }) => output !== undefined).length > 250)
  assert.ok(isLinearizable(history, SEEDED, step, keyOf), told)
}

test('a linear order explains every reply of replicas, one of which is killed', { skip: NO_REDIS }, async () => {
  await server.start()
  const state = `{ redis: "${server.url}" }`
  const all = await Promise.all([1, 2, 3].map(() => replicas.serve(state)))
  await assertLinear(
    () => all[Math.floor(Math.random() * all.length)] as Replica,
    () => all.pop()?.kill(),
  )
})

test('a linear order explains every reply of workers, one of which is killed', { skip: NO_REDIS }, async () => {
  const program = await replicas.serve(`{ redis: "${server.url}", prefix: workers }`, NOTES, [
    '--workers',
    '3',
    '--log-level',
    'info',
  ])
  const workers = () => [...program.output().matchAll(/"worker":(\d+)[^\n]*a worker serves/g)].map(([, pid]) => pid)
  await until(() => workers().length === 3)
  await assertLinear(
    () => program,
    () => process.kill(Number(workers()[0]), 'SIGKILL'),
  )
})
