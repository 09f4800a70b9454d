// Media types as they are written, and the encoding of a form's fields.

export interface Encoding {
  readonly contentType: string | undefined
  readonly style: string | undefined
  readonly explode: boolean | undefined
}

/** The media type of a JSON Patch (RFC 6902). */
export const JSON_PATCH = 'application/json-patch+json'

/** Returns whether a media type is JSON (RFC 6839 §3.1 for `+json`). */
export const isJson = (mediaType: string): boolean => /^application\/(?:[\w.!#$&^-]+\+)?json(?:\s*;|$)/i.test(mediaType)

/** Returns a media type without its parameters, in lower case: `text/html; charset=utf-8` → `text/html`. */
export const essenceOf = (type: string): string => (type.split(';', 1)[0] as string).trim().toLowerCase()
