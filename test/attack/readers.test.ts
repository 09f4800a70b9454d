// Damaged snapshots, names of the prototype, references out of the folder, rules of hostile size, and clients that are slow.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { repeat } from './large-configuration.ts'
import { type Program, startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'readers'

/** Runs the shipped configuration; afterwards it serves still, and ends when it is asked to. */
async function serving(run: (program: Program) => Promise<string>): Promise<string> {
  const program = await startProgram('ignore')
  try {
    const outcome = await run(program)
    assert.equal((await fetch(`${program.control}/healthz`)).status, 200)
    assert.equal(await program.stop(), 0)
    return outcome
  } finally {
    program.child.kill('SIGKILL')
  }
}

/** Asks the control plane; the reply is one that a mistake of the client may have, and shows nothing of the machine. */
async function put(address: string, type: string, body: string, allowed = [200, 204, 400, 413, 422]): Promise<string> {
  const reply = await fetch(address, { method: 'PUT', headers: { 'content-type': type }, body })
  const said = await reply.text()
  assert.ok(allowed.includes(reply.status), `${reply.status} to ${body.slice(0, 200)}: ${said.slice(0, 300)}`)
  assert.doesNotMatch(said, /node_modules|\.js:\d+|root:x:|demo-key/, body.slice(0, 200))
  assert.ok(said.length < 300_000, `the reply to ${body.slice(0, 200)} has ${said.length} characters`)
  return said
}

const inPets = (records: string, more = '') => `{"version":1,"collections":{"pets":{"records":${records}${more}}}}`
const SNAPSHOTS = [
  ...[
    '',
    'null',
    '[]',
    '{"version":99}',
    '{"version":1}',
    '{"version":1,"collections":[]}',
    inPets('{}'),
    inPets('[null]'),
  ],
  ...['__proto__', 'constructor'].map(name => `{"version":1,"collections":{"${name}":{"records":[{"id":1}]}}}`),
  inPets('[{"id":1,"name":"a","categoryId":1,"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}]'),
  inPets('[{"id":1,"name":"a","categoryId":1},{"id":1,"name":"b","categoryId":1}]'),
  ...['"x"', '1e308', '-1', '9'.repeat(40)].map(id => inPets('[]', `,"nextId":${id}`)),
  `{"version":1,"collections":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`,
  `{"version":1,"collections":{${repeat(100_000, i => `"c${i}":{"records":[]},`).slice(0, -1)}}}`,
  inPets(`[{${repeat(100_000, i => `"k${i}":1,`)}"id":1}]`),
  inPets(`[{"id":1,"name":"${'a'.repeat(10_000_000)}"}]`),
  inPets(`[${repeat(300_000, i => `{"id":"x${i}"},`).slice(0, -1)}]`),
  inPets('[{"id":1,"name":"\\ud800\\u0000","categoryId":1}]'),
]

attack(KIND, 'damaged snapshots', () =>
  serving(async program => {
    const address = `${program.control}/worlds/default/snapshot`
    const own = await (await fetch(address)).text()
    const start = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
    let state = start
    const below = (most: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return Math.floor(((state >>> 8) / 2 ** 23) * most)
    }
    const pieces = ['"', '{', '9'.repeat(30), 'null', '\\', '[]', '-1', ',', '']
    const mutated = Array.from({ length: 200 }, () => {
      const at = below(own.length)
      return own.slice(0, at) + pieces[below(pieces.length)] + own.slice(at + below(8))
    })
    for (const body of [...SNAPSHOTS, ...mutated]) {
      try {
        await put(address, 'application/json', body)
      } catch (error) {
        throw new Error(`FUZZ_SEED=${start}`, { cause: error })
      }
    }
    await put(address, 'application/json', own, [204])
    assert.equal(await program.status('/v1/pets/1'), 200)
    return `${SNAPSHOTS.length + mutated.length} snapshots, each refused or taken, and the right one after them`
  }),
)

attack(KIND, 'names of the prototype in queries, worlds, weather and configurations', () =>
  serving(async program => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    for (const name of names) {
      for (const path of ['/requests', '/worlds', '/plan', '/metrics', '/worlds/default']) {
        const reply = await fetch(`${program.control}${path}?${name}=1`)
        assert.equal(reply.status, 400, `${path}?${name}=1: ${await reply.text()}`)
      }
      assert.equal((await fetch(`${program.control}/worlds/${name}`)).status, 404)
      assert.equal(await program.status(`/v1/~${name}/pets/1`), 200)
      // A parameter whose name begins with two underscores is one of the gateway.
      assert.equal(await program.status(`/v1/pets?${name}=1`), name.startsWith('__') ? 400 : 200)
      await put(`${program.control}/weather`, 'application/json', `{"${name}":{"latency":"1ms"}}`, [422])
      const configuration = `{"contract":"./openapi.yaml","${name}":{},"operations":{"${name}":{}},"weather":{"${name}":{}}}`
      await put(`${program.control}/config`, 'application/json', configuration, [422])
    }
    assert.equal(await program.status('/v1/pets/1'), 200)
    return 'refused, or names as others'
  }),
)

