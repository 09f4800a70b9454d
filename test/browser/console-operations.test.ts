// View 2 of the console: replies of operations are replaced, and operations are tried.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedBrowser, withoutBrowser } from './chromium.ts'
import { withConsole } from './console.ts'

const skip = withoutBrowser
const browser = sharedBrowser()

test('the second save fails, once', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await open('operations')
    await page.getByRole('grid').getByText('createNote').click()
    await page.getByRole('tab', { name: 'Answer next' }).click()
    await page.getByRole('button', { name: 'A server error' }).click()
    await page.getByLabel('Beginning with').selectOption('The second from now')
    await page.getByRole('button', { name: 'Answer like this' }).click()
    await page.locator('.side .given-answers').getByText('503 · once · after one request').waitFor()
    assert.equal((await send('POST', '/notes', { text: 'first save' })).status, 201)
    assert.equal((await send('POST', '/notes', { text: 'second save' })).status, 503)
    assert.equal((await send('POST', '/notes', { text: 'third save' })).status, 201)
    await page.locator('.side .given-answers').waitFor({ state: 'hidden' })
  }),
)

test('one user sees an empty list until it is switched off', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await open('operations?operation=listNotes&tab=next')
    await page.getByRole('button', { name: 'An empty list' }).click()
    assert.equal(await page.getByRole('textbox', { name: 'Body' }).inputValue(), '[]')
    await page.getByLabel('How often').selectOption('always')
    await page.getByLabel('For', { exact: true }).selectOption('frontend')
    await page.getByRole('button', { name: 'Answer like this' }).click()
    await page.locator('.side .given-answers').getByText('until switched off').waitFor()
    const seenBy = async (key: string): Promise<unknown[]> =>
      (await (await send('GET', '/notes', undefined, { 'x-key': key })).json()) as unknown[]
    assert.deepEqual(await seenBy('frontend-key'), [])
    assert.deepEqual(await seenBy('frontend-key'), [])
    assert.equal((await seenBy('backend-key')).length, 1)
    await page.locator('.side').getByRole('button', { name: 'Switch off' }).click()
    await page.locator('.side .given-answers').waitFor({ state: 'hidden' })
    assert.equal((await seenBy('frontend-key')).length, 1)
  }),
)

test('an ordered broken connection reaches the app', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await open('operations?operation=getNote&tab=next')
    await page.getByRole('button', { name: 'A broken connection' }).click()
    await page.getByRole('button', { name: 'Answer like this' }).click()
    await page.locator('.side .given-answers').getByText('reset').waitFor()
    await assert.rejects(send('GET', '/notes/1'))
    assert.equal((await send('GET', '/notes/1')).status, 200)
  }),
)

test('an invalid order is refused beside the form', { skip }, () =>
  withConsole(browser, {}, async ({ page, open }) => {
    await open('operations?operation=getNote&tab=next')
    await page.getByText('Only when a condition holds').click()
    await page.getByLabel('Condition').fill('request.nowhere ==')
    await page.getByRole('button', { name: 'Answer like this' }).click()
    await page.locator('form').getByRole('alert').waitFor()
  }),
)

test('an operation is tried with a form from the contract, and its reply is shown', { skip }, () =>
  withConsole(browser, {}, async ({ gateway, page, open }) => {
    await open('operations?operation=createNote&tab=try')
    const body = page.getByLabel('Body, application/json')
    assert.equal(typeof JSON.parse(await body.inputValue()).text, 'string')
    await body.fill('{"text":"tried"}')
    await page.getByLabel('Call as').selectOption('backend')
    await page.getByRole('button', { name: 'Send' }).click()
    const reply = page.getByRole('region', { name: 'The reply' })
    await reply.locator('.status', { hasText: '201' }).waitFor()
    assert.match(await reply.locator('.body-view').innerText(), /"tried"/)
    assert.equal((await gateway.world().records('notes')).length, 2)
    await body.fill('{"text":""}')
    await page.getByRole('button', { name: 'Send' }).click()
    await reply.locator('.refusal').waitFor()
    await reply.getByRole('link', { name: 'Why this reply?' }).click()
    await page.getByRole('complementary', { name: 'The chosen request' }).getByText('validate').first().waitFor()
  }),
)

test('the list shows rates and latencies of each operation, and leads to its callers', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await open('operations')
    for (let i = 0; i < 5; i++) await send('GET', '/notes')
    const row = page.locator('.table-row', { hasText: 'listNotes' })
    await row.getByRole('img', { name: 'listNotes: 5 requests in the last minutes' }).waitFor()
    await row.click()
    const side = page.getByRole('complementary', { name: 'The chosen operation' })
    assert.match(
      (await side.getByRole('link', { name: 'Its requests and callers' }).getAttribute('href')) ?? '',
      /live\?operation=listNotes/,
    )
    await side.getByRole('img', { name: /Latency of listNotes/ }).waitFor()
    await page.getByPlaceholder('Search operations').fill('old')
    await page.getByRole('grid').getByText('/v1/old').waitFor()
    assert.equal(await page.locator('.table-row').count(), 1)
    assert.match(await page.locator('.table-row').innerText(), /deprecated|\/v1\/old/)
  }),
)
