// Reads overlays (Overlay Specification 1.0 and 1.1): checks their shape and their JSONPaths.

import { Diagnostics } from '../../kernel/diagnostic.ts'
import { placeWithin, type Source } from '../../kernel/file/source.ts'
import { isObject, stringifyJson } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/schema/schema.ts'
import { checkerOf } from '../../plan/simulation.ts'
import { faultOfPath } from './json-path.ts'

/** An overlay document, once checked. */
interface OverlayFile {
  readonly overlay: string
  readonly extends?: string
  readonly actions: readonly OverlayAction[]
}

interface OverlayAction {
  readonly target: string
  readonly update?: unknown
  readonly copy?: string
  readonly remove?: boolean
}

const text = { type: 'string' }
const extended = { additionalProperties: false, patternProperties: { '^x-': {} } }

const OVERLAY_SCHEMA: Schema = {
  type: 'object',
  required: ['overlay', 'info', 'actions'],
  ...extended,
  properties: {
    overlay: { ...text, description: 'write overlay: 1.1.0' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      ...extended,
      properties: {
        title: { ...text, description: 'write title: and the purpose of the overlay' },
        version: { ...text, description: 'write version: 1.0.0' },
        description: text,
      },
    },
    extends: text,
    actions: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      description: 'write actions: [{ target: $.info, update: { title: … } }]',
      items: {
        type: 'object',
        required: ['target'],
        ...extended,
        properties: {
          target: { ...text, description: "write target: $.paths['/books'].get" },
          description: text,
          update: {},
          copy: text,
          remove: { type: 'boolean' },
        },
      },
    },
  },
}

const checkOverlay = checkerOf<OverlayFile>(OVERLAY_SCHEMA)

/** A checked overlay, ready to be applied. */
export interface Overlay {
  readonly source: Source
  /** The document that it is made for, if it names one. */
  readonly extends: string | undefined
  /** Its actions; `undefined` for one with a mistake, which is not applied. */
  readonly actions: readonly (OverlayAction | undefined)[]
  /** Whether it has mistakes. It is applied nevertheless, to find those of its other actions. */
  readonly isMistaken: boolean
  /** Whether it is of version 1.0, which updates no single values. */
  readonly isFirst: boolean
}

export const isOverlay = (value: unknown): boolean =>
  isObject(value) && 'overlay' in value && !('openapi' in value) && !('swagger' in value)

/** Checks the shape of an overlay and its JSONPaths, and reports every mistake. Returns `undefined` for another document. */
export function readOverlay(source: Source, report: Diagnostics): Overlay | undefined {
  const { value } = source
  const found = new Diagnostics()
  if (!isOverlay(value)) {
    const message = 'this is not an overlay: it has no "overlay" key'
    report.error('not-overlay', message, source.locate([]), 'begin it with overlay: 1.1.0')
    return undefined
  }
  // The values of updates are not settings: they stay as they are written.
  const outline = outlineOf(value as Record<string, unknown>)
  checkOverlay(source.derive(outline), found)
  const version = String((value as Record<string, unknown>).overlay)
  const isFirst = /^1\.0\.\d+$/.test(version)
  if (!isFirst && !/^1\.1\.\d+$/.test(version) && typeof outline.overlay === 'string') {
    const place = source.locate(['overlay'])
    found.error('unsupported-version', `Overlay ${version} is not supported`, place, 'write overlay: 1.1.0, or 1.0.0')
  }
  const written: readonly unknown[] = Array.isArray(outline.actions) ? (value as OverlayFile).actions : []
  const actions = written.map((action, index) => soundAction(action, index, isFirst, source, found))
  for (const one of found.unsorted) report[one.severity](one.code, one.message, one.place, one.hint)
  const base = typeof outline.extends === 'string' ? outline.extends : undefined
  return { source, extends: base, actions, isFirst, isMistaken: found.failed }
}

/** Checks an action, and returns it if it can be applied. */
function soundAction(
  action: unknown,
  index: number,
  isFirst: boolean,
  source: Source,
  report: Diagnostics,
): OverlayAction | undefined {
  if (!isObject(action)) return undefined
  const found = new Diagnostics()
  checkAction(action, index, isFirst, source, found)
  for (const one of found.unsorted) report[one.severity](one.code, one.message, one.place, one.hint)
  const { target, copy, remove } = action
  // Values of another type are reported as such.
  const isShaped =
    typeof target === 'string' && typeof (copy ?? '') === 'string' && typeof (remove ?? true) === 'boolean'
  return isShaped && !found.failed ? (action as unknown as OverlayAction) : undefined
}

/** Returns an overlay with the values of its updates as texts. */
function outlineOf(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const without = (action: unknown) =>
    isObject(action) && 'update' in action ? { ...action, update: stringifyJson(action.update) } : action
  return { ...value, ...(Array.isArray(value.actions) ? { actions: value.actions.map(without) } : {}) }
}

function checkAction(
  action: Readonly<Record<string, unknown>>,
  index: number,
  isFirst: boolean,
  source: Source,
  report: Diagnostics,
): void {
  const at = ['actions', index]
  for (const key of ['target', 'copy']) {
    const path = action[key]
    if (typeof path !== 'string') continue
    const fault = faultOfPath(path)
    if (fault === undefined) continue
    const place = source.locate([...at, key])
    const from = Math.min(fault.offset, Math.max(0, path.length - 1))
    report.error('invalid-jsonpath', fault.message, placeWithin(place, from, from + 1), fault.hint)
  }
  const given = ['update', 'copy', 'remove'].filter(key => Object.hasOwn(action, key))
  const hint = 'write update: { … }, or remove: true'
  const place = source.locate(at)
  if (isFirst && given.includes('copy')) {
    report.error(
      'newer-action',
      '"copy" needs Overlay 1.1',
      source.locate([...at, 'copy'], 'key'),
      'write overlay: 1.1.0',
    )
  }
  // Overlay 1.0 permits both, and neither of them.
  const severity = isFirst ? 'warning' : 'error'
  if (given.length === 0) report[severity]('idle-action', 'this action changes nothing', place, hint)
  if (given.length > 1) {
    const message = `this action has ${given.map(key => `"${key}"`).join(' and ')}; an action does one of them`
    report[severity]('ambiguous-action', message, place, 'make two actions of it')
  }
}
