// Decodes UTF-8 of many megabytes, a piece at a time: others have their turn in between.

import type { Steps } from './steps.ts'

/** Bytes of UTF-8 that are decoded at once. */
const BYTES = 1_000_000

/** Decodes UTF-8, in steps; `undefined` if the bytes are something else. */
export function* decodeInSteps(bytes: Uint8Array): Steps<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  try {
    for (let from = 0; from < bytes.length; from += BYTES) {
      if (from > 0) yield
      text += decoder.decode(bytes.subarray(from, from + BYTES), { stream: true })
    }
    return text + decoder.decode()
  } catch {
    return undefined
  }
}
