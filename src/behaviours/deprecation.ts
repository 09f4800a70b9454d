// The end of an operation's life: headers on every reply (RFC 9745, RFC 8594, RFC 8288), and 410 after the sunset.

import { expressionsOf } from '../contract/paths.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { problems } from '../kernel/problem.ts'
import { type Headers, type Reply, refuse, withHeaders } from '../kernel/reply.ts'
import { httpDate, isoDate, parseDate } from '../world/clock.ts'
import type { Behaviour, Exchange, Site } from './behaviour.ts'

export interface DeprecationConfig {
  readonly since: string
  readonly sunset?: string
  readonly successor?: string
  readonly policy?: string
  readonly afterSunset?: 'gone' | 'not-found' | 'serve'
}

export const deprecation: Behaviour<DeprecationConfig> = {
  name: 'deprecation',
  dresses: true,
  problems: [problems.gone, problems.not_found],
  schema: {
    type: 'object',
    description: 'When the operation was deprecated, when it goes, and what comes instead.',
    required: ['since'],
    additionalProperties: false,
    properties: {
      since: { type: 'string', format: 'date or time', description: 'Deprecated since: `Deprecation` (RFC 9745).' },
      sunset: { type: 'string', format: 'date or time', description: 'Goes on: `Sunset` (RFC 8594).' },
      successor: {
        type: 'string',
        description:
          'What to use instead: a path of this API or a URL, sent as `Link` with rel="successor-version". `{name}` is filled in from the path; a query variable that the path does not give is left to the client, in `Link-Template` (RFC 9652).',
      },
      policy: {
        type: 'string',
        format: 'uri',
        description: 'A page about it, sent as `Link` with rel="deprecation" and rel="sunset".',
      },
      afterSunset: {
        enum: ['gone', 'not-found', 'serve'],
        description: 'After the sunset: 410, 404, or as before. Default: gone.',
      },
    },
  },
  compile(config, site) {
    if (config === undefined) return undefined
    const since = parseDate(config.since) as number
    const sunset = config.sunset === undefined ? Number.POSITIVE_INFINITY : (parseDate(config.sunset) as number)
    if (sunset <= since) {
      const message = `the sunset, ${config.sunset}, is not after the deprecation, ${config.since}`
      site.error('sunset-before-deprecation', message, ['sunset'])
    }
    const headersOf = compileHeaders(config, since, site)
    const over = config.afterSunset === 'serve' ? undefined : refusalAfter(config, sunset, site)
    return next => async exchange => {
      const now = exchange.clock.now()
      if (now < since) return next(exchange)
      const reply = over !== undefined && now >= sunset ? over : await next(exchange)
      return withHeaders(reply, headersOf(exchange))
    }
  },
  lifecycle(config) {
    if (config === undefined) return undefined
    const sunset = config.sunset === undefined ? undefined : parseDate(config.sunset)
    return { since: parseDate(config.since) as number, sunset }
  },
  describe(config) {
    if (config === undefined) return undefined
    const dates = [config.since, config.sunset].map(text => (text === undefined ? '' : isoDate(parseDate(text) ?? 0)))
    return config.sunset === undefined ? `since ${dates[0]}` : `${dates[0]} → ${dates[1]}`
  },
}

function refusalAfter({ afterSunset, successor, sunset }: DeprecationConfig, at: number, { operation }: Site): Reply {
  const what = `${operation.method} ${operation.path}`
  if (afterSunset === 'not-found') return refuse(problems.not_found, `there is no ${what}`)
  const instead = successor === undefined ? '' : `; use ${successor} instead`
  return refuse(problems.gone, `${what} was removed on ${sunset === undefined ? '' : httpDate(at)}${instead}`)
}

/** The headers are one frozen object per base path, unless the successor speaks of the record in the path. */
function compileHeaders(config: DeprecationConfig, since: number, site: Site): (exchange: Exchange) => Headers {
  const fixed: Record<string, string> = { deprecation: `@${Math.floor(since / 1000)}` }
  if (config.sunset !== undefined) fixed.sunset = httpDate(parseDate(config.sunset) as number)
  const { policy, successor } = config
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
