// `create: books`: adds the record in the body, or each record of a list in it.

import { createKeys } from './config.ts'
import { onRecord } from './on-record.ts'
import { compileCreate } from './write.ts'

export const create = onRecord('create', createKeys, compileCreate, 201, 200)
