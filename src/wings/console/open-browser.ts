// Opens the console in the default browser.

import { spawn } from 'node:child_process'

/**
 * Opens an address in the default browser: starts the program for that on this platform, and does not wait for it.
 *
 * @param failed is called with the address if no such program exists or if it fails
 */
export function openBrowser(url: string, platform: string, failed: (url: string) => void): void {
  const [program, ...before] = OPENERS[platform] ?? ['xdg-open']
  let told = false
  const fail = () => {
    if (!told) failed(url)
    told = true
  }
  const opener = spawn(program as string, [...before, url], { stdio: 'ignore', detached: true })
  opener.on('error', fail)
  opener.on('exit', code => void (code === 0 || fail()))
  opener.unref()
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  // The first argument in quotes would be the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}
