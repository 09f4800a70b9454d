// The pages that a user sees: plain, without a script.

import type { Reply } from '../../kernel/http.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, letter => ENTITIES[letter] as string)

const STYLE =
  'body{font:1rem/1.5 system-ui;max-width:28rem;margin:3rem auto;padding:0 1rem}button{font:inherit;display:block;width:100%;margin:.5rem 0;padding:.5rem}'

export function pageOf(title: string, content: string, status = 200): Reply {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      'referrer-policy': 'no-referrer',
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style><main><h1>${escapeHtml(title)}</h1>${content}</main></html>`,
  }
}

export const messagePage = (title: string, text: string, status = 200): Reply =>
  pageOf(title, `<p>${escapeHtml(text)}</p>`, status)

interface Choice {
  readonly client: string
  readonly users: readonly string[]
  readonly hint: string | undefined
  readonly scopes: readonly string[]
  /** The authorization request as a query. */
  readonly query: string
}

/** The page on which a user is chosen, who thereby consents. */
export function choicePage({ client, users, hint, scopes, query }: Choice): Reply {
  const ordered = users.toSorted((a, b) => Number(b === hint) - Number(a === hint))
  const buttons = ordered.map(
    user => `<button name="user" value="${escapeHtml(user)}">Continue as ${escapeHtml(user)}</button>`,
  )
  const wanted = scopes.map(scope => `<li>${escapeHtml(scope)}</li>`).join('')
  return pageOf(
    'Log in',
    `<p><strong>${escapeHtml(client)}</strong> asks for access${wanted === '' ? '.' : `:</p><ul>${wanted}</ul><p>`}</p><form method="post" action="?${escapeHtml(query)}">${buttons.join('')}<button name="deny" value="deny">Deny</button></form>`,
  )
}
