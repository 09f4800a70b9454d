// A small operation, and a request of it as expressions see it.

import type { RequestTypes, Scope } from '../../src/expression/scope.ts'

export const TYPES: RequestTypes = {
  params: { fields: { petId: 'int' } },
  query: { fields: { status: 'string', limit: 'int' } },
  cookies: { fields: {} },
  body: { fields: { name: 'string', age: 'int', tags: { list: 'string' }, address: { fields: { city: 'string' } } } },
}

/** To be copied: a scope keeps what its expressions have done. */
export const SCOPE: Scope = Object.freeze<Scope>({
  spent: 0,
  method: 'POST',
  path: '/pets',
  params: { petId: 7 },
  query: { status: 'sold' },
  cookies: {},
  headers: { 'x-plan': 'free' },
  body: { name: 'Crash', age: 3, tags: ['a', 'b'], address: { city: 'Rome' }, weight: 1.5, big: 9223372036854775807n },
  text: '{"name":"Crash"}',
  consumer: 'frontend',
  operation: 'createPet',
  world: 'default',
  now: Date.UTC(2030, 11, 5),
  ordinal: 2,
  nth: 1,
  accepted: 1,
  calls: operation => (operation === 'payOrder' ? 4 : 0),
  scenario: name => (name === 'order' ? 'paid' : ''),
  size: () => 60,
  record: (_, id) => (id === 1 ? { value: { id: 1, owner: { name: 'Ada' } }, length: 33 } : undefined),
  draw: () => 0.5,
  uuid: () => '00000000-0000-4000-8000-000000000000',
  warn: () => {},
  sample: () => ({ id: 1, name: 'Rex' }),
})
