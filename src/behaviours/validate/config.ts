// The keys of `validate` in gateway.yaml.

export interface ValidateConfig {
  readonly invalidQuery?: 'refuse' | 'ignore'
  readonly undocumentedQuery?: 'ignore' | 'refuse'
  readonly undocumentedBody?: 'refuse' | 'ignore'
  readonly status?: 400 | 422
  /** See `replies.ts`. */
  readonly replies?: 'off' | 'warn' | 'refuse'
}
