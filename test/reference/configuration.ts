// The configuration reference: tables made of the JSON Schema of gateway.yaml.

import { isObject } from '../../src/kernel/json.ts'
import { houseWith } from '../../src/plan/house.ts'
import { simulationSchemaOf } from '../../src/plan/simulation-schema.ts'
import { WINGS } from '../../src/wings.ts'
import { table } from './table.ts'

interface Shape {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Shape>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly required?: readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
}

const root = simulationSchemaOf(houseWith(WINGS)) as Shape
const operations = root.properties?.operations?.additionalProperties as Shape
/** Returns the definition that a reference leads to. */
const follow = (shape: Shape): Shape => root.$defs?.[shape.$ref?.slice('#/$defs/'.length) ?? ''] ?? shape

/** The placeholder for a key that the author chooses. */
const NAMES: Readonly<Record<string, string>> = {
  consumers: 'NAME',
  'consumers.NAME': 'SCHEME',
  resources: 'NAME',
  weather: 'NAME',
  'weather.NAME.tags': 'TAG',
  'weather.NAME.operations': 'OPERATION',
  'weather.NAME.consumers': 'CONSUMER',
  tags: 'TAG',
  operations: 'OPERATION',
}
/** Blocks whose keys are the behaviours, which have separate tables. */
const HOLDERS = [
  ...['errors', 'defaults', 'tags.TAG', 'operations.OPERATION', 'weather.NAME.defaults', 'weather.NAME.tags.TAG'],
  ...['weather.NAME.operations.OPERATION', 'weather.NAME.consumers.CONSUMER'],
]

/** Returns every key of gateway.yaml: first those outside the behaviours, then each behaviour. */
export function describeConfiguration(): string {
  const behaviours = Object.entries(operations.properties ?? {})
  return [
    table(['key', 'takes', 'default', 'meaning'], rowsOf('', root)),
    ...behaviours.map(([name, shape]) => `## \`${name}\`\n\n${describeBehaviour(name, follow(shape))}`),
  ].join('\n\n')
}

function describeBehaviour(name: string, shape: Shape): string {
  const rows = rowsOf(name, shape)
  const about = shape.description ?? ''
  return rows.length === 0 ? about : `${about}\n\n${table(['key', 'takes', 'default', 'meaning'], rows)}`
}

/** A row for each key below a shape, with a dot for each step down and `[]` for an item. */
function rowsOf(path: string, shape: Shape): string[][] {
  const below = alternatives(shape).flatMap(one => {
    const named = Object.entries(one.properties ?? {}).map(([key, part]) => [key, follow(part)] as [string, Shape])
    const free = one.additionalProperties
    if (isObject(free)) named.push([NAMES[path] ?? 'NAME', free as Shape])
    return named
  })
  // A rule has behaviours beside its keys.
  const own = path.endsWith('rules[]') ? below.filter(([key]) => ['when', 'times'].includes(key)) : below
  const rows = own.flatMap(([key, child]) => {
    const at = path === '' ? key : `${path}.${key}`
    const nested = HOLDERS.includes(at) ? [] : rowsOf(at, child)
    // A name without a description is shown by its keys only.
    return child.description === undefined && nested.length > 0 ? nested : [rowOf(at, child), ...nested]
  })
  // One block or a list of blocks: the keys are the same.
  const items = alternatives(shape).flatMap(({ items, properties }) =>
    items === undefined || properties !== undefined ? [] : rowsOf(`${path}[]`, items),
  )
  return [...rows, ...items]
}

const alternatives = (shape: Shape): readonly Shape[] => [shape, ...(shape.anyOf ?? []), ...(shape.oneOf ?? [])]

function rowOf(path: string, shape: Shape): string[] {
  const text = shape.description ?? ''
  const found = /^(.*?)\s*Default: (.*?)\.?$/s.exec(text)
  const fallback = found === null ? '' : `\`${found[2]}\``
  return [`\`${path}\``, takes(shape), fallback, found === null ? text : (found[1] as string)]
}

function takes(shape: Shape): string {
  const union = [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])]
  if (union.length > 0) return [...new Set(union.map(takes))].join(', or ')
  if (shape.const !== undefined) return `\`${String(shape.const)}\``
  if (shape.enum !== undefined) return shape.enum.map(value => `\`${String(value)}\``).join(', ')
  if (shape.format !== undefined) return shape.format
  const types = [shape.type ?? []].flat().filter(type => type !== 'null')
  if (types.length === 0) return 'anything'
  return types.map(type => wordFor(type, shape)).join(', or ')
}

function wordFor(type: string, { minimum, maximum, exclusiveMinimum, items }: Shape): string {
  if (type === 'array') return items === undefined ? 'list' : `list of ${takes(items)}`
  if (type === 'object') return 'block'
  if (type === 'string') return 'text'
  if (type !== 'integer' && type !== 'number') return type
  if (minimum !== undefined && maximum !== undefined) return `${type}, ${minimum} to ${maximum}`
  if (minimum !== undefined) return `${type}, at least ${minimum}`
  return exclusiveMinimum === undefined ? type : `${type} above ${exclusiveMinimum}`
}
