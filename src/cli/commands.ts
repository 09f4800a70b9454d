// The list of the commands. Each is in a file of its subject and in one line here.

import { check, plan } from './check.ts'
import type { Command } from './command.ts'
import { contract } from './contract.ts'
import { coverage } from './coverage.ts'
import { drift } from './drift.ts'
import { importCommand } from './import.ts'
import { init, schema } from './init.ts'
import { next } from './next.ts'
import { record } from './record.ts'
import { records, requests } from './requests.ts'
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
