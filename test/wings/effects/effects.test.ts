import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { formatDiagnostics } from '../../../src/kernel/report.ts'
import { inProcess, loadAnew } from '../../support/in-process.ts'

const DOCUMENT = `
openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
paths:
  /orders:
    get: { operationId: listOrders, responses: { '200': { description: All. } } }
  /entries:
    get: { operationId: listEntries, responses: { '200': { description: All. } } }
  /payments:
    get: { operationId: listPayments, responses: { '200': { description: All. } } }
    post:
      operationId: createPayment
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Payment' } } }
      responses: { '201': { description: Paid. }, '409': { description: Not possible. } }
  /payments/batch:
    post:
      operationId: createPayments
      requestBody:
        required: true
        content:
          application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Payment' } } }
      responses: { '201': { description: Paid. }, '422': { description: Not possible. } }
  /payments/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    put:
      operationId: replacePayment
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Payment' } } }
      responses: { '200': { description: Replaced. }, '400': { description: Not possible. } }
    delete: { operationId: deletePayment, responses: { '204': { description: Gone. } } }
components:
  schemas:
    Order:
      type: object
      required: [id, status, paid]
      properties:
        id: { type: integer, readOnly: true }
        status: { enum: [open, paid, closed] }
        paid: { type: number, minimum: 0, maximum: 100, multipleOf: 0.01 }
        note: { type: string }
    Payment:
      type: object
      required: [id, orderId, amount]
      properties:
        id: { type: integer, readOnly: true }
        orderId: { type: integer }
        amount: { type: number }
    Entry:
      type: object
      required: [id, ref, createdAt, paymentId, kind]
      properties:
        id: { type: integer, readOnly: true }
        ref: { type: string, format: uuid, readOnly: true }
        createdAt: { type: string, format: date-time, readOnly: true }
        paymentId: { type: integer }
        kind: { enum: [debit, credit] }
        amount: { type: number, minimum: 1 }
`

const RESOURCES = `
contract: ./openapi.yaml
seed: 7
resources:
  orders: { schema: Order, seed: [{ id: 1, status: open, paid: 0.1 }, { id: 2, status: closed, paid: 100 }] }
  payments: { schema: Payment }
  entries: { schema: Entry }
`

const PAY = '{ update: orders, id: "${record.orderId}", set: { status: paid }, add: { paid: "${record.amount}" } }'
const BOOK = '{ create: entries, set: { paymentId: "${record.id}", kind: credit, amount: "${record.amount}" } }'

/** A shop whose payments have these effects. */
const shop = (also: string, more = '', state = '') => ({
  'gateway.yaml': `${RESOURCES}${state}
operations:
  listOrders: { respond: { list: orders } }
  listPayments: { respond: { list: payments } }
  listEntries: { respond: { list: entries } }
  createPayment: { respond: { create: payments, also: [${also}] } }
${more}
`,
  'openapi.yaml': DOCUMENT,
})

const STATES = ['', 'state: { history: true }']

