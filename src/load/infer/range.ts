// Reads query parameters that bound a field: `from`, `to`, `createdAfter`, `min_price`, `created[gte]`.

import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import type { FieldNames } from './paths.ts'
import type { SchemaReader } from './schema.ts'

export interface Range {
  readonly field: string
  readonly is: 'at-least' | 'at-most' | 'more-than' | 'less-than'
  /** Whether name and type are unambiguous: `after` may also be a cursor. */
  readonly certain: boolean
}

const BOUNDS: Readonly<Record<string, Range['is']>> = {
  ...{ after: 'more-than', gt: 'more-than', before: 'less-than', lt: 'less-than' },
  ...{ from: 'at-least', since: 'at-least', gte: 'at-least', ge: 'at-least', min: 'at-least', start: 'at-least' },
  ...{ begin: 'at-least', minimum: 'at-least', to: 'at-most', until: 'at-most', lte: 'at-most', le: 'at-most' },
  ...{ max: 'at-most', end: 'at-most', maximum: 'at-most' },
}
/** Words beside a bound that say no more than that it is a time. */
const TIMES = new Set(['date', 'time', 'datetime', 'at', 'on', 'timestamp', 'day'])
/** The fields that a bound without a field's name is about, the likeliest first. */
const USUAL = [
  'date',
  'created',
  'createdat',
  'createdon',
  'createddate',
  'timestamp',
  'time',
  'startdate',
  'updatedat',
]

/** The field that a parameter bounds, and how; `undefined` where it bounds none. */
export function rangeOf(
  { name, schema }: Parameter,
  properties: ReadonlyMap<string, Node>,
  names: FieldNames,
  schemas: SchemaReader,
): Range | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
  const at = words.findLastIndex(word => BOUNDS[word] !== undefined)
  const is = BOUNDS[words[at] ?? '']
  if (is === undefined) return undefined
  const rest = words.filter((_, i) => i !== at)
  const spoken = rest.filter(word => !TIMES.has(word)).join('')
  const wanted =
    spoken === ''
      ? USUAL
      : [
          rest.join(''),
          spoken,
          `${spoken}at`,
          `${spoken}on`,
          `${spoken}date`,
          `${spoken}time`,
          `${spoken}d`,
          `${spoken}dat`,
        ]
  for (const candidate of wanted) {
    const field = names.bySpelling.get(candidate)?.[0]
    const node = field === undefined ? undefined : properties.get(field)
    const isDate = /^date/.test(schemas.format(schema.node) ?? '')
    if (field === undefined || node === undefined || !isComparable(schema.types, isDate, node, schemas)) continue
    if (spoken === '' && !isDate && rest.length === 0 && !/^(?:from|to|since|until)$/.test(words[at] as string))
      continue
    return { field, is, certain: isDate || spoken !== '' || rest.length > 0 }
  }
  return undefined
}

/** Whether a parameter and a field are both numbers, or both times; a date may be compared with seconds since 1970. */
function isComparable(types: ReadonlySet<string>, isDate: boolean, field: Node, schemas: SchemaReader): boolean {
  const known = schemas.types(field)
  const isNumber = (all: ReadonlySet<string>) => all.has('integer') || all.has('number')
  if (isNumber(types)) return isNumber(known)
  if (isDate && isNumber(known)) return true
  return types.has('string') && known.has('string') && /^date/.test(schemas.format(field) ?? '')
}
