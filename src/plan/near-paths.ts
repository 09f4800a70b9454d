// Suggests an operation for a request that matches none: the base path is missing or another one, there is one slash too
// many or too few, a segment differs by a letter or two. Runs only for unmatched requests.

import type { Operation } from '../contract/contract.ts'
import { editDistance, slipsIn } from '../kernel/diagnostic.ts'

/**
 * The descriptions of requests that no operation matches: `no operation matches GET /v1/book; did you mean GET /v1/books?`
 */
export interface Near {
  /** @param prefix the part of the path that was taken off before, `/mock`; the description has it again */
  describe(method: string, path: string, prefix?: string): string
  /** Returns a description that was made already; `undefined` where none was. It saves looking for the operation again. */
  recall(method: string, path: string): string | undefined
}

/** An operation below one of its base paths. */
export interface ServedOperation {
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
/** Answers that are kept. */
const MOST_FOUND = 1000
/** The maximum number of leading segments to remove, or to add. */
const MOST_PREFIX = 3

export function compileNear(served: readonly ServedOperation[], methodsOf: (path: string) => readonly string[]): Near {
  const bases = [...new Set(served.map(({ basePath }) => basePath))]
  let byLength: Map<number, TemplateSegments[]> | undefined
  const templatesOf = (length: number): readonly TemplateSegments[] => {
    byLength ??= templatesByLength(served)
    return byLength.get(length) ?? []
  }
  const suggestFor = (method: string, path: string, prefix: string): string => {
    const below = bases.some(base => base === '' || path === base || path.startsWith(`${base}/`))
    const shown = bases.slice(0, 5).map(base => prefix + base)
    const where = below ? '' : `; the API is served below ${shown.join(', ')}`
    const target =
      repair(path, bases, methodsOf) ??
      findNear(method, path, bases, templatesOf) ??
      findLonger(method, path, bases, templatesOf)
    const methods = target === undefined ? [] : methodsOf(target)
    // A template whose segment has text around its expression, `{id}.json`, may be near and still not match.
    if (methods.length === 0) return where
    const meant = methods.includes(method) || (method === 'HEAD' && methods.includes('GET')) ? method : methods[0]
    return `${where === '' ? ';' : `${where}:`} did you mean ${meant} ${prefix}${target}?`
  }
  // A client that is wrong is wrong again and again, and looking takes longer than the rest of its request.
  const found = new Map<string, string>()
  const recall = (method: string, path: string) => found.get(`${method} ${path}`)
  return {
    recall,
    describe(method, path, prefix = '') {
      const known = prefix === '' ? recall(method, path) : undefined
      if (known !== undefined) return known
      const bare = `no operation matches ${method} ${prefix}${path}`
      if (path.length > LONGEST || !path.startsWith('/')) return bare
      const description = bare + suggestFor(method, path, prefix)
      if (found.size >= MOST_FOUND) found.clear()
      if (prefix === '') found.set(`${method} ${path}`, description)
      return description
    },
  }
}

/** The path with its slashes mended, with or without `.json`, or below another base path, where some operation is there. */
function repair(path: string, bases: readonly string[], methodsOf: (path: string) => readonly string[]) {
  const mended = path.replace(/\/{2,}/g, '/')
  const trimmed = mended.replace(/\/$/, '')
  const steps = trimmed.split('/')
  const shorter = [0, 1, 2, MOST_PREFIX].map(count => ['', ...steps.slice(1 + count)].join('/'))
  const below = shorter.flatMap(one => (one === '' ? [] : bases.map(base => base + one)))
  const suffixed = trimmed.endsWith('.json') ? trimmed.slice(0, -'.json'.length) : `${trimmed}.json`
  const candidates = [mended, trimmed, `${trimmed}/`, suffixed, ...below, ...below.map(one => `${one}/`)]
  return candidates.find(one => one !== path && one !== '' && methodsOf(one).length > 0)
}

type TemplatesOf = (length: number) => readonly TemplateSegments[]

/**
 * The served path that differs from this one by the fewest letters, if they are few enough; of two, that with the method.
 */
function findNear(method: string, path: string, bases: readonly string[], templatesOf: TemplatesOf) {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const whole of new Set([path, ...bases.map(base => base + path)])) {
    const given = whole.replace(/\/$/, '').split('/')
    for (const template of templatesOf(given.length)) {
      const far = distanceTo(template, given) + (template.method === method ? 0 : 0.1)
      if (far >= least) continue
      least = far
      best = template.segments.map((segment, i) => segment ?? given[i]).join('/')
    }
  }
  return best
}

/** The served path that this one is the end of, with or without a base path: `/v1/customers` for `/customers`. */
function findLonger(method: string, path: string, bases: readonly string[], templatesOf: TemplatesOf) {
  const base = bases.find(one => one !== '' && path.startsWith(`${one}/`)) ?? ''
  const given = path.slice(base.length).replace(/\/$/, '').split('/').slice(1)
  for (let more = 1; more <= MOST_PREFIX; more++) {
    const fitting = templatesOf(given.length + more + 1).filter(({ segments }) => {
      const end = segments.slice(more + 1)
      const isNamed = end.some(segment => segment !== undefined) && !segments.slice(0, more + 1).includes(undefined)
      return isNamed && end.every((one, i) => (one ?? given[i]) === given[i])
    })
    const best = fitting.find(one => one.method === method) ?? fitting[0]
    if (best !== undefined) return [...best.segments.slice(0, more + 1), ...given].join('/')
  }
  return undefined
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

function templatesByLength(served: readonly ServedOperation[]): Map<number, TemplateSegments[]> {
  const out = new Map<number, TemplateSegments[]>()
  for (const { operation, basePath } of served) {
    const parts = (basePath + operation.path.replace(/\/$/, '')).split('/')
    const segments = parts.map(segment => (segment.includes('{') ? undefined : segment))
    const alike = out.get(parts.length) ?? []
    alike.push({ method: operation.method, segments })
    out.set(parts.length, alike)
  }
  return out
}
