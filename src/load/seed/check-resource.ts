// The parts of a resource's configuration that name fields and other resources, checked.

import type { ResourceReference } from '../../behaviours/resource.ts'
import { isUnshown, withinsOf } from '../../behaviours/respond/config.ts'
import type { RespondConfig } from '../../behaviours/respond/index.ts'
import type { Contract } from '../../contract/contract.ts'
import { fieldNode } from '../../contract/field-node.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { type Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import type { LocateWithin } from '../../plan/record-states.ts'
import type { ResourceFile } from '../../plan/simulation-file.ts'

/** The fields that ids are unique within. */
export function checkWithin(
  { id, schema: name }: ResourceFile,
  { shape }: SchemaUse,
  contract: Contract,
  at: LocateWithin,
  report: Diagnostics,
): readonly string[] {
  const fields = id?.within ?? []
  for (const [i, field] of fields.entries()) {
    if (isUnshown(field) || fieldNode(shape, field, contract) !== undefined) continue
    const hint = suggest(field, shape.properties.keys())
    report.error('unknown-field', `${name} has no field "${field}"`, at(['id', 'within', i]), hint)
  }
  return fields
}

/**
 * The owners that records are kept with and that no reply shows: those of the configuration's fields in braces.
 *
 * @param responders the `respond` blocks of the operations on the resource
 */
export function unshownOf({ id }: ResourceFile, responders: readonly RespondConfig[]): readonly string[] {
  const fields = new Set((id?.within ?? []).filter(isUnshown))
  for (const { within } of responders) {
    for (const { field } of withinsOf(within)) if (field !== undefined && isUnshown(field)) fields.add(field)
  }
  return [...fields]
}

export function checkReferences(
  { references = {}, schema: name }: ResourceFile,
  declared: Readonly<Record<string, ResourceFile>>,
  schema: SchemaUse,
  at: LocateWithin,
  report: Diagnostics,
): ReadonlyMap<string, ResourceReference> {
  const { shape } = schema
  return new Map(
    Object.entries(references).map(([field, written]) => {
      const { to, onDelete = 'restrict' } = typeof written === 'string' ? { to: written } : written
      if (!shape.properties.has(field)) {
        const hint = suggest(field, shape.properties.keys())
        report.error('unknown-field', `${name} has no field "${field}"`, at(['references', field], 'key'), hint)
      }
      if (!Object.hasOwn(declared, to)) {
        const place = at(typeof written === 'string' ? ['references', field] : ['references', field, 'to'])
        report.error('unknown-resource', `there is no resource "${to}"`, place, suggest(to, Object.keys(declared)))
      } else if ((declared[to]?.id?.within ?? []).length > 0) {
        const place = at(typeof written === 'string' ? ['references', field] : ['references', field, 'to'])
        const message = `"${field}" alone cannot name a record of ${to}, whose ids are unique only within ${declared[to]?.id?.within?.join(', ')}`
        report.error('invalid-value', message, place)
      }
      if (onDelete === null && shape.required.has(field)) {
        const faults = schema.check({ [field]: null })?.filter(({ pointer }) => pointer === `/${field}`) ?? []
        if (faults.length > 0 && schema.check({ [field]: [] })?.some(({ pointer }) => pointer === `/${field}`)) {
          const message = `"${field}" cannot be emptied: it is required and cannot be null`
          report.error('invalid-value', message, at(['references', field, 'onDelete']), 'write restrict or cascade')
        }
      }
      return [field, { to, onDelete: onDelete ?? 'null' }] as const
    }),
  )
}
