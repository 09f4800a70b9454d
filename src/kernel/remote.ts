// Refuses URLs where a file is expected. Nothing is ever fetched; the message says how to save the document.

import type { Diagnostics, Place } from './diagnostic.ts'

/** Reports a URL that is used as a file name. Returns whether it was one. */
export function refuseRemote(path: string, place: Place, report: Diagnostics): boolean {
  if (!/^https?:\/\//i.test(path)) return false
  const last = /([^/?#]+\.(?:json|ya?ml))(?:[?#]|$)/i.exec(path)?.[1]
  const file = last !== undefined && /^[\w.-]+$/.test(last) ? last : 'openapi.json'
  const url = /^[\w./:~%+-]+$/.test(path) ? path : `'${path.replaceAll("'", '%27')}'`
  report.error(
    'remote-file',
    'remote files are not fetched',
    place,
    `save it and name the file: curl -L -o ${file} ${url}`,
  )
  return true
}
