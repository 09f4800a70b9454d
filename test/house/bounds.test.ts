import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT, sourceFiles } from './source-files.ts'

/** The bounds that somebody outside can reach, as `docs/operations.md` writes them. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  'contract/answer/xml.ts DEEPEST': '64 levels',
  'contract/answer/xml.ts LONGEST': '65,536 characters',
  'contract/answer/xml.ts MOST': '4,000 elements',
  'behaviours/idempotency.ts LONGEST_KEY': '255 characters',
  'behaviours/respond/write.ts LONGEST': 'a record of 500,000 characters',
  'behaviours/respond/write.ts MOST_COPIES': '20 copies',
  'behaviours/validate/readings.ts MOST_COMPARISONS': '500,000',
  'behaviours/validate/readings.ts MOST_MEMBERS': '50,000',
  'behaviours/validate/readings.ts MOST_FIELDS': '10,000',
  'behaviours/validate/index.ts MOST': '1,000; 20 copies',
  'contract/document/read-operations.ts LONGEST_PATH': '2,000 characters',
  'contract/document/read-operations.ts MOST_PATHS': 'values of a server variable | 32',
  'contract/document/styles.ts DEEPEST': '32 levels',
  'expression/language.ts LONGEST_RESULT': 'a result of 1,000,000 characters',
  'expression/costs.ts MOST_STEPS': '20,000 steps',
  'gateway/answers.ts MOST_ANSWERS': 'answers on demand | 1,000',
  'gateway/client-controls.ts LONGEST_DELAY': '10 minutes',
  'gateway/record-faults.ts MOST_FAULTS': '20 of records',
  'gateway/metrics/families.ts MOST_SERIES': '2,000 sets of labels',
  'state/history.ts MOST_ENTRIES': '10,000 to 15,000 entries',
  'http/control/overrides.ts MAX_ANSWER': 'an answer on demand | 300 kB',
  'http/control/records.ts MAX_RECORDS_BODY': '64 MB',
  'http/control/configuration.ts MAX_CONFIGURATION': '8 MB',
  'http/control/control-plane.ts MAX_BODY': '1 MB',
  'http/control/requests.ts MOST_WAITING': '1,000,000 waiting characters',
  'http/control/requests.ts MOST_PAST': '1,000 past requests',
  'http/control/requests.ts MOST_STREAMS': '`/requests/stream` | 100',
  'wings/workers/pulses.ts MOST_UNANSWERED': 'a worker that does not answer | 15 questions in a row',
  'http/request.ts MOST_COPIED': 'a forwarded body that is judged | 1 MB',
  'http/control/worlds.ts MAX_SNAPSHOT': '64 MB',
  'http/control/overrides.ts MAX_WEATHER':
    'weather (a chaos profile: latency, faults, limits) that is sent to the control plane | 100 kB',
  'kernel/file/read-source.ts MOST_SETTINGS': 'a gateway file | 500,000 values',
  'kernel/file/read-source.ts MOST_VALUES': '5,000,000 values',
  'kernel/schema/schema.ts MOST_VALUES': 'a body of more than 1,000 values',
  'kernel/report.ts MOST_SHOWN': '100 of a configuration',
  'kernel/json.ts MAX_DEPTH': '256',
  'kernel/units.ts LONGEST_DURATION': 'the window of a rate | 36,500 days',
  'kernel/file/read-source.ts MOST_BYTES': '256 MB a file',
  'kernel/file/read-source.ts LARGEST_REPLY': '16 MiB',
  'plan/compile-operation.ts MOST_RULES': 'violated rules in a refusal | 20;',
  'world/records/values.ts LONGEST_SEARCH': '20 different words, 200 characters',
  'world/records/values.ts MOST_WORDS': '20 different words',
  'world/kept/idempotency-keys.ts MOST_CHARACTERS': '32 Mi characters',
  'world/kept/idempotency-keys.ts MOST_KEYS': '10,000 keys',
  'world/records/timers.ts MOST_FIRINGS': '100,000 in each collection',
  'world/kept/path-counts.ts MOST_PATHS': 'paths that count requests in a world | 100,000',
  'world/kept/quotas.ts MOST_QUOTAS': 'callers whose quotas a world counts | 10,000',
  'world/sandboxes.ts MOST_PROPOSED': 'not authenticated yet | 100',
  'world/clock.ts MAX_RATE': 'rate of a clock | 1,000,000',
}

/** Rooms whose bounds only change how a value is generated, an inference is made or a mistake is worded. */
const INSIDE = /^(?:console|sample|contract\/schema|load)\//

