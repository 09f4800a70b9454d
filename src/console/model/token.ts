// The control token, if the control plane requires one. It is kept for this tab only (`sessionStorage`) and in no URL.

import { signal } from '@preact/signals'

const KEY = 'understudy.token'
let token = sessionStorage.getItem(KEY) ?? ''
let waiting: ((token: string) => void)[] = []

/** The reason why a token is requested; `undefined` if none is. */
export const tokenQuestion = signal<string | undefined>(undefined)

export const authorization = (): Record<string, string> => (token === '' ? {} : { authorization: `Bearer ${token}` })

/** Asks for a token and waits for it. Calls that are refused at the same time wait for the same token. */
export function askForToken(refused: string | undefined): Promise<string> {
  tokenQuestion.value = refused ?? ''
  return new Promise(resolve => waiting.push(resolve))
}

/** The bearer token as it was sent: a call that was refused with an older one is sent again without asking. */
export const currentToken = (): string => token

export function giveToken(given: string): void {
  token = given
  sessionStorage.setItem(KEY, given)
  tokenQuestion.value = undefined
  const resume = waiting
  waiting = []
  for (const resolve of resume) resolve(given)
}
