// Two APIs as plain code, a blog like RealWorld and train trips like Train Travel, and the traffic of their clients.

import type { Entry } from 'har-format'
import { entryOf, type HarMessage, writeHar } from '../../../src/gateway/journal/har.ts'

export interface Sent {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly body?: unknown
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly body?: unknown
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Api = (sent: Sent, at: number) => Answered | Promise<Answered>

interface Article {
  slug: string
  title: string
  description: string
  body: string
  tagList: string[]
  createdAt: string
  updatedAt: string
  favorited: boolean
  favoritesCount: number
  author: { username: string; bio: string | null; image: string | null; following: boolean }
}

/** The API: articles by slug with comments, profiles, tags and the current user. */
export function blog(): Api {
  const articles: Article[] = []
  const comments: { id: number; article: string; body: string; createdAt: string; author: Article['author'] }[] = []
  const user = {
    email: 'jake@jake.test',
    username: 'jake',
    bio: null as string | null,
    image: null,
    token: 'eyJ.jake.secret',
  }
  const author = () => ({ username: user.username, bio: user.bio, image: null, following: false })
  const missing = (what: string): Answered => ({ status: 404, body: { errors: { [what]: ['not found'] } } })
  let comment = 40
  return ({ method, path, body, token, query = '' }, at) => {
    const now = new Date(at).toISOString()
    const given = body as Record<string, Record<string, string & string[]>> | undefined
    const [, , first, id, sub, subId] = path.split('/')
    const what = `${method} ${first}`
    const isGuarded = method !== 'GET' || first === 'user'
    if (first !== 'users' && isGuarded && token !== `Token ${user.token}`)
      return { status: 401, body: { errors: { token: ['is missing'] } } }
    if (what === 'POST users') return { status: id === 'login' ? 200 : 201, body: { user } }
    if (first === 'user') return { status: 200, body: { user: Object.assign(user, given?.user) } }
    if (first === 'tags') return { status: 200, body: { tags: ['dragons', 'training'] } }
    if (first === 'profiles') return id === 'jake' ? { status: 200, body: { profile: author() } } : missing('profile')
    if (what === 'POST articles' && id === undefined) {
      const { title = '', description = '', body: text = '', tagList = [] as never } = given?.article ?? {}
      const slug = title.toLowerCase().replaceAll(' ', '-')
      const dates = { createdAt: now, updatedAt: now }
      const made = {
        slug,
        title,
        description,
        body: text,
        tagList,
        ...dates,
        favorited: false,
        favoritesCount: 0,
        author: author(),
      }
      articles.push(made)
      return { status: 201, body: { article: made } }
    }
    if (id === undefined) {
      const tag = new URLSearchParams(query).get('tag')
      const all = articles.filter(one => tag === null || one.tagList.includes(tag))
      return { status: 200, body: { articles: all, articlesCount: all.length } }
    }
    if (id === 'feed') return { status: 200, body: { articles: [], articlesCount: 0 } }
    const article = articles.find(one => one.slug === id)
    if (article === undefined) return missing('article')
    if (sub === 'comments') {
      if (method === 'GET')
        return {
          status: 200,
          body: { comments: comments.filter(one => one.article === id).map(({ article: _, ...one }) => one) },
        }
      if (method === 'DELETE') {
        comments.splice(
          comments.findIndex(one => String(one.id) === subId),
          1,
        )
        return { status: 204 }
      }
      const made = { id: ++comment, article: id, createdAt: now, body: given?.comment?.body ?? '', author: author() }
      comments.push(made)
      const { article: _, ...shown } = made
      return { status: 201, body: { comment: shown } }
    }
    if (method === 'PUT') Object.assign(article, given?.article, { updatedAt: now })
    if (method === 'DELETE') {
      articles.splice(articles.indexOf(article), 1)
      return { status: 204 }
    }
    return { status: 200, body: { article } }
  }
}

/** Sends requests to an API, a second apart, and returns what a recorder would have written. */
export async function recorded(
  api: Api,
  requests: readonly Sent[],
  origin = 'https://api.test',
  first = 0,
): Promise<string> {
  const message = (body: unknown, headers: Record<string, string>, type = 'application/json'): HarMessage => ({
    headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    isPartial: false,
  })
  const entries: Entry[] = []
  for (const [i, sent] of requests.entries()) {
    const at = Date.UTC(2026, 0, 2) + 1000 * (first + i)
    const { status, body, type, headers = {} } = await api(sent, at)
    const authorization: Record<string, string> = sent.token === undefined ? {} : { authorization: sent.token }
    const request = message(sent.body, { ...sent.headers, ...authorization })
    const { method, path, query = '' } = sent
    const reply = { ...message(body, headers, type), status }
    entries.push(entryOf({ at, latency: 5 + (i % 7), method, origin, path, query, request, reply }))
  }
  return writeHar(entries, '1.0.0')
}

const token = 'Token eyJ.jake.secret'
const article = (title: string, ...tagList: string[]) => ({
  article: { title, description: `About ${title}`, body: 'You have to believe', tagList },
})

export const BLOG_TRAFFIC: readonly Sent[] = [
  { method: 'GET', path: '/api/user' },
  { method: 'POST', path: '/api/users/login', body: { user: { email: 'jake@jake.test', password: 'jakejake' } } },
  { method: 'GET', path: '/api/user', token },
  { method: 'PUT', path: '/api/user', token, body: { user: { bio: 'I work at statefarm' } } },
  { method: 'GET', path: '/api/user', token },
  { method: 'GET', path: '/api/articles' },
  { method: 'POST', path: '/api/articles', token, body: article('How to train your dragon', 'dragons', 'training') },
  { method: 'POST', path: '/api/articles', token, body: article('How to feed your dragon', 'dragons') },
  { method: 'GET', path: '/api/articles' },
  { method: 'GET', path: '/api/articles/feed', token },
  { method: 'GET', path: '/api/articles/how-to-train-your-dragon' },
  { method: 'GET', path: '/api/articles/how-to-lose-your-dragon' },
  {
    method: 'PUT',
    path: '/api/articles/how-to-train-your-dragon',
    token,
    body: { article: { description: 'Ever wonder?' } },
  },
  { method: 'GET', path: '/api/articles/how-to-train-your-dragon' },
  {
    method: 'POST',
    path: '/api/articles/how-to-train-your-dragon/comments',
    token,
    body: { comment: { body: 'Thank you' } },
  },
  {
    method: 'POST',
    path: '/api/articles/how-to-train-your-dragon/comments',
    token,
    body: { comment: { body: 'Great' } },
  },
  { method: 'GET', path: '/api/articles/how-to-train-your-dragon/comments' },
  { method: 'DELETE', path: '/api/articles/how-to-train-your-dragon/comments/41', token },
  { method: 'GET', path: '/api/articles/how-to-train-your-dragon/comments' },
  { method: 'DELETE', path: '/api/articles/how-to-feed-your-dragon', token },
  { method: 'GET', path: '/api/articles/how-to-feed-your-dragon' },
  { method: 'GET', path: '/api/articles' },
  { method: 'GET', path: '/api/tags' },
  { method: 'GET', path: '/api/profiles/jake' },
  { method: 'GET', path: '/api/profiles/nobody' },
]

const uuid = (n: number): string => `efdbb9d1-02c2-4bc3-afb7-${String(n).padStart(12, '0')}`

/** Stations and trips to read, bookings to make, a payment for each. */
export function trains(): Api {
  const stations = [
    { id: uuid(1), name: 'Berlin Hauptbahnhof', address: 'Invalidenstraße 10557', country_code: 'DE' },
    { id: uuid(2), name: 'Paris Gare du Nord', address: '18 Rue de Dunkerque', country_code: 'FR' },
  ]
  const trips = [
    {
      id: uuid(11),
      origin: uuid(1),
      destination: uuid(2),
      departure_time: '2026-02-01T10:00:00Z',
      price: 50,
      dogs_allowed: true,
    },
    {
      id: uuid(12),
      origin: uuid(1),
      destination: uuid(2),
      departure_time: '2026-02-01T16:00:00Z',
      price: 65.5,
      dogs_allowed: false,
    },
  ]
  const bookings = [{ id: uuid(21), trip_id: uuid(11), passenger_name: 'Jane Doe', has_dog: false }]
  let made = 21
  const problem = (status: number, title: string): Answered => ({
    ...{ status, type: 'application/problem+json', body: { type: 'about:blank', title, status } },
  })
  const page = (data: readonly unknown[], { path, query = '' }: Sent): Answered => ({
    status: 200,
    body: { data, links: { self: `https://api.test${path}${query === '' ? '' : `?${query}`}` } },
  })
  return sent => {
    const { method, path, body, token, query = '' } = sent
    if (token !== 'Bearer trains-secret') return problem(401, 'Unauthorized')
    const [, collection, id, sub] = path.split('/')
    if (collection === 'stations') {
      const country = new URLSearchParams(query).get('country')
      return page(
        stations.filter(one => country === null || one.country_code === country),
        sent,
      )
    }
    if (collection === 'trips') return page(trips, sent)
    if (id === undefined && method === 'GET') return page(bookings, sent)
    if (id === undefined) {
      const booking = { id: uuid(++made), ...(body as Omit<(typeof bookings)[0], 'id'>) }
      bookings.push(booking)
      return { status: 201, body: booking }
    }
    const booking = bookings.find(one => one.id === id)
    if (booking === undefined) return problem(404, 'Not Found')
    if (sub === 'payment') return { status: 200, body: { id: uuid(31), ...(body as object), status: 'succeeded' } }
    if (method === 'GET') return { status: 200, body: booking }
    bookings.splice(bookings.indexOf(booking), 1)
    return { status: 204 }
  }
}

const bearer = 'Bearer trains-secret'
const card = { object: 'card', name: 'Jane Doe', number: '4242424242424242', cvc: '123' }

export const TRAIN_TRAFFIC: readonly Sent[] = [
  { method: 'GET', path: '/stations' },
  { method: 'GET', path: '/stations', token: bearer },
  { method: 'GET', path: '/stations', query: 'country=FR', token: bearer },
  { method: 'GET', path: '/trips', query: `origin=${uuid(1)}&destination=${uuid(2)}`, token: bearer },
  { method: 'GET', path: '/bookings', token: bearer },
  {
    method: 'POST',
    path: '/bookings',
    token: bearer,
    body: { trip_id: uuid(12), passenger_name: 'John Doe', has_dog: true },
  },
  { method: 'GET', path: `/bookings/${uuid(22)}`, token: bearer },
  {
    method: 'POST',
    path: `/bookings/${uuid(22)}/payment`,
    token: bearer,
    body: { amount: 49.99, currency: 'gbp', source: card },
  },
  { method: 'GET', path: '/bookings', token: bearer },
  { method: 'DELETE', path: `/bookings/${uuid(21)}`, token: bearer },
  { method: 'GET', path: `/bookings/${uuid(21)}`, token: bearer },
  { method: 'GET', path: '/bookings', token: bearer },
]

const text = { type: 'string' }
const id = { type: 'string', format: 'uuid' }
const jsonBody = (schema: object) => ({ content: { 'application/json': { schema } } })
const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const listOf = (name: string) => ({
  description: 'A page',
  ...jsonBody({
    allOf: [
      { type: 'object', properties: { data: { type: 'array', items: refer(name) } } },
      {
        type: 'object',
        properties: { links: { type: 'object', properties: { self: { type: 'string', format: 'uri' } } } },
      },
    ],
  }),
})
const failure = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: refer('Problem') } },
})
const bookingId = { name: 'bookingId', in: 'path', required: true, schema: id }
const query = (name: string, required = false) => ({ name, in: 'query', required, schema: text })
const common = { 401: failure('Unauthorized'), 404: failure('Not Found') }

