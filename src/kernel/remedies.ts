// The remedies of mistakes, where the place of a mistake suggests nothing better.

/** The first one whose pattern matches the code of a mistake holds. */
const REMEDIES: readonly (readonly [codes: RegExp, remedy: string])[] = [
  [/^idle-rule/, 'add respond, latency, fault or another behaviour'],
  [/^impossible-condition/, 'compare it with a value that it may have'],
  [
    /^(?:invalid|empty|unknown)-expression|^no-condition/,
    'write CEL, such as request.body.name == "Rex" && ordinal == 2',
  ],
  [/^unread-base/, 'use what the request has, or a resource without base'],
  [/^percentiles/, 'a higher one takes at least as long: { p50: 20ms, p95: 100ms }'],
  [/^brownout/, 'they last from 1s to less than "every", between the deprecation and the sunset'],
  [/^sunset|^expired/, 'write a later date'],
  [/^unrelated-contract/, 'name the next version of the same API'],
  [/^unknown-tag/, 'name operations instead: operations: { listPets: … }'],
  [/placeholder|template$/, 'write ${…} with an expression'],
  [/^unknown-format/, 'write a format of JSON Schema, or a pattern'],
  [/^ambiguous|^duplicate/, 'rename or remove one of them'],
  [/^idle|^ignored|^unreachable/, 'remove it, or what excludes it'],
  [/-(?:type|value|key)$/, 'docs/reference/configuration.md lists what can be written here'],
  [/^(?:not|is|unreadable|empty)-.*(?:file|directory)/, 'name a file that can be read and has content'],
  [/^circular-ref/, 'write the value in one of the places that refer to each other'],
  [/^(?:no|outside)-.*file|-ref$/, 'name one that exists'],
  [/^invalid-(?:body|default|seed|example)/, 'write a value that its schema accepts'],
  [/^text-indentation/, 'indent each of its lines further than the key'],
  [/^syntax/, 'check the quotes, colons and indents here'],
  [/^alias|^too-|large/, 'write less, with fewer levels and aliases'],
  [/^unknown|^undocumented/, 'use a name that the contract or the configuration has, or add it there'],
  [/^(?:missing|undeclared|no)-/, 'add it, or name another one'],
  [/^forbidden-field|^wrong-encoding|^unreadable-body/, 'answer in the form that the contract describes, or change it'],
  [/^masked/, 'write the value that it stands for'],
  [/^circular|^impossible/, 'write a schema that ends'],
  [/^optional/, 'write required: true'],
  [/^newer/, 'write openapi: 3.1.0'],
  [/^fewer/, 'write fewer, or allow more values in the schema'],
  [/^not-checked/, 'call it yourself'],
  [/^invalid|^left-out|^odd-|^not-openapi|^key-/, 'write it in the form that the message says'],
]

/** Returns what to write instead, by the code of a mistake; `undefined` for a code without a remedy. */
export const remedyFor = (code: string): string | undefined => REMEDIES.find(([codes]) => codes.test(code))?.[1]

/** Codes of what may be meant as it is written: they are warnings wherever they are found. */
export const DOUBTFUL: ReadonlySet<string> = new Set(['unfilled-template', 'impossible-condition'])
