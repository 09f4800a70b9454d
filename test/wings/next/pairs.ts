// Twelve pairs of contracts, each with one kind of change, and the calls of their consumers: ann is affected, bob is not, and eve
// was never seen.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contract } from '../../../src/contract/contract.ts'
import { loadContract } from '../../../src/load/load.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { KeptExchange } from '../../../src/wings/next/judge.ts'
import { loadPlan } from '../../support/load.ts'

export const NOW = `openapi: 3.1.0
info: { title: Pets, version: "1" }
security: [{ key: [] }]
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - name: limit
          in: query
          schema: { type: integer, maximum: 100 }
        - name: kind
          in: query
          schema: { type: string }
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Pet" } }
    post:
      operationId: createPet
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/NewPet" }
          application/x-www-form-urlencoded:
            schema: { $ref: "#/components/schemas/NewPet" }
      responses:
        "201":
          description: ok
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Pet" }
  /pets/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: getPet
      security: []
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Pet" }
    delete:
      operationId: deletePet
      responses:
        "204": { description: gone }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: x-key }
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: { type: string }
        name: { type: string }
        chip: { type: string }
        status: { enum: [sold, free] }
    NewPet:
      type: object
      required: [name]
      properties:
        name: { type: string, maxLength: 50 }
        kind: { enum: [cat, dog, bird] }
        chip: { type: string }
`

export const GATEWAY = `contract: ./openapi.yaml
consumers:
  ann: { key: key-of-ann }
  bob: { key: key-of-bob }
  eve: { key: key-of-eve }
`

type Sent = Partial<KeptExchange> & { readonly line: string }

export interface Pair {
  readonly change: string
  /** The text that is replaced, and the new one. */
  readonly edits: readonly (readonly [old: string, text: string])[]
  /** The operation that changes. */
  readonly operation: string
  readonly ann: Sent
  readonly bob: Sent
  readonly verdict: 'breaks' | 'may-break' | 'safe'
  readonly reason?: string
  /** The text at the place in each document. */
  readonly now?: string
  readonly next?: string
}

const pet = (more: object = {}) => ({ replyBody: JSON.stringify({ id: 'a', name: 'Rex', ...more }) })
const created = (body: object, more: object = {}): Sent => {
  return { line: 'POST /pets', body: JSON.stringify(body), status: 201, ...pet(), ...more }
}
const listed = (query: string, ...pets: readonly object[]): Sent => {
  return { line: 'GET /pets', query, replyBody: JSON.stringify(pets.map(one => ({ id: 'a', name: 'Rex', ...one }))) }
}
const removed: Sent = { line: 'DELETE /pets/a', status: 204 }
const DELETE = NOW.slice(NOW.indexOf('    delete:'), NOW.indexOf('components:'))

