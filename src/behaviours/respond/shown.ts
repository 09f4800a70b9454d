// Shows a record in an operation's own reply schema: `GET /projects` may list summaries of `GET /projects/{id}`. Runs only
// if that schema differs from the record's, and once for each state of a record.

import type { Node } from '../../contract/documents.ts'
import { isObject, type Json, type JsonObject, parseSent, stringifyJson } from '../../kernel/json.ts'
import { hashOf } from '../../sample/chance.ts'
import { type Entry, idIn } from '../../world/collection.ts'
import { drawUuid } from '../../world/draws.ts'
import type { Site } from '../behaviour.ts'
import { withoutOwners } from '../resource.ts'
import type { Making } from './expressions.ts'
import { mend } from './mend.ts'
import type { Resource } from './resource.ts'

/** Converts a record to a reply's schema. A record that is valid, or cannot be converted, stays unchanged. */
type Fit = (record: JsonObject) => JsonObject

/** @param node the reply's schema of the record; `undefined` if it has none */
function compileFit(node: Node | undefined, resource: Resource, site: Site): Fit | undefined {
  const { unshown } = resource
  const fit = compileMend(node, resource, site)
  if (unshown.length === 0) return fit
  return record => {
    const shown = withoutOwners(unshown, record)
    return fit === undefined ? shown : fit(shown)
  }
}

/** Converts a record to another schema that shows it; `undefined` if there is none. */
function compileMend(node: Node | undefined, resource: Resource, { contract }: Site): Fit | undefined {
  if (node === undefined || contract.identify(node) === contract.identify(resource.schema.node)) return undefined
  const { properties } = resource.schema.shape
  const names = [...contract.shapeOf(node).properties.keys()]
  // A reply schema for something else is the author's mistake and must be reported.
  if (names.filter(name => properties.has(name)).length * 2 < names.length) return undefined
  const schema = contract.use(node)
  return record => mend(record, NOTHING_GIVEN, schema, ANYTHING, makingFor(record, resource)) ?? record
}

const NOTHING_GIVEN: JsonObject = {}
const ANYTHING = { declares: () => true, refuses: () => false }

/** Draws the same values for a record in every reply. */
function makingFor(record: JsonObject, { name, idField }: Resource): Making {
  const of = (purpose: string) => hashOf(`${name} ${String(idIn(idField, record))} ${purpose}`)
  return {
    clock: { now: () => 0 },
    uuid: purpose => drawUuid(of(purpose), name, 1),
    draw: purpose => (of(purpose) >>> 0) / 2 ** 32,
  }
}

/** Compiles the text of a record in a reply. */
export function compileShown(node: Node | undefined, resource: Resource, site: Site): (entry: Entry) => string {
  const fit = compileFit(node, resource, site)
  if (fit === undefined) return ({ text }) => text
  const known = new WeakMap<Entry, string>()
  return entry => {
    let text = known.get(entry)
    if (text === undefined) {
      const shown = fit(entry.value)
      text = shown === entry.value ? entry.text : stringifyJson(shown)
      known.set(entry, text)
    }
    return text
  }
}

const AS_STORED: Fit = record => record

/**
 * Compiles the text of a list of records in a reply; `undefined` if the reply has the stored form.
 *
 * @param write the text of a list's item with a record, if it is not the record
 */
export function compileShownList(
  node: Node | undefined,
  resource: Resource,
  site: Site,
  write?: (record: JsonObject) => string,
): ((text: string) => string) | undefined {
  const fit = compileFit(node, resource, site) ?? (write && AS_STORED)
  if (fit === undefined) return undefined
  let last = { text: '[]', shown: '[]' }
  return text => {
    if (last.text === text) return last.shown
    const parsed = parseSent(text)
    if ('fault' in parsed || !Array.isArray(parsed.value)) return text
    const records = parsed.value as Json[]
    const fitted = records.map(record => (isObject(record) ? fit(record as JsonObject) : record))
    const isChanged = fitted.some((one, i) => one !== records[i])
    const shown =
      write !== undefined
        ? `[${fitted.map(one => write(one as JsonObject)).join(',')}]`
        : isChanged
          ? stringifyJson(fitted)
          : text
    last = { text, shown }
    return shown
  }
}
