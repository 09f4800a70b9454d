// Writes overlays into a document: updates, copies, removals.

import { type Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import type { Path, Source, Spot } from '../../kernel/file/source.ts'
import { isObject } from '../../kernel/json.ts'
import { faultOfPath, MOST_STEPS, nameAfter, normalized, selectFrom } from './json-path.ts'
import { kindOfValue, MergedTree } from './merged-tree.ts'
import type { Overlay } from './overlay.ts'

/** Applies overlays to one document, in order. Mistakes go to `report`. */
export class OverlayWriter {
  readonly #tree: MergedTree
  readonly #report: Diagnostics

  constructor(document: Source, report: Diagnostics) {
    this.#tree = new MergedTree(document)
    this.#report = report
  }

  /** The document with what was written into it. */
  get source(): Source {
    return this.#tree.source
  }

  apply({ source, actions, isFirst }: Overlay): undefined {
    for (const [index, action] of actions.entries()) {
      if (action === undefined) continue
      const spot: Spot = { source, path: ['actions', index] }
      const targets = selectFrom(this.#tree.value)(action.target)
      // Other actions may take as long.
      if (targets === undefined) return this.#refuseCostly(below(spot, 'target'))
      if (targets.length === 0) this.#warnOfNothing(action.target, spot)
      else if (action.remove === true) this.#removeAll(targets, spot)
      else if (action.copy !== undefined) this.#copy(action.copy, targets, spot)
      else if (action.update !== undefined) {
        const written = below(spot, 'update')
        this.#updateAll(targets, action.update, written, written, isFirst)
      }
    }
  }

  #error(code: string, message: string, spot: Spot, hint?: string, part?: 'key'): undefined {
    this.#report.error(code, message, spot.source.locate(spot.path, part), hint)
  }

  #refuseCostly(spot: Spot): undefined {
    const message = `this JSONPath takes more than ${MOST_STEPS.toLocaleString('en')} steps in the document`
    return this.#error('costly-jsonpath', message, spot, 'write it with fewer ".." and filters')
  }

  #copy(from: string, targets: readonly Path[], spot: Spot): undefined {
    const at = below(spot, 'copy')
    const origins = selectFrom(this.#tree.value)(from)
    if (origins === undefined) return this.#refuseCostly(at)
    const [origin, ...others] = origins
    if (origin === undefined) {
      return this.#error('no-copy-source', 'this selects nothing to copy', at, this.#nearestTo(from))
    }
    if (others.length > 0) {
      const message = `this selects ${others.length + 1} values; a copy is made of one`
      return this.#error('ambiguous-copy-source', message, at, 'select one value')
    }
    this.#updateAll(targets, this.#tree.share(origin), this.#tree.spotOf(origin), at, false)
  }

  /** @param written where the value is written @param blamed the part of the action that mistakes are reported at */
  #updateAll(targets: readonly Path[], value: unknown, written: Spot, blamed: Spot, isFirst: boolean): undefined {
    const kinds = new Set(targets.map(path => kindOfValue(this.#tree.at(path))))
    if (kinds.size > 1) {
      const message = `the target selects values of several kinds: ${[...kinds].join(', ')}`
      return this.#error('mixed-target', message, blamed, 'write one action for each kind')
    }
    for (const path of targets) {
      const [kind, own] = [kindOfValue(this.#tree.at(path)), kindOfValue(value)]
      if (kind === 'single value' && isFirst) {
        const key = path.at(-1)
        const hint = `select its holder, with update: { ${key}: … }; or write overlay: 1.1.0`
        return this.#error('single-target', 'the target selects a single value', blamed, hint)
      }
      if (kind === 'list') this.#append(path, value, written)
      else if (kind !== own) {
        const message = `the target selects ${nameOfKind(kind)}, and this is ${nameOfKind(own)}`
        return this.#error('incompatible-update', message, blamed, `write ${nameOfKind(kind)} here`)
      } else if (kind === 'object') this.#merge(path, value as Record<string, unknown>, written, blamed)
      else this.#tree.set(path, value, written)
    }
  }

  #append(path: Path, value: unknown, written: Spot): void {
    const items = Array.isArray(value)
      ? value.map((item, i) => [item, below(written, i)] as const)
      : [[value, written] as const]
    this.#tree.append(path, items)
  }

  #merge(path: Path, members: Readonly<Record<string, unknown>>, written: Spot, blamed: Spot): void {
    for (const [key, value] of Object.entries(members)) {
      const at = [...path, key]
      const spot = below(written, key)
      const before = this.#tree.at(at)
      const [kind, own] = [kindOfValue(before), kindOfValue(value)]
      if (before === undefined || (kind === own && kind === 'single value')) this.#tree.set(at, value, spot)
      else if (kind === own) {
        if (kind === 'list') this.#append(at, value, spot)
        else this.#merge(at, value as Record<string, unknown>, spot, blamed)
      } else if (value === null) {
        const message = `"${key}" is empty here and changes nothing`
        this.#report.warning(
          'idle-update',
          message,
          spot.source.locate(spot.path, 'key'),
          'to remove a part, write remove: true',
        )
      } else {
        const message = `"${key}" is ${nameOfKind(kind)} in the document, and ${nameOfKind(own)} here`
        const hint = `remove it in an action before this one: { target: ${normalized(at)}, remove: true }`
        const place = spot.source === blamed.source ? spot : blamed
        this.#error('incompatible-update', message, place, hint)
      }
    }
  }

  #removeAll(targets: readonly Path[], spot: Spot): undefined {
    const place = spot.source.locate(spot.path)
    if (targets.some(path => path.length === 0)) {
      return this.#error(
        'whole-document',
        'this removes the whole document',
        below(spot, 'target'),
        'select a part of it',
      )
    }
    const written = targets.map(path => this.#tree.writtenBelow(path)).find(one => one !== undefined)
    if (written !== undefined && written.source !== spot.source) {
      const { file, line } = written.source.locate(written.path)
      const message = `this removes what ${file}:${line} writes`
      this.#report.warning('removed-update', message, place, 'remove one of them, or change their order')
    }
    // The last item of a list goes first, and a part before its holder, so that the other paths stay right.
    for (const path of targets.toSorted(lastFirst)) this.#tree.remove(path)
  }

  #warnOfNothing(target: string, spot: Spot): void {
    const at = below(spot, 'target')
    this.#report.warning(
      'idle-target',
      'the target selects nothing',
      at.source.locate(at.path),
      this.#nearestTo(target),
    )
  }

  /** Describes the nearest part that exists, for a JSONPath that selects nothing. */
  #nearestTo(target: string): string {
    const { start, paths } = this.#longestStart(target)
    const [found = [], ...others] = paths
    const key = nameAfter(target.slice(start.length))
    const holder = this.#tree.at(found)
    if (isObject(holder) && typeof holder.$ref === 'string') {
      const where = `${normalized(found)} is a reference to ${holder.$ref}`
      return holder.$ref.startsWith('#')
        ? `${where}: select that instead`
        : `${where}: overlays change the document itself, not the files that it refers to`
    }
    const known = isObject(holder) ? Object.keys(holder) : []
    const near = key === undefined || others.length > 0 ? undefined : suggest(key, known)
    const guess = /^did you mean "(.*)"\?$/s.exec(near ?? '')?.[1]
    if (guess !== undefined) return `did you mean ${normalized([...found, guess])}?`
    const exists = `the nearest part that exists is ${others.length > 0 ? start : normalized(found)}`
    return near === undefined ? exists : `${exists}, with ${near}`
  }

  /** Returns the longest start of a JSONPath that selects something, and the paths that it selects. */
  #longestStart(target: string): { readonly start: string; readonly paths: readonly Path[] } {
    const select = selectFrom(this.#tree.value)
    let longest = { start: '$', paths: [[]] as readonly Path[] }
    for (const { index } of target.matchAll(/[.[]/g)) {
      const start = target.slice(0, index)
      if (faultOfPath(start) !== undefined) continue
      // A start that selects nothing is the start of nothing.
      const paths = select(start) ?? []
      if (paths.length === 0) break
      longest = { start, paths }
    }
    return longest
  }
}

const below = ({ source, path }: Spot, key: string | number): Spot => ({ source, path: [...path, key] })

const nameOfKind = (kind: ReturnType<typeof kindOfValue>): string => (kind === 'object' ? 'an object' : `a ${kind}`)

/** Orders paths so that removing one leaves those after it right. */
function lastFirst(a: Path, b: Path): number {
  for (const [depth, key] of a.entries()) {
    const other = b[depth]
    if (other === undefined) return -1
    if (key === other) continue
    if (typeof key === 'number' && typeof other === 'number') return other - key
    return String(key) < String(other) ? -1 : 1
  }
  return a.length === b.length ? 0 : 1
}
