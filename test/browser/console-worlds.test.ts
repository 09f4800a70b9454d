// View 3 of the console: worlds, their clocks and their records.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sharedBrowser, withoutBrowser } from './chromium.ts'
import { CONFIG, withConsole } from './console.ts'

const skip = withoutBrowser
const browser = sharedBrowser()

/** The pet store of the repository, whose `getPet` has its sunset on 2030-12-05. */
const PET_STORE = { config: 'config/gateway.yaml' as unknown as object }
const PET_KEY = { headers: { authorization: 'Bearer demo-key' } }

const announced = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('.announcement', { hasText: text }).first().waitFor()

test('a person travels to the day after the sunset, sees the 410, and comes back', { skip }, () =>
  withConsole(browser, PET_STORE, async ({ page, open, gateway }) => {
    const statusOfPet = async (): Promise<number> => (await fetch(`${gateway.url}/pets/1`, PET_KEY)).status
    await open('worlds')
    assert.equal(await statusOfPet(), 200)
    const clock = page.getByRole('region', { name: 'Clock' })
    await clock.getByLabel('Jump to').fill('2030-12-06')
    await clock.getByRole('button', { name: 'Jump', exact: true }).click()
    await clock.getByText('6 Dec 2030').waitFor()
    await clock.getByText(/^Running, \d+ years ahead$/).waitFor()
    assert.equal(await statusOfPet(), 410)
    await page.locator('.clock-time.tone-warn').waitFor()
    await clock.getByRole('button', { name: 'Real time' }).click()
    await clock.getByText('Real time', { exact: true }).waitFor()
    assert.equal(await statusOfPet(), 200)
  }),
)

test('the clock is frozen, accelerated and moved to the next event of the calendar', { skip }, () =>
  withConsole(browser, PET_STORE, async ({ page, open, gateway }) => {
    await gateway.world().travel('2030-12-01')
    await open('worlds')
    const clock = page.getByRole('region', { name: 'Clock' })
    await clock.getByRole('button', { name: 'Freeze' }).click()
    await clock.getByText(/^Frozen/).waitFor()
    await clock.getByText('getPet is removed and answers 410').waitFor()
    await clock.getByRole('button', { name: 'Jump to the next event' }).click()
    await clock.getByText('5 Dec 2030').first().waitFor()
    await clock.getByText(/^Frozen/).waitFor()
    await clock.getByText('Nothing is to come').waitFor()
    assert.equal((await fetch(`${gateway.url}/pets/1`, PET_KEY)).status, 410)
    await clock.getByLabel('Speed of the clock').selectOption({ label: 'a day a second' })
    await clock.getByText(/^Running a day a second/).waitFor()
  }),
)

test('a date that does not exist is refused beside its input', { skip }, () =>
  withConsole(browser, {}, async ({ page, open }) => {
    await open('worlds')
    await page.getByLabel('Jump to').fill('2030-02-31')
    await page.getByLabel('Jump to').press('Enter')
    await page.getByText('must be a date, a timestamp or an offset').waitFor()
    assert.equal(await page.getByLabel('Jump to').getAttribute('aria-invalid'), 'true')
  }),
)

const { Note } = CONFIG.contract.components.schemas
const properties = { ...Note.properties, serial: { type: 'integer' }, price: { type: 'number' } }
/** Records with numbers that a double would change. */
const EXACT = {
  config: {
    ...CONFIG,
    contract: {
      ...CONFIG.contract,
      components: { ...CONFIG.contract.components, schemas: { Note: { ...Note, properties } } },
    },
  },
}

const jsonIn = (record: Locator): Locator => record.getByRole('textbox', { name: 'The record as JSON' })

