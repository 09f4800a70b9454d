// The life-cycle of a deprecated operation: headers on every reply, brown-outs, and 410 after the sunset.

import { compileTexts, splitQuery } from '../contract/document/parameters.ts'
import { expressionsOf } from '../contract/paths.ts'
import { deprecatedFields } from '../contract/schema/field.ts'
import { reportPlaceholders } from '../expression/template.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { type Headers, problems, type Reply, refuse, retryAfter, withHeaders } from '../kernel/http.ts'
import { parseDuration } from '../kernel/units.ts'
import { httpDate, isoDate, parseDate } from '../world/dates.ts'
import {
  type Behaviour,
  type Brownouts,
  type ConfigOf,
  type Exchange,
  type Lifecycle,
  type Site,
  setting,
} from './behaviour.ts'

const schema = setting.block(
  'When the operation was deprecated, when it is removed, and its successor.',
  {
    since: setting.text('The date of the deprecation, sent as `Deprecation` (RFC 9745). No header is sent before it.', {
      format: 'date or time',
    }),
    sunset: setting.text('The date of the removal, sent as `Sunset` (RFC 8594).', { format: 'date or time' }),
    successor: setting.text(
      'The successor: a path of this API or a URL, sent as `Link` with rel="successor-version". `{name}` is filled in from the path; other variables in the query are sent as `Link-Template` (RFC 9652).',
    ),
    policy: setting.text(
      'The URL of a page about the deprecation, sent as `Link` with rel="deprecation" and rel="sunset".',
      { format: 'uri' },
    ),
    afterSunset: setting.choice(
      ['gone', 'not-found', 'serve'],
      'The reply after the sunset: 410 (`gone`), 404 (`not-found`), or the usual one (`serve`). Default: gone.',
    ),
    brownouts: setting.block(
      'Scheduled outages before the sunset.',
      {
        starts: setting.text('The start of the first one: a date, or a time before the sunset.', {
          format: 'date, or time before the sunset',
        }),
        every: setting.duration('The time from the start of one to the start of the next.'),
        for: setting.duration('The length of each; with `growing`, of the first.'),
        growing: setting.flag(
          'Whether each is longer by a constant factor, so that the last one ends at the sunset. Default: false.',
        ),
        answer: setting.choice(
          [503, 410],
          'The status of replies during a brown-out, with `Retry-After`. Default: 503.',
        ),
      },
      { required: ['starts', 'every', 'for'] },
    ),
  },
  { required: ['since'] },
)
type DeprecationConfig = ConfigOf<typeof schema>

export const deprecation: Behaviour<DeprecationConfig> = {
  name: 'deprecation',
  decorates: true,
  schema,
  compile(config, site) {
    if (config === undefined) return undefined
    const { identify, operation } = site
    const lifecycle = lifecycleOf(config)
    const { since, sunset = Number.POSITIVE_INFINITY, afterSunset, brownouts } = lifecycle
    if (sunset <= since) {
      const message = `the sunset (${config.sunset}) must be after the deprecation (${config.since})`
      site.error('sunset-before-deprecation', message, ['sunset'])
    }
    checkBrownouts(config, lifecycle, site)
    const headersOf = compileHeaders(config, lifecycle, site)
    const what = `${operation.method} ${operation.path}`
    const removed = `removed on ${httpDate(sunset)}${config.successor === undefined ? '' : `; use ${config.successor} instead`}`
    const over = {
      gone: refuse(problems.gone, `${what} was ${removed}`),
      'not-found': refuse(problems.not_found, `there is no ${what}`),
      serve: undefined,
    }[afterSunset]
    const refusalAt = (now: number): Reply | undefined => {
      if (now >= sunset) return over
      const rest = brownouts && restAt(brownouts, now)
      if (rest === undefined) return undefined
      const detail = `${what} is deprecated and in a brown-out until ${httpDate(rest.end)}; it is ${removed}`
      return refuse(problems.brown_out, detail, retryAfter(rest.end - now), brownouts?.answer)
    }
    return next => async exchange => {
      const now = exchange.clock.now()
      if (now < since) return next(exchange)
      const refusal = refusalAt(now)
      if (refusal !== undefined) {
        // Refused requests do not reach authentication, but the API's owner wants to know who still calls, be it by an expired key.
        const caller = identify(exchange.request, Number.NEGATIVE_INFINITY, exchange.world)
        exchange.consumer = typeof caller === 'string' ? undefined : caller.name
      }
      return withHeaders(refusal ?? (await next(exchange)), headersOf(exchange))
    }
  },
  lifecycle: config => config && lifecycleOf(config),
  describe(config) {
    if (config === undefined) return undefined
    const { since, sunset, brownouts } = lifecycleOf(config)
    if (sunset === undefined) return `since ${isoDate(since)}`
    const rests = brownouts === undefined ? '' : `, brown-outs from ${isoDate(brownouts.starts)}`
    return `${isoDate(since)} → ${isoDate(sunset)}${rests}`
  },
}

