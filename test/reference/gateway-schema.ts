// Makes the JSON Schema of gateway.yaml: standard keywords only, accepted by strict validators, with shared parts defined once.

import { RESPONDERS } from '../../src/behaviours/respond/index.ts'
import type { Json } from '../../src/kernel/json.ts'
import { Schemas, TYPE_OF } from '../../src/kernel/schema/schema.ts'
import { FORMATS } from '../../src/plan/formats.ts'
import { houseWith } from '../../src/plan/house.ts'
import { mapParts, type PublishedSchema } from '../../src/plan/published-schema.ts'
import { simulationSchemaOf } from '../../src/plan/simulation-schema.ts'
import { WINGS } from '../../src/wings.ts'

/** The schemas of the short forms of gateway.yaml: see `expandShortForms`. */
const SHORT: Readonly<Record<string, PublishedSchema>> = {
  latency: { type: 'string', format: 'duration' },
  rateLimit: { type: 'string', format: 'rate' },
}

const DURATION = FORMATS.duration.above.pattern
const SIZE = '\\d+(?:\\.\\d+)? ?(?:B|[kKMG]B|[KM]iB)'
const DATE =
  '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[Tt]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:[Zz]|[+-]\\d\\d:\\d\\d))?'

/** The formats of gateway.yaml as patterns, for validators that do not know them. */
export const PATTERNS: Readonly<Record<keyof typeof FORMATS, string>> = {
  'date or time': DATE,
  'date, or time before the sunset': `${DURATION} before sunset|${DATE}`,
  duration: DURATION,
  rate: FORMATS.rate.above.pattern,
  'byte rate': `${SIZE}/s`,
  'duration or "always"': `always|${DURATION}`,
  'block or "off"': 'off',
  origin: '\\*|null|[a-z][a-z0-9+.-]*://[^\\s/?#@,]+',
  path: '/[^\\s?#]*',
  size: SIZE,
}

/** Any text may be an environment variable. */
const PLACEHOLDER = '\\$\\{[A-Za-z_]\\w*(?::-[^}]*)?\\}'

/** Examples for keys, by the end of their path. */
const EXAMPLES: Readonly<Record<string, readonly Json[]>> = {
  contract: ['./openapi.yaml', ['./openapi.yaml', './fixes.overlay.yaml']],
  next: ['./openapi-next.yaml'],
  seed: [42],
  host: ['127.0.0.1', '0.0.0.0'],
  controlHost: ['127.0.0.1'],
  'worlds.default': ['staging'],
  'state.file': ['./understudy.state'],
  'upstream.url': ['https://staging.example.com/v1', '${STAGING_URL}'],
  'upstream.tls.ca': ['./ca.pem'],
  'upstream.tls.key': ['./client-key.pem'],
  'upstream.tls.cert': ['./client-cert.pem'],
  'named.*': [{ contract: './openapi-next.yaml' }],
  'named.*.contract': ['./openapi-next.yaml'],
  'named.*.clock.now': ['2030-12-06', '+30d'],
  'named.*.clock.shift': ['30d'],
  'named.*.weather': ['storm'],
  'named.*.seeds': [{ books: './books-next.yaml' }],
  'seeds.*': ['./books-next.yaml'],
  'consumers.*': [{ apiKey: '${DEMO_KEY:-demo-key}' }],
  'consumers.*.scopes': [['read', 'write']],
  'issuers.*.path': ['/login'],
  'issuers.*.url': ['https://login.example.com'],
  'issuers.*.audience': ['https://api.example.com'],
  'issuers.*.key': ['./key.pem'],
  'issuers.*.jwks': ['./corp-jwks.json'],
  'client.id': ['shop'],
  'client.secret': ['${SHOP_SECRET:-shop-secret}'],
  'user.password': ['${ADA_PASSWORD:-ada-password}'],
  'consumers.*.*': ['${DEMO_KEY:-demo-key}'],
  'respond.filter.all': ['all'],
  'stream.count': [40],
  'stream.file': ['./chunks.jsonl'],
  'also.update': ['orders'],
  'also.create': ['receipts'],
  'also.delete': ['carts'],
  'respond.item': [{ customer: '${record.value}' }],
  'on.create': ['orders'],
  'on.update': ['orders'],
  'on.delete': ['orders'],
  'on.operation': ['createOrder'],
  'on.rule': ['operations/createOrder/rules/0'],
  'on.when': ['after.status == "paid" && before.status != "paid"'],
  'webhooks.*.to': ['http://localhost:3000/hooks', 'subscriptions'],
  'webhooks.*.schema': ['OrderPaid'],
  'errors.body': [{ code: '${problem.code}', message: '${problem.detail}' }],
  'errors.codes': [{ not_found: 'NOT_FOUND' }],
  'resources.*': [{ schema: 'Book', seed: './books.yaml' }],
  'resources.*.schema': ['Book'],
  'resources.*.seed': ['./books.yaml', [{ id: 1, title: 'Emma' }]],
  'resources.*.references': [{ authorId: 'authors' }],
  'states.field': ['status'],
  'resources.*.defaults': [{ genre: 'novel' }],
  'deprecation.successor': ['/books?genre={genre}'],
  'deprecation.policy': ['https://example.com/deprecations'],
  'authenticate.realm': ['books'],
  'capacity.concurrency': [8],
  'rateLimit.burst': [20],
  'fault.probability': [0.05, '5%'],
  'shadow.share': [0.1, '10%'],
  'fault.every': [10],
  'fault.status': [503],
  'respond.filter': [['genre'], [{ parameter: 'from', field: 'createdAt', is: 'at-least' }]],
  'filter.parameter': ['from'],
  'filter.field': ['createdAt'],
  ...Object.fromEntries(
    RESPONDERS.flatMap(({ kind, records }) => (records === undefined ? [] : [[`respond.${kind}`, ['books']]])),
  ),
  ...Object.fromEntries(['limit', 'offset'].map(key => [`respond.${key}`, [key]])),
  'respond.page': ['page', { parameter: 'page', size: 10 }],
  'respond.page.parameter': ['page'],
  'respond.page.size': [20],
  'respond.expand': [['expand']],
  'respond.search': ['q'],
  'respond.cursor': ['after'],
  'respond.sort': ['sort', { parameter: 'sort', unknownFields: 'ignore' }],
  'sort.parameter': ['sort'],
  'respond.sort.order': ['order'],
  'respond.sort.default': ['-createdAt'],
  'respond.status': [200, 501],
  'respond.example': ['sold-out'],
  'respond.file': ['./replies/book.json'],
  'rules.times': [2],
  'rules.enter': [{ order: 'paid' }],
  'seed.generate': [1000],
  'seeds.*.generate': [1000],
  'references.*.to': ['authors'],
  'respond.headers': [{ 'cache-control': 'max-age=60' }],
  'respond.body': [{ status: 'ok' }, { data: '${page.items}', total: '${page.total}' }],
  'within.parameter': ['shelfId'],
  'within.field': ['shelfId'],
  'within.resource': ['shelves'],
}

