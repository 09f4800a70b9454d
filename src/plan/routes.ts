// Finds the operation for a method and a path, and suggests one for a request that matches none: the base path is missing or
// another one, there is one slash too many or too few, a segment differs by a letter or two.

import type { Contract, Operation } from '../contract/contract.ts'
import { placeOf } from '../contract/documents.ts'
import { type Accepts, expressionsOf, type Method, type PathMatch, PathTable } from '../contract/paths.ts'
import { type Diagnostics, editDistance, slipsIn } from '../kernel/diagnostic.ts'
import { getOrMake } from '../kernel/memo.ts'

export interface Routes {
  /** The operations of a path; the first of two that cannot be distinguished. */
  readonly operations: readonly Operation[]
  /** Finds an operation by method and path; `make` makes each target once. */
  finder<Target>(
    make: (operation: Operation, basePath: string) => Target,
  ): (method: string, path: string) => PathMatch<Target> | undefined
  methodsOf(path: string): readonly Method[]
  /** Suggests an operation for a request that matches none. */
  readonly near: Near
}

export function layRoutes(contract: Contract, report: Diagnostics): Routes {
  const table = new PathTable<number>()
  const places: ServedOperation[] = []
  const methodsOf = (path: string) => table.methodsOf(path)
  for (const operation of contract.operations) {
    const { method, path, basePaths, node } = operation
    for (const basePath of basePaths) {
      const added = table.add(method, basePath + path, places.length, () => acceptsOf(operation))
      if (added === 'added') {
        places.push({ operation, basePath })
        continue
      }
      const why = added === 'taken' ? 'an earlier path matches the same requests' : 'its template cannot be matched'
      const message = `${method} ${basePath}${path} is left out: ${why}`
      report.warning('ambiguous-path', message, placeOf(node, 'key'))
    }
  }
  return {
    operations: [...new Set(places.map(({ operation }) => operation))],
    finder: make => {
      const targets = places.map(({ operation, basePath }) => make(operation, basePath))
      return (method, path) => {
        const found = table.find(method, path) ?? (method === 'HEAD' ? table.find('GET', path) : undefined)
        return found && { target: targets[found.target]!, segments: found.segments, broken: found.broken }
      }
    },
    methodsOf,
    near: new NearOperations(places, methodsOf),
  }
}

/** Returns tests for the parameters of a path; `undefined` if each accepts any text. */
function acceptsOf({ path, parameters }: Operation): Accepts | undefined {
  const checks = expressionsOf(path).map(name => {
    const parameter = parameters.find(one => one.in === 'path' && one.name === name)
    if (parameter === undefined) return undefined
    const takes = (text: string): boolean => {
      const read = parameter.read([text])
      return !('fault' in read) && parameter.schema.check(read.value, read.exact) === undefined
    }
    return PROBES.every(takes) ? undefined : takes
  })
  if (checks.every(takes => takes === undefined)) return undefined
  return segments => checks.every((takes, i) => takes === undefined || takes(segments[i] as string))
}

/** A parameter that accepts all of these accepts any text. */
const PROBES = ['~', '1', 'a', `${'a'.repeat(300)} é`]

/**
 * The descriptions of requests that no operation matches: `no operation matches GET /v1/book; did you mean GET /v1/books?`
 */
export interface Near {
  /** @param prefix the part of the path that was taken off before, `/mock`; the description has it again */
  describe(method: string, path: string, prefix?: string): string
  /** Returns a description that `describe` made before; `undefined` where it made none. It saves looking for the operation again. */
  recall(method: string, path: string): string | undefined
}

/** An operation below one of its base paths. */
interface ServedOperation {
  readonly operation: Operation
  readonly basePath: string
}

/** The segments of a template; `undefined` for one with an expression in it. */
interface TemplateSegments {
  readonly method: string
  readonly segments: readonly (string | undefined)[]
}

/** Longer paths are not compared, so that a client cannot make the comparison expensive. */
const LONGEST = 300
/** Descriptions that are kept for each method. */
const MOST_DESCRIPTIONS = 1000
/** The maximum number of leading segments to remove, or to add. */
const MOST_PREFIX = 3

/** Looks for the operation that a request means: by repairing its path, by its letters, and by its end. */
class NearOperations implements Near {
  readonly #served: readonly ServedOperation[]
  readonly #methodsOf: (path: string) => readonly string[]
  readonly #bases: readonly string[]
  #templates: readonly TemplateSegments[] | undefined
  // A client that is wrong is wrong again and again, and looking takes longer than the rest of its request.
  // By method: to join it with the path, for each repeated request, takes longer than two look-ups.
  readonly #descriptions = new Map<string, Map<string, string>>()

  constructor(served: readonly ServedOperation[], methodsOf: (path: string) => readonly string[]) {
    this.#served = served
    this.#methodsOf = methodsOf
    this.#bases = [...new Set(served.map(({ basePath }) => basePath))]
  }

