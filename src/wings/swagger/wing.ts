// Swagger 2.0: contracts that are converted to OpenAPI 3.0 when they are read.

import type { Wing } from '../../cli/command.ts'
import { convertSwagger } from './convert-swagger.ts'

export const swagger: Wing = { name: 'swagger', convert: convertSwagger }
