// Every route of the control plane with odd names, parameters and bodies: each reply is documented, none shows a path of the
// machine, and the API is served meanwhile.

import assert from 'node:assert/strict'
import { startProgram } from './program.ts'
import { attack } from './table.ts'

const KIND = 'control plane'
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses?: Readonly<Record<string, unknown>>
}
type Item = Described & Partial<Record<(typeof METHODS)[number], Described>>

const NAMES = ['default', 'pets', '1', 'listPets']
const ODD = [
  ...['', '\u0000', '__proto__', 'constructor', '../../etc/passwd', 'a'.repeat(5000), '%', '%00', '-1', '1e309', 'NaN'],
  ...['9'.repeat(400), '{"a":1}', '[]', 'é', '💥', '*'.repeat(300), '2030-13-45', '+9999999999d', '\r\nx: y'],
]
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '\u0000', 'parameters.*']
const BODIES = [
  ...['', '{', 'null', '[]', '0', '"x"', '{"__proto__":{"a":1}}', '['.repeat(1000), '{}', '{"name":1}', '\u0000', '*a'],
  ...[`{"a":${'9'.repeat(5000)}}`, `{"when":"${'!'.repeat(3000)}true"}`, `{"time":"${'9'.repeat(50)}"}`],
]

/** Statuses that any request may have, before its route is known. */
const ALWAYS = new Set([400, 404, 405, 413, 415, 422])

attack(KIND, 'odd names, parameters and bodies for every route', async () => {
  const program = await startProgram('ignore')
  const start = Math.floor(Math.random() * 2 ** 31)
  let state = Number(process.env.FUZZ_SEED ?? start)
  const seed = state
  const chance = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) / 2 ** 23
  }
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(chance() * list.length)] as Value
  let sent = 0
  try {
    const { paths } = (await (await fetch(`${program.control}/openapi.json`)).json()) as { paths: Record<string, Item> }
    for (const [path, item] of Object.entries(paths)) {
      for (const method of METHODS) {
        const operation = item[method]
        if (operation === undefined || path.endsWith('/stream')) continue
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
        const types = Object.keys(operation.requestBody?.content ?? { 'application/json': true })
        for (let round = 0; round < 12; round++) {
          const place = path.replace(/\{[^}]+\}/g, () => encodeURIComponent(pick(chance() < 0.4 ? NAMES : ODD)))
          const query = parameters
            .filter(one => one.in === 'query' && chance() < 0.5)
            .map(({ name }) => name)
            .concat(chance() < 0.1 ? pick(ODD_NAMES) : [])
            .map(name => `${encodeURIComponent(name)}=${encodeURIComponent(pick(ODD))}`)
            .join('&')
          const body = method === 'get' ? undefined : pick(BODIES)
          const asked = `${method} ${place}?${query} ${body} (FUZZ_SEED=${seed})`
          const reply = await fetch(`${program.control}${place}?${query}`, {
            method: method.toUpperCase(),
            ...(body === undefined ? {} : { body, headers: { 'content-type': pick(types) } }),
          })
          const said = await reply.text()
          sent += 1
          const documented = ALWAYS.has(reply.status) || Object.hasOwn(operation.responses ?? {}, reply.status)
          assert.ok(documented && reply.status < 500, `${reply.status} to ${asked}: ${said.slice(0, 500)}`)
          if (reply.status >= 400) {
            assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/, asked)
            assert.doesNotMatch(said, /node_modules|\.js:\d+|demo-key/, asked)
          }
        }
        assert.ok([200, 404].includes(await program.status('/v1/pets/1')))
      }
    }
    assert.equal(await program.stop(), 0)
    return `${sent} requests, each answered as documented`
  } finally {
    program.child.kill('SIGKILL')
  }
})
