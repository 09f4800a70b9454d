// The life-cycle of a deprecated operation: headers on every reply, brown-outs, and 410 after the sunset.

import { expressionsOf } from '../contract/paths.ts'
import { reportPlaceholders } from '../expression/template.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { type Headers, problems, type Reply, refuse, retryAfter, withHeaders } from '../kernel/http.ts'
import { parseDuration } from '../kernel/text/units.ts'
import { httpDate, isoDate, parseDate } from '../world/clock.ts'
import type { Behaviour, Exchange, Identified, Site } from './behaviour.ts'
import { writable } from './exchange.ts'
import { AFTER_SUNSET, type AfterSunset, type Brownouts, type Lifecycle, parseStart, restAt } from './lifecycle.ts'
import { setting } from './setting.ts'

export const deprecation: Behaviour<DeprecationConfig> = {
  name: 'deprecation',
  decorates: true,
  problems: [problems.brown_out, problems.gone, problems.not_found],
  schema: setting.block(
    'When the operation was deprecated, when it is removed, and its successor.',
    {
      since: setting.text(
        'The date of the deprecation, sent as `Deprecation` (RFC 9745). No header is sent before it.',
        {
          format: 'date or time',
        },
      ),
      sunset: setting.text('The date of the removal, sent as `Sunset` (RFC 8594).', { format: 'date or time' }),
      successor: setting.text(
        'The successor: a path of this API or a URL, sent as `Link` with rel="successor-version". `{name}` is filled in from the path; other variables in the query are sent as `Link-Template` (RFC 9652).',
      ),
      policy: setting.text(
        'The URL of a page about the deprecation, sent as `Link` with rel="deprecation" and rel="sunset".',
        { format: 'uri' },
      ),
      afterSunset: setting.choice(
        AFTER_SUNSET,
        'The reply after the sunset: 410 (`gone`), 404 (`not-found`), or the usual one (`serve`). Default: gone.',
      ),
      brownouts: setting.block(
        'Scheduled outages before the sunset, so that consumers who missed the deprecation notice it.',
        {
          starts: setting.text('The start of the first one: a date, or a time before the sunset.', {
            format: 'date, or time before the sunset',
          }),
          every: setting.duration('The time from the start of one to the start of the next.'),
          for: setting.duration('The length of each; with `growing`, of the first.'),
          growing: setting.flag(
            'Whether each is longer than the one before, by a constant factor, so that the last one ends at the sunset. Default: false.',
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
  ),
  compile(config, site) {
    if (config === undefined) return undefined
    const lifecycle = lifecycleOf(config)
    const { since, sunset = Number.POSITIVE_INFINITY, brownouts } = lifecycle
    if (sunset <= since) {
      const message = `the sunset (${config.sunset}) must be after the deprecation (${config.since})`
      site.error('sunset-before-deprecation', message, ['sunset'])
    }
    checkBrownouts(config, lifecycle, site)
    const headersOf = compileHeaders(config, since, site)
    const over = config.afterSunset === 'serve' ? undefined : refusalAfter(config, sunset, site)
    const rest = brownouts && compileRest(config, brownouts, site)
    // Refused requests do not reach authentication, but the API's owner wants to know their consumers.
    const { identify } = site
    return next => async exchange => {
      const now = exchange.clock.now()
      if (now < since) return next(exchange)
      const refusal = now >= sunset ? over : rest?.(now)
      if (refusal !== undefined)
        writable(exchange, 'deprecation').consumer = nameOf(identify(exchange.request, Number.NEGATIVE_INFINITY))
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

/** Identifies a consumer even by an expired key: the question is who still calls. */
const nameOf = (verdict: Identified): string | undefined => (typeof verdict === 'string' ? undefined : verdict.name)

function lifecycleOf({ since, sunset, afterSunset = 'gone', brownouts }: DeprecationConfig): Lifecycle {
  const ends = sunset === undefined ? undefined : (parseDate(sunset) as number)
  return {
    since: parseDate(since) as number,
    sunset: ends,
    afterSunset,
    brownouts: brownouts === undefined || ends === undefined ? undefined : brownoutsOf(brownouts, ends),
  }
}

const brownoutsOf = (config: BrownoutsConfig, ends: number): Brownouts => ({
  starts: parseStart(config.starts, ends) as number,
  ends,
  every: parseDuration(config.every) as number,
  for: parseDuration(config.for) as number,
  growing: config.growing ?? false,
  answer: config.answer ?? 503,
})

const SHORTEST = 1000

function checkBrownouts({ brownouts: config }: DeprecationConfig, { since, brownouts }: Lifecycle, site: Site): void {
  if (config === undefined) return
  if (brownouts === undefined) {
    site.error('no-sunset', 'brown-outs need a sunset', ['brownouts'], 'add sunset:', 'key')
    return
  }
  const { starts, ends, every, for: length } = brownouts
  const at = (key: keyof BrownoutsConfig) => ['brownouts', key]
  if (starts >= ends)
    site.error('brownouts-after-sunset', 'the first brown-out must begin before the sunset', at('starts'))
  if (starts < since)
    site.error(
      'brownouts-before-deprecation',
      'the first brown-out must not begin before the deprecation',
      at('starts'),
    )
  if (length < SHORTEST) site.error('brownout-too-short', 'a brown-out must last at least 1s', at('for'))
  if (length >= every) {
    const message = `a brown-out of ${config.for} every ${config.every} leaves no time between them`
    site.error('brownout-too-long', message, at('for'))
  }
}

function refusalAfter(config: DeprecationConfig, sunset: number, { operation }: Site): Reply {
  const what = `${operation.method} ${operation.path}`
  if (config.afterSunset === 'not-found') return refuse(problems.not_found, `there is no ${what}`)
  const on = config.sunset === undefined ? '' : httpDate(sunset)
  return refuse(problems.gone, `${what} was removed on ${on}${insteadOf(config)}`)
}

/** Returns the reply during a brown-out; `undefined` otherwise. */
function compileRest(
  config: DeprecationConfig,
  brownouts: Brownouts,
  { operation }: Site,
): (now: number) => Reply | undefined {
  const what = `${operation.method} ${operation.path}`
  const goes = `it is removed on ${httpDate(brownouts.ends)}${insteadOf(config)}`
  return now => {
    const rest = restAt(brownouts, now)
    if (rest === undefined) return undefined
    const detail = `${what} is deprecated and in a brown-out until ${httpDate(rest.end)}; ${goes}`
    return refuse(problems.brown_out, detail, retryAfter(rest.end - now), brownouts.answer)
  }
}

const insteadOf = ({ successor }: DeprecationConfig): string =>
  successor === undefined ? '' : `; use ${successor} instead`

// The keys of `deprecation` in gateway.yaml.

interface DeprecationConfig {
  readonly since: string
  readonly sunset?: string
  readonly successor?: string
  readonly policy?: string
  readonly afterSunset?: AfterSunset
  readonly brownouts?: BrownoutsConfig
}

interface BrownoutsConfig {
  readonly starts: string
  readonly every: string
  readonly for: string
  readonly growing?: boolean
  readonly answer?: 503 | 410
}

// The headers of a deprecated operation's replies: RFC 9745, RFC 8594, RFC 8288, RFC 9652.

/** Returns one frozen object per base path, unless the successor's address depends on the record in the path. */
function compileHeaders(config: DeprecationConfig, since: number, site: Site): (exchange: Exchange) => Headers {
  const fixed: Record<string, string> = { deprecation: `@${Math.floor(since / 1000)}` }
  if (config.sunset !== undefined) fixed.sunset = httpDate(parseDate(config.sunset) as number)
  const { policy, successor } = config
  const hint = 'write a variable of the path as {name}, in "successor"'
  reportPlaceholders({ policy, successor }, hint, site.error)
  const about = policy === undefined ? [] : [`<${policy}>; rel="deprecation"`, `<${policy}>; rel="sunset"`]
  if (successor === undefined) {
    const headers = about.length === 0 ? fixed : { ...fixed, link: about.join(', ') }
    return () => headers
  }
  const { operation, contract } = site
  const names = expressionsOf(operation.path)
  const [path = '', query = ''] = successor.split('?', 2)
  for (const name of expressionsOf(path)) {
    if (names.includes(name)) continue
    const message = `the path ${operation.path} has no {${name}} to fill in`
    site.error('unknown-variable', message, ['successor'], suggest(name, names))
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