function lifecycleOf({ since, sunset, afterSunset = 'gone', brownouts }: DeprecationConfig): Lifecycle {
  const lifecycle = { since: parseDate(since) as number, sunset: undefined, afterSunset, brownouts: undefined }
  if (sunset === undefined) return lifecycle
  const ends = parseDate(sunset) as number
  return {
    ...lifecycle,
    sunset: ends,
    brownouts: brownouts && {
      starts: parseStart(brownouts.starts, ends) as number,
      ends,
      every: parseDuration(brownouts.every) as number,
      for: parseDuration(brownouts.for) as number,
      growing: brownouts.growing ?? false,
      answer: brownouts.answer ?? 503,
    },
  }
}

const SHORTEST = 1000

function checkBrownouts({ brownouts: config }: DeprecationConfig, { since, brownouts }: Lifecycle, site: Site): void {
  if (config === undefined) return
  if (brownouts === undefined) {
    site.error('no-sunset', 'brown-outs need a sunset', ['brownouts'], 'add sunset:', 'key')
    return
  }
  const { starts, ends, every, for: length } = brownouts
  const error = (code: string, message: string, key: 'starts' | 'for') => site.error(code, message, ['brownouts', key])
  if (starts >= ends) error('brownouts-after-sunset', 'the first brown-out must begin before the sunset', 'starts')
  if (starts < since) {
    error('brownouts-before-deprecation', 'the first brown-out must not begin before the deprecation', 'starts')
  }
  if (length < SHORTEST) error('brownout-too-short', 'a brown-out must last at least 1s', 'for')
  if (length >= every) {
    const message = `a brown-out of ${config.for} every ${config.every} leaves no time between them`
    error('brownout-too-long', message, 'for')
  }
}

// The headers of a deprecated operation's replies: RFC 9745, RFC 8594, RFC 8288, RFC 9652.

/** Makes them once per base path, unless the successor's address depends on the record in the path. */
function compileHeaders(
  { policy, successor }: DeprecationConfig,
  { since, sunset }: Lifecycle,
  { operation, contract, error }: Site,
): (exchange: Exchange) => Headers {
  const fixed: Record<string, string> = { deprecation: `@${Math.floor(since / 1000)}` }
  if (sunset !== undefined) fixed.sunset = httpDate(sunset)
  reportPlaceholders({ policy, successor }, 'write a variable of the path as {name}, in "successor"', error)
  const about = policy === undefined ? [] : [`<${policy}>; rel="deprecation"`, `<${policy}>; rel="sunset"`]
  if (successor === undefined) {
    const headers = about.length === 0 ? fixed : { ...fixed, link: about.join(', ') }
    return () => headers
  }
  const names = expressionsOf(operation.path)
  const [path = '', query = ''] = successor.split('?', 2)
  for (const name of expressionsOf(path)) {
    if (names.includes(name)) continue
    const message = `the path ${operation.path} has no {${name}} to fill in`
    error('unknown-variable', message, ['successor'], suggest(name, names))
  }
  const pairs = query.split('&').filter(pair => pair !== '')
  const known = (text: string) => expressionsOf(text).every(name => names.includes(name))
  const target = [path, pairs.filter(known).join('&')].filter(part => part !== '').join('?')
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(successor)
  const build = (basePath: string, fill = (text: string) => text): Headers => {
    const prefix = absolute ? '' : basePath
    const links = [`<${fill(prefix + target)}>; rel="successor-version"`, ...about]
    const headers: Record<string, string> = { ...fixed, link: links.join(', ') }
    if (!pairs.every(known)) headers['link-template'] = `"${fill(prefix + successor)}"; rel="successor-version"`
    return headers
  }
  if (!names.some(name => successor.includes(`{${name}}`))) {
    const byBase = new Map(contract.basePaths.map(base => [base, build(base)] as const))
    return ({ basePath }) => byBase.get(basePath) ?? build(basePath)
  }
  return ({ basePath, segments }) =>
    build(basePath, text =>
      text.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
        const at = names.indexOf(name)
        return at === -1 ? whole : encodeURIComponent(segments[at] ?? '')
      }),
    )
}

// The phase of a life-cycle and its next change, by its dates. Independent of requests.

/** The start, and the end (exclusive). */
interface Rest {
  readonly start: number
  readonly end: number
}

export type Phase = 'active' | 'deprecated' | 'browning out' | 'gone' | 'past its sunset'

