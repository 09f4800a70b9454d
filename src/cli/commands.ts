// The list of the commands. Each is in a file of its subject and in one line here.

import { coverage } from '../wings/coverage/command.ts'
import { drift } from '../wings/drift/drift-command.ts'
import { importCommand } from '../wings/import/import-command.ts'
import { init, schema } from '../wings/infer/init-command.ts'
import { next } from '../wings/next/command.ts'
import { contract } from '../wings/overlay/contract-command.ts'
import { record } from '../wings/record/record-command.ts'
import { records, requests } from '../wings/record/requests-command.ts'
import { check, plan } from './check.ts'
import type { Command } from './command.ts'
import { serveCommand } from './serve.ts'

export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: serveCommand,
  check,
  drift,
  next,
  record,
  requests,
  records,
  plan,
  contract,
  init,
  import: importCommand,
  schema,
  coverage,
}