const REFERENCES = [
  ...['file:///etc/passwd', '/etc/passwd', '../../../../etc/passwd', 'file:///dev/zero', '/proc/self/environ'],
  ...['http://127.0.0.1:1/x', '//127.0.0.1:1/x', 'data:application/json,{}', 'file://%00', '\\u0000'],
  ...['#/__proto__/x', '#/constructor', `#${'/a'.repeat(5000)}`],
]

attack(KIND, 'PUT /config: references out of the document', () =>
  serving(async program => {
    for (const $ref of REFERENCES) {
      const said = await put(
        `${program.control}/config`,
        'application/yaml',
        `contract: { openapi: 3.1.0, info: { title: T, version: "1" }, paths: { /a: { get: { operationId: a, responses: { 200: { description: ok, content: { application/json: { schema: { $ref: "${$ref}" } } } } } } } } }`,
        [200, 422],
      )
      assert.match(said, /"severity":"(?:warning|error)"|error outside-file/, $ref)
    }
    for (const file of ['/etc/passwd', 'http://127.0.0.1:1/x'])
      await put(`${program.control}/config`, 'application/yaml', `contract: ${file}`, [422])
    return `${REFERENCES.length} references, none followed`
  }),
)

const CONTRACT =
  'contract: { openapi: 3.1.0, info: { title: T, version: "1" }, paths: { /a: { get: { operationId: a, responses: { 200: { description: ok } } } } } }\n'
const nested = (depth: number): string =>
  depth === 0 ? 'true' : `[1,2,3,4,5,6,7,8,9,10].all(x${depth}, ${nested(depth - 1)})`
const CONDITIONS: readonly (readonly [about: string, when: string])[] = [
  ['10,000 alternatives', `${repeat(10_000, i => `request.path == 'x${i}' || `)}true`],
  ['10,000 parentheses', `${'('.repeat(10_000)}true${')'.repeat(10_000)}`],
  ['10,000 negations', `${'!'.repeat(10_000)}true`],
  ['a list of 50,000 items', `1 in [${repeat(50_000, i => `${i},`)}1]`],
  ['a list of ten items gone through seven times within itself', nested(7)],
  ['a nested pattern', "request.path.matches('^(a+)+$')"],
  ['a pattern of a million characters', "request.path.matches('(a{1000}){1000}')"],
  ['3,000 choices', `${repeat(3000, i => `request.path == '${i}' ? true : `)}false`],
]

attack(KIND, 'PUT /config: conditions of hostile size', () =>
  serving(async program => {
    for (const [about, when] of CONDITIONS) {
      const rule = `operations: { a: { rules: [{ when: ${JSON.stringify(when)}, respond: { status: 200 } }] } }`
      const said = await put(`${program.control}/config`, 'application/yaml', CONTRACT + rule, [200, 422])
      if (!said.includes('"reloaded":true')) continue
      const reply = await fetch(`${program.url}/a`, { signal: AbortSignal.timeout(60_000) })
      assert.ok([200, 204].includes(reply.status), `${about}: ${reply.status}`)
    }
    return `${CONDITIONS.length} conditions, refused or answered`
  }),
)

attack(KIND, 'a hundred clients that never end their request, on both planes', () =>
  serving(async program => {
    const beginnings = [
      'GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ',
      'POST /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
    ]
    const sockets = [program.url, program.control].flatMap(address =>
      beginnings.flatMap(beginning =>
        Array.from({ length: 25 }, () => {
          const socket = connect(Number(new URL(address).port), '127.0.0.1')
          socket.on('error', () => {})
          socket.write(beginning)
          return socket
        }),
      ),
    )
    for (let i = 0; i < 50; i++) {
      for (const socket of sockets) if (socket.writable) socket.write('a')
      assert.equal(await program.status('/v1/pets/1'), 200)
      assert.equal((await fetch(`${program.control}/healthz`)).status, 200)
    }
    for (const socket of sockets) socket.destroy()
    return 'served meanwhile'
  }),
)
