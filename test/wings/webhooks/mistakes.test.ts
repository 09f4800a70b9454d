import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../support/in-process.ts'
import { SHOP } from './shop.ts'

const ON = 'on: { update: orders }'
const TO = 'to: http://localhost/'

const CASES: readonly (readonly [yaml: string, code: string, message: RegExp, hint: RegExp])[] = [
  [`orderPayed: { ${ON}, ${TO} }`, 'unknown-webhook', /no webhook "orderPayed"/, /did you mean "orderPaid"/],
  [`lost: { ${ON}, ${TO} }`, 'unknown-webhook', /no webhook "lost"/, /add schema: .* or a body/],
  [`orderPaid: { on: { update: order }, ${TO} }`, 'unknown-resource', /no resource "order"/, /did you mean "orders"/],
  [
    `orderPaid: { on: { operation: makeOrder }, ${TO} }`,
    'unknown-operation',
    /no operation "makeOrder"/,
    /one of|did you/,
  ],
  [`orderPaid: { on: { rule: operations/createOrder/rules/0 }, ${TO} }`, 'unknown-rule', /no rule/, /rules\/0/],
  [`orderPaid: { on: { update: orders, create: orders }, ${TO} }`, 'invalid-value', /exclude each other/, /a list/],
  [`orderPaid: { on: { when: "true" }, ${TO} }`, 'invalid-value', /must say what it is about/, /update: orders/],
  [`orderPaid: { on: { update: orders, when: "after.status ==" }, ${TO} }`, 'invalid-expression', /incomplete/, /CEL/],
  [
    `orderPaid: { on: { update: orders, when: "afer.status == 1" }, ${TO} }`,
    'unknown-root',
    /unknown name "afer"/,
    /./,
  ],
  [`mine: { ${ON}, ${TO}, body: "\${nobody}" }`, 'unknown-root', /nobody/, /./],
  [`orderPaid: { ${ON} }`, 'missing-key', /"to" is missing/, /a URL, or the resource/],
  [`orderPaid: { ${ON}, to: hook }`, 'unknown-resource', /neither a URL nor a resource/, /did you mean "hooks"/],
  [`orderPaid: { ${ON}, to: "http://" }`, 'invalid-url', /must be a URL with http or https/, /localhost/],
  [`orderPaid: { ${ON}, to: "ftp://localhost/" }`, 'invalid-url', /must be a URL with http or https/, /localhost/],
  [`orderPaid: { ${ON}, to: "http://a:b@localhost/" }`, 'invalid-url', /no credentials/, /sign/],
  [
    `orderPaid: { ${ON}, to: "https://example.com/" }`,
    'invalid-url',
    /names example.com, which is not in "hosts"/,
    /example.com/,
  ],
  [`orderPaid: { ${ON}, to: "http://169.254.169.254/" }`, 'invalid-url', /not in "hosts"/, /./],
  [`mine: { ${ON}, ${TO}, schema: Orders }`, 'unknown-schema', /no schema "Orders"/, /did you mean "Order"/],
  [
    `mine: { ${ON}, ${TO}, schema: Order, body: { id: "x", status: open } }`,
    'invalid-body',
    /\/id must be an integer/,
    /./,
  ],
  [
    `mine: { ${ON}, ${TO}, schema: Order, body: { id: "\${after.id}", status: away } }`,
    'invalid-body',
    /\/status/,
    /./,
  ],
  [`orderPaid: { ${ON}, ${TO}, sign: { scheme: stripe } }`, 'missing-secret', /has no secret/, /WEBHOOK_SECRET/],
  [`orderPaid: { ${ON}, ${TO}, sign: { secret: abc } }`, 'invalid-value', /either "scheme" or "headers"/, /standard/],
  [`orderPaid: { ${ON}, ${TO}, sign: { scheme: standard, secret: short } }`, 'invalid-secret', /whsec_/, /./],
  [
    `orderPaid: { ${ON}, ${TO}, sign: { scheme: githup, secret: short } }`,
    'invalid-value',
    /"scheme" must be/,
    /github/,
  ],
  [`orderPaid: { ${ON}, ${TO}, retry: { first: 5 } }`, 'missing-unit', /needs a unit/, /10s/],
]

for (const [yaml, code, message, hint] of CASES) {
  test(`webhooks: { ${yaml} } is told as ${code}`, () => {
    const { report } = load(`${SHOP}webhooks: { ${yaml} }`)
    const first = report.list.find(one => message.test(one.message)) ?? assert.fail(JSON.stringify(report.list))
    assert.equal(first.code, code)
    assert.match(first.hint ?? '', hint)
  })
}

test('a secret that is not set is told where it is written', () => {
  const { report } = load(
    `${SHOP}webhooks: { orderPaid: { ${ON}, ${TO}, sign: { scheme: stripe, secret: "\${NO_SUCH_SECRET}" } } }`,
  )
  assert.deepEqual(
    report.list.map(({ code }) => code),
    ['missing-variable'],
  )
})

test('hosts that are none are told', () => {
  const { report } = load(`${SHOP}webhooks: {}\ndeliveries: { hosts: ["localhost:3000"] }`)
  assert.deepEqual(
    report.list.map(({ code, message }) => [code, message]),
    [['invalid-value', '"localhost:3000" is neither a host nor a network']],
  )
})

test('two callbacks of one name are named with their operations', () => {
  const twice = SHOP.replace('        callbacks:\n', '        callbacks: &callbacks\n').replace(
    '        operationId: createHook\n',
    '        operationId: createHook\n        callbacks: *callbacks\n',
  )
  const { report } = load(`${twice}webhooks: { shipped: {} }`)
  const [{ code, hint } = assert.fail()] = report.list
  assert.deepEqual([code, hint], ['ambiguous-webhook', 'write createOrder.shipped or createHook.shipped'])
  assert.deepEqual(load(`${twice}webhooks: { createHook.shipped: {} }`).report.list, [])
})
