// Reads the author's files: from the disk, and from their text.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isBounded } from './alias-bound.ts'
import { Diagnostics, type Place, suggest } from './diagnostic.ts'
import { fillFrom } from './environment-variables.ts'
import { type Filling, type QuickRead, readQuickly, TOO_MANY, type Unreadable } from './events.ts'
import { MAX_DEPTH, parseJson } from './parse-json.ts'
import { type Environment, placeOfFile, Source } from './source.ts'
import { type KeyBounds, valueWithoutSurplus } from './surplus.ts'
import { locateAnew, locateJson, parseYaml, placeOfOffset, retype } from './yaml.ts'

/** How a text is read. */
export interface ReadingOptions {
  /** The values of `${NAME}` and `${NAME:-default}` in scalars; without it they stay unchanged. */
  readonly environment?: Environment | undefined
  /** Whether a duplicate key is a warning. */
  readonly lenient?: boolean
  /** Whether a number such as `0.10` keeps its digits. */
  readonly decimals?: boolean
  /** Unset: everything is read. */
  readonly bounds?: KeyBounds | undefined
  /** The characters of a text whose mistakes of syntax are described in our words; of a longer one, in those of the library. */
  readonly mostWorded?: number
}

/**
 * Reads and parses a file. Mistakes go to `report`, and the result is `undefined`: `no-such-file`, `is-a-directory`,
 * `not-a-file`, `file-too-large`, `unreadable-file`, `empty-file`, `syntax`, `duplicate-key`, `alias-bomb`,
 * `missing-variable`.
 *
 * @param name the file's name in messages
 */
export function readSource(
  path: string,
  name: string,
  report: Diagnostics,
  options: ReadingOptions = {},
): Source | undefined {
  let text: string
  try {
    const stat = statSync(path)
    // Reading a pipe or a device would block.
    if (!stat.isFile() && !stat.isDirectory()) throw Object.assign(new Error(), { code: 'NOT_A_FILE' })
    if (stat.size > MOST_BYTES) throw Object.assign(new Error(), { code: 'TOO_LARGE' })
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const place = placeOfFile(name)
    if (code === 'ENOENT' || code === 'ENOTDIR') report.error('no-such-file', 'there is no such file', place)
    else if (code === 'EISDIR') report.error('is-a-directory', 'this is a directory, not a file', place)
    else if (code === 'NOT_A_FILE') report.error('not-a-file', 'this is a pipe or a device, not a file', place)
    else if (code === 'TOO_LARGE') report.error('file-too-large', `the file is larger than ${LARGEST}`, place)
    else report.error('unreadable-file', `the file cannot be read (${code})`, place)
    return undefined
  }
  return parseSource(name, text, report, options)
}

/** The maximum size of a file, as text and in bytes. */
const LARGEST = '256 MB'
const MOST_BYTES = 256_000_000

