// Path templates (OpenAPI "Path Templating") compiled into one radix tree: finding a route costs its own length, however
// many there are. The only file that knows find-my-way.

import FindMyWay from 'find-my-way'

export const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const
export type Method = (typeof METHODS)[number]

export interface Found<Target> {
  readonly target: Target
  /** What stands in the place of each template expression, decoded, in the order of the template. */
  readonly segments: readonly string[]
  /** Whether the path held a broken percent-encoding; `segments` are then as sent. */
  readonly broken: boolean
}

interface Entry<Target> {
  readonly target: Target
  /** Per router parameter, how the text is taken apart into template expressions. */
  readonly splits: readonly (RegExp | undefined)[]
}

const EXPRESSION = /\{([^{}]*)\}/g

/** The names in a template, in order: `/a/{x}.{format}` → `x`, `format`. */
export const expressionsOf = (template: string): string[] => [...template.matchAll(EXPRESSION)].map(([, name]) => name!)

export class PathTable<Target> {
  readonly #router = FindMyWay({ maxParamLength: 8192, allowUnsafeRegex: true })

  /** Those of any route: what no route has, no path need be asked for. */
  readonly #methods = new Set<Method>()

  /** Adds a route; answers `false` where an equal template already has that method. */
  add(method: Method, template: string, target: Target): boolean {
    const { route, splits } = compileTemplate(template)
    if (this.#router.findRoute(method, route) !== null) return false
    this.#router.on(method, route, noop, { target, splits } satisfies Entry<Target>)
    this.#methods.add(method)
    return true
  }

  find(method: string, path: string): Found<Target> | undefined {
    const found = this.#router.find(method as Method, path)
    if (found !== null) return toFound<Target>(found, false)
    if (isDecodable(path)) return undefined
    // A path that cannot be decoded may still say which operation was meant, and how that operation refuses.
    const literally = this.#router.find(method as Method, path.replaceAll('%', '%25'))
    return literally === null ? undefined : toFound<Target>(literally, true)
  }

  /** The methods that the path has. */
  methodsOf(path: string): Method[] {
    return METHODS.filter(method => this.#methods.has(method) && this.find(method, path) !== undefined)
  }
}

function toFound<Target>(
  found: FindMyWay.FindResult<FindMyWay.HTTPVersion>,
  broken: boolean,
): Found<Target> | undefined {
  const { target, splits } = found.store as Entry<Target>
  if (splits.length === 0) return { target, segments: NONE, broken }
  const segments: string[] = []
  for (let i = 0; i < splits.length; i++) {
    const text = found.params[`p${i}`] ?? ''
    const split = splits[i]
    // An expression stands for at least one character: `/books/` is not `/books/{id}`.
    if (text === '') return undefined
    if (split === undefined) segments.push(text)
    else segments.push(...(split.exec(text)?.slice(1) ?? []))
  }
  return { target, segments, broken }
}

const NONE: readonly string[] = []

/** A segment that is one expression becomes a parameter; one that mixes text and expressions, a regular expression. */
function compileTemplate(template: string): { route: string; splits: (RegExp | undefined)[] } {
  const splits: (RegExp | undefined)[] = []
  const route = template
    .split('/')
    .map(segment => {
      if (!segment.includes('{')) return literal(segment)
      const name = `:p${splits.length}`
      if (/^\{[^{}]*\}$/.test(segment)) {
        splits.push(undefined)
        return name
      }
      const pattern = (group: string) =>
        segment
          .split(EXPRESSION)
          .map((part, index) => (index % 2 === 1 ? group : escapeRegExp(part)))
          .join('')
      splits.push(new RegExp(`^${pattern('(.+?)')}$`, 's'))
      return `${name}(^${pattern('.+?')}$)`
    })
    .join('/')
  return { route, splits }
}

// A colon or an asterisk means something to the router.
const literal = (segment: string): string =>
  segment.includes('*') ? `:lit(^${escapeRegExp(segment)}$)` : safeDecode(segment).replaceAll(':', '::')

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const safeDecode = (text: string): string => {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

/** Whether every percent-encoding of a path is whole, and UTF-8. */
export const isDecodable = (path: string): boolean => {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

const noop = (): void => {}