test('an edited record is refused at its field, then corrected, and keeps every digit', { skip }, () =>
  withConsole(browser, EXACT, async ({ page, open, send }) => {
    await open('worlds')
    await page.getByRole('grid', { name: 'Records of notes' }).getByText('first').click()
    const record = page.getByRole('complementary', { name: 'Record 1' })
    await jsonIn(record).fill('{"id": 1, "text": ""}')
    await record.getByRole('button', { name: 'Save', exact: true }).click()
    const mistake = record.getByRole('region', { name: 'Mistakes' }).getByRole('button')
    await mistake.getByText('must not be empty').waitFor()
    assert.match(await mistake.innerText(), /\/text/)
    await record.locator('.cm-focused .cm-lintRange-error', { hasText: '""' }).waitFor()
    await jsonIn(record).fill(
      '{"id": 1, "text": "mended", "colour": "blue", "serial": 9007199254740993, "price": 1.10}',
    )
    await record.getByRole('button', { name: 'Save', exact: true }).click()
    await announced(page, 'Saved 1.')
    await page.getByRole('grid').getByText('mended').waitFor()
    const stored = '{"id":1,"text":"mended","colour":"blue","serial":9007199254740993,"price":1.10}'
    assert.equal(await (await send('GET', '/notes/1')).text(), stored)
    assert.match(await jsonIn(record).innerText(), /"serial": 9007199254740993,\s+"price": 1\.10/)
    assert.match(page.url(), /record=1/)
  }),
)

test('the editor of a record completes its fields and their values', { skip }, () =>
  withConsole(browser, {}, async ({ page, open }) => {
    await open('worlds?record=1')
    const json = jsonIn(page.getByRole('complementary', { name: 'Record 1' }))
    await json.fill('{ "text": "x", "col')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: 'colour' }).click()
    await page.keyboard.insertText('bl')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: 'blue' }).click()
    assert.equal(await json.innerText(), '{ "text": "x", "colour": "blue"')
  }),
)

test('a record is created, refused as broken JSON, changed and deleted', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await open('worlds')
    await page.getByRole('button', { name: 'New record' }).click()
    const created = page.getByRole('complementary', { name: 'New record' })
    // A new record begins with its required fields.
    await jsonIn(created).getByText('"text"').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('must not be empty').waitFor()
    await jsonIn(created).fill('{"text": "second"}')
    await page.getByRole('button', { name: 'Create' }).click()
    await announced(page, 'Created 2.')
    const record = page.getByRole('complementary', { name: 'Record 2' })
    await jsonIn(record).fill('{"text": ')
    await record.getByRole('button', { name: 'Save', exact: true }).click()
    await record.getByRole('alert').getByText('is not JSON').waitFor()
    await record.getByRole('button', { name: 'Discard changes' }).click()
    await jsonIn(record).getByText('"second"').waitFor()
    await jsonIn(record).fill('{"text": "second, changed"}')
    await record.getByRole('button', { name: 'Save', exact: true }).click()
    await announced(page, 'Saved 2.')
    assert.deepEqual(await (await send('GET', '/notes/2')).json(), { id: 2, text: 'second, changed' })
    await page.getByRole('button', { name: 'Delete' }).click()
    await announced(page, 'Deleted 2.')
    await page.getByRole('grid').getByText('second, changed').waitFor({ state: 'hidden' })
    assert.equal((await send('GET', '/notes/2')).status, 404)
  }),
)

const MANY = {
  config: { ...CONFIG, resources: { notes: { schema: 'Note', seed: { generate: 100_000 }, maxRecords: 200_000 } } },
}

test('a table of 100,000 records is scrolled, sorted and searched', { skip }, () =>
  withConsole(browser, MANY, async ({ page, open, send }) => {
    await send('POST', '/notes', { text: 'zzz the needle' })
    await open('worlds')
    const table = page.getByRole('grid', { name: 'Records of notes' })
    await page.getByText('100,001 records').first().waitFor()
    await table.evaluate(element => element.scrollTo(0, 1_500_000))
    await table.getByText('50001', { exact: true }).waitFor()
    assert.ok((await table.getByRole('row').count()) < 100, 'only the rows in sight are in the page')
    await table.getByRole('button', { name: 'text' }).click()
    await table.getByRole('button', { name: 'text' }).click()
    await table.getByText('zzz the needle').waitFor()
    assert.match(page.url(), /sort=-text/)
    await page.getByLabel('Search notes').fill('NEEDLE')
    await page.getByText('1 record', { exact: true }).waitFor()
    await page.getByLabel('Search notes').fill('no such text')
    await page.getByRole('heading', { name: 'No record matches' }).waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('100,001 records').first().waitFor()
  }),
)