for (const state of STATES) {
  suite(`effects of a write on other records${state === '' ? '' : ', in turns'}`, () => {
    const open = (also: string, more = '') => {
      const { send, gateway } = inProcess(shop(also, more, state))
      const all = async (name: string) => (await send(`GET /${name}`)).body as Record<string, unknown>[]
      const pay = (orderId: number, amount: number, headers = {}) =>
        send('POST /payments', { orderId, amount }, headers)
      return { send, all, pay, gateway }
    }

    test('an update sets fields and adds to numbers exactly', async () => {
      const { all, pay } = open(PAY)
      assert.equal((await pay(1, 0.2)).status, 201)
      assert.deepEqual((await all('orders'))[0], { id: 1, status: 'paid', paid: 0.3 })
      assert.equal((await pay(1, -0.3)).status, 201)
      assert.equal((await all('orders'))[0]?.paid, 0)
    })

    test('a create has the fields of the written record, and those that the server gives', async () => {
      const { all, pay } = open(`${BOOK}, ${BOOK}`)
      await pay(1, 20)
      const entries = await all('entries')
      assert.deepEqual(
        entries.map(({ id, paymentId, kind, amount }) => ({ id, paymentId, kind, amount })),
        [1, 2].map(id => ({ id, paymentId: 1, kind: 'credit', amount: 20 })),
      )
      assert.notEqual(entries[0]?.ref, entries[1]?.ref)
    })

    test('a delete removes the record', async () => {
      const { all, pay } = open('{ delete: orders, id: "${record.orderId}" }')
      await pay(1, 20)
      assert.deepEqual(
        (await all('orders')).map(({ id }) => id),
        [2],
      )
    })

    test('a missing record refuses the whole, and no id is used up', async () => {
      const { all, pay } = open(`${BOOK}, ${PAY}`)
      const { status, body } = await pay(7, 20)
      assert.equal(status, 409)
      assert.equal((body as { detail: string }).detail, 'there is no record 7 in orders')
      assert.deepEqual([await all('payments'), await all('entries')], [[], []])
      await pay(1, 20)
      assert.deepEqual(
        (await all('payments')).map(({ id }) => id),
        [1],
      )
      assert.deepEqual(
        (await all('entries')).map(({ id }) => id),
        [1],
      )
    })

    test('a missing record is left out if the effect says so', async () => {
      const { all, pay } = open(
        `${BOOK}, ${PAY.replace(' }', ', missing: skip }').replace('paid, missing', 'paid }, missing').replace('skip },', 'skip,')}`,
      )
      assert.equal((await pay(7, 20)).status, 201)
      assert.equal((await all('entries')).length, 1)
    })

    test('a record that would break its schema refuses the whole', async () => {
      const { all, pay } = open(`${BOOK}, ${PAY}`)
      const before = await all('orders')
      const { status, body } = await pay(2, 1)
      assert.equal(status, 409)
      assert.match(
        (body as { detail: string }).detail,
        /^the record 2 of orders would be invalid: \/paid must be at most 100/,
      )
      assert.equal((await pay(1, 0.5)).status, 409, 'an entry needs an amount of 1')
      assert.deepEqual([await all('payments'), await all('entries'), await all('orders')], [[], [], before])
    })

    test('a replacement and a deletion have effects, too', async () => {
      const { all, pay, send } = open(
        '',
        `  replacePayment: { respond: { replace: payments, also: [${PAY}] } }
  deletePayment: { respond: { delete: payments, also: [{ update: orders, id: "\${record.orderId}", add: { paid: "\${-record.amount}" } }] } }`,
      )
      await pay(1, 1)
      assert.equal((await send('PUT /payments/1', { orderId: 9, amount: 2 })).status, 400)
      assert.deepEqual(await all('payments'), [{ id: 1, orderId: 1, amount: 1 }])
      assert.equal((await send('PUT /payments/1', { orderId: 1, amount: 2 })).status, 200)
      assert.equal((await all('orders'))[0]?.paid, 2.1)
      assert.equal((await send('DELETE /payments/1')).status, 204)
      assert.equal((await all('orders'))[0]?.paid, 0.1)
    })

    test('a list of a thousand records has the effects of each, or none', async () => {
      const { all, send } = open('', `  createPayments: { respond: { create: payments, also: [${PAY}, ${BOOK}] } }`)
      const list = Array.from({ length: 1000 }, (_, i) => ({ orderId: i === 999 ? 3 : 1, amount: 1 }))
      const before = await all('orders')
      const refused = await send('POST /payments/batch', list)
      assert.equal(refused.status, 422)
      assert.deepEqual([await all('payments'), await all('entries'), await all('orders')], [[], [], before])
      const few = list.slice(0, 20)
      const { status, headers } = await send('POST /payments/batch', few, { 'understudy-explain': '1' })
      assert.equal(status, 201)
      assert.equal((await all('orders'))[0]?.paid, 20.1)
      assert.equal((await all('entries')).length, 20)
      assert.match(headers['understudy-explanation'] ?? '', /also: 30 more/)
    })

    test('nothing of it happens if there is no memory for a part', async () => {
      const more = `  createPayments: { respond: { create: payments, also: [${BOOK}, ${BOOK}] } }\nworlds: { maxBytes: 4kB }`
      const { all, pay, send } = open(`${BOOK}, ${BOOK}`, more)
      const statuses: number[] = []
      for (const length of [8, 40]) {
        const list = Array.from({ length }, () => ({ orderId: 1, amount: 2 }))
        assert.equal((await send('POST /payments/batch', list)).status, 507)
        assert.deepEqual([await all('payments'), await all('entries')], [[], []])
      }
      for (let i = 0; i < 20; i++) statuses.push((await pay(1, 2)).status)
      const made = statuses.filter(status => status === 201).length
      assert.equal(statuses.filter(status => status === 507).length, 20 - made)
      assert.ok(made > 1 && made < 20, `${made}`)
      assert.deepEqual([(await all('payments')).length, (await all('entries')).length], [made, 2 * made])
    })

    test('concurrent requests never see a part of it', async () => {
      const { all, pay } = open(`${BOOK}, ${PAY}`)
      const replies = await Promise.all(Array.from({ length: 60 }, () => pay(1, 2)))
      const made = replies.filter(({ status }) => status === 201).length
      assert.equal(made, 49)
      assert.deepEqual([(await all('entries')).length, (await all('payments')).length], [49, 49])
      assert.equal((await all('orders'))[0]?.paid, 98.1)
    })

    test('the explanation names the effects', async () => {
      const { pay } = open(`${PAY}, ${BOOK}`)
      const { headers } = await pay(1, 2, { 'understudy-explain': '1' })
      assert.match(headers['understudy-explanation'] ?? '', /also: update orders 1/)
      assert.match(headers['understudy-explanation'] ?? '', /also: create entries 1/)
    })
  })
}

