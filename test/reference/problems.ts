// The table of refusals: every problem of the program, and when it is answered.

import { problems } from '../../src/kernel/http.ts'
import { table } from './table.ts'

const WHEN: Readonly<Record<keyof typeof problems, string>> = {
  invalid_request: 'a parameter or the body breaks the contract, or the request is not well-formed HTTP',
  unauthorized: 'the credential is missing, unknown or expired',
  forbidden: 'the credential is known but lacks a required scope',
  not_found: 'the path, or the record it names, does not exist',
  method_not_allowed: 'the path exists, but not with this method; `Allow` lists those that do',
  not_acceptable: '`Accept` allows none of the media types of the reply',
  request_timeout: 'the request did not arrive in time',
  conflict: 'the record to create already exists',
  in_flight: 'the first request with an `Idempotency-Key` is still under way',
  gone: 'the operation is past its sunset',
  precondition_failed: '`If-Match` does not match the current state of the record',
  payload_too_large: 'the body is larger than `limits.body`',
  range_not_satisfiable: 'a `Range` begins behind the end of a file',
  unsupported_media_type:
    'the operation does not accept the content type, charset or content encoding; `Accept` lists what it accepts',
  expectation_failed: '`Expect` is not 100-continue',
  key_reused: 'an `Idempotency-Key` is reused with a different request',
  precondition_required: 'a write lacks `If-Match`, which `conditional` requires',
  too_many_requests: 'a `rateLimit` is exceeded',
  header_fields_too_large: 'the request line and headers are larger than `limits.headers`',
  internal_error: 'the program failed; the log has the reason with the incident id',
  invalid_reply: 'the reply would break the contract, and `validate.replies` is `refuse`',
  not_simulated: 'the contract documents no reply that can be sent; or HTTP does not have the method',
  bad_gateway: 'a configured `fault` answers with this status',
  unavailable: 'the store of the state is unavailable',
  overloaded: 'all servers of a `capacity` are busy, and its queue is full or too slow',
  brown_out: 'a deprecated operation is in a brown-out; `Retry-After` says when it ends',
  gateway_timeout: 'a configured `fault` answers with this status',
  version_not_supported: 'the version in the request line is neither HTTP/1.1 nor HTTP/1.0',
  insufficient_storage:
    'the records of all worlds together would need more memory than `worlds.maxBytes` or than is available',
}

export function describeProblems(): string {
  const rows = Object.entries(WHEN).map(([code, when]) => {
    const { status } = problems[code as keyof typeof problems]
    return [`\`${code}\``, `${status}`, when]
  })
  return table(['code', 'status', 'when'], rows)
}
