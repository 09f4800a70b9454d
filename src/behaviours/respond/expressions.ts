// Values that the author writes for the fields of a record, with expressions in them: `${now}` and `${uuid}`. Compiled at
// load; an expression that is the whole of a text takes the type of its field.

import { describeField } from '../../contract/answer/field.ts'
import type { Contract } from '../../contract/contract.ts'
import type { Node } from '../../contract/document.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Path } from '../../kernel/source.ts'
import { timestamp } from '../../world/clock.ts'
import { momentOf } from './moments.ts'

/** What a value may be made of. */
export interface Making {
  /** The time of the request. */
  readonly clock: { now(): number }
  /** A UUID that this request always draws for this purpose. */
  uuid(purpose: string): string
  /** A number in [0, 1) that this request always draws for this purpose. */
  draw(purpose: string): number
}

export type Make = (making: Making) => Json

/** Called with what is wrong with an expression, and where. */
export type Complain = (path: Path, message: string, hint: string | undefined) => void

/** The expressions, by what stands between `${` and `}`. */
const EXPRESSIONS: Readonly<Record<string, (contract: Contract, node: Node | undefined, path: Path) => Make>> = {
  now(contract, node, path) {
    const field = node === undefined ? undefined : describeField(String(path.at(-1)), contract.use(node))
    const write = (field && momentOf(field)) ?? timestamp
    return ({ clock }) => write(clock.now())
  },
  uuid: (_contract, _node, path) => {
    const purpose = path.join('.')
    return making => making.uuid(purpose)
  },
}

const PLACEHOLDER = /\$\{([^}]*)\}/g

/**
 * Compiles a value for the field at `node`; each text in it may hold expressions.
 *
 * @param path of the value, for `complain`: its last key is the field's name
 */
export function compileValue(
  value: Json,
  node: Node | undefined,
  contract: Contract,
  path: Path,
  complain: Complain,
): Make {
  if (typeof value === 'string') return compileText(value, node, contract, path, complain)
  if (!holdsExpression(value)) return () => value
  const shape = node && contract.shapeOf(node)
  if (Array.isArray(value)) {
    const items = value.map((item, i) => compileValue(item, shape?.items, contract, [...path, i], complain))
    return making => items.map(make => make(making))
  }
  const members = Object.entries(value as JsonObject).map(([name, item]) => {
    const child = shape?.properties.get(name)
    return [name, compileValue(item, child, contract, [...path, name], complain)] as const
  })
  return making => Object.fromEntries(members.map(([name, make]) => [name, make(making)]))
}

function compileText(text: string, node: Node | undefined, contract: Contract, path: Path, complain: Complain): Make {
  // Texts and expressions by turns, beginning with a text.
  const parts = text.split(PLACEHOLDER)
  const makes = parts.map((part, i): string | Make => {
    if (i % 2 === 0) return part
    const name = part.trim()
    if (Object.hasOwn(EXPRESSIONS, name)) {
      const alone = text === `\${${part}}`
      return (EXPRESSIONS[name] as (typeof EXPRESSIONS)[string])(contract, alone ? node : undefined, path)
    }
    const known = Object.keys(EXPRESSIONS)
    const hint = suggest(name, known)?.replace(/"(\w+)"/, '"${$1}"') ?? `one of: ${known.join(', ')}`
    complain(path, `there is no expression \${${part}}`, hint)
    return part
  })
  const [before, make, after] = makes
  if (make === undefined) return () => text
  if (makes.length === 3 && before === '' && after === '' && typeof make === 'function') return make
  return making => makes.map(part => (typeof part === 'string' ? part : String(part(making)))).join('')
}

function holdsExpression(value: Json): boolean {
  if (typeof value === 'string') return value.includes('${')
  if (Array.isArray(value)) return value.some(holdsExpression)
  return isObject(value) && Object.values(value as JsonObject).some(holdsExpression)
}

/** Stands in for a request, to try values at load. */
export const SOME_REQUEST: Making = {
  clock: { now: () => 1_704_110_400_000 },
  uuid: () => '00000000-0000-4000-8000-000000000000',
  draw: () => 0.5,
}