suite('checking effects at load', () => {
  const mistakes = (also: string) => {
    const { report } = loadAnew(shop(also))
    return formatDiagnostics(report.list)
  }

  for (const [also, expected] of [
    [
      '{ update: oders, id: 1, set: { status: paid } }',
      /unknown-resource: there is no resource "oders"[\s\S]*did you mean "orders"/,
    ],
    ['{ update: orders, id: 1, set: { statsu: paid } }', /unknown-field: the records of orders have no field "statsu"/],
    [
      '{ update: orders, id: 1, set: { status: payed } }',
      /invalid-default: this value breaks the schema of orders: \/status/,
    ],
    [
      '{ update: orders, id: 1, set: { note: "${record.amount}" } }',
      /invalid-effect: \/note of orders cannot be a number/,
    ],
    [
      '{ update: orders, id: "${record.order}", set: { status: paid } }',
      /record has no "order"[\s\S]*did you mean "orderId"/,
    ],
    ['{ update: orders, id: 1, add: { paid: "${string(record.id)}" } }', /invalid-effect: this value is not a number/],
    ['{ update: orders, id: 1, add: { note: 1 } }', /invalid-effect: \/note of orders is not a number/],
    ['{ update: orders, id: 1, add: { piad: 1 } }', /unknown-field: the records of orders have no field "piad"/],
    ['{ update: orders, set: { status: paid } }', /missing-key: "id" is missing/],
    ['{ update: orders, id: 1 }', /invalid-effect: this update changes nothing/],
    ['{ update: orders, create: entries }', /invalid-effect: update and create exclude each other/],
    ['{ set: { status: paid } }', /invalid-effect: this effect has no kind/],
    ['{ delete: orders, id: 1, set: { status: paid } }', /idle-key: "set" has no effect beside "delete"/],
    ['{ create: entries, set: { id: 7 } }', /invalid-effect: an effect cannot set the id of entries/],
  ] as const) {
    test(also, () => assert.match(mistakes(also), expected))
  }
})

/** Shops with baskets, whose ids are unique within each, and sales. */
const SHOPS = {
  'gateway.yaml': `
contract: ./openapi.yaml
resources:
  baskets:
    schema: Basket
    id: { field: id, within: ["{shop}"], assign: client }
    seed: [{ id: 1, "{shop}": a, open: true }, { id: 2, "{shop}": b, open: true }]
  tills: { schema: Till, seed: [{ id: 1, shop: a, sum: 0 }, { id: 2, shop: b, sum: 0 }] }
  lines: { schema: Line, references: { tillId: { to: tills, onDelete: cascade } }, seed: [{ id: 1, tillId: 1 }, { id: 2, tillId: 2 }] }
  sales: { schema: Sale }
operations:
  listTills: { respond: { list: tills } }
  listLines: { respond: { list: lines } }
  listSales: { respond: { list: sales } }
  readBasket: { respond: { read: baskets, within: shop } }
  createSale:
    respond:
      create: sales
      within: shop
      also:
        - { update: baskets, id: "\${record.basket}", set: { open: false } }
        - { update: tills, id: "\${record.till}", add: { sum: 1 } }
  openBasket:
    respond: { create: sales, within: shop, also: [{ create: baskets, set: { id: "\${record.basket}", open: true } }] }
  closeTill:
    respond: { create: sales, within: shop, also: [{ delete: tills, id: "\${record.till}" }, { create: lines, set: { tillId: "\${record.basket}" } }] }
`,
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Shops, version: 1.0.0 }
paths:
  /tills: { get: { operationId: listTills, responses: { '200': { description: All. } } } }
  /lines: { get: { operationId: listLines, responses: { '200': { description: All. } } } }
  /sales: { get: { operationId: listSales, responses: { '200': { description: All. } } } }
  /shops/{shop}/baskets/{id}:
    parameters:
      - { name: shop, in: path, required: true, schema: { type: string } }
      - { name: id, in: path, required: true, schema: { type: integer } }
    get: { operationId: readBasket, responses: { '200': { description: One. }, '404': { description: None. } } }
  /shops/{shop}/sales:
    parameters: [{ name: shop, in: path, required: true, schema: { type: string } }]
    post: &post
      operationId: createSale
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Sale' } } } }
      responses: { '201': { description: Sold. } }
  /shops/{shop}/openings:
    parameters: [{ name: shop, in: path, required: true, schema: { type: string } }]
    post: { <<: *post, operationId: openBasket }
  /shops/{shop}/closings:
    parameters: [{ name: shop, in: path, required: true, schema: { type: string } }]
    post: { <<: *post, operationId: closeTill }
