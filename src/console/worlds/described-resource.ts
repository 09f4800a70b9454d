// A resource as the control plane describes it.

import type { RecordSchema } from './record-form.ts'

export interface DescribedResource {
  readonly name: string
  readonly idField: string
  readonly ids: 'integer' | 'text'
  readonly assigned: string
  readonly schema: RecordSchema
  /** Fields that hold ids of other resources, and which. */
  readonly references?: Readonly<Record<string, string>>
}
