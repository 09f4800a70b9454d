// Path templates (OpenAPI "Path Templating") compiled into one radix tree: finding a route costs its own length, however
// many there are. The only file that imports find-my-way.

import FindMyWay from 'find-my-way'

export const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'QUERY'] as const
/** One of `METHODS`, or what else a document has under `additionalOperations`: `COPY`. */
export type Method = string

export interface PathMatch<Target> {
  readonly target: Target
  /** The decoded value of each template expression, in the order of the template. */
  readonly segments: readonly string[]
  /** Whether the path has a malformed percent-encoding; `segments` are then as sent. */
  readonly broken: boolean
}

/**
 * Whether the segments of a path may be those of a template's own parameters. Used only if two templates have one shape,
 * `/a/{id}` and `/a/{name}`; a template that accepts any text has none.
 */
export type Accepts = (segments: readonly string[]) => boolean

/** The result of adding a template: `taken` by one of its shape that accepts any text, or `impossible` for the router. */
type Added = 'added' | 'taken' | 'impossible'

const EXPRESSION = /\{([^{}]*)\}/

/** The names in a template, in order: `/a/{x}.{format}` → `x`, `format`. */
export const expressionsOf = (template: string): string[] => template.split(EXPRESSION).filter((_, i) => i % 2 === 1)

/** Returns a template without the names of its expressions: two templates with the same result match the same paths. */
export const nameless = (template: string): string => template.replace(/\{[^{}]*\}/g, '{}')

/**
 * Templates whose segments are alike but for the text around their expressions, `/a/{x}.json` and `/a/{x}`, are one
 * route for the router. This class finds the one that matches, trying the one with the most text first.
 */
interface RouteCandidate<Target> {
  readonly target: Target
  /** Per router parameter, the literal texts around its expressions: `{x}.{y}` is `['', '.', '']`. */
  readonly parts: readonly (readonly string[])[]
  readonly plain: boolean
  readonly weight: number
  /** Its name among the templates of its route: two of one shape have the same name. */
  readonly name: string
  /** Set if another template has its shape. */
  accepts: Accepts | undefined
  readonly compileAccepts: (() => Accepts | undefined) | undefined
  /** Whether another template of its shape follows it. */
  contested: boolean
  /** Whether it matches a path that other methods have as it is, and this one has not: `DELETE /a/{slug}` beside `GET /a/feed`. */
  overreaches: boolean
}

const isConcrete = ({ parts }: RouteCandidate<unknown>): boolean => parts.every(literals => literals.length === 1)

export class PathTable<Target> {
  readonly #router = FindMyWay({ maxParamLength: 16_384 })
  readonly #routes = new Map<string, RouteCandidate<Target>[]>()
  readonly #methods = new Set<Method>()
  /** The paths without expressions. */
  readonly #concrete = new Set<string>()
  /** Whether `overreaches` holds for all candidates. */
  #isMarked = true

  /**
   * Adds a template. Among several of one shape, a path belongs to the first one whose parameters match, else to the first.
   *
   * @param compileAccepts called if another template has its shape
   */
  add(method: Method, template: string, target: Target, compileAccepts?: () => Accepts | undefined): Added {
    const parts: string[][] = []
    const segments = template.split('/').map(segment => {
      const pieces = segment.split(EXPRESSION)
      // The router gives a colon and an asterisk a meaning.
      if (pieces.length === 1 && !segment.includes('*')) return safeDecode(segment).replaceAll(':', '::')
      parts.push(pieces.filter((_, index) => index % 2 === 0).map(safeDecode))
      return `:p${parts.length - 1}`
    })
    const candidate: RouteCandidate<Target> = {
      target,
      parts,
      plain: parts.every(literals => literals.length === 2 && literals.join('') === ''),
      weight: parts.flat().join('').length,
      name: JSON.stringify(parts),
      accepts: undefined,
      compileAccepts,
      contested: false,
      overreaches: false,
    }
    const route = segments.join('/')
    const key = `${method} ${route}`
    const known = this.#routes.get(key)
    const alike = known?.filter(({ name }) => name === candidate.name) ?? []
    for (const one of alike) one.accepts ??= one.compileAccepts?.()
    if (alike.some(one => one.accepts === undefined)) return 'taken'
    for (const one of alike) one.contested = true
    if (alike.length > 0) candidate.accepts = compileAccepts?.()
    if (known !== undefined) {
      known.push(candidate)
      known.sort((a, b) => b.weight - a.weight)
      return 'added'
    }
    const candidates = [candidate]
    try {
      this.#router.on(method as FindMyWay.HTTPMethod, route, noop, candidates)
    } catch {
      return 'impossible'
    }
    this.#routes.set(key, candidates)
    this.#methods.add(method)
    if (isConcrete(candidate)) this.#concrete.add(template)
    this.#isMarked = false
    return 'added'
  }

