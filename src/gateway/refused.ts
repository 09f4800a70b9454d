// The refusals of changes to worlds, in the sentences that the control plane and the library share.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { flatDiagnostic, formatReport, shownOf } from '../kernel/report.ts'
import { WORLD_NAME_RULE } from '../world/world-name.ts'
import { describeFaults, MOST_FAULTS } from './record-faults.ts'
import type { WorldFault, Worlds } from './worlds/worlds.ts'

/** The codes of the control plane for refused changes. */
export type RefusalCode =
  | 'invalid_request'
  | 'not_found'
  | 'conflict'
  | 'not_recorded'
  | 'out_of_reach'
  | 'invalid_record'
  | 'invalid_snapshot'
  | 'invalid_answer'
  | 'invalid_configuration'

/** A change that is refused; nothing was changed. The message is a sentence that describes the mistake. */
export class Refused extends Error {
  readonly code: RefusalCode
  /** Further members of the problem that the control plane answers with. */
  readonly more: object

  constructor(code: RefusalCode, message: string, more: object = {}) {
    super(message)
    this.code = code
    this.more = more
  }
}

/** Adds the known name that is meant, or all of them, to a sentence about an unknown one. */
export function withHint(sentence: string, name: string, known: Iterable<string>): string {
  const hint = suggest(name, known)
  return hint === undefined ? sentence : `${sentence}; ${hint}`
}

/** Refuses a name that is not among the known ones. @param kind of what: `collection` */
export const unknownName = (kind: string, name: string, known: Iterable<string>): Refused =>
  new Refused('not_found', withHint(`there is no ${kind} ${name}`, name, known))

/** Refuses to create or delete a world. */
export function refusedWorld(fault: WorldFault, name: string, worlds: Worlds): Refused {
  switch (fault) {
    case 'bad-name':
      return new Refused(
        'invalid_request',
        `the name of a world must have ${WORLD_NAME_RULE} and must not be a credential`,
      )
    case 'exists':
      return new Refused('conflict', `the world ${name} already exists`)
    case 'permanent':
      return new Refused('conflict', `the world ${name} is permanent; it can be reset, but not deleted`)
    case 'switched-off':
      return new Refused('conflict', 'sandboxes are switched off')
    case 'unknown': {
      const names = worlds.list().map(world => world.name)
      return unknownName('world', name, names)
    }
    default:
      return fault satisfies never
  }
}

/**
 * Refuses records, with the place of each fault.
 *
 * @param faults sentences that begin with a JSON Pointer
 */
export function refusedRecord(faults: readonly string[]): Refused {
  const errors = faults.slice(0, MOST_FAULTS).map(fault => {
    const [, pointer = '', message = fault] = /^(\/\S*)? ?(.*)$/s.exec(fault) ?? []
    return { pointer, message }
  })
  return new Refused('invalid_record', describeFaults(faults), { errors })
}

/** Refuses a snapshot. @param faults sentences that begin with a JSON Pointer */
export const refusedSnapshot = (faults: readonly string[]): Refused =>
  new Refused('invalid_snapshot', describeFaults(faults))

/** The diagnostics of a report as data: the first hundred errors, and all warnings. */
export const describeReport = (report: Diagnostics): object[] => shownOf(report.list).map(flatDiagnostic)

/** Refuses a configuration or a part of one, with every mistake and its place. */
export const refusedReport = (report: Diagnostics, code: RefusalCode): Refused =>
  new Refused(code, formatReport(report), { diagnostics: describeReport(report) })
