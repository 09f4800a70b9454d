// The settings of a gateway.yaml that the contract refuses.

import { basename } from 'node:path'
import { Diagnostics, type Place } from '../../kernel/diagnostic.ts'
import { readSource } from '../../kernel/file/read-source.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'

/** Settings are left out whole at this depth: `resources.Note.defaults.color`, `operations.getNote.rules.0`. */
const SETTING_DEPTH = 4

/** Returns the settings of a gateway.yaml that errors are in, each with the first error. */
export function refusedSettings(file: string, gateway: JsonObject, { list }: Diagnostics): ReadonlyMap<string, string> {
  const source = readSource(file, file, new Diagnostics())
  const settings = [...settingsIn(gateway)].map(path => ({
    path,
    at: source?.locate(path, 'key') ?? placeOfFile(file),
  }))
  const refused = new Map<string, string>()
  for (const { severity, place, message } of list) {
    if (severity !== 'error' || basename(place.file) !== basename(file)) continue
    const isBefore = ({ at }: { readonly at: Place }) =>
      at.line < place.line || (at.line === place.line && at.column <= place.column)
    const setting = settings.findLast(isBefore)?.path.join('.')
    if (setting !== undefined && !refused.has(setting)) refused.set(setting, message)
  }
  return refused
}

/** The paths of resources, operations and defaults, and of the settings in them, in their order. */
function* settingsIn(value: Json, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (path.length > 1) yield path
  if (path.length === SETTING_DEPTH || typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [name, member] of Object.entries(value)) yield* settingsIn(member, [...path, isList ? Number(name) : name])
}

/** Returns a gateway.yaml without some settings. @param settings their paths, joined by dots */
export function withoutSettings<Value extends Json>(value: Value, settings: ReadonlySet<string>, path = ''): Value {
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    return settings.has(at) ? [] : [[name, withoutSettings(member as Json, settings, at)] as const]
  })
  return (Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept)) as unknown as Value
}