export function phaseAt({ since, sunset, afterSunset, brownouts }: Lifecycle, time: number): Phase {
  if (time < since) return 'active'
  if (sunset !== undefined && time >= sunset) return afterSunset === 'serve' ? 'past its sunset' : 'gone'
  return brownouts !== undefined && time >= brownouts.starts ? 'browning out' : 'deprecated'
}

/** Returns the brown-out at a moment. */
export function restAt(brownouts: Brownouts, time: number): Rest | undefined {
  const { starts, ends, every } = brownouts
  if (time < starts || time >= ends) return undefined
  const rest = restOf(brownouts, Math.floor((time - starts) / every))
  return time < rest.end ? rest : undefined
}

/** Returns the brown-outs that end after a moment, in order. */
export function* restsFrom(brownouts: Brownouts, time: number): Iterable<Rest> {
  const { starts, ends, every } = brownouts
  for (let n = Math.max(0, Math.floor((time - starts) / every)); starts + n * every < ends; n++) {
    const rest = restOf(brownouts, n)
    if (rest.end > time) yield rest
  }
}

/** Returns the number of brown-outs that end after a moment, in constant time. */
export function countRests(brownouts: Brownouts, time: number): number {
  const { starts, ends, every } = brownouts
  const all = Math.ceil((ends - starts) / every)
  if (time < starts) return all
  const begun = Math.min(all, Math.floor((time - starts) / every) + 1)
  return all - begun + (restAt(brownouts, time) === undefined ? 0 : 1)
}

/**
 * Returns the n-th brown-out. With growth, each is longer than the previous one by the same factor, from `for` at the start
 * to `every` at the sunset, where no pause is left.
 */
function restOf({ starts, ends, every, for: length, growing }: Brownouts, n: number): Rest {
  const start = starts + n * every
  const grown = growing ? length * (every / length) ** ((n * every) / (ends - starts)) : length
  const whole = Math.round(grown / 1000) * 1000 || grown
  return { start, end: Math.min(ends, start + whole) }
}

/** `30d before sunset`, a date or a timestamp, in milliseconds since the epoch; `undefined` for anything else. */
export function parseStart(text: string, sunset: number): number | undefined {
  const before = /^(.+) before sunset$/.exec(text)?.[1]
  if (before === undefined) return parseDate(text)
  const duration = parseDuration(before)
  return duration === undefined ? undefined : sunset - duration
}

/** Adds the stability of an operation to every reply, if the contract has `x-stability`. */
export const stability: Behaviour<boolean> = {
  name: 'stability',
  decorates: true,
  schema: setting.flag('Whether replies carry the `x-stability` of their operation as `X-Stability`. Default: true.'),
  compile(config, { operation }) {
    if (operation.stability === undefined || config === false) return undefined
    const headers = { 'x-stability': operation.stability }
    const mark = (reply: Reply): Reply => withHeaders(reply, headers)
    return next => exchange => next(exchange).then(mark)
  },
  describe: (_, { operation }) => operation.stability,
}

const inputsSchema = setting.block(
  'Counts, by consumer, the use of parameters and body fields that the contract marks `deprecated`; null counts nothing.',
  { warn: setting.flag('Whether replies to requests that use one carry an `Understudy-Warning`. Default: false.') },
)

/** Parameters and fields that the contract deprecates: records who still sends them, and warns clients if configured. */
export const deprecatedInputs: Behaviour<ConfigOf<typeof inputsSchema>> = {
  name: 'deprecatedInputs',
  schema: inputsSchema,
  compile(config, { operation }) {
    const media = [...(operation.body?.content.values() ?? [])]
    const fields = media.flatMap(({ schema }) => (schema === undefined ? [] : deprecatedFields(schema)))
    // By their names in metrics and warnings.
    const byLabel = new Map<string, (exchange: Exchange, query: ReturnType<typeof splitQuery>) => boolean>()
    for (const one of operation.parameters.filter(({ deprecated }) => deprecated)) {
      const textsOf = compileTexts(one, operation.path)
      byLabel.set(`${one.in} ${one.name}`, (...of) => (textsOf(...of)?.length ?? 0) > 0)
    }
    for (const { label, isIn } of fields) byLabel.set(`body ${label}`, ({ body }) => isIn(body))
    if (byLabel.size === 0) return undefined
    const inputs = [...byLabel]
    const warn = config?.warn === true
    return next => async exchange => {
      const reply = await next(exchange)
      // The body has been read now. Inputs of requests that were refused before are not counted.
      const query = splitQuery(exchange.request.query)
      const used = inputs.filter(([, isIn]) => isIn(exchange, query)).map(([label]) => label)
      if (used.length === 0) return reply
      exchange.deprecatedInputs = used
      if (warn) exchange.warn(`deprecated: ${used.join(', ')}`)
      return reply
    }
  },
}
