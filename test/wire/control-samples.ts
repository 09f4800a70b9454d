// Requests to every operation of the control plane, for the test that compares replies with its document.

import type { AskOptions } from './ask.ts'

export interface Sample extends AskOptions {
  readonly path: string
  readonly status: number
}

export const JSON_TYPE = { 'content-type': 'application/json' }
export const POST = (body: string) => ({ method: 'POST', headers: JSON_TYPE, body })
export const PUT = (body: string) => ({ method: 'PUT', headers: JSON_TYPE, body })

/** Requests by `operationId`: at least one for each operation of the document. */
export const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  listDeliveries: [
    { path: '/deliveries', status: 200 },
    { path: '/deliveries?webhook=none', status: 400 },
  ],
  verifyDeliveries: [
    { path: '/deliveries/verify?min=0', status: 200 },
    { path: '/deliveries/verify?world=nowhere', status: 404 },
  ],
  sendWebhook: [
    { path: '/webhooks/none/send', method: 'POST', status: 404 },
    { path: '/webhooks/none/send', ...POST('{"world":"nowhere"}'), status: 404 },
    { path: '/webhooks/none/send', ...POST('{"to":1}'), status: 400 },
  ],
  redeliver: [{ path: '/deliveries/none/redeliver', method: 'POST', status: 404 }],
  getIssuers: [{ path: '/issuers', status: 200 }],
  mintToken: [
    { path: '/issuers/none/tokens', ...POST('{"consumer":"demo"}'), status: 400 },
    { path: '/issuers/none/tokens', ...POST('{}'), status: 400 },
  ],
  rotateKey: [{ path: '/issuers/none/rotate', method: 'POST', status: 400 }],
  getDrift: [{ path: '/drift', status: 200 }],
  stopRecording: [{ path: '/recordings/stop', method: 'POST', status: 409 }],
  getNext: [
    { path: '/next', status: 404 },
    { path: '/next?format=xml', status: 400 },
  ],
  getMetrics: [{ path: '/metrics', status: 200 }],
  sendRequest: [
    { path: '/requests', ...POST('{"method":"GET","path":"/v1/pets/1","consumer":"demo"}'), status: 200 },
    { path: '/requests', ...POST('{"method":"GET","path":"/v1/pets/1","consumer":"dem"}'), status: 400 },
    { path: '/requests', ...POST('{"method":"GET","path":"/v1/pets/1","credential":"any"}'), status: 200 },
    { path: '/requests', ...POST('{"method":"GET","path":"v1"}'), status: 400 },
    { path: '/requests', ...POST('{"path":"/v1/pets"}'), status: 400 },
  ],
  getRequest: [
    { path: '/requests/2', status: 200 },
    { path: '/requests/2', headers: { accept: 'text/plain' }, status: 200 },
    { path: '/requests/999999', status: 404 },
    { path: '/requests/first', status: 400 },
  ],
  replayRequest: [
    { path: '/requests/2/replay', method: 'POST', status: 200 },
    { path: '/requests/2/replay', ...POST('{"fresh":true}'), status: 200 },
    { path: '/requests/2/replay', ...POST('{"fresh":true,"world":"ada"}'), status: 400 },
    { path: '/requests/999999/replay', method: 'POST', status: 404 },
  ],
  getHealth: [{ path: '/healthz', status: 200 }],
  getReadiness: [{ path: '/readyz', status: 200 }],
  getPlan: [
    { path: '/plan', status: 200 },
    { path: '/plan', headers: { accept: 'text/plain' }, status: 200 },
    { path: '/plan?unknown=1', status: 400 },
    { path: '/plan?at=2030-12-06', status: 200 },
    { path: '/plan?at=someday', status: 400 },
    { path: '/plan', headers: { origin: 'https://evil.example' }, status: 403 },
  ],
  getContract: [{ path: '/contract', status: 200 }],
  listOperations: [
    { path: '/operations', status: 200 },
    { path: '/operations?tag=pets&consumer=demo&world=default&minutes=1', status: 200 },
    { path: '/operations?world=nowhere', status: 404 },
    { path: '/operations?minutes=0', status: 400 },
  ],
  getOperation: [
    { path: '/operations/createPet', status: 200 },
    { path: '/operations/listPets', status: 200 },
    { path: '/operations/createPett', status: 404 },
  ],
  getCoverage: [
    { path: '/coverage', status: 200 },
    { path: '/coverage?operation=createPet&world=default&consumer=demo', status: 200 },
    { path: '/coverage?format=text', status: 200 },
    { path: '/coverage?format=lcov', status: 200 },
    { path: '/coverage?format=html', status: 400 },
    { path: '/coverage?operation=createPett', status: 404 },
    { path: '/coverage?consumer=dmo', status: 404 },
    { path: '/coverage?consumer=', status: 200 },
  ],
  resetCoverage: [{ path: '/coverage', method: 'DELETE', status: 204 }],
  getWeather: [{ path: '/weather', status: 200 }],
  setWeather: [
    { path: '/weather', ...PUT('{"defaults":{"latency":{"fixed":"1ms"}},"for":"5m"}'), status: 200 },
    { path: '/weather', ...PUT('{"name":"nothing"}'), status: 422 },
    { path: '/weather', ...PUT('{"latency":{"fixed":"3s"}}'), status: 422 },
    { path: '/weather', ...PUT('[]'), status: 400 },
  ],
  clearWeather: [{ path: '/weather', method: 'DELETE', status: 204 }],
  reload: [{ path: '/reload', method: 'POST', status: 200 }],
  reset: [{ path: '/reset', method: 'POST', status: 204 }],
  listWorlds: [{ path: '/worlds', status: 200 }],
  createWorld: [
    { path: '/worlds', ...POST('{"name":"ada"}'), status: 201 },
    { path: '/worlds', ...POST('{"name":"bea","from":"ada"}'), status: 201 },
    { path: '/worlds', ...POST('{"name":"cay","snapshot":{"version":1,"collections":{}}}'), status: 201 },
    { path: '/worlds', ...POST('{"name":"ada"}'), status: 409 },
    { path: '/worlds', ...POST('{"name":"a b"}'), status: 400 },
    { path: '/worlds', ...POST('{"name":"dot","from":"nobody"}'), status: 404 },
    { path: '/worlds', ...POST('{"name":"dot","from":"ada","snapshot":{"version":1,"collections":{}}}'), status: 400 },
    {
      path: '/worlds',
      ...POST('{"name":"dot","snapshot":{"version":1,"collections":{"cats":{"records":[]}}}}'),
      status: 422,
    },
    { path: '/worlds', ...POST('{"name":"dot","snapshot":{}}'), status: 400 },
    { path: '/worlds', ...POST('nonsense'), status: 400 },
  ],
  giveAnswer: [
    { path: '/answers', ...POST('{"operation":"createPet","respond":{"status":503},"times":null}'), status: 201 },
    {
      path: '/answers',
      ...POST('{"tag":"pets","respond":{"status":503,"body":{"message":"{{consumer}}"}}}'),
      status: 201,
    },
    { path: '/answers', ...POST('{"operation":"createPett","respond":{"status":503}}'), status: 422 },
    { path: '/answers', ...POST('{"operation":"createPet"}'), status: 422 },
    { path: '/answers', ...POST('[]'), status: 400 },
    { path: '/answers', method: 'POST', status: 400 },
  ],
  listAnswers: [{ path: '/answers', status: 200 }],
  giveWorldAnswer: [
    { path: '/worlds/ada/answers', ...POST('{"tag":"pets","latency":"1s","for":"5m"}'), status: 201 },
    { path: '/worlds/ada/answers', ...POST('{"latency":"soon"}'), status: 422 },
    { path: '/worlds/new-6/answers', ...POST('{"respond":{"status":418}}'), status: 201 },
  ],
  listWorldAnswers: [
    { path: '/worlds/ada/answers', status: 200 },
    { path: '/worlds/nobody/answers', status: 404 },
  ],
  clearWorldAnswers: [
    { path: '/worlds/ada/answers', method: 'DELETE', status: 204 },
    { path: '/worlds/nobody/answers', method: 'DELETE', status: 404 },
  ],
  removeAnswer: [
    { path: '/answers/a1', method: 'DELETE', status: 204 },
    { path: '/answers/a1', method: 'DELETE', status: 404 },
  ],
  clearAnswers: [{ path: '/answers', method: 'DELETE', status: 204 }],
  // The shipped configuration has no history. test/wire/state-file.test.ts covers a gateway that has one.
  getHistory: [
    { path: '/worlds/default/history', status: 409 },
    { path: '/worlds/default/history?limit=0', status: 400 },
    { path: '/worlds/nowhere/history', status: 404 },
  ],
  rewindWorld: [
    { path: '/worlds/default/rewind', ...POST('{"to":1}'), status: 409 },
    { path: '/worlds/default/rewind', ...POST('{"to":{"requests":1}}'), status: 400 },
    { path: '/worlds/nowhere/rewind', ...POST('{"to":1}'), status: 404 },
  ],
  getWorldWeather: [
    { path: '/worlds/ada/weather', status: 200 },
    { path: '/worlds/nowhere/weather', status: 404 },
  ],
  setWorldWeather: [
    { path: '/worlds/ada/weather', ...PUT('{"name":"nothing"}'), status: 422 },
    { path: '/worlds/ada/weather', ...PUT('{"defaults":{"latency":{"fixed":"1ms"}}}'), status: 200 },
  ],
  clearWorldWeather: [
    { path: '/worlds/ada/weather', method: 'DELETE', status: 204 },
    { path: '/worlds/nowhere/weather', method: 'DELETE', status: 404 },
  ],
  getWorld: [
    { path: '/worlds/ada', status: 200 },
    { path: '/worlds/petstore.example.com', status: 200 },
    { path: '/worlds/nobody', status: 404 },
    { path: '/worlds/a%20b', status: 400 },
  ],
  resetWorld: [
    { path: '/worlds/ada/reset', method: 'POST', status: 204 },
    { path: '/worlds/new-1/reset', method: 'POST', status: 204 },
  ],
  getClock: [
    { path: '/worlds/ada/clock', status: 200 },
    { path: '/worlds/nobody/clock', status: 404 },
  ],
  setClock: [
    { path: '/worlds/ada/clock', ...PUT('{"now":"2030-12-06","rate":60}'), status: 200 },
    { path: '/worlds/ada/clock', ...PUT('{"now":"2030-13-06"}'), status: 400 },
    { path: '/worlds/ada/clock', ...PUT('{"shift":30}'), status: 400 },
    { path: '/worlds/ada/clock', ...PUT('{}'), status: 400 },
    { path: '/worlds/ada/clock', ...PUT('{"freeze":true,"rate":2}'), status: 400 },
    { path: '/worlds/ada/clock', ...PUT('{"rate":0}'), status: 400 },
    { path: '/worlds/new-2/clock', ...PUT('{"freeze":true}'), status: 200 },
  ],
  restoreClock: [
    { path: '/worlds/ada/clock', method: 'DELETE', status: 204 },
    { path: '/worlds/nobody/clock', method: 'DELETE', status: 404 },
  ],
  listCollections: [
    { path: '/worlds/ada/collections', status: 200 },
    { path: '/worlds/nobody/collections', status: 404 },
  ],
  listRecords: [
    { path: '/worlds/ada/collections/pets?limit=2&offset=1', status: 200 },
    { path: '/worlds/ada/collections/pets?q=rex&sort=-name,id', status: 200 },
    { path: '/worlds/ada/collections/pets?sort=nam', status: 400 },
    { path: '/worlds/ada/collections/pats', status: 404 },
    { path: '/worlds/ada/collections/pets?limit=0', status: 400 },
  ],
  createRecord: [
    { path: '/worlds/ada/collections/pets', ...POST('{"name":"Rex","categoryId":1}'), status: 201 },
    { path: '/worlds/ada/collections/pets', ...POST('{"name":7}'), status: 422 },
    { path: '/worlds/ada/collections/pets', ...POST('[]'), status: 400 },
    { path: '/worlds/ada/collections/pats', ...POST('{}'), status: 404 },
  ],
  getResource: [
    { path: '/resources/pets', status: 200 },
    { path: '/resources/pats', status: 404 },
  ],
  getCalendar: [
    { path: '/worlds/ada/calendar', status: 200 },
    { path: '/worlds/ada/calendar?from=2020-01-01&until=%2B1d&limit=1', status: 200 },
    { path: '/worlds/ada/calendar?from=soon', status: 400 },
    { path: '/worlds/nobody/calendar', status: 404 },
  ],
  putRecords: [
    { path: '/worlds/bea/collections/pets', ...PUT('[{"id":5,"name":"Rex","categoryId":1}]'), status: 204 },
    { path: '/worlds/bea/collections/pets', ...PUT('[{"id":5,"name":"Rex"}]'), status: 422 },
    { path: '/worlds/bea/collections/pets', ...PUT('{}'), status: 400 },
  ],
  deleteRecords: [
    { path: '/worlds/cay/collections/pets', method: 'DELETE', status: 204 },
    { path: '/worlds/new-3/collections/pets', method: 'DELETE', status: 204 },
    { path: '/worlds/cay/collections/pats', method: 'DELETE', status: 404 },
  ],
  getRecord: [
    { path: '/worlds/ada/collections/pets/7', status: 200 },
    { path: '/worlds/ada/collections/pets/7777', status: 404 },
    { path: '/worlds/ada/collections/pets/x', status: 404 },
  ],
  putRecord: [
    { path: '/worlds/ada/collections/pets/7', ...PUT('{"name":"Rex","categoryId":1}'), status: 200 },
    { path: '/worlds/ada/collections/pets/700', ...PUT('{"id":700,"name":"Rex","categoryId":1}'), status: 201 },
    { path: '/worlds/ada/collections/pets/700', ...PUT('{"id":701,"name":"Rex","categoryId":1}'), status: 422 },
    { path: '/worlds/ada/collections/pets/7', ...PUT('{"name":7}'), status: 422 },
    { path: '/worlds/ada/collections/pets/x', ...PUT('{"name":"Rex","categoryId":1}'), status: 422 },
    { path: '/worlds/new-4/collections/pets/7', ...PUT('{"name":"Rex","categoryId":1}'), status: 200 },
  ],
  deleteRecord: [
    { path: '/worlds/ada/collections/pets/700', method: 'DELETE', status: 204 },
    { path: '/worlds/ada/collections/pets/700', method: 'DELETE', status: 404 },
  ],
  getSnapshot: [
    { path: '/worlds/ada/snapshot', status: 200 },
    { path: '/worlds/nobody/snapshot', status: 404 },
  ],
  putSnapshot: [
    { path: '/worlds/ada/snapshot', ...PUT('{"version":1,"collections":{"pets":{"records":[]}}}'), status: 204 },
    {
      path: '/worlds/ada/snapshot',
      ...PUT('{"version":1,"collections":{"pets":{"records":[{"id":1}]}}}'),
      status: 422,
    },
    { path: '/worlds/ada/snapshot', ...PUT('{"version":2,"collections":{}}'), status: 400 },
    { path: '/worlds/new-5/snapshot', ...PUT('{"version":1,"collections":{}}'), status: 204 },
  ],
  getScenarios: [
    { path: '/worlds/ada/scenarios', status: 200 },
    { path: '/worlds/nobody/scenarios', status: 404 },
  ],
  putScenarios: [
    { path: '/worlds/ada/scenarios', ...PUT('{}'), status: 200 },
    { path: '/worlds/new-6/scenarios', ...PUT('{}'), status: 200 },
    { path: '/worlds/ada/scenarios', ...PUT('{"order":"paid"}'), status: 404 },
    { path: '/worlds/ada/scenarios', ...PUT('{"order":1}'), status: 400 },
  ],
  deleteWorld: [
    { path: '/worlds/ada', method: 'DELETE', status: 204 },
    { path: '/worlds/ada', method: 'DELETE', status: 404 },
    { path: '/worlds/default', method: 'DELETE', status: 409 },
  ],
  listRequests: [
    { path: '/requests', status: 200 },
    { path: '/requests?operation=getPet&consumer=&status=4xx&path=/v1/*&since=-5m&limit=5', status: 200 },
    { path: '/requests?operation=getPett', status: 400 },
    { path: '/requests?status=4x4', status: 400 },
    { path: '/requests?limit=0', status: 400 },
    { path: '/requests?limit=ten', status: 400 },
    { path: '/requests?since=yesterday', status: 400 },
    { path: '/requests?since=-5m&since=-6m', status: 400 },
    { path: '/requests?operaton=getPet', status: 400 },
  ],
  deleteRequests: [
    { path: '/requests?world=alice', method: 'DELETE', status: 204 },
    { path: '/requests', method: 'DELETE', status: 204 },
  ],
  verifyRequests: [
    { path: '/requests/verify?operation=listPets&status=5xx', status: 200 },
    { path: '/requests/verify?operation=listPets&max=0', status: 200 },
    { path: '/requests/verify?min=3&max=2', status: 400 },
    { path: '/requests/verify?min=-1', status: 400 },
    { path: '/requests/verify?header.x-request-id=42', status: 400 },
    { path: '/requests/verify?body./name=Rex', status: 400 },
    { path: '/requests/verify?body.name=Rex', status: 400 },
  ],
  streamRequests: [{ path: '/requests/stream?status=none', status: 400 }],
  getDeprecations: [
    { path: '/deprecations', status: 200 },
    { path: '/deprecations', headers: { accept: 'text/plain' }, status: 200 },
    { path: '/deprecations', headers: { accept: 'text/csv' }, status: 200 },
    { path: '/deprecations?at=%2B30d', status: 200 },
    { path: '/deprecations?at=soon', status: 400 },
  ],
  getRoot: [{ path: '/', status: 200 }],
  getVersion: [{ path: '/version', status: 200 }],
  getConfiguration: [
    { path: '/config', status: 200 },
    { path: '/config', headers: { accept: 'application/yaml' }, status: 200 },
  ],
  getConfigurationText: [{ path: '/config/text', status: 200 }],
  getConfigurationSchema: [{ path: '/config/schema', status: 200 }],
  giveContract: [
    { path: '/worlds/next/contract', ...PUT('{"openapi":"4.0.0"}'), status: 422 },
    {
      path: '/worlds/a%20b/contract',
      ...PUT('{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}'),
      status: 400,
    },
  ],
  takeContract: [{ path: '/worlds/next/contract', method: 'DELETE', status: 404 }],
  replaceConfiguration: [
    { path: '/config', ...PUT('{}'), status: 400 },
    { path: '/config', ...PUT('{"contract":"./nowhere.yaml"}'), status: 422 },
    {
      path: '/config',
      method: 'PUT',
      headers: { 'content-type': 'application/yaml' },
      body: 'contract: [',
      status: 422,
    },
    { path: '/config', method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'contract: x', status: 415 },
    { path: '/config', method: 'PUT', status: 400 },
    { path: '/config?dry-run=true', ...PUT('{"contract":"./openapi.yaml"}'), status: 200 },
    { path: '/config?dry-run=true', ...PUT('{"contract":"./openapi.yaml","sed":1}'), status: 422 },
    { path: '/config?dry-run=perhaps', ...PUT('{"contract":"./openapi.yaml"}'), status: 400 },
  ],
  getOpenApi: [{ path: '/openapi.json', status: 200 }],
}
