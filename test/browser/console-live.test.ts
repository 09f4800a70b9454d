// View 1 of the console: the live list of requests.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sharedBrowser, withoutBrowser } from './chromium.ts'
import { CONFIG, startGateway, withConsole } from './console.ts'

const skip = withoutBrowser
const browser = sharedBrowser()

const rows = (page: Page) => page.getByRole('grid').locator('.table-row')
const detail = (page: Page) => page.getByRole('complementary', { name: 'The chosen request' })

test('a person watches a request arrive and reads why it was refused', { skip }, () =>
  withConsole(browser, {}, async ({ page, watch, send }) => {
    await watch()
    await page.getByText('Waiting for the first request').waitFor()
    // No key is published, so the command asks the control plane, which adds the credential of a consumer.
    const command = (await page.locator('.command-line pre').innerText()).trim()
    const [, json = '', address = ''] = /^curl --json '([^']+)' (\S+)$/.exec(command) ?? []
    assert.equal(json, '{"method":"GET","path":"/v1/notes","consumer":"frontend"}')
    const sent = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: json })
    assert.equal(((await sent.json()) as { reply: { status: number } }).reply.status, 200)
    await rows(page).filter({ hasText: 'listNotes' }).waitFor()
    await send('POST', '/notes', { text: '' })
    await rows(page).filter({ hasText: 'createNote' }).click()
    const shown = detail(page)
    await shown.getByText('/text').waitFor()
    assert.match(await shown.locator('.refusal').innerText(), /invalid_request/)
    assert.match(await shown.locator('.chain .tone-bad').innerText(), /^validate\s+\(replied\)$/)
    await shown.getByRole('tab', { name: 'Request' }).click()
    await shown.getByText('x-key').waitFor()
    // The credential is masked, the body is shown.
    assert.equal((await shown.innerText()).includes('frontend-key'), false)
    assert.match(await shown.locator('.body-view').innerText(), /"text": ""/)
    await shown.getByRole('tab', { name: 'Reply' }).click()
    await shown.getByText('content-type').waitFor()
    assert.match(page.url(), /request=2/)
  }),
)

test('filters choose requests, and the URL carries them', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await send('GET', '/notes')
    await send('GET', '/notes/99')
    await open('live')
    await page.getByText('2 requests').waitFor()
    await page.getByRole('button', { name: '4xx' }).click()
    await page.getByText('1 request', { exact: true }).waitFor()
    assert.match(page.url(), /status=4xx/)
    await page.reload()
    await page.getByText('1 request', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('2 requests').waitFor()
    await page.getByPlaceholder('Path').fill('99')
    await page.getByText('1 request', { exact: true }).waitFor()
    await page.getByPlaceholder('Path').fill('nowhere')
    await page.getByText('No request matches').waitFor()
  }),
)

test('an invalid filter shows the message of the control plane', { skip }, () =>
  withConsole(browser, {}, async ({ page, open }) => {
    await open('live?operation=listNote')
    await page.getByRole('alert').getByText('listNotes').waitFor()
    await open('live?slowerThan=often')
    await page.getByRole('alert').getByText('slowerThan must be a duration').waitFor()
  }),
)

