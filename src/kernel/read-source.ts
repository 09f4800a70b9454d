// Reads the author's files: from the disk, and from their text.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { Diagnostics, type Place, suggest } from './diagnostic.ts'
import { type Filling, readQuickly } from './events.ts'
import { MAX_DEPTH, parseJson } from './json.ts'
import { type Environment, placeOfFile, Source } from './source.ts'
import { fillFrom, isBounded, locateAnew, parseYaml, placeOfOffset } from './yaml.ts'

/**
 * Reads and parses a file. Whatever is wrong goes to `report`: `no-such-file`, `is-a-directory`, `not-a-file`,
 * `file-too-large`, `unreadable-file`,
 * `empty-file`, `syntax`, `duplicate-key`, `alias-bomb`, `missing-variable`. The answer is then `undefined`.
 *
 * @param name how the file is called in messages
 * @param environment where `${NAME}` and `${NAME:-default}` in scalars are looked up; left alone without one
 * @param lenient whether a duplicate key is a warning
 */
export function readSource(
  path: string,
  name: string,
  report: Diagnostics,
  environment?: Environment,
  lenient = false,
): Source | undefined {
  let text: string
  try {
    const stat = statSync(path)
    // A pipe or a device would keep everybody waiting.
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
  return parseSource(name, text, report, environment, lenient)
}

/** The largest file that is read, for people and in bytes. */
const LARGEST = '64 MB'
const MOST_BYTES = 64_000_000

/** Parses a text; see `readSource`. */
export function parseSource(
  file: string,
  source: string,
  report: Diagnostics,
  environment?: Environment,
  lenient = false,
): Source | undefined {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  let missing: string | undefined
  const fill =
    environment &&
    fillFrom(environment, name => {
      missing = name
    })
  const read = readSound(text, fill)
  if (
    'value' in read &&
    missing === undefined &&
    (!read.aliased || isBounded(read.value, environment && MOST_SETTINGS))
  ) {
    return new Source(file, read.value, () => locateAnew(file, text), !read.aliased && !text.includes('${'))
  }
  if ('fault' in read && read.fault === 'too-deep') {
    report.error('too-deep', `the file is nested deeper than ${MAX_DEPTH} levels`, placeOfOffset(file, text, read.at))
    return undefined
  }
  if ('value' in read && read.aliased && environment === undefined) {
    report.error('alias-bomb', 'the aliases of this file multiply beyond all bounds', placeOfFile(file))
    return undefined
  }
  // Words for what is wrong take a second for each megabyte.
  const repeats = 'fault' in read && read.reason.startsWith('duplicated')
  if (text.length > MOST_WORDED && !(lenient && repeats)) {
    if (missing !== undefined)
      report.error('missing-variable', `the environment variable ${missing} is not set`, placeOfFile(file))
    else if ('fault' in read) report.error('syntax', read.reason, placeOfOffset(file, text, read.at))
    else report.error('alias-bomb', 'the aliases of this file multiply beyond all bounds', placeOfFile(file))
    return undefined
  }
  try {
    return parseYaml(file, text, report, environment, lenient)
  } catch (error) {
    // The library recurses over what it reads.
    if (!(error instanceof RangeError)) throw error
    report.error('too-deep', 'the file is nested too deeply', placeOfFile(file))
    return undefined
  }
}

const MOST_WORDED = 500_000

/** What a gateway file may hold in all where it has aliases: it is walked many times. */
const MOST_SETTINGS = 100_000

/** What a sound text holds: JSON by the engine, YAML by its events. */
function readSound(text: string, fill: Filling | undefined): ReturnType<typeof readQuickly> {
  if (fill === undefined && /^\s*[{[]/.test(text)) {
    const parsed = parseJson(text)
    if ('value' in parsed) return { value: parsed.value, aliased: false }
  }
  return readQuickly(text, fill)
}

/** Faults of a file as a whole, which belong where the file is named. */
const NAMED: Readonly<Record<string, string>> = {
  'no-such-file': 'there is no such file',
  'is-a-directory': 'this is a directory, not a file',
  'not-a-file': 'this is a pipe or a device, not a file',
  'file-too-large': `this file is larger than ${LARGEST}`,
  'unreadable-file': 'this file cannot be read',
  'empty-file': 'this file is empty',
}

/** As `readSource`, for a file that another one names: where there is nothing to read, that is wrong at `from`. */
export function readNamed(
  path: string,
  name: string,
  from: Place,
  report: Diagnostics,
  lenient = false,
): Source | undefined {
  const own = new Diagnostics()
  const source = readSource(path, name, own, undefined, lenient)
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

/** The text of a file that another one names; what is wrong with the file is wrong at `from`. */
export function readNamedText(path: string, name: string, from: Place, report: Diagnostics): string | undefined {
  try {
    // A pipe or a device would keep everybody waiting.
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
