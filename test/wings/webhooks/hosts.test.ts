import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveriesIn } from '../../../src/wings/webhooks/deliveries.ts'
import { Hosts } from '../../../src/wings/webhooks/hosts.ts'
import { delivering } from './receivers.ts'
import { PAID, SHOP } from './shop.ts'

const CASES: readonly (readonly [hosts: readonly string[], host: string, address: string, admitted: boolean])[] = [
  [['localhost'], 'localhost', '127.0.0.1', true],
  [['localhost'], 'localhost', '::1', true],
  [['localhost'], '127.0.0.1', '127.0.0.1', true],
  [['localhost'], '127.9.9.9', '127.9.9.9', true],
  [['localhost'], 'localhost', '10.0.0.1', false],
  [['localhost'], 'example.com', '127.0.0.1', false],
  [['localhost'], '10.0.0.1', '10.0.0.1', false],
  [['*.test'], 'shop.test', '127.0.0.1', true],
  [['*.test'], 'shop.test', '10.0.0.1', false],
  [['*.test'], 'test', '127.0.0.1', false],
  [['*.test'], 'shop.test.example', '127.0.0.1', false],
  [['app'], 'app', '172.18.0.3', true],
  [['app'], 'app', '192.168.1.1', true],
  [['app'], 'app', 'fd12::1', true],
  [['app'], 'app', '93.184.215.14', false],
  [['app'], 'app', '::ffff:93.184.215.14', false],
  [['app'], 'app', '::ffff:10.1.2.3', true],
  [['10.0.0.0/8'], '10.1.2.3', '10.1.2.3', true],
  [['10.0.0.0/8'], 'any.example', '10.1.2.3', true],
  [['10.0.0.0/8'], 'any.example', '11.1.2.3', false],
  [['93.184.215.14'], 'any.example', '93.184.215.14', true],
  // Never.
  [['169.254.0.0/16', '0.0.0.0/0', 'app'], 'app', '169.254.169.254', false],
  [['::/0', 'app'], 'app', '::ffff:169.254.169.254', false],
  [['::/0'], 'fe80::1', 'fe80::1', false],
  [['::/0'], 'app', 'fd00:ec2::254', false],
  [['0.0.0.0/0'], 'app', '100.100.100.200', false],
  [['0.0.0.0/0'], '0.0.0.0', '0.0.0.0', false],
  [['0.0.0.0/0'], 'app', '255.255.255.255', false],
  [['::/0'], 'app', '64:ff9b::a9fe:a9fe', false],
  [['app'], 'app', 'nothing', false],
]

for (const [hosts, host, address, admitted] of CASES) {
  test(`${hosts} ${admitted ? 'admit' : 'refuse'} ${address} of ${host}`, () => {
    const list = new Hosts(hosts)
    assert.equal(!list.excludes(host) && list.refusal(host, address) === undefined, admitted)
  })
}

test('items that are neither a host nor a network are reported', () => {
  const wrong: string[] = []
  new Hosts(['localhost:80', 'http://a', '10.0.0.0/33', '*', 'a..b', '10.0.0.0/8/8', 'ok', '*.ok'], item =>
    wrong.push(item),
  )
  assert.deepEqual(wrong, ['localhost:80', 'http://a', '10.0.0.0/33', '*', 'a..b', '10.0.0.0/8/8'])
})

const HOSTED = `${SHOP}deliveries: { hosts: [localhost, app, "*.test", 10.0.0.0/8] }\n`
const pay = { body: { status: 'paid' } }

test('a name is resolved once, and the address is the one that is connected to', async () => {
  const { ask, rest, receivers } = delivering(HOSTED + PAID.replace('localhost:9', 'app:8080'))
  receivers.names.app = ['172.18.0.3', '172.18.0.4']
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.deepEqual(receivers.resolved, ['app'])
  assert.deepEqual(receivers.connected, ['172.18.0.3:8080'])
  assert.equal(receivers.got[0]?.headers.host, 'app:8080')
})

const FORBIDDEN: readonly (readonly [url: string, addresses: readonly string[], why: RegExp])[] = [
  ['http://app/', ['93.184.215.14'], /93\.184\.215\.14 is public; add its network/],
  ['http://app/', ['10.0.0.1', '169.254.169.254'], /169\.254\.169\.254 is link-local, reserved or the metadata/],
  ['http://shop.test/', ['192.168.0.1'], /192\.168\.0\.1 is not loopback/],
  ['http://evil.example/', ['127.0.0.1'], /is that of evil\.example, which is not in "hosts"/],
  ['http://gone.test/', [], /the host is unknown/],
]

for (const [url, addresses, why] of FORBIDDEN) {
  test(`nothing connects to ${url} at ${addresses.join(' and ') || 'no address'}`, async () => {
    const { ask, rest, receivers, gateway } = delivering(
      HOSTED + PAID.replace('http://localhost:9/hook', `${url}\n    retry: { attempts: 1 }`),
    )
    receivers.names[new URL(url).hostname] = addresses
    await ask('PATCH /orders/1', pay)
    await rest()
    assert.deepEqual(receivers.connected, [])
    const [{ state, why: told } = assert.fail()] = deliveriesIn(gateway, {})
    assert.equal(state, 'failed')
    assert.match(told ?? '', why)
  })
}
