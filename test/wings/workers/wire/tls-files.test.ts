import { test } from 'node:test'
import { assertPrintsFingerprint, makeClient } from '../../../wire/tls-client.ts'

const { configure } = await makeClient()

test('the program prints the fingerprint of its self-signed certificate with workers', () =>
  assertPrintsFingerprint(configure('self-signed'), '--workers', '2'))
