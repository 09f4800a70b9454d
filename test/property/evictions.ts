// Requests of several clients to more worlds than a gateway keeps.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { takeSnapshot } from '../../src/world/snapshot.ts'
import { GATEWAY, type Replica } from '../state/replicas.ts'

export const MAX = 5
export const FILES = { 'gateway.yaml': `${GATEWAY}worlds: { max: ${MAX} }\n` }

const step = fc.record({
  replica: fc.nat(1),
  world: fc.nat(19),
  kind: fc.constantFrom('create', 'read', 'create', 'read', 'make', 'delete'),
})
type Step = { readonly replica: number; readonly world: number; readonly kind: string }

export async function run({ gateway, send }: Replica, { world, kind }: Step): Promise<void> {
  const name = `w${world}`
  if (kind === 'make') await gateway.change(() => void gateway.worlds.create(name), 'make')
  else if (kind === 'delete') await gateway.change(() => void gateway.deleteWorld(name), 'delete')
  else {
    const headers = { 'understudy-world': name }
    const { status } = await (kind === 'read'
      ? send('GET /books', undefined, headers)
      : send('POST /books', { title: name }, headers))
    assert.equal(status, kind === 'read' ? 200 : 201)
  }
}

/** The content of all worlds of a replica, by name. */
export async function contentOf({ gateway }: Replica): Promise<Record<string, unknown>> {
  const worlds = gateway.worlds.list().toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const pairs = worlds.map(async world => {
    const { collections, ordinals } = await takeSnapshot(world)
    return [world.name, { collections, ordinals }] as const
  })
  return Object.fromEntries(await Promise.all(pairs))
}

export const clients = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 8 })
