// Changes a document by a patch that has its shape.

import { isObject, type Json, type JsonObject } from './json.ts'

/** JSON Merge Patch (RFC 7396). */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const out = new Map<string, Json>(isObject(target) ? Object.entries(target as JsonObject) : [])
  for (const [key, value] of Object.entries(patch as JsonObject)) {
    if (value === null) out.delete(key)
    else out.set(key, isObject(value) ? mergePatch(out.get(key) ?? null, value) : value)
  }
  return Object.fromEntries(out)
}
