// Makes a self-signed certificate for this machine. The only file that imports @peculiar/x509.

// @peculiar/x509 requires this import first.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import * as x509 from '@peculiar/x509'
import type { KeyPair } from '../plan/settings.ts'

const DAY = 86_400_000

/** Browsers take no certificate for longer. */
const DAYS = 397

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/**
 * Makes a key and a certificate for localhost, this machine's name and `hosts`, valid from yesterday on for 397 days.
 *
 * @param hosts addresses or names that are listened on
 */
export async function makeSelfSigned(hosts: readonly string[]): Promise<KeyPair> {
  const { subtle } = webcrypto
  x509.cryptoProvider.set(webcrypto as never)
  const keys = (await subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  const names = [...new Set(['localhost', hostname(), '127.0.0.1', '::1', ...hosts])]
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Understudy self-signed',
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + (DAYS - 1) * DAY),
    signingAlgorithm: ALGORITHM,
    keys: keys as never,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map(value => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  })
  const der = Buffer.from(await subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{1,64}/g, '$&\n')}-----END PRIVATE KEY-----\n`
  return { key, cert: certificate.toString('pem') }
}