/** The contract of the trips. */
export const TRAIN_CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Trains', version: '1.0.0' },
  servers: [{ url: 'https://api.test' }],
  security: [{ OAuth2: [] }],
  paths: {
    '/stations': {
      get: {
        operationId: 'get-stations',
        parameters: [query('country')],
        responses: { 200: listOf('Station'), ...common },
      },
    },
    '/trips': {
      get: {
        operationId: 'get-trips',
        parameters: [query('origin', true), query('destination', true)],
        responses: { 200: listOf('Trip'), ...common },
      },
    },
    '/bookings': {
      get: { operationId: 'get-bookings', responses: { 200: listOf('Booking'), ...common } },
      post: {
        operationId: 'create-booking',
        requestBody: { required: true, ...jsonBody(refer('Booking')) },
        responses: { 201: { description: 'Made', ...jsonBody(refer('Booking')) }, ...common },
      },
    },
    '/bookings/{bookingId}': {
      parameters: [bookingId],
      get: {
        operationId: 'get-booking',
        responses: { 200: { description: 'One', ...jsonBody(refer('Booking')) }, ...common },
      },
      delete: { operationId: 'delete-booking', responses: { 204: { description: 'Gone' }, ...common } },
    },
    '/bookings/{bookingId}/payment': {
      parameters: [bookingId],
      post: {
        operationId: 'create-booking-payment',
        requestBody: { required: true, ...jsonBody(refer('Payment')) },
        responses: { 200: { description: 'Paid', ...jsonBody(refer('Payment')) }, ...common },
      },
    },
  },
  components: {
    securitySchemes: {
      OAuth2: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://api.test/token', scopes: {} } } },
    },
    schemas: {
      Station: {
        type: 'object',
        required: ['id', 'name'],
        properties: { id, name: text, address: text, country_code: text },
      },
      Trip: {
        type: 'object',
        properties: {
          ...{ id, origin: id, destination: id, departure_time: { type: 'string', format: 'date-time' } },
          ...{ price: { type: 'number' }, dogs_allowed: { type: 'boolean' } },
        },
      },
      Booking: {
        type: 'object',
        properties: {
          id: { ...id, readOnly: true },
          ...{ trip_id: id, passenger_name: text, has_dog: { type: 'boolean' } },
        },
      },
      Payment: {
        type: 'object',
        properties: {
          id: { ...id, readOnly: true },
          ...{ amount: { type: 'number' }, currency: { type: 'string', enum: ['gbp', 'eur'] } },
          source: { type: 'object', properties: { object: text, name: text, number: text, cvc: text } },
          status: { type: 'string', enum: ['pending', 'succeeded'], readOnly: true },
        },
      },
      Problem: { type: 'object', properties: { type: text, title: text, status: { type: 'integer' } } },
    },
  },
}