  recall(method: string, path: string): string | undefined {
    return this.#descriptions.get(method)?.get(path)
  }

  describe(method: string, path: string, prefix = ''): string {
    const bare = `no operation matches ${method} ${prefix}${path}`
    if (path.length > LONGEST || !path.startsWith('/')) return bare
    const description = bare + this.#suggest(method, path, prefix)
    const kept = getOrMake(this.#descriptions, method, () => new Map<string, string>())
    if (kept.size >= MOST_DESCRIPTIONS) kept.clear()
    if (prefix === '') kept.set(path, description)
    return description
  }

  #suggest(method: string, path: string, prefix: string): string {
    const below = this.#bases.some(base => base === '' || path === base || path.startsWith(`${base}/`))
    const shown = this.#bases.slice(0, 5).map(base => prefix + base)
    const where = below ? '' : `; the API is served below ${shown.join(', ')}`
    const target = this.#repair(path) ?? this.#findNear(method, path) ?? this.#findLonger(method, path)
    const methods = target === undefined ? [] : this.#methodsOf(target)
    // A template whose segment has text around its expression, `{id}.json`, may be near and still not match.
    if (methods.length === 0) return where
    const meant = methods.includes(method) || (method === 'HEAD' && methods.includes('GET')) ? method : methods[0]
    return `${where === '' ? ';' : `${where}:`} did you mean ${meant} ${prefix}${target}?`
  }

  /** The path with its slashes mended, with or without `.json`, or below another base path, where some operation is there. */
  #repair(path: string): string | undefined {
    const mended = path.replace(/\/{2,}/g, '/')
    const trimmed = mended.replace(/\/$/, '')
    const steps = trimmed.split('/')
    const shorter = [0, 1, 2, MOST_PREFIX].map(count => ['', ...steps.slice(1 + count)].join('/'))
    const below = shorter.flatMap(end => (end === '' ? [] : this.#bases.map(base => base + end)))
    const suffixed = trimmed.endsWith('.json') ? trimmed.slice(0, -'.json'.length) : `${trimmed}.json`
    const candidates = [mended, trimmed, `${trimmed}/`, suffixed, ...below, ...below.map(end => `${end}/`)]
    return candidates.find(candidate => candidate !== path && candidate !== '' && this.#methodsOf(candidate).length > 0)
  }

  /** The served path that differs from this one by the fewest letters, if they are few enough; of two, that with the method. */
  #findNear(method: string, path: string): string | undefined {
    let best: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const whole of new Set([path, ...this.#bases.map(base => base + path)])) {
      const given = whole.replace(/\/$/, '').split('/')
      for (const template of this.#templatesOf(given.length)) {
        const far = distanceTo(template, given) + (template.method === method ? 0 : 0.1)
        if (far >= least) continue
        least = far
        best = template.segments.map((segment, i) => segment ?? given[i]).join('/')
      }
    }
    return best
  }

  /** The served path that this one is the end of, with or without a base path: `/v1/customers` for `/customers`. */
  #findLonger(method: string, path: string): string | undefined {
    const base = this.#bases.find(prefix => prefix !== '' && path.startsWith(`${prefix}/`)) ?? ''
    const given = path.slice(base.length).replace(/\/$/, '').split('/').slice(1)
    for (let more = 1; more <= MOST_PREFIX; more++) {
      const fitting = this.#templatesOf(given.length + more + 1).filter(({ segments }) => {
        const end = segments.slice(more + 1)
        const isNamed = end.some(segment => segment !== undefined) && !segments.slice(0, more + 1).includes(undefined)
        return isNamed && end.every((segment, i) => (segment ?? given[i]) === given[i])
      })
      const best = fitting.find(template => template.method === method) ?? fitting[0]
      if (best !== undefined) return [...best.segments.slice(0, more + 1), ...given].join('/')
    }
    return undefined
  }

  #templatesOf(length: number): readonly TemplateSegments[] {
    this.#templates ??= this.#served.map(({ operation, basePath }) => {
      const parts = (basePath + operation.path.replace(/\/$/, '')).split('/')
      return { method: operation.method, segments: parts.map(part => (part.includes('{') ? undefined : part)) }
    })
    return this.#templates.filter(({ segments }) => segments.length === length)
  }
}

/** How many letters a path is from a template; infinite where it is too many. */
function distanceTo({ segments }: TemplateSegments, given: readonly string[]): number {
  let far = 0
  for (const [i, segment] of segments.entries()) {
    const own = given[i] as string
    if (segment === undefined ? own !== '' : own === segment) continue
    if (segment === undefined) return Number.POSITIVE_INFINITY
    const most = slipsIn(segment)
    const letters = editDistance(own.toLowerCase(), segment.toLowerCase(), most + 1)
    far += letters === 0 ? 0.5 : letters
    if (letters > most || far > 2) return Number.POSITIVE_INFINITY
  }
  return far
}
