import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { realApiObserver } from '../../../../src/wings/real-api/observe.ts'
import { replica } from '../../../state/replicas.ts'
import { cases } from '../../../support/cases.ts'
import { type InProcess, inProcess } from '../../../support/in-process.ts'
import { MemoryLog } from '../../../support/memory-log.ts'
import {
  clientOf,
  type Invoice,
  pageOfInvoices,
  STAGED_CONTRACT,
  StagingServer,
  stagedConfiguration,
} from '../staging.ts'

const STATUSES = ['draft', 'open', 'paid'] as const
const draft = fc.record({
  customer: fc.integer({ min: 1, max: 3 }),
  status: fc.constantFrom(...STATUSES),
  amount: fc.integer({ min: 0, max: 4 }),
})

/** A step of a tester in a world, or of somebody else on staging. `at` chooses a record among those that there are. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('create' as const), world: fc.constantFrom('a', 'b', ''), draft }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      what: fc.constantFrom('patch' as const, 'put' as const, 'delete' as const, 'read' as const),
      world: fc.constantFrom('a', 'b', ''),
      at: fc.nat(),
      draft,
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      what: fc.constant('list' as const),
      world: fc.constantFrom('a', 'b', ''),
      status: fc.option(fc.constantFrom(...STATUSES), { nil: undefined }),
      sort: fc.option(fc.constantFrom('amount', '-amount', 'id', '-id'), { nil: undefined }),
      limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      offset: fc.option(fc.nat(12), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('reset' as const), world: fc.constantFrom('a', 'b', '') }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('staging' as const), at: fc.nat(), draft }) },
)

/** One gateway, or two that share the state of their worlds. Each request goes to another one. */
async function gatewaysOf(staging: StagingServer, shared: boolean) {
  const files = {
    'gateway.yaml': stagedConfiguration('http://staging', '0s', shared ? 'state: { history: true }' : ''),
    'openapi.yaml': STAGED_CONTRACT,
  }
  const log = new MemoryLog()
  const all = shared
    ? [await replica(log.connect(), {}, files), await replica(log.connect(), {}, files)]
    : [inProcess(files)]
  for (const { gateway } of all) gateway.observed(realApiObserver).client = clientOf(staging)
  let turn = 0
  const next = () => all[turn++ % all.length] as (typeof all)[number]
  return {
    send: (...asked: Parameters<InProcess['send']>) => next().send(...asked),
    reset: (world: string | undefined) => {
      const { gateway } = next()
      return gateway.change(() => gateway.reset(world), 'reset')
    },
  }
}

for (const shared of [false, true]) {
  test(`each world is staging with its own changes, and staging is never written${shared ? ': with two replicas' : ''}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(draft, { maxLength: 10 }),
        fc.array(step, { maxLength: 60 }),
        async (initial, steps) => {
          const staging = new StagingServer()
          for (const id of [1, 2, 3]) staging.customers.set(id, { id, name: `customer ${id}` })
          for (const [i, one] of initial.entries()) staging.invoices.set(i + 1, { id: i + 1, ...one })
          const { send, reset } = await gatewaysOf(staging, shared)
          /** The changes of each world; `null` for a deleted record. */
          const changes = new Map<string, Map<number, Invoice | null>>(['a', 'b', ''].map(name => [name, new Map()]))
          const created = new Map<string, number>()
          const now = (world: string): Map<number, Invoice> => {
            const all = new Map(staging.invoices)
            for (const [id, one] of changes.get(world) as Map<number, Invoice | null>) {
              if (one === null) all.delete(id)
              else all.set(id, one)
            }
            return all
          }
          for (const one of steps) {
            if (one.what === 'staging') {
              // Somebody changes a record that no world has changed, or makes one.
              const free = [...staging.invoices.keys()].filter(id => ![...changes.values()].some(each => each.has(id)))
              const id = one.at % 2 === 0 ? Math.max(0, ...staging.invoices.keys()) + 1 : free[one.at % free.length]
              if (id !== undefined) staging.invoices.set(id, { id, ...one.draft })
              continue
            }
            const { world } = one
            const own = changes.get(world) as Map<number, Invoice | null>
            const all = now(world)
            const headers: Record<string, string> = world === '' ? {} : { 'understudy-world': world }
            if (one.what === 'reset') {
              await reset(world === '' ? undefined : world)
              own.clear()
              created.delete(world)
            } else if (one.what === 'create') {
              const reply = await send('POST /invoices', one.draft, headers)
              const id = 1_000_000_001 + (created.get(world) ?? 0)
              created.set(world, (created.get(world) ?? 0) + 1)
              own.set(id, { id, ...one.draft })
              assert.deepEqual([reply.status, reply.body], [201, { id, ...one.draft }])
            } else if (one.what === 'list') {
              const query = new URLSearchParams()
              for (const key of ['status', 'sort', 'limit', 'offset'] as const) {
                if (one[key] !== undefined) query.set(key, `${one[key]}`)
              }
              const reply = await send(`GET /invoices?${query}`, undefined, headers)
              assert.deepEqual(
                [reply.status, reply.body],
                [200, pageOfInvoices([...all.values()], query)],
                `${query} in ${world}`,
              )
              assert.equal(reply.headers['understudy-warning'], undefined)
            } else {
              // Also records that are gone, or that only another world has.
              const ids = [...new Set([...all.keys(), ...own.keys(), 77])]
              const id = ids[one.at % ids.length] as number
              const old = all.get(id)
              const { amount, ...rest } = one.draft
              const [line, body] =
                one.what === 'patch'
                  ? [`PATCH /invoices/${id}`, { amount }]
                  : one.what === 'put'
                    ? [`PUT /invoices/${id}`, one.draft]
                    : [`${one.what === 'read' ? 'GET' : 'DELETE'} /invoices/${id}`, undefined]
              const type: Record<string, string> =
                one.what === 'patch' ? { 'content-type': 'application/merge-patch+json' } : {}
              const reply = await send(line, body, { ...type, ...headers })
              if (old === undefined) {
                assert.equal(reply.status, 404, line)
                continue
              }
              const next =
                one.what === 'read' ? old : one.what === 'patch' ? { ...old, amount } : { id, ...rest, amount }
              if (one.what === 'delete') {
                assert.equal(reply.status, 204, line)
                if (staging.invoices.has(id)) own.set(id, null)
                else own.delete(id)
                continue
              }
              assert.deepEqual([reply.status, reply.body], [200, next], line)
              if (one.what !== 'read') own.set(id, next)
            }
          }
          assert.deepEqual(
            staging.asked.filter(asked => !asked.startsWith('GET ')),
            [],
          )
        },
      ),
      { numRuns: cases(200) },
    )
  })
}
