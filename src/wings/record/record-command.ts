// `understudy record`: of a file, of the journal of a running gateway, or of what passes through a proxy.

import { type Command, port, RECORDED } from '../../cli/command.ts'

export const record: Command = {
  about: 'make a stateful stand-in of recorded traffic, and say how true it is',
  options: {
    from: RECORDED,
    upstream: { takes: 'URL', about: 'record what passes through a proxy of this API, until it is stopped' },
    port: { takes: 'N', about: 'port of the proxy (default: 4010)', fault: port },
    'control-port': { takes: 'N', about: 'port of its control plane (default: 4011)', fault: port },
    contract: { takes: 'FILE', about: 'the OpenAPI document; without it a first one is inferred from the traffic' },
    output: { takes: 'FOLDER', about: 'the folder of the project and of earlier recordings (default: recorded)' },
    mask: { takes: 'NAMES', about: 'blank these fields, too, separated by commas: name,email' },
  },
  run: async (line, program) => (await import('./run-record.ts')).runRecord(line, program),
}
