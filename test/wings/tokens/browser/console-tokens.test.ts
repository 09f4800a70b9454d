// The view Tokens of the console: the endpoints of an issuer, and a token with a flaw.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { parse } from 'yaml'
import { sharedBrowser, withoutBrowser } from '../../../browser/chromium.ts'
import { findingsAtWidths, withConsole } from '../../../browser/console.ts'
import { CONTRACT, ISSUERS } from '../login.ts'

const skip = withoutBrowser
const browser = sharedBrowser()
const config = parse(CONTRACT + ISSUERS)

test('a token is made as a consumer, with a flaw', { skip }, () =>
  withConsole(browser, { config }, async ({ page, open }) => {
    await open('tokens')
    await page.getByRole('cell', { name: '/oauth2/token' }).waitFor()
    await page.getByLabel('As').selectOption('ada')
    await page.getByLabel('Flaw').selectOption('expired')
    await page.getByRole('button', { name: 'Make a token' }).click()
    const text = (await page.locator('.command-line code').textContent()) ?? ''
    const { sub, exp = 0 } = decodeJwt(text.replace('Authorization: Bearer ', ''))
    assert.deepEqual([sub, exp * 1000 < Date.now()], ['ada', true])
    assert.deepEqual(await findingsAtWidths(page), [])
  }),
)

test('without issuers the view says what to write', { skip }, () =>
  withConsole(browser, {}, async ({ page, open }) => {
    await open('tokens')
    await page.getByText('No issuer gives tokens').waitFor()
  }),
)
