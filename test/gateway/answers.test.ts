import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import { CONTRACT, OPERATIONS, simulate } from '../simulate.ts'
import { type Ask, driving, load, requestOf } from '../support/in-process.ts'
import { VirtualClock } from '../virtual-clock.ts'

const desk = (yaml = '') => {
  const clock = new VirtualClock()
  const { ask, gateway } = simulate(`${yaml}\noperations: ${OPERATIONS}`, clock)
  const status = async (what: string, options?: Ask) => (await ask(what, options)).status
  /** Gives an answer to all worlds or to one. Returns the codes of the mistakes in the order. */
  const give = (order: string, name?: string): string[] => {
    const report = new Diagnostics()
    const source = parseSource('answer', order, report)
    const world = name === undefined ? undefined : gateway.worlds.get(name)
    if (source !== undefined) gateway.answers.put(gateway.plan, source, world, report)
    return report.list.map(({ code, place }) => `${code} at ${place.line}:${place.column}`)
  }
  const notes = () => [...gateway.journal.each()].map(entry => entry.notes.join('; '))
  return { ask, clock, gateway, give, notes, status }
}
const save: Ask = { body: { name: 'three' }, headers: { 'x-key': 'ann-key' } }

test('an answer makes the next write fail once, and nothing is saved', async () => {
  const { ask, give, notes, status } = desk()
  assert.deepEqual(give('{ operation: createThing, respond: { status: 503 } }'), [])
  const failed = await ask('POST /things', save)
  assert.equal(failed.status, 503)
  assert.match(String(failed.body), /unavailable/)
  assert.equal(await status('POST /things', save), 201)
  assert.equal((JSON.parse(String((await ask('GET /things')).body)) as unknown[]).length, 3)
  assert.equal(notes()[0], 'answer a1: 503')
})

test('an answer with `skip: 1` makes only the second write fail', async () => {
  const { gateway, give, notes, status } = desk()
  assert.deepEqual(give('{ operation: createThing, consumer: ann, skip: 1, respond: { status: 503 } }'), [])
  assert.equal(gateway.answers.all()[0]?.toSkip, 1)
  const others: Ask = { ...save, headers: { 'x-key': 'bob-key' } }
  const statuses: number[] = []
  for (const ask of [others, save, others, save, save]) statuses.push(await status('POST /things', ask))
  assert.deepEqual(statuses, [201, 201, 201, 503, 201])
  assert.equal(notes().filter(note => note.includes('answer a1')).length, 1)
})

test('an answer is given exactly `times` times, even to concurrent requests', async () => {
  const { gateway, give, status } = desk()
  assert.deepEqual(
    give('{ operation: createThing, respond: { status: 500 }, times: 7, when: request.body.name == "three" }'),
    [],
  )
  const statuses = await Promise.all(Array.from({ length: 40 }, () => status('POST /things', save)))
  assert.equal(statuses.filter(one => one === 500).length, 7)
  assert.equal(statuses.filter(one => one === 201).length, 33)
  assert.deepEqual(gateway.answers.all(), [])
})

test('an answer without `times` is given to its consumer until it is removed', async () => {
  const { gateway, give, status } = desk()
  give('{ operation: getThing, consumer: ann, respond: { status: 404 }, times: null }')
  const of = (key: string) => status('GET /things/1', { headers: { 'x-key': key } })
  assert.deepEqual([await of('ann-key'), await of('bob-key'), await of('ann-key')], [404, 200, 404])
  const [standing] = gateway.answers.all()
  assert.deepEqual([standing?.given, standing?.left], [2, undefined])
  assert.equal(gateway.answers.remove(standing?.id ?? ''), true)
  assert.equal(gateway.answers.remove(standing?.id ?? ''), false)
  assert.equal(await of('ann-key'), 200)
})

test('an answer for a path can have an undocumented status and headers', async () => {
  const { ask, give, status } = desk()
  assert.deepEqual(
    give(
      '{ method: GET, path: /things/2, respond: { status: 418, headers: { X-Pot: tea }, body: { name: "${request.params.id}" } } }',
    ),
    [],
  )
  assert.equal(await status('GET /things/1'), 200)
  const reply = await ask('GET /things/2')
  assert.equal(reply.status, 418)
  assert.equal(reply.headers['x-pot'], 'tea')
  assert.equal(reply.body, '{"name":2}')
})

test('an answer with a documented status and no body has the body of the contract', async () => {
  const { ask, give } = desk()
  assert.deepEqual(give('{ operation: createThing, respond: { status: 201 } }'), [])
  const reply = await ask('POST /things')
  assert.equal(reply.status, 201)
  assert.deepEqual(Object.keys(JSON.parse(String(reply.body)) as object), ['id', 'name'])
})

