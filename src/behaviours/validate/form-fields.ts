// Reads the fields of a form, whose number is bounded.

import type { MediaType } from '../../contract/contract.ts'
import type { Json } from '../../kernel/json.ts'
import type { Parsed } from '../../kernel/parse-json.ts'

export function readForm(fields: ReadonlyMap<string, readonly string[]>, form: MediaType['form']): Parsed {
  if (form !== undefined) return form(fields) as Parsed
  const value = [...fields].map(([name, texts]) => [name, texts.length > 1 ? texts : texts[0]] as const)
  return { value: Object.fromEntries(value) as Json, exact: false }
}

/** The maximum number of fields of a form: each takes some ten microseconds. */
export const MOST_FIELDS = 10_000
export const MANY_FIELDS = { fault: `has more than ${MOST_FIELDS} fields` }

/** Counts what `next` finds from an index on, up to `most` and one. */
export function countUpTo(most: number, next: (from: number) => number): number {
  let count = 0
  for (let at = next(0); at !== -1 && count <= most; at = next(at + 1)) count += 1
  return count
}

/** The platform's own parser (RFC 7578). */
export async function readMultipart(bytes: Uint8Array, type: string, form: MediaType['form']): Promise<Parsed> {
  const fields = new Map<string, string[]>()
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(type)
  const part = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`
  if (countUpTo(MOST_FIELDS + 1, from => body.indexOf(part, from)) > MOST_FIELDS + 1) return MANY_FIELDS
  try {
    const data = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
    for (const [name, part] of data) {
      const text = typeof part === 'string' ? part : Buffer.from(await part.arrayBuffer()).toString('latin1')
      const known = fields.get(name)
      if (known === undefined) fields.set(name, [text])
      else known.push(text)
    }
  } catch {
    return { fault: 'is not a multipart form' }
  }
  return readForm(fields, form)
}
