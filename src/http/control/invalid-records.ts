// The refusal of records that break the contract: its description, and the reply.

import { problem } from './replies.ts'
import type { ControlReply } from './route.ts'
import { list, object, problemSchema, words } from './schemas.ts'

const invalidSchema = {
  ...problemSchema,
  required: [...problemSchema.required, 'errors'],
  properties: {
    ...problemSchema.properties,
    errors: {
      ...list(
        object({
          pointer: { ...words, description: 'A JSON Pointer to the field; empty for the whole.' },
          message: words,
        }),
      ),
      description: 'The first 20.',
    },
  },
} as const
/** The reply to records that break the contract, for the description of an operation. */
export const invalid = {
  422: {
    description: 'The request breaks the contract; nothing was changed.',
    content: { 'application/problem+json': invalidSchema },
  },
} as const

const MOST_FAULTS = 20

/**
 * Refuses records, with the place of each fault.
 *
 * @param faults sentences that begin with a JSON Pointer
 */
export const refuseRecord = (faults: readonly string[]): ControlReply => {
  const shown = faults.slice(0, MOST_FAULTS)
  const more = faults.length > MOST_FAULTS ? `; and ${faults.length - MOST_FAULTS} more` : ''
  const errors = shown.map(fault => {
    const [, pointer = '', message = fault] = /^(\/\S*)? ?(.*)$/s.exec(fault) ?? []
    return { pointer, message }
  })
  return problem(422, 'invalid_record', shown.join('; ') + more, { errors })
}
