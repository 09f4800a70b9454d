// The forms of settings in gateway.yaml: the formats of texts (durations, sizes, rates, dates, origins, paths), and short forms,
// which are expanded before anything is checked. Mistakes are still reported at the place in the file.

import { parseStart } from '../behaviours/deprecation.ts'
import { roundBeyondExamples } from '../contract/documents.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import { Decimal, isObject, mapValues, unescapeKey } from '../kernel/json.ts'
import { LONGEST_DURATION, parseByteRate, parseDuration, parseRate, parseSize } from '../kernel/units.ts'
import { parseDate } from '../world/dates.ts'

const DURATION = '\\d+(?:\\.\\d+)? ?(?:ms|s|m|h|d)'
const RATE = '[1-9]\\d*/(?:0*[1-9]\\d*)?(?:s|m|h|d|sec|second|min|minute|hour|day)'
const LONGEST = `be at most ${LONGEST_DURATION} (100 years)`

const matching = (pattern: RegExp) => (text: string) => pattern.test(text)
const readableBy = (parse: (text: string) => unknown) => (text: string) => parse(text) !== undefined

/**
 * The formats of texts in gateway.yaml: a check, and a description. `above`: the texts that the check refuses only because they
 * are above a maximum, if they are not valid.
 */
export const FORMATS = {
  'date or time': { test: readableBy(parseDate), like: '2030-12-05 or 2030-12-05T10:00:00Z' },
  'date, or time before the sunset': {
    test: (text: string) => parseStart(text, 0) !== undefined,
    like: '30d before sunset or 2030-11-05',
    above: { pattern: `${DURATION} before sunset`, rule: LONGEST },
  },
  duration: {
    test: readableBy(parseDuration),
    like: '250ms, 10s, 5m, 2h or 30d',
    above: { pattern: DURATION, rule: LONGEST },
  },
  rate: {
    test: readableBy(parseRate),
    like: '10/s, 100/m or 1000/15m',
    above: { pattern: RATE, rule: `have a window of at most ${LONGEST_DURATION} (100 years)` },
  },
  'byte rate': { test: readableBy(parseByteRate), like: '64B/s or 10kB/s' },
  'duration or "always"': {
    test: (text: string) => text === 'always' || parseDuration(text) !== undefined,
    like: 'always or 1s',
    above: { pattern: DURATION, rule: LONGEST },
  },
  'block or "off"': { test: matching(/^off$/), like: 'off' },
  // A serialised origin (RFC 6454 §6.2), or `*`.
  origin: {
    test: matching(/^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+)$/),
    like: 'https://app.example.com, http://localhost:5173 or "*"',
  },
  path: { test: matching(/^\/[^\s?#]*$/), like: '/ or /api/v2' },
  size: { test: readableBy(parseSize), like: '64kB, 1MB or 2GB' },
}

const IN_FILE: readonly Path[] = [['defaults'], ['tags', '*'], ['operations', '*']]
// The consumers of weather contain behaviours; those of a file, credentials.
const IN_WEATHER: readonly Path[] = [...IN_FILE, ['consumers', '*']]

/** Paths of the blocks whose keys are behaviours; `*` is any name. */
const PLACES = {
  file: [...IN_FILE, ...IN_WEATHER.map(path => ['weather', '*', ...path])],
  weather: IN_WEATHER,
  answer: [[]],
} as const

/** The key that is meant when a behaviour is written as one text. */
const MAIN_KEY: Readonly<Record<string, string>> = { latency: 'fixed', rateLimit: 'limit' }

/** Returns a gateway file, weather or an answer from the control plane with every short form written out. */
export function expandShortForms(source: Source, kind: 'file' | 'weather' | 'answer' = 'file'): Source {
  const expandBlock: ReplaceBlock = block =>
    mapValues(block, (config, name) => {
      const main = MAIN_KEY[name]
      if (main !== undefined && (/^(?:string|number)$/.test(typeof config) || config instanceof Decimal)) {
        return { [main]: config }
      }
      if (name === 'fault' || name === 'shadow') return expandChances(config)
      // A rule is also a block, beside its condition.
      return name === 'rules' && Array.isArray(config) ? config.map(one => replaceAt(one, [], expandBlock)) : config
    })
  let value = kind === 'file' ? replaceAt(source.value, ['resources', '*'], expandSchema) : source.value
  for (const path of PLACES[kind]) value = replaceAt(value, path, expandBlock)
  // The place of a main key, which is not written, is that of the text.
  return source.derive(value)
}

type ReplaceBlock = (block: Readonly<Record<string, unknown>>) => object

/** Replaces the objects at some paths. */
function replaceAt(value: unknown, [step, ...rest]: Path, replace: ReplaceBlock): unknown {
  if (!isObject(value)) return value
  if (step === undefined) return replace(value)
  if (step !== '*' && !Object.hasOwn(value, step)) return value
  return mapValues(value, (item, key) => (step === '*' || step === key ? replaceAt(item, rest, replace) : item))
}

/** Converts `probability: 5%` to 0.05, and so the `share` of a shadow. */
function expandChances(config: unknown): unknown {
  if (Array.isArray(config)) return config.map(expandChances)
  if (!isObject(config)) return config
  const key = 'share' in config ? 'share' : 'probability'
  const [, percent] = /^(\d+(?:\.\d+)?) ?%$/.exec(String(config[key])) ?? []
  return percent === undefined ? config : { ...config, [key]: Number((Number(percent) / 100).toPrecision(12)) }
}

/** Converts `schema: "#/components/schemas/Book"` to `Book`. */
const expandSchema: ReplaceBlock = resource => {
  const [, name] = /#\/(?:components\/schemas|definitions)\/([^/]+)$/.exec(String(resource.schema)) ?? []
  return name === undefined ? resource : { ...resource, schema: unescapeKey(name) }
}

/** Keys of a resource whose values become parts of records. */
const RECORDS: ReadonlySet<string> = new Set(['seed', 'defaults', 'set'])

/** Blocks whose values may become parts of bodies: their integers keep their digits. */
const SENT: ReadonlySet<string> = new Set(['errors', 'respond'])

/**
 * Replaces each `Decimal` and each bigint of a parsed gateway file, of weather or of an answer by the nearest double, in place:
 * they are numbers to calculate with. Both stay in `seed`, `defaults` and `set` of a resource, in `respond.body` and in the
 * examples of an inline contract; a bigint also stays everywhere in `errors`, `respond` and an inline contract.
 *
 * @param path the keys to the value
 * @param sent whether it is in a block of `SENT`
 */
export function roundSettings(value: unknown, path: readonly string[] = [], sent = false): void {
  const isList = Array.isArray(value)
  if (!isList && !isObject(value)) return
  for (const [key, part] of Object.entries(value)) {
    const at = isList ? path : [...path, key]
    if (path.length === 0 && key === 'contract') roundBeyondExamples(part)
    else if (at.length === 3 && path[0] === 'resources' && RECORDS.has(key)) continue
    else if (!isList && path.at(-1) === 'respond' && key === 'body') continue
    else if (part instanceof Decimal || (typeof part === 'bigint' && !sent)) {
      ;(value as unknown as Record<string, unknown>)[key] = Number(part)
    } else roundSettings(part, at, sent || (!isList && SENT.has(key)))
  }
}
