// The text of a record as it is stored, and back.

import { type JsonObject, stringifyJson } from '../kernel/json.ts'
import { parseSent } from '../kernel/parse-json.ts'

/**
 * Returns the text of a record in one piece. The engine keeps a text that it has just written in several pieces, which take
 * half as much memory again, until a character is read. The error below keeps the engine from removing that read.
 */
export function recordText(value: JsonObject): string {
  const text = stringifyJson(value)
  if (text.charCodeAt(text.length - 1) !== BRACE) throw new Error('a record is an object')
  return text
}

const BRACE = 125

/** Reads the text of a record that was stored once. */
export function readRecord(text: string): JsonObject {
  const parsed = parseSent(text)
  if ('fault' in parsed) throw new Error(`a stored record ${parsed.fault}`)
  return parsed.value as JsonObject
}
