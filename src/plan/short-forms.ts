// Expands the short forms of gateway.yaml, and words of other tools with the same meaning, before anything is checked.
// Mistakes are still reported at the place in the file.

import { roundBeyondExamples } from '../contract/documents.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import { Decimal, isObject, unescapeKey } from '../kernel/json.ts'
import type { Path, Source } from '../kernel/source.ts'

type Members = Readonly<Record<string, unknown>>

/** Paths of the blocks whose keys are behaviours; `*` is any name. */
const BLOCKS: readonly Path[] = [
  ['defaults'],
  ['tags', '*'],
  ['operations', '*'],
  ['consumers', '*'],
  ...[['defaults'], ['tags', '*'], ['operations', '*'], ['consumers', '*']].map(path => ['weather', '*', ...path]),
]

/** The key that is meant when a behaviour is written as one text. */
const MAIN_KEY: Readonly<Record<string, string>> = { latency: 'fixed', rateLimit: 'limit' }
/** Words of other tools, with our words. */
const SYNONYMS: Readonly<Record<string, string>> = { delay: 'latency' }

/**
 * Returns the source with every short form written out. A synonym is a `foreign-word` warning.
 *
 * @param order whether the source is weather, whose `consumers` contain behaviours and no credentials
 */
export function expandShortForms(source: Source, report: Diagnostics, order = false): Source {
  /** New paths, with their paths in the text. */
  const origins = new Map<string, Path>()
  let { value } = source
  for (const path of BLOCKS) {
    if (!order && path[0] === 'consumers') continue
    value = changeAt(value, path, [], (block, at) => expandBlock(block, at, { origins, source, report }))
  }
  value = changeAt(value, ['resources', '*'], [], expandSchema)
  if (value === source.value) return source
  return source.derive(value, path => originOf(path, origins))
}

/** Replaces the objects at some paths. Returns the value itself if nothing changed. */
function changeAt(value: unknown, path: Path, at: Path, replace: (block: Members, at: Path) => Members): unknown {
  if (!isObject(value)) return value
  const [step, ...rest] = path
  const members = value as Members
  if (step === undefined) return replace(members, at)
  const keys = step === '*' ? Object.keys(members) : [String(step)].filter(key => Object.hasOwn(members, key))
  let changed: Record<string, unknown> | undefined
  for (const key of keys) {
    const made = changeAt(members[key], rest, [...at, key], replace)
    if (made === members[key]) continue
    changed ??= { ...members }
    changed[key] = made
  }
  return changed ?? value
}

/** The changes that the expansion has made. */
interface Trail {
  readonly origins: Map<string, Path>
  readonly source: Source
  readonly report: Diagnostics
}

function expandBlock(block: Members, at: Path, trail: Trail): Members {
  const { origins, source, report } = trail
  const entries = Object.entries(block).map(([written, config]): [string, unknown] => {
    const ours = SYNONYMS[written]
    const name = ours !== undefined && !Object.hasOwn(block, ours) ? ours : written
    const from = [...at, written]
    if (name !== written) {
      report.warning('foreign-word', `"${written}" is read as "${name}"`, source.locate(from, 'key'), `write ${name}`)
      origins.set(key([...at, name]), from)
    }
    const main = MAIN_KEY[name]
    if (main !== undefined && (typeof config === 'string' || typeof config === 'number')) {
      origins.set(key([...at, name, main]), from)
      return [name, { [main]: config }]
    }
    if (name === 'rules' && Array.isArray(config)) {
      // A rule is also a block, beside its condition.
      const rules = config.map((rule, i) =>
        changeAt(rule, [], [...at, name, i], (one, place) => expandBlock(one, place, trail)),
      )
      return [name, rules.every((rule, i) => rule === config[i]) ? config : rules]
    }
    return [name, name === 'fault' ? expandChances(config) : config]
  })
  const same = entries.every(([name, config]) => block[name] === config)
  return same ? block : Object.fromEntries(entries)
}

/** Converts `probability: 5%` to 0.05. */
function expandChances(fault: unknown): unknown {
  if (Array.isArray(fault)) {
    const made = fault.map(expandChances)
    return made.every((one, i) => one === fault[i]) ? fault : made
  }
  if (!isObject(fault)) return fault
  const { probability } = fault as Members
  const [, percent] = /^(\d+(?:\.\d+)?) ?%$/.exec(String(probability)) ?? []
  return percent === undefined ? fault : { ...fault, probability: Number((Number(percent) / 100).toPrecision(12)) }
}

/** Converts `schema: "#/components/schemas/Book"` to `Book`. */
function expandSchema(resource: Members): Members {
  const [, name] = /#\/(?:components\/schemas|definitions)\/([^/]+)$/.exec(String(resource.schema)) ?? []
  return name === undefined ? resource : { ...resource, schema: unescapeKey(name) }
}

const key = (path: Path): string => JSON.stringify(path)

/** Returns the path in the text of an expanded path: its longest prefix that was rewritten decides. */
function originOf(path: Path, origins: ReadonlyMap<string, Path>): Path {
  for (let length = path.length; length > 0; length--) {
    const from = origins.get(key(path.slice(0, length)))
    if (from !== undefined) return [...from, ...path.slice(length)]
  }
  return path
}

// Numbers of a gateway file, of weather and of answers: those of records and of bodies keep their digits, all others are numbers
// to calculate with.

/** Keys of a resource whose values become parts of records. */
const RECORDS: ReadonlySet<string> = new Set(['seed', 'defaults', 'set'])

/** Blocks whose values may become parts of bodies: their integers keep their digits. */
const SENT: ReadonlySet<string> = new Set(['errors', 'respond', 'reply'])

/**
 * Replaces each `Decimal` and each bigint of a parsed gateway file, of weather or of an answer by the nearest double, in place.
 * Both stay in `seed`, `defaults` and `set` of a resource, in `respond.body` and in the examples of an inline contract; a
 * bigint also stays everywhere in `errors`, `respond`, `reply` and an inline contract.
 */
export function roundSettings(value: unknown): void {
  if (!isObject(value)) return
  for (const [key, part] of Object.entries(value)) {
    if (key === 'contract') roundBeyondExamples(part)
    else if (key === 'resources' && isObject(part)) for (const block of Object.values(part)) roundResource(block)
    else roundMember(value, key, part, key)
  }
}

function roundResource(block: unknown): void {
  if (!isObject(block)) return
  for (const [key, part] of Object.entries(block)) if (!RECORDS.has(key)) roundMember(block, key, part)
}

/**
 * @param owner the key of `value`
 * @param sent whether `value` is in a block of `SENT`
 */
function round(value: unknown, owner: string, sent: boolean): void {
  if (Array.isArray(value)) for (const [i, item] of value.entries()) roundMember(value, i, item, owner, sent)
  else if (isObject(value)) {
    for (const [key, part] of Object.entries(value)) {
      if (owner !== 'respond' || key !== 'body') roundMember(value, key, part, key, sent)
    }
  }
}

function roundMember(holder: object, key: string | number, part: unknown, owner = String(key), sent = false): void {
  if (part instanceof Decimal || (typeof part === 'bigint' && !sent))
    (holder as Record<string | number, unknown>)[key] = Number(part)
  else round(part, owner, sent || SENT.has(owner))
}
