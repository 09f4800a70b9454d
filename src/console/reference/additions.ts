// Writes the additions of the gateway below the description of an operation.

import { mapValues } from '../../kernel/json.ts'
import { writeMoment } from '../model/wording.ts'

export type ContractDocument = Readonly<Record<string, unknown>>

interface Additions {
  readonly operation: string
  readonly phase: string
  readonly refused?: number
  readonly until?: string
  readonly next?: { readonly what: string; readonly at: string }
  readonly behaviours: readonly string[]
}

/** Returns the document with the additions of each operation written below its description. */
export function withAdditions(document: ContractDocument): ContractDocument {
  const withAdded = (operation: unknown): unknown => {
    const added = isPart(operation) ? (operation['x-understudy'] as Additions | undefined) : undefined
    return added === undefined ? operation : writeAdditions(operation as ContractDocument, added)
  }
  const withAllAdded = (item: unknown): unknown => mapValues(item as ContractDocument, withAdded)
  return { ...document, paths: mapValues((document.paths ?? {}) as ContractDocument, withAllAdded) }
}

function writeAdditions(
  operation: ContractDocument,
  { operation: id, phase, refused, until, next, behaviours }: Additions,
): ContractDocument {
  const lines = [
    `- phase: **${phase}**${refused === undefined ? '' : `, answers ${refused}`}${until === undefined ? '' : ` until ${writeMoment(Date.parse(until))}`}`,
    ...(next === undefined ? [] : [`- next: ${next.what} on ${writeMoment(Date.parse(next.at))}`]),
    ...behaviours.map(one => `- ${one.replace(/^[\w-]+/, '`$&`')}`),
  ]
  const before = typeof operation.description === 'string' ? `${operation.description}\n\n` : ''
  const summary = [operation.summary, ...(phase === 'active' ? [] : [phase])].filter(part => typeof part === 'string')
  return {
    ...operation,
    operationId: id,
    summary: summary.join(' · '),
    description: `${before}**In this stand-in**\n\n${lines.join('\n')}`,
  }
}

/** Returns the tag under which an operation is shown, `default` where it has none; `undefined` for an unknown operation. */
export function tagOfOperation({ paths = {} }: ContractDocument, id: string): string | undefined {
  const operations = Object.values(paths as ContractDocument).flatMap(item => Object.values(item as ContractDocument))
  const found = operations.find(one => isPart(one) && one.operationId === id) as ContractDocument | undefined
  return found && ((found.tags as readonly string[] | undefined)?.[0] ?? 'default')
}

const isPart = (value: unknown): value is ContractDocument => typeof value === 'object' && value !== null