test('an answer with a documented error status is the refusal that a rule makes with it', async () => {
  const { gateway } = driving(
    load(`
contract:
  openapi: 3.1.0
  info: { title: Shop, version: "1" }
  paths:
    /things:
      get:
        operationId: listThings
        responses:
          200: { description: Fine }
          409:
            description: Sold
            content:
              application/json:
                schema: { type: object, required: [message], properties: { message: { type: string } } }
                examples: { sold: { value: { message: "It is sold." } } }
operations:
  listThings: { rules: [{ times: 1, respond: { status: 409 } }] }
`),
  )
  const ask = async (what: string) => {
    const { status, body } = await gateway.handle(requestOf(what))
    return { status, body: String(body) }
  }
  const ofRule = await ask('GET /things')
  const report = new Diagnostics()
  for (const respond of ['{ status: 409, example: sold }', '{ status: 409 }']) {
    const source = parseSource('answer', `{ operation: listThings, respond: ${respond} }`, report)
    if (source !== undefined) gateway.answers.put(gateway.plan, source, undefined, report)
  }
  assert.deepEqual(report.list, [])
  assert.deepEqual(ofRule, { status: 409, body: '{"message":"a rule answers with 409"}' })
  assert.deepEqual(await ask('GET /things'), ofRule)
  assert.deepEqual(await ask('GET /things'), { status: 409, body: '{"message":"It is sold."}' })
})

test('an answer has a latency in the form of gateway.yaml, and enters states of scenarios', async () => {
  const { clock, give, notes, status } = desk()
  assert.deepEqual(
    give('{ operation: getThing, latency: { uniform: { min: 1s, max: 1s } }, enter: { shop: closed } }'),
    [],
  )
  assert.deepEqual(
    give(`{ operation: listThings, when: 'scenario("shop") == "closed"', respond: { status: 503 }, times: null }`),
    ['unknown-scenario at 1:42'],
  )
  assert.equal(await status('GET /things'), 200)
  const slow = status('GET /things/1')
  await clock.pass(1000)
  assert.equal(await slow, 200)
  assert.equal(notes()[1]?.split(';')[0], 'answer a1: latency uniform 1s–1s')
  assert.equal(await status('GET /things'), 503)
})

test('an answer that is a delay or a fault of the wire keeps the work', async () => {
  const { ask, clock, give, notes } = desk()
  give('{ operation: listThings, latency: 2s }')
  const slow = ask('GET /things')
  await clock.pass(1999)
  assert.equal(clock.waiting, 1)
  await clock.pass(1)
  assert.equal((await slow).status, 200)
  give('{ operation: createThing, fault: { kind: truncate } }')
  const cut = await ask('POST /things', save)
  assert.deepEqual([cut.status, cut.wire?.kind], [201, 'truncate'])
  assert.match(notes()[1] ?? '', /^answer a2: fault truncate; fault: truncate/)
})

test('the newest answer is given first, and answers of the world before those of all worlds', async () => {
  const { gateway, give, status } = desk()
  gateway.worlds.put(gateway.worlds.blank('ada'))
  give('{ operation: getThing, respond: { status: 500 } }')
  give('{ operation: getThing, respond: { status: 501 } }')
  give('{ operation: getThing, respond: { status: 502 } }', 'ada')
  const inAda = () => status('GET /things/1', { headers: { 'understudy-world': 'ada' } })
  assert.deepEqual([await inAda(), await inAda(), await inAda(), await inAda()], [502, 501, 500, 200])
})

test('an answer precedes rules and weather, and a reset removes the answers of its world', async () => {
  const { gateway, give, status } = desk('weather: { down: { defaults: { fault: { kind: status, status: 503 } } } }')
  const report = new Diagnostics()
  const down = parseSource('weather', '{ name: down }', report)
  if (down !== undefined) gateway.weather.overall.make(gateway.plan, down, report)
  give('{ tag: things, respond: { status: 429 } }', 'default')
  assert.deepEqual([await status('GET /things'), await status('GET /things')], [429, 503])
  give('{ respond: { status: 500 }, times: null }', 'default')
  give('{ respond: { status: 502 }, times: null }')
  gateway.reset()
  assert.equal(await status('GET /things'), 502)
  gateway.answers.clearAll()
  assert.equal(await status('GET /things'), 503)
})

test('a count of an answer beyond 2^53 is rounded, and its body keeps its digits', async () => {
  const { ask, give, status } = desk()
  const body = '{"id":9007199254740993,"name":"one"}'
  assert.deepEqual(
    give(`{"operation":"getThing","times":9007199254740993,"respond":{"status":200,"body":${body}}}`),
    [],
  )
  assert.equal(String((await ask('GET /things/1')).body), body)
  assert.deepEqual(give('{"operation":"listThings","skip":9007199254740993,"respond":{"status":503}}'), [])
  assert.equal(await status('GET /things'), 200)
})

test('an answer for more than a hundred years is refused, so that its end is a valid date', () => {
  const { gateway, give } = desk()
  assert.deepEqual(give('{ respond: { status: 503 }, for: 99999999999d }'), ['invalid-value at 1:34'])
  assert.deepEqual(gateway.answers.all(), [])
})

