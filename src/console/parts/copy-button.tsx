// Copies a text to the clipboard, and a command line with such a button beside it.

import { useState } from 'preact/hooks'
import { announce } from './announce.tsx'
import { Icon } from './icon.tsx'

export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    if (!(await copyText(typeof text === 'string' ? text : text()))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button type="button" class="button quiet" onClick={copy}>
      <Icon name={copied ? 'check' : 'copy'} />
      {copied ? 'Copied' : label}
    </button>
  )
}

/** Returns whether the text is in the clipboard; a browser may forbid it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    announce('Copied to the clipboard.')
    return true
  } catch {
    announce('The browser does not let this page use the clipboard. Select the text and copy it.', 'failed')
    return false
  }
}

/** A command for a terminal. */
export const CommandLine = ({ text }: { text: string }) => (
  <div class="command-line">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a line that scrolls must be reachable by keyboard */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
)