  /** A path without expressions has the methods that its template has, and none of a template with expressions. */
  find(method: string, path: string): PathMatch<Target> | undefined {
    if (!this.#isMarked) this.#markOverreaching()
    const found = this.#router.find(method as FindMyWay.HTTPMethod, path)
    if (found !== null) {
      const [first] = found.store as readonly RouteCandidate<Target>[]
      return first?.overreaches && this.#isConcrete(path) ? undefined : choose<Target>(found, false)
    }
    if (isDecodable(path)) return undefined
    // A path that cannot be decoded may still identify the operation, which determines the form of the refusal.
    const literally = this.#router.find(method as FindMyWay.HTTPMethod, path.replaceAll('%', '%25'))
    return literally === null ? undefined : choose<Target>(literally, true)
  }

  #routesAt(path: string): (readonly RouteCandidate<Target>[])[] {
    return [...this.#methods].flatMap(method => {
      const found = this.#router.find(method as FindMyWay.HTTPMethod, path)
      return found === null ? [] : [found.store as readonly RouteCandidate<Target>[]]
    })
  }

  #isConcrete(path: string): boolean {
    return this.#routesAt(path).some(route => route.some(isConcrete))
  }

  #markOverreaching(): void {
    for (const path of this.#concrete)
      for (const route of this.#routesAt(path))
        for (const candidate of route) candidate.overreaches ||= !isConcrete(candidate)
    this.#isMarked = true
  }

  /** The methods that the path has. */
  methodsOf(path: string): Method[] {
    return [...this.#methods].filter(method => this.find(method, path) !== undefined)
  }
}

function choose<Target>(
  { store, params }: FindMyWay.FindResult<FindMyWay.HTTPVersion>,
  broken: boolean,
): PathMatch<Target> | undefined {
  let first: PathMatch<Target> | undefined
  for (const { target, parts, plain, contested, accepts } of store as readonly RouteCandidate<Target>[]) {
    if (parts.length === 0) return { target, segments: NONE, broken }
    let segments: string[] | undefined = []
    for (let i = 0; i < parts.length && segments !== undefined; i++) {
      const text = params[`p${i}`] ?? ''
      // An expression matches at least one character: `/books/` is not `/books/{id}`.
      if (text === '') segments = undefined
      else if (plain) segments.push(text)
      else segments = split(text, parts[i] as readonly string[], segments)
    }
    if (segments === undefined) continue
    const found = { target, segments, broken }
    if (first === undefined && !contested) return found
    if (!broken && (accepts === undefined || accepts(segments))) return found
    first ??= found
  }
  return first
}

/** Splits a text at its literals, each at its first occurrence: one pass for any text of a client. */
function split(text: string, literals: readonly string[], into: string[]): string[] | undefined {
  const first = literals[0] as string
  const last = literals.at(-1) as string
  if (literals.length === 1) return text === first ? into : undefined
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined
  const end = text.length - last.length
  let at = first.length
  for (let i = 1; i < literals.length; i++) {
    const literal = literals[i] as string
    const next = i === literals.length - 1 ? end : literal === '' ? at + 1 : text.indexOf(literal, at + 1)
    if (next <= at || next > end) return undefined
    into.push(text.slice(at, next))
    at = next + literal.length
  }
  return into
}

const NONE: readonly string[] = []

/** Decodes a path, but for its separators; a malformed one stays as it is. */
export const safeDecode = (text: string): string => {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

/** Decodes a part of a URI; `undefined` if it is malformed. */
export const decodeComponent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns whether every percent-encoding of a path is complete and valid UTF-8. */
export const isDecodable = (path: string): boolean => !path.includes('%') || decodeComponent(path) !== undefined

const noop = (): void => {}
