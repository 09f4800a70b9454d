// Writes findings (mistakes of files, differences of replies) for people and for other tools: one function a format.

import type { Diagnostic, Diagnostics, Place, Severity } from './diagnostic.ts'
import { remedyFor } from './remedies.ts'

export const REPORT_FORMATS = ['text', 'json', 'junit', 'sarif', 'github', 'markdown'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** The data of a report beside its findings. */
export interface ReportFrame {
  /** The version of the program. */
  readonly version?: string
  /** The number of all findings of a severity, where some are not in the list. */
  readonly total?: (severity: Severity) => number
}

/** Formats findings as a document of the format. Text, annotations and Markdown are empty without findings. */
export function formatFindings(format: ReportFormat, list: readonly Diagnostic[], frame: ReportFrame = {}): string {
  const total = frame.total ?? (severity => list.filter(one => one.severity === severity).length)
  switch (format) {
    case 'text':
      return formatDiagnostics(list, total)
    case 'json':
      return asDocument({ errors: total('error'), warnings: total('warning'), diagnostics: list.map(flatDiagnostic) })
    case 'junit':
      return formatAsJUnit(list)
    case 'sarif':
      return formatAsSarif(list, frame)
    case 'github':
      return formatForGitHub(list)
    case 'markdown':
      return formatAsMarkdown(list)
    default:
      return format satisfies never
  }
}

const asDocument = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
const at = ({ place: { file, line, column } }: Diagnostic): string => `${file}:${line}:${column}`
const sentenceOf = ({ subject, message }: Diagnostic): string =>
  subject === undefined ? message : `${subject}: ${message}`
/** Identifies a finding from run to run, also when lines above it come or go. */
const identityOf = (one: Diagnostic): string =>
  `${one.code} ${sentenceOf({ ...one, message: one.constant ?? one.message })}`
const sentenceAndHint = (one: Diagnostic): string =>
  [sentenceOf(one), ...(one.hint === undefined ? [] : [one.hint])].join('\n')

const EXCERPT = 100

/** Formats a diagnostic for people: place, code, message, the line with a caret, the hint. */
function formatDiagnostic(one: Diagnostic): string {
  const { severity, code, place, hint } = one
  const head = `${at(one)} ${severity} ${code}: ${sentenceOf(one)}`
  const gutter = ' '.repeat(String(place.line).length)
  const tail = hint === undefined ? [] : [`${gutter} = ${hint}`]
  if (place.text.trim() === '') return printable([head, ...tail])
  // A minified document is one line of megabytes: show the part around the mistake.
  const from = place.column > EXCERPT - 20 ? place.column - 40 : 0
  const shown = place.text.slice(from, from + EXCERPT).trimEnd()
  const cut = from + EXCERPT < place.text.trimEnd().length
  const excerpt = `${from > 0 ? '…' : ''}${shown}${cut ? '…' : ''}`
  const column = place.column - 1 - from + (from > 0 ? 1 : 0)
  const carets = '^'.repeat(Math.max(1, Math.min(place.length, excerpt.length - column)))
  return printable([head, `${place.line} | ${excerpt}`, `${gutter} | ${' '.repeat(column)}${carets}`, ...tail])
}

/** Joins lines, without control characters: a file may have some that steer a terminal, and the caret would miss a tab. */
const printable = (lines: readonly string[]): string => lines.join('\n').replace(/(?!\n)\p{Cc}/gu, ' ')

/** Returns the first `most` errors by place, and all warnings. */
export const MOST_SHOWN = 100

export function shownOf(list: readonly Diagnostic[]): readonly Diagnostic[] {
  let errors = 0
  return list.filter(({ severity }) => severity === 'warning' || ++errors <= MOST_SHOWN)
}

/** Formats a report: the first hundred errors, all warnings, and the totals. Empty without diagnostics. */
export const formatReport = (report: Diagnostics): string =>
  formatDiagnostics(report.list, severity => report.count(severity))

/**
 * Formats a list in the same way.
 *
 * @param total the number of all diagnostics
 */
export function formatDiagnostics(
  list: readonly Diagnostic[],
  total = (severity: Severity) => list.filter(one => one.severity === severity).length,
): string {
  if (list.length === 0) return ''
  const shown = shownOf(list)
  const say = (word: Severity) => {
    const [n, seen] = [total(word), shown.filter(one => one.severity === word).length]
    return n === 0 ? [] : [`${n} ${word}${n === 1 ? '' : 's'}${seen < n ? ` (the first ${seen} are shown)` : ''}`]
  }
  const summary = [...say('error'), ...say('warning')].join(', ')
  return `${[...shown.map(formatDiagnostic), summary].join('\n\n')}\n`
}

const SHOWN = 10

/**
 * Formats a report for a command whose purpose is another: every error, the first ten warnings, and the totals. Only the
 * places of those are computed.
 */
export function formatBriefly(report: Diagnostics): string {
  let warnings = 0
  const shown = report.unsorted.filter(({ severity }) => severity === 'error' || ++warnings <= SHOWN)
  const text = formatDiagnostics(shown, severity =>
    severity === 'error' ? report.count(severity) : Math.min(SHOWN, warnings),
  )
  const left = report.count('warning') - SHOWN
  return left > 0 ? text.replace(/\n[^\n]*\n$/, `\n${left} more warnings; \`understudy check\` shows all\n`) : text
}

/** Returns a diagnostic as plain data, without the text of its line. */
export const flatDiagnostic = ({ severity, code, subject, message, hint, place }: Diagnostic) => {
  const { file, line, column, length } = place
  return { severity, code, subject, message, hint, file, line, column, length }
}

/** One workflow command a line (GitHub Docs, "Workflow commands", `error` and `warning`). */
const formatForGitHub = (list: readonly Diagnostic[]): string =>
  list
    .map(one => {
      const { severity, code, place } = one
      const { file, line, column, length } = place
      const properties = { file, line, col: column, endColumn: column + length, title: code }
      const listed = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
      return `::${severity} ${listed.join(',')}::${escapeData(sentenceAndHint(one))}\n`
    })
    .join('')

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/**
 * A SARIF log of one run (OASIS SARIF 2.1.0). A rule is a code. Columns count UTF-16 code units, as those of a place.
 */
function formatAsSarif(list: readonly Diagnostic[], { version }: ReportFrame): string {
  const codes = [...new Set(list.map(({ code }) => code))]
  const help = (code: string) => ({ text: remedyFor(code) ?? code })
  const results = list.map(one => ({
    ruleId: one.code,
    ruleIndex: codes.indexOf(one.code),
    level: one.severity,
    message: { text: sentenceAndHint(one) },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(one.place) }, region: regionOf(one.place) },
        ...(one.subject === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: one.subject }] }),
      },
    ],
    partialFingerprints: { 'finding/v1': `${one.place.file} ${identityOf(one)}` },
  }))
  return asDocument({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'understudy', version, rules: codes.map(id => ({ id, help: help(id) })) } },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  })
}

