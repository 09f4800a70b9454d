// `update: books`: merges the body into a record, or applies it as a patch.

import { updateKeys } from './config.ts'
import { onRecord } from './on-record.ts'
import { compileWrite } from './write.ts'

export const update = onRecord('update', updateKeys, (...all) => compileWrite(...all, 'update'), 200, 204)
