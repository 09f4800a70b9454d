// Reads the author's files: from the disk, and from their text.

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { Diagnostics, type Place, suggest } from '../diagnostic.ts'
import { isObject, parseJson } from '../json.ts'
import { attempted } from '../memo.ts'
import { indentQuoted, type ParsedText, type Reading, TOO_MANY_ALIASES } from './parsed-text.ts'
import { placeOfFile, Source, TextPlaces } from './source.ts'
import { YamlEvents } from './yaml-events.ts'
import { YamlTree } from './yaml-tree.ts'

/**
 * The kinds of files: a gateway file or an order of the control plane; a contract or a part of one, whose duplicate keys are
 * warnings; or records.
 */
type FileKind = 'gateway' | 'contract' | 'records'

/**
 * Reads and parses a file. Mistakes go to `report`, and the result is `undefined`: `no-such-file`, `is-a-directory`,
 * `not-a-file`, `file-too-large`, `unreadable-file`, `empty-file`, `syntax`, `duplicate-key`, `unknown-alias`, `alias-bomb`,
 * `too-deep`; and the warning `text-indentation`.
 *
 * @param name the file's name in messages
 */
export function readSource(
  path: string,
  name: string,
  report: Diagnostics,
  kind: FileKind = 'gateway',
): Source | undefined {
  const read = readText(path)
  if (typeof read === 'string') return parseSource(name, read, report, kind)
  report.error(read.code, read.message, placeOfFile(name))
  return undefined
}

/** The maximum size of a file, as text and in bytes. */
const LARGEST = '256 MB'
const MOST_BYTES = 256_000_000

/** Mistakes of a whole file. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  'no-such-file': 'there is no such file',
  'is-a-directory': 'this is a directory, not a file',
  // Reading one would block.
  'not-a-file': 'this is a pipe or a device, not a file',
  'file-too-large': `this file is larger than ${LARGEST}`,
  'unreadable-file': 'this file cannot be read',
  'empty-file': 'this file is empty',
  'zip-file': 'this is a zip archive: unpack it, and name the file or the folder in it',
}

function readText(path: string): string | { readonly code: string; readonly message: string } {
  const faultOf = (code: string) => ({ code, message: FILE_FAULTS[code] as string })
  try {
    const stat = statSync(path)
    if (stat.isDirectory()) return faultOf('is-a-directory')
    if (!stat.isFile()) return faultOf('not-a-file')
    if (stat.size > MOST_BYTES) return faultOf('file-too-large')
    const text = readFileSync(path, 'utf8')
    return text.startsWith('PK\u0003\u0004') ? faultOf('zip-file') : text
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return faultOf('no-such-file')
    return { code: 'unreadable-file', message: `${FILE_FAULTS['unreadable-file']} (${code})` }
  }
}

/** Whether a value is an OpenAPI document, or one of Swagger 2.0. */
export const isApiDocument = (value: unknown): boolean => isObject(value) && ('openapi' in value || 'swagger' in value)

