// Injects faults with configured probabilities: a status, or a fault on the wire. The first fault that is drawn wins.

import { responseFor } from '../../contract/contract.ts'
import { requiredFields } from '../../contract/security.ts'
import type { Path } from '../../kernel/file/source.ts'
import { NO_HEADERS, problemOf, type Reply, refuse, retryAfter, type Wire } from '../../kernel/http.ts'
import { parseByteRate, parseDuration, parseSize } from '../../kernel/units.ts'
import {
  type Behaviour,
  type ConfigOf,
  type Exchange,
  type Handler,
  type SettingOf,
  type Site,
  setting,
} from '../behaviour.ts'
import { ITEM_KINDS, STREAM_KINDS, type StreamFaultKind, spoilStream } from './stream-faults.ts'

const KINDS = ['status', 'reset', 'close', 'truncate', 'garbage', 'drip', 'hang', ...STREAM_KINDS] as const
type FaultKind = (typeof KINDS)[number]

/** The kinds beside which keys are allowed. */
const COMPANIONS: Readonly<Record<string, readonly FaultKind[]>> = {
  status: ['status'],
  retryAfter: ['status'],
  keep: ['truncate'],
  rate: ['drip'],
  for: ['hang'],
  items: ['cut', 'stall'],
  inside: ['cut', 'stall'],
}
const schema = setting.block(
  'Faults to inject, with `probability` or `every`, or else into each request. In a list, the first that is drawn wins.',
  {
    kind: setting.choice(
      KINDS,
      'An error `status`, a TCP `reset`, `close` without a reply, a cut-off body (`truncate`), `garbage` instead of HTTP, a slow body (`drip`), or no reply for a long time (`hang`). Of a stream: it is `cut` or stops (`stall`) after some items, or items are `malformed`, sent twice (`duplicate`) or behind the next (`reorder`).',
    ),
    probability: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description:
        'The share of requests that fail, from 0 to 1, or in percent: `5%`. Of `malformed`, `duplicate` and `reorder` that of the items.',
    } as SettingOf<number>,
    every: setting.integer('Fails every N-th request of the operation.', 1),
    after: setting.flag(
      'Whether the operation is executed before it fails: its effect stays, its reply is lost. Default: false.',
    ),
    status: setting.integer('With `status`: the status, from 400 to 599.', 400, 599),
    retryAfter: setting.duration('With `status`: the `Retry-After` header.'),
    keep: setting.size('With `truncate`: the part of the body that is sent. Default: half.'),
    rate: setting.text('With `drip`: the speed. Default: 64B/s.', { format: 'byte rate' }),
    for: setting.duration('With `hang`: the time before the connection is closed. Default: 30s.'),
    items: setting.integer('With `cut` or `stall`: how many items of the connection are sent. Default: 1.', 0),
    inside: setting.flag('With `cut` or `stall`: whether half of the next item is sent, too. Default: false.'),
  },
  { required: ['kind'] },
)
const { description: _, ...item } = schema
export interface FaultSpec extends ConfigOf<typeof schema> {}

export const fault: Behaviour<FaultSpec | readonly FaultSpec[]> = {
  name: 'fault',
  weather: true,
  schema: { ...schema, type: ['object', 'array'], minItems: 1, items: item },
  compile(config, site) {
    if (config === undefined) return undefined
    const faults =
      'kind' in config
        ? [compileFault(config, 'fault', site, [])]
        : config.map((one, i) => compileFault(one, `fault ${i + 1}`, site, [i]))
    return next => exchange => faults.find(one => one.strikes(exchange))?.fail(exchange, next) ?? next(exchange)
  },
  describe: config =>
    config &&
    ('kind' in config ? [config] : config)
      .map(({ kind, status, probability, every }) => {
        const often = every !== undefined ? ` every ${every}` : probability !== undefined ? ` ${probability}` : ''
        return `${status ?? kind}${often}`
      })
      .join(', '),
}