components:
  schemas:
    Basket: { type: object, required: [id, open], properties: { id: { type: integer }, open: { type: boolean } } }
    Till:
      type: object
      required: [id, shop, sum]
      properties: { id: { type: integer, readOnly: true }, shop: { type: string }, sum: { type: integer } }
    Line:
      type: object
      required: [id, tillId]
      properties: { id: { type: integer, readOnly: true }, tillId: { type: integer } }
    Sale:
      type: object
      required: [id]
      properties: { id: { type: integer, readOnly: true }, basket: { type: integer }, till: { type: integer } }
`,
}

suite('effects on records of owners', () => {
  const detailOf = ({ body }: { body: unknown }) => (body as { detail: string }).detail

  test('find records of the owner in the path only', async () => {
    const { send } = inProcess(SHOPS)
    assert.equal((await send('POST /shops/a/sales', { basket: 1, till: 1 })).status, 201)
    assert.deepEqual((await send('GET /shops/a/baskets/1')).body, { id: 1, open: false })
    const basketOfB = await send('POST /shops/a/sales', { basket: 2, till: 1 })
    assert.deepEqual([basketOfB.status, detailOf(basketOfB)], [409, 'there is no record 2 in baskets'])
    const tillOfB = await send('POST /shops/b/sales', { basket: 2, till: 1 })
    assert.deepEqual([tillOfB.status, detailOf(tillOfB)], [409, 'there is no record 1 in tills'])
    assert.deepEqual((await send('GET /shops/b/baskets/2')).body, { id: 2, open: true })
    const tills = (await send('GET /tills')).body as { sum: number }[]
    assert.deepEqual(
      tills.map(({ sum }) => sum),
      [1, 0],
    )
    assert.equal(((await send('GET /sales')).body as unknown[]).length, 1)
  })

  test('add records of the owner in the path, under the id that they set', async () => {
    const { send } = inProcess(SHOPS)
    assert.equal((await send('POST /shops/a/openings', { basket: 7 })).status, 201)
    assert.deepEqual((await send('GET /shops/a/baskets/7')).body, { id: 7, open: true })
    assert.equal((await send('GET /shops/b/baskets/7')).status, 404)
    const again = await send('POST /shops/a/openings', { basket: 7 })
    assert.deepEqual([again.status, detailOf(again)], [409, 'the record 7 already exists in baskets'])
    assert.equal((await send('POST /shops/b/openings', { basket: 7 })).status, 201)
  })

  test('keep references whole', async () => {
    const { send } = inProcess(SHOPS)
    const dangling = await send('POST /shops/a/closings', { till: 1, basket: 1 })
    assert.equal(dangling.status, 409)
    assert.equal(detailOf(dangling), 'a record of lines refers to 1 by /tillId, which is no record of tills')
    assert.equal(((await send('GET /lines')).body as unknown[]).length, 2)
    assert.equal((await send('POST /shops/a/closings', { till: 1, basket: 2 })).status, 201)
    const lines = (await send('GET /lines')).body as { tillId: number }[]
    assert.deepEqual(
      lines.map(({ tillId }) => tillId),
      [2, 2],
    )
  })
})
