import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { realApiObserver } from '../../../../src/wings/real-api/observe.ts'
import { closeAll, standOpen } from '../../real-api/wire/forwarding.ts'

after(closeAll)

test('a forwarded reply is counted once the time for judging has run out, unless its bytes are known', async () => {
  const { gateway, serving } = await standOpen(({ url }, res) =>
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ url })),
  )
  const { judging } = gateway.observed(realApiObserver)
  const send = async (query: string) => (await fetch(`${serving.origin}/v1/pets?${query}`)).text()
  await send('known')
  judging.spend(1_000_000)
  await send('new')
  await send('known')
  const { dropped } = (await (await fetch(`${serving.controlOrigin}/drift`)).json()) as { dropped: number }
  assert.equal(dropped, 1)
  const page = await (await fetch(`${serving.controlOrigin}/metrics`)).text()
  assert.match(page, /understudy_drift_total\{operation="listPets",kind="dropped"\} 1/)
})
