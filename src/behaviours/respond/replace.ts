// `replace: books`: replaces a record by the body.

import { replaceKeys } from './config.ts'
import { onRecord } from './on-record.ts'
import { compileWrite } from './write.ts'

export const replace = onRecord('replace', replaceKeys, (...all) => compileWrite(...all, 'replace'), 200, 204)