/** Parses a text; see `readSource`. */
export function parseSource(
  file: string,
  content: string,
  report: Diagnostics,
  kind: FileKind = 'gateway',
): Source | undefined {
  const bare = content.startsWith('\uFEFF') ? content.slice(1) : content
  const quick = kind === 'records' ? readPlainJson(bare) : undefined
  const { text, parsed, indented } = quick ? { text: bare, indented: [] } : readYaml(bare, kind)
  const { value, alias, faults, repeated } = quick ?? (parsed as ParsedText).read()
  const isContract = kind === 'contract' || isApiDocument(value)
  const places = new TextPlaces(file, text)
  for (const { code, message, from, to = 0, hint } of faults) {
    report.error(code, message, from === undefined ? placeOfFile(file) : places.at(from, to), hint)
  }
  for (const from of faults.length === 0 ? indented : []) {
    report.warning('text-indentation', 'this text continues less indented than its key', places.at(from, from + 1))
  }
  for (const from of repeated) {
    const key = /^[\w$./{}-]+/.exec(text.slice(from, from + 200))?.[0] ?? ' '
    const place = places.at(from, from + key.length)
    if (isContract) report.warning('duplicate-key', 'duplicate key; the last one is used', place)
    else report.error('duplicate-key', 'duplicate key', place)
  }
  if (faults.length > 0 || (repeated.length > 0 && !isContract)) return undefined
  if (value === undefined || value === null) {
    report.error('empty-file', FILE_FAULTS['empty-file'] as string, placeOfFile(file))
    return undefined
  }
  const isSettings = kind === 'gateway' && !isContract
  if (alias !== undefined && !isBounded(value, isSettings ? MOST_SETTINGS : MOST_VALUES)) {
    report.error(TOO_MANY_ALIASES.code, TOO_MANY_ALIASES.message, places.at(...alias))
    return undefined
  }
  if (isSettings && text.length > MOST_SETTINGS && !isBounded(value, MOST_SETTINGS)) {
    report.error('file-too-large', `the file has more than ${MOST_SETTINGS} values`, placeOfFile(file), APART)
    return undefined
  }
  // A parsed text takes much memory, and is needed only while mistakes are reported.
  let recalled = parsed && new WeakRef(parsed)
  const isTree = parsed instanceof YamlTree
  const recall = (): ParsedText => {
    const known = recalled?.deref() ?? (isTree ? new YamlTree(text) : new YamlEvents(text))
    recalled = new WeakRef(known)
    return known
  }
  return new Source(
    file,
    value,
    text,
    (path, part) => places.at(...recall().span(path, part)),
    path => recall().isPlain(path),
  )
}

