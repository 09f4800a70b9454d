// The headers of a deprecated operation's replies: RFC 9745, RFC 8594, RFC 8288, RFC 9652.

import { expressionsOf } from '../../contract/paths.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Headers } from '../../kernel/reply.ts'
import { unfilled } from '../../kernel/template.ts'
import { httpDate, parseDate } from '../../world/clock.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { DeprecationConfig } from './config.ts'

/** Returns one frozen object per base path, unless the successor's address depends on the record in the path. */
export function compileHeaders(config: DeprecationConfig, since: number, site: Site): (exchange: Exchange) => Headers {
  const fixed: Record<string, string> = { deprecation: `@${Math.floor(since / 1000)}` }
  if (config.sunset !== undefined) fixed.sunset = httpDate(parseDate(config.sunset) as number)
  const { policy, successor } = config
  for (const { path, message } of unfilled({ policy, successor }, [])) {
    site.error('unknown-placeholder', message, path, 'write a variable of the path as {name}, in "successor"')
  }
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
