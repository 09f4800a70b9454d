import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OPERATIONS, simulate } from '../simulate.ts'
import { cases } from '../support/cases.ts'

const SANDBOXES = 50

/** A step of a client in a sandbox, named by header or by either form of the path. */
const deed = fc.record({
  sandbox: fc.nat(SANDBOXES - 1),
  way: fc.constantFrom('header', 'path'),
  what: fc.constantFrom('create', 'change', 'delete', 'list'),
})

const contentOf = (model: ReadonlyMap<number, string>) =>
  [...model].sort(([a], [b]) => a - b).map(([id, name]) => ({ id, name }))

test("fifty concurrent sandboxes never see each other's records", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 200, maxLength: 400 }), async deeds => {
      const { ask } = simulate(`operations: {${OPERATIONS.trim().replaceAll('\n', ',')}}`)
      const models = Array.from(
        { length: SANDBOXES },
        () =>
          new Map<number, string>([
            [1, 'one'],
            [2, 'two'],
          ]),
      )
      const next = new Array<number>(SANDBOXES).fill(3)
      // Sequential in each sandbox, concurrent across the sandboxes.
      const one = async ({ sandbox, way, what }: (typeof deeds)[number], i: number): Promise<void> => {
        const model = models[sandbox] as Map<number, string>
        const options = way === 'header' ? { headers: { 'understudy-world': `s${sandbox}` } } : {}
        const at = (path: string) => (way === 'header' ? path : `/~s${sandbox}${path}`)
        const name = `${sandbox} ${i}`
        if (what === 'create') {
          const id = next[sandbox] as number
          next[sandbox] = id + 1
          model.set(id, name)
          const reply = await ask(`POST ${at('/things')}`, { ...options, body: { name } })
          assert.deepEqual([reply.status, reply.body], [201, JSON.stringify({ id, name })])
          assert.equal(reply.headers.location, at(`/things/${id}`))
        } else if (what === 'list') {
          const reply = await ask(`GET ${at('/things')}`, options)
          assert.deepEqual(JSON.parse(reply.body as string), contentOf(model))
        } else {
          const [id] = model.keys()
          if (id === undefined) return
          if (what === 'delete') model.delete(id)
          else model.set(id, name)
          const method = what === 'delete' ? 'DELETE' : 'PATCH'
          const body = what === 'delete' ? {} : { body: { name } }
          const reply = await ask(`${method} ${at(`/things/${id}`)}`, { ...options, ...body })
          assert.equal(reply.status, what === 'delete' ? 204 : 200)
        }
      }
      const queues = new Map<number, Promise<void>>()
      for (const [i, done] of deeds.entries()) {
        const before = queues.get(done.sandbox) ?? Promise.resolve()
        queues.set(
          done.sandbox,
          before.then(() => one(done, i)),
        )
      }
      await Promise.all(queues.values())
      for (const [sandbox, model] of models.entries()) {
        const reply = await ask('GET /things', { headers: { 'understudy-world': `s${sandbox}` } })
        assert.deepEqual(JSON.parse(reply.body as string), contentOf(model))
      }
    }),
    { numRuns: cases(8) },
  )
})
