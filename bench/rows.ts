// The measured requests to the pet store, and the maximum cost of each relative to a bare server.

import type { Shot } from './drive.ts'

export interface Row {
  readonly name: string
  /** The maximum processor time per request, as a multiple of a bare node:http server. */
  readonly target: number
  readonly shots: readonly Shot[]
  /** The expected reply to every shot. */
  readonly status: number
}

const authorization = 'Bearer demo-key'
const get = (path: string): Shot => ({ method: 'GET', path: `/v1${path}`, headers: { authorization } })
const post = (path: string, body: unknown): Shot => ({
  method: 'POST',
  path: `/v1${path}`,
  headers: { authorization, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

export const list = get('/pets?limit=20')
export const create = post('/pets', { name: 'Rex', categoryId: 1, status: 'pending' })
export const filtered = get('/pets?status=sold&limit=20')

/** The rows of the shipped configuration. */
export const rows: readonly Row[] = [
  { name: 'listPets, 20 of 50', target: 1.4, shots: [list], status: 200 },
  { name: 'getPet', target: 1.4, shots: [get('/pets/7')], status: 200 },
  { name: 'createPet, valid', target: 2, shots: [create], status: 201 },
  // The query tells the bare servers which reply to send. Understudy ignores it.
  { name: 'createPet, invalid', target: 2.5, shots: [post('/pets?invalid', { categoryId: 'one' })], status: 400 },
  { name: '401 without a key', target: 1.4, shots: [{ method: 'GET', path: '/v1/pets' }], status: 401 },
  { name: '404 unknown path', target: 1.4, shots: [get('/nothing')], status: 404 },
]

const varied = ['available', 'pending', 'sold'].flatMap(status =>
  Array.from({ length: 100 }, (_, i) => get(`/pets?status=${status}&limit=${i + 1}`)),
)

/** Every combination of `status` and `limit`, with a write after each hundred; on a thousand pets. */
export const variedRow: Row = {
  name: 'listPets, 300 combinations, writes 1:100',
  target: 1.6,
  shots: varied.flatMap((shot, i) => (i % 100 === 99 ? [shot, create] : [shot])),
  status: 200,
}

/** With rules and templates: see `generateRules`. */
export const ruledRows: readonly Row[] = [
  { name: 'listPets, a rule on a header that holds', target: 1.6, shots: [withPlan(list)], status: 200 },
  { name: 'listPets, a rule on a header that is missing', target: 1.8, shots: [list], status: 200 },
  { name: 'createPet, a rule on the body', target: 2.6, shots: [create], status: 201 },
  { name: 'getPet, a template', target: 2.2, shots: [get('/pets/7')], status: 200 },
]

/** With a state in a file: see `generateLasting`. 1.25 × the bound of the same row in memory. */
export const lastingRows: readonly Row[] = [
  { name: 'listPets, state in a file', target: 1.75, shots: [list], status: 200 },
  { name: 'createPet, state in a file', target: 2.5, shots: [create], status: 201 },
]

function withPlan(shot: Shot): Shot {
  return { ...shot, headers: { ...shot.headers, 'x-plan': 'free' } }
}

/** A mix of requests for the soak. */
export const mixed: readonly Shot[] = [
  list,
  filtered,
  get('/pets/7'),
  get('/pets?status=available'),
  get('/pets/999999999'),
  create,
  post('/pets?invalid', { categoryId: 'one' }),
  { method: 'GET', path: '/v1/pets' },
  get('/nothing'),
  list,
]
