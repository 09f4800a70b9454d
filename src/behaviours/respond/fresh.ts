// Chooses the initial value of a new record's field that neither the client nor the configuration sets, like a server would.
// The choice is made at load from the field's schema and name; only generated values are made per request.

import type { Field } from '../../contract/answer/field.ts'
import type { Json } from '../../kernel/json.ts'
import type { Make } from './expressions.ts'
import { momentOf, stampOf } from './moments.ts'

/** Names of switches that are initially on. */
const ON = /^(?:is_?)?(?:active|enabled|visible|available|valid|open|ok|success|successful|succeeded)$/i
/** Names of numbers that are zero in a new record: `reply_count`, `times_redeemed`, `amount_refunded`. */
const COUNT =
  /(?:^|_)count$|Count$|^(?:num|number_?of|times)_|_total$|_?(?:refunded|captured|redeemed|used|spent|shipped|received)$/i
/** Names of maps that clients fill. */
const MAP = /^(?:metadata|labels|annotations|tags|custom_?fields|custom_?attributes)$/i
/** Names of fields that hold the state of a record. */
const STATE = /status$|state$|^phase$|^stage$/i
/** States that a record begins in. */
const FIRST = /^(?:new|initial|draft|created|pending|open|opened|queued|todo|to_?do|triggered|submitted|requested)$/i
/** States that a record reaches later: many enums are in alphabetical order, `canceled` first. */
const LAST =
  /cancel|fail|error|delet|expire|clos|reject|archiv|abandon|block|suspend|complete|finish|revok|void|declin|aborted/i

/**
 * Returns a function that makes the value of a required field: the schema's const, default or example, the time of creation,
 * `null`, an empty list, else a generated value. Returns `undefined` without a valid value.
 */
export function freshOf(field: Field): Make | undefined {
  const { name, types, choices, allows } = field
  if (choices?.length === 1) return constant(choices[0] as Json)
  if (field.default !== undefined && field.default !== null && allows(field.default)) return constant(field.default)
  const write = stampOf(field) === undefined ? undefined : momentOf(field)
  if (write !== undefined) return ({ clock }) => write(clock.now())
  if (types.includes('null') && allows(null)) return constant(null)
  const first = firstOf(name, choices?.filter(allows) ?? [])
  if (first !== undefined) return constant(first)
  const plain = [...(types.length < 7 ? simplest(name, types) : [])].find(allows)
  if (plain !== undefined) return constant(plain)
  if (field.format === 'uuid' && allows(NIL)) return making => making.uuid(name)
  if (field.generate(1) === undefined) return undefined
  return making => field.generate(Math.floor(making.draw(`field ${name}`) * 2 ** 31) + 1) ?? null
}

/** The state that a record begins in; of other choices, the first one. */
function firstOf(name: string, choices: readonly Json[]): Json | undefined {
  if (!STATE.test(name)) return choices[0]
  const is = (words: RegExp) => (choice: Json) => typeof choice === 'string' && words.test(choice)
  return choices.find(is(FIRST)) ?? choices.find(choice => !is(LAST)(choice)) ?? choices[0]
}

function* simplest(name: string, types: Field['types']): Iterable<Json> {
  if (types[0] === 'array') yield []
  if (types[0] === 'object' && MAP.test(name)) yield {}
  if (types[0] === 'boolean') yield* ON.test(name) ? [true] : [false, true]
  if ((types[0] === 'integer' || types[0] === 'number') && COUNT.test(name)) yield 0
}

const NIL = '00000000-0000-4000-8000-000000000000'

const constant =
  (value: Json): Make =>
  () =>
    value
