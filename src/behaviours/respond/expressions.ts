// Compiles configured values for the fields of a record, with expressions such as `${now}`, `${uuid}` or any in CEL. An
// expression that is the whole text takes the type of its field.

import type { Contract } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { describeField } from '../../contract/schema/field.ts'
import { ExpressionFailure } from '../../expression/expression.ts'
import { Language } from '../../expression/language.ts'
import { partsOf, type TemplatePart } from '../../expression/template.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import type { Path } from '../../kernel/source.ts'
import { parseDate, timestamp } from '../../world/clock.ts'
import type { Make, Making } from '../resource.ts'
import { momentOf } from './values.ts'

const scoped = (make: (making: Making) => Json | undefined): Make => Object.assign(make, { scoped: true })

/** Called with each mistake of an expression, and its place. */
export type Complain = (path: Path, message: string, hint: string | undefined) => void

/** The expressions by the text between `${` and `}`. */
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
    const make: Make = making => items.map(one => one(making) ?? null)
    return items.some(one => one.scoped) ? scoped(make) : make
  }
  const members = Object.entries(value as JsonObject).map(([name, item]) => {
    const child = shape?.properties.get(name)
    return [name, compileValue(item, child, contract, [...path, name], complain)] as const
  })
  const make: Make = making => {
    const made = members.flatMap(([name, one]) => {
      const value = one(making)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(made)
  }
  return members.some(([, one]) => one.scoped) ? scoped(make) : make
}

function compileText(text: string, node: Node | undefined, contract: Contract, path: Path, complain: Complain): Make {
  const parts = partsOf(text)
  const alone = parts.length === 1 ? node : undefined
  const makes = parts.map((part): string | Make => {
    if (typeof part === 'string') return part
    const name = part.text.trim()
    if (Object.hasOwn(EXPRESSIONS, name)) {
      return (EXPRESSIONS[name] as (typeof EXPRESSIONS)[string])(contract, alone, path)
    }
    return compileExpression(part, alone, contract, path, complain)
  })
  const [only] = makes
  if (makes.every(make => typeof make === 'string')) return () => makes.join('')
  if (makes.length === 1 && typeof only === 'function') return only
  const joined: Make = making => {
    const texts = makes.map(part => (typeof part === 'string' ? part : part(making)))
    if (texts.includes(undefined)) return undefined
    return texts.map(one => (typeof one === 'string' ? one : stringifyJson(one as Json))).join('')
  }
  return makes.some(make => typeof make === 'function' && make.scoped) ? scoped(joined) : joined
}

/** For requests to many operations, whose types are unknown at load. */
const language = new Language()

/** Compiles a CEL expression about the request. */
function compileExpression(
  part: TemplatePart,
  node: Node | undefined,
  contract: Contract,
  path: Path,
  complain: Complain,
): Make {
  if (!part.closed) {
    complain(path, '"${" has no closing brace', undefined)
    return () => undefined
  }
  const compiled = language.compile(part.text, 'any')
  if ('code' in compiled) {
    complain(path, compiled.message, compiled.hint)
    return () => undefined
  }
  for (const { kind, name } of compiled.references) {
    if (kind === 'resource') {
      complain(path, 'records cannot be read here', 'use record() in a rule or a fixed reply')
      continue
    }
    const names = kind === 'schema' ? [...contract.schemas.keys()] : contract.operations.map(({ id }) => id)
    if (!names.includes(name)) complain(path, `the contract has no ${kind} "${name}"`, suggest(name, names))
  }
  const field = node === undefined ? undefined : describeField(String(path.at(-1)), contract.use(node))
  const write = compiled.type === 'google.protobuf.Timestamp' ? field && momentOf(field) : undefined
  return scoped(({ scope }) => {
    if (scope === undefined) return undefined
    try {
      const value = compiled.evaluate(scope) as Json
      return write === undefined ? value : write(parseDate(String(value)) ?? 0)
    } catch (error) {
      if (error instanceof ExpressionFailure) return undefined
      throw error
    }
  })
}

function holdsExpression(value: Json): boolean {
  if (typeof value === 'string') return value.includes('${')
  if (Array.isArray(value)) return value.some(holdsExpression)
  return isObject(value) && Object.values(value as JsonObject).some(holdsExpression)
}

/** Sample data for checking values at load. */
export const SOME_REQUEST: Making = {
  clock: { now: () => 1_704_110_400_000 },
  uuid: () => '00000000-0000-4000-8000-000000000000',
  draw: () => 0.5,
}
