// `understudy import`.

import { type Command, oneOf } from '../../cli/command.ts'

/** The kinds of files. A HAR is recorded: see `record`. */
const KINDS = ['har', 'wiremock', 'mockoon', 'mockserver', 'postman', 'json-server']

export const importCommand: Command = {
  about: `make a project of the file or folder of another tool: ${KINDS.join(', ')}`,
  files: ['db.json'],
  takesMany: true,
  options: {
    output: {
      takes: 'FOLDER',
      about: 'the folder to write openapi.yaml, gateway.yaml and fixtures to (default: imported)',
    },
    contract: { takes: 'FILE', about: 'the OpenAPI document that the requests are for; without it one is made' },
    as: {
      takes: 'KIND',
      about: `the kind of the file, if it is not recognised: ${KINDS.join(', ')}`,
      fault: oneOf(KINDS),
    },
    force: { about: 'overwrite existing files' },
    format: { takes: 'FORMAT', about: 'as for serve', fault: oneOf(['text', 'json', 'github']) },
  },
  run: async (line, program) => (await import('./run-import.ts')).runImport(line, program),
}