const examplesOf = (path: readonly string[]): readonly Json[] | undefined => {
  for (let i = 0; i < path.length; i++) {
    const found = EXAMPLES[path.slice(i).join('.')]
    if (found !== undefined) return found
  }
  return undefined
}

/** Adds the short form of a behaviour. */
function withShortForm(shape: PublishedSchema, path: readonly string[]): PublishedSchema {
  const name = path.at(-1) as string
  const short = SHORT[name]
  if (name === 'probability' || name === 'share') {
    const { description, ...number } = shape
    return { description, anyOf: [number, { type: 'string', pattern: `^(?:\\d+(?:\\.\\d+)? ?%|${PLACEHOLDER})$` }] }
  }
  if (short === undefined || !('properties' in shape)) return shape
  const { description, ...long } = shape
  return { description, anyOf: [...((splitTypes(long).anyOf as PublishedSchema[]) ?? [long]), standard({ ...short })] }
}

/**
 * Replaces a non-standard format by a pattern with examples, since strict validators know the standard formats only. A
 * variable of the environment may stand for any text.
 */
function standard(shape: PublishedSchema): PublishedSchema {
  const { format, ...rest } = shape
  if (typeof shape.pattern === 'string' && !shape.pattern.includes(PLACEHOLDER)) {
    return { ...shape, pattern: `(?:${shape.pattern})|${PLACEHOLDER}` }
  }
  const name = format as keyof typeof FORMATS
  if (!Object.hasOwn(FORMATS, name)) return shape
  const examples = FORMATS[name].like.split(/, | or /).map(text => text.replaceAll('"', ''))
  return { ...rest, pattern: `^(?:${PATTERNS[name]}|.*${PLACEHOLDER}.*)$`, examples }
}

/** Splits a value of several types into schemas with one type each; null may be combined with one other type. */
function splitTypes(shape: PublishedSchema): PublishedSchema {
  const { type, description, examples, ...rest } = shape
  const types = Array.isArray(type) ? (type as string[]) : []
  const several = types.filter(one => one !== 'null')
  if (several.length < 2) return shape
  const owned = (one: string) =>
    Object.fromEntries(
      Object.entries(rest).filter(([keyword]) => {
        const type = TYPE_OF.get(keyword)
        return type === undefined || type === (one === 'integer' ? 'number' : one)
      }),
    )
  return { description, examples, anyOf: types.map(one => ({ type: one, ...owned(one) })) }
}

const SCHEMAS = new Schemas()

/** Adds `default`, as the description says it, and `examples`. */
function annotate(shape: PublishedSchema, path: readonly string[]): PublishedSchema {
  const text = /Default: (.*?)\.?$/s.exec(String(shape.description ?? ''))?.[1]
  const fallback = text === undefined ? undefined : literalOf(text)
  const examples = examplesOf(path) ?? shape.examples
  const check = fallback === undefined ? undefined : SCHEMAS.compile(shape)
  return {
    ...shape,
    ...(fallback !== undefined && check?.(fallback) === undefined ? { default: fallback } : {}),
    examples,
  }
}

/** Returns the value of a default in a description; `undefined` for prose. */
function literalOf(text: string): Json | undefined {
  const bare = text.replaceAll('`', '')
  try {
    return JSON.parse(bare.replace(/(?<=[[,]\s*)[A-Za-z]\w*(?=\s*[\],])/g, '"$&"')) as Json
  } catch {
    return /\s/.test(bare) ? undefined : bare
  }
}

/** The schema of every gateway.yaml. */
export const gatewaySchema = (): PublishedSchema =>
  mapParts(simulationSchemaOf(houseWith(WINGS)) as PublishedSchema, (part, path) =>
    annotate(splitTypes(standard(withShortForm(part, path))), path),
  )
