// Selects parts of a document by JSONPath (RFC 9535). The only file that imports the library.

import { exec, type JsonValue } from 'jsonpath-rfc9535'
import type { Path } from '../../kernel/file/source.ts'
import { pointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'

/** The longest JSONPath, in characters: the hint for a target that selects nothing tries each part of it. */
const LONGEST = 2000
/** The most values of a document that are read for a JSONPath. `$..x` reads each once, `$..*..*` each once for each holder. */
export const MOST_STEPS = 2_000_000

interface PathFault {
  readonly message: string
  readonly offset: number
  readonly hint: string
}

/** Returns the mistake of a JSONPath. */
export function faultOfPath(path: string): PathFault | undefined {
  if (path.length > LONGEST) {
    const message = `this JSONPath is longer than ${LONGEST} characters`
    return { message, offset: LONGEST, hint: 'write several actions' }
  }
  try {
    exec({}, path, () => {})
    return undefined
  } catch (error) {
    const { location } = error as { location?: { start: { offset: number } } }
    const offset = location?.start.offset ?? 0
    const found = path.slice(offset, offset + 1)
    const message = found === '' ? 'this JSONPath is incomplete' : `this JSONPath cannot be read from ${found} on`
    const hint = path.startsWith('$') ? "write names in brackets and quotes: $.paths['/books'].get" : 'begin it with $'
    return { message, offset, hint }
  }
}

/** Thrown once more values were read than may be. */
class TooManySteps extends Error {}

/**
 * Returns a function that returns the paths of the values that a JSONPath selects, each once; `undefined` once its calls together
 * have read more values than `most`.
 */
export function selectFrom(document: unknown, most = MOST_STEPS): (path: string) => Path[] | undefined {
  const view = countSteps(document, most) as JsonValue
  return path => {
    const found = new Map<string, Path>()
    try {
      exec(view, path, (_, keys) => {
        const at = keys.map(key => (typeof key === 'number' ? key : key.replace(ESCAPE, unescapeSign)))
        found.set(pointer(at), at)
      })
    } catch (error) {
      if (error instanceof TooManySteps) return undefined
      throw error
    }
    return [...found.values()]
  }
}

/** Returns a view of a document that throws `TooManySteps`: the library has no bound, and calls back for results only. */
function countSteps(document: unknown, most: number): unknown {
  let left = most
  const views = new WeakMap<object, object>()
  const view = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? getOrMake(views, value, () => new Proxy(value, handler)) : value
  const handler: ProxyHandler<object> = {
    get(target, key) {
      left -= 1
      if (left < 0) throw new TooManySteps()
      return view(Reflect.get(target, key))
    },
  }
  return view(document)
}

/** Matches what stands for a character in the keys of a normalized path (RFC 9535 §2.7). */
const ESCAPE = /\\(?:u([\da-f]{4})|(.))/g
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' }
const unescapeSign = (_: string, code: string | undefined, sign: string) =>
  code === undefined ? (CONTROLS[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16))

/** Returns the name that a JSONPath goes on with: of `.get.x` or `['get'].x` it is `get`. */
export const nameAfter = (rest: string): string | undefined => {
  const found = /^(?:\.([^\s.[*]+)|\[\s*(['"])((?:\\.|.)*?)\2\s*\])/.exec(rest)
  return found?.[1] ?? found?.[3]
}

/** Writes a path as a JSONPath, names as short as they can be. */
export const normalized = (path: Path): string =>
  `$${path
    .map(key =>
      typeof key === 'number'
        ? `[${key}]`
        : /^[A-Za-z_]\w*$/.test(key)
          ? `.${key}`
          : `['${key.replace(/['\\]/g, '\\$&')}']`,
    )
    .join('')}`
