// Expands the short forms of gateway.yaml, and words of other tools with the same meaning, before anything is checked.
// Mistakes are still reported at the place in the file.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import { isObject, unescapeKey } from '../kernel/json.ts'
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