/** A file as a URI reference; the path of another machine's folder begins with a drive. */
const uriOf = ({ file }: Place): string => {
  const path = file.replaceAll('\\', '/')
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path) ? path : path.split('/').map(encodeURIComponent).join('/')
}

const regionOf = ({ line, column, length }: Place) => ({
  startLine: Math.max(1, line),
  startColumn: Math.max(1, column),
  endColumn: Math.max(1, column) + length,
})

/** JUnit XML as CI servers read it: a suite a file, a case a finding. Warnings pass. Without findings, one case passes. */
function formatAsJUnit(list: readonly Diagnostic[]): string {
  const files = [...new Set(list.map(({ place }) => place.file))]
  const suites = files.map(file =>
    suiteOf(
      file,
      list.filter(({ place }) => place.file === file),
    ),
  )
  const passed = '  <testsuite name="understudy" tests="1" failures="0" errors="0" skipped="0">\n'
  const nothing = `${passed}    <testcase name="no findings" classname="understudy"/>\n  </testsuite>\n`
  const failures = list.filter(({ severity }) => severity === 'error').length
  const counts = `tests="${Math.max(1, list.length)}" failures="${failures}" errors="0"`
  const all = list.length === 0 ? nothing : suites.join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="understudy" ${counts}>\n${all}</testsuites>\n`
}

function suiteOf(file: string, list: readonly Diagnostic[]): string {
  const failures = list.filter(({ severity }) => severity === 'error').length
  // A CI server keeps the history of a case by its name: it has no line, no count and no time.
  const seen = new Map<string, number>()
  const cases = list.map(one => {
    const { severity, code, message } = one
    const text = escapeXml(`${at(one)} ${sentenceAndHint(one)}`)
    const identity = identityOf(one)
    const alike = (seen.get(identity) ?? 0) + 1
    seen.set(identity, alike)
    const name = escapeXml(alike === 1 ? identity : `${identity} (${alike})`)
    const inner =
      severity === 'error'
        ? `<failure type="${escapeXml(code)}" message="${escapeXml(message)}">${text}</failure>`
        : `<system-out>${text}</system-out>`
    return `    <testcase name="${name}" classname="${escapeXml(file)}">${inner}</testcase>\n`
  })
  const counts = `tests="${list.length}" failures="${failures}" errors="0" skipped="0"`
  return `  <testsuite name="${escapeXml(file)}" ${counts}>\n${cases.join('')}  </testsuite>\n`
}

const XML_ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a text for XML 1.0, which has no way to write most control characters. */
const escapeXml = (text: string): string =>
  printable([text])
    .replace(/[&<>"]/g, sign => XML_ESCAPES[sign] as string)
    .replace(/[\uFFFE\uFFFF]|\p{Surrogate}/gu, '\uFFFD')

/** A table for the summary of a job or a comment. */
const formatAsMarkdown = (list: readonly Diagnostic[]): string =>
  list.length === 0 ? '' : `${['| | Finding | Place |', '| --- | --- | --- |', ...list.map(rowOf)].join('\n')}\n`

const rowOf = (one: Diagnostic): string => {
  const { severity, code, hint } = one
  const text = [
    `**${escapeCell(code)}** ${escapeCell(sentenceOf(one))}`,
    ...(hint === undefined ? [] : [escapeCell(hint)]),
  ]
  return `| ${severity} | ${text.join('<br>')} | ${escapeCell(at(one))} |`
}

/** Escapes a text for a cell of a table of Markdown. */
export const escapeCell = (text: string): string =>
  printable([text])
    .replace(/[\\`*_{}[\]<>|#~]/g, '\\$&')
    .replaceAll('\n', ' ')
