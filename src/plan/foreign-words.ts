// Keys of other tools with their names in gateway.yaml, and hints for blocks that are often written in another form.

/** Keys by the foreign word in lower case, without dashes and underscores. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  latency: ['delay', 'wait', 'sleep', 'latencyms', 'delayms', 'fixeddelaymilliseconds', 'responsedelay'],
  rateLimit: ['throttle', 'throttling', 'ratelimiting', 'quota'],
  fault: ['faults', 'errorrate', 'failure', 'failures', 'chaosmonkey'],
  capacity: ['concurrency', 'maxconcurrency', 'maxconnections'],
  listen: ['server', 'servers', 'http', 'bind'],
  operations: ['routes', 'endpoints', 'mappings', 'stubs', 'handlers', 'mocks', 'paths', 'interactions'],
  respond: ['response', 'responses', 'reply', 'returns', 'answer'],
  consumers: ['users', 'clients', 'apikeys', 'accounts', 'auth', 'authentication', 'credentials', 'tokens'],
  resources: ['collections', 'entities', 'models', 'data', 'db', 'database', 'databuckets', 'store'],
  weather: ['chaos', 'scenarios', 'profiles', 'presets'],
  contract: ['spec', 'openapi', 'specification', 'document', 'definition'],
  deprecation: ['deprecated', 'deprecations'],
  sunset: ['removal', 'removed', 'retire', 'until'],
  worlds: ['sandboxes', 'sessions', 'tenants'],
  journal: ['history', 'recording', 'requestlog'],
  authenticate: ['security', 'secure'],
  port: ['listenport', 'httpport'],
  host: ['address', 'hostname'],
  seed: ['fixtures', 'records', 'seeds', 'initial'],
  schema: ['model', 'type'],
  status: ['statuscode', 'code', 'httpstatus'],
  limit: ['max', 'requests', 'rate'],
}

const BY_WORD = new Map(Object.entries(OURS).flatMap(([ours, words]) => words.map(word => [word, ours] as const)))

/** Returns the key for a word of another tool, if it is one of these. */
export function ownWord(word: string, known: readonly string[]): string | undefined {
  const ours = BY_WORD.get(word.toLowerCase().replace(/[-_ ]/g, ''))
  return ours !== undefined && known.includes(ours) ? ours : undefined
}

const BLOCKS: Readonly<Record<string, string>> = {
  consumers: 'consumers: { demo: { apiKey: demo-key } }, where apiKey is the name of a security scheme of the contract',
  'consumers.*': 'by security scheme of the contract: { apiKey: … }',
  resources: 'resources: { books: { schema: Book } }',
  'resources.*': '{ schema: Book }, where Book is a schema of the contract',
  operations: 'operations: { listBooks: { latency: 200ms } }',
  listen: 'listen: { port: 4010 }',
  latency: 'latency: 200ms, or { p50: 20ms, p99: 200ms }',
  fault: 'fault: { kind: status, status: 503, probability: 5% }',
  rateLimit: 'rateLimit: 100/m, or { limit: 100/m, burst: 20 }',
  capacity: 'capacity: { concurrency: 8 }',
  respond: 'respond: { list: books }, or { status: 200 }',
  deprecation: 'deprecation: { since: 2025-12-05, sunset: 2030-12-05 }',
  weather: 'weather: { rush-hour: { defaults: { latency: 200ms } } }',
}

/** Hints for a block that must be a map, by its path. */
export const blockAt = (path: readonly (string | number)[]): string | undefined =>
  BLOCKS[path.join('.')] ?? (path.length === 2 ? BLOCKS[`${path[0]}.*`] : undefined) ?? BLOCKS[String(path.at(-1))]
