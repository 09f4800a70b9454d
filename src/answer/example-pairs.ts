// Examples of requests and of replies that share a name: who sends the one gets the other.

import { isDeepStrictEqual } from 'node:util'
import { type Operation, type ResponseSpec, responseFor, successStatus } from '../contract/contract.ts'
import type { Json } from '../kernel/json.ts'
import type { SchemaUse } from '../schema/dialect.ts'
import { samplerOf } from '../schema/sampling.ts'

interface Sent {
  readonly name: string
  readonly body: Json
}

export class ExamplePairs {
  readonly #operation: Operation
  /** The named examples of request bodies for which there is a reply; found when first asked for. */
  #sent: readonly Sent[] | undefined

  constructor(operation: Operation) {
    this.#operation = operation
  }

  /**
   * The name of the request example that a body is, where a reply of that name is documented.
   *
   * @param status the status wanted; else the usual one, or another where the usual reply has named examples, but not this one
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

function gather(operation: Operation): readonly Sent[] {
  const answered = new Set([...operation.responses.values()].flatMap(response => [...namesOf(response)]))
  if (answered.size === 0) return []
  return [...(operation.body?.content.values() ?? [])].flatMap(({ examples, schema }) =>
    examples.flatMap(({ name, value }) =>
      name !== undefined && answered.has(name) ? [{ name, body: schema?.prune(value) ?? value }] : [],
    ),
  )
}

/** The names of a reply's examples. One that breaks its schema is sent to whoever asks for it by name, and to nobody else. */
const namesOf = (response: ResponseSpec | undefined): ReadonlySet<string> =>
  new Set(
    [...(response?.content.values() ?? [])].flatMap(({ examples, schema }) =>
      examples.flatMap(({ name, value }) => (name !== undefined && isSound(value, schema) ? [name] : [])),
    ),
  )

const isSound = (value: Json, schema: SchemaUse | undefined): boolean =>
  schema === undefined || typeof value === 'string' || samplerOf(schema).fits(schema.key, schema.prune(value))
