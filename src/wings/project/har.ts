// Reads HAR 1.2, the recordings of browsers and proxies, entry by entry: a file may have hundreds of megabytes, and may be cut off.
// A file on disk is written entry by entry, too.

import {
  closeSync,
  constants,
  createReadStream,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import type { Entry } from 'har-format'
import { END, type HarExchange, type HarMessage, harHead } from '../../gateway/journal/har.ts'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { decodeUtf8 } from '../../kernel/http.ts'
import { isObject, put } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'
import { parseTime } from '../../world/dates.ts'

/** A request and its reply, as somebody recorded them. */
export interface RecordedExchange extends HarExchange {
  /** Its beginning in its file. */
  readonly place: Place
  /** The kind of its cause in a browser: `fetch`, `xhr`, `image`; unset elsewhere. */
  readonly initiator: string | undefined
}

const [QUOTE, BACKSLASH, NEWLINE] = [34, 92, 10]

/**
 * Reads the exchanges of a file in order. It reports a file that is not HAR, entries that cannot be used, and an end that is missing.
 *
 * @param path absolute; or the content of the file
 * @param file its name in messages
 */
export async function* readHar(
  path: string | readonly Buffer[],
  file: string,
  report: Diagnostics,
): AsyncGenerator<RecordedExchange> {
  const scanner = new EntryScanner()
  let read = 0
  const placeOf = ({ line, column }: Pick<Place, 'line' | 'column'>): Place => ({ ...placeOfFile(file), line, column })
  try {
    for await (const chunk of typeof path === 'string' ? createReadStream(path, { highWaterMark: 2 ** 20 }) : path) {
      for (const { text, ...at } of scanner.push(chunk as Buffer)) {
        read += 1
        const place = placeOf(at)
        const exchange = exchangeOf(
          attempted(() => JSON.parse(text ?? '')),
          place,
        )
        if (typeof exchange !== 'string') yield exchange
        else report.warning('left-out-entry', `entry ${read} ${exchange}`, place, 'the other entries are used')
      }
    }
  } catch (error) {
    report.error('unreadable-file', `the file cannot be read: ${(error as Error).message}`, placeOfFile(file))
    return
  }
  if (!scanner.found) {
    const hint = 'export it as HAR 1.2: {"log": {"version": "1.2", "entries": […]}}'
    report.error('not-har', 'the file has no list "entries" in an object "log"', placeOfFile(file), hint)
  } else if (!scanner.ended) {
    const message = `the file ends within its list of entries; the ${read} whole ones are used`
    report.warning('cut-off', message, placeOf(scanner), 'record to the end, to have the rest too')
  }
}

/** Whether a file begins as HAR does, under any name. A file that cannot be read does not. */
export const isHar = (path: string): boolean =>
  attempted(() => {
    const head = Buffer.alloc(1000)
    const file = openSync(path, 'r')
    // A folder can be opened, and not be read.
    attempted(() => readSync(file, head))
    closeSync(file)
    return /^\ufeff?\s*\{\s*"log"\s*:\s*\{/.test(head.toString())
  }) ?? false

/** Finds the texts of the entries in the bytes of a file, in one pass, with what is needed of one entry in memory. */
class EntryScanner {
  /** Whether the list of entries began. */
  found = false
  /** Whether the list of entries ended. */
  ended = false
  line = 1
  column = 0
  /** The bytes of the parts before this one. */
  #before = 0
  #depth = 0
  #quoted = false
  #escaped = false
  /** The text in quotes that was read last, outside entries. */
  #word = ''
  #start = { line: 1, column: 1 }
  #parts: Buffer[] = []

  get #isInEntries(): boolean {
    return this.found && !this.ended
  }

  /** Returns the entries that end in a part of the file, with the offset of their end; one that is too large has no text. */
  *push(
    chunk: Buffer,
  ): Generator<Pick<Place, 'line' | 'column'> & { readonly text: string | undefined; readonly end: number }> {
    /** The offset in the chunk at which the current entry, or the rest of it, begins. */
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk[at] as number
      this.column += 1
      if (this.#quoted) {
        if (this.#escaped) this.#escaped = false
        else if (code === BACKSLASH) this.#escaped = true
        else if (code === QUOTE) this.#quoted = false
        else if (this.#depth <= 2 && this.#word.length < 10) this.#word += String.fromCharCode(code)
        continue
      }
      if (code === QUOTE) {
        this.#quoted = true
        if (this.#depth <= 2) this.#word = ''
      } else if (code === NEWLINE) {
        this.line += 1
        this.column = 0
      } else if (code === 0x7b || code === 0x5b) {
        if (this.#depth === 2 && code === 0x5b && this.#word === 'entries') this.found = true
        if (this.#depth === 3 && this.#isInEntries && code === 0x7b) {
          this.#start = { line: this.line, column: this.column }
          from = at
        }
        this.#depth += 1
      } else if (code === 0x7d || code === 0x5d) {
        this.#depth -= 1
        if (!this.#isInEntries) continue
        if (this.#depth === 2) this.ended = true
        if (this.#depth !== 3) continue
        const parts = [...this.#parts, chunk.subarray(from, at + 1)]
        this.#parts = []
        // A longer text cannot be a string of JavaScript.
        const text = attempted(() => Buffer.concat(parts).toString())
        yield { text, end: this.#before + at + 1, ...this.#start }
      }
    }
    if (this.#isInEntries && this.#depth > 3) this.#parts.push(chunk.subarray(from))
    this.#before += chunk.length
  }
}

/** An object whose members may be missing, or of any type. */
type Loose<Shape> = { readonly [Key in keyof Shape]?: Shape[Key] extends object ? Loose<Shape[Key]> : unknown }

/** Returns why an entry cannot be used, as the rest of a sentence. */
function exchangeOf(value: unknown, place: Place): RecordedExchange | string {
  if (!isObject(value)) return 'is not an object of JSON'
  const { request, response, startedDateTime, time, timings, _resourceType, _consumer } = value as Loose<Entry>
  if (!isObject(request) || !isObject(response)) return 'has no request or no response'
  const { method } = request
  const url = attempted(() => new URL(request.url as string))
  if (url === undefined || typeof method !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(method))
    return 'has no method or no absolute URL'
  const status = Number(response.status)
  // A browser notes 0 for a request without a reply: blocked, aborted, or refused by CORS.
  if (!Number.isInteger(status) || status < 100 || status > 599) return 'has no status'
  const { wait } = isObject(timings) ? timings : {}
  const latency = [wait, time].find(one => typeof one === 'number' && one >= 0)
  const began = parseTime(String(startedDateTime))
  const reply = messageOf(response.headers, response.content, 0)
  return {
    place,
    at: Number.isNaN(began) ? 0 : began,
    latency: (latency as number | undefined) ?? 0,
    method: method.toUpperCase(),
    // An address of page data has none: `blob:`.
    origin: `${url.protocol}//${url.host}`,
    path: url.pathname,
    // Charles writes `?=` where there is none.
    query: url.search === '?=' ? '' : url.search.slice(1),
    request: messageOf(request.headers, request.postData, Number(request.bodySize)),
    // A browser adds the body that it had kept, and its page sees a 200.
    reply: { ...reply, status: status === 304 && reply.body !== undefined ? 200 : status },
    initiator: typeof _resourceType === 'string' ? _resourceType : undefined,
    consumer: typeof _consumer === 'string' ? _consumer : undefined,
  }
}

/** @param sent the bytes of the body where its own object is missing */
function messageOf(fields: unknown, content: unknown, sent: number): HarMessage {
  const headers: Record<string, string> = {}
  for (const field of Array.isArray(fields) ? fields : []) {
    const { name, value } = isObject(field) ? field : ({} as Record<string, unknown>)
    // HTTP/2 has the method and the path as fields: `:path`.
    if (typeof name !== 'string' || typeof value !== 'string' || name.startsWith(':')) continue
    const known = headers[name.toLowerCase()]
    // Some browsers' recordings have each field twice.
    put(headers, name.toLowerCase(), known === undefined || known === value ? value : `${known}, ${value}`)
  }
  const { text, encoding, mimeType, params, size } = isObject(content) ? content : ({} as Record<string, unknown>)
  const type = headers['content-type'] ?? mimeType
  if (typeof type === 'string' && type !== '' && type !== 'x-unknown') headers['content-type'] = type
  const isList = Array.isArray(params) && params.length > 0
  const written = typeof text === 'string' ? text : isList ? textOfParams(params, String(type)) : ''
  const bytes = encoding === 'base64' ? Buffer.from(written, 'base64') : undefined
  const body = bytes === undefined ? written : (decodeUtf8(bytes) ?? bytes)
  return {
    headers,
    body: body.length === 0 ? undefined : body,
    // -1 is a size that is not known.
    isPartial: body.length === 0 && (size === undefined ? sent > 0 : Number(size) !== 0),
  }
}

/** Returns the text of a body that is recorded by its members: of a form, or of an object of JSON. */
function textOfParams(params: readonly unknown[], type: string): string {
  const pairs = params.filter(isObject).map(({ name, value }) => [String(name), value ?? ''] as const)
  if (/json/.test(type)) return JSON.stringify(Object.fromEntries(pairs))
  return /urlencoded/.test(type) ? String(new URLSearchParams(pairs as [string, string][])) : ''
}

/** A HAR on disk that grows. After each entry it is whole: the entry replaces the closing brackets, which follow it. */
export class HarFile {
  readonly path: string
  readonly #file: number
  /** The offset of the closing brackets. */
  #end: number
  #isEmpty: boolean

  /**
   * Opens a file, or continues one; a cut-off end is replaced. Throws the system's error, or a `RangeError` for a file that is not
   * written entry by entry.
   */
  constructor(path: string, version: string) {
    this.path = path
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, PRIVATE)
    // An earlier version let everyone read it. The owner alone can change that.
    attempted(() => fchmodSync(this.#file, PRIVATE))
    if (fstatSync(this.#file).size === 0) writeSync(this.#file, harHead(version))
    const [end, isEmpty] = lastEntryEnd(this.#file)
    if (end === 0) {
      closeSync(this.#file)
      throw new RangeError('it is not a recording that can be continued; name another folder')
    }
    // The rest of an entry that was cut off may be longer than the next one.
    ftruncateSync(this.#file, end)
    writeSync(this.#file, END, end)
    this.#end = end
    this.#isEmpty = isEmpty
  }

  /** Throws the system's error where the disk is full; the file is then whole without the entry. */
  append(entry: Entry): void {
    const whole = Buffer.from(`${this.#isEmpty ? '' : ','}\n${JSON.stringify(entry)}${END}`)
    try {
      for (let at = 0; at < whole.length; ) at += writeSync(this.#file, whole, at, undefined, this.#end + at)
    } catch (error) {
      ftruncateSync(this.#file, this.#end)
      writeSync(this.#file, END, this.#end)
      throw error
    }
    this.#end += whole.length - END.length
    this.#isEmpty = false
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** Only the user may read it: masking knows many credentials, and not all. */
const PRIVATE = 0o600

const HEAD = /^\{"log":\{"version":"1\.2".*?"entries":\[/

/** Returns the offset after the last whole entry, 0 for a file of another form; and whether there is no entry. */
function lastEntryEnd(file: number): readonly [end: number, isEmpty: boolean] {
  const block = Buffer.alloc(2 ** 20)
  const scanner = new EntryScanner()
  let [head, end] = [0, 0]
  for (let at = 0; ; ) {
    const part = block.subarray(0, readSync(file, block, 0, block.length, at))
    if (at === 0) end = head = HEAD.exec(part.toString('latin1', 0, 300))?.[0].length ?? 0
    if (part.length === 0 || head === 0) return [end, end === head]
    for (const one of scanner.push(part)) end = one.end
    at += part.length
  }
}