/** Parses a text; see `readSource`. */
export function parseSource(
  file: string,
  source: string,
  report: Diagnostics,
  options: ReadingOptions = {},
): Source | undefined {
  const { environment, lenient = false, mostWorded = MOST_WORDED } = options
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  let missing: string | undefined
  const fill =
    environment &&
    fillFrom(environment, retype, name => {
      missing = name
    })
  const read = readSound(text, fill, options)
  if (
    'value' in read &&
    missing === undefined &&
    (!read.aliased || isBounded(read.value, environment && MOST_SETTINGS))
  ) {
    const locate = 'json' in read ? locateJson : locateAnew
    const settled = !read.aliased && !text.includes('${')
    return new Source(file, read.value, text, () => locate(file, text), settled, read.surplus)
  }
  if ('fault' in read && read.fault === 'too-deep') {
    report.error('too-deep', `the file is nested deeper than ${MAX_DEPTH} levels`, placeOfOffset(file, text, read.at))
    return undefined
  }
  if ('fault' in read && read.fault === 'too-many') {
    const message = `the file has more than ${options.bounds?.most} keys and values`
    report.error('file-too-large', message, placeOfFile(file), 'seeds and contracts may be files of their own')
    return undefined
  }
  // The other library would merge them, too, and slowly.
  const merged = 'fault' in read && read.reason.startsWith('merge keys exceeded')
  if (merged || ('value' in read && read.aliased && environment === undefined)) {
    report.error('alias-bomb', 'the aliases of this file expand to too many values', placeOfFile(file))
    return undefined
  }
  // Describing syntax errors takes a second per megabyte.
  const repeats = 'fault' in read && read.reason.startsWith('duplicated')
  if (text.length > mostWorded && !(lenient && repeats)) {
    if (missing !== undefined)
      report.error('missing-variable', `the environment variable ${missing} is not set`, placeOfFile(file))
    else if ('fault' in read) report.error('syntax', read.reason, placeOfOffset(file, text, read.at))
    else report.error('alias-bomb', 'the aliases of this file expand to too many values', placeOfFile(file))
    return undefined
  }
  try {
    return parseYaml(file, text, report, environment, lenient)
  } catch (error) {
    // The library parses recursively, so the depth is bounded.
    if (!(error instanceof RangeError)) throw error
    report.error('too-deep', 'the file is nested too deeply', placeOfFile(file))
    return undefined
  }
}

const MOST_WORDED = 500_000

/** The maximum number of values in a gateway file with aliases, which is walked many times. */
const MOST_SETTINGS = 100_000

/** Parses a valid text: JSON by the engine, YAML by its events. */
function readSound(
  text: string,
  fill: Filling | undefined,
  { decimals = false, bounds }: ReadingOptions,
): QuickRead | Unreadable {
  if (fill === undefined && /^\s*[{[]/.test(text)) {
    const parsed = parseJson(text, decimals)
    if ('value' in parsed) {
      if (bounds === undefined || text.length < bounds.mostUnknown)
        return { value: parsed.value, aliased: false, surplus: 0, json: true }
      const bounded = valueWithoutSurplus(parsed.value, bounds)
      if (bounded === undefined) return TOO_MANY
      return { ...bounded, aliased: false, json: true }
    }
  }
  return readQuickly(text, fill, decimals, bounds)
}

/** Mistakes of a whole file, which are reported at the place that names it. */
const NAMED: Readonly<Record<string, string>> = {
  'no-such-file': 'there is no such file',
  'is-a-directory': 'this is a directory, not a file',
  'not-a-file': 'this is a pipe or a device, not a file',
  'file-too-large': `this file is larger than ${LARGEST}`,
  'unreadable-file': 'this file cannot be read',
  'empty-file': 'this file is empty',
}

/** Like `readSource`, for a file that another one names. A file that cannot be read is reported at `from`. */
export function readNamed(
  path: string,
  name: string,
  from: Place,
  report: Diagnostics,
  options: ReadingOptions = {},
): Source | undefined {
  const own = new Diagnostics()
  const source = readSource(path, name, own, options)
  for (const diagnostic of own.list) {
    const message = NAMED[diagnostic.code]
    if (message === undefined) report.add(diagnostic)
    else if (!report.has('missing-variable', from)) {
      const near = diagnostic.code === 'no-such-file' ? suggest(basename(path), filesIn(dirname(path))) : undefined
      report.error(diagnostic.code, `${message}: ${name}`, from, near)
    }
  }
  return source
}

/** Reads the text of a file that another one names. Mistakes are reported at `from`. */
export function readNamedText(path: string, name: string, from: Place, report: Diagnostics): string | undefined {
  try {
    // Reading a pipe or a device would block.
    if (!statSync(path).isFile()) throw Object.assign(new Error(), { code: 'EISDIR' })
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const missing = code === 'ENOENT' || code === 'ENOTDIR'
    const fault = missing ? 'no-such-file' : code === 'EISDIR' ? 'is-a-directory' : 'unreadable-file'
    const near = missing ? suggest(basename(path), filesIn(dirname(path))) : undefined
    report.error(fault, `${NAMED[fault]}: ${name}`, from, near)
    return undefined
  }
}

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