export const PAIRS: readonly Pair[] = [
  {
    change: 'an operation is removed',
    edits: [[DELETE, '']],
    operation: 'deletePet',
    ann: removed,
    bob: { line: 'GET /pets/a', ...pet() },
    verdict: 'breaks',
    reason: 'the operation is gone',
    now: 'delete:',
    next: 'paths:',
  },
  {
    change: 'a path is renamed',
    edits: [['  /pets/{id}:', '  /animals/{id}:']],
    operation: 'getPet',
    ann: { line: 'GET /pets/a', ...pet() },
    bob: listed(''),
    verdict: 'breaks',
    reason: 'the operation is now GET /animals/{id}',
    now: 'get:\n      operationId: getPet',
    next: 'get:\n      operationId: getPet',
  },
  {
    change: 'a parameter is required now',
    edits: [['        - name: kind\n', '        - name: kind\n          required: true\n']],
    operation: 'listPets',
    ann: listed('limit=5'),
    bob: listed('kind=cat'),
    verdict: 'breaks',
    reason: 'query parameter kind is required',
    now: 'name: kind',
    next: 'required: true\n          in: query',
  },
  {
    change: 'a field of the body is required now',
    edits: [
      [
        '    NewPet:\n      type: object\n      required: [name]',
        '    NewPet:\n      type: object\n      required: [name, chip]',
      ],
    ],
    operation: 'createPet',
    ann: created({ name: 'Rex' }),
    bob: created({ name: 'Rex', chip: '7' }),
    verdict: 'breaks',
    reason: '/chip is required',
    now: 'chip: { type: string }\n$',
    next: 'chip]',
  },
  {
    change: 'an enum of requests shrinks',
    edits: [['[cat, dog, bird]', '[cat, dog]']],
    operation: 'createPet',
    ann: created({ name: 'Rex', kind: 'bird' }),
    bob: created({ name: 'Rex', kind: 'cat' }),
    verdict: 'breaks',
    reason: '/kind must be one of "cat", "dog"',
    now: 'enum: [cat, dog, bird]',
    next: 'enum: [cat, dog]',
  },
  {
    change: 'a limit is tighter',
    edits: [['maximum: 100', 'maximum: 50']],
    operation: 'listPets',
    ann: listed('limit=80'),
    bob: listed('kind=cat'),
    verdict: 'breaks',
    reason: 'query parameter limit must be at most 50',
    now: 'maximum: 100',
    next: 'maximum: 50',
  },
  {
    change: 'a limit is tighter than the values that were sent so far',
    edits: [['maxLength: 50', 'maxLength: 20']],
    operation: 'createPet',
    ann: created({ name: 'Rex' }),
    bob: listed(''),
    verdict: 'may-break',
    reason: '/name of the body has a tighter limit: maxLength 20, now 50',
    now: 'maxLength: 50',
    next: 'maxLength: 20',
  },
  {
    change: 'a credential is required',
    edits: [['      security: []\n', '']],
    operation: 'getPet',
    ann: { line: 'GET /pets/a', headers: {}, ...pet() },
    bob: { line: 'GET /pets/a', ...pet() },
    verdict: 'breaks',
    reason: 'a credential is required that it does not send',
    now: 'security: []\n      responses',
    next: 'security: [{ key: [] }]',
  },
  {
    change: 'a media type is removed',
    edits: [
      [
        '          application/x-www-form-urlencoded:\n            schema: { $ref: "#/components/schemas/NewPet" }\n',
        '',
      ],
    ],
    operation: 'createPet',
    ann: created(
      {},
      { body: 'name=Rex', headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-key': 'key-of-ann' } },
    ),
    bob: created({ name: 'Rex' }),
    verdict: 'breaks',
    reason: 'application/x-www-form-urlencoded is not supported; this operation accepts application/json',
    now: 'application/x-www-form-urlencoded:',
    next: 'requestBody:',
  },
  {
    change: 'a field of a reply is removed',
    edits: [['        chip: { type: string }\n        status', '        status']],
    operation: 'listPets',
    ann: listed('', {}, { chip: '7' }),
    bob: listed('', {}),
    verdict: 'may-break',
    reason: '/*/chip of the reply 200 is gone',
    now: 'chip: { type: string }\n        status',
    next: 'Pet:\n      type',
  },
  {
    change: 'a field of a reply may be null',
    edits: [
      ['        chip: { type: string }\n        status', '        chip: { type: [string, "null"] }\n        status'],
    ],
    operation: 'getPet',
    ann: { line: 'GET /pets/a', ...pet({ chip: '7' }) },
    bob: { line: 'GET /pets/a', ...pet() },
    verdict: 'may-break',
    reason: '/chip of the reply 200 may be null',
    now: 'type: string }\n        status',
    next: 'type: [string, "null"]',
  },
  {
    change: 'an enum of replies grows',
    edits: [['[sold, free]', '[sold, free, lost]']],
    operation: 'listPets',
    ann: listed('', { status: 'sold' }),
    bob: listed('', {}),
    verdict: 'may-break',
    reason: '/*/status of the reply 200 may be "lost"',
    now: 'enum: [sold, free]',
    next: 'enum: [sold, free, lost]',
  },
  {
    change: 'everything is only added to',
    edits: [
      [
        '        - name: limit',
        '        - { name: page, in: query, schema: { type: integer } }\n        - name: limit',
      ],
      ['[cat, dog, bird]', '[cat, dog, bird, fish]'],
      ['maximum: 100', 'maximum: 200'],
      ['        id: { type: string }\n', '        id: { type: string }\n        age: { type: integer }\n'],
      [
        'components:',
        '  /shops: { get: { operationId: listShops, responses: { "200": { description: ok } } } }\ncomponents:',
      ],
    ],
    operation: 'listPets',
    ann: listed('limit=80', { chip: '7', status: 'sold' }),
    bob: created({ name: 'Rex', kind: 'bird' }),
    verdict: 'safe',
  },
]

/** Loads the gateway file with the contract of now, and the next contract. */
export function plansOf(next: string): { readonly now: Plan; readonly next: Contract } {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  try {
    writeFileSync(join(home, 'gateway.yaml'), GATEWAY)
    writeFileSync(join(home, 'openapi.yaml'), NOW)
    writeFileSync(join(home, 'next.yaml'), next)
    const now = loadPlan('gateway.yaml', home, {})
    const then = loadContract('next.yaml', home)
    const told = [...now.report.list, ...then.report.list].map(one => one.message)
    if (!now.plan || !then.contract || told.length > 0) throw new Error(told.join('\n'))
    return { now: now.plan, next: then.contract }
  } finally {
    rmSync(home, { recursive: true })
  }
}

export const edited = (edits: Pair['edits']): string =>
  edits.reduce((text, [old, replaced]) => {
    if (!text.includes(old)) throw new Error(`no "${old}"`)
    return text.replace(old, replaced)
  }, NOW)

/** Returns a request of a consumer with the reply that it got, as a journal that keeps all of it has them. */
export function keptOf(consumer: string | undefined, { line, ...more }: Sent): KeptExchange {
  const [method = '', path = ''] = line.split(' ')
  return {
    ...{ method, path, query: '', at: 1000, status: 200, body: undefined, replyBody: undefined, consumer },
    headers: {
      ...(consumer === undefined ? {} : { 'x-key': `key-of-${consumer}` }),
      ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    replyHeaders: { 'content-type': 'application/json' },
    ...more,
  }
}

/** The line and the column of a text, which may end with `$` for its last occurrence. */
export function placeIn(document: string, text: string): string {
  const at = text.endsWith('$') ? document.lastIndexOf(text.slice(0, -1)) : document.indexOf(text)
  if (at === -1) throw new Error(`no "${text}"`)
  const before = document.slice(0, at).split('\n')
  return `${before.length}:${(before.at(-1) as string).length + 1}`
}
