// The tab of an operation with the parts that no request has touched.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedBrowser, withoutBrowser } from '../../../browser/chromium.ts'
import { withConsole } from '../../../browser/console.ts'

const skip = withoutBrowser
const browser = sharedBrowser()

test('an operation shows the parts that no request has touched', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await send('POST', '/notes', { text: 'a', colour: 'blue' })
    await open('operations?operation=createNote&tab=coverage')
    const untouched = page.getByRole('region', { name: 'Never touched' })
    await untouched.getByText('value colour=yellow').waitFor()
    assert.equal(await untouched.getByText('value colour=blue').count(), 0)
    await page.getByRole('region', { name: 'Rules never violated' }).getByText('text minLength').waitFor()
    await send('POST', '/notes', { text: 'a', colour: 'yellow' })
    await untouched.getByText('value colour=yellow').waitFor({ state: 'hidden' })
  }),
)
