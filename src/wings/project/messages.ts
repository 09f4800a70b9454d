// The media type and the values of recorded messages.

import { essenceOf, isJson } from '../../contract/media-types.ts'
import { decodeComponent } from '../../contract/paths.ts'
import type { HarMessage } from '../../gateway/journal/har.ts'
import { type Json, parseJson } from '../../kernel/json.ts'

/** Returns the media type of a message, without its parameters; empty if it has none. */
export const typeOfMessage = ({ headers }: Pick<HarMessage, 'headers'>): string =>
  essenceOf(headers['content-type'] ?? '')

/** Returns a part of a path without its encoding; as it is where that is broken. */
export const decodeSegment = (segment: string): string => decodeComponent(segment) ?? segment

/** Returns the JSON of a message; `undefined` if it has none. */
export function jsonOfMessage(message: HarMessage): Json | undefined {
  const { body } = message
  if (typeof body !== 'string' || !isJson(typeOfMessage(message))) return undefined
  const parsed = parseJson(body, true)
  return 'fault' in parsed ? undefined : parsed.value
}

/** Whether its body is that of an HTML form. */
export const hasForm = (message: HarMessage): boolean => /urlencoded/.test(typeOfMessage(message))

/** Returns the JSON of a request, or the fields of its form. */
export function valueOfRequest(request: HarMessage): Json | undefined {
  const { body } = request
  return typeof body === 'string' && hasForm(request)
    ? Object.fromEntries(new URLSearchParams(body))
    : jsonOfMessage(request)
}
