// The consumers of a configuration, checked against the security schemes of the contract.

import type { Consumer } from '../behaviours/behaviour.ts'
import type { Contract } from '../contract/contract.ts'
import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/source.ts'
import { unfilled } from '../kernel/template.ts'
import { parseDate } from '../world/clock.ts'
import type { ConsumerFile } from './simulation-file.ts'
import { parseSubject } from './tls.ts'

/** Compiles the `consumers` block and reports its mistakes. No message contains a credential. */
export function compileConsumers(
  blocks: Readonly<Record<string, ConsumerFile>>,
  contract: Contract,
  source: Source,
  report: Diagnostics,
): Consumer[] {
  const owners = new Map<string, string>()
  return Object.entries(blocks).map(([name, { expires, scopes, ...written }]) => {
    const credentials = written as Readonly<Record<string, string>>
    for (const [scheme, key] of Object.entries(credentials)) {
      const path: Path = ['consumers', name, scheme]
      if (!contract.securitySchemes.has(scheme)) {
        const hint = suggest(scheme, contract.securitySchemes.keys())
        const message = `the contract has no security scheme "${scheme}"`
        report.error('unknown-security-scheme', message, source.locate(path, 'key'), hint)
      }
      for (const { message, hint } of unfilled(
        key,
        [],
        'write the name of an environment variable in upper case: ${API_KEY}',
      )) {
        report.error('unknown-placeholder', message, source.locate(path), hint)
      }
      if (contract.securitySchemes.get(scheme)?.type === 'mutualTLS' && parseSubject(key) === undefined) {
        const message = 'a client certificate is identified by its subject'
        report.error('invalid-value', message, source.locate(path), 'write CN=ann, or CN=ann, O=Acme')
      }
      if (key === '***') {
        report.error('masked-credential', 'this is a placeholder for a credential', source.locate(path))
      }
      const owner = owners.get(`${scheme}\n${key}`)
      if (owner !== undefined) {
        report.error('duplicate-credential', `duplicate credential: ${owner} has the same`, source.locate(path, 'key'))
      }
      owners.set(`${scheme}\n${key}`, name)
    }
    if (Object.keys(credentials).length === 0) {
      report.error('no-credential', `${name} has no credential`, source.locate(['consumers', name], 'key'))
    }
    return {
      name,
      credentials: new Map(Object.entries(credentials)),
      expires: expires === undefined ? undefined : parseDate(expires),
      scopes: new Set(scopes),
    }
  })
}
