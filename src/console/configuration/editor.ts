// The editor of the gateway file: CodeMirror with YAML, completion and help from the schema, and mistakes underlined. It
// lives in a shadow root, where its styles need no `style` element, which the page's policy forbids.

import { autocompletion, type Completion, type CompletionContext } from '@codemirror/autocomplete'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint'
import { MergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, hoverTooltip } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'
import { aboutAt, cursorAt, keysAt, type SchemaPart, type Suggestion, valuesAt } from './schema-path.ts'

export interface EditorOptions {
  readonly text: string
  readonly schema: SchemaPart
  readonly onChange: (text: string) => void
  /** Finds mistakes in a text. */
  readonly check: (text: string) => Promise<readonly Diagnostic[]>
}

export interface Editor {
  readonly text: string
  replace(text: string): void
  /** Puts the cursor there and the focus into the editor. */
  reveal(position: number): void
  destroy(): void
}

/** Makes an editor in an element. */
export function makeEditor(element: HTMLElement, { text, schema, onChange, check }: EditorOptions): Editor {
  const root = shadowOf(element)
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: text,
      extensions: [
        basicSetup,
        ...appearance('The configuration as YAML'),
        autocompletion({ override: [context => complete(context, schema)] }),
        hoverTooltip((view, position) => help(view, position, schema)),
        lintGutter(),
        linter(view => check(view.state.doc.toString()), { delay: 300 }),
        EditorView.updateListener.of(update => update.docChanged && onChange(update.state.doc.toString())),
      ],
    }),
  })
  return {
    get text() {
      return view.state.doc.toString()
    },
    replace: next => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    reveal: position => {
      const anchor = Math.min(position, view.state.doc.length)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

/** Shows two texts and their differences side by side. Returns a function that removes them. */
export function makeDifference(element: HTMLElement, before: string, after: string): () => void {
  const root = shadowOf(element)
  const side = (doc: string, label: string) => ({ doc, extensions: [...READ_ONLY, ...appearance(label)] })
  const view = new MergeView({
    root,
    parent: root as unknown as HTMLElement,
    a: side(before, 'The file on the disk'),
    b: side(after, 'The configuration'),
    collapseUnchanged: { margin: 3, minSize: 6 },
    gutter: true,
  })
  return () => view.destroy()
}

function shadowOf(element: HTMLElement): ShadowRoot {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
  root.replaceChildren()
  return root
}

const READ_ONLY = [EditorState.readOnly.of(true), EditorView.lineWrapping]

function complete({ state, pos, explicit }: CompletionContext, schema: SchemaPart) {
  const cursor = cursorAt(state.doc.toString(), pos)
  if (cursor.word === '' && !explicit && cursor.inValue) return null
  if (cursor.word === '' && !explicit) return null
  const found = cursor.inValue ? valuesAt(schema, cursor.path) : keysAt(schema, cursor.path)
  const option = ({ text, about }: Suggestion): Completion => ({
    label: text,
    apply: cursor.inValue ? text : `${text}: `,
    type: cursor.inValue ? 'enum' : 'property',
    ...(about === undefined ? {} : { info: about }),
  })
  return found.length === 0 ? null : { from: cursor.from, options: found.map(option), validFor: /^[\w$./ -]*$/ }
}

/** Explains the key under the pointer. */
function help(view: EditorView, position: number, schema: SchemaPart) {
  const line = view.state.doc.lineAt(position)
  const key = [...line.text.matchAll(/([\w$.-]+)\s*:/g)].find(
    ({ index, 1: name = '' }) => position >= line.from + index && position <= line.from + index + name.length,
  )
  if (key === undefined) return null
  const { index, 0: whole, 1: name = '' } = key
  const { path } = cursorAt(view.state.doc.toString(), line.from + index + whole.length + 1)
  const about = aboutAt(schema, path.at(-1) === name ? path : [...path, name])
  if (about === undefined) return null
  return {
    pos: line.from + index,
    end: line.from + index + name.length,
    create: () => {
      const dom = document.createElement('div')
      dom.className = 'cm-help'
      dom.textContent = about
      return { dom }
    },
  }
}

const appearance = (label: string): Extension[] => [
  yaml(),
  // A text that scrolls must be reachable by keyboard.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorView.theme({
    '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--size)' },
    '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
    '.cm-content': { caretColor: 'var(--text)' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-faint)', border: 'none' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': { backgroundColor: 'var(--chosen)' },
    '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      backgroundColor: 'var(--accent-ground)',
      color: 'var(--on-accent)',
    },
    '.cm-help': { padding: '6px 10px', maxWidth: '36rem', whiteSpace: 'normal', fontFamily: 'var(--font)' },
    '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
    '.cm-matchingBracket': { backgroundColor: 'var(--chosen) !important' },
    '.cm-changedLine': { backgroundColor: 'var(--info-ground) !important' },
    '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--text-soft)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
      { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
      { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--info)' },
      { tag: [tags.comment, tags.lineComment], color: 'var(--text-faint)', fontStyle: 'italic' },
      { tag: [tags.invalid], color: 'var(--bad)' },
    ]),
  ),
]
