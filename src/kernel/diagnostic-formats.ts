// Diagnostics for programs: as JSON, and as the annotations of a workflow on GitHub.

import type { Diagnostic, Diagnostics } from './diagnostic.ts'

/** Formats a report as one JSON document: every diagnostic with its place, and the totals. */
export function formatAsJson(report: Diagnostics): string {
  const diagnostics = report.list.map(({ severity, code, message, hint, place }) => ({
    severity,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    file: place.file,
    line: place.line,
    column: place.column,
    length: place.length,
  }))
  return `${JSON.stringify({ errors: report.count('error'), warnings: report.count('warning'), diagnostics }, null, 2)}\n`
}

/** One workflow command a line (GitHub Docs, "Workflow commands", `error` and `warning`). */
export const formatForGitHub = (list: readonly Diagnostic[]): string =>
  list
    .map(({ severity, code, message, hint, place: { file, line, column, length } }) => {
      const text = hint === undefined ? message : `${message}\n${hint}`
      const properties = { file, line, col: column, endColumn: column + length, title: code }
      const listed = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
      return `::${severity} ${listed.join(',')}::${escapeData(text)}\n`
    })
    .join('')

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