/** Bounds elsewhere that users do not notice: of caches, of wordings and of searches for suggestions. */
const UNNOTICED = new Set([
  'contract/answer/echo.ts MOST_GENERATED',
  'contract/answer/echo.ts MOST_REPEATED',
  'contract/media-types.ts MOST_KNOWN',
  'behaviours/respond/shape.ts DEEPEST',
  'behaviours/respond/values.ts MOST',
  'behaviours/expressions.ts DEEPEST',
  'behaviours/validate/readings.ts DEEPEST',
  'behaviours/respond/values.ts MOST_SECONDS',
  'behaviours/validate/index.ts MOST_PROPERTIES',
  'behaviours/validate/index.ts MOST_SLIPS',
  'expression/costs.ts LONGEST_LINEAR',
  'expression/costs.ts MOST_COMPILED',
  'gateway/client-controls.ts LONGEST_TEXT',
  'gateway/client-controls.ts MOST_ITEMS',
  'wings/probe/curl.ts LONGEST',
  'gateway/record-faults.ts MOST_LOOKED_AT',
  'gateway/metrics/metrics.ts MOST_EXPECTED',
  'state/turns.ts MOST_CONFLICTS',
  'gateway/world-calendar.ts MOST_EACH',
  'kernel/schema/violations.ts MOST_BRANCHES',
  'kernel/schema/violations.ts MOST_PARTS',
  'kernel/schema/violations.ts MOST_PROPERTIES',
  'kernel/diagnostic.ts LONGEST',
  'kernel/diagnostic.ts LONGEST_NAME',
  'kernel/units.ts LONGEST',
  'kernel/diagnostic.ts MOST_KEPT',
  'kernel/pattern.ts MOST_SKIPPED',
  'kernel/file/read-source.ts LARGEST',
  'kernel/schema/violations.ts DEEPEST_UNION',
  'kernel/schema/violations.ts MOST_UNIONS',
  'kernel/schema/violations.ts MOST_ERRORS',
  'kernel/schema/violations.ts MOST_UNKNOWN',
  'plan/describe.ts MOST_RESTS',
  'plan/routes.ts LONGEST',
  'plan/routes.ts MOST_FOUND',
  'plan/routes.ts MOST_PREFIX',
  'world/budget.ts MOST_HEAP',
  'world/draws.ts MOST_DRAWS',
  'world/records/rows.ts MOST_VALUES',
])

/** Rooms in which every bound is one or the other. */
const COMPLETE = /^(?:contract\/answer|expression|http)\//

const BOUND = /^(?:export )?const ((?:[A-Z]+_)*(?:MOST|MAX|LARGEST|LONGEST|DEEPEST)(?:_[A-Z]+)*) = /gm

test('every bound that somebody outside can reach is in docs/operations.md', () => {
  const found = sourceFiles.flatMap(({ path, text }) =>
    INSIDE.test(path) ? [] : [...text.matchAll(BOUND)].map(([, name]) => `${path} ${name}`),
  )
  const known = [...UNNOTICED, ...Object.keys(DOCUMENTED)]
  const unknown = found.filter(name => COMPLETE.test(name) && !known.includes(name))
  assert.deepEqual(unknown, [], 'document it in docs/operations.md and here, or list it as unnoticed')
  // The page has those of wings that were taken out, too.
  const wings = readdirSync(join(ROOT, 'src/wings')).map(name => `wings/${name}/`)
  const isLeft = (name: string) => !name.startsWith('wings/') || wings.some(folder => name.startsWith(folder))
  const gone = Object.keys(DOCUMENTED).filter(name => isLeft(name) && !found.includes(name))
  assert.deepEqual(gone, [], 'the sources have it no longer')
  const [, section = ''] =
    /\n## Bounds\n([\s\S]*?)\n## /.exec(readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')) ?? []
  for (const [name, words] of Object.entries(DOCUMENTED)) assert.ok(section.includes(words), `${name}: ${words}`)
})
