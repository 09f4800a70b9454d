// The recording of a project: a HAR that each recording adds to. Credentials, and the personal fields that a user names, are
// blanked before an exchange is kept; the same value gets the same blank, so that what belongs together still does.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Contract } from '../../contract/contract.ts'
import { entryOf } from '../../gateway/journal/har.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { Blanks } from './blanks.ts'
import { EarlierBlanks } from './earlier-blanks.ts'
import { HarFile, type RecordedExchange, readHar } from './har.ts'
import { typeOfMessage } from './messages.ts'

export const RECORDING = 'recording.har'

/** The exchanges of a HAR, which may be iterated several times. Mistakes go to the report, if there is one. */
export const exchangesOf = (
  path: string | readonly Buffer[],
  file = RECORDING,
  report = new Diagnostics(),
): AsyncIterable<RecordedExchange> => ({ [Symbol.asyncIterator]: () => readHar(path, file, report) })

export interface RecordingOptions {
  /** The name of the source in messages. */
  readonly source: string
  /** The names of personal fields. */
  readonly personal: readonly string[]
  readonly contract: Contract | undefined
  /** The version of the program. */
  readonly version: string
}

/**
 * Adds exchanges to a recording that has not got them yet. Those of pages and of other origins than the most frequent one are left
 * out.
 *
 * @returns how many were added, and how many it has now
 */
export async function addToRecording(
  path: string,
  exchanges: AsyncIterable<RecordedExchange>,
  { source, personal, contract, version }: RecordingOptions,
  report: Diagnostics,
): Promise<{ readonly added: number; readonly all: number }> {
  const { open, known, ...masked } = await readRecording(path, version)
  const blanks = new Blanks(personal, contract, masked)
  const origins = new Map<string, number>()
  for await (const one of exchanges) {
    if (!isOfApi(one, contract)) continue
    origins.set(one.origin, (origins.get(one.origin) ?? 0) + 1)
    // A value may occur before the field that tells its meaning.
    blanks.inNewExchange(one)
  }
  const [usual] = [...origins].sort(([, a], [, b]) => b - a)[0] ?? []
  let added = 0
  let left = 0
  if (usual === undefined) return { added, all: known.size }
  const har = open()
  try {
    for await (const one of exchanges) {
      if (!isOfApi(one, contract) || one.origin !== usual) left += 1
      else if (!known.has(exchangeKey(one))) {
        har.append(entryOf(blanks.inExchange(one)))
        added += 1
      }
    }
  } finally {
    har.close()
  }
  if (left > 0) {
    const message = `left out, because they are for pages, scripts, preflights or other origins: ${left}`
    report.warning('left-out-exchanges', message, placeOfFile(source), `the exchanges with ${usual} are used`)
  }
  return { added, all: known.size + added }
}

/** Returns a function that begins or continues a recording, the number of its blanks and where, and the keys of its exchanges. */
export async function readRecording(path: string, version: string) {
  const known = new Set<string>()
  const earlier = new EarlierBlanks()
  let count = 0
  for await (const one of existsSync(path) ? exchangesOf(path) : []) {
    known.add(exchangeKey(one))
    earlier.add(one)
    for (const [, number] of JSON.stringify(one).matchAll(/masked-(\d+)/gi)) count = Math.max(count, Number(number))
  }
  const open = () => {
    mkdirSync(dirname(path), { recursive: true })
    return new HarFile(path, version)
  }
  return { open, count, earlier, known }
}

/** Identifies an exchange, independent of its blanks. */
const exchangeKey = ({ at, latency, method, path, query, reply }: RecordedExchange): string =>
  [at, latency, method, path, query, reply.status].join(' ').replace(/masked-\d+/gi, '')

const ASSETS = /^(?:text\/(?:html|css|javascript)|application\/(?:x-)?javascript|(?:image|font|video|audio)\/)/

/** Whether an exchange is a call of an API, and not of the page around it. */
function isOfApi({ method, origin, initiator, request, reply }: RecordedExchange, contract: unknown): boolean {
  const isPreflight = method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
  if (isPreflight || !origin.startsWith('http')) return false
  // A browser sends what a request is for; Firefox and Safari do not note it in another way. An API may be read by its address.
  const use = request.headers['sec-fetch-dest'] ?? 'empty'
  if (!/^(?:empty|document|iframe)$/.test(use)) return false
  if (initiator !== undefined) return /^(?:fetch|xhr|other|eventsource)$/.test(initiator)
  return contract !== undefined || method !== 'GET' || !ASSETS.test(typeOfMessage(reply))
}