test('a kept answer in the form of version 0.3 is dropped, and a later one has a new id', () => {
  const { gateway, give } = desk()
  const kept = { order: '{ reply: { status: 503 } }', left: 1, given: 0, toSkip: 0, until: null }
  gateway.answers.restore(gateway.plan, undefined, 'a1', kept)
  assert.deepEqual(gateway.answers.all(), [])
  give('{ respond: { status: 503 } }')
  assert.deepEqual(
    gateway.answers.all().map(({ id }) => id),
    ['a2'],
  )
})

test('an answer ends after its `for`', async () => {
  const { clock, gateway, give, status } = desk()
  give('{ respond: { status: 500 }, times: null, for: 5m }')
  assert.equal(await status('GET /things'), 500)
  await clock.pass(5 * 60_000)
  assert.equal(await status('GET /things'), 200)
  assert.deepEqual(gateway.answers.all(), [])
})

test('a reload keeps the answers whose operation still exists', async () => {
  const { gateway, give, status } = desk()
  give('{ operation: getThing, respond: { status: 500 } }')
  const { plan } = load(`${CONTRACT}\nseed: 7\noperations: ${OPERATIONS}`)
  assert.ok(plan)
  gateway.adopt(plan)
  assert.equal(await status('GET /things/1'), 500)
})

test('Understudy-Explain names the answer', async () => {
  const { ask, give } = desk()
  give('{ operation: getThing, respond: { status: 500 } }')
  const { headers } = await ask('GET /things/1', { headers: { 'understudy-explain': '1' } })
  assert.match(
    String(headers['understudy-explanation']),
    /passed=\("answer"\), replied="answer".*notes=\("answer a1: 500"\)/,
  )
})

test('Understudy-Explain says why an answer was not given, as it does of a rule', async () => {
  const { ask, give } = desk()
  give('{ operation: getThing, when: request.params.id == 2, respond: { status: 500 } }')
  give('{ operation: getThing, consumer: bob, respond: { status: 500 } }')
  give('{ operation: getThing, skip: 2, respond: { status: 500 } }')
  const headers = { 'understudy-explain': '1', 'x-key': 'ann-key' }
  const reply = await ask('GET /things/1', { headers })
  assert.equal(reply.status, 200)
  const why = String(reply.headers['understudy-explanation'])
  assert.match(why, /not answer a1: request\.params\.id == 2 is false/)
  assert.match(why, /not answer a2: it is for bob/)
  assert.match(why, /not answer a3: 1 more requests pass before it/)
})

for (const [why, order, codes] of [
  ['an order without an answer', '{ operation: getThing }', ['no-answer at 1:1']],
  ['an unknown operation', '{ operation: getThin, respond: { status: 500 } }', ['unknown-operation at 1:14']],
  ['an unknown path', '{ method: GET, path: /thing/1, respond: { status: 500 } }', ['unknown-operation at 1:22']],
  ['a path without a method', '{ path: /things, respond: { status: 500 } }', ['missing-key at 1:1']],
  ['an unknown tag', '{ tag: thigs, respond: { status: 500 } }', ['unknown-tag at 1:8']],
  ['two choices of operations', '{ tag: things, operation: getThing, latency: 1s }', ['ambiguous-operation at 1:3']],
  ['an unknown consumer', '{ consumer: anne, latency: 1s }', ['unknown-consumer at 1:13']],
  ['a reply without a status', '{ respond: { body: {} } }', ['no-responder at 1:3']],
  ['an invalid status', '{ respond: { status: 99 } }', ['invalid-value at 1:22']],
  ['an unknown example', '{ operation: getThing, respond: { example: rex } }', ['unknown-example at 1:44']],
  [
    'a body that breaks the contract',
    '{ operation: getThing, respond: { status: 200, body: { id: x } } }',
    ['invalid-body at 1:54', 'invalid-body at 1:60'],
  ],
  ['a broken condition', '{ operation: getThing, latency: 1s, when: request.bod == 1 }', ['unknown-field at 1:51']],
  [
    'a body beside an example',
    '{ operation: getThing, respond: { example: x, body: {} } }',
    ['unknown-example at 1:44', 'idle-key at 1:47'],
  ],
  ['a reply with records', '{ operation: getThing, respond: { read: things } }', ['unknown-key at 1:35']],
  ['the form of version 0.3', '{ reply: { status: 500 }, delay: 1s }', ['unknown-key at 1:3', 'unknown-key at 1:27']],
  ['an unknown key', '{ replay: { status: 500 } }', ['unknown-key at 1:3']],
  ['a misplaced key of a fault', '{ fault: { kind: reset, status: 500 } }', ['idle-key at 1:25']],
] as const) {
  test(`${why} is refused with its place`, () => {
    const { gateway, give } = desk()
    const found = give(order)
    assert.equal(found[0]?.split(' ')[0], codes[0].split(' ')[0], String(found))
    assert.deepEqual(found, codes)
    assert.deepEqual(gateway.answers.all(), [])
  })
}
