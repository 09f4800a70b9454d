// The catalogue of refusals. Each is a value with a stable code; the documentation's table is made from it.

/** A kind of refusal, with the fields that `errors.body` can use besides the detail. */
export interface Problem {
  /** Stable, in snake_case. Clients may branch on it. */
  readonly code: string
  /** The usual HTTP status; a contract that documents another may change it per operation. */
  readonly status: number
  readonly title: string
  /** When it is answered, for the documentation. */
  readonly when: string
}

const define = <Name extends string>(catalogue: Record<Name, Omit<Problem, 'code'>>): Record<Name, Problem> =>
  Object.fromEntries(
    Object.entries<Omit<Problem, 'code'>>(catalogue).map(([code, problem]) => [code, { code, ...problem }]),
  ) as Record<Name, Problem>

export const problems = define({
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    when: 'a parameter or the body breaks the contract, or the request is not well-formed HTTP',
  },
  unauthorized: { status: 401, title: 'Unauthorized', when: 'the credential is missing, unknown or expired' },
  forbidden: { status: 403, title: 'Forbidden', when: 'the credential is known but lacks a required scope' },
  not_found: { status: 404, title: 'Not found', when: 'the path, or the record it names, does not exist' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    when: 'the path exists, but not with this method; `Allow` lists those that do',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    when: '`Accept` allows none of the media types of the reply',
  },
  request_timeout: { status: 408, title: 'Request timeout', when: 'the request did not arrive in time' },
  conflict: { status: 409, title: 'Conflict', when: 'the record to create already exists' },
  in_flight: {
    status: 409,
    title: 'In flight',
    when: 'the first request with an `Idempotency-Key` is still under way',
  },
  gone: { status: 410, title: 'Gone', when: 'the operation is past its sunset' },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    when: '`If-Match` does not match the current state of the record',
  },
  payload_too_large: { status: 413, title: 'Payload too large', when: 'the body is larger than `limits.body`' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    when: 'the operation does not accept the content type, charset or content encoding; `Accept` lists what it accepts',
  },
  expectation_failed: { status: 417, title: 'Expectation failed', when: '`Expect` is not 100-continue' },
  key_reused: { status: 422, title: 'Key reused', when: 'an `Idempotency-Key` is reused with a different request' },
  precondition_required: {
    status: 428,
    title: 'Precondition required',
    when: 'a write lacks `If-Match`, which `conditional` requires',
  },
  too_many_requests: { status: 429, title: 'Too many requests', when: 'a `rateLimit` is exceeded' },
  header_fields_too_large: {
    status: 431,
    title: 'Request header fields too large',
    when: 'the request line and headers are larger than `limits.headers`',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    when: 'the program failed; the log has the reason with the incident id',
  },
  invalid_reply: {
    status: 500,
    title: 'Invalid reply',
    when: 'the reply would break the contract, and `validate.replies` is `refuse`',
  },
  not_simulated: {
    status: 501,
    title: 'Not simulated',
    when: 'the contract documents no reply that can be sent; or HTTP does not have the method',
  },
  bad_gateway: { status: 502, title: 'Bad gateway', when: 'a configured `fault` answers with this status' },
  unavailable: { status: 503, title: 'Service unavailable', when: 'the store of the state is unavailable' },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    when: 'all servers of a `capacity` are busy, and its queue is full or too slow',
  },
  brown_out: {
    status: 503,
    title: 'Brown-out',
    when: 'a deprecated operation is in a brown-out; `Retry-After` says when it ends',
  },
  gateway_timeout: { status: 504, title: 'Gateway timeout', when: 'a configured `fault` answers with this status' },
  version_not_supported: {
    status: 505,
    title: 'HTTP version not supported',
    when: 'the version in the request line is neither HTTP/1.1 nor HTTP/1.0',
  },
  insufficient_storage: {
    status: 507,
    title: 'Insufficient storage',
    when: 'the records of all worlds together would need more memory than `worlds.maxBytes` or than is available',
  },
})

/** Returns the problem for an error status, or the closest one. */
export function problemOf(status: number): Problem {
  const exact = Object.values(problems).find(one => one.status === status)
  return exact ?? (status < 500 ? problems.invalid_request : problems.unavailable)
}

/** A rule that a request breaks. */
export interface BrokenRule {
  /** The part of the request that breaks it. */
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body'
  /** In the body a JSON Pointer, `/items/0/name`; elsewhere the parameter's name, with a pointer into its value: `ids/0`. */
  readonly path: string
  /** The JSON Schema keyword, such as `required`, or one of our own, such as `reference`. */
  readonly rule: string
  /** The rest of a sentence that begins with the path: `is required`. */
  readonly message: string
}

/** Formats a broken rule: `query parameter limit must be at most 100`, `/name is required`. */
export function describeRule({ in: place, path, rule, message }: BrokenRule): string {
  if (place === 'body') return `${path || (rule === 'required' ? 'a body' : 'the body')} ${message}`
  return path === '' ? `the ${place} ${message}` : `${place} parameter ${path.replace('/', ' /')} ${message}`
}

/** A refusal of a request. The detail is a sentence for the client. */
export interface Refusal {
  readonly problem: Problem
  readonly status: number
  readonly detail: string
  /** The rules that an invalid request breaks; absent for other refusals. */
  readonly errors?: readonly BrokenRule[]
}
