// The editor of the configuration and of records: CodeMirror with completion and help from a schema, and mistakes underlined.
// It lives in a shadow root, where its styles need no `style` element, which the page's policy forbids.

import { autocompletion, type Completion, type CompletionContext } from '@codemirror/autocomplete'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, setDiagnostics } from '@codemirror/lint'
import { MergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, hoverTooltip } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'
import { stringifyJson } from '../../kernel/json.ts'
import { aboutAt, keysAt, type SchemaPart, type Suggestion, valuesAt } from './schema-path.ts'
import { cursorAt, keyAt, placeOfValue, type TextRange } from './yaml-path.ts'

export interface EditorOptions {
  /** Names it for assistive technology. */
  readonly label: string
  readonly text: string
  readonly schema: SchemaPart
  readonly onChange: (text: string) => void
  /** Finds mistakes in a text while it is written. */
  readonly check?: (text: string) => Promise<readonly Diagnostic[]>
}

export interface Editor {
  replace(text: string): void
  /** Underlines mistakes. */
  mark(mistakes: readonly Diagnostic[]): void
  /** Returns the place of a value of a JSON text, by its JSON Pointer. */
  placeOf(pointer: string): TextRange
  /** Puts the cursor there and the focus into the editor. */
  reveal(position: number): void
  destroy(): void
}

/** Makes an editor in an element. */
export function makeEditor(element: HTMLElement, { label, text, schema, onChange, check }: EditorOptions): Editor {
  const root = shadowOf(element)
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: text,
      extensions: [
        basicSetup,
        ...appearance(label),
        autocompletion({ override: [context => complete(context, schema)] }),
        hoverTooltip((view, position) => explainKey(view, position, schema)),
        lintGutter(),
        check === undefined ? [] : linter(view => check(view.state.doc.toString()), { delay: 300 }),
        EditorView.updateListener.of(update => update.docChanged && onChange(update.state.doc.toString())),
      ],
    }),
  })
  const showCursor = (): void => view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) })
  // The list of mistakes appears below the editor and takes room from it.
  const observer = new ResizeObserver(() => view.hasFocus && showCursor())
  observer.observe(element)
  return {
    replace: next => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    mark: mistakes => view.dispatch(setDiagnostics(view.state, mistakes)),
    placeOf: pointer => placeOfValue(view.state.doc.toString(), pointer),
    reveal: position => {
      const anchor = Math.min(position, view.state.doc.length)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
    destroy: () => {
      observer.disconnect()
      view.destroy()
    },
  }
}

/** Shows two texts and their differences side by side. */
export function showDifference(element: HTMLElement, before: string, after: string): MergeView {
  const root = shadowOf(element)
  const readOnly = [EditorState.readOnly.of(true), EditorView.lineWrapping]
  const side = (doc: string, label: string) => ({ doc, extensions: [...readOnly, ...appearance(label)] })
  return new MergeView({
    root,
    parent: root as unknown as HTMLElement,
    a: side(before, 'The file on the disk'),
    b: side(after, 'The configuration'),
    collapseUnchanged: { margin: 3, minSize: 6 },
    gutter: true,
  })
}

function shadowOf(element: HTMLElement): ShadowRoot {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
  root.replaceChildren()
  return root
}

function complete({ state, pos, explicit }: CompletionContext, schema: SchemaPart) {
  const text = state.doc.toString()
  const { path, inValue, word, from } = cursorAt(text, pos)
  if (word === '' && !explicit) return null
  const suggestions = inValue ? valuesAt(schema, path) : keysAt(schema, path)
  const isJson = /^\s*[[{]/.test(text)
  const option = ({ value, about }: Suggestion): Completion => {
    const end = inValue ? '' : ': '
    const insert = (isJson ? stringifyJson(value) : value) + end
    return {
      label: String(value),
      type: inValue ? 'enum' : 'property',
      ...(about && { info: about }),
      // Quotes around the word belong to a completion of JSON.
      apply: isJson ? (view, _, start, to) => replaceQuoted(view, start, to, insert) : insert,
    }
  }
  return suggestions.length === 0 ? null : { from, options: suggestions.map(option), validFor: /^[\w$./ -]*$/ }
}

function replaceQuoted(view: EditorView, start: number, end: number, insert: string): void {
  const at = (place: number): string => view.state.sliceDoc(place, place + 1)
  const from = at(start - 1) === '"' ? start - 1 : start
  const to = at(end) === '"' ? end + 1 : end
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } })
}

/** Explains the key under the pointer. */
function explainKey({ state }: EditorView, position: number, schema: SchemaPart) {
  const key = keyAt(state.doc.toString(), position)
  const about = key && aboutAt(schema, key.path)
  if (!key || !about) return null
  const dom = document.createElement('div')
  dom.className = 'cm-help'
  dom.textContent = about
  return { pos: key.from, end: key.to, create: () => ({ dom }) }
}

const appearance = (label: string): Extension[] => [
  yaml(),
  // A text that scrolls must be reachable by keyboard.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorView.theme({
    '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px' },
    '&.cm-focused': { outline: 'none' },
    // A frame above the highlighted line and the line numbers, which would cover an outline.
    '&.cm-focused::after': {
      content: '""',
      position: 'absolute',
      inset: '0',
      zIndex: '250',
      border: '3px solid var(--accent)',
      pointerEvents: 'none',
    },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
    '.cm-content': { caretColor: 'var(--text)' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-soft)', border: 'none' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': { backgroundColor: 'var(--chosen)' },
    '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      backgroundColor: 'var(--accent-ground)',
      color: 'var(--on-accent)',
    },
    '.cm-help': { padding: '6px 10px', maxWidth: '36rem', whiteSpace: 'pre-line', fontFamily: 'var(--font)' },
    '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
    '.cm-matchingBracket, .cm-changedLine': { backgroundColor: 'var(--chosen) !important' },
    '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--text-soft)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
      { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
      { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--info)' },
      { tag: [tags.comment, tags.lineComment], color: 'var(--text-soft)', fontStyle: 'italic' },
      { tag: [tags.invalid], color: 'var(--bad)' },
    ]),
  ),
]