test('a paused list does not change, and then shows the waiting requests', { skip }, () =>
  withConsole(browser, {}, async ({ page, watch, send }) => {
    await watch()
    await send('GET', '/notes')
    await page.getByText('1 request', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await send('GET', '/notes/1')
    await page.getByText('paused, 1 waiting').waitFor()
    assert.equal(await rows(page).count(), 1)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('2 requests').waitFor()
    await page.getByRole('button', { name: 'Clear the list' }).click()
    await page.getByText('Waiting for the first request').waitFor()
  }),
)

test('a request is sent again, into its world and into a fresh one', { skip }, () =>
  withConsole(browser, {}, async ({ page, watch, send }) => {
    await watch()
    await send('POST', '/notes', { text: 'again' })
    await rows(page).first().click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('Sent again into the world default: 201.').waitFor()
    await page.getByRole('button', { name: 'In a fresh world' }).click()
    await page.getByText(/Sent again into the world (?!default)\S+: 201\./).waitFor()
    await page.getByText('3 requests').waitFor()
  }),
)

test('a request is copied as a command for a terminal, without its credential', { skip }, () =>
  withConsole(browser, { context: { permissions: ['clipboard-read', 'clipboard-write'] } }, async opened => {
    const { page, watch, send } = opened
    await watch()
    await send('POST', '/notes', { text: 'as a command' })
    await rows(page).first().click()
    await page.getByRole('button', { name: 'curl' }).click()
    await page.getByText('Copied to the clipboard.').waitFor()
    const command = (await page.evaluate('navigator.clipboard.readText()')) as string
    assert.match(command, /^curl .*as a command.*\/v1\/notes/s)
    assert.equal(command.includes('frontend-key'), false)
  }),
)

test('a rule is prefilled with the path and the body of a request', { skip }, () =>
  withConsole(browser, {}, async ({ page, watch, send }) => {
    await watch()
    await send('POST', '/notes', { text: 'again', colour: 'blue' })
    await rows(page).first().click()
    await page.getByRole('button', { name: 'Create a rule' }).click()
    await page.getByText('For the configuration file').click()
    const text = await page.getByRole('textbox', { name: 'Rule as YAML' }).inputValue()
    assert.match(
      text,
      /createNote:\n {4}rules:\n {6}- when: 'request\.body\.text == "again" && request\.body\.colour == "blue"'/,
    )
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    assert.ok(await detail(page).isVisible())
  }),
)

test('a rule applies at once to its body only, and can be switched off', { skip }, () =>
  withConsole(browser, {}, async ({ page, watch, send }) => {
    await watch()
    await send('POST', '/notes', { text: 'again' })
    await rows(page).first().click()
    await page.getByRole('button', { name: 'Create a rule' }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel('Condition').inputValue(), 'request.body.text == "again"')
    await dialog.getByRole('button', { name: 'Add the rule' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const saved = async (text: string): Promise<number> => (await send('POST', '/notes', { text })).status
    assert.deepEqual([await saved('again'), await saved('other'), await saved('again')], [500, 201, 500])
    await page.getByRole('button', { name: /Switch off the answer/ }).click()
    await page.locator('.given-answers').waitFor({ state: 'hidden' })
    assert.equal(await saved('again'), 201)
  }),
)

test('the next request of this kind is answered differently, once', { skip }, () =>
  withConsole(browser, {}, async ({ page, watch, send }) => {
    await watch()
    assert.equal((await send('POST', '/notes', { text: 'one' })).status, 201)
    await rows(page).first().click()
    await page.getByRole('button', { name: 'Answer next' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Answer like this' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const statuses: number[] = []
    for (const text of ['two', 'three']) statuses.push((await send('POST', '/notes', { text })).status)
    assert.deepEqual(statuses, [500, 201])
    await rows(page).filter({ hasText: '500' }).click()
    await detail(page)
      .getByText(/answer .*500/)
      .first()
      .waitFor()
  }),
)

/** Sends requests one behind the other over one connection, and waits for all replies. */
async function sendMany(url: string, path: string, count: number): Promise<void> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  const request = `GET ${pathname}${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-key: frontend-key\r\n`
  socket.write(`${`${request}\r\n`.repeat(count - 1)}${request}connection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.equal(text.split('HTTP/1.1 200 OK').length - 1, count)
}

test('the list holds 10,000 requests and renders the visible ones', { skip }, () =>
  withConsole(browser, { config: { ...CONFIG, journal: { requests: 10_000 } } }, async ({ gateway, page, watch }) => {
    await sendMany(gateway.url, '/notes', 9500)
    await watch()
    await sendMany(gateway.url, '/notes', 500)
    await page.getByText('10,000 requests').waitFor()
    assert.ok((await rows(page).count()) < 100)
    await page.getByRole('grid').focus()
    await page.keyboard.press('End')
    await page.locator('[aria-rowindex="10001"][aria-selected="true"]').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.locator('[aria-rowindex="10000"][aria-selected="true"]').waitFor()
  }),
)

test('after the console is closed the journal keeps no headers, bodies and explanations', { skip }, () =>
  withConsole(browser, {}, async ({ gateway, page, watch, send }) => {
    const last = async (): Promise<Record<string, unknown>> => {
      await (await send('POST', '/notes', { text: 'kept?' })).arrayBuffer()
      const { requests } = (await (await fetch(`${gateway.control}/requests?limit=1`)).json()) as {
        requests: Record<string, unknown>[]
      }
      return requests[0] as Record<string, unknown>
    }
    await watch()
    const watched = await last()
    for (const part of ['headers', 'replyHeaders', 'requestBody', 'explanation']) assert.ok(part in watched, part)
    await page.close()
    let unwatched = await last()
    while ('explanation' in unwatched) unwatched = await last()
    for (const part of ['headers', 'replyHeaders', 'requestBody', 'explanation']) {
      assert.equal(part in unwatched, false, part)
    }
  }),
)

test('a lost connection is shown and restored', { skip }, async () => {
  const first = await startGateway({ config: CONFIG, host: '127.0.0.1' })
  const ports = { port: Number(new URL(first.url).port), controlPort: Number(new URL(first.control).port) }
  await first.close()
  let second: Awaited<ReturnType<typeof startGateway>> | undefined
  try {
    await withConsole(browser, { start: ports }, async ({ gateway, page, watch, send }) => {
      await watch()
      await send('GET', '/notes')
      await page.getByText('1 request', { exact: true }).waitFor()
      await gateway.close()
      await page.getByRole('alert').getByText('The gateway does not answer').waitFor()
      second = await startGateway({ config: CONFIG, host: '127.0.0.1', ...ports })
      await page.getByRole('alert').waitFor({ state: 'hidden' })
      await send('GET', '/notes/1')
      // The requests before the restart remain visible.
      await page.getByText('2 requests').waitFor()
    })
  } finally {
    await second?.close()
  }
})
