import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveriesIn } from '../../../src/wings/webhooks/deliveries.ts'
import { type Signed, type Signing, sign } from '../../../src/wings/webhooks/sign.ts'
import { delivering } from './receivers.ts'
import { PAID, SHOP } from './shop.ts'

/** The examples in the documentation of each. */
const EXAMPLES: readonly (readonly [signing: Signing, secrets: readonly string[], of: Signed, headers: object])[] = [
  [
    { scheme: 'standard' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', webhook: 'any', body: '{"test": 2432232314}', at: 1_614_265_330_000 },
    {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  ],
  [
    { scheme: 'github' },
    ["It's a Secret to Everybody"],
    { id: 'msg_1', webhook: 'push', body: 'Hello, World!', at: 0 },
    {
      'x-github-event': 'push',
      'x-github-delivery': 'msg_1',
      'x-hub-signature': 'sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59',
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
  ],
  [
    { scheme: 'slack' },
    ['8f742231b10e8888abcd99yyyzzz85a5'],
    {
      id: 'msg_1',
      webhook: 'command',
      body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      at: 1_531_420_618_000,
    },
    {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  ],
]

for (const [signing, secrets, of, headers] of EXAMPLES) {
  test(`the example in the documentation of ${signing.scheme} is signed as it is there`, () => {
    assert.deepEqual(sign(signing, secrets, of), headers)
  })
}

test('a new and an old secret sign both', () => {
  const of = { id: 'msg_1', webhook: 'paid', body: '{}', at: 1_000_000 }
  const both = sign({ scheme: 'stripe' }, ['new', 'old'], of)['stripe-signature'] ?? ''
  const each = ['new', 'old'].map(secret => sign({ scheme: 'stripe' }, [secret], of)['stripe-signature']?.split(',')[1])
  assert.equal(both, `t=1000,${each.join(',')}`)
})

test('other headers are filled in', () => {
  const signing = {
    headers: { 'X-Sig': 't=${timestamp},v=${hex}', 'X-Id': '${id} ${other}' },
    content: '${timestamp}.${body}',
  }
  const of = { id: 'msg_1', webhook: 'paid', body: '{}', at: 1_000_000 }
  const stripe = sign({ scheme: 'stripe' }, ['abc'], of)['stripe-signature']
  assert.deepEqual(sign(signing, ['abc'], of), { 'x-sig': stripe?.replace('v1', 'v'), 'x-id': 'msg_1 ${other}' })
})

test('a subscription brings its own secret, and the time is the real one', async () => {
  const { ask, rest, receivers, world, clock, gateway } = delivering(
    `${SHOP + PAID.replace('http://localhost:9/hook', 'hooks')}    sign: { scheme: stripe }\n`,
  )
  world.clock.adjust({ now: Date.parse('2035-01-01T00:00:00Z') })
  await ask('POST /hooks', { body: { url: 'http://localhost/a', secret: 'its-own' } })
  await ask('POST /hooks', { body: { url: 'http://localhost/b' } })
  await ask('PATCH /orders/1', { body: { status: 'paid' } })
  await rest()
  const [{ headers, body } = assert.fail(), ...others] = receivers.got
  assert.deepEqual(others, [])
  const signed = sign({ scheme: 'stripe' }, ['its-own'], { id: '', webhook: '', body, at: clock.now() })
  assert.equal(headers['stripe-signature'], signed['stripe-signature'])
  const [, { why } = assert.fail()] = deliveriesIn(gateway, {})
  assert.equal(why, 'the subscription has no "secret" to sign with')
})
