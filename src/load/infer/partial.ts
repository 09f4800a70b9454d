// Tells a PUT that changes the fields it is sent from one that replaces the record: several large APIs mean the first.

import type { Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { isObject } from '../../kernel/json.ts'
import { singleSent } from './reply.ts'
import type { SchemaReader } from './schema.ts'

/** Descriptions such as "Only the fields provided in the data block will be updated; any others remain unchanged." */
const SAYS =
  /\bonly (?:the |those )?(?:fields|properties|attributes|parameters|values) (?:that|which|you|provided|given|sent|specified|supplied|included|present)|\b(?:remain|left|are) unchanged\b|\bsparse updates?\b|\bpartial(?:ly)? updates?\b|\bmerged? (?:in)?to the existing\b/i

/**
 * Whether a PUT changes only the fields that it is sent: its description says so, or it requires nothing of what a request to
 * create requires.
 */
export function isPartial(
  put: Operation,
  create: Operation | undefined,
  word: string,
  records: readonly Node[],
  schemas: SchemaReader,
): boolean {
  const { summary, description } = isObject(put.node.value) ? put.node.value : {}
  if (SAYS.test(`${summary ?? ''} ${description ?? ''}`)) return true
  const needed = create && requiredBy(create, word, records, schemas)
  const given = requiredBy(put, word, records, schemas)
  return needed !== undefined && given !== undefined && needed.size > 0 && ![...needed].some(name => given.has(name))
}

/** The fields that a request must give; `undefined` where it takes no record. */
function requiredBy(
  operation: Operation,
  word: string,
  records: readonly Node[],
  schemas: SchemaReader,
): ReadonlySet<string> | undefined {
  const single = singleSent(operation, word, records, schemas)
  return single && schemas.shape(single.record).required
}
