// The remedies of mistakes by their codes: what to write instead, where the place of a mistake suggests nothing better.

const BY_REMEDY: Readonly<Record<string, string>> = {
  'remove one of them':
    'ambiguous-chance ambiguous-operation ambiguous-path ambiguous-responder duplicate-id duplicate-key duplicate-parameter',
  'rename one of them': 'duplicate-operation-id duplicate-credential',
  'remove it': 'idle-key ignored-parameter unreachable-rule',
  'add respond, latency, fault or another behaviour, or remove the rule': 'idle-rule',
  'add an edge to it, or remove it': 'unreachable-state',
  'write one between the deprecation and the sunset': 'brownouts-after-sunset brownouts-before-deprecation',
  'write a later date': 'sunset-before-deprecation expired-certificate',
  'write, for instance, for: 30m': 'brownout-too-long brownout-too-short',
  'write at least as much for a higher percentile: { p50: 20ms, p95: 100ms }': 'percentiles-out-of-order',
  'write CEL, such as request.body.name == "Rex" && ordinal == 2':
    'empty-expression invalid-expression unknown-expression unknown-function unknown-root no-condition',
  'compare it with a value that it may have, or remove the rule': 'impossible-condition',
  'use one of the fields of the contract, or add it there': 'unknown-field unknown-parameter unknown-variable',
  'write ${…} with an expression or a placeholder': 'unknown-placeholder unfilled-template',
  'remove it, or add it to the contract':
    'unknown-example unknown-operation unknown-schema unknown-security-scheme undocumented-status undocumented-type',
  'name operations instead: operations: { listPets: … }': 'unknown-tag',
  'add it under consumers': 'unknown-consumer no-credential',
  'add it under resources': 'unknown-resource',
  'add it under weather': 'unknown-weather',
  'docs/reference/configuration.md lists what can be written here':
    'unknown-key missing-key wrong-type invalid-value unknown-state',
  'write the value that it stands for': 'masked-credential',
  'use the key that belongs to the certificate': 'key-mismatch',
  'write a value that its schema accepts': 'invalid-body invalid-default invalid-seed invalid-example',
  'name a schema of objects that have an id, or set id: { field: … }': 'no-object no-identifier wrong-id-type',
  'name a resource that other records can belong to': 'no-owner',
  'correct the path': 'no-such-file is-a-directory not-a-file unreadable-file outside-file',
  'fill it, or name another file': 'empty-file',
  'write the values out, with fewer levels and aliases': 'alias-bomb too-deep',
  'write openapi: 3.1.0, with info and paths': 'not-openapi missing-info odd-version',
  'correct or remove it':
    'invalid-contract invalid-header invalid-parameter invalid-path invalid-schema invalid-keyword invalid-security-scheme invalid-server left-out',
  'name a component or a file that exists': 'unresolvable-ref',
  'name another schema': 'circular-ref circular-schema',
  'check the quotes, colons and indents here': 'syntax',
  'write at least one property that ends the recursion': 'impossible-reply impossible-body',
  'add it': 'missing-description missing-schema undeclared-path-parameter',
  'write required: true': 'optional-path-parameter',
  'write it in OpenAPI 3.1, or remove it': 'newer-keyword',
  'write a format of JSON Schema, or a pattern': 'unknown-format',
  'remove it, or begin its name with x-': 'unknown-keyword',
  'split it into parts': 'too-many-ways file-too-large',
  'write fewer, or describe more values in the schema': 'fewer-records',
  'add what it needs, or call it yourself': 'not-checked',
}

/** Codes of what may be meant as it is written: they are warnings wherever they are found. */
export const DOUBTFUL: ReadonlySet<string> = new Set(['unfilled-template'])

/** The remedies by code. */
export const REMEDIES: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_REMEDY).flatMap(([remedy, codes]) => codes.split(' ').map(code => [code, remedy] as const)),
)
