// Pairs examples of requests and replies by name: a request with the one is answered with the other.

import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../kernel/json.ts'
import { type Operation, type ResponseSpec, responseFor, successStatus } from '../contract.ts'
import type { SchemaUse } from '../schema/schema-book.ts'

interface SentBody {
  readonly name: string
  readonly body: Json
}

export class ExamplePairs {
  readonly #operation: Operation
  /** The named examples of request bodies that have a reply; found on first use. */
  #sent: readonly SentBody[] | undefined

  constructor(operation: Operation) {
    this.#operation = operation
  }

  /**
   * Returns the name of the request example that equals a body, if a reply with that name is documented.
   *
   * @param status the requested status; else the usual one, or another if the usual reply has named examples but not this
   * one
   */
  nameFor(body: Json | undefined, status: number | undefined): string | undefined {
    if (body === undefined) return undefined
    this.#sent ??= gather(this.#operation)
    if (this.#sent.length === 0) return undefined
    const name = this.#sent.find(one => isDeepStrictEqual(one.body, body))?.name
    if (name === undefined) return undefined
    const usual = namesOf(responseFor(this.#operation, status ?? successStatus(this.#operation, 200)))
    return usual.has(name) || (status === undefined && usual.size > 0) ? name : undefined
  }
}

function gather(operation: Operation): readonly SentBody[] {
  const answered = new Set([...operation.responses.values()].flatMap(response => [...namesOf(response)]))
  if (answered.size === 0) return []
  return [...(operation.body?.content.values() ?? [])].flatMap(({ examples, schema }) =>
    examples.flatMap(({ name, value }) =>
      name !== undefined && answered.has(name) ? [{ name, body: schema?.prune(value) ?? value }] : [],
    ),
  )
}

/** Returns the names of a reply's examples. An invalid example is sent only if it is requested by name. */
const namesOf = (response: ResponseSpec | undefined): ReadonlySet<string> =>
  new Set(
    [...(response?.content.values() ?? [])].flatMap(({ examples, schema }) =>
      examples.flatMap(({ name, value }) => (name !== undefined && isSound(value, schema) ? [name] : [])),
    ),
  )

const isSound = (value: Json, schema: SchemaUse | undefined): boolean =>
  schema === undefined || typeof value === 'string' || schema.sampler.fits(schema.key, schema.prune(value))