test('a world is forked, changed, saved to a file, reset and restored', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send, gateway }) => {
    await open('worlds')
    await page.getByRole('button', { name: 'Fork' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('checkout')
    await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click()
    await announced(page, 'checkout is there.')
    await page.getByRole('heading', { name: 'checkout' }).waitFor()
    const inCheckout = { 'understudy-world': 'checkout' }
    await send('POST', '/notes', { text: 'only in checkout' }, inCheckout)
    await page.getByRole('grid').getByText('only in checkout').waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save snapshot' }).click()
    const download = await saving
    assert.match(download.suggestedFilename(), /^checkout-.*\.snapshot\.json$/)
    const file = (await download.path()) as string
    assert.equal(JSON.parse(await readFile(file, 'utf8')).version, 1)

    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('button', { name: 'Reset it' }).click()
    await announced(page, 'checkout begins anew.')
    await page.getByRole('grid').getByText('only in checkout').waitFor({ state: 'hidden' })
    await page.getByLabel('Snapshot to restore checkout from').setInputFiles(file)
    await page.getByRole('button', { name: 'Restore it' }).click()
    await announced(page, 'checkout is as the snapshot has it.')
    await page.getByRole('grid').getByText('only in checkout').waitFor()
    assert.equal((await send('GET', '/notes/2', undefined, inCheckout)).status, 200)
    assert.equal((await send('GET', '/notes/2')).status, 404, 'the default world is untouched')

    await page.getByRole('button', { name: 'New world' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('from-seeds')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'from-seeds' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete it' }).click()
    await announced(page, 'from-seeds is deleted.')
    const worlds = (await (await fetch(`${gateway.control}/worlds`)).json()) as { name: string }[]
    assert.deepEqual(worlds.map(({ name }) => name).sort(), ['checkout', 'default'])
  }),
)

test('a snapshot that breaks the contract is refused with its detail, and nothing changes', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await open('worlds')
    const restore = async (text: string): Promise<void> => {
      const file = { name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from(text) }
      await page.getByLabel('Snapshot to restore default from').setInputFiles(file)
      await page.getByRole('button', { name: 'Restore it' }).click()
    }
    await restore('{"version":1,"collections":{"notes":{"records":[{"id":1}]}}}')
    await page.getByRole('dialog').getByText('/collections/notes/records/0/text is required').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await restore('not JSON')
    await page.getByRole('dialog').getByText('the file is not JSON').waitFor()
    assert.deepEqual(await (await send('GET', '/notes/1')).json(), { id: 1, text: 'first' })
  }),
)

test('a link to a new world says how the world begins', { skip }, () =>
  withConsole(browser, {}, async ({ page, open }) => {
    await open('worlds?world=later')
    await page.getByRole('heading', { name: 'There is no world "later" yet' }).waitFor()
    await page.getByRole('button', { name: 'Create it' }).click()
    await page.getByRole('heading', { name: 'later', exact: true }).waitFor()
    await page.getByRole('grid', { name: 'Records of notes' }).waitFor()
  }),
)

test('a world goes back to an earlier change, and is forked from one', { skip }, () =>
  withConsole(browser, { config: { ...CONFIG, state: { history: true } } }, async ({ page, open, send }) => {
    for (const text of ['second', 'third']) await send('POST', '/notes', { text })
    await open('worlds')
    await page.getByRole('button', { name: 'History' }).click()
    const past = page.getByRole('region', { name: 'History' })
    const slider = past.getByRole('slider', { name: 'After change' })
    await past.getByText('2 of 2').waitFor()
    await past.getByText('notes 3 written').waitFor()
    await slider.press('ArrowLeft')
    await past.getByText('notes 2 written').waitFor()
    await past.getByRole('button', { name: 'Fork from here' }).click()
    await announced(page, 'default-2 is there.')
    await page.getByRole('heading', { name: 'default-2' }).waitFor()
    await page.getByRole('status').getByText('2 records', { exact: true }).waitFor()
    assert.equal((await send('GET', '/notes/3')).status, 200, 'the world itself stays as it is')
    await open('worlds?history=open')
    await slider.press('Home')
    await past.getByText('Before the first change').waitFor()
    await past.getByRole('button', { name: 'Rewind to here' }).click()
    await announced(page, 'default is as it was.')
    await past.getByText('3 of 3').waitFor()
    assert.equal((await send('GET', '/notes/2')).status, 404)
    // Rewinding is a change, too.
    await slider.press('ArrowLeft')
    await past.getByRole('button', { name: 'Rewind to here' }).click()
    await past.getByText('4 of 4').waitFor()
    assert.equal((await send('GET', '/notes/3')).status, 200)
  }),
)
