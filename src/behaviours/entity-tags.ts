// Entity tags of replies (RFC 9110 §8.8.3).

import { createHash } from 'node:crypto'
import type { Reply } from '../kernel/http.ts'
import { digest } from '../world/draws.ts'
import type { Entry } from '../world/records/types.ts'

/** The revision distinguishes the states of a record; the digest, those before and after a reset. */
export const tagOf = ({ revision, text }: Entry): string => `"${revision.toString(36)}-${digest(text).toString(36)}"`

/**
 * Returns the entity tag of a reply: the one in its headers, a record's, or a digest of its body. The body is sent exactly
 * as digested, so the tag is strong (RFC 9110 §8.8.1).
 */
export function tagOfReply({ headers, body }: Reply, entry: Entry | undefined): string {
  const { etag, 'content-type': type = '' } = headers
  if (etag !== undefined && TAG.test(etag)) return etag
  if (entry === undefined) {
    const hash = createHash('sha256').update(body ?? '')
    return `"${hash.digest('base64url').slice(0, 22)}"`
  }
  const [, media = ''] = /^\w+\/([a-z0-9.+-]+)/i.exec(type) ?? []
  if (media === '' || /^(?:.*\+)?json$/i.test(media)) return tagOf(entry)
  return tagOf(entry).replace(/"$/, `.${media.toLowerCase().replace(/[^a-z0-9+-]/g, '-')}"`)
}

const TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** Returns whether a list of entity tags contains this one. Weak tags match only in a weak comparison (§8.8.3.2). */
export function listsTag(field: string, tag: string, strongly: boolean): boolean {
  if (field.trim() === '*') return true
  const own = tag.replace(/^W\//, '')
  if (strongly && own !== tag) return false
  for (const [, weak, opaque] of field.matchAll(/(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) {
    if (opaque === own && !(strongly && weak !== undefined)) return true
  }
  return false
}
