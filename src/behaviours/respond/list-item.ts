// Wraps each record of a list: `{ customer: {…} }`.

import type { Node } from '../../contract/documents.ts'
import { type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import { compileTemplate, JsonText, unfilled } from '../../kernel/template.ts'
import type { Site } from '../behaviour.ts'
import { schemaBelow } from './branch.ts'
import { completeTemplate, NOTHING_KNOWN } from './complete-template.ts'
import { recordPath } from './wrapping.ts'

export interface ListItem {
  /** The schema of the record in the item. */
  readonly record: Node | undefined
  /** Returns the text of the item with a record. */
  write(record: JsonObject): string
}

/**
 * @param template an item with `${record.value}`; `undefined` for items that are the records
 * @param node the schema of an item
 */
export function compileItem(template: Json | undefined, node: Node | undefined, site: Site): ListItem | undefined {
  if (template === undefined) return undefined
  const { contract } = site
  for (const { path, part, message, hint } of unfilled({ item: template }, ['record.value'])) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const whole = node === undefined ? template : completeTemplate(template, node, contract, NOTHING_KNOWN)
  return {
    record: schemaBelow(node, recordPath(template), contract),
    write: compileTemplate<JsonObject>(whole, 'record', { value: record => new JsonText(stringifyJson(record)) }),
  }
}