function compileFault(config: FaultSpec, purpose: string, site: Site, path: Path) {
  const { kind, probability, every, after } = config
  if (probability !== undefined && every !== undefined) {
    site.error('ambiguous-chance', '"probability" and "every" exclude each other', [...path, 'every'], undefined, 'key')
  }
  for (const [key, owners] of Object.entries(COMPANIONS)) {
    if (owners.includes(kind) || config[key as keyof FaultSpec] === undefined) continue
    const message = `"${key}" has no effect beside the kind "${kind}"`
    site.error('idle-key', message, [...path, key], `use it with kind: ${owners.join(' or ')}`, 'key')
  }
  const ofStream = isOfStream(kind) ? { ...config, kind } : undefined
  const spoil = ofStream === undefined ? SPOILERS[kind as WholeKind](config, site, path) : undefined
  const works = after || ofStream !== undefined || kind === 'truncate' || kind === 'drip'
  const isOfItems = ITEM_KINDS.some(name => name === kind)
  return {
    strikes: (exchange: Exchange): boolean =>
      every !== undefined
        ? exchange.ordinal % every === 0
        : probability === undefined || isOfItems || exchange.draw(purpose) < probability,
    async fail(exchange: Exchange, next: Handler): Promise<Reply> {
      exchange.fault = kind
      exchange.note(`${purpose}: ${config.status ?? kind}${works ? ', after the work' : ''}`)
      const reply = works ? await next(exchange) : NO_REPLY
      // Waits here, by the world's clock, so that HTTP need not know of it.
      if (kind === 'hang') await exchange.wait(parseDuration(config.for ?? '30s') as number)
      if (ofStream === undefined) return (spoil as Spoil)(reply)
      const { stream } = reply
      return stream === undefined ? reply : { ...reply, stream: spoilStream(stream, ofStream, exchange, purpose) }
    },
  }
}

/** A reply that never reaches the client has no status. */
const NO_REPLY: Reply = Object.freeze({ status: 0, headers: NO_HEADERS, body: undefined })

/** Makes the reply that the client gets out of the one that there would have been. */
type Spoil = (reply: Reply) => Reply

const on =
  (wire: Wire): Spoil =>
  reply => ({ ...reply, wire })

const instead =
  (wire: Wire): Spoil =>
  () => ({ ...NO_REPLY, wire })

type WholeKind = Exclude<FaultKind, StreamFaultKind>
const isOfStream = (kind: FaultKind): kind is StreamFaultKind => STREAM_KINDS.some(name => name === kind)

const SPOILERS: Readonly<Record<WholeKind, (config: FaultSpec, site: Site, path: Path) => Spoil>> = {
  status: (...all) => {
    const refusal = compileStatus(...all)
    return () => refusal
  },
  reset: () => instead({ kind: 'reset' }),
  close: () => instead({ kind: 'close' }),
  garbage: () => instead({ kind: 'garbage' }),
  hang: () => instead({ kind: 'close' }),
  truncate: ({ keep }) => on({ kind: 'truncate', ...(keep && { keep: parseSize(keep) as number }) }),
  drip: ({ rate = '64B/s' }) => on({ kind: 'drip', rate: parseByteRate(rate) as number }),
}

/** Any server may answer 429 or 5xx; other statuses must be documented in the contract. */
function compileStatus(
  { status, retryAfter: wait }: FaultSpec,
  { contract, operation, error }: Site,
  path: Path,
): Reply {
  if (status === undefined) {
    error('missing-key', '"status" is missing here', path, 'write, for instance, status: 503', 'key')
    return NO_REPLY
  }
  if (status < 500 && status !== 429 && responseFor(operation, status) === undefined) {
    const hint = `documented: ${[...operation.responses.keys()].join(', ') || 'nothing'}`
    error('undocumented-status', `the operation ${operation.id} does not document ${status}`, [...path, 'status'], hint)
  }
  const headers = wait === undefined ? NO_HEADERS : retryAfter(parseDuration(wait) as number)
  return refuse(problemOf(status), INJECTED, { ...requiredFields(status, operation, contract), ...headers }, status)
}

const INJECTED = 'this fault was injected by the configuration'

/** Returns whether a configured fault made a refusal. */
export const isInjected = ({ refusal }: Reply): boolean => refusal?.detail === INJECTED