/** Matches the key at the beginning of a line that makes a text an OpenAPI document. */
const DOCUMENT = /^[\s{]*(["']?)(?:openapi|swagger)\1\s*:/m

/** The maximum length of a text that is written by hand, and of one that is read again by the slower reader. */
const MOST_WRITTEN = 200_000
const MOST_READ_AGAIN = 16_000_000
/** The maximum number of quoted texts in a file that continue less indented than their keys: the file is read again for each. */
const MOST_INDENTED = 20

/**
 * Reads a text with the reader for its kind; `indented` are the offsets of quoted texts that continue less indented than their
 * keys. They are indented in the text that is returned.
 */
function readYaml(
  content: string,
  kind: FileKind,
): { readonly text: string; readonly parsed: ParsedText; readonly indented: readonly number[] } {
  const indented: number[] = []
  let text = content
  let parsed = parse(text, kind)
  while (text.length <= MOST_WRITTEN && indented.length < MOST_INDENTED) {
    const open = parsed.read().faults[0]?.from
    const further = open === undefined ? undefined : indentQuoted(text, open)
    if (open === undefined || further === undefined) break
    indented.push(open)
    text = further
    parsed = parse(text, kind)
  }
  return { text, parsed, indented }
}

function parse(text: string, kind: FileKind): ParsedText {
  const isWritten = kind === 'gateway' && text.length <= MOST_WRITTEN && !DOCUMENT.test(text)
  if (isWritten) return new YamlTree(text)
  const events = new YamlEvents(text)
  const isRefused = events.read().faults.some(({ code }) => code === 'syntax')
  return isRefused && text.length <= MOST_READ_AGAIN ? new YamlTree(text) : events
}

/** Reads JSON without the events, which take ten times as long; `undefined` for another text, and one with a duplicate key. */
function readPlainJson(text: string): Reading | undefined {
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text, true) : undefined
  if (parsed === undefined || 'fault' in parsed || parsed.exact) return undefined
  let written = 0
  for (const pattern = /"\s*:/g; pattern.test(text); ) written += 1
  return membersIn(parsed.value) === written ? { value: parsed.value, faults: [], repeated: [] } : undefined
}

const membersIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  return inner.reduce((sum: number, one) => sum + membersIn(one), Array.isArray(value) ? 0 : inner.length)
}

/** The maximum number of values that aliases may expand to. */
const MOST_VALUES = 5_000_000
/** The maximum number of values in a gateway file, which is walked many times. */
const MOST_SETTINGS = 500_000
const APART = 'seeds and contracts may be files of their own'

/** Like `readSource`, for a file that another one names. A mistake of the whole file is reported at `from`. */
export function readNamed(
  path: string,
  name: string,
  from: Place,
  report: Diagnostics,
  kind: FileKind,
): Source | undefined {
  const own = new Diagnostics()
  const source = readSource(path, name, own, kind)
  for (const diagnostic of own.list) {
    const { code, message } = diagnostic
    if (Object.hasOwn(FILE_FAULTS, code)) reportNamed({ code, message }, path, name, from, report)
    else report.add(diagnostic)
  }
  return source
}

/** Reads the text of a file that another one names. Mistakes are reported at `from`. */
export function readNamedText(path: string, name: string, from: Place, report: Diagnostics): string | undefined {
  const read = readText(path)
  if (typeof read === 'string') return read
  reportNamed(read, path, name, from, report)
  return undefined
}

function reportNamed(
  { code, message }: { readonly code: string; readonly message: string },
  path: string,
  name: string,
  from: Place,
  report: Diagnostics,
): void {
  const hint = code === 'no-such-file' ? suggest(basename(path), filesIn(dirname(path))) : undefined
  report.error(code, `${message}: ${name}`, from, hint)
}

/** Returns a path with its links followed; a path that does not exist has none. */
export const realOf = (path: string): string => attempted(() => realpathSync(path)) ?? path

/** Whether a file is below one of some folders, also when links are followed. */
export const isBelow = (folders: readonly string[], file: string): boolean => {
  const holders = [...folders, ...folders.map(realOf)]
  return [file, realOf(file)].every(path => holders.some(folder => holdsFile(folder, path)))
}

const holdsFile = (folder: string, file: string): boolean => {
  const path = relative(folder, file)
  return !isAbsolute(path) && path.split(sep, 1)[0] !== '..'
}

const filesIn = (folder: string): string[] => attempted(() => readdirSync(folder)) ?? []

/**
 * Returns whether a value has at most `most` values in it, counted at every alias, and no cycle: a few lines of YAML can stand
 * for billions of values.
 */
function isBounded(value: unknown, most: number): boolean {
  const sizes = new Map<object, number>()
  const sizeOf = (item: unknown): number => {
    if (typeof item !== 'object' || item === null) return 1
    const known = sizes.get(item)
    if (known !== undefined) return known
    sizes.set(item, Number.POSITIVE_INFINITY)
    let size = 1
    for (const child of Object.values(item)) size += sizeOf(child)
    sizes.set(item, size)
    return size
  }
  return sizeOf(value) <= most
}

/**
 * Reports a URL that is used as a file name, with how to save the document: nothing is ever fetched. Returns whether it was
 * one.
 */
export function refuseRemote(path: string, place: Place, report: Diagnostics): boolean {
  if (!/^https?:\/\//i.test(path)) return false
  const last = /([^/?#]+\.(?:json|ya?ml))(?:[?#]|$)/i.exec(path)?.[1]
  const file = last !== undefined && /^[\w.-]+$/.test(last) ? last : 'openapi.json'
  const url = /^[\w./:~%+-]+$/.test(path) ? path : `'${path.replaceAll("'", '%27')}'`
  report.error(
    'remote-file',
    'remote files are not fetched',
    place,
    `save it and name the file: curl -L -o ${file} ${url}`,
  )
  return true
}

/** The maximum size of a file in bytes. A file stays in memory while its plan is served. */
const LARGEST_REPLY = 16 * 1024 * 1024

/** Files that replies are made from. They are read at load, and only below the folder of the configuration. */
export class ReplyFiles {
  readonly #folder: string
  readonly #paths = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Absolute paths of all files that were requested, readable or not. */
  get paths(): readonly string[] {
    return [...this.#paths]
  }

  /** Returns the content of a file, named relative to the folder; or a sentence that says why it cannot be read. */
  read(name: string): Uint8Array | string {
    const path = resolve(this.#folder, name)
    this.#paths.add(path)
    try {
      const folder = realpathSync(this.#folder)
      if (!`${realpathSync(path)}${sep}`.startsWith(`${folder}${sep}`)) {
        return `${name} is outside the folder of this configuration`
      }
      const found = statSync(path)
      if (!found.isFile()) return `${name} is not a file`
      if (found.size > LARGEST_REPLY) return `${name} is larger than 16MB`
      return readFileSync(path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' || code === 'ENOTDIR' ? `there is no file ${name}` : `${name} cannot be read (${code})`
    }
  }
}
