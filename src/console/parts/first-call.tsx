// A command that sends a request which is answered, for empty states, and the way to send one without a terminal.

import { about, plan } from '../model/about.ts'
import { call, pathOf } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { hrefOf } from '../model/location.ts'
import type { DocumentedOperation } from '../model/shapes.ts'
import { currentToken } from '../model/token.ts'
import { CommandLine } from './copy-button.tsx'

/** @param operation the operation to call; unset for the simplest one */
export function FirstCall({ operation }: { operation?: string | undefined }) {
  const operations = plan.value?.operations ?? []
  const simple = operations.find(({ method, path }) => method === 'GET' && !path.includes('{')) ?? operations[0]
  const tried = operation ?? simple?.operation
  const general = operation === undefined ? about.value?.firstCall : undefined
  const wanted = general === undefined && about.value !== undefined ? tried : undefined
  const documented = useLoaded(wanted ?? '', async signal =>
    wanted === undefined ? undefined : call<DocumentedOperation>('GET', pathOf`/operations/${wanted}`, { signal }),
  )
  const found = documented.value
  const command = general ?? found?.curl ?? (found === undefined ? undefined : commandOf(found))
  return (
    <>
      {command === undefined ? null : <CommandLine text={command} />}
      {tried === undefined ? null : (
        <p class="muted">
          Or, without a terminal, <a href={hrefOf('operations', { operation: tried, tab: 'try' })}>try {tried} here</a>.
        </p>
      )}
    </>
  )
}

/** A command for the control plane, which adds the credential of a consumer, since the page has no keys. */
function commandOf({ method, path, sample, security }: DocumentedOperation): string {
  const consumer = security.length === 0 ? undefined : plan.value?.consumers[0]
  const { path: filled = path, query = '', body } = sample ?? {}
  const request = { method, path: filled, ...(query === '' ? {} : { query }), body, consumer }
  const json = JSON.stringify(request).replaceAll("'", "'\\''")
  const token = currentToken() === '' ? '' : ' -H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"'
  return `curl${token} --json '${json}' ${location.origin}/requests`
}
