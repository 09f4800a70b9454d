// A configuration of many operations, for attacks by size.

export const repeat = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('')

/** A configuration of 150 operations, each with records, a rule, a limit and a block in fifty weather presets. */
export function largeConfiguration(): string {
  const paths = repeat(
    50,
    i => `    /r${i}:
      get: { operationId: list${i}, tags: [t${i % 10}], responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/S${i}" } } } } } } }
      post: { operationId: add${i}, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/S${i}" } } } }, responses: { 201: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/S${i}" } } } } } }
    /r${i}/{id}:
      get: { operationId: get${i}, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { 200: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/S${i}" } } } } } }
`,
  )
  const schemas = repeat(
    50,
    i =>
      `      S${i}: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string }, f${i}: { enum: [a, b] } } }\n`,
  )
  const seeds = repeat(200, i => `{ id: ${i + 1}, name: "a name that is as long as a name may be ${i}" },`)
  return `contract:
  openapi: 3.1.0
  info: { title: T, version: "1" }
  paths:
${paths}  components:
    securitySchemes: { key: { type: http, scheme: bearer } }
    schemas:
${schemas}consumers:
${repeat(1500, i => `  c${i}: { key: secret-${i} }\n`)}resources:
${repeat(50, i => `  r${i}: { schema: S${i}, seed: [${seeds}] }\n`)}operations:
${repeat(
  50,
  i => `  list${i}: { respond: { list: r${i} } }
  add${i}: { respond: { create: r${i} }, rules: [{ when: "request.headers['b'] == 'x'", latency: 1ms }] }
  get${i}: { respond: { read: r${i} }, rateLimit: 100/s }
`,
)}weather:
${repeat(50, i => `  w${i}: { defaults: { latency: 2ms }, operations: { list${i}: { rateLimit: 5/s } } }\n`)}`
}
