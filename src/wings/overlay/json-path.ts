// Selects parts of a document by JSONPath (RFC 9535). The only file that imports the library.

import { exec, type JsonValue } from 'jsonpath-rfc9535'
import type { Path } from '../../kernel/file/source.ts'
import { pointer } from '../../kernel/json.ts'

/** Returns the mistake of a JSONPath, and its offset. */
export function faultOfPath(path: string): { readonly message: string; readonly offset: number } | undefined {
  try {
    exec({}, path, () => {})
    return undefined
  } catch (error) {
    const { location } = error as { location?: { start: { offset: number } } }
    const offset = location?.start.offset ?? 0
    const found = path.slice(offset, offset + 1)
    const message = found === '' ? 'this JSONPath is incomplete' : `this JSONPath cannot be read from ${found} on`
    return { message, offset }
  }
}

/** Returns the paths of the values that a JSONPath selects, each once. */
export function select(value: unknown, path: string): Path[] {
  const found = new Map<string, Path>()
  exec(value as JsonValue, path, (_, keys) => {
    const at = keys.map(key => (typeof key === 'number' ? key : key.replace(ESCAPE, unescapeSign)))
    found.set(pointer(at), at)
  })
  return [...found.values()]
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
